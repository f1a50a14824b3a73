//! How many events a second triage analyses, with one worker and with two, and what a trace of a million events takes.
//!
//! Three kinds of traces (`support/server.rs`): of locks only, as the light recorder makes them of a plain program; with
//! shared accesses and their values; and with conditions, too. The many traces are 2,000 to 6,000 events long, so that
//! some are checked at once and some in windows. Memory is the peak of the worker, as it reports it; solvers have their
//! own.
//!
//! `cargo bench -p warpath --bench triage`; `WARPATH_BENCH_TRACES`, `WARPATH_BENCH_EVENTS` and `WARPATH_BENCH_SOLVER`
//! change what is measured.
#![allow(clippy::unwrap_used, reason = "a benchmark that cannot run has nothing to say")]

mod support;

use std::env;
use std::fs;
use std::path::Path;
use std::time::Instant;

use serde_json::Value;
use support::server::{Kind, Server};
use support::warpath;

fn main() {
    let number = |name: &str, default: u32| env::var(name).map_or(default, |text| text.parse().unwrap());
    let (traces, events) = (number("WARPATH_BENCH_TRACES", 48), number("WARPATH_BENCH_EVENTS", 1_000_000));
    let solver = env::var("WARPATH_BENCH_SOLVER").unwrap_or_else(|_| "yices".to_owned());
    let folder = tempfile::tempdir().unwrap();
    println!(
        "{:<12} {:>7} {:>9} {:>5} {:>9} {:>11} {:>7} {:>7}",
        "values", "traces", "events", "jobs", "seconds", "events/s", "MiB", "causes"
    );
    for kind in Kind::ALL {
        let many = folder.path().join(format!("many-{}", kind.name()));
        fs::create_dir(&many).unwrap();
        for seed in 0..traces {
            let server = Server { kind, events: 2_000 + seed % 5 * 1_000, seed: u64::from(seed) };
            server.write(&many.join(format!("run-{seed}.wpt")));
        }
        let seconds: Vec<f64> = [1, 2].map(|jobs| measure(&many, kind, jobs, &solver)).to_vec();
        println!("{:>56} two jobs: x{:.2}", "", seconds[0] / seconds[1]);
    }
    for kind in Kind::ALL {
        let one = folder.path().join(format!("one-{}", kind.name()));
        fs::create_dir(&one).unwrap();
        Server { kind, events, seed: 1 }.write(&one.join("run.wpt"));
        measure(&one, kind, 1, &solver);
    }
}

/// Seconds for all traces of a folder.
fn measure(traces: &Path, kind: Kind, jobs: usize, solver: &str) -> f64 {
    let out = traces.with_extension("out");
    let begin = Instant::now();
    let output = warpath()
        .arg("triage")
        .arg(traces)
        .args(["--fresh", "-q", "--json", "-", "--solver", solver, "--jobs", &jobs.to_string()])
        .arg("--out")
        .arg(&out)
        .output()
        .unwrap();
    let seconds = begin.elapsed().as_secs_f64();
    let results: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
    let counts = &results["counts"];
    let (traces, events) = (counts["traces"].as_u64().unwrap(), counts["events"].as_u64().unwrap());
    assert_eq!(counts["analysed"].as_u64(), Some(traces), "every trace is decided");
    let journal = fs::read_to_string(out.join("journal/local.jsonl")).unwrap();
    let peak = |line: &str| serde_json::from_str::<Value>(line).unwrap()["peak"].as_u64().unwrap();
    println!(
        "{:<12} {traces:>7} {events:>9} {jobs:>5} {seconds:>9.2} {:>11.0} {:>7} {:>7}",
        kind.name(),
        events as f64 / seconds,
        journal.lines().map(peak).max().unwrap_or(0) >> 20,
        results["groups"].as_array().unwrap().len()
    );
    seconds
}
