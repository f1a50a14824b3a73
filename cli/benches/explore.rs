//! What each strategy takes on sample programs: executions, questions, time.
//!
//! `cargo bench -p warpath --bench explore` prints a table for `docs/benchmarks.md`; `-- PLOT.svg` also draws the
//! executions of the micro-benchmarks M_n against n. `WARPATH_BENCH_TIME` is the time for one search (default 30s).

#![allow(clippy::unwrap_used, reason = "a benchmark that cannot run has nothing to say")]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

use serde::Deserialize;
use serde_json::Value;

const STRATEGIES: [&str; 7] = ["forest", "mpc-s2", "mpc-s1", "mcr", "con2colic", "random", "pct"];
const MICRO: [u32; 6] = [0, 1, 3, 5, 7, 9];
const OTHERS: [&str; 18] = [
    "mcr-2",
    "mcr-3",
    "mcr-4",
    "mcr-6",
    "mcr-10",
    "fig1",
    "fig6",
    "fig8",
    "addall",
    "bluetooth",
    "account",
    "counter",
    "lazy01",
    "reorder",
    "testc",
    "boop",
    "mysql-169",
    "apachelog",
];

#[derive(Deserialize)]
struct Manifest {
    program: Vec<Sample>,
}

#[derive(Deserialize)]
struct Sample {
    name: String,
    source: PathBuf,
    #[serde(default)]
    flags: Vec<String>,
}

/// What a search took.
struct Took {
    verdict: String,
    first: Option<u64>,
    executions: u64,
    questions: u64,
    paths: u64,
    exhausted: bool,
    millis: u64,
}

fn main() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let samples = repository.join("samples");
    let manifest: Manifest =
        toml::from_str(&fs::read_to_string(samples.join("manifest.toml")).unwrap()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let named: BTreeMap<&str, &Sample> =
        manifest.program.iter().map(|sample| (sample.name.as_str(), sample)).collect();
    let micro: Vec<String> = MICRO.iter().map(|n| format!("m{n}")).collect();
    let names: Vec<&str> = micro.iter().map(String::as_str).chain(OTHERS).collect();
    let mut all: BTreeMap<(&str, &str), Took> = BTreeMap::new();
    println!("| sample | strategy | verdict | executions to the bug | in all | questions | paths | time |");
    println!("|---|---|---|---|---|---|---|---|");
    for name in names {
        let program = build(&samples, named[name], folder.path());
        for strategy in STRATEGIES {
            let took = explore(&program, strategy, folder.path());
            let first = took.first.map_or_else(|| "–".to_owned(), |first| first.to_string());
            let Took { verdict, executions, questions, paths, exhausted, millis, .. } = &took;
            let all_of_it = if *exhausted { "" } else { "+" };
            println!(
                "| {name} | {strategy} | {verdict} | {first} | {executions}{all_of_it} | {questions} | {paths} | {millis} ms |"
            );
            all.insert((name, strategy), took);
        }
    }
    if let Some(path) = env::args().skip(1).find(|argument| argument.ends_with(".svg")) {
        fs::write(path, plot(&all)).unwrap();
    }
}

fn build(samples: &Path, sample: &Sample, folder: &Path) -> PathBuf {
    let program = folder.join(&sample.name);
    let mut compile = Command::new(env!("CARGO_BIN_EXE_warpath"));
    compile.args(["cc", "-std=gnu11", "-g", "-O1", "-pthread"]).args(&sample.flags);
    assert!(compile.arg(samples.join(&sample.source)).arg("-o").arg(&program).status().unwrap().success());
    program
}

fn explore(program: &Path, strategy: &str, folder: &Path) -> Took {
    let time = env::var("WARPATH_BENCH_TIME").unwrap_or_else(|_| "30s".to_owned());
    let mut command = Command::new(env!("CARGO_BIN_EXE_warpath"));
    command.args(["explore", "-q", "--solver", "yices", "--json", "-", "--time", &time]);
    command.args(["--strategy", strategy, "--out"]).arg(folder.join("out")).arg("--").arg(program);
    let output = command.stdin(Stdio::null()).output().unwrap();
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    Took {
        verdict: json["verdict"].as_str().unwrap_or("error").to_owned(),
        first: json["first_bug_execution"].as_u64(),
        executions: json["executions"].as_u64().unwrap_or(0),
        questions: json["queries"]["total"].as_u64().unwrap_or(0),
        paths: json["paths"].as_u64().unwrap_or(0),
        exhausted: json["exhausted"] == true,
        millis: json["time_ms"]["total"].as_u64().unwrap_or(0),
    }
}

/// Executions of M_n against n, on a logarithmic scale: a line for each strategy.
fn plot(all: &BTreeMap<(&str, &str), Took>) -> String {
    const WIDTH: f64 = 560.0;
    const HEIGHT: f64 = 320.0;
    let x = |n: u32| 60.0 + f64::from(n) / 9.0 * WIDTH;
    let y = |executions: u64| 20.0 + HEIGHT - (executions.max(1) as f64).log10() / 4.0 * HEIGHT;
    let mut svg = String::from(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 720 400\" font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"720\" height=\"400\" fill=\"white\"/>\n",
    );
    for power in 0..=4 {
        let at = y(10u64.pow(power));
        let _ = writeln!(
            svg,
            "<path d=\"M60 {at}H620\" stroke=\"#ddd\"/><text x=\"52\" y=\"{}\" text-anchor=\"end\">{}</text>",
            at + 4.0,
            10u64.pow(power)
        );
    }
    for n in MICRO {
        let _ = writeln!(svg, "<text x=\"{}\" y=\"360\" text-anchor=\"middle\">M{n}</text>", x(n));
    }
    let _ = writeln!(
        svg,
        "<text x=\"340\" y=\"385\" text-anchor=\"middle\">executions in all; hollow: the search did not come to its end</text>"
    );
    for (strategy, colour) in [("forest", "#1b7837"), ("mpc-s2", "#2166ac"), ("random", "#b2182b")] {
        let points: Vec<(f64, f64, bool)> = MICRO
            .iter()
            .filter_map(|n| {
                let name = format!("m{n}");
                let (_, took) =
                    all.iter().find(|((sample, used), _)| *sample == name && *used == strategy)?;
                Some((x(*n), y(took.executions), took.exhausted))
            })
            .collect();
        let path: Vec<String> = points.iter().map(|(x, y, _)| format!("{x:.1} {y:.1}")).collect();
        let _ = writeln!(
            svg,
            "<path d=\"M{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>",
            path.join("L")
        );
        for (x, y, whole) in &points {
            let fill = if *whole { colour } else { "white" };
            let _ = writeln!(
                svg,
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"{fill}\" stroke=\"{colour}\"/>"
            );
        }
        if let Some((x, y, _)) = points.last() {
            let _ = writeln!(
                svg,
                "<text x=\"{:.1}\" y=\"{:.1}\" fill=\"{colour}\">{strategy}</text>",
                x + 8.0,
                y + 4.0
            );
        }
    }
    svg + "</svg>\n"
}
