//! Random conversations: our answers against those of z3, cvc5 and Yices, our models against the evaluator, our reasons
//! against z3. A case that fails is made smaller and written out.

#![allow(clippy::unwrap_used)] // the helpers of tests are tests too

mod common;

use common::cases::{ANSWERS, Case};
use common::processes::Process;
use common::{Behind, expressions, nightly, shapes};
use std::cell::RefCell;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use warpath_solvers::smtlib::sexpr::{Sexpr, SexprLimits};
use warpath_solvers::term::{Evaluator, Model, TermId, Value};

/// After so many cases the others are started anew, so that what they keep stays bounded.
const RENEWED: u64 = 500;

struct Others(Vec<RefCell<Process>>);

impl Others {
    fn start() -> Self {
        let mut all = [Process::z3(), Process::cvc5(), Process::yices()];
        for process in &mut all {
            process.tell("(set-logic ALL)");
        }
        Others(all.into_iter().map(RefCell::new).collect())
    }

    /// What they say to each check; an error if two of them do not agree. One that gives up is not counted.
    fn verdicts(&self, case: &Case, count: usize) -> Result<Vec<String>, String> {
        let script = case.plain_script();
        for process in &self.0 {
            process.borrow_mut().tell(&script);
        }
        let mut all: Vec<Vec<String>> = Vec::new();
        for process in &self.0 {
            all.push((0..count).map(|_| process.borrow_mut().answer()).collect());
        }
        let mut verdicts = Vec::new();
        for check in 0..count {
            let mut said: Vec<&String> = all.iter().map(|answers| &answers[check]).collect();
            said.retain(|answer| *answer != "unknown");
            if said.len() < 2 || said.iter().any(|answer| *answer != said[0]) {
                return Err(format!("the others do not agree on check {check}: {all:?}"));
            }
            verdicts.push(said[0].clone());
        }
        Ok(verdicts)
    }
}

/// What is wrong with our answers, if anything is.
fn fault(case: &Case, behind: &Behind, others: &Others) -> Result<Vec<String>, String> {
    let answered = catch_unwind(AssertUnwindSafe(|| behind.answers(case.script().as_bytes())));
    let ours = expressions(&answered.map_err(|_| "panicked".to_owned())?);
    let checks = case.checks();
    if ours.len() != checks.len() * ANSWERS {
        return Err(format!("{} answers to {} checks: {ours:?}", ours.len(), checks.len()));
    }
    let expected = others.verdicts(case, checks.len())?;
    for (index, ((live, assumed), answers)) in checks.iter().zip(ours.chunks(ANSWERS)).enumerate() {
        if answers[0] != expected[index] {
            return Err(format!("check {index}: we say {}, the others {}", answers[0], expected[index]));
        }
        let required = live.iter().map(|&(_, term)| term).chain(assumed.iter().copied());
        match answers[0].as_str() {
            "sat" => {
                check_model(case, required, &answers[1]).map_err(|what| format!("check {index}: {what}"))?
            }
            _ => {
                let named: Vec<&str> = answers[2].trim_matches(['(', ')']).split_whitespace().collect();
                let plain = live.iter().filter(|(name, _)| name.is_none_or(|name| named.contains(&name)));
                let listed = Sexpr::parse(answers[3].as_bytes(), SexprLimits::default()).unwrap();
                let literals: Vec<String> = listed.as_list().unwrap().iter().map(Sexpr::to_string).collect();
                let kept = assumed.iter().filter(|&&term| literals.contains(&case.text(term)));
                let reason: Vec<TermId> = plain.map(|&(_, term)| term).chain(kept.copied()).collect();
                check_reason(case, &reason, others).map_err(|what| format!("check {index}: {what}"))?;
            }
        }
    }
    Ok(expected)
}

fn check_model(case: &Case, required: impl Iterator<Item = TermId>, answer: &str) -> Result<(), String> {
    let pairs = Sexpr::parse(answer.as_bytes(), SexprLimits::default()).unwrap();
    let mut model = Model::new();
    for (&id, pair) in case.constants.iter().zip(pairs.as_list().unwrap()) {
        let [name, value] = pair.as_list().unwrap() else {
            return Err(format!("not a pair: {pair}"));
        };
        assert_eq!(name.to_string(), case.text(id));
        model.set(id, Value::from_sexpr(value).map_err(|error| error.to_string())?);
    }
    let mut evaluator = Evaluator::new(&case.terms, &model);
    for term in required {
        if evaluator.value(term) != Ok(Value::Bool(true)) {
            return Err(format!("{} is not true in {answer}", case.text(term)));
        }
    }
    Ok(())
}

fn check_reason(case: &Case, reason: &[TermId], others: &Others) -> Result<(), String> {
    let mut z3 = others.0[0].borrow_mut();
    z3.tell(&format!("(push 1){}", case.declarations()));
    for &term in reason {
        z3.tell(&format!("(assert {})", case.text(term)));
    }
    let verdict = z3.ask("(check-sat)");
    z3.tell("(pop 1)");
    if verdict == "unsat" { Ok(()) } else { Err(format!("the reason given is {verdict}")) }
}

fn compare(behind: &Behind, wanted: usize) {
    let mut others = Others::start();
    let (mut queries, mut satisfiable) = (0, 0);
    for seed in 0.. {
        if queries >= wanted {
            break;
        }
        if seed % RENEWED == RENEWED - 1 {
            others = Others::start();
        }
        let mut case = shapes::any(seed);
        match fault(&case, behind, &others) {
            Ok(verdicts) => {
                queries += verdicts.len();
                satisfiable += verdicts.iter().filter(|verdict| *verdict == "sat").count();
            }
            Err(what) => {
                case.minimise(|smaller| fault(smaller, behind, &others).is_err());
                let left = fault(&case, behind, &others).err().unwrap_or(what);
                let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("differential-{seed}.smt2"));
                fs::write(&path, format!("; seed {seed}: {left}\n{}", case.script())).unwrap();
                panic!("seed {seed}: {left}; see {}", path.display());
            }
        }
    }
    // Questions with one answer would test little.
    let share = satisfiable * 100 / queries;
    assert!((20..=80).contains(&share), "{share} % of {queries} are satisfiable");
}

#[test]
fn our_engine_agrees_with_all_others() {
    compare(&Behind::Engine, if nightly() { 100_000 } else { 2_000 });
}

#[test]
fn the_front_end_over_a_stand_in_agrees_with_all_others() {
    compare(&Behind::stand_in(), 300);
}
