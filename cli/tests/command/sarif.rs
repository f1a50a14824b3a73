//! `--sarif`: what is written against what SARIF 2.1.0 allows, object by object, for the part of it that we use.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::explore::explored;
use crate::native::record;
use crate::run::{Folder, run, warpath};
use crate::samples::named;

/// Asserts that an object has all `required` and beyond them only `allowed` fields.
#[track_caller]
fn fields(object: &Value, required: &[&str], allowed: &[&str]) {
    let map = object.as_object().unwrap_or_else(|| panic!("not an object: {object}"));
    for name in required {
        assert!(map.contains_key(*name), "no `{name}` in {object}");
    }
    for name in map.keys() {
        assert!(
            required.contains(&name.as_str()) || allowed.contains(&name.as_str()),
            "`{name}` in {object}"
        );
    }
}

#[track_caller]
fn list<'a>(object: &'a Value, name: &str) -> &'a [Value] {
    object[name].as_array().unwrap_or_else(|| panic!("`{name}` is no list in {object}"))
}

fn text(message: &Value) {
    fields(message, &["text"], &[]);
    assert!(message["text"].as_str().is_some_and(|text| !text.is_empty()), "{message}");
}

fn location(location: &Value) {
    fields(location, &["message"], &["id", "physicalLocation", "logicalLocations"]);
    text(&location["message"]);
    if let Some(physical) = location.get("physicalLocation") {
        fields(physical, &["artifactLocation", "region"], &[]);
        fields(&physical["artifactLocation"], &["uri"], &[]);
        let uri = physical["artifactLocation"]["uri"].as_str().expect("text");
        assert!(!uri.is_empty() && uri.is_ascii() && !uri.contains([' ', '#', '?']), "{uri}");
        fields(&physical["region"], &["startLine"], &["startColumn"]);
        for number in physical["region"].as_object().expect("an object").values() {
            assert!(number.as_u64().is_some_and(|number| number >= 1), "{physical}");
        }
    }
    for logical in location.get("logicalLocations").and_then(Value::as_array).into_iter().flatten() {
        fields(logical, &["fullyQualifiedName"], &[]);
    }
}

fn result(result: &Value, rules: &[Value]) {
    let required = ["ruleId", "ruleIndex", "level", "message", "partialFingerprints", "properties"];
    fields(result, &required, &["locations", "relatedLocations", "codeFlows"]);
    let index = result["ruleIndex"].as_u64().expect("a number") as usize;
    assert_eq!(rules[index]["id"], result["ruleId"]);
    assert!(["none", "note", "warning", "error"].contains(&result["level"].as_str().expect("text")));
    text(&result["message"]);
    let fingerprints = result["partialFingerprints"].as_object().expect("an object");
    assert!(fingerprints.values().all(Value::is_string));
    list(result, "locations").iter().for_each(location);
    if result.get("relatedLocations").is_some() {
        list(result, "relatedLocations").iter().for_each(location);
    }
    for flow in list(result, "codeFlows") {
        fields(flow, &["threadFlows"], &[]);
        let threads = list(flow, "threadFlows");
        assert!(!threads.is_empty());
        let mut orders = Vec::new();
        for thread in threads {
            fields(thread, &["id", "locations"], &[]);
            let steps = list(thread, "locations");
            assert!(!steps.is_empty(), "{thread}");
            for step in steps {
                fields(step, &["executionOrder", "location"], &[]);
                location(&step["location"]);
            }
            let within: Vec<u64> = steps.iter().filter_map(|step| step["executionOrder"].as_u64()).collect();
            assert!(within.is_sorted(), "{thread}");
            orders.extend(within);
        }
        orders.sort_unstable();
        let all: Vec<u64> = (0..orders.len() as u64).collect();
        assert_eq!(orders, all, "every step of every thread has its place in one order");
    }
}

/// Checks a log and answers its results.
fn checked(path: &Path) -> Vec<Value> {
    let log: Value = serde_json::from_str(&fs::read_to_string(path).expect("a file")).expect("JSON");
    fields(&log, &["$schema", "version", "runs"], &[]);
    assert_eq!(log["version"], "2.1.0");
    let [the_run] = list(&log, "runs") else { panic!("one run") };
    fields(the_run, &["tool", "results", "invocations"], &[]);
    fields(&the_run["tool"], &["driver"], &[]);
    let driver = &the_run["tool"]["driver"];
    fields(driver, &["name", "semanticVersion", "rules"], &[]);
    let rules = list(driver, "rules");
    for rule in rules {
        fields(rule, &["id", "shortDescription"], &[]);
        text(&rule["shortDescription"]);
    }
    for invocation in list(the_run, "invocations") {
        fields(invocation, &["executionSuccessful", "exitCode"], &[]);
    }
    let results = list(the_run, "results");
    results.iter().for_each(|one| result(one, rules));
    results.to_vec()
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
