//! What is recorded of programs that end well.

use std::collections::BTreeMap;

use crate::ends::exclusive;
use crate::support::{Program, library, same, trace_of};
use warpath_trace::event::{Event, Op};
use warpath_trace::header::Outcome;
use warpath_trace::trace::Trace;

/// How often each verb occurs.
fn verbs(trace: &Trace) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for event in trace.threads.iter().flatten() {
        *counts.entry(format!("{:?}", event.op.verb())).or_default() += 1;
    }
    counts
}

#[test]
fn locks_have_names_lines_and_threads() {
    let (trace, written) = Program::compile("locks.c").trace();
    assert_eq!(written.lost, 0);
    assert_eq!(trace.footer.as_ref().map(|footer| footer.outcome), Some(Outcome::Exited(0)));
    let keys: Vec<String> = trace.tables.keys().iter().map(ToString::to_string).collect();
    assert_eq!(keys, ["T0", "T0.0", "T0.1"]);
    let shown: Vec<String> = trace.threads[2]
        .iter()
        .map(|event| {
            let place = trace.tables.source_name(event.at);
            let place =
                place.rsplit("/").next().unwrap_or("").split(":").take(2).collect::<Vec<_>>().join(":");
            match event.op {
                Op::Lock { mutex, .. } => format!("lock {} {place}", trace.tables.location_name(mutex)),
                Op::Unlock { mutex, .. } => format!("unlock {} {place}", trace.tables.location_name(mutex)),
                op => format!("{:?}", op.verb()),
            }
        })
        .collect();
    assert_eq!(
        shown,
        [
            "Begin",
            "lock b locks.c:21",
            "lock a locks.c:22",
            "unlock a locks.c:24",
            "unlock b locks.c:25",
            "End"
        ]
    );
}

#[test]
fn every_kind_of_object_is_seen() {
    let (trace, written) = Program::compile("everything.c").trace();
    assert_eq!(written.lost, 0, "nothing is lost");
    let verbs = verbs(&trace);
    for verb in [
        "Begin",
        "End",
        "Fork",
        "Join",
        "Lock",
        "Unlock",
        "CondWait",
        "CondWake",
        "Signal",
        "Broadcast",
        "RdLock",
        "WrLock",
        "RdUnlock",
        "WrUnlock",
        "SemWait",
        "SemPost",
        "BarrierArrive",
        "BarrierLeave",
        "Once",
        "Init",
        "Destroy",
    ] {
        assert!(verbs.contains_key(verb), "{verb} is missing: {verbs:?}");
    }
    assert_eq!(verbs["Fork"], 4);
    assert_eq!(verbs["BarrierArrive"], 4);
}

/// A plain mutex keeps its own count, and programs may do to a mutex that nobody holds what they like.
#[test]
fn mutexes_that_are_overwritten_copied_or_made_anew_keep_their_order() {
    let text = "#include <pthread.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\
        struct { long before; pthread_mutex_t lock; long behind; } a, b;\n\
        static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER; static long sum;\n\
        static void *work(void *unused) {\n\
          for (int i = 0; i < 700; i++) {\n\
            pthread_mutex_lock(&a.lock); sum++; pthread_mutex_unlock(&a.lock);\n\
            pthread_mutex_lock(&turn); pthread_mutex_unlock(&turn);\n\
          }\n  return 0;\n}\n\
        static void both(void) {\n  pthread_t threads[2];\n\
          for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, work, 0);\n\
          for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);\n}\n\
        int main(void) {\n  static const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;\n\
          a.before = a.behind = 7;\n  both();\n\
          memset(&a.lock, 0, sizeof a.lock); both();\n\
          a.lock = fresh; both();\n\
          pthread_mutex_init(&a.lock, 0); both();\n\
          pthread_mutex_destroy(&a.lock); pthread_mutex_init(&a.lock, 0); both();\n\
          b = a; pthread_mutex_lock(&b.lock); pthread_mutex_unlock(&b.lock);\n\
          for (int i = 0; i < 1000; i++) {\n    memset(&a.lock, 0, sizeof a.lock);\n\
            pthread_mutex_lock(&a.lock); sum++; pthread_mutex_unlock(&a.lock);\n  }\n\
          printf(\"%ld %ld %ld\\n\", sum, a.before, b.behind); return 0;\n}\n";
    let program = Program::compile_text(text);
    let plain = program.plain().output().expect("it runs");
    same(&plain, &program.recorded().output().expect("it runs"));
    let (trace, written) = trace_of(&program.processes()[0]);
    assert_eq!((written.lost, written.guessed), (0, 0));
    let locks = trace.threads.iter().flatten().filter(|event| matches!(event.op, Op::Lock { .. })).count();
    assert_eq!(locks, 5 * 2 * 2 * 700 + 1 + 1000);
    exclusive(&trace);
}

/// What the recorder writes into mutexes that it takes itself is what it knows of the C library. One that writes something
/// else is played here by a library between both.
#[test]
fn a_c_library_with_other_mutexes_is_left_to_do_it() {
    let text = "#include <pthread.h>\n#include <stdio.h>\n\
        static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; static long sum; static unsigned marked;\n\
        static void *work(void *tries) {\n  for (int i = 0; i < 3000; i++) {\n\
            if (tries) while (pthread_mutex_trylock(&lock)) {} else pthread_mutex_lock(&lock);\n\
            sum++; marked += lock.__data.__count;\n    pthread_mutex_unlock(&lock);\n  }\n  return 0;\n}\n\
        int main(void) {\n  pthread_t threads[2];\n\
          for (long i = 0; i < 2; i++) pthread_create(&threads[i], 0, work, (void *)i);\n\
          for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);\n\
          printf(\"%ld %u\\n\", sum, marked); return 0;\n}\n";
    let program = Program::compile_text(text);
    let other = Program::compile_with("mutexes_otherwise.c", &["-shared", "-fPIC", "-ldl"]);
    let preloaded = format!("{} {}", library().display(), other.path.display());
    // Nobody else may take or release a mutex, also while nothing is recorded.
    for (start, episodes) in [("on", 1), ("off", 0)] {
        let mut command = program.recorded();
        let run = command.env("LD_PRELOAD", &preloaded).env("WARPATH_LIGHT_START", start).output();
        let run = run.expect("it runs");
        assert!(run.status.success(), "{start}: {run:?}");
        assert_eq!(String::from_utf8_lossy(&run.stdout), "6000 6000\n", "{start}");
        let process = program.processes().remove(0);
        assert_eq!(process.episodes().len(), episodes, "{start}");
        if episodes > 0 {
            let (trace, written) = trace_of(&process);
            assert_eq!((written.lost, written.guessed), (0, 0));
            let released = |event: &&Event| matches!(event.op, Op::Unlock { .. });
            assert_eq!(trace.threads.iter().flatten().filter(released).count(), 6000);
            exclusive(&trace);
        }
        std::fs::remove_dir_all(program.recordings()).expect("a folder");
    }
}

/// Mutexes that are near each other and far apart, one in another, released at several places, interrupted by a signal
/// handler that takes one, too: in whichever form they are recorded.
#[test]
fn mutexes_are_told_apart_wherever_they_are_and_are_released() {
    let text = "#define _GNU_SOURCE\n#include <pthread.h>\n#include <signal.h>\n#include <stdio.h>\n\
        #include <sys/mman.h>\n#include <sys/time.h>\n\
        enum { COUNT = 6, ROUNDS = 40000 };\n\
        static pthread_mutex_t *locks[COUNT], near[2], own[2], *handlers; static long sums[COUNT], inner[2], handled;\n\
        static void handler(int signal) {\n\
          pthread_mutex_lock(handlers); handled++; pthread_mutex_unlock(handlers); (void)signal;\n}\n\
        static void *work(void *me) {\n  unsigned x = 1 + (long)me;\n\
          for (int i = 0; i < ROUNDS; i++) {\n    x = x * 1103515245 + 12345;\n    unsigned n = (x >> 16) % COUNT;\n\
            pthread_mutex_lock(locks[n]);\n    sums[n]++;\n\
            if (x >> 8 & 1) { pthread_mutex_unlock(locks[n]); continue; }\n\
            pthread_mutex_lock(&own[(long)me]); inner[(long)me]++; pthread_mutex_unlock(&own[(long)me]);\n\
            pthread_mutex_unlock(locks[n]);\n  }\n  return 0;\n}\n\
        int main(int count, char **unused) {\n  (void)unused;\n  size_t far = (size_t)1 << 33;\n\
          char *room = mmap(0, 4 * far, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);\n\
          for (int i = 0; i < 4; i++) locks[i] = (pthread_mutex_t *)(room + i * far);\n\
          locks[4] = &near[0]; locks[5] = &near[1]; handlers = locks[0] + 1;\n\
          struct itimerval often = { { 0, 200 }, { 0, 200 } };\n\
          sigset_t set; sigemptyset(&set); sigaddset(&set, SIGALRM);\n\
          pthread_t threads[2];\n  pthread_sigmask(SIG_BLOCK, &set, 0);\n\
          pthread_create(&threads[0], 0, work, 0);\n  pthread_sigmask(SIG_UNBLOCK, &set, 0);\n\
          signal(SIGALRM, handler); if (count > 1) setitimer(ITIMER_REAL, &often, 0);\n  work((void *)1);\n\
          often.it_value.tv_usec = 0; setitimer(ITIMER_REAL, &often, 0);\n\
          pthread_join(threads[0], 0);\n  long sum = 0;\n  for (int i = 0; i < COUNT; i++) sum += sums[i];\n\
          printf(\"%ld\\n\", sum); fprintf(stderr, \"%ld\", inner[0] + inner[1] + handled); return 0;\n}\n";
    let program = Program::compile_text(text);
    let recorded = program.recorded().arg("interrupted").output().expect("it runs");
    assert_eq!(String::from_utf8_lossy(&recorded.stdout), "80000\n");
    let more: usize = String::from_utf8_lossy(&recorded.stderr).parse().expect("a number");
    let (trace, written) = trace_of(&program.processes()[0]);
    assert_eq!((written.lost, written.guessed), (0, 0));
    exclusive(&trace);
    let verbs = verbs(&trace);
    assert_eq!((verbs["Lock"], verbs["Unlock"]), (80_000 + more, 80_000 + more));
}
