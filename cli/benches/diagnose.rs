//! What diagnosis makes of the patterns of the thesis on ConcBugAssist, beside its Table 5.2.
//!
//! `cargo bench -p warpath --bench diagnose` prints a table in Markdown for `docs/benchmarks.md`. `WARPATH_BENCH_SOLVER`
//! names the solver (default yices), `WARPATH_BENCH_TIME` the time for one diagnosis (default 60s).

#![allow(clippy::unwrap_used, reason = "a benchmark that cannot run has nothing to say")]

mod support;

use std::env;
use std::path::Path;
use std::time::Instant;

use serde_json::Value;

use support::{Sample, samples, warpath};

/// Sample, name in the thesis, and its Table 5.2: seconds, iterations, orderings of a schedule, orderings per cause,
/// unique orderings.
type Published = (&'static str, &'static str, f64, u32, u32, f64, u32);

const PUBLISHED: [Published; 34] = [
    ("boop", "boop", 1.2, 1, 34, 2.0, 2),
    ("testc", "testc", 0.7, 1, 4, 2.0, 2),
    ("fibbench", "fibbench", 36.0, 2, 93, 7.5, 15),
    ("fibbench-longer", "fibbench_longer", 106.6, 2, 123, 9.0, 18),
    ("reorder", "reorder", 19.9, 15, 30, 4.0, 9),
    ("account-bad", "account", 6.4, 3, 95, 1.3, 3),
    ("read_write", "read_write", 121.0, 28, 76, 8.2, 27),
    ("barrier-broken", "barrier", 5.5, 9, 48, 1.6, 6),
    ("lazy01", "lazy01", 11.9, 2, 186, 2.0, 4),
    ("vectprime02", "VectPrime02", 2.39, 2, 31, 3.0, 3),
    ("lineeq2t01", "lineEq2t01", 4.83, 2, 30, 4.0, 7),
    ("linux-tg3", "linux-tg3", 5.6, 1, 98, 2.0, 2),
    ("linux-iio", "linux-iio", 2.5, 5, 31, 4.4, 8),
    ("mysql-169", "mysql-169", 1.1, 2, 10, 2.0, 2),
    ("mysql-12848", "mysql-12848", 2.5, 4, 10, 4.0, 4),
    ("mysql-3596", "mysql-3596", 1.1, 1, 13, 1.0, 1),
    ("mysql-644", "mysql-644", 1.0, 1, 7, 2.0, 2),
    ("apache-21287", "apache-21287", 1.7, 2, 23, 1.5, 3),
    ("apache-25520", "apache-25520", 7.9, 16, 23, 4.0, 4),
    ("freebsd-aa", "freebsd-aa", 22.4, 49, 27, 3.0, 12),
    ("cherokee", "cherokee-0.9.2", 6.9, 11, 34, 3.1, 4),
    ("llvm-8441", "llvm-8441", 17.4, 21, 46, 3.3, 10),
    ("gcc-25330", "gcc-25330", 1.2, 2, 21, 1.0, 2),
    ("gcc-3584", "gcc-3584", 1.8, 4, 19, 3.0, 3),
    ("gcc-21334", "gcc-21334", 6.4, 1, 244, 2.0, 2),
    ("gcc-40518", "gcc-40518", 1.4, 2, 27, 2.0, 4),
    ("transmission-1.42", "transmission-1.42", 1.2, 2, 8, 1.5, 2),
    ("glib-512624", "glib-512624", 8.7, 17, 32, 1.3, 4),
    ("jetty-1187", "jetty-1187", 1.8, 2, 33, 1.0, 1),
    ("mozilla-61369", "mozilla-61369", 0.8, 1, 5, 1.0, 1),
    ("hash-table", "hash_table", 112.0, 44, 94, 1.4, 4),
    ("list", "list_seq", 13.6, 18, 60, 1.2, 4),
    ("counter-seq", "counter_seq", 1.2, 2, 13, 3.0, 3),
    ("queue", "queue_seq", 7.6, 2, 135, 1.0, 1),
];

/// What a diagnosis came to, with the time for everything.
struct Came {
    json: Value,
    seconds: f64,
}

/// Builds the sample, finds its bug and explains it; `None` if no bug was found.
fn explain(sample: &Sample, folder: &Path) -> Option<Came> {
    let (program, out) = (sample.build(folder), folder.join(format!("{}-out", sample.name)));
    let mut explore = warpath();
    explore
        .args(["explore", "--first", "-q", "--json"])
        .arg(folder.join("explored.json"))
        .arg("--out")
        .arg(&out);
    explore.arg("--").arg(&program).output().unwrap();
    let solver = env::var("WARPATH_BENCH_SOLVER").unwrap_or_else(|_| "yices".to_owned());
    let time = env::var("WARPATH_BENCH_TIME").unwrap_or_else(|_| "60s".to_owned());
    let mut diagnose = warpath();
    diagnose.arg("diagnose").arg(out.join("bug-1.si.toml")).args(["--json", "-", "-q"]);
    diagnose.args(["--solver", &solver, "--time", &time]);
    let begun = Instant::now();
    let output = diagnose.output().unwrap();
    let seconds = begun.elapsed().as_secs_f64();
    Some(Came { json: serde_json::from_slice(&output.stdout).ok()?, seconds })
}

fn main() {
    let samples = samples();
    let folder = tempfile::tempdir().unwrap();
    println!(
        "| program | time | iterations | causes | orderings | per cause | unique | reduction | repairs | thesis: time | iterations | orderings | per cause | unique |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    let (mut times, mut sizes, mut parts) = (Vec::new(), Vec::new(), Vec::new());
    for (name, published, seconds, iterations, raw, size, unique) in PUBLISHED {
        let sample = samples.iter().find(|sample| sample.name == name).unwrap();
        let Some(came) = explain(sample, folder.path()) else {
            println!("| {published} | no cause |");
            continue;
        };
        let json = &came.json;
        let count = |what: &str| json[what].as_array().map_or(0, Vec::len);
        let number = |what: &str| json[what].as_f64().unwrap_or(0.0);
        let complete = if json["complete"] == true { "" } else { " (more)" };
        println!(
            "| {published} | {:.2} s | {} | {}{complete} | {} | {:.1} | {} | {:.1} % | {} | {seconds} s | {iterations} | {raw} | {size} | {unique} |",
            came.seconds,
            json["iterations"],
            count("causes"),
            json["raw_orderings"],
            number("orderings_per_cause"),
            json["unique_orderings"],
            100.0 * number("reduction"),
            count("repairs"),
        );
        times.push(came.seconds);
        sizes.push(number("orderings_per_cause"));
        parts.push(number("reduction"));
    }
    times.sort_by(f64::total_cmp);
    let average = |values: &[f64]| values.iter().sum::<f64>() / values.len().max(1) as f64;
    println!(
        "\nmedian time {:.2} s, average {:.2} s; {:.2} orderings per cause; {:.1} % of the orderings (thesis: 16.01 s, 2.77, 16.8 %)",
        times.get(times.len() / 2).copied().unwrap_or_default(),
        average(&times),
        average(&sizes),
        100.0 * average(&parts),
    );
}
