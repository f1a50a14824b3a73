//! What a replay costs by the program itself and under the tracer.
//!
//! `cargo bench -p warpath --bench replay` (with `--profile dev` if that is what is built; libwarpath_preload.so must be
//! beside the command) prints a table in Markdown for `docs/benchmarks.md`: one recorded run of each program, replayed both
//! ways in turn, five times, the median.

#![allow(clippy::unwrap_used, reason = "a benchmark that cannot run has nothing to say")]

use std::fs::{self, File};
use std::io::BufReader;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use warpath_trace::binary;
use warpath_trace::si::Si;

/// Threads that compute, and now and then hand something to each other.
const SOURCE: &str = r"
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long sum;
static void *run(void *seed) {
    unsigned long x = (unsigned long)seed * 2654435761u + 1;
    for (int round = 0; round < ROUNDS; round++) {
        for (int n = 0; n < WORK; n++) x = x * 6364136223846793005ul + 1442695040888963407ul;
        pthread_mutex_lock(&lock);
        sum += (long)(x >> 60);
        pthread_mutex_unlock(&lock);
    }
    return 0;
}
int main(void) {
    pthread_t t[4];
    for (long n = 0; n < 4; n++) pthread_create(&t[n], 0, run, (void *)(n + 1));
    for (int n = 0; n < 4; n++) pthread_join(t[n], 0);
    return sum == 0;
}
";

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn seconds(command: &mut Command) -> f64 {
    let began = Instant::now();
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
    assert_eq!(status.code(), Some(0), "{command:?}");
    began.elapsed().as_secs_f64()
}

fn measure(folder: &Path, rounds: u32, work: u32) {
    let (source, program) = (folder.join("program.c"), folder.join("program"));
    fs::write(&source, SOURCE).unwrap();
    let mut compiler = Command::new("cc");
    compiler.args(["-g", "-O2", "-pthread", &format!("-DROUNDS={rounds}"), &format!("-DWORK={work}"), "-o"]);
    assert!(compiler.arg(&program).arg(&source).status().unwrap().success());
    let warpath = || Command::new(env!("CARGO_BIN_EXE_warpath"));
    let trace = folder.join("run.wpt");
    let recorded = seconds(warpath().args(["record", "--light", "-o"]).arg(&trace).arg("--").arg(&program));
    let trace = binary::read(BufReader::new(File::open(&trace).unwrap())).unwrap().0;
    let si = Si::of_run(&trace).unwrap();
    let file = folder.join("run.si.toml");
    fs::write(&file, si.print().unwrap()).unwrap();
    let (mut plain, mut itself, mut traced) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..5 {
        plain.push(seconds(&mut Command::new(&program)));
        itself.push(seconds(warpath().arg("replay").arg(&file).arg("--in-process")));
        traced.push(seconds(warpath().arg("replay").arg(&file).arg("--in-process=never")));
    }
    let (plain, itself, traced) = (median(plain), median(itself), median(traced));
    println!(
        "| {rounds} × {work} | {} | {plain:.3} | {recorded:.3} | {itself:.3} | {traced:.3} | **{:.1}** |",
        si.schedule.len(),
        traced / itself
    );
}

fn main() {
    let folder = tempfile::tempdir().unwrap();
    println!(
        "| rounds × work | steps | plain s | recorded s | by itself s | traced s | traced / by itself |"
    );
    println!("|---|---|---|---|---|---|---|");
    for (rounds, work) in [(10, 1_000), (100, 100_000), (100, 1_000_000), (2_000, 1_000)] {
        measure(folder.path(), rounds, work);
    }
}
