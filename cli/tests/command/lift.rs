//! `warpath lift`: from recordings at full speed to full traces.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::json_doc::check;
use crate::native::{run_with_input, show};
use crate::run::{Folder, Ran, repository, run, warpath};

/// A program of `tests/programs`.
fn program(name: &str, folder: &Folder) -> PathBuf {
    let program = folder.path().join(name);
    let source = repository().join("cli/tests/programs").join(format!("{name}.c"));
    let compiled =
        Command::new("cc").args(["-g", "-O1", "-pthread", "-o"]).arg(&program).arg(source).status();
    assert!(compiled.expect("a C compiler: run scripts/setup").success());
    program
}

/// A command that is run in the folder.
fn here(folder: &Folder, arguments: &[&str]) -> Command {
    let mut command = warpath();
    command.current_dir(folder.path()).env("LC_ALL", "C").args(arguments);
    command
}

/// `warpath lift light.wpt`, with these options; the exit code, and the report.
#[track_caller]
fn lift(folder: &Folder, options: &[&str], program: Option<&Path>, code: i32) -> (Ran, Value) {
    let mut command = here(folder, &["lift", "light.wpt", "-o", "full.wpt", "--json", "report.json"]);
    command.args(options);
    if let Some(program) = program {
        command.arg("--").arg(program);
    }
    let ran = run(&mut command);
    ran.expect_code(code);
    let report = fs::read(folder.path().join("report.json")).expect("a report");
    let report: Value = serde_json::from_slice(&report).expect("JSON");
    check("warpath.lift/1", std::slice::from_ref(&report));
    (ran, report)
}

fn full(folder: &Folder) -> String {
    show(&folder.path().join("full.wpt"))
}

#[test]
fn a_failure_that_needs_inputs_and_a_schedule_is_lifted_with_its_conditions() {
    let folder = Folder::new();
    let program = program("lift_gate", &folder);
    folder.file("key.txt", "wow");
    let mut record = here(&folder, &["record", "--light", "--inputs", "all", "-o", "light.wpt", "--"]);
    record.env("GATE", "yes");
    run_with_input(record.arg(&program).arg("xx"), b"zap\n").expect_code(1);
    // What there is now is another world: the recorded one counts.
    folder.file("key.txt", "no");
    let symbolic = ["stdin:1", "file:key.txt:1", "arg:1", "env:GATE"].map(|source| ["--symbolic", source]);
    let mut options = symbolic.concat();
    options.extend(["--si", "bug.si.toml"]);
    let (_, report) = lift(&folder, &options, Some(&program), 1);
    assert_eq!(report["verdict"], "lifted");
    assert_eq!(
        (&report["recorded"]["kind"], &report["recorded"]["thread"]),
        (&"assertion".into(), &"T0.0".into())
    );
    assert_eq!(report["failure"]["where"], report["recorded"]["where"]);
    assert_eq!((&report["taken"], &report["parting"]), (&report["steps"], &Value::Null));
    assert_eq!(report["arguments"], serde_json::json!(["xx"]));
    let text = full(&folder);
    for condition in
        ["(= ?arg:1 120:8)", "(= ?env:GATE 121:8)", "(= ?stdin 122:8)", "(= ?file:key.txt 119:8)"]
    {
        assert!(text.contains(&format!("branch true {condition}")), "{condition}:\n{text}");
    }
    assert!(text.contains("recorded \"file:key.txt\" \"wow\""), "the trace is complete in itself:\n{text}");

    // Its schedule makes it happen again, with what was recorded and not what there is.
    let replayed = run(&mut here(&folder, &["replay", "bug.si.toml", "--json", "-"]));
    replayed.expect_code(1).expect_complaint("full.wpt has recorded");
    assert_eq!(replayed.json()["verdict"], "reproduced", "{replayed:?}");
    let diagnosed = run(&mut here(&folder, &["diagnose", "full.wpt", "--solver", "yices"]));
    diagnosed.expect_code(1);
    assert!(diagnosed.stdout.contains("Cause 1"), "{}", diagnosed.stdout);
}

#[test]
fn a_race_that_was_decided_otherwise_is_searched_for() {
    let folder = Folder::new();
    let program = program("lift_race", &folder);
    let mut record = here(&folder, &["record", "--light", "-o", "light.wpt", "--"]);
    run(record.env("SLOW", "1").arg(&program)).expect_code(1);
    let (ran, report) = lift(&folder, &["--no-search"], Some(&program), 3);
    ran.expect_complaint("UNKNOWN").expect_complaint("T0.1 has ended");
    assert_eq!((&report["verdict"], &report["failure"]), (&"unknown".into(), &Value::Null));
    assert!(full(&folder).contains("outcome exited 0"), "the closest run is written all the same");

    let (_, report) = lift(&folder, &["--solver", "yices"], Some(&program), 1);
    assert_eq!(
        (&report["verdict"], &report["failure"]["message"]),
        (&"searched".into(), &"seen != 29".into())
    );
    assert!(report["executions"].as_u64() > Some(0), "{report}");
    assert!(full(&folder).contains("r turn $1=29"), "{}", full(&folder));
}

#[test]
fn an_instrumented_program_says_how_its_races_were_decided() {
    let folder = Folder::new();
    let source = repository().join("cli/tests/programs/lift_race.c");
    let program = folder.path().join("instrumented");
    let mut compile = here(&folder, &["cc", "--instrument", "-g", "-O1", "-pthread", "-o"]);
    run(compile.arg(&program).arg(source)).expect_code(0);
    let mut record = here(&folder, &["record", "--light", "-o", "light.wpt", "--"]);
    run(record.env("SLOW", "1").arg(&program)).expect_code(1);
    let (_, report) = lift(&folder, &["--no-search"], Some(&program), 1);
    assert_eq!((&report["verdict"], &report["attempts"]), (&"lifted".into(), &1.into()), "{report}");
    assert_eq!((&report["passed"], &report["unrecorded"]), (&serde_json::json!({}), &serde_json::json!({})));
    assert!(report["taken"] == report["steps"] && report["steps"].as_u64() > Some(30), "{report}");
}

#[test]
fn a_search_that_is_cut_knows_nothing() {
    let folder = Folder::new();
    let program = program("lift_race", &folder);
    let mut record = here(&folder, &["record", "--light", "-o", "light.wpt", "--"]);
    run(record.env("SLOW", "1").arg(&program)).expect_code(1);
    let (ran, report) = lift(&folder, &["--max-executions", "3", "--solver", "yices"], Some(&program), 3);
    ran.expect_complaint("(--max-executions)");
    assert_eq!(report["verdict"], "unknown");
}

#[test]
fn more_is_found_in_what_was_lifted() {
    let folder = Folder::new();
    let program = program("lift_race", &folder);
    run(here(&folder, &["record", "--light", "--inputs", "args", "-o", "light.wpt", "--"]).arg(&program))
        .expect_code(0);
    let analyze = |trace: &str| here(&folder, &["analyze", trace, "--solver", "yices", "--out", "found"]);
    run(&mut analyze("light.wpt")).expect_code(0);
    // Without PROG it is the one that was recorded.
    let (_, report) = lift(&folder, &[], None, 0);
    assert_eq!((&report["verdict"], &report["status"]), (&"lifted".into(), &0.into()));
    let analysed = run(&mut analyze("full.wpt"));
    analysed.expect_code(1);
    assert!(analysed.stdout.contains("PREDICTED"), "{}", analysed.stdout);
}

#[test]
fn who_waited_for_ever_does_so_again() {
    let folder = Folder::new();
    let program = program("lift_crossing", &folder);
    run(here(&folder, &["record", "--light", "-o", "light.wpt", "--"]).arg(&program)).expect_code(1);
    let (_, report) = lift(&folder, &[], Some(&program), 1);
    assert_eq!((&report["recorded"]["outcome"], &report["verdict"]), (&"deadlock".into(), &"lifted".into()));
    assert_eq!(
        (&report["failure"]["kind"], &report["parting"]),
        (&"deadlock".into(), &Value::Null),
        "{report}"
    );
}

#[test]
fn an_exit_status_is_an_outcome_like_others() {
    let folder = Folder::new();
    let program = program("lift_busy", &folder);
    run(here(&folder, &["record", "--light", "-o", "light.wpt", "--"]).arg(&program).arg("5")).expect_code(0);
    let (_, report) = lift(&folder, &[], Some(&program), 1);
    assert_eq!((&report["recorded"]["status"], &report["verdict"]), (&3.into(), &"lifted".into()));
    assert_eq!(report["arguments"], serde_json::json!(["5"]), "the recorded ones");
    assert_eq!((&report["steps"], &report["taken"]), (&11.into(), &11.into()));
}

#[test]
fn a_recording_without_its_beginning_is_refused() {
    let folder = Folder::new();
    let program = program("lift_busy", &folder);
    let mut record =
        here(&folder, &["record", "--light", "--ring", "--limit", "512K", "-o", "light.wpt", "--"]);
    run(record.arg(&program).arg("200000")).expect_code(0);
    let mut command = here(&folder, &["lift", "light.wpt", "-o", "full.wpt", "--"]);
    let refused = run(command.arg(&program));
    refused
        .expect_code(2)
        .expect_complaint("does not begin with the program")
        .expect_complaint("help: record from");
    assert!(!folder.path().join("full.wpt").exists());
}

#[test]
fn a_full_trace_is_not_lifted() {
    let folder = Folder::new();
    let program = program("lift_busy", &folder);
    run(here(&folder, &["record", "-q", "-o", "full.wpt", "--"]).arg(&program)).expect_code(0);
    let refused = run(&mut here(&folder, &["lift", "full.wpt", "-o", "again.wpt"]));
    refused.expect_code(2).expect_complaint("nothing to lift").expect_complaint("help: ");
}

#[test]
fn pigz_is_lifted_and_compresses_what_it_did_then() {
    let folder = Folder::new();
    let lines: String = (0..3000).map(|line| format!("{line} of many\n")).collect();
    folder.file("text", &lines);
    let mut record =
        here(&folder, &["record", "-q", "--light", "--inputs", "args,env,files", "-o", "light.wpt"]);
    // Times of files are not recorded, so they stay out of the output.
    record.args(["--", "pigz", "-n", "-p", "3", "-c", "text"]);
    let then = record.output().expect("it runs");
    assert!(then.status.success(), "pigz: run scripts/setup: {}", String::from_utf8_lossy(&then.stderr));
    folder.file("text", "nothing");
    let mut command =
        here(&folder, &["lift", "light.wpt", "-q", "-o", "full.wpt", "--values", "pinned", "--", "pigz"]);
    let lifted = command.output().expect("it runs");
    let said = String::from_utf8_lossy(&lifted.stderr);
    assert_eq!(lifted.status.code(), Some(0), "{said}");
    assert!(said.contains("LIFTED"), "{said}");
    assert!(then.stdout.len() > 1000 && lifted.stdout == then.stdout, "the output is another");
}
