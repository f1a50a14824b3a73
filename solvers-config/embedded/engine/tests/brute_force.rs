//! Random formulas against trying all values.

#![allow(clippy::unwrap_used)] // Also in what tests share.

mod support;

use support::{Chance, World, assert_model, options, satisfiable};
use warpath_smt_engine::{Engine, Options, Outcome};
use warpath_solvers::term::{Simplification, TermId, Terms};

fn compare(seeds: std::ops::Range<u64>, shape: [usize; 3], width: u32, simplification: Simplification) {
    let mut answers = [0, 0];
    for seed in seeds {
        let mut chance = Chance::new(seed);
        let mut terms = Terms::with_simplification(simplification);
        let world = World::new(&mut terms, shape[0], shape[1], shape[2], width);
        let count = 1 + chance.below(12);
        let formulas: Vec<TermId> =
            (0..count).map(|_| world.formula(&mut terms, &mut chance, seed as usize % 2 + 1)).collect();
        let mut engine = Engine::new(options(seed));
        for &formula in &formulas {
            engine.assert(&mut terms, formula).unwrap();
        }
        let outcome = engine.check(&mut terms, &[], &mut || false).unwrap();
        let expected = satisfiable(&terms, &world, &formulas);
        assert_eq!(outcome, if expected { Outcome::Sat } else { Outcome::Unsat }, "seed {seed}");
        if expected {
            assert_model(&terms, &engine, &world, &formulas);
        }
        answers[usize::from(expected)] += 1;
    }
    assert!(answers[0] > 10 && answers[1] > 10, "both answers must occur: {answers:?}");
}

#[test]
fn orders_with_ties() {
    compare(0..600, [2, 4, 0], 1, Simplification::On);
    compare(600..900, [2, 4, 0], 1, Simplification::Off);
}

#[test]
fn vectors() {
    compare(1000..1300, [2, 0, 3], 3, Simplification::On);
    compare(1300..1500, [2, 0, 2], 3, Simplification::Off);
}

#[test]
fn everything_together() {
    compare(2000..2300, [2, 2, 2], 2, Simplification::On);
}

/// An engine, and what is asserted on each of its levels.
struct Levelled {
    engine: Engine,
    levels: Vec<Vec<TermId>>,
}

impl Levelled {
    fn new(seed: u64) -> Levelled {
        Levelled { engine: Engine::new(options(seed)), levels: vec![Vec::new()] }
    }

    fn push(&mut self) {
        self.engine.push();
        self.levels.push(Vec::new());
    }

    fn pop(&mut self) {
        self.engine.pop();
        self.levels.pop();
    }

    fn assert(&mut self, terms: &mut Terms, formula: TermId) {
        self.engine.assert(terms, formula).unwrap();
        self.levels.last_mut().unwrap().push(formula);
    }

    fn asserted(&self) -> Vec<TermId> {
        self.levels.iter().flatten().copied().collect()
    }
}

/// Levels, assertions and assumptions in a random order: each answer is the one of a fresh engine, cores are cores.
#[test]
fn one_engine_for_many_questions() {
    let mut answers = [0, 0];
    for seed in 0..120 {
        let mut chance = Chance::new(seed + 10_000);
        let mut terms = Terms::new();
        let world = World::new(&mut terms, 4, 5, 2, 3);
        let mut told = Levelled::new(seed);
        for _ in 0..40 {
            match chance.below(6) {
                0 => told.push(),
                1 if told.levels.len() > 1 => told.pop(),
                2 | 3 if told.asserted().len() < 14 => {
                    let formula = world.formula(&mut terms, &mut chance, 1);
                    told.assert(&mut terms, formula);
                }
                _ => {
                    let assumptions: Vec<TermId> = (0..chance.below(6))
                        .map(|_| {
                            let atom = world.atom(&mut terms, &mut chance, 0);
                            if chance.below(2) == 0 { atom } else { terms.not(atom).unwrap() }
                        })
                        .collect();
                    let outcome = told.engine.check(&mut terms, &assumptions, &mut || false).unwrap();
                    let asserted = told.asserted();
                    let fresh = |terms: &mut Terms, more: &[TermId]| {
                        let mut engine = Engine::new(Options::default());
                        for &formula in asserted.iter().chain(more) {
                            engine.assert(terms, formula).unwrap();
                        }
                        engine.check(terms, &[], &mut || false).unwrap()
                    };
                    assert_eq!(outcome, fresh(&mut terms, &assumptions), "seed {seed}");
                    if outcome == Outcome::Sat {
                        assert_model(&terms, &told.engine, &world, &[asserted, assumptions].concat());
                    } else {
                        let core = told.engine.failed().to_vec();
                        assert!(core.iter().all(|term| assumptions.contains(term)));
                        assert_eq!(fresh(&mut terms, &core), Outcome::Unsat, "seed {seed}: not a core");
                    }
                    answers[usize::from(outcome == Outcome::Sat)] += 1;
                }
            }
        }
    }
    assert!(answers[0] > 100 && answers[1] > 100, "both answers must occur: {answers:?}");
}

/// Some integers in chains, as program order asserts them, and clauses of comparisons between them, on levels that come
/// and go: each answer is the one of an engine that cannot see that there are chains.
#[test]
fn chains_change_no_answer() {
    let mut answers = [0, 0];
    for seed in 0..150 {
        let mut chance = Chance::new(seed + 20_000);
        let mut terms = Terms::new();
        let [chains, length] = [2 + chance.below(3), 3 + chance.below(6)];
        let world = World::new(&mut terms, 1, chains * length, 0, 1);
        let never = world.bools[0];
        let mut told = Levelled::new(seed);
        let any = |chance: &mut Chance| world.ints[chance.below(chains * length)];
        for _ in 0..60 {
            let mut formulas = Vec::new();
            match chance.below(8) {
                0 => told.push(),
                1 if told.levels.len() > 1 => told.pop(),
                // A part of a chain; now and then the wrong way round.
                2 => {
                    let start = chance.below(chains) * length + chance.below(length - 1);
                    let end = (start / length + 1) * length;
                    for at in start..end.min(start + 1 + chance.below(length)) - 1 {
                        formulas.push(terms.lt(world.ints[at], world.ints[at + 1]).unwrap());
                    }
                    if chance.below(40) == 0 {
                        formulas.push(terms.lt(any(&mut chance), any(&mut chance)).unwrap());
                    }
                }
                3 | 4 => {
                    let mut literals = Vec::new();
                    for _ in 0..2 + chance.below(2) {
                        let atom = terms.lt(any(&mut chance), any(&mut chance)).unwrap();
                        literals.push(if chance.below(2) == 0 { atom } else { terms.not(atom).unwrap() });
                    }
                    formulas.push(terms.or(&literals).unwrap());
                }
                _ => {
                    let asserted = told.asserted();
                    let outcome = told.engine.check(&mut terms, &[], &mut || false).unwrap();
                    // What stands beside something that is never true is no link.
                    let mut blind = Engine::new(Options::default());
                    for &formula in &asserted {
                        let hidden = terms.or(&[formula, never]).unwrap();
                        blind.assert(&mut terms, hidden).unwrap();
                    }
                    let not = terms.not(never).unwrap();
                    blind.assert(&mut terms, not).unwrap();
                    assert_eq!(outcome, blind.check(&mut terms, &[], &mut || false).unwrap(), "seed {seed}");
                    if outcome == Outcome::Sat {
                        assert_model(&terms, &told.engine, &world, &asserted);
                    }
                    answers[usize::from(outcome == Outcome::Sat)] += 1;
                }
            }
            for formula in formulas {
                told.assert(&mut terms, formula);
            }
        }
    }
    assert!(answers[0] > 100 && answers[1] > 100, "both answers must occur: {answers:?}");
}
