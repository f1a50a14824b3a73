//! `warpath record --light`: programs at full speed.

use std::path::PathBuf;
use std::process::Command;

use crate::json_doc;
use crate::run::{Folder, repository, run, warpath};

/// A program that takes two locks in two orders, one thread behind the other, so that it always passes.
fn locks(folder: &Folder) -> PathBuf {
    let program = folder.path().join("locks");
    let source = repository().join("tracers/preload/tests/programs/locks.c");
    let compiled = Command::new("cc").args(["-g", "-O1", "-pthread", "-o"]).arg(&program).arg(source).status();
    assert!(compiled.expect("a C compiler: run scripts/setup").success());
    program
}

#[test]
fn a_run_at_full_speed_is_a_trace_that_predicts_its_deadlock() {
    let folder = Folder::new();
    let trace = folder.path().join("run.wpt");
    let mut command = warpath();
    command.args(["record", "--light", "--json", "-", "-o"]).arg(&trace).arg("--").arg(locks(&folder));
    let recorded = run(&mut command);
    recorded.expect_code(0);
    let json = recorded.json();
    json_doc::check("warpath.record/1", std::slice::from_ref(&json));
    assert_eq!((&json["outcome"], &json["threads"]), (&"exited".into(), &3.into()));
    let mut command = warpath();
    command.current_dir(folder.path()).args(["analyze", "--check", "deadlock", "--solver", "yices"]).arg(&trace);
    let analysed = run(&mut command);
    // Joined before the other is started: the deadlock of the two orders cannot happen in this program.
    analysed.expect_code(0);
}

#[test]
fn what_the_program_says_and_how_it_ends_is_its_own() {
    let folder = Folder::new();
    let mut command = warpath();
    command.current_dir(folder.path()).args(["record", "-q", "--light", "-o", "run.wpt", "--"]);
    let ran = run(command.args(["sh", "-c", "echo out; echo err >&2; exit 5"]));
    ran.expect_code(0);
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("out\n", "err\n"));
    let left: Vec<_> = std::fs::read_dir(folder.path()).expect("a folder").collect();
    assert_eq!(left.len(), 1, "the trace alone is left");
}

#[test]
fn a_run_at_full_speed_has_no_schedule() {
    let folder = Folder::new();
    let mut command = warpath();
    command.current_dir(folder.path()).args(["record", "--light", "-o", "run.wpt", "--si", "run.si.toml", "--"]);
    run(command.arg("true")).expect_code(2).expect_complaint("no schedule").expect_complaint("help: ");
}
