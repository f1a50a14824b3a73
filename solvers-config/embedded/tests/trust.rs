//! Engines that lie, give up or refuse: never a wrong answer, and the conversation goes on.

#![allow(clippy::unwrap_used)] // the helpers of tests are tests too

use warpath_smt::{Decider, Settings, serve_with};
use warpath_smt_engine::{Outcome, Unsupported};
use warpath_solvers::term::{TermId, Terms, Value};

/// Says the same whatever it is asked; its values are all zero.
struct Stubborn {
    outcome: Result<Outcome, &'static str>,
    /// Works until it is told to stop.
    endless: bool,
}

impl Decider for Stubborn {
    fn push(&mut self) {}
    fn pop(&mut self) {}
    fn assert(&mut self, _: &mut Terms, _: TermId) -> Result<(), Unsupported> {
        self.outcome.map(|_| ()).map_err(|what| Unsupported { what: what.to_owned() })
    }
    fn check(
        &mut self,
        _: &mut Terms,
        _: &[TermId],
        stop: &mut dyn FnMut() -> bool,
    ) -> Result<Outcome, Unsupported> {
        while self.endless && !stop() {}
        self.outcome.map_err(|what| Unsupported { what: what.to_owned() })
    }
    fn value(&self, terms: &Terms, constant: TermId) -> Option<Value> {
        Value::default_of(terms.sort(constant))
    }
    fn failed(&self) -> &[TermId] {
        &[]
    }
}

fn answers(outcome: Result<Outcome, &'static str>, endless: bool, script: &str) -> Vec<String> {
    let mut out = Vec::new();
    serve_with(script.as_bytes(), &mut out, &Settings::default(), &mut |_| Stubborn { outcome, endless })
        .unwrap();
    String::from_utf8(out).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn a_model_that_is_wrong_is_not_called_sat() {
    let script =
        "(declare-const x Int)(declare-const p Bool)(assert (< x 1))(check-sat)(assert (< 0 x))(check-sat)
        (get-value (x))(pop)(check-sat-assuming ((not p)))";
    let said = answers(Ok(Outcome::Sat), false, script);
    assert_eq!(said[0], "sat");
    assert!(said[1].starts_with("(error \"line 1 column") && said[1].contains("internal error"), "{said:?}");
    assert!(said[2].contains("there is no model"), "{said:?}");
    assert!(said[4].contains("internal error"), "{said:?}");
    let said = answers(Ok(Outcome::Sat), false, "(declare-const p Bool)(check-sat-assuming (p))");
    assert!(said[0].contains("internal error"), "{said:?}");
}

#[test]
fn a_model_that_cannot_be_checked_is_unknown() {
    let script =
        "(declare-const v (_ BitVec 200))(assert (= v (bvadd v v)))(check-sat)(get-info :reason-unknown)
        (get-value (v))(echo \"after\")";
    let said = answers(Ok(Outcome::Sat), false, script);
    assert_eq!(&said[..2], ["unknown", "(:reason-unknown incomplete)"]);
    assert!(said[2].contains("there is no model"), "{said:?}");
    assert_eq!(said[3], "\"after\"");
}

#[test]
fn limits_end_a_check() {
    let script = "(set-option :timeout-ms 20)(check-sat)(get-info :reason-unknown)
        (declare-const p Bool)(assert-soft p)(check-sat)(get-info :reason-unknown)";
    let timeout = ["unknown", "(:reason-unknown timeout)", "unknown", "(:reason-unknown timeout)"];
    assert_eq!(answers(Ok(Outcome::Unknown), true, script), timeout);
    let script = "(set-option :memory-limit-mb 1)(check-sat)(get-info :reason-unknown)";
    assert_eq!(answers(Ok(Outcome::Unknown), true, script), ["unknown", "(:reason-unknown memout)"]);
    assert_eq!(
        answers(Ok(Outcome::Unknown), false, "(check-sat)(get-info :reason-unknown)")[1],
        "(:reason-unknown incomplete)"
    );
}

#[test]
fn what_the_engine_refuses_has_no_effect() {
    let script =
        "(declare-const p Bool)(assert (! p :named n))(get-assertions)(declare-const n Int)(check-sat)";
    let said = answers(Err("no thanks"), false, script);
    assert_eq!(
        said,
        ["(error \"line 1 column 24: no thanks\")", "()", "(error \"line 1 column 84: no thanks\")"]
    );
}

#[test]
fn a_reason_that_is_none_is_not_paid_for() {
    /// Satisfiable alone, unsatisfiable with anything, without a reason.
    struct Contradictory;
    impl Decider for Contradictory {
        fn push(&mut self) {}
        fn pop(&mut self) {}
        fn assert(&mut self, _: &mut Terms, _: TermId) -> Result<(), Unsupported> {
            Ok(())
        }
        fn check(
            &mut self,
            _: &mut Terms,
            assumptions: &[TermId],
            _: &mut dyn FnMut() -> bool,
        ) -> Result<Outcome, Unsupported> {
            Ok(if assumptions.is_empty() { Outcome::Sat } else { Outcome::Unsat })
        }
        fn value(&self, _: &Terms, _: TermId) -> Option<Value> {
            None
        }
        fn failed(&self) -> &[TermId] {
            &[]
        }
    }
    let mut out = Vec::new();
    let script = b"(declare-const p Bool)(assert-soft p)(check-sat)";
    serve_with(&script[..], &mut out, &Settings::default(), &mut |_| Contradictory).unwrap();
    let said = String::from_utf8(out).unwrap();
    assert!(said.starts_with("(error \"") && said.contains("no reason"), "{said}");
}
