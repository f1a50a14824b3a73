//! Every operation on bit-vectors against its definition: exhaustively for small widths, by chance for large ones.

#![allow(clippy::unwrap_used)] // Also in what tests share.

mod support;

use support::{COMPARISONS, Chance, VECTORS};
use warpath_smt_engine::{Engine, Options, Outcome};
use warpath_solvers::term::{Model, Op, Simplification, Sort, TermId, Terms, Value, eval};

const UNARY: [Op; 9] = [
    Op::BvNot,
    Op::BvNeg,
    Op::Extract { high: 2, low: 1 },
    Op::ZeroExtend(3),
    Op::SignExtend(3),
    Op::RotateLeft(5),
    Op::RotateRight(4),
    Op::Repeat(3),
    Op::Extract { high: 0, low: 0 },
];

/// All operations on `a` and `b`, as terms.
fn operations(terms: &mut Terms, a: TermId, b: TermId) -> Vec<TermId> {
    let mut made = Vec::new();
    for op in VECTORS.into_iter().chain(COMPARISONS).filter(|&op| op != Op::Ite) {
        made.push(terms.apply(op, &[a, b]).unwrap());
    }
    let width = terms.sort(a).width().unwrap();
    for op in UNARY {
        let fits = match op {
            Op::Extract { high, .. } => u32::from(high) < width,
            Op::Repeat(times) => u32::from(times) * width <= 128,
            Op::ZeroExtend(by) | Op::SignExtend(by) => u32::from(by) + width <= 128,
            _ => true,
        };
        if fits {
            made.push(terms.apply(op, &[a]).unwrap());
        }
    }
    let less = terms.apply(Op::BvUlt, &[a, b]).unwrap();
    made.push(terms.ite(less, b, a).unwrap());
    made.push(terms.eq(a, b).unwrap());
    made.retain(|&term| terms.sort(term).has_values());
    made
}

/// With `a` and `b` fixed to values, each operation must have the value that its definition gives.
fn agree(width: u32, pairs: impl Iterator<Item = (u128, u128)>) {
    let mut terms = Terms::with_simplification(Simplification::Off);
    let a = terms.constant("a", Sort::Bits(width)).unwrap();
    let b = terms.constant("b", Sort::Bits(width)).unwrap();
    let made = operations(&mut terms, a, b);
    let results: Vec<TermId> =
        (0..made.len()).map(|n| terms.constant(&format!("r{n}"), terms.sort(made[n])).unwrap()).collect();
    let mut engine = Engine::new(Options::default());
    for (&result, &term) in results.iter().zip(&made) {
        let same = terms.eq(result, term).unwrap();
        engine.assert(&mut terms, same).unwrap();
    }
    for (x, y) in pairs {
        let mut assumptions = Vec::new();
        for (constant, value) in [(a, x), (b, y)] {
            let value = terms.bits(value, width).unwrap();
            assumptions.push(terms.eq(constant, value).unwrap());
        }
        assert_eq!(engine.check(&mut terms, &assumptions, &mut || false), Ok(Outcome::Sat));
        let model: Model =
            [(a, x), (b, y)].map(|(c, v)| (c, Value::bits(v, width).unwrap())).into_iter().collect();
        for (&result, &term) in results.iter().zip(&made) {
            let found = engine.value(&terms, result).unwrap();
            assert_eq!(Ok(found), eval(&terms, &model, term), "{:?} of {x} and {y}", terms.shape(term));
        }
    }
}

#[test]
fn exhaustively() {
    for width in 1..=4 {
        let all = 1_u128 << width;
        agree(width, (0..all).flat_map(|x| (0..all).map(move |y| (x, y))));
    }
}

#[test]
fn by_chance() {
    for width in [7, 8, 31, 33, 64, 128] {
        let mut chance = Chance::new(u64::from(width));
        let mask = u128::MAX >> (128 - width);
        let mut value = move || {
            let wide = u128::from(chance.bits()) << 64 | u128::from(chance.bits());
            match chance.below(4) {
                0 => wide & mask,
                1 => wide & mask & 0x3f,
                2 => !(wide & 7) & mask,
                _ => mask & !(mask >> 1) | wide & 1,
            }
        };
        agree(width, (0..12).map(|_| (value(), value())).collect::<Vec<_>>().into_iter());
    }
}

/// Terms wider than any value, in the middle.
#[test]
fn wider_than_values() {
    let mut terms = Terms::new();
    let a = terms.constant("a", Sort::Bits(100)).unwrap();
    let both = terms.apply(Op::Concat, &[a, a]).unwrap();
    let middle = terms.apply(Op::Extract { high: 131, low: 68 }, &[both]).unwrap();
    let wanted = terms.bits(0xdead_beef_0123_4567, 64).unwrap();
    let same = terms.eq(middle, wanted).unwrap();
    let mut engine = Engine::new(Options::default());
    engine.assert(&mut terms, same).unwrap();
    assert_eq!(engine.check(&mut terms, &[], &mut || false), Ok(Outcome::Sat));
    let value = engine.value(&terms, a).unwrap().as_bits().unwrap();
    assert_eq!((value >> 68 | value << 32) as u64, 0xdead_beef_0123_4567);
}
