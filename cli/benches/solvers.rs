//! What solvers take for the questions that searches ask, and to start.
//!
//! `cargo bench -p warpath --bench solvers` explores every sample with each solver of `WARPATH_BENCH_SOLVERS` (default
//! `warpath,yices,z3`), one worker, and adds up the time that its questions took; `-- PLOT.svg` also draws it. Each solver
//! is asked in the way that suits it best, and its answers lead to other runs, so the number of questions differs a
//! little; only samples that every one of them brings to an end within `WARPATH_BENCH_TIME` (default 20s) count in the
//! sums, and the others are listed.

#![allow(clippy::unwrap_used, reason = "a benchmark that cannot run has nothing to say")]

mod support;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs};

use serde_json::Value;

use support::{Sample, samples, warpath};

/// How often each solver is started.
const STARTS: usize = 41;
const COLOURS: [&str; 5] = ["#1b7837", "#2166ac", "#b2182b", "#762a83", "#e08214"];

/// What one search took of a solver.
struct Took {
    verdict: String,
    /// It came to its end.
    ended: bool,
    questions: u64,
    solve_ms: f64,
    total_ms: f64,
}

fn main() {
    let solvers = env::var("WARPATH_BENCH_SOLVERS").unwrap_or_else(|_| "warpath,yices,z3".to_owned());
    let solvers: Vec<&str> = solvers.split(',').map(str::trim).collect();
    let only = env::var("WARPATH_BENCH_SAMPLES").unwrap_or_default();
    let only: Vec<&str> = only.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
    starts(&solvers);
    let folder = tempfile::tempdir().unwrap();
    let mut all: BTreeMap<String, Vec<Took>> = BTreeMap::new();
    for sample in samples().iter().filter(|sample| only.is_empty() || only.contains(&&*sample.name)) {
        let program = sample.build(folder.path());
        for model in sample.expect.iter().map(|expect| &expect.model) {
            let took: Vec<Took> = solvers
                .iter()
                .map(|solver| explore(&program, sample, model, solver, folder.path()))
                .collect();
            let verdicts: Vec<&str> =
                took.iter().filter(|took| took.ended).map(|took| &*took.verdict).collect();
            assert!(
                verdicts.windows(2).all(|pair| pair[0] == pair[1]),
                "{} {model}: {verdicts:?}",
                sample.name
            );
            all.insert(format!("{} {model}", sample.name), took);
        }
    }
    report(&solvers, &all);
    if let Some(path) = env::args().skip(1).find(|argument| argument.ends_with(".svg")) {
        // Seen from the workspace, whose folder is not the one that benchmarks run in.
        let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        fs::write(workspace.join(path), plot(&solvers, &all)).unwrap();
    }
}

/// From the start of the process to the answer of its first question.
fn starts(solvers: &[&str]) {
    println!("| solver | start to first answer, median of {STARTS} |");
    println!("|---|---|");
    let listed = warpath().args(["solvers", "list", "--json", "-"]).output().unwrap();
    let listed: Value = serde_json::from_slice(&listed.stdout).unwrap();
    for &solver in solvers {
        let found = listed["solvers"].as_array().unwrap().iter().find(|entry| entry["name"] == solver);
        let program = found.and_then(|entry| entry["program"].as_str()).expect("run scripts/setup");
        let arguments: &[&str] = match solver {
            "warpath" => &["smt"],
            "z3" => &["-in", "-smt2"],
            "cvc5" => &["--incremental", "--lang=smt2"],
            "yices" => &["--incremental"],
            _ => &[],
        };
        let mut times: Vec<Duration> = (0..STARTS).map(|_| start(program, arguments)).collect();
        times.sort_unstable();
        println!("| {solver} | {:.2} ms |", times[STARTS / 2].as_secs_f64() * 1e3);
    }
    println!();
}

fn start(program: &str, arguments: &[&str]) -> Duration {
    let begun = Instant::now();
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let question = b"(set-logic QF_BV)\n(declare-const p Bool)\n(assert p)\n(check-sat)\n(exit)\n";
    child.stdin.take().unwrap().write_all(question).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.stdout.starts_with(b"sat"), "{program}: {}", String::from_utf8_lossy(&output.stdout));
    begun.elapsed()
}

fn explore(program: &Path, sample: &Sample, model: &str, solver: &str, folder: &Path) -> Took {
    let time = env::var("WARPATH_BENCH_TIME").unwrap_or_else(|_| "20s".to_owned());
    let mut command = warpath();
    command.args(["explore", "-q", "--solver", solver, "--jobs", "1", "--json", "-", "--time", &time]);
    command.args(["--model", model]);
    let given = folder.join("given-input");
    sample.give_inputs(&mut command, &given);
    command.arg("--out").arg(folder.join("out")).arg("--").arg(program).args(&sample.args);
    let output = command.stdin(fs::File::open(&given).unwrap()).output().unwrap();
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    Took {
        verdict: json["verdict"].as_str().unwrap_or("error").to_owned(),
        ended: json["exhausted"] == true,
        questions: json["queries"]["total"].as_u64().unwrap_or(0),
        solve_ms: json["time_ms"]["solve"].as_f64().unwrap_or(0.0),
        total_ms: json["time_ms"]["total"].as_f64().unwrap_or(0.0),
    }
}

fn report(solvers: &[&str], all: &BTreeMap<String, Vec<Took>>) {
    let ended: Vec<(&String, &Vec<Took>)> =
        all.iter().filter(|(_, took)| took.iter().all(|took| took.ended)).collect();
    let sum =
        |nth: usize, of: &dyn Fn(&Took) -> f64| -> f64 { ended.iter().map(|(_, took)| of(&took[nth])).sum() };
    let ours = sum(0, &|took| took.solve_ms);
    println!("{} searches, of which all solvers brought {} to their end.\n", all.len(), ended.len());
    println!(
        "| solver | questions | solving, s | against {} | milliseconds a question | whole search, s | not ended |",
        solvers[0]
    );
    println!("|---|---|---|---|---|---|---|");
    for (nth, solver) in solvers.iter().enumerate() {
        let (questions, solving) = (sum(nth, &|took| took.questions as f64), sum(nth, &|took| took.solve_ms));
        println!(
            "| {solver} | {questions} | {:.2} | ×{:.2} | {:.2} | {:.2} | {} |",
            solving / 1e3,
            solving / ours,
            solving / questions.max(1.0),
            sum(nth, &|took| took.total_ms) / 1e3,
            all.values().filter(|took| !took[nth].ended).count(),
        );
    }
    let mut lost: Vec<(f64, &str, Vec<f64>)> = ended
        .iter()
        .map(|(name, took)| {
            let times: Vec<f64> = took.iter().map(|took| took.solve_ms).collect();
            let best = times[1..].iter().copied().fold(f64::INFINITY, f64::min);
            (times[0] - best, name.as_str(), times)
        })
        .collect();
    lost.sort_by(|one, other| other.0.total_cmp(&one.0));
    println!("\nWhere {} loses most, ms:", solvers[0]);
    for (difference, name, times) in lost.iter().take(12).filter(|(difference, ..)| *difference > 0.0) {
        println!("  {name}: {times:.0?} ({difference:.0})");
    }
    println!("\nNot ended by all:");
    for (name, took) in all.iter().filter(|(_, took)| !took.iter().all(|took| took.ended)) {
        let times: Vec<String> = took
            .iter()
            .map(|took| {
                format!("{} {:.0} ms{}", took.verdict, took.solve_ms, if took.ended { "" } else { "+" })
            })
            .collect();
        println!("  {name}: {}", times.join(", "));
    }
}

/// How many searches take at most so long in the solver: a line for each, time on a logarithmic scale.
fn plot(solvers: &[&str], all: &BTreeMap<String, Vec<Took>>) -> String {
    const WIDTH: f64 = 600.0;
    const HEIGHT: f64 = 340.0;
    let x = |nth: usize| 60.0 + nth as f64 / all.len().max(1) as f64 * WIDTH;
    let y = |millis: f64| 20.0 + HEIGHT - millis.max(1.0).log10() / 5.0 * HEIGHT;
    let mut svg = String::from(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 760 420\" font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"760\" height=\"420\" fill=\"white\"/>\n",
    );
    for (power, label) in ["1 ms", "10 ms", "100 ms", "1 s", "10 s", "100 s"].iter().enumerate() {
        let at = y(10f64.powi(power as i32));
        let _ = writeln!(
            svg,
            "<path d=\"M60 {at:.1}H660\" stroke=\"#ddd\"/><text x=\"54\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>",
            at + 4.0
        );
    }
    let _ = writeln!(
        svg,
        "<text x=\"360\" y=\"400\" text-anchor=\"middle\">searches that came to their end, by the time that solving took</text>"
    );
    for (nth, solver) in solvers.iter().enumerate() {
        let mut times: Vec<f64> =
            all.values().filter(|took| took[nth].ended).map(|took| took[nth].solve_ms).collect();
        times.sort_by(f64::total_cmp);
        let points: Vec<String> = times
            .iter()
            .enumerate()
            .map(|(place, &millis)| format!("{:.1} {:.1}", x(place + 1), y(millis)))
            .collect();
        let colour = COLOURS[nth % COLOURS.len()];
        let _ = writeln!(
            svg,
            "<path d=\"M{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>",
            points.join("L")
        );
        if let Some(&last) = times.last() {
            let _ = writeln!(
                svg,
                "<text x=\"{:.1}\" y=\"{:.1}\" fill=\"{colour}\">{solver}</text>",
                x(times.len()) + 6.0,
                y(last) + 4.0
            );
        }
    }
    svg + "</svg>\n"
}
