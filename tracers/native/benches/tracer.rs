//! The tracer as a whole, beside the plain program, two tools of Valgrind and single-stepping by the hardware.
//!
//! Every ratio is against something measured in the same run. What is not installed is named, not guessed.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use warpath_native::process::{Launch, Stop, spawn};
use warpath_native::run::{Output, Plan, Policy, Program, RunOptions};

/// Integer work over a few megabytes: hashing, sorting, branches, calls into the C library.
const WORK: &str = r#"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int compare(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}
int main(int argc, char **argv) {
    unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
    enum { N = 1 << 15 };
    static uint32_t values[N], copy[N];
    uint64_t hash = 1469598103934665603u;
    for (unsigned round = 0; round < rounds; round++) {
        for (int i = 0; i < N; i++) {
            hash = (hash ^ (uint64_t)i) * 1099511628211u;
            values[i] = (uint32_t)(hash >> 20);
        }
        memcpy(copy, values, sizeof copy);
        qsort(copy, N, sizeof copy[0], compare);
        for (int i = 0; i < N; i++) hash += copy[i] % 1000 == 7 ? copy[i] : values[i] >> 3;
    }
    printf("%llu\n", (unsigned long long)hash);
    return 0;
}
"#;

/// The same kind of work on inputs: sixty-four symbolic bytes are read, and numbers computed from them all the time.
const SYMBOLIC: &str = r#"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv) {
    unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
    unsigned char in[64];
    if (read(0, in, sizeof in) != sizeof in) return 2;
    static uint32_t table[256];
    uint32_t acc = 0, hash = 2166136261u;
    for (unsigned round = 0; round < rounds; round++) {
        acc = 0;
        for (int i = 0; i < 64; i++) {
            acc += in[i];
            acc ^= (uint32_t)in[63 - i] << (i % 13);
            for (int k = 0; k < 40; k++) { hash = (hash ^ (uint32_t)(i + k)) * 16777619u; table[(i + k) & 255] += hash; }
        }
        if (acc == 0x12345) puts("rare");
    }
    printf("%u %u\n", acc, table[17]);
    return 0;
}
"#;

fn build(folder: &Path, name: &str, source: &str) -> PathBuf {
    let (from, to) = (folder.join(format!("{name}.c")), folder.join(name));
    std::fs::write(&from, source).expect("the folder for benchmarks can be written");
    let done = Command::new("cc").args(["-O2", "-g", "-o"]).arg(&to).arg(&from).status();
    assert!(done.is_ok_and(|status| status.success()), "`cc` failed; run scripts/setup");
    to
}

fn timed(command: &mut Command) -> Option<Duration> {
    let start = Instant::now();
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status().ok()?;
    status.success().then(|| start.elapsed())
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn traced(
    program: &Path,
    arguments: &[&str],
    symbolic: Vec<warpath_native::run::Source>,
) -> (Duration, u64, u64) {
    let arguments: Vec<OsString> = arguments.iter().map(OsString::from).collect();
    let mut program = Program::new(program, arguments).expect("the program can be traced");
    let options = RunOptions { output: Output::Discard, symbolic, ..RunOptions::default() };
    let plan = Plan::by_policy(options, Policy::RunToBlock);
    let start = Instant::now();
    let run = program.run(&plan).expect("the program runs");
    assert_eq!(run.end, warpath_native::run::End::Exited(0));
    (start.elapsed(), run.instructions, run.hardware_steps)
}

/// Nanoseconds for one instruction stepped by the hardware through ptrace.
fn stepped(program: &Path) -> f64 {
    const STEPS: u32 = 20_000;
    let mut process = spawn(&Launch::new(program, [])).expect("the program starts");
    let start = Instant::now();
    for _ in 0..STEPS {
        assert_eq!(process.step().expect("it steps"), Stop::Trap);
    }
    start.elapsed().as_nanos() as f64 / f64::from(STEPS)
}

fn concrete(folder: &Path) {
    let program = build(folder, "work", WORK);
    const ROUNDS: &str = "10";
    let plain = median((0..5).filter_map(|_| timed(Command::new(&program).arg(ROUNDS))).collect());
    let (time, instructions, hardware) = traced(&program, &[ROUNDS], Vec::new());
    let rate = |time: Duration| instructions as f64 / time.as_secs_f64() / 1e6;
    println!("{instructions} instructions, {hardware} of them by the hardware");
    println!("{:<34} {:>9} {:>12} {:>9}", "", "seconds", "M instr/s", "x plain");
    let line = |name: &str, time: Duration| {
        let slower = time.as_secs_f64() / plain.as_secs_f64();
        println!("{name:<34} {:>9.3} {:>12.1} {slower:>9.1}", time.as_secs_f64(), rate(time));
    };
    line("plain", plain);
    line("warpath", time);
    for tool in ["none", "helgrind"] {
        let name = format!("valgrind --tool={tool}");
        match timed(Command::new("valgrind").arg(format!("--tool={tool}")).arg(&program).arg(ROUNDS)) {
            Some(time) => line(&name, time),
            None => println!("{name:<34} not measured: valgrind is not installed"),
        }
    }
    let step = stepped(&program);
    line("hardware steps (20,000, projected)", Duration::from_nanos((step * instructions as f64) as u64));
    println!("one hardware step: {:.1} us", step / 1000.0);
}

fn symbolic(folder: &Path) {
    let program = build(folder, "symbolic", SYMBOLIC);
    let input = folder.join("input");
    std::fs::write(&input, [b'a'; 64]).expect("the folder for benchmarks can be written");
    // The tracer's own standard input is the program's.
    let file = std::fs::File::open(&input).expect("it was just written");
    nix::unistd::dup2_stdin(&file).expect("standard input can be replaced");
    let again = || nix::unistd::lseek(&file, 0, nix::unistd::Whence::SeekSet).expect("a file can be rewound");
    println!("\n{:<34} {:>9} {:>12} {:>9}", "symbolic data in play", "seconds", "M instr/s", "x none");
    let (none, instructions, _) = traced(&program, &["200"], Vec::new());
    again();
    let source = warpath_native::run::Source::Stdin { bytes: 64 };
    let (some, with, _) = traced(&program, &["200"], vec![source]);
    for (name, time, instructions) in
        [("nothing symbolic", none, instructions), ("64 bytes of input symbolic", some, with)]
    {
        let rate = instructions as f64 / time.as_secs_f64() / 1e6;
        let ratio = time.as_secs_f64() / none.as_secs_f64();
        println!("{name:<34} {:>9.3} {rate:>12.1} {ratio:>9.1}", time.as_secs_f64());
    }
}

fn replays(folder: &Path) {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/c/m.c");
    let header = Path::new(env!("CARGO_MANIFEST_DIR")).join("include");
    let stubs = Path::new(env!("CARGO_MANIFEST_DIR")).join("stubs/warpath_stubs.c");
    let program = folder.join("m");
    let done = Command::new("cc")
        .args(["-O1", "-g", "-pthread", "-DN=0", "-I"])
        .arg(&header)
        .arg("-o")
        .arg(&program)
        .args([&samples, &stubs])
        .status();
    assert!(done.is_ok_and(|status| status.success()), "`cc` failed; run scripts/setup");
    let plain = median((0..20).filter_map(|_| timed(&mut Command::new(&program))).collect());
    let mut runs = Program::new(&program, Vec::new()).expect("the program can be traced");
    let options = RunOptions { output: Output::Discard, ..RunOptions::default() };
    runs.record(&Plan::by_policy(options.clone(), Policy::RunToBlock)).expect("the program runs");
    const RUNS: u32 = 500;
    let start = Instant::now();
    for seed in 0..RUNS {
        runs.run(&Plan::by_policy(options.clone(), Policy::Random { seed: seed.into() }))
            .expect("the program runs");
    }
    let each = start.elapsed() / RUNS;
    println!("\nM_0 (three threads beside main), random schedules from a snapshot:");
    println!("{:.0} runs/s; one run {each:.2?}, the plain program {plain:.2?}", 1.0 / each.as_secs_f64());
}

fn main() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    concrete(folder.path());
    symbolic(folder.path());
    replays(folder.path());
}
