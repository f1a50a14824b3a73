//! Every sample program is explored: the verdict is the manifest's, under each memory model that it names.

use std::sync::atomic::AtomicUsize;

use serde_json::Value;

use crate::native::run_with_input;
use crate::run::{Folder, run, warpath};
use crate::samples::{Expectation, Sample, expect_of_each, is_nightly, named};

/// The next sample that nobody has taken.
static NEXT: AtomicUsize = AtomicUsize::new(0);

/// With which solver and how many workers.
type Way = (&'static str, &'static str);

/// The one way of every run of the tests, and those that the nightly run has beside it.
const WAY: Way = ("yices", "1");
const OTHERS: [Way; 3] = [("yices", "2"), ("z3", "1"), ("cvc5", "2")];

/// What is wrong with the verdicts about a sample.
fn check_all(sample: &Sample) -> Vec<String> {
    let mut wrong = Vec::new();
    for expected in sample.expect.iter().filter(|expected| is_nightly() || !expected.long) {
        wrong.extend(check(sample, expected, WAY));
        // What is long with the quickest way is not tried with the others.
        if is_nightly() && !expected.long {
            wrong.extend(OTHERS.into_iter().filter_map(|way| check(sample, expected, way)));
        }
    }
    wrong
}

/// What is wrong with the verdict about a sample.
fn check(sample: &Sample, expected: &Expectation, (solver, jobs): Way) -> Option<String> {
    let folder = Folder::new();
    let mut options: Vec<String> =
        ["--model", &expected.model, "--json", "-", "--solver", solver, "--jobs", jobs]
            .map(str::to_owned)
            .into();
    let (symbolic, input) = sample.symbolic();
    options.extend(symbolic);
    // That a correct program is safe is known at the end; of a bug the first sight is enough.
    if expected.verdict == "bug" {
        options.push("--first".into());
    }
    // A slow solver is told from a wrong one by what it says.
    if let Some(bound) = expected.bound.as_deref().or((solver, jobs).ne(&WAY).then_some("2m")) {
        options.extend(["--time".into(), bound.to_owned()]);
    }
    let mut command = warpath();
    command.args(["explore", "--out"]).arg(folder.path().join("out"));
    command.args(options).arg("--").arg(sample.program());
    let json = run_with_input(command.args(&sample.args), &input).json();
    let told = |what: &str| {
        Some(format!("{} under {}, {solver}, {jobs} jobs: {what}: {json}", sample.name, expected.model))
    };
    let bugs: &[Value] = json["bugs"].as_array().map_or(&[], |bugs| bugs);
    match expected.verdict.as_str() {
        "safe" if json["verdict"] == "BUG" => told("has no bug"),
        "safe" if json["verdict"] != "SAFE" && expected.bound.is_none() => told("is safe"),
        "bug" if json["verdict"] != "BUG" => told("has a bug"),
        "bug" if !bugs.iter().all(|bug| bug["replayed"] == true) => told("a bug was not replayed"),
        "bug" if !bugs.iter().any(|bug| shows_at(bug, expected)) => told("its bug is elsewhere"),
        _ => None,
    }
}

/// Does the bug show at a place of the manifest, or does a thread of a deadlock wait there?
fn shows_at(bug: &Value, expected: &Expectation) -> bool {
    let waits = bug["waits"].as_array().into_iter().flatten();
    let places: Vec<&str> =
        waits.map(|wait| &wait["where"]).chain([&bug["where"]]).filter_map(Value::as_str).collect();
    let at = |line: u32| places.iter().any(|place| place.split(':').nth(1) == Some(&line.to_string()));
    expected.places.is_empty() || expected.places.iter().any(|place| at(place.line))
}

const RULE: &str = "the verdict is the manifest's";

#[test]
fn samples_have_the_verdicts_of_the_manifest() {
    expect_of_each(&NEXT, RULE, check_all);
}

#[test]
fn samples_have_the_verdicts_of_the_manifest_too() {
    expect_of_each(&NEXT, RULE, check_all);
}

#[test]
fn every_solver_leads_to_the_same_verdict() {
    for (name, verdict) in
        [("m0", "BUG"), ("fig7", "SAFE"), ("bluetooth", "BUG"), ("deadlock-ordered", "SAFE")]
    {
        for solver in ["yices", "z3", "cvc5"] {
            let folder = Folder::new();
            let mut command = warpath();
            command
                .args(["explore", "--json", "-", "--solver", solver, "--out"])
                .arg(folder.path().join("out"));
            let json = run(command.arg("--").arg(named(name).program())).json();
            assert_eq!(
                (&json["verdict"], &json["exhausted"]),
                (&verdict.into(), &true.into()),
                "{solver}: {json}"
            );
        }
    }
}
