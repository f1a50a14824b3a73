//! Families of comparisons against what they stand for: all values of small ones, and their clauses written out.

#![allow(clippy::unwrap_used)] // Also in what tests share.

mod support;

use support::{Chance, World, assert_model, options, satisfiable};
use warpath_smt_engine::{Engine, Options, Outcome};
use warpath_solvers::term::{Op, TermError, TermId, Terms};

/// A family as an operation and the same as its definition.
struct Family {
    one: TermId,
    written: TermId,
}

fn apart(terms: &mut Terms, sections: &[[TermId; 4]]) -> Result<Family, TermError> {
    let mut clauses = Vec::new();
    for (n, &[entered, from, left, to]) in sections.iter().enumerate() {
        for &[other_entered, other_from, other_left, other_to] in &sections[..n] {
            let (after, before) = (terms.lt(other_to, from)?, terms.lt(to, other_from)?);
            let ways = [terms.and(&[other_left, after])?, terms.and(&[left, before])?];
            let (both, way) = (terms.and(&[entered, other_entered])?, terms.or(&ways)?);
            clauses.push(terms.implies(both, way)?);
        }
    }
    let one = terms.apply(Op::Apart, sections.as_flattened())?;
    Ok(Family { one, written: terms.and(&clauses)? })
}

fn latest(
    terms: &mut Terms,
    read: TermId,
    first: TermId,
    writes: &[[TermId; 3]],
) -> Result<Family, TermError> {
    let mut clauses = Vec::new();
    for (n, &[seen, done, at]) in writes.iter().enumerate() {
        let so = [done, terms.lt(at, read)?];
        let so = terms.and(&so)?;
        clauses.push(terms.implies(seen, so)?);
        let later = terms.lt(read, at)?;
        let hidden = terms.implies(done, later)?;
        clauses.push(terms.implies(first, hidden)?);
        for (_, &[_, other_done, other]) in writes.iter().enumerate().filter(|&(m, _)| m != n) {
            let places = [terms.lt(other, at)?, terms.lt(read, other)?];
            let (place, both) = (terms.or(&places)?, terms.and(&[seen, other_done])?);
            clauses.push(terms.implies(both, place)?);
        }
    }
    let args: Vec<TermId> = [read, first].into_iter().chain(writes.iter().flatten().copied()).collect();
    Ok(Family { one: terms.apply(Op::Latest, &args)?, written: terms.and(&clauses)? })
}

/// A family of constants of a world; now and then behind something else.
fn any(terms: &mut Terms, world: &World, chance: &mut Chance, size: usize) -> Family {
    fn literal(terms: &mut Terms, world: &World, chance: &mut Chance) -> TermId {
        let constant = chance.of(&world.bools);
        match chance.below(4) {
            0 => terms.not(constant).unwrap(),
            1 => terms.bool(true),
            _ => constant,
        }
    }
    let Family { one, written } = if chance.below(2) == 0 {
        let sections: Vec<[TermId; 4]> = (0..2 + chance.below(size))
            .map(|_| {
                let (entered, left) = (literal(terms, world, chance), literal(terms, world, chance));
                [entered, chance.of(&world.ints), left, chance.of(&world.ints)]
            })
            .collect();
        apart(terms, &sections).unwrap()
    } else {
        let writes: Vec<[TermId; 3]> = (0..1 + chance.below(size))
            .map(|_| {
                let seen = chance.of(&world.bools);
                [seen, literal(terms, world, chance), chance.of(&world.ints)]
            })
            .collect();
        let (read, first) = (chance.of(&world.ints), literal(terms, world, chance));
        latest(terms, read, first, &writes).unwrap()
    };
    match chance.below(4) {
        0 => {
            let guard = world.atom(terms, chance, 0);
            let behind = |terms: &mut Terms, term| terms.implies(guard, term).unwrap();
            Family { one: behind(terms, one), written: behind(terms, written) }
        }
        1 => {
            let other = world.atom(terms, chance, 0);
            let or = |terms: &mut Terms, term| terms.or(&[other, term]).unwrap();
            Family { one: or(terms, one), written: or(terms, written) }
        }
        _ => Family { one, written },
    }
}

#[test]
fn they_mean_what_is_said_of_them() {
    let mut answers = [0, 0];
    for seed in 0..100 {
        let mut chance = Chance::new(seed + 30_000);
        let mut terms = Terms::new();
        let world = World::new(&mut terms, 3, 4, 0, 1);
        let mut formulas = Vec::new();
        for _ in 0..1 + chance.below(3) {
            let family = any(&mut terms, &world, &mut chance, 3);
            let differ = terms.eq(family.one, family.written).unwrap();
            let differ = terms.not(differ).unwrap();
            assert!(
                !satisfiable(&terms, &world, &[differ]),
                "seed {seed}: our evaluator and the definition differ"
            );
            formulas.push(family.one);
        }
        for _ in 0..chance.below(6) {
            formulas.push(world.formula(&mut terms, &mut chance, 1));
        }
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
    assert!(answers[0] > 5 && answers[1] > 5, "both answers must occur: {answers:?}");
}

/// Threads with sections, writes and reads in chains, on levels that come and go, a usual order or none: each answer is
/// the one of an engine that is told the clauses.
#[test]
fn they_are_their_clauses() {
    let mut answers = [0, 0];
    for seed in 0..120 {
        let mut chance = Chance::new(seed + 40_000);
        let mut terms = Terms::new();
        let [threads, length] = [2 + chance.below(3), 4 + chance.below(6)];
        let world = World::new(&mut terms, 8, threads * length, 0, 1);
        let mut engine = Engine::new(options(seed));
        let mut levels: Vec<Vec<TermId>> = vec![Vec::new()];
        let tell = |engine: &mut Engine, terms: &mut Terms, levels: &mut Vec<Vec<TermId>>, one, written| {
            engine.assert(terms, one).unwrap();
            levels.last_mut().unwrap().push(written);
        };
        for thread in 0..threads {
            for at in thread * length..(thread + 1) * length - 1 {
                let link = terms.lt(world.ints[at], world.ints[at + 1]).unwrap();
                tell(&mut engine, &mut terms, &mut levels, link, link);
            }
        }
        if chance.below(2) == 0 {
            let usual = terms.apply(Op::Usual, &world.ints).unwrap();
            engine.assert(&mut terms, usual).unwrap();
        }
        for _ in 0..40 {
            match chance.below(7) {
                0 => {
                    engine.push();
                    levels.push(Vec::new());
                }
                1 if levels.len() > 1 => {
                    engine.pop();
                    levels.pop();
                }
                2 | 3 if levels.iter().flatten().count() < 60 => {
                    let Family { one, written } = any(&mut terms, &world, &mut chance, 8);
                    tell(&mut engine, &mut terms, &mut levels, one, written);
                }
                4 => {
                    let formula = world.formula(&mut terms, &mut chance, 1);
                    tell(&mut engine, &mut terms, &mut levels, formula, formula);
                }
                _ => {
                    let assumed: Vec<TermId> =
                        (0..chance.below(4)).map(|_| world.atom(&mut terms, &mut chance, 0)).collect();
                    let outcome = engine.check(&mut terms, &assumed, &mut || false).unwrap();
                    let told: Vec<TermId> = levels.iter().flatten().chain(&assumed).copied().collect();
                    let mut plain = Engine::new(Options::default());
                    for &formula in &told {
                        plain.assert(&mut terms, formula).unwrap();
                    }
                    assert_eq!(outcome, plain.check(&mut terms, &[], &mut || false).unwrap(), "seed {seed}");
                    if outcome == Outcome::Sat {
                        assert_model(&terms, &engine, &world, &told);
                    }
                    answers[usize::from(outcome == Outcome::Sat)] += 1;
                }
            }
        }
    }
    assert!(answers[0] > 100 && answers[1] > 100, "both answers must occur: {answers:?}");
}

/// What cannot be decided is refused, and nothing of it is asserted.
#[test]
fn inside_of_formulas_they_are_refused() {
    let mut terms = Terms::new();
    let world = World::new(&mut terms, 2, 4, 0, 1);
    let sections = [[world.bools[0], world.ints[0], world.bools[0], world.ints[1]]; 2];
    let family = apart(&mut terms, &sections).unwrap().one;
    let mut engine = Engine::new(Options::default());
    for nested in [terms.not(family).unwrap(), terms.eq(family, world.bools[1]).unwrap()] {
        let refused = engine.assert(&mut terms, nested).unwrap_err();
        assert_eq!(refused.what, "`orders.apart` stands alone or as an alternative, not inside of a formula");
    }
    assert_eq!(engine.check(&mut terms, &[], &mut || false).unwrap(), Outcome::Sat);
}
