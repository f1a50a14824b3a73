//! The help texts, kept as files so that a change is seen and reviewed: `tests/help/*.txt`.
//!
//! After a wanted change: `WARPATH_BLESS=1 cargo test -p warpath help`, then look at the difference.

use std::env;
use std::fs;
use std::path::Path;

use crate::run::warpath_with;

const COMMANDS: [&str; 18] = [
    "explore",
    "record",
    "lift",
    "analyze",
    "solve",
    "apply",
    "replay",
    "diagnose",
    "triage",
    "report",
    "export-test",
    "show",
    "pack",
    "convert",
    "solvers",
    "smt",
    "smt-check",
    "cc",
];

#[track_caller]
fn check(name: &str, arguments: &[&str]) {
    let help = warpath_with(arguments);
    help.expect_code(0);
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/help").join(format!("{name}.txt"));
    if env::var_os("WARPATH_BLESS").is_some() {
        fs::write(&golden, &help.stdout).expect("the golden file can be written");
    }
    let expected = fs::read_to_string(&golden).unwrap_or_default();
    assert!(
        expected == help.stdout,
        "`warpath {}` changed; if that is meant, run WARPATH_BLESS=1 cargo test -p warpath help\n{}",
        arguments.join(" "),
        help.stdout
    );
}

#[test]
fn of_warpath() {
    check("warpath", &["--help"]);
    check("warpath-short", &["-h"]);
}

#[test]
fn of_every_command() {
    for command in COMMANDS {
        check(command, &[command, "--help"]);
    }
    for command in ["list", "test", "install"] {
        check(&format!("solvers-{command}"), &["solvers", command, "--help"]);
    }
}

#[test]
fn every_command_of_the_list_has_a_golden_file() {
    let help = warpath_with(["-h"]).stdout;
    let listed: Vec<&str> = help
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert_eq!(listed, COMMANDS);
}

#[test]
fn version() {
    let version = warpath_with(["--version"]);
    version.expect_code(0);
    assert_eq!(version.stdout, concat!("warpath ", env!("CARGO_PKG_VERSION"), "\n"));
}
