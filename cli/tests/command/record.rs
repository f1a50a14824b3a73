//! `warpath record`: traces of the samples, twice the same, and as they should read.

use std::env;
use std::fs;
use std::path::Path;

use crate::json_doc;
use crate::native::{record, run_with_input, show};
use crate::run::{Folder, repository, run, warpath};
use crate::samples::{all, named};

/// Small samples whose whole traces are kept in `samples/golden`. After a wanted change:
/// `WARPATH_BLESS=1 cargo test -p warpath golden`, then look at the difference.
#[test]
fn golden_traces() {
    let folder = Folder::new();
    let cases: [(&str, &str, &[&str]); 7] = [
        ("fig6", "fig6", &[]),
        ("fig6", "fig6-failing", &["--schedule", "random", "--seed", "1"]),
        ("m0", "m0", &["--input", "i=3", "--input", "j=-7"]),
        ("deadlock", "deadlock", &["--schedule", "random", "--seed", "1"]),
        ("account", "account", &[]),
        ("semaphore", "semaphore", &[]),
        ("sb", "sb-tso", &["--model", "tso", "--schedule", "round-robin"]),
    ];
    for (sample, name, options) in cases {
        let recorded = record(named(sample), &folder, name, options);
        let text = without_builds(&show(&recorded.trace));
        let golden = repository().join("samples/golden").join(format!("{name}.wpt.txt"));
        if env::var_os("WARPATH_BLESS").is_some() {
            fs::create_dir_all(golden.parent().expect("a folder")).expect("the folder can be made");
            fs::write(&golden, &text).expect("the golden file can be written");
        }
        let expected = fs::read_to_string(&golden).unwrap_or_default();
        assert!(
            expected == text,
            "the trace of {name} changed; if that is meant, run WARPATH_BLESS=1 cargo test -p warpath golden\n{text}"
        );
    }
}

/// A trace without what another compiler or another folder changes.
fn without_builds(text: &str) -> String {
    let of_builds = ["build-id ", "program ", "tracer "];
    let kept = text.lines().filter(|line| of_builds.iter().all(|start| !line.starts_with(start)));
    let lines = kept.map(|line| {
        let line = line.split_once(" pc 0x").map_or(line, |(before, _)| before);
        // From the folder of the compiler's call on: the file's name is enough.
        match line.split_once(" @") {
            Some((event, place)) if place.contains("samples/") => {
                format!("{event} @{}", place.rsplit('/').next().unwrap_or(place))
            }
            _ => line.to_owned(),
        }
    });
    lines.map(|line| line + "\n").collect()
}

#[test]
fn every_sample_gives_the_same_trace_twice_and_the_trace_is_good() {
    let folder = Folder::new();
    for sample in all() {
        let one = record(sample, &folder, "one", &[]);
        let two = record(sample, &folder, "two", &[]);
        one.ran.expect_code(0);
        let read = |path: &Path| fs::read(path).expect("the trace is there");
        assert_eq!(read(&one.trace), read(&two.trace), "{} was not the same twice", sample.name);
        // Reading checks that it makes sense.
        run(warpath().arg("show").arg(&one.trace).args(["--json", "-"])).expect_code(0);
    }
}

#[test]
fn the_result_says_what_happened_and_what_comes_next() {
    let folder = Folder::new();
    let passed = record(named("fig6"), &folder, "passed", &[]);
    passed.ran.expect_code(0).expect_complaint("ended normally").expect_complaint("next: warpath analyze ");
    assert!(passed.ran.stdout.is_empty(), "standard output is the program's: {}", passed.ran.stdout);
    let failed = record(named("fig6"), &folder, "failed", &["--schedule", "random", "--seed", "1"]);
    failed
        .ran
        .expect_code(1)
        .expect_complaint("FAILED assertion: r1 + r2 < 2")
        .expect_complaint("fig6.c:11:5 T0.0");
    failed.ran.expect_complaint("next: warpath replay ");
    // Quietly, the failure is still a result.
    let quiet = record(named("fig6"), &folder, "quiet", &["-q", "--schedule", "random", "--seed", "1"]);
    assert_eq!(quiet.ran.expect_code(1).stderr.lines().count(), 2, "{}", quiet.ran.stderr);
    let deadlock = record(named("deadlock"), &folder, "deadlock", &["--schedule", "random", "--seed", "1"]);
    deadlock.ran.expect_code(1).expect_complaint("FAILED deadlock");
    deadlock.ran.expect_complaint("T0.0 waits for mutex `right`, held by T0.1");
    deadlock.ran.expect_complaint("T0.1 waits for mutex `left`, held by T0.0");
}

#[test]
fn json() {
    let folder = Folder::new();
    let json = |sample: &str, options: &[&str]| {
        let recorded = record(named(sample), &folder, sample, &[&["--json", "-"], options].concat());
        recorded.ran.json()
    };
    let failed = json("account", &["--schedule", "random", "--seed", "1"]);
    assert_eq!(failed["outcome"], "failed");
    assert_eq!(failed["failure"]["kind"], "assertion");
    assert_eq!(failed["failure"]["thread"], "T0");
    let deadlock = json("deadlock", &["--schedule", "random", "--seed", "1"]);
    assert_eq!(deadlock["failure"]["waits"][1]["thread"], "T0.0");
    let passed = json("m0", &["--input", "i=3", "--values", "pinned"]);
    assert_eq!((&passed["outcome"], &passed["status"]), (&"exited".into(), &0.into()));
    assert_eq!(passed["values"], "pinned");
    assert_eq!(passed["inputs"][0]["value"], "3", "{passed}");
    let cut = json("m0", &["--max-events", "2"]);
    assert_eq!((&cut["outcome"], &cut["stopped"]), (&"stopped".into(), &"events".into()));
    json_doc::check("warpath.record/1", &[failed, deadlock, passed, cut]);
}

#[test]
fn policies_differ_and_each_is_deterministic() {
    let folder = Folder::new();
    let order = |options: &[&str]| {
        let recorded = record(named("account"), &folder, "run", options);
        show(&recorded.trace)
    };
    let policies: [&[&str]; 5] = [
        &["--schedule", "run-to-block"],
        &["--schedule", "round-robin"],
        &["--schedule", "random", "--seed", "1"],
        &["--schedule", "random", "--seed", "2"],
        &["--schedule", "pct", "--seed", "3", "--depth", "2"],
    ];
    let mut seen: Vec<String> = Vec::new();
    for policy in policies {
        let text = order(policy);
        assert_eq!(order(policy), text, "{policy:?}");
        seen.push(text);
    }
    seen.sort();
    seen.dedup();
    assert!(seen.len() >= 4, "the policies give other orders");
}

#[test]
fn inputs_come_from_every_source() {
    let folder = Folder::new();
    let inputs = |sample: &str, options: &[&str]| -> Vec<String> {
        let recorded = record(named(sample), &folder, sample, &[&["--json", "-"], options].concat());
        let json = recorded.ran.json();
        let inputs = json["inputs"].as_array().expect("a list").iter();
        inputs
            .filter_map(|input| Some(format!("{}={}", input["name"].as_str()?, input["value"].as_str()?)))
            .collect()
    };
    assert_eq!(inputs("m0", &["--input", "j=-1"]), ["i=0", "j=4294967295"]);
    let stdin = inputs("stdin", &["--symbolic", "stdin"]);
    let given = &named("stdin").stdin;
    assert_eq!(stdin.len(), given.len().min(64), "{stdin:?} of {given:?}");
    assert!(
        stdin.iter().zip(given.bytes()).all(|(input, byte)| *input == format!("stdin={byte}")),
        "{stdin:?}"
    );
    let argument = inputs("argv", &["--symbolic", "arg:1"]);
    assert_eq!(argument.len(), named("argv").args[0].len(), "{argument:?}");
}

#[test]
fn stdin_is_the_same_in_every_round_and_can_be_a_file() {
    let folder = Folder::new();
    let sample = named("stdin");
    let file = folder.file("input", &sample.stdin);
    let piped = record(sample, &folder, "piped", &["--symbolic", "stdin:8"]);
    let trace = folder.path().join("file.wpt");
    let mut command = warpath();
    command.args(["record", "--symbolic", "stdin:8", "-o"]).arg(&trace).arg("--").arg(sample.program());
    command.stdin(fs::File::open(file).expect("the file opens"));
    run(&mut command).expect_code(0);
    assert_eq!(show(&trace), show(&piped.trace));
}

#[test]
fn a_trace_can_be_text_at_once() {
    let folder = Folder::new();
    let text = folder.path().join("run.wpt.txt");
    let mut command = warpath();
    command.args(["record", "-o"]).arg(&text).arg("--").arg(named("fig6").program());
    run_with_input(&mut command, b"").expect_code(0);
    let read = fs::read_to_string(text).expect("it is text");
    assert!(read.starts_with("warpath-trace 1\n"), "{read}");
}
