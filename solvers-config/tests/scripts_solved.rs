//! Stored scripts: solved, answers written beside them and read back.

#![allow(clippy::unwrap_used)] // the helpers of tests are tests too

mod support;

use std::path::PathBuf;
use std::time::Duration;

use support::{needed, solvers};
use warpath_solvers::smtlib::answer::NamedLiteral;
use warpath_solvers::solve::{
    AnswerFile, Recorded, SolveError, SolveOptions, answer_path, scripts_in, solve_file, solve_files,
};
use warpath_solvers::term::Value;
use warpath_solvers::{CancelToken, ResolvedChoice};

const SCRIPT: &str = r#"
(set-option :produce-models true)
(set-logic QF_LIA)
(declare-const |a b| Int)
(declare-fun y () Int)
(declare-const p Bool)
(declare-const q Bool)
(define-fun twice ((n Int)) Int (+ n n))
(assert (! (= (twice |a b|) 10) :named |first one|))
(assert (! (=> p (> y |a b|)) :named second))
(assert (! (=> q (< y |a b|)) :named third))
(check-sat)
(get-value (|a b| (+ |a b| 1)))
(push 1)
(assert p)
(echo "now with ""q""")
(check-sat-assuming (q))
(get-unsat-core)
(get-unsat-assumptions)
(check-sat-assuming ((not q)))
(get-value (q p))
(pop 1)
(get-unsat-core)
(exit)
(check-sat)
"#;

fn folder_with(scripts: &[(&str, &str)]) -> (tempfile::TempDir, Vec<PathBuf>) {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in scripts {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let found = scripts_in(folder.path()).unwrap();
    (folder, found)
}

fn options() -> SolveOptions {
    SolveOptions { timeout: Some(Duration::from_secs(20)), cancel: CancelToken::new() }
}

#[test]
fn three_solvers_write_the_same_answers() {
    let (_folder, scripts) = folder_with(&[("query.smt2", SCRIPT)]);
    for name in ["z3", "cvc5", "yices"] {
        let choice = ResolvedChoice::One(needed(name));
        let solved = solve_file(&scripts[0], &choice, &solvers(), &options()).unwrap();
        assert_eq!(solved.answers, answer_path(&scripts[0]));
        let text = std::fs::read_to_string(&solved.answers).unwrap();
        let file = AnswerFile::parse(&text).unwrap();
        assert_eq!(file.to_string(), text);
        assert_eq!((file.script.as_str(), file.solver.split(' ').next()), ("query.smt2", Some(name)));
        let mut answers = file.answers;
        // Cores need not be minimal.
        let Recorded::Core(core) = &mut answers[4] else { panic!("{name}: {answers:?}") };
        core.retain(|name| name != "first one");
        assert_eq!(
            answers,
            [
                Recorded::Sat(None),
                Recorded::Values(vec![("a b".into(), Value::Int(5)), ("(+ |a b| 1)".into(), Value::Int(6))]),
                Recorded::Echo("now with \"q\"".into()),
                Recorded::Unsat,
                Recorded::Core(vec!["second".into(), "third".into()]),
                Recorded::Assumptions(vec![NamedLiteral { name: "q".into(), positive: true }]),
                Recorded::Sat(None),
                Recorded::Values(vec![("q".into(), Value::Bool(false)), ("p".into(), Value::Bool(true))]),
                Recorded::Error("there is no core".into()),
            ],
            "{name}"
        );
    }
}

#[test]
fn soft_assertions_are_optimised_and_the_cost_is_kept() {
    let script = "(declare-const p Bool)(declare-const q Bool)(assert (not (and p q)))\n\
        ;@(assert-soft p :weight 3)\n;@(assert-soft q :weight 5)\n(check-sat)(get-value (p q))";
    let (_folder, scripts) = folder_with(&[("soft.smt2", script)]);
    for name in ["z3", "yices", "bitwuzla"] {
        let solved =
            solve_file(&scripts[0], &ResolvedChoice::One(needed(name)), &solvers(), &options()).unwrap();
        let file = AnswerFile::parse(&std::fs::read_to_string(solved.answers).unwrap()).unwrap();
        let values = vec![("p".into(), Value::Bool(false)), ("q".into(), Value::Bool(true))];
        assert_eq!(file.answers, [Recorded::Sat(Some((3, true))), Recorded::Values(values)], "{name}");
    }
}

#[test]
fn resets_forget_everything() {
    let script = "(declare-const p Bool)(assert p)(push 1)(assert (not p))(check-sat)(reset)\n\
        (declare-const p Bool)(assert (not p))(check-sat)(reset-assertions)(declare-const p Bool)(assert p)(check-sat)";
    let (_folder, scripts) = folder_with(&[("reset.smt2", script)]);
    for name in ["z3", "yices"] {
        let solved =
            solve_file(&scripts[0], &ResolvedChoice::One(needed(name)), &solvers(), &options()).unwrap();
        let verdicts: Vec<_> = solved.result.checks.iter().map(|check| check.answer.verdict()).collect();
        assert_eq!(verdicts, ["unsat", "sat", "sat"], "{name}");
    }
}

#[test]
fn many_scripts_are_solved_together_and_one_bad_one_spoils_nothing() {
    let names: Vec<String> = (0..12).map(|number| format!("q{number:02}.smt2")).collect();
    let texts: Vec<String> = (0..12)
        .map(|number| match number {
            5 => "(declare-const x Int)\n(assert (> x".to_owned(),
            7 => "(declare-const x Int)(pop 1)(check-sat)".to_owned(),
            _ => format!("(declare-const x Int)(assert (= x {number}))(check-sat)(get-value (x))"),
        })
        .collect();
    let list: Vec<(&str, &str)> =
        names.iter().map(String::as_str).zip(texts.iter().map(String::as_str)).collect();
    let (_folder, scripts) = folder_with(&list);
    assert_eq!(scripts.len(), 12);
    let results = solve_files(&scripts, &ResolvedChoice::One(needed("yices")), &solvers(), &options());
    for (number, result) in results.iter().enumerate() {
        match (number, result) {
            (5, Err(SolveError::Script { path, source })) => {
                assert!(path.ends_with("q05.smt2"));
                assert!(source.to_string().contains("line 2"), "{source}");
            }
            (7, Err(error)) => assert!(error.to_string().contains("pop"), "{error}"),
            (_, Ok(solved)) => {
                let file = AnswerFile::parse(&std::fs::read_to_string(&solved.answers).unwrap()).unwrap();
                let value = Value::Int(i128::try_from(number).unwrap());
                assert_eq!(file.answers, [Recorded::Sat(None), Recorded::Values(vec![("x".into(), value)])]);
            }
            (_, Err(error)) => panic!("{number}: {error}"),
        }
    }
}
