//! Random soft assertions: our optima against those of z3.

#![allow(clippy::unwrap_used)] // the helpers of tests are tests too

mod common;

use common::cases::{Case, Step};
use common::processes::Process;
use common::random::Random;
use common::{Behind, expressions, nightly, shapes};
use std::fmt::Write;

/// The hard assertions of a case that stay, and soft ones on its Booleans and on some of the assertions.
fn case(seed: u64) -> Case {
    let mut random = Random::new(seed ^ 0x5017);
    let mut case = shapes::any(seed);
    let asserted: Vec<_> = case
        .steps
        .iter()
        .filter_map(|step| match step {
            Step::Assert { term, .. } => Some(*term),
            _ => None,
        })
        .collect();
    case.steps.clear();
    for term in asserted {
        let step = if random.once_in(2) {
            Step::Assert { term, name: None }
        } else {
            let term = if random.once_in(3) { case.terms.not(term).unwrap() } else { term };
            let id = *random.pick(&["first", "second"]);
            Step::Soft { term, weight: random.below(4) as u64, id: Some(id.to_owned()) }
        };
        case.steps.push(step);
    }
    case
}

fn compare(behind: &Behind, count: u64) {
    let mut z3 = Process::z3();
    let mut compared = 0;
    for seed in 0..count {
        let case = case(seed);
        let mut text = case.declarations();
        for step in &case.steps {
            match step {
                Step::Assert { term, .. } => writeln!(text, "(assert {})", case.text(*term)).unwrap(),
                Step::Soft { term, weight, id } => {
                    let id = id.as_deref().unwrap();
                    writeln!(text, "(assert-soft {} :weight {weight} :id {id})", case.text(*term)).unwrap();
                }
                _ => {}
            }
        }
        let ours = expressions(&behind.answers(format!("{text}(check-sat)(get-objectives)").as_bytes()));
        z3.tell(&format!("(reset)(set-option :opt.priority lex)\n{text}"));
        let verdict = z3.ask("(check-sat)");
        assert_eq!(ours[0], verdict, "seed {seed}:\n{text}");
        if verdict == "sat" && case.steps.iter().any(|step| matches!(step, Step::Soft { .. })) {
            let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
            assert_eq!(words(&ours[1]), words(&z3.ask("(get-objectives)")), "seed {seed}:\n{text}");
            compared += 1;
        }
    }
    assert!(compared > count / 4, "only {compared} of {count} were satisfiable");
}

#[test]
fn our_optima_are_those_of_z3() {
    compare(&Behind::Engine, if nightly() { 5_000 } else { 300 });
}

#[test]
fn our_optima_over_a_stand_in_are_those_of_z3() {
    compare(&Behind::stand_in(), 100);
}
