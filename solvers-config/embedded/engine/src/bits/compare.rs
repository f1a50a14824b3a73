//! Comparisons.

use super::Circuit;
use crate::sat::Lit;

impl Circuit {
    /// Literals that all hold exactly if two vectors are equal.
    pub(crate) fn agreements(&mut self, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
        a.iter().zip(b).map(|(&x, &y)| !self.xor(x, y)).collect()
    }

    pub(crate) fn equal(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let agreements = self.agreements(a, b);
        self.and_all(agreements)
    }

    /// Clauses by which a literal implies that two vectors are equal.
    pub(crate) fn implies_equal(&mut self, equal: Lit, a: &[Lit], b: &[Lit]) {
        for (&x, &y) in a.iter().zip(b) {
            self.define(&[!equal, !x, y]);
            self.define(&[!equal, x, !y]);
        }
    }

    /// The clause by which two vectors that are equal imply a literal.
    pub(crate) fn implied_by_equal(&mut self, equal: Lit, a: &[Lit], b: &[Lit]) {
        let mut clause = self.agreements(a, b);
        for agreement in &mut clause {
            *agreement = !*agreement;
        }
        clause.push(equal);
        self.define(&clause);
    }

    /// `a < b`, or `a <= b` if `or_equal`: the carry of a subtraction.
    pub(crate) fn less(&mut self, a: &[Lit], b: &[Lit], or_equal: bool) -> Lit {
        let mut less = Lit::TRUE.flipped(!or_equal);
        for (&x, &y) in a.iter().zip(b) {
            less = self.majority(!x, y, less);
        }
        less
    }

    /// The same of numbers in two's complement: as if unsigned, but for the highest bit.
    pub(crate) fn signed_less(&mut self, a: &[Lit], b: &[Lit], or_equal: bool) -> Lit {
        let top = a.len() - 1;
        let less = self.less(&a[..top], &b[..top], or_equal);
        self.majority(a[top], !b[top], less)
    }
}
