//! The program itself: answers as they are asked for, files, ends.

#![allow(clippy::unwrap_used)] // the helpers of tests are tests too

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

const PROGRAM: &str = env!("CARGO_BIN_EXE_warpath-smt");

#[test]
fn each_answer_comes_before_the_next_question() {
    let mut child = Command::new(PROGRAM).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    // Without a line feed: the parenthesis ends the command.
    for (question, answer) in [
        ("(get-info :name)", "(:name \"warpath-smt\")"),
        ("(declare-const x Int)(declare-const y Int)(assert (< x y))(check-sat)", "sat"),
        ("(push 1)(assert (< y x))(check-sat)", "unsat"),
        ("(pop 1)(check-sat)", "sat"),
        ("(echo \"x\")", "\"x\""),
        ("(get-value ((< x y)))", "(((< x y) true))"),
    ] {
        input.write_all(question.as_bytes()).unwrap();
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        assert_eq!(line.trim_end(), answer, "{question}");
    }
    // The end of the input is the end.
    drop(input);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn files_are_answered_each_by_itself() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (first, second) = (folder.join("process-first.smt2"), folder.join("process-second.smt2"));
    fs::write(&first, "(declare-const p Bool)(assert (not p))(check-sat)(exit)(check-sat)").unwrap();
    fs::write(&second, "(declare-const p Bool)(assert p)(check-sat)\n(x)").unwrap();
    let ran = Command::new(PROGRAM).args([&first, &second]).output().unwrap();
    let said = String::from_utf8(ran.stdout).unwrap();
    assert_eq!(said, "sat\nsat\n(error \"line 2 column 2: the command `x` is not supported\")\n");
    assert_eq!(ran.status.code(), Some(0));
    let missing = Command::new(PROGRAM).arg(folder.join("no-such.smt2")).output().unwrap();
    assert_eq!(missing.status.code(), Some(2));
    assert!(String::from_utf8(missing.stderr).unwrap().contains("no-such.smt2 cannot be read"));
}
