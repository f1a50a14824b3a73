//! Sums and products.

use super::{Circuit, known};
use crate::sat::Lit;

impl Circuit {
    /// `a + b + carry`, without the last carry.
    fn sum(&mut self, a: &[Lit], b: &[Lit], mut carry: Lit) -> Vec<Lit> {
        let mut sum = Vec::with_capacity(a.len());
        for (place, (&x, &y)) in a.iter().zip(b).enumerate() {
            let half = self.xor(x, y);
            let bit = self.xor(half, carry);
            sum.push(bit);
            if place + 1 < a.len() {
                let gates = self.gates();
                let carried = self.majority(x, y, carry);
                if self.gates() > gates {
                    self.relate([x, y, carry], bit, carried);
                }
                carry = carried;
            }
        }
        sum
    }

    /// Not needed, but lets two outputs of an adder tell its inputs: if both hold all three do, if neither holds none
    /// does. (After MiniSat+, Eén & Sörensson, JSAT 2006.)
    fn relate(&mut self, inputs: [Lit; 3], bit: Lit, carried: Lit) {
        let is_known = |literal: &Lit| literal.var() == Lit::TRUE.var();
        if inputs.iter().chain([&bit, &carried]).any(is_known) {
            return;
        }
        for input in inputs {
            self.add_consequence(&[!carried, !bit, input]);
            self.add_consequence(&[carried, bit, !input]);
        }
    }

    pub(crate) fn add(&mut self, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
        self.sum(a, b, Lit::FALSE)
    }

    pub(crate) fn subtract(&mut self, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
        let inverted: Vec<Lit> = b.iter().map(|&bit| !bit).collect();
        self.sum(a, &inverted, Lit::TRUE)
    }

    pub(crate) fn negate(&mut self, a: &[Lit]) -> Vec<Lit> {
        let zero = vec![Lit::FALSE; a.len()];
        self.subtract(&zero, a)
    }

    pub(crate) fn choose(&mut self, condition: Lit, then: &[Lit], otherwise: &[Lit]) -> Vec<Lit> {
        then.iter().zip(otherwise).map(|(&t, &e)| self.mux(condition, t, e)).collect()
    }

    /// Schoolbook multiplication. A constant factor is written with digits 1, 0 and -1, no two neighbours of which
    /// differ from 0, so that few rows remain.
    pub(crate) fn multiply(&mut self, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
        let width = a.len();
        match (known(a), known(b)) {
            (Some(factor), _) if width <= 128 => return self.multiply_constant(b, factor),
            (_, Some(factor)) if width <= 128 => return self.multiply_constant(a, factor),
            _ => {}
        }
        // The factor with more constant bits selects the rows.
        let constants = |bits: &[Lit]| bits.iter().filter(|bit| bit.var().index() == 0).count();
        let (rows, by) = if constants(a) > constants(b) { (b, a) } else { (a, b) };
        let mut product: Vec<Lit> = rows.iter().map(|&bit| self.and(bit, by[0])).collect();
        for (place, &selects) in by.iter().enumerate().skip(1) {
            if selects == Lit::FALSE {
                continue;
            }
            let row: Vec<Lit> = rows[..width - place].iter().map(|&bit| self.and(bit, selects)).collect();
            let high = self.add(&product[place..], &row);
            product[place..].copy_from_slice(&high);
        }
        product
    }

    fn multiply_constant(&mut self, a: &[Lit], factor: u128) -> Vec<Lit> {
        let width = a.len();
        let mut product = vec![Lit::FALSE; width];
        let mut rest = factor;
        let mut place = 0;
        while rest != 0 && place < width {
            if rest & 1 == 1 {
                // Two ones or more in a row are cheaper as a subtraction and one addition further up.
                let minus = rest & 2 != 0;
                let row = &a[..width - place];
                let high = match minus {
                    true => self.subtract(&product[place..], row),
                    false => self.add(&product[place..], row),
                };
                product[place..].copy_from_slice(&high);
                // Adding 1 may carry out of 128 bits, where nothing is left of it.
                rest = if minus { rest.wrapping_add(1) } else { rest - 1 };
            }
            rest >>= 1;
            place += 1;
        }
        product
    }
}
