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

const REFUTED: &str = "(declare-const x Int)(declare-const y Int)(declare-const v (_ BitVec 8))
(assert (< x y))(check-sat)(push 1)(assert (= (bvadd v #x01) v))(check-sat)(pop 1)(assert (< y x))(check-sat)";

#[test]
fn proofs_are_written_and_checked() {
    let folder = tempfile::tempdir().expect("a folder");
    let (script, proof) = (folder.path().join("script.smt2"), folder.path().join("script.proof"));
    fs::write(&script, REFUTED).expect("a script");
    let answered = run(warpath().args(["smt", "--proof"]).args([&proof, &script]));
    assert_eq!(answered.stdout, "sat\nunsat\nunsat\n");
    let checked = run(warpath().arg("smt-check").args([&script, &proof]));
    checked.expect_code(0);
    assert!(checked.stdout.starts_with("checked: 2 unsat answers, "), "{}", checked.stdout);

    // The first check is satisfiable, so the same reason cannot be its reason.
    let text = fs::read_to_string(&proof).expect("a proof");
    let wrong = text.replace("\nu 3", "\nu 1");
    assert_ne!(text, wrong);
    fs::write(&proof, wrong).expect("a proof");
    let checked = run(warpath().arg("smt-check").args([&script, &proof]));
    checked.expect_code(1);
    assert!(
        checked.stdout.contains("of the proof is wrong: check 1 relies on assertion"),
        "{}",
        checked.stdout
    );

    fs::write(&proof, "no proof\n").expect("a file");
    run(warpath().arg("smt-check").args([&script, &proof]))
        .expect_code(2)
        .expect_complaint("does not begin with");
    warpath_with(["smt-check", "no-such.smt2", "x"])
        .expect_code(2)
        .expect_complaint("no-such.smt2 cannot be read");
    run(warpath().args(["smt", "--proof"]).args([&proof, &script, &script]))
        .expect_code(2)
        .expect_complaint("a proof is of one script");
}
