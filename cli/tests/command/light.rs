//! `warpath record --light`: programs at full speed.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::run::{Folder, repository, run, warpath};

/// A program of the recorder's own tests.
fn program(name: &str, folder: &Folder) -> PathBuf {
    let program = folder.path().join(name);
    let source = repository().join("tracers/preload/tests/programs").join(format!("{name}.c"));
    let compiled =
        Command::new("cc").args(["-g", "-O1", "-pthread", "-o"]).arg(&program).arg(source).status();
    assert!(compiled.expect("a C compiler: run scripts/setup").success());
    program
}

/// Records a run that passes and looks for deadlocks: the exit code of `analyze`.
fn deadlocks(program: &Path, folder: &Folder, code: i32) {
    let trace = folder.path().join("run.wpt");
    let mut command = warpath();
    command.args(["record", "--light", "--json", "-", "-o"]).arg(&trace).arg("--").arg(program);
    let recorded = run(&mut command);
    recorded.expect_code(0);
    let json = recorded.json();
    assert_eq!(json["format"], "warpath.record/1");
    assert_eq!(
        (&json["outcome"], &json["threads"], &json["values"]),
        (&"exited".into(), &3.into(), &"pinned".into())
    );
    let mut command = warpath();
    command.current_dir(folder.path()).args(["analyze", "--check", "deadlock", "--solver", "yices"]);
    run(command.args(["--out", "found"]).arg(&trace)).expect_code(code);
}

#[test]
fn a_deadlock_is_predicted_from_a_run_that_passes_and_confirmed() {
    let folder = Folder::new();
    let program = program("crossing", &folder);
    deadlocks(&program, &folder, 1);
    let mut command = warpath();
    command.arg("replay").arg(folder.path().join("found/deadlock-1.si.toml")).args(["--json", "-", "--"]);
    let replayed = run(command.arg(&program));
    replayed.expect_code(1);
    assert_eq!(replayed.json()["verdict"], "reproduced", "{replayed:?}");
}

#[test]
fn what_a_join_rules_out_is_no_deadlock() {
    let folder = Folder::new();
    deadlocks(&program("locks", &folder), &folder, 0);
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
    command.current_dir(folder.path()).args([
        "record",
        "--light",
        "-o",
        "run.wpt",
        "--si",
        "run.si.toml",
        "--",
    ]);
    run(command.arg("true")).expect_code(2).expect_complaint("no schedule").expect_complaint("help: ");
}
