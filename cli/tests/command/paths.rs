//! `warpath explore --strategy mpc-s1` and `mpc-s2`: one run for each path of the whole program.

use serde_json::{Value, json};

use crate::explore::{json, timeless};
use crate::run::Folder;
use crate::samples::named;

/// Verdict, whether everything was explored, and how many paths there are.
fn outcome(json: &Value) -> (&str, bool, u64) {
    (
        json["verdict"].as_str().expect("a verdict"),
        json["exhausted"].as_bool().expect("a Boolean"),
        json["paths"].as_u64().expect("a number"),
    )
}

/// M_n of the paper has 3·2^(n+1) paths, and four more behind a condition that no single run shows to be possible; the
/// crash is on one of these.
fn expect_paths(n: u32) {
    let folder = Folder::new();
    let sample = named(&format!("m{n}"));
    let most = 3 << (n + 1);
    let first = json(sample, &folder, &["--strategy", "mpc-s1"], 3);
    assert_eq!(outcome(&first), ("UNKNOWN", false, most), "{first}");
    assert_eq!(first["bugs"], json!([]), "{first}");
    assert!(first["notes"].to_string().contains("misses paths"), "{first}");
    let second = json(sample, &folder, &["--strategy", "mpc-s2"], 1);
    assert_eq!(outcome(&second), ("BUG", true, most + 4), "{second}");
    let bugs = second["bugs"].as_array().expect("a list");
    assert_eq!((bugs.len(), &bugs[0]["kind"], &bugs[0]["replayed"]), (1, &json!("assertion"), &json!(true)));
    // One run for each path; what a run teaches about the program has all of them made again.
    let new = |json: &Value| json["executions"].as_u64().zip(json["repeated_executions"].as_u64());
    assert_eq!(new(&first).map(|(all, again)| all - again), Some(most), "{first}");
    assert_eq!(new(&second).map(|(all, again)| all - again), Some(most + 4), "{second}");
}

#[test]
fn small_micro_benchmarks_have_as_many_paths_as_in_the_paper() {
    for n in [0, 1, 3, 5] {
        expect_paths(n);
    }
}

#[test]
fn a_large_micro_benchmark_has_as_many_paths_as_in_the_paper() {
    expect_paths(7);
}

#[test]
fn the_figures_have_the_paths_of_the_paper() {
    let folder = Folder::new();
    for (name, code, expected) in
        [("fig1", 1, ("BUG", true, 2)), ("fig7", 0, ("SAFE", true, 3)), ("fig8", 1, ("BUG", true, 4))]
    {
        let searched = json(named(name), &folder, &["--strategy", "mpc-s2"], code);
        assert_eq!(outcome(&searched), expected, "{name}: {searched}");
    }
    // What strategy 1 does not find in Figure 8 is the error.
    let first = json(named("fig8"), &folder, &["--strategy", "mpc-s1"], 3);
    assert_eq!(outcome(&first), ("UNKNOWN", false, 3), "{first}");
}

#[test]
fn strategy_2_is_right_about_other_programs() {
    let folder = Folder::new();
    let samples = [
        ("fig6", 1),
        ("counter", 1),
        ("counter-locked", 0),
        ("lazy01", 1),
        ("lazy01-fixed", 0),
        ("deadlock", 1),
        ("deadlock-ordered", 0),
        ("useafterfree", 1),
        ("semaphore", 0),
        ("barrier", 0),
        // Its assertions do not depend on anything that is followed until other runs share more memory.
        ("allocation-fixed", 0),
    ];
    for (name, code) in samples {
        let searched = json(named(name), &folder, &["--strategy", "mpc-s2"], code);
        let (verdict, exhausted, _) = outcome(&searched);
        assert_eq!(
            (verdict, exhausted),
            (if code == 0 { "SAFE" } else { "BUG" }, true),
            "{name}: {searched}"
        );
    }
    for (model, code) in [("sc", 0), ("tso", 1)] {
        let searched = json(named("sb"), &folder, &["--strategy", "mpc-s2", "--model", model], code);
        assert_eq!(searched["exhausted"], true, "{model}: {searched}");
    }
}

#[test]
fn the_number_of_workers_does_not_change_paths() {
    let folder = Folder::new();
    let with =
        |jobs: &str| timeless(json(named("m2"), &folder, &["--strategy", "mpc-s2", "--jobs", jobs], 1));
    assert_eq!(with("1"), with("2"));
}

#[test]
fn an_enumeration_of_paths_can_be_bounded() {
    let folder = Folder::new();
    let searched = json(named("m2"), &folder, &["--strategy", "mpc-s2", "--max-executions", "9"], 3);
    assert_eq!((&searched["verdict"], &searched["executions"]), (&json!("UNKNOWN"), &json!(9)), "{searched}");
    assert_eq!(searched["bounds_hit"], json!(["9 executions (--max-executions)"]), "{searched}");
}
