//! What is outside the fragment, what is deep, what is stopped, and what a proof is told.

#![allow(clippy::unwrap_used)] // Also in what tests share.

use std::sync::{Arc, Mutex};
use warpath_smt_engine::{Engine, Options, Outcome, Proof, Step};
use warpath_solvers::term::{Op, Sort, TermId, Terms, Value};

fn never() -> impl FnMut() -> bool {
    || false
}

#[test]
fn sums_of_variables_are_refused_and_leave_nothing_behind() {
    let mut terms = Terms::new();
    let [a, b, c] = ["a", "b", "c"].map(|name| terms.constant(name, Sort::Int).unwrap());
    let sum = terms.add(&[a, b]).unwrap();
    let product = terms.apply(Op::Mul, &[a, b]).unwrap();
    let mut engine = Engine::new(Options::default());
    for odd in [sum, product] {
        let less = terms.lt(odd, c).unwrap();
        // Beside what is supported, and would make everything unsatisfiable.
        let (ab, ba) = (terms.lt(a, b).unwrap(), terms.lt(b, a).unwrap());
        let asserted = terms.and(&[ab, ba, less]).unwrap();
        assert!(engine.assert(&mut terms, asserted).is_err());
        assert!(engine.check(&mut terms, &[asserted], &mut never()).is_err());
    }
    assert_eq!(engine.check(&mut terms, &[], &mut never()), Ok(Outcome::Sat));
}

#[test]
fn differences_with_numbers() {
    let mut terms = Terms::new();
    let [a, b] = ["a", "b"].map(|name| terms.constant(name, Sort::Int).unwrap());
    let (three, ten) = (terms.int(3).unwrap(), terms.int(10).unwrap());
    let later = terms.add(&[a, three]).unwrap();
    let first = terms.lt(later, b).unwrap();
    let second = terms.le(b, ten).unwrap();
    let six = terms.int(6).unwrap();
    let mut engine = Engine::new(Options::default());
    engine.assert(&mut terms, first).unwrap();
    engine.assert(&mut terms, second).unwrap();
    let at_six = terms.eq(a, six).unwrap();
    assert_eq!(engine.check(&mut terms, &[at_six], &mut never()), Ok(Outcome::Sat));
    assert_eq!(engine.value(&terms, a), Some(Value::Int(6)));
    assert_eq!(engine.value(&terms, b), Some(Value::Int(10)));
    let beyond = terms.lt(six, a).unwrap();
    assert_eq!(engine.check(&mut terms, &[beyond], &mut never()), Ok(Outcome::Unsat));
}

#[test]
fn a_million_deep() {
    let mut terms = Terms::new();
    let p = terms.constant("p", Sort::Bool).unwrap();
    let q = terms.constant("q", Sort::Bool).unwrap();
    let mut deep = p;
    for turn in 0..1_000_000 {
        deep = if turn % 2 == 0 { terms.and(&[deep, q]) } else { terms.or(&[deep, p]) }.unwrap();
        deep = if turn % 3 == 0 { terms.not(deep).unwrap() } else { deep };
    }
    let mut engine = Engine::new(Options::default());
    engine.assert(&mut terms, deep).unwrap();
    assert_eq!(engine.check(&mut terms, &[], &mut never()), Ok(Outcome::Sat));
}

/// More pigeons than holes: hard enough to be stopped.
fn pigeons(terms: &mut Terms, engine: &mut Engine, holes: usize) {
    let sits: Vec<Vec<TermId>> = (0..=holes)
        .map(|p| (0..holes).map(|h| terms.constant(&format!("{p} in {h}"), Sort::Bool).unwrap()).collect())
        .collect();
    for (p, places) in sits.iter().enumerate() {
        let somewhere = terms.or(places).unwrap();
        engine.assert(terms, somewhere).unwrap();
        for others in &sits[p + 1..] {
            for h in 0..holes {
                let both = terms.and(&[places[h], others[h]]).unwrap();
                let apart = terms.not(both).unwrap();
                engine.assert(terms, apart).unwrap();
            }
        }
    }
}

#[test]
fn a_search_can_be_stopped_and_taken_up_again() {
    let mut terms = Terms::new();
    let mut engine = Engine::new(Options::default());
    pigeons(&mut terms, &mut engine, 7);
    let mut asked = 0;
    let outcome = engine.check(&mut terms, &[], &mut || {
        asked += 1;
        asked > 3
    });
    assert_eq!(outcome, Ok(Outcome::Unknown));
    assert_eq!(engine.check(&mut terms, &[], &mut never()), Ok(Outcome::Unsat));
    assert!(engine.failed().is_empty());
}

/// Keeps clauses, and finds out whether each learned one follows by unit propagation.
#[derive(Debug, Default)]
struct Checker {
    clauses: Vec<Vec<i64>>,
    lemmas: usize,
    refuted: bool,
}

impl Checker {
    fn follows(&self, clause: &[i64]) -> bool {
        let mut holds: std::collections::HashSet<i64> = clause.iter().map(|literal| -literal).collect();
        holds.insert(1);
        loop {
            let mut changed = false;
            for known in &self.clauses {
                if known.iter().any(|literal| holds.contains(literal)) {
                    continue;
                }
                let open: Vec<i64> =
                    known.iter().copied().filter(|literal| !holds.contains(&-literal)).collect();
                match *open {
                    [] => return true,
                    [only] => changed |= holds.insert(only),
                    _ => {}
                }
            }
            if !changed {
                return false;
            }
        }
    }
}

#[derive(Debug)]
struct Shared(Arc<Mutex<Checker>>);

impl Proof for Shared {
    fn step(&mut self, step: Step<'_>) {
        let mut checker = self.0.lock().unwrap();
        let numbers = |clause: &[warpath_smt_engine::Lit]| -> Vec<i64> {
            let mut numbers: Vec<i64> = clause.iter().map(|literal| literal.dimacs()).collect();
            numbers.sort_unstable();
            numbers
        };
        match step {
            Step::Definition(clause) | Step::Asserted { clause, .. } => checker.clauses.push(numbers(clause)),
            Step::Lemma(clause) => {
                checker.lemmas += 1;
                checker.clauses.push(numbers(clause));
            }
            Step::Learned(clause) => {
                let clause = numbers(clause);
                assert!(checker.follows(&clause), "{clause:?} does not follow");
                checker.refuted |= clause.is_empty();
                checker.clauses.push(clause);
            }
            Step::Deleted(clause) => {
                let clause = numbers(clause);
                let at = checker.clauses.iter().position(|known| *known == clause);
                checker.clauses.swap_remove(at.expect("what is deleted was there"));
            }
            _ => {}
        }
    }
}

#[test]
fn a_refutation_can_be_followed() {
    let checker = Arc::new(Mutex::new(Checker::default()));
    let mut terms = Terms::new();
    let mut engine = Engine::new(Options::default());
    engine.set_proof(Box::new(Shared(Arc::clone(&checker))));
    pigeons(&mut terms, &mut engine, 4);
    assert_eq!(engine.check(&mut terms, &[], &mut never()), Ok(Outcome::Unsat));
    assert!(checker.lock().unwrap().refuted);
}

#[test]
fn a_refutation_by_orders_can_be_followed() {
    let checker = Arc::new(Mutex::new(Checker::default()));
    let mut terms = Terms::new();
    let mut engine = Engine::new(Options::default());
    engine.set_proof(Box::new(Shared(Arc::clone(&checker))));
    // Each of five comes next after another one: there is a circle.
    let ints: Vec<TermId> = (0..5).map(|n| terms.constant(&format!("o{n}"), Sort::Int).unwrap()).collect();
    for &a in &ints {
        let later: Vec<TermId> = ints.iter().filter(|&&b| b != a).map(|&b| terms.lt(a, b).unwrap()).collect();
        let some = terms.or(&later).unwrap();
        engine.assert(&mut terms, some).unwrap();
    }
    assert_eq!(engine.check(&mut terms, &[], &mut never()), Ok(Outcome::Unsat));
    let checker = checker.lock().unwrap();
    assert!(checker.refuted && checker.lemmas > 0);
}
