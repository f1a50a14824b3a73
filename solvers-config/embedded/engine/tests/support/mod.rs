//! Random formulas of the fragment.

#![allow(dead_code)] // Every test uses a part of it.
#![allow(clippy::unwrap_used)] // What is built here is well-sorted.

use warpath_smt_engine::{Engine, Options};
use warpath_solvers::term::{Evaluator, Model, Op, Sort, TermId, Terms, Value};

/// A small generator of our own, so that a failure names a seed that shows it again.
pub struct Chance(u64);

impl Chance {
    pub fn new(seed: u64) -> Chance {
        Chance(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678_9abc_def1)
    }

    pub fn bits(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        ((self.bits() >> 33) as usize) % bound
    }

    pub fn of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }
}

/// What random formulas are about.
pub struct World {
    pub bools: Vec<TermId>,
    pub ints: Vec<TermId>,
    pub vectors: Vec<TermId>,
    pub width: u32,
}

pub const VECTORS: [Op; 20] = [
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
    Op::Concat,
    Op::BvComp,
    Op::Ite,
];

pub const COMPARISONS: [Op; 8] =
    [Op::BvUlt, Op::BvUle, Op::BvUgt, Op::BvUge, Op::BvSlt, Op::BvSle, Op::BvSgt, Op::BvSge];

impl World {
    pub fn new(terms: &mut Terms, bools: usize, ints: usize, vectors: usize, width: u32) -> World {
        let mut make = |count: usize, name: &str, sort: Sort| -> Vec<TermId> {
            (0..count).map(|n| terms.constant(&format!("{name}{n}"), sort).unwrap()).collect()
        };
        let (bools, ints) = (make(bools, "p", Sort::Bool), make(ints, "i", Sort::Int));
        World { bools, ints, vectors: make(vectors, "v", Sort::Bits(width)), width }
    }

    /// A random vector of the world's width.
    pub fn vector(&self, terms: &mut Terms, chance: &mut Chance, depth: usize) -> TermId {
        if depth == 0 || chance.below(5) == 0 {
            return match chance.below(4) {
                0 => terms.bits(u128::from(chance.bits()) & ((1 << self.width) - 1), self.width).unwrap(),
                _ => chance.of(&self.vectors),
            };
        }
        let a = self.vector(terms, chance, depth - 1);
        let b = self.vector(terms, chance, depth - 1);
        match chance.of(&VECTORS) {
            Op::Concat => {
                let both = terms.apply(Op::Concat, &[a, b]).unwrap();
                let low = chance.below(self.width as usize + 1) as u16;
                terms.apply(Op::Extract { high: low + self.width as u16 - 1, low }, &[both]).unwrap()
            }
            Op::BvComp => {
                let same = terms.apply(Op::BvComp, &[a, b]).unwrap();
                match self.width as u16 - 1 {
                    0 => same,
                    by if chance.below(2) == 0 => terms.apply(Op::SignExtend(by), &[same]).unwrap(),
                    by => terms.apply(Op::ZeroExtend(by), &[same]).unwrap(),
                }
            }
            Op::Ite => {
                let condition = self.formula(terms, chance, depth - 1);
                terms.ite(condition, a, b).unwrap()
            }
            op => terms.apply(op, &[a, b]).unwrap(),
        }
    }

    /// A random atom.
    pub fn atom(&self, terms: &mut Terms, chance: &mut Chance, depth: usize) -> TermId {
        loop {
            match chance.below(3) {
                0 if !self.bools.is_empty() => return chance.of(&self.bools),
                1 if !self.ints.is_empty() => {
                    let a = chance.of(&self.ints);
                    let b = match chance.below(6) {
                        0 => terms.int(chance.below(4) as i128).unwrap(),
                        _ => chance.of(&self.ints),
                    };
                    let op = chance.of(&[Op::Lt, Op::Lt, Op::Le, Op::Gt, Op::Ge, Op::Eq, Op::Distinct]);
                    return terms.apply(op, &[a, b]).unwrap();
                }
                2 if !self.vectors.is_empty() => {
                    let a = self.vector(terms, chance, depth);
                    let b = self.vector(terms, chance, depth);
                    let op = if chance.below(2) == 0 { Op::Eq } else { chance.of(&COMPARISONS) };
                    return terms.apply(op, &[a, b]).unwrap();
                }
                _ => {}
            }
        }
    }

    /// A random formula.
    pub fn formula(&self, terms: &mut Terms, chance: &mut Chance, depth: usize) -> TermId {
        if depth == 0 {
            return self.atom(terms, chance, 1);
        }
        let count = 2 + chance.below(2);
        let args: Vec<TermId> = (0..count).map(|_| self.formula(terms, chance, depth - 1)).collect();
        let made = match chance.below(8) {
            0 | 1 => terms.and(&args),
            2..=4 => terms.or(&args),
            5 => terms.xor(args[0], args[1]),
            6 => terms.implies(args[0], args[1]),
            _ => terms.ite(args[0], args[1], args[count - 1]),
        }
        .unwrap();
        if chance.below(3) == 0 { terms.not(made).unwrap() } else { made }
    }
}

/// Whether some values satisfy all formulas. Integers of a small domain are enough: `ints` of them, compared with each
/// other and with numbers from 0 to 3.
pub fn satisfiable(terms: &Terms, world: &World, formulas: &[TermId]) -> bool {
    let domain: Vec<i128> = (-2..=5).collect();
    let mut radices = Vec::new();
    radices.extend(world.bools.iter().map(|_| 2));
    radices.extend(world.ints.iter().map(|_| domain.len()));
    radices.extend(world.vectors.iter().map(|_| 1 << world.width));
    let total: usize = radices.iter().product();
    (0..total).any(|number| {
        let mut rest = number;
        let mut digits = radices.iter().map(|&radix| {
            let digit = rest % radix;
            rest /= radix;
            digit
        });
        let mut model = Model::new();
        for &constant in &world.bools {
            model.set(constant, Value::Bool(digits.next().unwrap() == 1));
        }
        for &constant in &world.ints {
            model.set(constant, Value::Int(domain[digits.next().unwrap()]));
        }
        for &constant in &world.vectors {
            model.set(constant, Value::bits(digits.next().unwrap() as u128, world.width).unwrap());
        }
        let mut evaluator = Evaluator::new(terms, &model);
        formulas.iter().all(|&formula| evaluator.value(formula) == Ok(Value::Bool(true)))
    })
}

/// Whether the model that the engine gives satisfies all formulas.
pub fn assert_model(terms: &Terms, engine: &Engine, world: &World, formulas: &[TermId]) {
    let constants = world.bools.iter().chain(&world.ints).chain(&world.vectors);
    let model: Model = constants.map(|&c| (c, engine.value(terms, c).unwrap())).collect();
    let mut evaluator = Evaluator::new(terms, &model);
    for &formula in formulas {
        assert_eq!(evaluator.value(formula), Ok(Value::Bool(true)));
    }
}

/// By chance or not, and taking back more or less after a conflict.
pub fn options(seed: u64) -> Options {
    let mut options = Options::default();
    options.seed = if seed.is_multiple_of(3) { 0 } else { seed };
    options
}
