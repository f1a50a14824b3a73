//! `warpath explore --strategy`: what each way of choosing runs finds, what it knows in the end, and its bounds.

use serde_json::{Value, json};

use crate::explore::{json, timeless};
use crate::run::Folder;
use crate::samples::named;

/// What a search came to.
fn verdict(json: &Value) -> (&str, bool) {
    (json["verdict"].as_str().expect("a verdict"), json["exhausted"].as_bool().expect("a Boolean"))
}

#[test]
fn mcr_sees_every_value_of_every_read() {
    let folder = Folder::new();
    let searched = json(named("mcr-2"), &folder, &["--strategy", "mcr"], 1);
    assert_eq!(verdict(&searched), ("BUG", true), "{searched}");
    // Counted by a program that takes all interleavings: different events of each thread, a read being another one
    // where the thread found something else before; assertions and failures included.
    let events = &searched["coverage"]["threads"];
    assert_eq!([&events["T0.0"], &events["T0.1"], &events["T0.2"]], [10, 46, 57], "{searched}");
    // There are 99 combinations of what the threads find in runs that do not fail.
    assert!(
        searched["paths"].as_u64().is_some_and(|paths| (30..=99 + 5 * 46).contains(&paths)),
        "{searched}"
    );
    let forest = json(named("mcr-2"), &folder, &[], 1);
    assert!(searched["executions"].as_u64() > forest["executions"].as_u64(), "{searched} {forest}");
}

#[test]
fn mcr_leaves_inputs_as_they_are_and_says_so() {
    let folder = Folder::new();
    for name in ["m0", "addall"] {
        let searched = json(named(name), &folder, &["--strategy", "mcr"], 3);
        assert_eq!(verdict(&searched), ("UNKNOWN", false), "{searched}");
        assert_eq!(
            searched["bounds_hit"],
            json!(["the inputs of a plain run (--strategy mcr)"]),
            "{searched}"
        );
        assert_eq!((&searched["notes"], &searched["open_ends"]), (&json!([]), &json!(0)), "{searched}");
    }
}

#[test]
fn mcr_knows_memory_models() {
    let folder = Folder::new();
    for (model, code, expected) in [("sc", 0, "SAFE"), ("tso", 1, "BUG"), ("pso", 1, "BUG")] {
        let searched = json(named("sb"), &folder, &["--strategy", "mcr", "--model", model], code);
        assert_eq!(verdict(&searched), (expected, true), "{model}: {searched}");
    }
}

#[test]
fn con2colic_finds_a_bug_with_the_interferences_that_it_needs() {
    let folder = Folder::new();
    let searched = json(named("fig9"), &folder, &["--strategy", "con2colic"], 1);
    assert_eq!(verdict(&searched), ("BUG", true), "{searched}");
    assert_eq!(searched["bugs"][0]["interferences"], 3, "{searched}");
    for strategy in ["con2colic", "forest"] {
        let options = ["--strategy", strategy, "--max-interferences"];
        let few = json(named("fig9"), &folder, &[&options[..], &["2"]].concat(), 3);
        assert_eq!(verdict(&few), ("UNKNOWN", false), "{few}");
        assert_eq!(few["bounds_hit"], json!(["2 interferences (--max-interferences)"]), "{few}");
        let enough = json(named("fig9"), &folder, &[&options[..], &["3"]].concat(), 1);
        assert_eq!(enough["bugs"].as_array().map(Vec::len), Some(1), "{enough}");
    }
}

#[test]
fn bounds_that_rule_nothing_out_are_not_named() {
    let folder = Folder::new();
    for bound in ["--max-interferences", "--max-preemptions"] {
        let searched = json(named("counter-locked"), &folder, &[bound, "50"], 0);
        assert_eq!(verdict(&searched), ("SAFE", true), "{searched}");
        assert_eq!(searched["bounds_hit"], json!([]), "{searched}");
    }
    let searched = json(named("counter-locked"), &folder, &["--strategy", "con2colic"], 0);
    assert_eq!(verdict(&searched), ("SAFE", true), "{searched}");
}

#[test]
fn an_update_is_lost_with_one_preemption_and_not_without() {
    let folder = Folder::new();
    let none = json(named("account"), &folder, &["--max-preemptions", "0"], 3);
    assert_eq!(verdict(&none), ("UNKNOWN", false), "{none}");
    assert_eq!(none["bounds_hit"], json!(["0 preemptions (--max-preemptions)"]), "{none}");
    let one = json(named("account"), &folder, &["--max-preemptions", "1"], 1);
    assert_eq!(verdict(&one), ("BUG", true), "{one}");
    assert_eq!(one["bounds_hit"], json!([]), "{one}");
}

#[test]
fn random_runs_find_bugs_by_luck_and_never_know_that_nothing_is_left() {
    let folder = Folder::new();
    for strategy in ["random", "pct"] {
        let options = ["--strategy", strategy, "--max-executions", "200"];
        let found = json(named("account"), &folder, &options, 1);
        assert_eq!(verdict(&found), ("BUG", false), "{found}");
        assert_eq!(found["queries"]["total"], 0, "{found}");
        let correct = json(named("counter-locked"), &folder, &options, 3);
        assert_eq!(verdict(&correct), ("UNKNOWN", false), "{correct}");
        assert_eq!(correct["bounds_hit"], json!(["200 executions (--max-executions)"]), "{correct}");
    }
}

/// The error takes values that no plain run has, so the inputs must be drawn, too.
#[test]
fn random_runs_have_random_inputs() {
    let folder = Folder::new();
    let options = ["--strategy", "random", "--max-executions", "400", "--first"];
    let found = json(named("addall"), &folder, &options, 1);
    let count = found["bugs"][0]["inputs"]["count"].as_u64().expect("an input");
    assert!((4..=8).contains(&count), "{found}");
}

#[test]
fn the_number_of_workers_changes_no_strategy() {
    let folder = Folder::new();
    for strategy in ["mcr", "con2colic", "random", "pct"] {
        let options = ["--strategy", strategy, "--max-executions", "60", "--seed", "7", "--jobs"];
        let one = json(named("account"), &folder, &[&options[..], &["1"]].concat(), 1);
        let two = json(named("account"), &folder, &[&options[..], &["2"]].concat(), 1);
        assert_eq!(timeless(one), timeless(two), "{strategy}");
    }
}

#[test]
fn seeds_decide_what_is_random() {
    let folder = Folder::new();
    let runs = |seed| {
        let options = ["--strategy", "random", "--max-executions", "40", "--seed", seed];
        timeless(json(named("account"), &folder, &options, 1))
    };
    assert_eq!(runs("1"), runs("1"));
    let firsts: std::collections::BTreeSet<u64> = ["1", "2", "3", "4", "5", "6"]
        .into_iter()
        .filter_map(|seed| runs(seed)["first_bug_execution"].as_u64())
        .collect();
    assert!(firsts.len() > 1, "every seed finds it in the same run: {firsts:?}");
}
