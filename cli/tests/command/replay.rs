//! `warpath replay`: every schedule leads to the run that it was made of.

use std::fs;
use std::path::Path;

use warpath_trace::si::Si;

use crate::json_doc;
use crate::native::{record, replay, run_with_input, show};
use crate::run::{Folder, run, warpath};
use crate::samples::{Sample, all, named};

/// Records, replays the run's own schedule, and compares the traces byte for byte.
#[track_caller]
fn comes_back(sample: &Sample, folder: &Folder, options: &[&str]) {
    let recorded = record(sample, folder, "run", options);
    let failed = recorded.ran.code == Some(1);
    assert!(failed || recorded.ran.code == Some(0), "{} {options:?}: {:?}", sample.name, recorded.ran);
    let again = folder.path().join("again.wpt");
    let replayed = replay(&recorded.si, &again, sample);
    assert_eq!(replayed.code, recorded.ran.code, "{} {options:?}: {replayed:?}", sample.name);
    let read = |path: &Path| fs::read(path).expect("the trace is there");
    if read(&recorded.trace) != read(&again) {
        let (one, two) = (show(&recorded.trace), show(&again));
        let differ = one.lines().zip(two.lines()).find(|(one, two)| one != two);
        panic!("{} {options:?} did not come back: {differ:?}", sample.name);
    }
}

#[test]
fn every_sample_comes_back() {
    let folder = Folder::new();
    for sample in all() {
        comes_back(sample, &folder, &[]);
        comes_back(sample, &folder, &["--schedule", "round-robin"]);
    }
}

#[test]
fn random_schedules_come_back() {
    let folder = Folder::new();
    for name in [
        "fig6",
        "account",
        "deadlock",
        "peterson",
        "lostwakeup",
        "barrier",
        "rwlock",
        "atomics-broken",
        "tickets",
    ] {
        for seed in 0..20 {
            comes_back(named(name), &folder, &["--schedule", "random", "--seed", &seed.to_string()]);
        }
    }
}

#[test]
fn weak_memory_comes_back() {
    let folder = Folder::new();
    for name in ["sb", "peterson", "dekker", "publish", "flags"] {
        for model in ["tso", "pso"] {
            for seed in 0..5 {
                let seed = seed.to_string();
                comes_back(
                    named(name),
                    &folder,
                    &["--model", model, "--schedule", "random", "--seed", &seed],
                );
            }
        }
    }
}

#[test]
fn inputs_come_back() {
    let folder = Folder::new();
    comes_back(named("m0"), &folder, &["--input", "i=3", "--input", "j=2"]);
    comes_back(named("stdin"), &folder, &["--symbolic", "stdin:4"]);
    comes_back(named("argv"), &folder, &["--symbolic", "arg:1"]);
    comes_back(
        named("fig6"),
        &folder,
        &["--symbolic", "time", "--symbolic", "rand", "--symbolic", "env:PATH"],
    );
}

#[test]
fn a_hundred_times_out_of_a_hundred_and_in_another_environment() {
    let folder = Folder::new();
    let recorded = record(named("account"), &folder, "run", &["--schedule", "random", "--seed", "1"]);
    recorded.ran.expect_code(1);
    let again = run(warpath().arg("replay").arg(&recorded.si).args(["--times", "100"]));
    again.expect_code(1);
    assert!(again.stdout.contains("100 of 100 runs were the same"), "{}", again.stdout);
    let elsewhere = folder.path().join("elsewhere.wpt");
    let mut command = warpath();
    command.arg("replay").arg(&recorded.si).arg("--trace").arg(&elsewhere);
    command.env("ANOTHER_VARIABLE", "of some length").env_remove("HOME");
    run(&mut command).expect_code(1);
    assert_eq!(fs::read(&elsewhere).expect("a trace"), fs::read(&recorded.trace).expect("a trace"));
}

/// The circle that the product is: a passing run, a prediction, the failure itself.
#[test]
fn what_is_predicted_from_a_passing_run_is_reproduced() {
    let folder = Folder::new();
    for (name, kind) in [
        ("fig6", "assertion failure"),
        ("fig6", "data race"),
        ("deadlock", "deadlock"),
        ("account", "data race"),
        ("account", "atomicity violation"),
        ("m0", "data race"),
    ] {
        let recorded = record(named(name), &folder, name, &[]);
        recorded.ran.expect_code(0);
        let out = folder.path().join(format!("{name}-out"));
        let mut analyze = warpath();
        analyze
            .arg("analyze")
            .arg(&recorded.trace)
            .args(["--solver", "yices", "--json", "-", "--out"])
            .arg(&out);
        let json = run(&mut analyze).expect_code(1).json();
        let findings = json["findings"].as_array().expect("a list").iter();
        let of_kind: Vec<_> = findings.filter(|finding| finding["kind"] == kind).collect();
        assert!(!of_kind.is_empty(), "{name}: no {kind} in {json}");
        for finding in of_kind {
            let si = finding["si"].as_str().expect("a file");
            let replayed = run(warpath().arg("replay").arg(si));
            replayed.expect_code(1);
            assert!(replayed.stdout.starts_with("REPRODUCED"), "{name} {si}: {}", replayed.stdout);
        }
    }
}

/// The schedule of a sample's failing run, with lines changed by hand.
fn edited(folder: &Folder, edit: impl FnOnce(&mut Si)) -> std::path::PathBuf {
    let recorded = record(named("fig6"), folder, "run", &["--schedule", "random", "--seed", "1"]);
    let text = fs::read_to_string(&recorded.si).expect("the SI file is there");
    let mut si = Si::parse(&text).expect("the SI file is good");
    edit(&mut si);
    folder.file("edited.si.toml", si.print().expect("it can be written"))
}

#[test]
fn a_divergence_has_both_sides_and_lenient_goes_on() {
    let folder = Folder::new();
    let si = edited(&folder, |si| {
        let at =
            si.schedule.iter().position(|step| step.to_string().starts_with("T0.0 r x")).expect("a read");
        si.schedule[at] = "T0.0 w y @fig6.c:9".parse().expect("a step");
    });
    let diverged = run(warpath().arg("replay").arg(&si));
    diverged.expect_code(3);
    assert!(diverged.stdout.contains("schedule: T0.0 w y @fig6.c:9"), "{}", diverged.stdout);
    assert!(diverged.stdout.contains("program:  T0.0 is about to do `r x @"), "{}", diverged.stdout);
    let lenient = run(warpath().arg("replay").arg(&si).arg("--lenient"));
    assert!(lenient.stdout.contains("could not be taken and were left out"), "{}", lenient.stdout);
}

#[test]
fn a_schedule_by_hand_needs_no_more_than_what_matters() {
    let folder = Folder::new();
    let si = edited(&folder, |si| {
        si.shared.clear();
        let steps = ["T0 fork", "T0 fork", "T0.1 begin", "T0.1 w x", "T0.0 begin", "T0.0 *2"];
        si.schedule = steps.iter().map(|step| step.parse().expect("a step")).collect();
    });
    let ran = run(warpath().arg("replay").arg(&si));
    ran.expect_code(1);
    assert!(ran.stdout.contains("REPRODUCED assertion"), "{}", ran.stdout);
}

#[test]
fn what_was_expected_is_checked() {
    let folder = Folder::new();
    let si = edited(&folder, |si| si.expect.outcome = "segfault".into());
    let otherwise = run(warpath().arg("replay").arg(&si));
    otherwise.expect_code(1);
    assert!(otherwise.stdout.contains("FAILED OTHERWISE assertion"), "{}", otherwise.stdout);
    assert!(otherwise.stdout.contains("the SI file expects `segfault`"), "{}", otherwise.stdout);
    let si = edited(&folder, |si| si.program.build_id = "00ff".into());
    run(warpath().arg("replay").arg(&si)).expect_code(1).expect_complaint("another build (build id 00ff");
    let si = edited(&folder, |si| si.program.path.clear());
    run(warpath().arg("replay").arg(&si)).expect_code(2).expect_complaint("names no program");
    let si = folder
        .file("broken.si.toml", "format = \"warpath.si/1\"\nmodel = \"sc\"\nschedule = [\"nonsense\"]\n");
    run(warpath().arg("replay").arg(&si)).expect_code(2).expect_complaint("is not a step of a schedule");
    // A program that is right under the same schedule.
    let si = edited(&folder, |si| si.schedule.clear());
    let passed = run(warpath().arg("replay").arg(&si));
    passed.expect_code(0);
    assert!(passed.stdout.contains("NOT REPRODUCED"), "{}", passed.stdout);
}

#[test]
fn json() {
    let folder = Folder::new();
    let trace = folder.path().join("again.wpt");
    let json = |si: &Path, code: i32| {
        let mut command = warpath();
        command.arg("replay").arg(si).args(["--json", "-", "--trace"]).arg(&trace);
        run_with_input(&mut command, b"").expect_code(code).json()
    };
    let reproduced = json(&edited(&folder, |_| ()), 1);
    assert_eq!(reproduced["verdict"], "reproduced");
    let diverged = json(&edited(&folder, |si| si.schedule[1] = "T0 w y".parse().expect("a step")), 3);
    assert_eq!(diverged["verdict"], "diverged");
    assert_eq!(diverged["divergence"]["step"], 2);
    let otherwise = json(&edited(&folder, |si| si.expect.outcome = "deadlock".into()), 1);
    assert_eq!(otherwise["verdict"], "otherwise");
    let recorded = record(named("deadlock"), &folder, "deadlock", &["--schedule", "random", "--seed", "1"]);
    let deadlock = json(&recorded.si, 1);
    json_doc::check("warpath.replay/1", &[reproduced, diverged, otherwise, deadlock]);
}
