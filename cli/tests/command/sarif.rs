//! `--sarif`: what is written against what SARIF 2.1.0 allows.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::explore::explored;
use crate::native::record;
use crate::run::{Folder, run, warpath};
use crate::samples::named;
use crate::sarif_rules::faults;
use crate::sarif_schema::objections;

#[track_caller]
fn list<'a>(object: &'a Value, name: &str) -> &'a [Value] {
    object[name].as_array().unwrap_or_else(|| panic!("`{name}` is no list in {object}"))
}

/// The thread that a location names: its message begins with it.
fn thread_of(location: &Value) -> &str {
    location["message"]["text"].as_str().and_then(|text| text.split(' ').next()).expect("a thread")
}

/// Every thread that a result is about has a thread flow.
fn all_threads_flow(result: &Value) {
    let related = result.get("relatedLocations").and_then(Value::as_array);
    let places = list(result, "locations").iter().chain(related.into_iter().flatten());
    let [flow] = list(result, "codeFlows") else { panic!("one code flow in {result}") };
    let flowing: Vec<&Value> = list(flow, "threadFlows").iter().map(|flow| &flow["id"]).collect();
    for place in places {
        assert!(flowing.contains(&&thread_of(place).into()), "{} is not in {flowing:?}", thread_of(place));
    }
}

/// Checks a log, by our rules and by the schema, and answers its results.
fn checked(path: &Path) -> Vec<Value> {
    let log: Value = serde_json::from_str(&fs::read_to_string(path).expect("a file")).expect("JSON");
    assert_eq!(faults(&log), Vec::<String>::new());
    assert_eq!(objections(path), Vec::<String>::new());
    let [the_run] = list(&log, "runs") else { panic!("one run") };
    let results = list(the_run, "results");
    results.iter().for_each(all_threads_flow);
    results.to_vec()
}

/// A checker that lets everything pass would make the other tests worthless.
#[test]
fn what_is_wrong_is_noticed() {
    let folder = Folder::new();
    let file = folder.path().join("found.sarif");
    explored(named("fig6"), &folder, &["--sarif", file.to_str().expect("UTF-8")]).expect_code(1);
    let good: Value = serde_json::from_str(&fs::read_to_string(&file).expect("a file")).expect("JSON");
    let damages: [(&str, Value, bool); 12] = [
        ("/version", "2.0.0".into(), true),
        ("/runs/0/tool/driver/name", Value::Null, true),
        ("/runs/0/results/0/level", "fatal".into(), true),
        ("/runs/0/results/0/ruleIndex", 7.into(), false),
        ("/runs/0/results/0/message", serde_json::json!({}), true),
        ("/runs/0/results/0/message/text", "".into(), false),
        ("/runs/0/results/0/locations/0/physicalLocation/region/startLine", 0.into(), true),
        ("/runs/0/results/0/locations/0/physicalLocation/artifactLocation/uri", "a b.c".into(), true),
        ("/runs/0/results/0/codeFlows/0/threadFlows", serde_json::json!([]), true),
        ("/runs/0/results/0/codeFlows/0/threadFlows/0/locations/0/executionOrder", 99.into(), false),
        ("/runs/0/results/0/codeFlows/0/threadFlows/0/locations/0/importance", "very".into(), true),
        ("/runs/0/invocations/0", serde_json::json!({ "executionSuccessful": true, "odd": 1 }), true),
    ];
    for (pointer, value, in_schema) in damages {
        let mut bad = good.clone();
        *bad.pointer_mut(pointer).unwrap_or_else(|| panic!("{pointer} is there")) = value;
        assert_ne!(faults(&bad), Vec::<String>::new(), "{pointer}");
        let path = folder.file("bad.sarif", bad.to_string());
        assert_eq!(!objections(&path).is_empty(), in_schema, "{pointer}");
    }
}

#[test]
fn of_explore() {
    let folder = Folder::new();
    let file = folder.path().join("found.sarif");
    let sarif = ["--sarif", file.to_str().expect("UTF-8")];
    explored(named("m0"), &folder, &sarif).expect_code(1);
    let results = checked(&file);
    assert_eq!(results.len(), 1);
    assert_eq!((&results[0]["ruleId"], &results[0]["level"]), (&"assertion".into(), &"error".into()));
    assert_eq!(results[0]["locations"][0]["physicalLocation"]["region"]["startLine"], 38);
    assert_eq!(results[0]["properties"]["inputs"]["i"], 3);
    assert_eq!(list(&results[0]["codeFlows"][0], "threadFlows").len(), 3);
    explored(named("account"), &folder, &[&["--check", "all"], &sarif[..]].concat()).expect_code(1);
    let kinds: Vec<Value> = checked(&file).iter().map(|result| result["ruleId"].clone()).collect();
    assert!(kinds.contains(&"data-race".into()) && kinds.contains(&"assertion".into()), "{kinds:?}");
    explored(named("deadlock"), &folder, &sarif).expect_code(1);
    assert_eq!(
        checked(&file)[0]["relatedLocations"].as_array().map(Vec::len),
        Some(2),
        "everybody who waits"
    );
    explored(named("fig7"), &folder, &sarif).expect_code(0);
    assert!(checked(&file).is_empty());
}

#[test]
fn of_analyze() {
    let folder = Folder::new();
    let recorded = record(named("fig6"), &folder, "fig6", &[]);
    let file = folder.path().join("found.sarif");
    let mut analyze = warpath();
    analyze
        .arg("analyze")
        .arg(&recorded.trace)
        .args(["--solver", "yices", "--out"])
        .arg(folder.path().join("out"));
    run(analyze.arg("--sarif").arg(&file)).expect_code(1);
    let results = checked(&file);
    assert!(results.iter().all(|result| result["level"] == "warning"), "predicted, not seen");
    let kinds: Vec<&Value> = results.iter().map(|result| &result["ruleId"]).collect();
    assert!(
        kinds.contains(&&"assertion-failure".into()) && kinds.contains(&&"data-race".into()),
        "{kinds:?}"
    );
    let mut both = warpath();
    both.arg("analyze").arg(&recorded.trace).arg("--emit").arg(folder.path()).arg("--sarif").arg(&file);
    run(&mut both).expect_code(2).expect_complaint("nothing for --sarif");
}
