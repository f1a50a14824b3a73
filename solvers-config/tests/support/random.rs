//! Small random problems, built from plain numbers so that they shrink well.

use proptest::prelude::*;
use warpath_solvers::term::{Op, Sort, TermId, Terms};

/// Which language a problem is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    Difference,
    Linear,
    Bits(u32),
}

/// One step of construction: an operation and what to apply it to, by number.
type Step = (u8, u8, u8);

/// A recipe for some assertions.
#[derive(Debug, Clone)]
pub struct Recipe {
    pub numbers: Vec<Step>,
    pub atoms: Vec<Step>,
    pub formulas: Vec<Step>,
    pub assertions: Vec<(u8, bool)>,
}

pub fn recipes() -> impl Strategy<Value = Recipe> {
    let steps = |most| prop::collection::vec(any::<Step>(), 1..most);
    (steps(6), steps(8), steps(8), prop::collection::vec(any::<(u8, bool)>(), 1..9))
        .prop_map(|(numbers, atoms, formulas, assertions)| Recipe { numbers, atoms, formulas, assertions })
}

fn pick(pool: &[TermId], number: u8) -> TermId {
    pool[usize::from(number) % pool.len()]
}

impl Recipe {
    /// Builds the assertions. The same names are used for every recipe of a language.
    pub fn build(&self, terms: &mut Terms, language: Language) -> Vec<TermId> {
        let numbers = self.numbers(terms, language);
        let mut formulas: Vec<TermId> =
            ["p", "q"].iter().map(|name| terms.constant(name, Sort::Bool).unwrap()).collect();
        for (op, a, b) in &self.atoms {
            formulas.push(atom(terms, language, *op, pick(&numbers, *a), pick(&numbers, *b)));
        }
        for (op, a, b) in &self.formulas {
            let (a, b) = (pick(&formulas, *a), pick(&formulas, *b));
            let ops = [Op::And, Op::Or, Op::Xor, Op::Implies, Op::Eq];
            let built = match usize::from(*op) % 6 {
                5 => terms.not(a),
                at => terms.apply(ops[at], &[a, b]),
            };
            formulas.push(built.unwrap());
        }
        self.assertions
            .iter()
            .map(|(number, positive)| {
                let formula = pick(&formulas, number.wrapping_neg());
                if *positive { formula } else { terms.not(formula).unwrap() }
            })
            .collect()
    }

    fn numbers(&self, terms: &mut Terms, language: Language) -> Vec<TermId> {
        let (sort, prefix) = match language {
            Language::Bits(width) => (Sort::Bits(width), format!("b{width}")),
            _ => (Sort::Int, "i".to_owned()),
        };
        let mut pool: Vec<TermId> =
            (0..4).map(|number| terms.constant(&format!("{prefix} {number}"), sort).unwrap()).collect();
        for (op, a, b) in &self.numbers {
            let (left, right) = (pick(&pool, *a), pick(&pool, *b));
            let built = match language {
                Language::Difference => continue,
                Language::Linear => match op % 4 {
                    0 => terms.add(&[left, right]),
                    1 => terms.sub(left, right),
                    2 => {
                        let factor = terms.int(i128::from(*b) - 128).unwrap();
                        terms.apply(Op::Mul, &[factor, left])
                    }
                    _ => terms.int(i128::from(*a) - i128::from(*b)),
                },
                Language::Bits(width) => {
                    let ops = [
                        Op::BvAdd,
                        Op::BvSub,
                        Op::BvMul,
                        Op::BvAnd,
                        Op::BvOr,
                        Op::BvXor,
                        Op::BvUdiv,
                        Op::BvUrem,
                        Op::BvSdiv,
                        Op::BvSrem,
                        Op::BvShl,
                        Op::BvLshr,
                        Op::BvAshr,
                    ];
                    match usize::from(*op) % (ops.len() + 1) {
                        at if at < ops.len() => terms.apply(ops[at], &[left, right]),
                        _ => terms.bits(u128::from(*a) & ((1 << width) - 1), width),
                    }
                }
            };
            pool.push(built.unwrap());
        }
        pool
    }
}

fn atom(terms: &mut Terms, language: Language, op: u8, a: TermId, b: TermId) -> TermId {
    let built = match language {
        Language::Difference => {
            let bound = terms.int(i128::from(op) - 128).unwrap();
            let difference = terms.sub(a, b).unwrap();
            match op % 4 {
                0 => terms.lt(a, b),
                1 => terms.eq(a, b),
                2 => terms.le(difference, bound),
                _ => terms.apply(Op::Gt, &[difference, bound]),
            }
        }
        Language::Linear => terms.apply([Op::Lt, Op::Le, Op::Eq, Op::Ge][usize::from(op) % 4], &[a, b]),
        Language::Bits(_) => {
            terms.apply([Op::BvUlt, Op::BvSle, Op::Eq, Op::BvUge, Op::BvSgt][usize::from(op) % 5], &[a, b])
        }
    };
    built.unwrap()
}
