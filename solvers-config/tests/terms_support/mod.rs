//! Random well-sorted terms and models, shared by the tests of terms and scripts.

#![allow(clippy::unwrap_used)] // helpers of tests

use proptest::prelude::*;
use warpath_solvers::term::{Model, Op, Simplification, Sort, TermId, Terms, Value};

/// A recipe for a DAG of terms: each step is resolved against what is there already, so that any
/// sequence of numbers makes well-sorted terms and shrinks well.
#[derive(Debug, Clone)]
pub(crate) struct Recipe {
    pub(crate) widths: Vec<u32>,
    pub(crate) steps: Vec<Step>,
}

#[derive(Debug, Clone)]
pub(crate) struct Step {
    op: usize,
    picks: [usize; 4],
    numbers: [u16; 2],
    literal: u128,
}

/// Names that need every kind of escape.
pub(crate) const NAMES: &[&str] =
    &["x", "o(a)", "main.c:31 x[3]", "let", "é|\\", "", "def.0", "-5", "a%41", "true", "\"q\";"];

fn width() -> impl Strategy<Value = u32> {
    prop_oneof![Just(1), Just(8), Just(32), Just(64), Just(127), Just(128), 1..=128_u32]
}

/// Literals that make arithmetic interesting.
fn literal() -> impl Strategy<Value = u128> {
    prop_oneof![
        Just(0),
        Just(1),
        Just(u128::MAX),
        Just(1 << 127),
        0..=130_u128,
        any::<u128>(),
        (0..128_u32).prop_map(|bit| 1 << bit),
    ]
}

pub(crate) fn recipe(steps: usize) -> impl Strategy<Value = Recipe> {
    let step = (any::<usize>(), any::<[usize; 4]>(), any::<[u16; 2]>(), literal())
        .prop_map(|(op, picks, numbers, literal)| Step { op, picks, numbers, literal });
    (proptest::collection::vec(width(), 1..4), proptest::collection::vec(step, 1..steps))
        .prop_map(|(widths, steps)| Recipe { widths, steps })
}

/// What a recipe made: the arena, its constants, and every term in order.
pub(crate) struct Made {
    pub(crate) terms: Terms,
    pub(crate) constants: Vec<TermId>,
    pub(crate) all: Vec<TermId>,
}

/// What the leaves of a recipe's terms are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(dead_code)] // each test file uses its own
pub(crate) enum Leaves {
    /// Constants and literals.
    Constants,
    /// Literals only.
    Literals,
}

/// Follows a recipe.
pub(crate) fn make(recipe: &Recipe, simplification: Simplification, leaves: Leaves) -> Made {
    let mut terms = Terms::with_simplification(simplification);
    let mut constants = Vec::new();
    let mut all = vec![terms.bool(true), terms.bool(false)];
    let mut sorts = vec![Sort::Bool, Sort::Int];
    sorts.extend(recipe.widths.iter().map(|&width| Sort::Bits(width)));
    for (index, &sort) in sorts.iter().enumerate() {
        if leaves == Leaves::Constants {
            for copy in 0..2 {
                let name = match copy {
                    0 => format!("v{index}"),
                    _ => NAMES[index % NAMES.len()].to_owned(),
                };
                constants.push(terms.constant(&name, sort).unwrap());
            }
        } else {
            let literal = recipe.steps[index % recipe.steps.len()].literal;
            all.push(terms.value(value_of(sort, literal)).unwrap());
        }
    }
    all.extend(&constants);
    for step in &recipe.steps {
        let term = apply(&mut terms, &all, step);
        all.push(term);
    }
    Made { terms, constants, all }
}

/// A value of a sort out of raw bits.
pub(crate) fn value_of(sort: Sort, raw: u128) -> Value {
    match sort {
        Sort::Bool => Value::Bool(raw & 1 == 1),
        // Small enough that sums and products of a few stay exact.
        Sort::Int => Value::Int((raw as i128) % 1_000_003),
        Sort::Bits(width) => Value::bits(raw, width).unwrap(),
    }
}

/// A model for constants out of raw numbers.
#[allow(dead_code)]
pub(crate) fn model(made: &Made, raw: &[u128]) -> Model {
    made.constants
        .iter()
        .zip(raw.iter().cycle())
        .map(|(&constant, &raw)| (constant, value_of(made.terms.sort(constant), raw)))
        .collect()
}

/// The last term of a sort at or before a position, walking around.
fn pick(terms: &Terms, all: &[TermId], at: usize, accept: impl Fn(Sort) -> bool) -> Option<TermId> {
    // Mostly recent terms, so that the DAG grows deep, but any may come.
    let start =
        if at.is_multiple_of(3) { at % all.len() } else { all.len() - 1 - (at / 3) % all.len().min(6) };
    (0..all.len()).map(|back| all[(start + all.len() - back) % all.len()]).find(|&id| accept(terms.sort(id)))
}

fn apply(terms: &mut Terms, all: &[TermId], step: &Step) -> TermId {
    let indexed = [
        Op::Extract { high: 0, low: 0 },
        Op::ZeroExtend(0),
        Op::SignExtend(0),
        Op::RotateLeft(0),
        Op::RotateRight(0),
        Op::Repeat(0),
    ];
    let count = Op::PLAIN.len() + indexed.len() + 1;
    let choice = step.op % count;
    let bool_at = |terms: &Terms, at| pick(terms, all, at, |s| s == Sort::Bool).unwrap();
    let int_at = |terms: &Terms, at| pick(terms, all, at, |s| s == Sort::Int);
    let bits_at = |terms: &Terms, at| pick(terms, all, at, |s| matches!(s, Sort::Bits(_))).unwrap();
    let same_at = |terms: &Terms, at, sort| pick(terms, all, at, |s| s == sort).unwrap();
    let [a, b, c, d] = step.picks;
    if choice == count - 1 {
        // A literal of the sort of an existing term.
        let sort = terms.sort(all[a % all.len()]);
        return terms.value(value_of(sort, step.literal)).unwrap();
    }
    let Some(&op) = Op::PLAIN.get(choice) else {
        let arg = bits_at(terms, a);
        let width = terms.sort(arg).width().unwrap();
        let [x, y] = step.numbers.map(u32::from);
        let op = match indexed[choice - Op::PLAIN.len()] {
            Op::Extract { .. } => {
                let low = x % width;
                let high = low + y % (width - low);
                Op::Extract { high: high as u16, low: low as u16 }
            }
            Op::ZeroExtend(_) => Op::ZeroExtend((x % (129 - width)) as u16),
            Op::SignExtend(_) => Op::SignExtend((x % (129 - width)) as u16),
            Op::RotateLeft(_) => Op::RotateLeft((x % 300) as u16),
            Op::RotateRight(_) => Op::RotateRight((x % 300) as u16),
            _ => Op::Repeat((1 + x % (128 / width)) as u16),
        };
        return terms.apply(op, &[arg]).unwrap();
    };
    let args = match op {
        Op::Not => vec![bool_at(terms, a)],
        Op::And | Op::Or => [a, b, c, d][..2 + d % 3].iter().map(|&at| bool_at(terms, at)).collect(),
        Op::Xor | Op::Implies => vec![bool_at(terms, a), bool_at(terms, b)],
        Op::Eq => {
            let first = all[a % all.len()];
            vec![first, same_at(terms, b, terms.sort(first))]
        }
        Op::Distinct => {
            let first = all[a % all.len()];
            let sort = terms.sort(first);
            let mut args = vec![first];
            args.extend([b, c, d][..1 + a % 3].iter().map(|&at| same_at(terms, at, sort)));
            args
        }
        Op::Ite => {
            let first = all[a % all.len()];
            let sort = terms.sort(first);
            vec![bool_at(terms, c), first, same_at(terms, b, sort)]
        }
        Op::Neg => vec![int_at(terms, a).unwrap()],
        Op::Add | Op::Mul => [a, b, c, d][..2 + d % 3].iter().map(|&at| int_at(terms, at).unwrap()).collect(),
        Op::Sub | Op::Lt | Op::Le | Op::Gt | Op::Ge => {
            vec![int_at(terms, a).unwrap(), int_at(terms, b).unwrap()]
        }
        Op::BvNot | Op::BvNeg => vec![bits_at(terms, a)],
        Op::Concat => {
            let (mut high, mut low) = (bits_at(terms, a), bits_at(terms, b));
            let width = |terms: &Terms, id| terms.sort(id).width().unwrap();
            if width(terms, high) + width(terms, low) > 128 {
                let half = |id| (Op::Extract { high: 0, low: 0 }, id);
                let (op, id) = half(high);
                high = terms.apply(op, &[id]).unwrap();
                if width(terms, low) == 128 {
                    let (op, id) = half(low);
                    low = terms.apply(op, &[id]).unwrap();
                }
            }
            vec![high, low]
        }
        _ => {
            let first = bits_at(terms, a);
            vec![first, same_at(terms, b, terms.sort(first))]
        }
    };
    terms.apply(op, &args).unwrap()
}
