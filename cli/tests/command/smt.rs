//! Our own solver as a command. What it answers is tested where it lives: `solvers-config/embedded/tests`.

use std::fs;
use std::io::Write;
use std::process::Stdio;

use crate::run::{ran, run, warpath, warpath_with};

#[test]
fn standard_input_is_answered() {
    let mut child = warpath()
        .args(["smt", "--seed", "3"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let script = b"(declare-const x Int)(declare-const y Int)(assert (< x y))(check-sat)(assert (< y x))(check-sat)(oops)";
    child.stdin.take().expect("a pipe").write_all(script).expect("it reads");
    let ran = ran(child.wait_with_output().expect("it ends"));
    ran.expect_code(0);
    assert_eq!(ran.stdout, "sat\nunsat\n(error \"line 1 column 98: the command `oops` is not supported\")\n");
    assert_eq!(ran.stderr, "");
}

#[test]
fn files_are_answered_and_missing_ones_are_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let script = folder.path().join("script.smt2");
    fs::write(&script, "(declare-const p Bool)(assert p)(check-sat)").expect("a script");
    let ran = run(warpath().args(["smt", "--timeout", "1000"]).args([&script, &script]));
    ran.expect_code(0);
    assert_eq!(ran.stdout, "sat\nsat\n");
    warpath_with(["smt", "no-such.smt2"]).expect_code(2).expect_complaint("no-such.smt2 cannot be read");
    warpath_with(["smt", "--seed", "x"]).expect_code(2).expect_complaint("invalid value 'x'");
}
