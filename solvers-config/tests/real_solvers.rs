//! The real solvers: each does what its configuration claims, and they agree with each other.

#![allow(clippy::unwrap_used)] // the helpers of tests are tests too

mod support {
    mod common;
    pub mod random;
    pub use common::*;
}

use std::cell::RefCell;
use std::time::Duration;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use support::random::{Language, Recipe, recipes};
use support::{all_versions, needed, solvers, supervisor};
use warpath_solvers::config::{Abilities, Cores, Soft};
use warpath_solvers::selftest::{self, Outcome};
use warpath_solvers::term::{Model, Op, Sort, TermId, Terms, Value, eval};
use warpath_solvers::{
    Answer, CrossCheck, FoundSolver, Preference, Query, Reason, ResolvedChoice, Session, Smt, SolverChoice,
};

const ALL: [&str; 5] = ["z3", "cvc5", "yices", "bitwuzla", "boolector"];
const INTEGERS: [&str; 3] = ["z3", "cvc5", "yices"];

fn ask() -> Query {
    Query::within(Duration::from_secs(30))
}

fn session(solver: FoundSolver) -> Session {
    Session::new(solver, supervisor())
}

#[test]
fn every_version_of_every_solver_passes_its_battery() {
    for name in ALL {
        for solver in all_versions(name) {
            let report = selftest::run(&solver, &solvers(), |_| ());
            for item in &report.items {
                assert!(!matches!(item.outcome, Outcome::Failed(_)), "{solver}: {item:?}");
            }
            let claimed = report.items.iter().filter(|item| item.outcome == Outcome::Passed).count();
            assert!(claimed >= 11, "{solver} claims only {claimed} items");
        }
    }
}

#[test]
fn a_solver_of_few_abilities_is_served_by_telling_it_everything_again() {
    let reduced = |name: &str, cores: Cores, args: &[&str]| {
        let mut solver = needed(name);
        let mut config = (*solver.config).clone();
        config.abilities = Abilities { incremental: false, assumptions: false, cores, soft: Soft::Search };
        config.run.args = args.iter().map(|arg| (*arg).to_owned()).collect();
        solver.config = config.into();
        solver
    };
    let poor = [reduced("z3", Cores::Named, &["-in", "-smt2"]), reduced("yices", Cores::None, &[])];
    for (solver, claimed) in poor.into_iter().zip([13, 11]) {
        let report = selftest::run(&solver, &solvers(), |_| ());
        let passed = report.items.iter().filter(|item| item.outcome == Outcome::Passed).count();
        assert_eq!(passed, claimed, "{solver}: {:#?}", report.items);
        assert!(report.passed());
    }
}

#[test]
fn who_does_not_know_families_is_not_told_them() {
    let mut terms = Terms::new();
    let [a, b] = ["a", "b"].map(|name| terms.constant(name, Sort::Bool).unwrap());
    let [from, to] = ["from", "to"].map(|name| terms.constant(name, Sort::Int).unwrap());
    let family = terms.apply(Op::Apart, &[a, from, b, to, b, to, a, from]).unwrap();
    let behind = terms.implies(a, family).unwrap();
    for name in INTEGERS {
        for asserted in [family, behind] {
            let mut session = session(needed(name));
            session.assert(&terms, asserted).unwrap();
            match session.check(&terms, &ask()) {
                Answer::Unknown(Reason::Unsupported { what }) => {
                    let expected =
                        format!("{name} does not know `orders.apart`, in which the formula is written");
                    assert_eq!(what, expected);
                }
                other => panic!("{name}: {other:?}"),
            }
            assert_eq!(session.statistics().starts, 0);
        }
    }
}

/// Asserts an order of `events` events with `others` clauses for each, with questions and lost processes in between.
fn growth(solver: FoundSolver, sort: Sort, events: usize, others: usize) {
    let name = solver.to_string();
    let mut session = session(solver);
    let mut terms = Terms::new();
    let order: Vec<TermId> =
        (0..=events).map(|number| terms.constant(&format!("order({number})"), sort).unwrap()).collect();
    let before = |terms: &mut Terms, a, b| match sort {
        Sort::Int => terms.lt(a, b).unwrap(),
        _ => terms.apply(Op::BvUlt, &[a, b]).unwrap(),
    };
    for number in 0..events {
        let ordered = before(&mut terms, order[number], order[number + 1]);
        session.assert_named(&terms, &format!("step {number}"), ordered).unwrap();
        for other in 0..others {
            let free = terms.constant(&format!("free({number},{other})"), Sort::Bool).unwrap();
            let clause = terms.or(&[free, ordered]).unwrap();
            session.assert(&terms, clause).unwrap();
        }
        if number % (events / 3) == events / 3 - 1 {
            let answer = session.check(&terms, &ask());
            assert!(matches!(answer, Answer::Sat(_)), "{name} at {number}: {answer:?}");
            // A process that is lost in the middle is replaced, and the new one knows everything.
            let lost = session.check(&terms, &Query::within(Duration::from_micros(1)));
            assert!(matches!(lost, Answer::Unknown(Reason::Timeout { .. })), "{name}: {lost:?}");
        }
    }
    session.push();
    let middle = events / 2;
    let back = before(&mut terms, order[middle + 10], order[middle]);
    session.assert_named(&terms, "back", back).unwrap();
    let answer = session.check(&terms, &ask().with_core());
    let Answer::Unsat { core: Some(core) } = answer else { panic!("{name}: {answer:?}") };
    for needed in ["back".to_owned(), format!("step {middle}"), format!("step {}", middle + 9)] {
        assert!(core.names.contains(&needed), "{name} leaves {needed} out of {:?}", core.names);
    }
    session.pop().unwrap();
    let answer = session.check(&terms, &ask());
    assert!(matches!(answer, Answer::Sat(_)), "{name}: {answer:?}");
}

#[test]
fn a_stack_of_thousands_grows_and_survives_lost_processes() {
    for name in INTEGERS {
        growth(needed(name), Sort::Int, 900, 2);
    }
    for name in ["bitwuzla", "boolector"] {
        growth(needed(name), Sort::Bits(8), 150, 30);
    }
}

/// All solvers that can take the language are asked the same; they must agree, and cores must be cores.
fn differential(names: &[&str], language: Language, cases: u32) {
    // One session per solver for all cases: their processes must stay sound through hundreds of pushes and pops.
    let terms = RefCell::new(Terms::new());
    let sessions: RefCell<Vec<Session>> =
        RefCell::new(names.iter().map(|name| session(needed(name))).collect());
    let seen = RefCell::new([0u32; 2]);
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let outcome = TestRunner::new(config).run(&recipes(), |recipe: Recipe| {
        let mut terms = terms.borrow_mut();
        let assertions = recipe.build(&mut terms, language);
        let mut verdicts = Vec::new();
        let mut cores = Vec::new();
        for session in sessions.borrow_mut().iter_mut() {
            session.push();
            for (number, term) in assertions.iter().enumerate() {
                session.assert_named(&terms, &format!("a{number}"), *term).unwrap();
            }
            let answer = session.check(&terms, &ask().with_core());
            session.pop().unwrap();
            verdicts.push((session.describe(), answer.verdict()));
            match answer {
                Answer::Unsat { core } => cores.push(core.expect("a core was asked for")),
                Answer::Sat(_) => {}
                Answer::Unknown(reason) => prop_assert!(false, "{}: {reason}", session.describe()),
            }
        }
        prop_assert!(verdicts.windows(2).all(|pair| pair[0].1 == pair[1].1), "{verdicts:?}");
        seen.borrow_mut()[usize::from(verdicts[0].1 == "unsat")] += 1;
        for (number, core) in cores.iter().enumerate() {
            let mut sessions = sessions.borrow_mut();
            let count = sessions.len();
            let judge = &mut sessions[(number + 1) % count];
            judge.push();
            for name in &core.names {
                let at: usize = name[1..].parse().unwrap();
                judge.assert(&terms, assertions[at]).unwrap();
            }
            let answer = judge.check(&terms, &ask());
            judge.pop().unwrap();
            prop_assert!(
                matches!(answer, Answer::Unsat { .. }),
                "{core:?} of {} is no core",
                verdicts[number].0
            );
        }
        Ok(())
    });
    if let Err(error) = outcome {
        panic!("{error}");
    }
    let [sat, unsat] = *seen.borrow();
    assert!(sat > cases / 20 && unsat > cases / 20, "the problems are one-sided: {sat} sat, {unsat} unsat");
}

#[test]
fn solvers_agree_on_difference_logic() {
    differential(&INTEGERS, Language::Difference, 150);
}

#[test]
fn solvers_agree_on_linear_arithmetic() {
    differential(&INTEGERS, Language::Linear, 150);
}

#[test]
fn solvers_agree_on_bit_vectors() {
    differential(&ALL, Language::Bits(1), 60);
    differential(&ALL, Language::Bits(5), 100);
}

/// The least weight of violated preferences by trying all assignments; `None` if the formula has no model.
fn brute_force(terms: &Terms, constants: &[TermId], hard: &[TermId], soft: &[Preference]) -> Option<u128> {
    (0..1u32 << constants.len())
        .filter_map(|bits| {
            let values = constants.iter().enumerate().map(|(at, id)| (*id, Value::Bool(bits >> at & 1 == 1)));
            let model: Model = values.collect();
            let holds = |term: TermId| eval(terms, &model, term) == Ok(Value::Bool(true));
            hard.iter().all(|term| holds(*term)).then(|| {
                soft.iter().filter(|soft| !holds(soft.term)).map(|soft| u128::from(soft.weight)).sum()
            })
        })
        .min()
}

#[test]
fn optima_are_those_of_brute_force() {
    let terms = RefCell::new(Terms::new());
    let sessions: RefCell<Vec<Session>> = RefCell::new(
        ["z3", "cvc5", "yices", "bitwuzla", "boolector"].map(|name| session(needed(name))).into(),
    );
    let clauses = prop::collection::vec(prop::collection::vec((0usize..6, any::<bool>()), 1..4), 0..10);
    let soft =
        prop::collection::vec((prop::collection::vec((0usize..6, any::<bool>()), 1..3), 0u64..6), 1..7);
    let config = Config { cases: 40, failure_persistence: None, ..Config::default() };
    let outcome = TestRunner::new(config).run(&(clauses, soft), |(clauses, soft)| {
        let mut terms = terms.borrow_mut();
        let constants: Vec<TermId> =
            (0..6).map(|number| terms.constant(&format!("p{number}"), Sort::Bool).unwrap()).collect();
        let clause = |terms: &mut Terms, literals: &[(usize, bool)]| {
            let literals: Vec<TermId> = literals
                .iter()
                .map(
                    |(at, positive)| {
                        if *positive { constants[*at] } else { terms.not(constants[*at]).unwrap() }
                    },
                )
                .collect();
            terms.or(&literals).unwrap()
        };
        let hard: Vec<TermId> = clauses.iter().map(|literals| clause(&mut terms, literals)).collect();
        let preferences: Vec<Preference> = soft
            .iter()
            .map(|(literals, weight)| Preference { term: clause(&mut terms, literals), weight: *weight })
            .collect();
        let best = brute_force(&terms, &constants, &hard, &preferences);
        for session in sessions.borrow_mut().iter_mut() {
            session.push();
            for term in &hard {
                session.assert(&terms, *term).unwrap();
            }
            let optimum = session.optimise(&mut terms, &ask(), &preferences);
            session.pop().unwrap();
            let name = session.describe();
            match best {
                None => prop_assert!(matches!(optimum.answer, Answer::Unsat { .. }), "{name}: {optimum:?}"),
                Some(cost) => {
                    prop_assert!(matches!(optimum.answer, Answer::Sat(_)), "{name}: {optimum:?}");
                    prop_assert!(optimum.proved, "{name}: {optimum:?}");
                    prop_assert_eq!(optimum.cost, cost, "{}: {:?}", name, optimum);
                }
            }
        }
        Ok(())
    });
    if let Err(error) = outcome {
        panic!("{error}");
    }
}

#[test]
fn a_portfolio_answers_like_its_members() {
    let solvers = solvers();
    let mut portfolio = solvers.open(&SolverChoice::named("portfolio")).expect("run scripts/setup");
    let mut terms = Terms::new();
    let events: Vec<TermId> =
        (0..50).map(|number| terms.constant(&format!("o{number}"), Sort::Int).unwrap()).collect();
    for pair in events.windows(2) {
        let ordered = terms.lt(pair[0], pair[1]).unwrap();
        portfolio.assert(&terms, ordered).unwrap();
    }
    let back = terms.lt(events[40], events[3]).unwrap();
    for _ in 0..3 {
        assert!(matches!(portfolio.check(&terms, &ask()), Answer::Sat(_)));
        portfolio.push();
        portfolio.assert_named(&terms, "back", back).unwrap();
        let answer = portfolio.check(&terms, &ask().with_core());
        let Answer::Unsat { core: Some(core) } = answer else { panic!("{answer:?}") };
        assert_eq!(core.names, ["back"]);
        portfolio.pop().unwrap();
    }
    assert_eq!(portfolio.statistics().queries, 6);
}

#[test]
fn a_cross_checked_pair_agrees_and_confirms_cores() {
    let pair = ResolvedChoice::Pair(needed("yices"), needed("z3"));
    let mut pair = pair.open(&solvers());
    let mut terms = Terms::new();
    let x = terms.constant("x", Sort::Int).unwrap();
    let (three, five) = (terms.int(3).unwrap(), terms.int(5).unwrap());
    let (small, large) = (terms.lt(x, three).unwrap(), terms.lt(five, x).unwrap());
    pair.assert_named(&terms, "small", small).unwrap();
    assert!(matches!(pair.check(&terms, &ask()), Answer::Sat(_)));
    pair.assert_named(&terms, "large", large).unwrap();
    let answer = pair.check(&terms, &ask().with_core());
    let Answer::Unsat { core: Some(core) } = answer else { panic!("{answer:?}") };
    assert_eq!(core.names, ["large", "small"]);
    assert!(pair.describe().contains("checked by z3"));
}

#[test]
fn a_formula_beyond_a_solver_is_refused_with_a_sentence() {
    let mut session = session(needed("bitwuzla"));
    let mut terms = Terms::new();
    let (x, zero) = (terms.constant("x", Sort::Int).unwrap(), terms.int(0).unwrap());
    let positive = terms.lt(zero, x).unwrap();
    session.assert(&terms, positive).unwrap();
    let Answer::Unknown(Reason::Unsupported { what }) = session.check(&terms, &ask()) else { panic!() };
    assert_eq!(what, "bitwuzla cannot take the formula: it has no integers");
}

#[test]
fn wide_bit_vectors_are_refused_not_trusted() {
    let mut pair = CrossCheck::new(needed("z3"), needed("bitwuzla"), &supervisor());
    let mut terms = Terms::new();
    let [x, y] = ["x", "y"].map(|name| terms.constant(name, Sort::Bits(200)).unwrap());
    let differ = terms.distinct(&[x, y]).unwrap();
    pair.assert(&terms, differ).unwrap();
    let answer = pair.check(&terms, &ask());
    assert!(!answer.is_definite(), "{answer:?}");
}

#[test]
fn a_logic_that_grows_costs_a_new_process_but_no_answer() {
    for name in INTEGERS {
        let mut session = session(needed(name));
        let mut terms = Terms::new();
        let [x, y] = ["x", "y"].map(|name| terms.constant(name, Sort::Int).unwrap());
        let b = terms.constant("b", Sort::Bits(8)).unwrap();
        let before = terms.lt(x, y).unwrap();
        session.assert(&terms, before).unwrap();
        assert!(matches!(session.check(&terms, &ask()), Answer::Sat(_)), "{name}");
        let ten = terms.int(10).unwrap();
        let sum = terms.add(&[x, y]).unwrap();
        let fixed = terms.eq(sum, ten).unwrap();
        session.assert(&terms, fixed).unwrap();
        assert!(matches!(session.check(&terms, &ask()), Answer::Sat(_)), "{name}");
        let seven = terms.bits(7, 8).unwrap();
        let bits = terms.eq(b, seven).unwrap();
        session.assert(&terms, bits).unwrap();
        let answer = session.check(&terms, &ask());
        let Answer::Sat(model) = answer else { panic!("{name}: {answer:?}") };
        assert_eq!(model.get(b), Value::bits(7, 8), "{name}");
        assert_eq!(session.statistics().starts, 3, "{name}");
    }
}

#[test]
fn one_process_serves_many_arenas() {
    for name in ALL {
        let solver = needed(name);
        let incremental = solver.config.abilities.incremental;
        let mut session = session(solver);
        for round in 0..4 {
            session.change_arena();
            // The same ids and the same names mean something else in every arena.
            let mut terms = Terms::new();
            let width = 8 + round;
            let x = terms.constant("x", Sort::Bits(width)).unwrap();
            let wanted = terms.bits(u128::from(round), width).unwrap();
            let equal = terms.eq(x, wanted).unwrap();
            let differs = terms.not(equal).unwrap();
            session.push();
            session.assert(&terms, if round % 2 == 0 { equal } else { differs }).unwrap();
            let answer = session.check(&terms, &ask());
            let Answer::Sat(model) = answer else { panic!("{name}: {answer:?}") };
            assert_eq!(model.get(x) == Value::bits(round.into(), width), round % 2 == 0, "{name}");
            session.push();
            session.assert(&terms, if round % 2 == 0 { differs } else { equal }).unwrap();
            assert!(matches!(session.check(&terms, &ask()), Answer::Unsat { .. }), "{name}");
        }
        assert_eq!(session.statistics().starts, if incremental { 1 } else { 8 }, "{name}");
        // What was asserted on the first level cannot be popped: the process is replaced.
        session.change_arena();
        let mut terms = Terms::new();
        let p = terms.constant("p", Sort::Bool).unwrap();
        session.assert(&terms, p).unwrap();
        assert!(matches!(session.check(&terms, &ask()), Answer::Sat(_)), "{name}");
        session.change_arena();
        let mut terms = Terms::new();
        let q = terms.constant("q", Sort::Bool).unwrap();
        let not_q = terms.not(q).unwrap();
        session.assert(&terms, not_q).unwrap();
        assert!(matches!(session.check(&terms, &ask()), Answer::Sat(_)), "{name}");
        assert_eq!(session.statistics().starts, if incremental { 2 } else { 10 }, "{name}");
    }
}
