//! Division. By zero it gives what SMT-LIB says: all ones, and the dividend as the remainder.

use super::Circuit;
use crate::sat::Lit;

impl Circuit {
    /// Quotient and remainder of unsigned numbers, digit by digit. With a divisor of zero each subtraction succeeds,
    /// so all digits are ones and nothing is taken away: no special case is needed.
    pub(crate) fn divide(&mut self, a: &[Lit], b: &[Lit]) -> (Vec<Lit>, Vec<Lit>) {
        let width = a.len();
        let mut quotient = vec![Lit::FALSE; width];
        let mut rest = vec![Lit::FALSE; width];
        for place in (0..width).rev() {
            // One bit more than the width: the bit that is shifted out.
            let over = rest[width - 1];
            rest.rotate_right(1);
            rest[0] = a[place];
            let fits = self.less(b, &rest, true);
            let fits = self.or(over, fits);
            quotient[place] = fits;
            let less = self.subtract(&rest, b);
            rest = self.choose(fits, &less, &rest);
        }
        (quotient, rest)
    }

    fn magnitude(&mut self, a: &[Lit]) -> Vec<Lit> {
        let negated = self.negate(a);
        self.choose(a[a.len() - 1], &negated, a)
    }

    fn negate_if(&mut self, condition: Lit, a: &[Lit]) -> Vec<Lit> {
        let negated = self.negate(a);
        self.choose(condition, &negated, a)
    }

    /// Rounds towards zero.
    pub(crate) fn signed_quotient(&mut self, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
        let (of_a, of_b) = (self.magnitude(a), self.magnitude(b));
        let (quotient, _) = self.divide(&of_a, &of_b);
        let differ = self.xor(a[a.len() - 1], b[b.len() - 1]);
        self.negate_if(differ, &quotient)
    }

    /// Has the sign of the dividend.
    pub(crate) fn signed_remainder(&mut self, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
        let (of_a, of_b) = (self.magnitude(a), self.magnitude(b));
        let (_, rest) = self.divide(&of_a, &of_b);
        self.negate_if(a[a.len() - 1], &rest)
    }

    /// Has the sign of the divisor.
    pub(crate) fn signed_modulo(&mut self, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
        let rest = self.signed_remainder(a, b);
        let differ = self.xor(a[a.len() - 1], b[b.len() - 1]);
        let some = self.or_all(rest.clone());
        let correct = self.and(differ, some);
        let corrected = self.add(&rest, b);
        self.choose(correct, &corrected, &rest)
    }
}
