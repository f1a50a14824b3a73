//! What each strategy takes on sample programs: executions, questions, time.
//!
//! `cargo bench -p warpath --bench explore` prints a table of all samples for `docs/benchmarks.md`; `-- PLOT.svg` also draws the
//! executions of the micro-benchmarks M_n against n. `WARPATH_BENCH_TIME` is the time for one search (default 30s).

#![allow(clippy::unwrap_used, reason = "a benchmark that cannot run has nothing to say")]

mod support;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

use serde_json::Value;

use support::{Sample, samples, warpath};

const STRATEGIES: [&str; 7] = ["forest", "mpc-s2", "mpc-s1", "mcr", "con2colic", "random", "pct"];
const MICRO: [u32; 6] = [0, 1, 3, 5, 7, 9];
/// What the papers report, as they measured it on their machines: paths or executions, and time.
const PUBLISHED: [(&str, &str); 22] = [
    ("m0", "MCR 3, S1 6 (missed), S2 10, 0.79 s"),
    ("m1", "MCR 3, S1 12 (missed), S2 16, 1.55 s"),
    ("m3", "MCR missed, S1 48 (missed), S2 52, 5.43 s"),
    ("m5", "MCR missed, S1 192 (missed), S2 196, 38 s"),
    ("m7", "MCR missed, S1 768 (missed), S2 772, 13 min 50 s"),
    ("m9", "MCR, S1 and S2 missed, one hour"),
    ("racey", "MCR, S1 and S2 432, 18 min 53 s, 4 min 28 s, 7 min 40 s"),
    ("dekker", "MCR 729, 2 min 13 s; MPC 929, 1 min 24 s"),
    ("spinlock", "MCR 363, 15 min 49 s; MPC 522, 1 min 6 s"),
    ("linuxrwlock", "MCR over an hour; MPC 1,910, 35 min 8 s"),
    ("msqueue-5", "MCR over an hour; MPC 539, 4 min 6 s"),
    ("seqlock", "MCR over an hour; MPC 3,877, 13 min 3 s"),
    ("mcr-2", "ICB 77,322, DPOR 3,782, MCR 46 to the error; 50 in all"),
    ("account", "ICB 111, DPOR 20, MCR 2"),
    ("airline", "ICB 669, DPOR 19, MCR 9"),
    ("allocation", "ICB 15, DPOR 8, MCR 2"),
    ("bubblesort", "ICB 592, DPOR 400, MCR 4"),
    ("mtlist", "ICB out of memory, DPOR 5,173, MCR 8"),
    ("pingpong", "ICB 648, DPOR 37, MCR 2"),
    ("pool", "ICB 24, DPOR 6, MCR 3"),
    ("stringbuffer", "ICB 12, DPOR 10, MCR 2"),
    ("addall", "Con2colic: found"),
];

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

impl std::fmt::Display for Took {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.verdict.as_str() {
            "UNKNOWN" => f.write_str("–")?,
            verdict => f.write_str(verdict)?,
        }
        if let Some(first) = self.first {
            write!(f, " {first}/")?;
        } else {
            f.write_str(" ")?;
        }
        let all_of_it = if self.exhausted { "" } else { "+" };
        write!(f, "{}{all_of_it} {}p {}q {} ms", self.executions, self.paths, self.questions, self.millis)
    }
}

fn main() {
    let samples = samples();
    let folder = tempfile::tempdir().unwrap();
    let published: BTreeMap<&str, &str> = PUBLISHED.into_iter().collect();
    let mut all: BTreeMap<(&str, &str), Took> = BTreeMap::new();
    println!("| sample | {} | published |", STRATEGIES.join(" | "));
    println!("|---|{}---|", "---|".repeat(STRATEGIES.len()));
    for sample in &samples {
        let program = sample.build(folder.path());
        print!("| {}", sample.name);
        for strategy in STRATEGIES {
            let took = explore(&program, sample, strategy, folder.path());
            print!(" | {took}");
            all.insert((&sample.name, strategy), took);
        }
        println!(" | {} |", published.get(sample.name.as_str()).unwrap_or(&""));
    }
    if let Some(path) = env::args().skip(1).find(|argument| argument.ends_with(".svg")) {
        fs::write(path, plot(&all)).unwrap();
    }
}

/// Explores a program under the first memory model that the manifest names for it.
fn explore(program: &Path, sample: &Sample, strategy: &str, folder: &Path) -> Took {
    let time = env::var("WARPATH_BENCH_TIME").unwrap_or_else(|_| "30s".to_owned());
    let mut command = warpath();
    command.args(["explore", "-q", "--solver", "yices", "--json", "-", "--time", &time]);
    command.args(["--strategy", strategy, "--model", &sample.expect[0].model]);
    let given = folder.join("given-input");
    sample.give_inputs(&mut command, &given);
    command.arg("--out").arg(folder.join("out")).arg("--").arg(program).args(&sample.args);
    let output = command.stdin(fs::File::open(&given).unwrap()).output().unwrap();
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
