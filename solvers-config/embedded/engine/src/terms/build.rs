//! The meaning of each operation on Booleans and bit-vectors.

use super::equalities::Strength;
use super::{Meaning, Translation, integers::Difference};
use crate::bits::{Direction, constant};
use crate::sat::Lit;
use crate::{Unsupported, unsupported};
use warpath_solvers::term::{Op, Sort, TermId, Terms, Value};

impl Translation {
    pub(super) fn value(&mut self, value: Value) -> Result<Meaning, Unsupported> {
        match value {
            Value::Bool(value) => Ok(Meaning::Bool(Lit::TRUE.flipped(!value))),
            Value::Int(value) => Difference::constant(value).map(Meaning::Int),
            Value::Bits { width, value } => Ok(self.keep(&constant(value, width))),
        }
    }

    pub(super) fn formula(&mut self, terms: &Terms, op: Op, args: &[TermId]) -> Result<Lit, Unsupported> {
        let sort = terms.sort(args[0]);
        Ok(match (op, args) {
            (Op::Not, &[a]) => !self.bool(a),
            (Op::And, _) => {
                let inputs = args.iter().map(|&arg| self.bool(arg)).collect();
                self.circuit.and_all(inputs)
            }
            (Op::Or, _) => {
                let inputs = args.iter().map(|&arg| self.bool(arg)).collect();
                self.circuit.or_all(inputs)
            }
            (Op::Implies, &[a, b]) => {
                let (a, b) = (self.bool(a), self.bool(b));
                self.circuit.or(!a, b)
            }
            (Op::Xor, &[a, b]) => {
                let (a, b) = (self.bool(a), self.bool(b));
                self.circuit.xor(a, b)
            }
            (Op::Ite, &[condition, a, b]) => {
                let (condition, a, b) = (self.bool(condition), self.bool(a), self.bool(b));
                self.circuit.mux(condition, a, b)
            }
            (Op::Eq, &[a, b]) => self.equal(sort, a, b)?,
            (Op::Distinct, _) => {
                let mut inputs = Vec::new();
                for (place, &a) in args.iter().enumerate() {
                    for &b in &args[place + 1..] {
                        inputs.push(!self.equal(sort, a, b)?);
                    }
                }
                self.circuit.and_all(inputs)
            }
            (Op::Lt, &[a, b]) | (Op::Gt, &[b, a]) => self.least(a, b, 1)?,
            (Op::Le, &[a, b]) | (Op::Ge, &[b, a]) => self.least(a, b, 0)?,
            (Op::BvUlt, &[a, b]) | (Op::BvUgt, &[b, a]) => {
                let (a, b) = (self.bits(a), self.bits(b));
                self.circuit.less(&a, &b, false)
            }
            (Op::BvUle, &[a, b]) | (Op::BvUge, &[b, a]) => {
                let (a, b) = (self.bits(a), self.bits(b));
                self.circuit.less(&a, &b, true)
            }
            (Op::BvSlt, &[a, b]) | (Op::BvSgt, &[b, a]) => {
                let (a, b) = (self.bits(a), self.bits(b));
                self.circuit.signed_less(&a, &b, false)
            }
            (Op::BvSle, &[a, b]) | (Op::BvSge, &[b, a]) => {
                let (a, b) = (self.bits(a), self.bits(b));
                self.circuit.signed_less(&a, &b, true)
            }
            (Op::Apart | Op::Latest | Op::Usual, _) => {
                let what = format!("`{op}` stands alone or as an alternative, not inside of a formula");
                return Err(unsupported(what));
            }
            _ => return Err(unsupported(format!("`{op}` as a formula is not supported"))),
        })
    }

    fn equal(&mut self, sort: Sort, a: TermId, b: TermId) -> Result<Lit, Unsupported> {
        match sort {
            Sort::Bool => {
                let (a, b) = (self.bool(a), self.bool(b));
                Ok(!self.circuit.xor(a, b))
            }
            Sort::Int => {
                let (up, down) = (self.least(a, b, 0)?, self.least(b, a, 0)?);
                Ok(self.circuit.and(up, down))
            }
            Sort::Bits(_) => Ok(self.equal_vectors(a, b, Strength::Exact)),
        }
    }

    pub(super) fn vector(&mut self, op: Op, args: &[TermId], width: u32) -> Result<Vec<Lit>, Unsupported> {
        match (op, args) {
            (Op::Ite, &[condition, a, b]) => {
                let (condition, a, b) = (self.bool(condition), self.bits(a), self.bits(b));
                Ok(self.circuit.choose(condition, &a, &b))
            }
            (_, &[a]) => {
                let a = self.bits(a);
                self.unary(op, a, width as usize)
            }
            (_, &[a, b]) => self.binary(op, a, b),
            _ => Err(unsupported(format!("`{op}` of {} bit-vectors is not supported", args.len()))),
        }
    }

    fn unary(&mut self, op: Op, mut a: Vec<Lit>, width: usize) -> Result<Vec<Lit>, Unsupported> {
        let sign = a[a.len() - 1];
        Ok(match op {
            Op::BvNot => a.iter().map(|&bit| !bit).collect(),
            Op::BvNeg => self.circuit.negate(&a),
            Op::Extract { high, low } => a[low as usize..=high as usize].to_vec(),
            Op::ZeroExtend(_) => {
                a.resize(width, Lit::FALSE);
                a
            }
            Op::SignExtend(_) => {
                a.resize(width, sign);
                a
            }
            Op::RotateLeft(by) => {
                a.rotate_right(by as usize % width);
                a
            }
            Op::RotateRight(by) => {
                a.rotate_left(by as usize % width);
                a
            }
            Op::Repeat(times) => a.repeat(times as usize),
            _ => return Err(unsupported(format!("`{op}` of a bit-vector is not supported"))),
        })
    }

    fn binary(&mut self, op: Op, left: TermId, right: TermId) -> Result<Vec<Lit>, Unsupported> {
        let (a, b) = (self.bits(left), self.bits(right));
        let circuit = &mut self.circuit;
        let mut bitwise = |gate: fn(&mut crate::bits::Circuit, Lit, Lit) -> Lit, flip: bool| {
            a.iter().zip(&b).map(|(&x, &y)| gate(circuit, x, y).flipped(flip)).collect()
        };
        Ok(match op {
            Op::BvAnd => bitwise(crate::bits::Circuit::and, false),
            Op::BvOr => bitwise(crate::bits::Circuit::or, false),
            Op::BvXor => bitwise(crate::bits::Circuit::xor, false),
            Op::BvNand => bitwise(crate::bits::Circuit::and, true),
            Op::BvNor => bitwise(crate::bits::Circuit::or, true),
            Op::BvXnor => bitwise(crate::bits::Circuit::xor, true),
            Op::BvAdd => circuit.add(&a, &b),
            Op::BvSub => circuit.subtract(&a, &b),
            Op::BvMul => circuit.multiply(&a, &b),
            Op::BvUdiv => self.division(left, right, &a, &b).0,
            Op::BvUrem => self.division(left, right, &a, &b).1,
            Op::BvSdiv => circuit.signed_quotient(&a, &b),
            Op::BvSrem => circuit.signed_remainder(&a, &b),
            Op::BvSmod => circuit.signed_modulo(&a, &b),
            Op::BvShl => circuit.shift(&a, &b, Direction::Left, Lit::FALSE),
            Op::BvLshr => circuit.shift(&a, &b, Direction::Right, Lit::FALSE),
            Op::BvAshr => circuit.shift(&a, &b, Direction::Right, a[a.len() - 1]),
            Op::Concat => b.iter().chain(&a).copied().collect(),
            Op::BvComp => vec![circuit.equal(&a, &b)],
            _ => return Err(unsupported(format!("`{op}` of bit-vectors is not supported"))),
        })
    }

    fn division(&mut self, left: TermId, right: TermId, a: &[Lit], b: &[Lit]) -> (Vec<Lit>, Vec<Lit>) {
        if let Some(known) = self.divisions.get(&(left, right)) {
            return known.clone();
        }
        let division = self.circuit.divide(a, b);
        self.divisions.insert((left, right), division.clone());
        division
    }
}
