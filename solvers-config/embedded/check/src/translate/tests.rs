//! Our translation against the evaluator: under a model, the literal of a term is implied exactly if the term is true.

#![allow(clippy::unwrap_used)] // what is built here is well-sorted

use super::Translation;
use crate::literal::Lit;
use warpath_solvers::term::{Model, Op, Sort, TermId, Terms, Value, eval};

struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }

    fn of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }
}

const BINARY: [Op; 18] = [
    Op::BvAnd,
    Op::BvOr,
    Op::BvXor,
    Op::BvNand,
    Op::BvNor,
    Op::BvXnor,
    Op::BvAdd,
    Op::BvSub,
    Op::BvMul,
    Op::BvUdiv,
    Op::BvUrem,
    Op::BvSdiv,
    Op::BvSrem,
    Op::BvSmod,
    Op::BvShl,
    Op::BvLshr,
    Op::BvAshr,
    Op::BvComp,
];
const UNARY: [Op; 8] = [
    Op::BvNot,
    Op::BvNeg,
    Op::Extract { high: 3, low: 1 },
    Op::ZeroExtend(3),
    Op::SignExtend(3),
    Op::RotateLeft(3),
    Op::RotateRight(2),
    Op::Repeat(2),
];
const COMPARE: [Op; 9] =
    [Op::BvUlt, Op::BvUle, Op::BvUgt, Op::BvUge, Op::BvSlt, Op::BvSle, Op::BvSgt, Op::BvSge, Op::Eq];
const ORDER: [Op; 6] = [Op::Lt, Op::Le, Op::Gt, Op::Ge, Op::Eq, Op::Distinct];

/// A vector of four or five bits.
fn vector(terms: &mut Terms, chance: &mut Chance, leaves: &[TermId], depth: usize) -> TermId {
    if depth == 0 {
        return match chance.below(4) {
            0 => terms.bits(chance.below(32) as u128, 5).unwrap(),
            _ => chance.of(leaves),
        };
    }
    let a = vector(terms, chance, leaves, depth - 1);
    let b = vector(terms, chance, leaves, depth - 1);
    let made = match chance.below(5) {
        0 => terms.apply(chance.of(&UNARY), &[a]).unwrap(),
        1 => terms.apply(Op::Concat, &[a, b]).unwrap(),
        2 => {
            let condition = terms.apply(chance.of(&COMPARE), &[a, b]).unwrap();
            terms.ite(condition, a, b).unwrap()
        }
        _ => terms.apply(chance.of(&BINARY), &[a, b]).unwrap(),
    };
    match terms.sort(made) {
        Sort::Bits(width) if width > 5 => terms.apply(Op::Extract { high: 4, low: 0 }, &[made]).unwrap(),
        Sort::Bits(width) => terms.apply(Op::SignExtend(5 - width as u16), &[made]).unwrap(),
        _ => made,
    }
}

fn formula(
    terms: &mut Terms,
    chance: &mut Chance,
    bools: &[TermId],
    vectors: &[TermId],
    ints: &[TermId],
    depth: usize,
) -> TermId {
    if depth == 0 {
        return match chance.below(3) {
            0 if !bools.is_empty() => chance.of(bools),
            1 if !ints.is_empty() => {
                let (a, b) = (chance.of(ints), chance.of(ints));
                let number = terms.int(chance.below(5) as i128 - 2).unwrap();
                let a = terms.add(&[a, number]).unwrap();
                let a = match bools.first() {
                    Some(&condition) if chance.below(2) == 0 => terms.ite(condition, a, number).unwrap(),
                    _ => a,
                };
                terms.apply(chance.of(&ORDER), &[a, b]).unwrap()
            }
            _ => {
                let a = vector(terms, chance, vectors, 2);
                let b = vector(terms, chance, vectors, 1);
                terms.apply(chance.of(&COMPARE), &[a, b]).unwrap()
            }
        };
    }
    let mut part = || formula(terms, chance, bools, vectors, ints, depth - 1);
    let parts = [part(), part(), part()];
    match chance.below(7) {
        0 => terms.and(&parts),
        1 => terms.or(&parts),
        2 => terms.xor(parts[0], parts[1]),
        3 => terms.implies(parts[0], parts[1]),
        4 => terms.ite(parts[0], parts[1], parts[2]),
        5 => terms.eq(parts[0], parts[1]),
        _ => terms.not(parts[0]),
    }
    .unwrap()
}

#[test]
fn terms_mean_what_the_evaluator_says() {
    let mut truths = 0;
    for seed in 0..4000 {
        let mut chance = Chance(seed);
        let mut terms = Terms::new();
        let mut make = |name: &str, sort| -> Vec<TermId> {
            (0..3).map(|n| terms.constant(&format!("{name}{n}"), sort).unwrap()).collect()
        };
        let (bools, vectors) = (make("p", Sort::Bool), make("v", Sort::Bits(5)));
        let ints = make("i", Sort::Int);
        let term = formula(&mut terms, &mut chance, &bools, &vectors, &ints, 2);
        let mut translation = Translation::new();
        let literal = translation.literal(&terms, term).unwrap();
        let clauses = translation.clauses(&terms, term).unwrap();
        let mut model = Model::new();
        let mut units = Vec::new();
        for &id in &bools {
            let value = chance.below(2) == 1;
            model.set(id, Value::Bool(value));
            units.push(translation.input(id, 0).flipped(!value));
        }
        for &id in &vectors {
            let value = chance.below(32) as u128;
            model.set(id, Value::Bits { width: 5, value });
            units.extend((0..5).map(|bit| translation.input(id, bit).flipped(value >> bit & 1 == 0)));
        }
        let mut values = vec![Some(0_i64)];
        for &id in &ints {
            let value = chance.below(5) as i64 - 2;
            model.set(id, Value::Int(value.into()));
            let node = translation.node(id) as usize;
            values.resize(values.len().max(node + 1), None);
            values[node] = Some(value);
        }
        for unit in units {
            translation.circuit.clauses.add(&[unit]);
        }
        // Comparisons of choices follow from lemmas, so they need the values as well.
        translation.orders.settle(&mut values, &mut translation.circuit.clauses);
        let holds = eval(&terms, &model, term) == Ok(Value::Bool(true));
        let database = &mut translation.circuit.clauses;
        assert!(database.follows(&[literal.flipped(!holds)]), "seed {seed}");
        assert!(!database.follows(&[literal.flipped(holds)]), "seed {seed}");
        let all = clauses
            .iter()
            .all(|clause: &Vec<Lit>| clause.iter().any(|&literal| database.follows(&[literal])));
        assert_eq!(all, holds, "seed {seed}");
        truths += usize::from(holds);
    }
    assert!((1000..3000).contains(&truths), "{truths}");
}
