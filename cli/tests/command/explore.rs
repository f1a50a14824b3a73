//! `warpath explore`: verdicts, reports, bounds, on real programs.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::json_doc;
use crate::native::{c_program, expect_no_process, run_with_input};
use crate::proof::proving;
use crate::run::{Folder, Ran, run, warpath};
use crate::samples::{Sample, named};

/// `warpath explore` on a program.
pub(crate) fn explore(program: &Path, folder: &Folder, options: &[&str]) -> Command {
    let mut command = warpath();
    command.args(["explore", "--solver", "yices", "--out"]).arg(folder.path().join("out"));
    command.args(options).arg("--").arg(program);
    command
}

/// Explores a sample as the manifest says it is run.
pub(crate) fn explored(sample: &Sample, folder: &Folder, options: &[&str]) -> Ran {
    let mut command = explore(&sample.program(), folder, options);
    run_with_input(command.args(&sample.args), sample.stdin.as_bytes())
}

/// The same, as JSON.
pub(crate) fn json(sample: &Sample, folder: &Folder, options: &[&str], code: i32) -> Value {
    explored(sample, folder, &[options, &["--json", "-"]].concat()).expect_code(code).json()
}

/// What does not depend on how fast the machine is.
pub(crate) fn timeless(mut json: Value) -> Value {
    json.as_object_mut().expect("an object").remove("time_ms");
    json
}

#[track_caller]
fn expect_replay(bug: &Value) {
    let si = bug["si"].as_str().expect("an SI file");
    let replayed = run(warpath().arg("replay").arg(si));
    replayed.expect_code(1);
    assert!(replayed.stdout.starts_with("REPRODUCED"), "{si}: {}", replayed.stdout);
}

#[test]
fn the_crash_of_m0_is_found_and_nothing_is_left() {
    let folder = Folder::new();
    let json = json(named("m0"), &folder, &[], 1);
    assert_eq!((&json["verdict"], &json["exhausted"]), (&"BUG".into(), &true.into()), "{json}");
    assert!(json["executions"].as_u64().is_some_and(|count| count <= 6), "{json}");
    let bugs = json["bugs"].as_array().expect("a list");
    assert_eq!(bugs.len(), 1, "{json}");
    assert_eq!(bugs[0]["kind"], "assertion");
    assert_eq!(bugs[0]["inputs"]["i"], 3);
    assert_eq!(bugs[0]["replayed"], true);
    assert_eq!(json["first_bug_execution"], bugs[0]["execution"]);
    expect_replay(&bugs[0]);
}

#[test]
fn a_report_tells_what_where_with_what_and_in_which_order() {
    let folder = Folder::new();
    let ran = explored(named("m0"), &folder, &[]);
    let text = &ran.expect_code(1).stdout;
    assert!(text.starts_with("BUG assertion: y != 2\n  --> m.c:38:9 T0.1\n"), "{text}");
    assert!(text.contains("T0.2 wrote the 2 that T0.1 read from y"), "the other side: {text}");
    assert!(text.contains("  inputs: i = 3, j = 2\n"), "{text}");
    assert!(text.contains("T0.0 thread1") && text.contains("T0.1 thread2"), "a column per thread: {text}");
    assert!(text.contains("w x 101 @m.c:25"), "{text}");
    assert!(text.contains("fails: assertion @m.c:38"), "{text}");
    let si = folder.path().join("out/bug-1.si.toml");
    for what in ["reproduce it: warpath replay", "explain it: warpath diagnose"] {
        assert!(text.contains(&format!("  {what} {}\n", si.display())), "{text}");
    }
    let table: Vec<&str> = text.lines().skip_while(|line| !line.contains("----")).skip(1).collect();
    assert!(table.iter().take_while(|line| !line.is_empty()).count() <= 24, "{text}");
    let verdict = text.lines().find(|line| line.starts_with("BUG: ")).expect("the verdict");
    assert_eq!(verdict, "BUG: 1 bug was found and replayed; everything else reachable was explored");
}

#[test]
fn the_source_line_is_shown_where_the_source_is() {
    let folder = Folder::new();
    let source = folder.file(
        "broken.c",
        "#include <assert.h>\n#include <pthread.h>\nstatic volatile int x;\n\
         static void *put(void *u) { x = 1; return u; }\n\
         int main(void) {\n    pthread_t t;\n    pthread_create(&t, 0, put, 0);\n    assert(x == 0);\n    return 0;\n}\n",
    );
    let program = folder.path().join("broken");
    run(Command::new("gcc").args(["-g", "-O1", "-pthread"]).arg(source).arg("-o").arg(&program))
        .expect_code(0);
    let ran = run(&mut explore(&program, &folder, &["--first"]));
    ran.expect_code(1);
    assert!(ran.stdout.contains("       8 | assert(x == 0);\n"), "{}", ran.stdout);
    assert!(
        ran.stdout.contains("       4 | static void *put(void *u) { x = 1; return u; }\n"),
        "{}",
        ran.stdout
    );
}

#[test]
fn correct_programs_are_safe() {
    let folder = Folder::new();
    for name in ["fig7", "counter-locked", "deadlock-ordered"] {
        let json = json(named(name), &folder, &[], 0);
        assert_eq!((&json["verdict"], &json["exhausted"]), (&"SAFE".into(), &true.into()), "{name}: {json}");
        assert_eq!(json["first_bug_execution"], Value::Null);
        assert!(!folder.path().join("out").exists(), "{name}: nothing was found, so nothing is written");
    }
}

#[test]
fn a_deadlock_shows_everybody_who_waits() {
    let folder = Folder::new();
    let ran = explored(named("deadlock"), &folder, &[]);
    let text = &ran.expect_code(1).stdout;
    assert!(text.starts_with("BUG deadlock: no thread can go on\n"), "{text}");
    assert!(text.contains("T0.0 waits for mutex `right`, held by T0.1"), "{text}");
    assert!(text.contains("T0.1 waits for mutex `left`, held by T0.0"), "{text}");
    assert!(text.contains("lock right (waits) @deadlock.c:"), "{text}");
    let json = json(named("deadlock"), &folder, &[], 1);
    let bug = &json["bugs"][0];
    assert_eq!(bug["waits"].as_array().map(Vec::len), Some(3), "{json}");
    expect_replay(bug);
}

#[test]
fn memory_that_was_freed_is_not_used_unseen() {
    let folder = Folder::new();
    let json = json(named("useafterfree"), &folder, &[], 1);
    assert_eq!(json["bugs"][0]["kind"], "use-after-free", "{json}");
    expect_replay(&json["bugs"][0]);
}

#[test]
fn inputs_come_from_standard_input_and_arguments() {
    let folder = Folder::new();
    for (name, symbolic, input) in [("stdin", "stdin:4", "stdin"), ("argv", "arg:1", "arg:1")] {
        let sample = named(name);
        let mut command = explore(&sample.program(), &folder, &["--symbolic", symbolic, "--json", "-"]);
        // Both workers read the same two bytes, although a pipe has them once.
        let json = run_with_input(command.args(&sample.args), b"ab").expect_code(1).json();
        assert_eq!(json["verdict"], "BUG", "{name}: {json}");
        let bug = &json["bugs"][0];
        assert!(bug["inputs"].get(input).is_some(), "{name}: {json}");
        expect_replay(bug);
    }
    // A file is read from its start by every run, whoever makes it.
    let input = folder.file("input", "ab");
    let mut command = explore(&named("stdin").program(), &folder, &["--symbolic", "stdin:4", "--jobs", "2"]);
    let ran = run(command.stdin(fs::File::open(input).expect("the file")));
    ran.expect_code(1);
    assert!(ran.stdout.contains("everything else reachable was explored"), "{}", ran.stdout);
    let unread = explored(named("stdin"), &folder, &["--symbolic", "stdin:4"]);
    unread.expect_code(0).expect_complaint("note: no run has read anything from `stdin` (--symbolic)");
}

#[test]
fn store_buffers_are_seen_under_tso_only() {
    let folder = Folder::new();
    assert_eq!(json(named("sb"), &folder, &["--model", "sc"], 0)["verdict"], "SAFE");
    let weak = json(named("sb"), &folder, &["--model", "tso"], 1);
    assert_eq!((&weak["verdict"], &weak["model"]), (&"BUG".into(), &"tso".into()));
    expect_replay(&weak["bugs"][0]);
    let text = explored(named("sb"), &folder, &["--model", "tso"]).stdout;
    assert!(text.contains("commit x 1") || text.contains("commit y 1"), "when writes reach memory: {text}");
}

#[test]
fn the_number_of_workers_changes_nothing() {
    let folder = Folder::new();
    for name in ["m3", "deadlock", "account"] {
        let one = json(named(name), &folder, &["--jobs", "1"], 1);
        let two = json(named(name), &folder, &["--jobs", "2"], 1);
        assert_eq!(timeless(one), timeless(two), "{name}");
    }
}

#[test]
fn bounds_are_named() {
    let folder = Folder::new();
    let cut = json(named("fig7"), &folder, &["--max-executions", "1"], 3);
    assert_eq!(cut["verdict"], "UNKNOWN", "{cut}");
    assert_eq!(cut["bounds_hit"][0], "1 executions (--max-executions)");
    for most in 3..8 {
        let cut = json(named("counter"), &folder, &["--max-executions", &most.to_string()], 1);
        let plain = cut["executions"].as_u64().expect("a number")
            - cut["repeated_executions"].as_u64().expect("a number");
        assert!(plain <= most, "{cut}");
    }
    let cut = json(named("m9"), &folder, &["--time", "1ms"], 3);
    assert_eq!(cut["bounds_hit"][0], "1ms (--time)", "{cut}");
    let text = explored(named("fig7"), &folder, &["--max-executions", "1"]);
    text.expect_code(3);
    assert!(
        text.stdout
            .starts_with("UNKNOWN: no bug was found; stopped by a bound: 1 executions (--max-executions)"),
        "{}",
        text.stdout
    );
}

#[test]
fn the_first_bug_can_be_enough() {
    let folder = Folder::new();
    let source = r#"#include <assert.h>
#include <pthread.h>
static volatile int x;
static void *put(void *u) { x = 1; return u; }
static void *look(void *u) { int seen = x; assert(seen == 0); assert(x == seen); return u; }
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, put, 0);
    pthread_create(&b, 0, look, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}"#;
    let program = c_program("twobugs", source);
    let all = run(&mut explore(&program, &folder, &["--json", "-"])).expect_code(1).json();
    assert_eq!(all["bugs"].as_array().map(Vec::len), Some(2), "{all}");
    let first = run(&mut explore(&program, &folder, &["--json", "-", "--first"])).expect_code(1).json();
    assert_eq!(first["bugs"].as_array().map(Vec::len), Some(1), "{first}");
    assert_eq!(first["exhausted"], false);
    expect_no_process(&program);
}

#[test]
fn races_are_looked_for_when_asked() {
    let folder = Folder::new();
    let json = json(named("account"), &folder, &["--check", "all"], 1);
    let bugs = json["bugs"].as_array().expect("a list");
    let race =
        bugs.iter().find(|bug| bug["kind"] == "data-race").unwrap_or_else(|| panic!("no race: {json}"));
    assert_eq!(race["places"].as_array().map(Vec::len), Some(2), "both sides: {json}");
    expect_replay(race);
}

#[test]
fn json_is_as_documented() {
    let folder = Folder::new();
    let crash = json(named("m0"), &folder, &[], 1);
    let deadlock = json(named("deadlock"), &folder, &[], 1);
    let cut = json(named("m3"), &folder, &["--max-executions", "1"], 3);
    let (mut proving, _) = proving("publish", &folder, &["--json", "-"]);
    let proved = run(&mut proving).expect_code(0).json();
    json_doc::check("warpath.explore/1", &[crash, deadlock, cut, proved]);
}

#[test]
fn every_question_is_written_and_other_solvers_agree() {
    let folder = Folder::new();
    let queries = folder.path().join("queries");
    let emitted = queries.to_str().expect("UTF-8");
    let searched = json(named("m0"), &folder, &["--emit", emitted], 1);
    let manifest: Value =
        serde_json::from_str(&fs::read_to_string(queries.join("manifest.json")).expect("a manifest"))
            .expect("JSON");
    let scripts = manifest["scripts"].as_array().expect("a list");
    assert!(!scripts.is_empty());
    json_doc::check("warpath.manifest/1", std::slice::from_ref(&manifest));
    let verdicts = |solver: &str| -> Vec<Value> {
        let mut solve = warpath();
        solve.arg("solve").arg(&queries).args(["--solver", solver, "--json", "-"]);
        let json = run(&mut solve).expect_code(0).json();
        assert_eq!(json["totals"]["scripts"].as_u64(), Some(scripts.len() as u64));
        let answer = |script: &Value| serde_json::json!([script["script"], script["checks"][0]["answer"]]);
        json["scripts"].as_array().expect("a list").iter().map(answer).collect()
    };
    let yices = verdicts("yices");
    assert_eq!(yices, verdicts("z3"));
    assert!(yices.iter().any(|verdict| verdict[1] == "sat"), "{searched}");
}

#[test]
fn what_cannot_be_run_is_said() {
    let folder = Folder::new();
    let out = folder.path().join("out");
    let refused = |program: &Path, complaint: &str| {
        let ran = run(&mut explore(program, &folder, &[]));
        ran.expect_code(2).expect_complaint(complaint).expect_complaint("help: ");
        assert!(!out.exists(), "nothing ran, so nothing is written");
    };
    refused(Path::new("./no-such-program"), "./no-such-program does not exist");
    refused(&folder.file("notes.txt", "not a program"), "is not an executable file");
    let script = folder.file("script.sh", "#!/bin/sh\nexit 0\n");
    run(Command::new("chmod").arg("+x").arg(&script)).expect_code(0);
    refused(&script, "script.sh");
}
