//! The agent as a whole, beside the plain program: what starting it costs, what recording costs, and how quickly what
//! was recorded becomes a trace. Each ratio is of runs that were made in turn.

#![allow(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a benchmark says what is missing, and its figures"
)]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use warpath_jvm::lift::{LiftOptions, lift};
use warpath_jvm::stream::Reader;
use warpath_trace::header::{Clock, Header, MemoryModel, OrderKind, Values};

/// How often each is run; the median counts.
const TIMES: usize = 5;

/// A program, how much it does, and what the plan calls shared.
struct Workload {
    name: &'static str,
    rounds: &'static str,
    shared: &'static [&'static str],
    policy: &'static str,
}

const WORKLOADS: &[Workload] = &[
    Workload { name: "Fields", rounds: "40", shared: &[], policy: "run-to-block" },
    Workload { name: "Arrays", rounds: "20", shared: &[], policy: "run-to-block" },
    Workload {
        name: "Threads",
        rounds: "100000",
        shared: &["Threads.guarded", "Threads.visible"],
        policy: "run-to-block",
    },
    Workload {
        name: "Threads",
        rounds: "2000",
        shared: &["Threads.guarded", "Threads.visible"],
        policy: "round-robin",
    },
];

struct Bench {
    folder: tempfile::TempDir,
    agent: PathBuf,
}

/// The median, and what came of the last run.
struct Measured {
    time: Duration,
    stream: Vec<u8>,
}

impl Bench {
    fn new() -> Bench {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let agent = here.join("agent/target/warpath-agent.jar");
        assert!(agent.is_file(), "the agent is not built: run `make agent`");
        let folder = tempfile::tempdir().expect("there is room for benchmarks");
        let sources = here.join("benches/workloads");
        let mut javac = Command::new("javac");
        javac.arg("-g").arg("-d").arg(folder.path());
        for name in ["Empty", "Fields", "Arrays", "Threads"] {
            javac.arg(sources.join(format!("{name}.java")));
        }
        let done = javac.status().expect("there is a Java compiler; run scripts/setup");
        assert!(done.success(), "the workloads do not compile");
        Bench { folder, agent }
    }

    /// Runs a program once; with a plan under the agent.
    fn run(&self, name: &str, rounds: &str, plan: Option<&str>) -> (Duration, Vec<u8>) {
        let place = tempfile::tempdir_in(self.folder.path()).expect("there is room for a run");
        let mut java = Command::new("java");
        if let Some(plan) = plan {
            std::fs::write(place.path().join("plan"), plan).expect("the plan can be written");
            java.arg(format!("-javaagent:{}={}", self.agent.display(), place.path().display()));
        }
        java.arg("-cp")
            .arg(self.folder.path())
            .args([name, rounds])
            .stdin(Stdio::null())
            .stdout(Stdio::null());
        let start = Instant::now();
        let status = java.status().expect("there is a JVM; run scripts/setup");
        let time = start.elapsed();
        assert!(status.success(), "{name} {rounds}: {status}");
        let stream = plan.map(|_| std::fs::read(place.path().join("stream")).expect("the agent has written"));
        (time, stream.unwrap_or_default())
    }

    /// Plain and recorded, in turn.
    fn compare(&self, name: &str, rounds: &str, plan: &str) -> (Duration, Measured) {
        let (mut plain, mut recorded, mut stream) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..TIMES {
            plain.push(self.run(name, rounds, None).0);
            let (time, written) = self.run(name, rounds, Some(plan));
            recorded.push(time);
            stream = written;
        }
        (median(plain), Measured { time: median(recorded), stream })
    }
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn records(stream: &[u8]) -> u64 {
    let mut reader = Reader::new(stream).expect("it is a stream");
    let mut count = 0;
    while reader.next_item().expect("the stream is whole").is_some() {
        count += 1;
    }
    count
}

fn lifted(stream: &[u8], values: Values) -> Duration {
    let header = Header {
        program: "java".into(),
        arguments: Vec::new(),
        build_id: Vec::new(),
        tracer: "warpath-jvm".into(),
        tracer_version: env!("CARGO_PKG_VERSION").into(),
        clock: Clock::Virtual,
        order: OrderKind::Total,
        model: MemoryModel::Sc,
        values,
    };
    let options = LiftOptions {
        header,
        max_expressions: 10_000_000,
        fail_on_exit: false,
        shared: None,
        flags: Vec::new(),
    };
    let start = Instant::now();
    let (_, error) = lift(stream, &options).expect("a trace comes of it");
    assert!(error.is_none(), "{error:?}");
    start.elapsed()
}

fn main() {
    let bench = Bench::new();
    let head = "warpath-jvm-plan\t1\nmodel\tsc\nfollow\tstrict\n";
    let (nothing, started) = bench.compare("Empty", "", head);
    let agent = started.time.saturating_sub(nothing);
    println!("start: plain {nothing:.3?}, with the agent {:.3?}: {agent:.3?} more", started.time);
    println!(
        "| | plain s | recorded s | × plain | M events | M events/s | lifted, M events/s | values only |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for load in WORKLOADS {
        let mut plan = format!("{head}policy\t{}\n", load.policy);
        for location in load.shared {
            plan += &format!("shared\t{location}\n");
        }
        let (plain, measured) = bench.compare(load.name, load.rounds, &plan);
        let count = records(&measured.stream) as f64 / 1e6;
        let own = measured.time.saturating_sub(started.time).as_secs_f64();
        let per_second = |time: Duration| count / time.as_secs_f64();
        println!(
            "| {} {}, {} | {:.2} | {:.2} | {:.1} | {count:.2} | {:.2} | {:.2} | {:.2} |",
            load.name,
            load.rounds,
            load.policy,
            plain.as_secs_f64(),
            measured.time.as_secs_f64(),
            measured.time.as_secs_f64() / plain.as_secs_f64(),
            count / own,
            per_second(lifted(&measured.stream, Values::Symbolic)),
            per_second(lifted(&measured.stream, Values::Pinned)),
        );
    }
}
