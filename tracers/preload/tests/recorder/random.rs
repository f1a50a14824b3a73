//! Random programs: a recorded run, followed, is the same run.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use crate::follows::{follow, in_process, visible};
use crate::support::{Program, library, trace_of};
use warpath_light::replay::End;
use warpath_light::{Recording, processes};
use warpath_trace::si::Si;
use warpath_trace::trace::Trace;

/// xorshift64*.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % bound
    }
}

/// Statements of a thread: locks in one order, so that nobody waits for ever.
fn statements(random: &mut Random, text: &mut String, first: u64, depth: u64) {
    for _ in 0..1 + random.below(3) {
        match random.below(8) {
            0..3 if first < 3 => {
                let lock = first + random.below(3 - first);
                let _ = writeln!(text, "    pthread_mutex_lock(&locks[{lock}]);");
                if depth < 3 {
                    statements(random, text, lock + 1, depth + 1);
                }
                let _ = writeln!(text, "    pthread_mutex_unlock(&locks[{lock}]);");
            }
            // Nobody else tries at the same time: when an attempt came that failed is not recorded.
            3 => text.push_str(
                "    pthread_mutex_lock(&guard);\n    if (!pthread_mutex_trylock(&tried)) pthread_mutex_unlock(&tried);\n    \
                 pthread_mutex_unlock(&guard);\n",
            ),
            4 => text.push_str("    sem_wait(&units);\n    sem_post(&units);\n"),
            5 => text.push_str("    pthread_rwlock_rdlock(&shelf);\n    pthread_rwlock_unlock(&shelf);\n"),
            6 => text.push_str("    pthread_rwlock_wrlock(&shelf);\n    pthread_rwlock_unlock(&shelf);\n"),
            _ => {
                let variable = random.below(4);
                let by = random.below(9);
                let _ = writeln!(
                    text,
                    "    pthread_mutex_lock(&guard); v[{variable}] = v[{variable}] * 3 + {by}; pthread_mutex_unlock(&guard);"
                );
            }
        }
    }
}

/// A program of two to four threads, one of which may start another.
pub fn source(seed: u64) -> String {
    let mut random = Random::new(seed);
    let threads = 2 + random.below(3);
    let mut text = String::from(
        "#include <pthread.h>\n#include <semaphore.h>\n#include <stdio.h>\n\
         static pthread_mutex_t locks[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};\n\
         static pthread_mutex_t tried = PTHREAD_MUTEX_INITIALIZER, guard = PTHREAD_MUTEX_INITIALIZER;\n\
         static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;\n\
         static pthread_rwlock_t shelf = PTHREAD_RWLOCK_INITIALIZER;\n\
         static pthread_barrier_t all;\nstatic sem_t units;\nstatic int v[4], ready;\n\
         static void *inner(void *u) { pthread_mutex_lock(&guard); v[0]++; pthread_mutex_unlock(&guard); return u; }\n",
    );
    for thread in 0..threads {
        let _ = writeln!(text, "static void *run{thread}(void *unused) {{");
        statements(&mut random, &mut text, 0, 0);
        match random.below(3) {
            0 => text.push_str("    pthread_t t; pthread_create(&t, 0, inner, 0); pthread_join(t, 0);\n"),
            1 => text.push_str(
                "    pthread_mutex_lock(&guard); ready++; pthread_cond_broadcast(&changed); pthread_mutex_unlock(&guard);\n",
            ),
            _ => text.push_str("    pthread_mutex_lock(&guard); ready++; pthread_cond_signal(&changed); pthread_mutex_unlock(&guard);\n"),
        }
        text.push_str("    pthread_barrier_wait(&all);\n");
        statements(&mut random, &mut text, 0, 0);
        text.push_str("    return unused;\n}\n");
    }
    let _ = write!(
        text,
        "int main(void) {{\n    pthread_t t[{threads}];\n    sem_init(&units, 0, 2);\n    pthread_barrier_init(&all, 0, {threads} + 1);\n"
    );
    for thread in 0..threads {
        let _ = writeln!(text, "    pthread_create(&t[{thread}], 0, run{thread}, 0);");
    }
    let _ = write!(
        text,
        "    struct timespec soon = {{0, 1}};\n\
         \x20   pthread_mutex_lock(&guard);\n    pthread_cond_timedwait(&changed, &guard, &soon);\n    pthread_mutex_unlock(&guard);\n\
         \x20   pthread_barrier_wait(&all);\n\
         \x20   for (int n = 0; n < {threads}; n++) pthread_join(t[n], 0);\n\
         \x20   printf(\"%d %d %d %d\\n\", v[0], v[1], v[2], v[3]);\n    return 0;\n}}\n"
    );
    text
}

#[test]
fn recorded_runs_of_random_programs_are_followed() {
    for seed in 0..25 {
        let program = Program::compile_text(&source(seed));
        let output = program.recorded().output().expect("the program runs");
        assert_eq!(output.status.code(), Some(0), "seed {seed}");
        let (trace, written) = crate::support::trace_of(&program.processes()[0]);
        assert_eq!(written.lost, 0);
        let si = Si::of_run(&trace).expect("an order");
        for _ in 0..3 {
            let replayed = follow(&program, &si).expect("it can be followed");
            assert_eq!(
                (&replayed.end, replayed.left),
                (&End::Exited(0), 0),
                "seed {seed}: {:?}",
                si.schedule
            );
            assert_eq!(visible(&replayed.trace), si.schedule, "seed {seed}");
            // What it computes depends on the order alone.
            assert_eq!(replayed.output[0].1, output.stdout, "seed {seed}");
        }
    }
}

/// A program whose threads share variables, with and without locks, plain and atomic, global and on the heap.
fn racy(seed: u64) -> String {
    let mut random = Random::new(seed);
    let threads = 2 + random.below(2);
    let mut text = String::from(
        "#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n#include <string.h>\n\
         static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;\n\
         static int v[4];\nstatic atomic_int a[2];\nstatic long *block;\nstatic char text[16];\n",
    );
    for thread in 0..threads {
        let _ = writeln!(text, "static void *run{thread}(void *unused) {{\n    int x = {thread};");
        for _ in 0..4 + random.below(6) {
            let (n, by) = (random.below(4), random.below(50));
            let line = match random.below(10) {
                0 | 1 => format!("x += v[{n}];"),
                2 | 3 => format!("v[{n}] = x + {by};"),
                4 => format!("pthread_mutex_lock(&lock); v[{n}] += x; pthread_mutex_unlock(&lock);"),
                5 => format!("x += atomic_load(&a[{}]);", n % 2),
                6 => format!("atomic_store(&a[{}], x);", n % 2),
                7 => format!("x ^= atomic_fetch_add(&a[{}], {by});", n % 2),
                8 => format!("block[{n}] = x; x += (int)block[{}];", (n + 1) % 4),
                _ => format!("memset(text, x, {}); x += text[{n}];", 4 + n * 4),
            };
            let _ = writeln!(text, "    {line}");
        }
        text.push_str("    v[3] = x;\n    return unused;\n}\n");
    }
    let _ = write!(
        text,
        "int main(void) {{\n    pthread_t t[{threads}];\n    block = calloc(4, sizeof *block);\n"
    );
    for thread in 0..threads {
        let _ = writeln!(text, "    pthread_create(&t[{thread}], 0, run{thread}, 0);");
    }
    let _ = write!(
        text,
        "    for (int n = 0; n < {threads}; n++) pthread_join(t[n], 0);\n    free(block);\n    return v[3] & 0;\n}}\n"
    );
    text
}

/// Compiled as `warpath cc --instrument` does it.
fn instrument(text: &str, compiler: &str, folder: &Path) {
    let (source, specs) = (folder.join("program.c"), folder.join("specs"));
    std::fs::write(&source, text).expect("a file");
    std::fs::write(&specs, "*cc1:\n+ -fsanitize=thread\n\n").expect("a file");
    let mut command = Command::new(compiler);
    match compiler {
        "gcc" => command.arg(format!("-specs={}", specs.display())),
        _ => command.args(["-fsanitize=thread", "-fno-sanitize-link-runtime"]),
    };
    let library = library();
    let beside = library.parent().expect("a folder").display();
    command.args(["-g", "-O1", "-pthread", "-o"]).arg(folder.join("program")).arg(&source);
    command.args([format!("-L{beside}"), format!("-Wl,-rpath,{beside}"), "-lwarpath_preload".into()]);
    let done = command.output().expect("gcc and clang: run scripts/setup");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

/// What was read and written, step by step; pointers are others in every run.
fn values(trace: &Trace) -> Vec<(Option<u128>, Option<u128>)> {
    let plain = |value: &u128| *value < 1 << 32;
    let events = trace.in_order().expect("an order");
    let events = events.filter(|(_, _, event)| event.op.is_visible() && !event.op.is_pending());
    let of = |op: &warpath_trace::event::Op| {
        let written = op.written().map(|(_, datum)| datum.value);
        (op.read_value().filter(plain), written.filter(plain))
    };
    events.map(|(_, _, event)| of(&event.op)).collect()
}

/// A run of the program at full speed; `None` if the reader had to guess, and so this is no order in which it can have
/// happened.
fn raced(path: &Path, recordings: &Path) -> Option<Trace> {
    let run = Command::new(path).env("WARPATH_LIGHT", recordings).status().expect("it runs");
    assert!(run.success());
    let recorded = processes(recordings).expect("something was recorded");
    let (trace, written) = trace_of(&Recording::open(&recorded[0]).expect("a recording"));
    assert_eq!(written.lost, 0);
    (written.guessed == 0).then_some(trace)
}

#[test]
fn recorded_runs_of_programs_with_races_are_followed_with_the_same_values() {
    let mut accesses = 0;
    for seed in 0..16 {
        let folder = tempfile::tempdir().expect("a folder");
        instrument(&racy(seed), if seed % 2 == 0 { "gcc" } else { "clang" }, folder.path());
        let path = folder.path().join("program");
        // A thread that is put aside between the announcement of an access and the access may find another value than
        // was recorded. That happens once in a while, and not five times in a row.
        let mut same = None;
        for nth in 0..5 {
            let Some(trace) = raced(&path, &folder.path().join(format!("recordings-{nth}"))) else {
                continue;
            };
            let si = Si::of_run(&trace).expect("an order");
            let mut followed = Vec::new();
            for _ in 0..3 {
                let scratch = tempfile::tempdir().expect("a folder");
                let mut this = in_process(&path, scratch.path());
                this.preload = OsString::new();
                let replayed = this.run(&si, &|| false).expect("it can be followed");
                let end = (&replayed.end, replayed.left);
                assert_eq!(end, (&End::Exited(0), 0), "seed {seed}:\n{}\n{:?}", racy(seed), si.schedule);
                assert_eq!(visible(&replayed.trace), si.schedule, "seed {seed}");
                followed.push(values(&replayed.trace));
            }
            assert!(followed.windows(2).all(|pair| pair[0] == pair[1]), "seed {seed}: {followed:?}");
            accesses += followed[0].iter().filter(|(read, write)| read.or(*write).is_some()).count();
            same = Some(followed[0] == values(&trace));
            if same == Some(true) {
                break;
            }
        }
        assert_ne!(same, Some(false), "seed {seed}: no recording has the values of the runs that follow it");
    }
    assert!(accesses > 100, "{accesses}");
}

/// Two threads close what one of them has opened, if nobody has done it yet.
const CLOSED_TWICE: &str = "#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
static int *shared, late;
static void *close_it(void *is_late) {
    if (is_late) usleep(50000);
    int *mine = shared;
    if (!mine) return 0;
    shared = 0;
    free(mine);
    return 0;
}
int main(void) {
    pthread_t one, other;
    shared = malloc(sizeof *shared);
    pthread_create(&one, 0, close_it, 0);
    pthread_create(&other, 0, close_it, &late);
    pthread_join(one, 0);
    pthread_join(other, 0);
    return 0;
}
";

#[test]
fn storage_that_is_freed_twice_is_caught() {
    let folder = tempfile::tempdir().expect("a folder");
    instrument(CLOSED_TWICE, "gcc", folder.path());
    let (path, recordings) = (folder.path().join("program"), folder.path().join("recordings"));
    assert!(Command::new(&path).env("WARPATH_LIGHT", &recordings).status().expect("it runs").success());
    let recorded = processes(&recordings).expect("something was recorded");
    let (trace, _) = trace_of(&Recording::open(&recorded[0]).expect("a recording"));
    let mut si = Si::of_run(&trace).expect("an order");
    // Both look before either has closed it.
    si.shared.retain(|shared| shared.object == "shared");
    si.shared.push("heap T0#0 0..1".parse().expect("shared bytes"));
    let steps = [
        "T0 begin",
        "T0 w shared",
        "T0 fork T0.0",
        "T0 fork T0.1",
        "T0.0 begin",
        "T0.1 begin",
        "T0.0 r shared",
        "T0.1 r shared",
        "T0.0 w shared",
        "T0.1 w shared",
        "T0.0 free",
        "T0.1 free",
    ];
    si.schedule = steps.map(|step| step.parse().expect("a step")).to_vec();
    let scratch = tempfile::tempdir().expect("a folder");
    let mut this = in_process(&path, scratch.path());
    this.preload = OsString::new();
    let replayed = this.run(&si, &|| false).expect("it can be followed");
    assert!(!matches!(replayed.end, End::Diverged(..)), "{:?}", replayed.end);
    let failed = replayed.trace.failed().unwrap_or_else(|| panic!("not caught: {:?}", replayed.end));
    assert_eq!(failed.kind, warpath_trace::event::FailureKind::DoubleFree, "{:?}", replayed.end);
    assert_eq!(replayed.trace.tables.key(failed.thread).to_string(), "T0.1");
}
