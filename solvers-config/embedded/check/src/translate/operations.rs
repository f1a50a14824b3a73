//! The meaning of each operation.

use super::{FOREIGN, NO_DIFFERENCE, Translation, Untranslatable};
use crate::differences::Difference;
use crate::gates::Circuit;
use crate::literal::Lit;
use warpath_solvers::term::{Op, Sort, TermId, Terms};

type BitGate = fn(&mut Circuit, Lit, Lit) -> Lit;

impl Translation {
    fn bools(&self, args: &[TermId]) -> Result<Vec<Lit>, Untranslatable> {
        args.iter().map(|&arg| self.bool(arg)).collect()
    }

    pub(super) fn formula(&mut self, terms: &Terms, op: Op, args: &[TermId]) -> Result<Lit, Untranslatable> {
        match (op, args) {
            (Op::Eq, &[a, b]) => self.equal(terms.sort(a), a, b),
            (Op::Distinct, &[first, ..]) => {
                let sort = terms.sort(first);
                let mut differ = Vec::new();
                for (place, &a) in args.iter().enumerate() {
                    for &b in &args[place + 1..] {
                        differ.push(!self.equal(sort, a, b)?);
                    }
                    if self.circuit.is_exhausted() {
                        break;
                    }
                }
                Ok(self.circuit.and_all(&differ))
            }
            (Op::Lt, &[a, b]) | (Op::Gt, &[b, a]) => self.compare(a, b, 1),
            (Op::Le, &[a, b]) | (Op::Ge, &[b, a]) => self.compare(a, b, 0),
            (Op::BvUlt, &[a, b]) | (Op::BvUgt, &[b, a]) => self.compare_bits(a, b, false, false),
            (Op::BvUle, &[a, b]) | (Op::BvUge, &[b, a]) => self.compare_bits(a, b, false, true),
            (Op::BvSlt, &[a, b]) | (Op::BvSgt, &[b, a]) => self.compare_bits(a, b, true, false),
            (Op::BvSle, &[a, b]) | (Op::BvSge, &[b, a]) => self.compare_bits(a, b, true, true),
            _ => {
                let inputs = self.bools(args)?;
                match (op, &*inputs) {
                    (Op::Not, &[a]) => Ok(!a),
                    (Op::And, _) => Ok(self.circuit.and_all(&inputs)),
                    (Op::Or, _) => Ok(self.circuit.or_all(&inputs)),
                    (Op::Implies, &[a, b]) => Ok(self.circuit.or(!a, b)),
                    (Op::Xor, &[a, b]) => Ok(self.circuit.xor(a, b)),
                    (Op::Ite, &[condition, a, b]) => Ok(self.circuit.mux(condition, a, b)),
                    _ => Err(FOREIGN),
                }
            }
        }
    }

    fn compare(&mut self, a: TermId, b: TermId, least: i64) -> Result<Lit, Untranslatable> {
        self.at_least(self.difference(a)?, self.difference(b)?, least)
    }

    fn compare_bits(
        &mut self,
        a: TermId,
        b: TermId,
        signed: bool,
        or_equal: bool,
    ) -> Result<Lit, Untranslatable> {
        let (a, b) = (self.bits(a)?, self.bits(b)?);
        Ok(match signed {
            true => self.circuit.signed_less(&a, &b, or_equal),
            false => self.circuit.less(&a, &b, or_equal),
        })
    }

    fn equal(&mut self, sort: Sort, a: TermId, b: TermId) -> Result<Lit, Untranslatable> {
        match sort {
            Sort::Bool => {
                let (a, b) = (self.bool(a)?, self.bool(b)?);
                Ok(!self.circuit.xor(a, b))
            }
            Sort::Int => {
                let (up, down) = (self.compare(a, b, 0)?, self.compare(b, a, 0)?);
                Ok(self.circuit.and(up, down))
            }
            Sort::Bits(_) => {
                let (a, b) = (self.bits(a)?, self.bits(b)?);
                Ok(self.circuit.equal(&a, &b))
            }
        }
    }

    pub(super) fn vector(&mut self, op: Op, args: &[TermId]) -> Result<Vec<Lit>, Untranslatable> {
        match (op, args) {
            (Op::Ite, &[condition, a, b]) => {
                let (condition, a, b) = (self.bool(condition)?, self.bits(a)?, self.bits(b)?);
                Ok(self.circuit.choose(condition, &a, &b))
            }
            (_, &[a]) => {
                let a = self.bits(a)?;
                self.unary(op, &a)
            }
            (_, &[a, b]) => {
                let (a, b) = (self.bits(a)?, self.bits(b)?);
                self.binary(op, &a, &b)
            }
            _ => Err(FOREIGN),
        }
    }

    fn unary(&mut self, op: Op, a: &[Lit]) -> Result<Vec<Lit>, Untranslatable> {
        let mut bits = a.to_vec();
        let width = a.len();
        match op {
            Op::BvNot => bits.iter_mut().for_each(|bit| *bit = !*bit),
            Op::BvNeg => bits = self.circuit.negate(a),
            Op::Extract { high, low } => {
                let part = a.get(usize::from(low)..=usize::from(high));
                bits = part.ok_or(FOREIGN)?.to_vec();
            }
            Op::ZeroExtend(by) => bits.resize(width + usize::from(by), Lit::FALSE),
            Op::SignExtend(by) => {
                let sign = *a.last().ok_or(FOREIGN)?;
                bits.resize(width + usize::from(by), sign);
            }
            Op::RotateLeft(by) => bits.rotate_right(usize::from(by) % width.max(1)),
            Op::RotateRight(by) => bits.rotate_left(usize::from(by) % width.max(1)),
            Op::Repeat(times) => bits = a.repeat(usize::from(times)),
            _ => return Err(FOREIGN),
        }
        Ok(bits)
    }

    fn binary(&mut self, op: Op, a: &[Lit], b: &[Lit]) -> Result<Vec<Lit>, Untranslatable> {
        let circuit = &mut self.circuit;
        let mut bitwise = |gate: BitGate, flip: bool| -> Vec<Lit> {
            a.iter().zip(b).map(|(&x, &y)| gate(circuit, x, y).flipped(flip)).collect()
        };
        Ok(match op {
            Op::BvAnd => bitwise(Circuit::and, false),
            Op::BvOr => bitwise(Circuit::or, false),
            Op::BvXor => bitwise(Circuit::xor, false),
            Op::BvNand => bitwise(Circuit::and, true),
            Op::BvNor => bitwise(Circuit::or, true),
            Op::BvXnor => bitwise(Circuit::xor, true),
            Op::BvAdd => circuit.add(a, b),
            Op::BvSub => circuit.subtract(a, b),
            Op::BvMul => circuit.multiply(a, b),
            Op::BvUdiv => circuit.divide(a, b).0,
            Op::BvUrem => circuit.divide(a, b).1,
            Op::BvSdiv => circuit.signed_quotient(a, b),
            Op::BvSrem => circuit.signed_remainder(a, b),
            Op::BvSmod => circuit.signed_modulo(a, b),
            Op::BvShl => circuit.shift(a, b, true, Lit::FALSE),
            Op::BvLshr => circuit.shift(a, b, false, Lit::FALSE),
            Op::BvAshr => circuit.shift(a, b, false, *a.last().ok_or(FOREIGN)?),
            Op::Concat => [b, a].concat(),
            Op::BvComp => vec![circuit.equal(a, b)],
            _ => return Err(FOREIGN),
        })
    }

    pub(super) fn integer(&mut self, op: Op, args: &[TermId]) -> Result<Difference, Untranslatable> {
        let result = match (op, args) {
            (Op::Neg, &[a]) => Some(self.difference(a)?.negated()),
            (Op::Sub, &[a, b]) => self.difference(a)?.plus(self.difference(b)?.negated()),
            (Op::Add, _) => {
                let mut sum = Difference::constant(0);
                for &arg in args {
                    let arg = self.difference(arg)?;
                    sum = sum.and_then(|sum| sum.plus(arg));
                }
                sum
            }
            (Op::Ite, &[condition, a, b]) => {
                let condition = self.bool(condition)?;
                let sums = (self.difference(a)?.sum(), self.difference(b)?.sum());
                let (Some(a), Some(b)) = sums else { return Err(NO_DIFFERENCE) };
                let known = self.orders.choice(condition, a, b);
                Some(Difference::of(known.unwrap_or_else(|| self.orders.new_choice(condition, a, b))))
            }
            _ => return Err(FOREIGN),
        };
        result.ok_or(NO_DIFFERENCE)
    }
}
