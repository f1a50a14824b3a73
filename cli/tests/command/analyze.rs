//! `warpath analyze`: predictions from recorded runs.

use std::fs;

use crate::json_doc;
use crate::run::{Folder, repository, run, warpath};

/// Figure 6 of the MPC paper: `r1 = x; r2 = x; assert(r1 + r2 < 2)` against `x = 1`. The recorded run passes.
#[test]
fn a_violation_is_predicted_from_one_passing_run() {
    let folder = Folder::new();
    let out = folder.path().join("out");
    let trace = repository().join("samples/traces/fig6.wpt.txt");
    let analyze = |arguments: &[&str]| {
        run(warpath()
            .arg("analyze")
            .arg(&trace)
            .args(["--solver", "yices", "--out"])
            .arg(&out)
            .args(arguments))
    };
    let ran = analyze(&["--check", "assertion"]);
    ran.expect_code(1);
    assert!(ran.stdout.contains("PREDICTED assertion failure"), "{}", ran.stdout);
    assert!(ran.stdout.contains("w x @fig6.c:3"), "the interleaving is shown: {}", ran.stdout);
    let si = fs::read_to_string(out.join("assertion-failure-1.si.toml")).expect("the SI file is there");
    let schedule = warpath_trace::si::Si::parse(&si).expect("the SI file is good").schedule;
    let steps: Vec<String> = schedule.iter().map(ToString::to_string).collect();
    let at = |step: &str| {
        steps.iter().position(|known| known == step).unwrap_or_else(|| panic!("{step}: {steps:?}"))
    };
    assert!(at("T0.1 w x @fig6.c:3") < at("T0.0 r x @fig6.c:1"), "both reads see the write: {steps:?}");

    let json = analyze(&["--json", "-"]).expect_code(1).json();
    assert_eq!(json["verdict"], "PREDICTED");
    let kinds: Vec<&str> =
        json["findings"].as_array().expect("a list").iter().filter_map(|f| f["kind"].as_str()).collect();
    assert!(kinds.contains(&"data race"), "{kinds:?}");
    json_doc::check("warpath.analyze/1", &[json]);
}

#[test]
fn a_lock_order_deadlock_is_predicted_from_a_passing_run() {
    let folder = Folder::new();
    let trace = repository().join("samples/traces/deadlock.wpt.txt");
    let ran = run(warpath()
        .arg("analyze")
        .arg(&trace)
        .args(["--solver", "z3", "--check", "deadlock", "--out"])
        .arg(folder.path()));
    ran.expect_code(1);
    assert!(ran.stdout.contains("PREDICTED deadlock"), "{}", ran.stdout);
}

#[test]
fn no_finding_is_said_plainly() {
    let folder = Folder::new();
    let trace = repository().join("samples/traces/condition.wpt.txt");
    let ran = run(warpath()
        .arg("analyze")
        .arg(&trace)
        .args(["--solver", "yices", "--check", "assertion,race", "--out"])
        .arg(folder.path()));
    ran.expect_code(0);
    assert!(ran.stdout.contains("race            none"), "{}", ran.stdout);
}

#[test]
fn scripts_solved_elsewhere_become_schedules() {
    let folder = Folder::new();
    let (queries, out) = (folder.path().join("queries"), folder.path().join("out"));
    let trace = repository().join("samples/traces/fig2.wpt.txt");
    run(warpath().arg("analyze").arg(&trace).arg("--emit").arg(&queries)).expect_code(0);
    let apply = || run(warpath().arg("apply").arg(&queries).arg("--out").arg(&out).args(["--json", "-"]));
    let unanswered = apply();
    unanswered.expect_code(3);
    run(warpath().arg("solve").arg(&queries).args(["--solver", "cvc5"])).expect_code(0);
    let json = apply().expect_code(1).json();
    let made: Vec<&str> =
        json["scripts"].as_array().expect("a list").iter().filter_map(|s| s["si"].as_str()).collect();
    assert_eq!(made.len(), 2, "two of the three questions are sat: {json}");
    let si = fs::read_to_string(out.join("fig2-T0.0-4.si.toml")).expect("the SI file is there");
    let si = warpath_trace::si::Si::parse(&si).expect("the SI file is good");
    let i = si.inputs.iter().find(|input| input.name == "i").expect("the input is there");
    assert_eq!(i.value, 3);
    json_doc::check("warpath.apply/1", &[json]);

    // An answer that was tampered with is noticed.
    let answer = queries.join("fig2-T0.0-4.answer");
    let text = fs::read_to_string(&answer).expect("the answer is there");
    fs::write(&answer, text.replace("#x00000003", "#x00000004")).expect("it can be written");
    apply().expect_code(2).expect_complaint("do not satisfy the script");
}
