//! Bit-vectors as circuits, least significant bit first: SMT-LIB's operations by schoolbook methods.
//!
//! The same methods as the engine's, so that a proof's gates are found again; written anew, and tested against
//! `warpath_solvers::term::Evaluator`. A method that differed would make proofs fail, not wrong proofs pass.

use crate::gates::Circuit;
use crate::literal::Lit;

pub(crate) fn constant(value: u128, width: u32) -> Vec<Lit> {
    (0..width).map(|bit| Lit::TRUE.flipped(bit >= 128 || (value >> bit) & 1 == 0)).collect()
}

/// The number that the literals are, if all are constants.
fn number(bits: &[Lit]) -> Option<u128> {
    if bits.len() > 128 || bits.iter().any(|bit| bit.var() != 0) {
        return None;
    }
    Some(bits.iter().rev().fold(0, |sum, &bit| sum << 1 | u128::from(bit == Lit::TRUE)))
}

fn inverted(a: &[Lit]) -> Vec<Lit> {
    a.iter().map(|&bit| !bit).collect()
}

/// The highest bit.
fn sign(a: &[Lit]) -> Lit {
    a.last().copied().unwrap_or(Lit::FALSE)
}

impl Circuit {
    fn sum(&mut self, a: &[Lit], b: &[Lit], carry: Lit) -> Vec<Lit> {
        let mut carry = carry;
        let last = a.len().saturating_sub(1);
        let mut sum = Vec::with_capacity(a.len());
        for (place, (&x, &y)) in a.iter().zip(b).enumerate() {
            let half = self.xor(x, y);
            sum.push(self.xor(half, carry));
            if place < last {
                carry = self.majority(x, y, carry);
            }
        }
        sum
    }

    pub(crate) fn add(&mut self, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
        self.sum(a, b, Lit::FALSE)
    }

    pub(crate) fn subtract(&mut self, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
        self.sum(a, &inverted(b), Lit::TRUE)
    }

    pub(crate) fn negate(&mut self, a: &[Lit]) -> Vec<Lit> {
        self.sum(&vec![Lit::FALSE; a.len()], &inverted(a), Lit::TRUE)
    }

    pub(crate) fn choose(&mut self, condition: Lit, then: &[Lit], otherwise: &[Lit]) -> Vec<Lit> {
        then.iter().zip(otherwise).map(|(&then, &otherwise)| self.mux(condition, then, otherwise)).collect()
    }

    pub(crate) fn multiply(&mut self, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
        if let Some(factor) = number(a) {
            return self.multiply_by(b, factor);
        }
        if let Some(factor) = number(b) {
            return self.multiply_by(a, factor);
        }
        let constants = |bits: &[Lit]| bits.iter().filter(|bit| bit.var() == 0).count();
        let (rows, digits) = if constants(a) > constants(b) { (b, a) } else { (a, b) };
        let width = a.len();
        let mut product = vec![Lit::FALSE; width];
        for (place, &digit) in digits.iter().enumerate() {
            if self.is_exhausted() {
                break;
            }
            let row: Vec<Lit> = rows[..width - place].iter().map(|&bit| self.and(bit, digit)).collect();
            self.accumulate(&mut product, place, &row, false);
        }
        product
    }

    /// Adds a row to the product, or subtracts it, from this place on.
    fn accumulate(&mut self, product: &mut [Lit], place: usize, row: &[Lit], minus: bool) {
        let high = &product[place..];
        let sum = if minus { self.subtract(high, row) } else { self.add(high, row) };
        product[place..].copy_from_slice(&sum);
    }

    /// By the digits -1, 0 and 1 of the factor's non-adjacent form.
    fn multiply_by(&mut self, a: &[Lit], factor: u128) -> Vec<Lit> {
        let mut product = vec![Lit::FALSE; a.len()];
        let mut rest = factor;
        for place in 0..a.len() {
            match rest & 3 {
                1 => {
                    self.accumulate(&mut product, place, &a[..a.len() - place], false);
                    rest -= 1;
                }
                3 => {
                    self.accumulate(&mut product, place, &a[..a.len() - place], true);
                    // What is carried out of 128 bits is beyond the width.
                    rest = rest.wrapping_add(1);
                }
                _ => {}
            }
            rest >>= 1;
        }
        product
    }

    pub(crate) fn equal(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let agree: Vec<Lit> = a.iter().zip(b).map(|(&x, &y)| !self.xor(x, y)).collect();
        self.and_all(&agree)
    }

    /// `a < b`, or `a <= b`, of unsigned numbers: the carry of `b - a`.
    pub(crate) fn less(&mut self, a: &[Lit], b: &[Lit], or_equal: bool) -> Lit {
        let start = Lit::TRUE.flipped(!or_equal);
        a.iter().zip(b).fold(start, |less, (&x, &y)| self.majority(!x, y, less))
    }

    pub(crate) fn signed_less(&mut self, a: &[Lit], b: &[Lit], or_equal: bool) -> Lit {
        let top = a.len() - 1;
        let less = self.less(&a[..top], &b[..top], or_equal);
        self.majority(a[top], !b[top], less)
    }

    /// Quotient and remainder. By zero: all ones, and the dividend.
    pub(crate) fn divide(&mut self, a: &[Lit], b: &[Lit]) -> (Vec<Lit>, Vec<Lit>) {
        let mut quotient = Vec::with_capacity(a.len());
        let mut rest = vec![Lit::FALSE; a.len()];
        for &digit in a.iter().rev() {
            if self.is_exhausted() {
                break;
            }
            let carried = sign(&rest);
            rest.pop();
            rest.insert(0, digit);
            let fits = self.less(b, &rest, true);
            let fits = self.or(carried, fits);
            let reduced = self.subtract(&rest, b);
            rest = self.choose(fits, &reduced, &rest);
            quotient.insert(0, fits);
        }
        quotient.resize(a.len(), Lit::FALSE);
        (quotient, rest)
    }

    fn negate_if(&mut self, condition: Lit, a: &[Lit]) -> Vec<Lit> {
        let negated = self.negate(a);
        self.choose(condition, &negated, a)
    }

    fn divide_magnitudes(&mut self, a: &[Lit], b: &[Lit]) -> (Vec<Lit>, Vec<Lit>) {
        let (of_a, of_b) = (self.negate_if(sign(a), a), self.negate_if(sign(b), b));
        self.divide(&of_a, &of_b)
    }

    pub(crate) fn signed_quotient(&mut self, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
        let (quotient, _) = self.divide_magnitudes(a, b);
        let differ = self.xor(sign(a), sign(b));
        self.negate_if(differ, &quotient)
    }

    pub(crate) fn signed_remainder(&mut self, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
        let (_, rest) = self.divide_magnitudes(a, b);
        self.negate_if(sign(a), &rest)
    }

    pub(crate) fn signed_modulo(&mut self, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
        let rest = self.signed_remainder(a, b);
        let differ = self.xor(sign(a), sign(b));
        let some = self.or_all(&rest);
        let corrects = self.and(differ, some);
        let corrected = self.add(&rest, b);
        self.choose(corrects, &corrected, &rest)
    }

    /// Shifts towards the highest bit, or the lowest; `fill` comes in.
    pub(crate) fn shift(&mut self, a: &[Lit], by: &[Lit], up: bool, fill: Lit) -> Vec<Lit> {
        let width = a.len();
        let mut shifted = a.to_vec();
        let mut beyond = Vec::new();
        for (stage, &bit) in by.iter().enumerate() {
            // Widths are at most 4096, so later stages shift everything out.
            if stage >= 16 || 1 << stage >= width {
                beyond.push(bit);
                continue;
            }
            let distance = 1 << stage;
            let mut moved = vec![fill; width];
            if up {
                moved[distance..].copy_from_slice(&shifted[..width - distance]);
            } else {
                moved[..width - distance].copy_from_slice(&shifted[distance..]);
            }
            shifted = self.choose(bit, &moved, &shifted);
        }
        let beyond = self.or_all(&beyond);
        self.choose(beyond, &vec![fill; width], &shifted)
    }
}
