//! The weight of what is violated as a binary number, built from Booleans alone so that every solver and every logic
//! can take it. Linear in the number of preferences times the bits of a weight.

use crate::term::{TermError, TermId, Terms};

/// The bits of a sum, the least significant first.
#[derive(Debug)]
pub(super) struct Sum {
    bits: Vec<TermId>,
}

impl Sum {
    /// The sum of the weights of those terms that are true.
    pub(super) fn new(terms: &mut Terms, items: &[(TermId, u64)]) -> Result<Self, TermError> {
        let mut columns: Vec<Vec<TermId>> = vec![Vec::new(); 64];
        for (term, weight) in items {
            for (place, column) in columns.iter_mut().enumerate() {
                if weight >> place & 1 == 1 {
                    column.push(*term);
                }
            }
        }
        let mut bits = Vec::new();
        let mut place = 0;
        while place < columns.len() {
            while columns[place].len() > 1 {
                let column = &mut columns[place];
                // From the front, results to the back: the tree of additions stays balanced.
                let taken: Vec<TermId> = column.drain(..column.len().min(3)).collect();
                let (sum, carry) = add(terms, &taken)?;
                column.push(sum);
                if place + 1 == columns.len() {
                    columns.push(Vec::new());
                }
                columns[place + 1].push(carry);
            }
            bits.push(columns[place].first().copied().unwrap_or(terms.bool(false)));
            place += 1;
        }
        while bits.last() == Some(&terms.bool(false)) {
            bits.pop();
        }
        Ok(Self { bits })
    }

    /// The term that says the sum is at most `bound`.
    pub(super) fn at_most(&self, terms: &mut Terms, bound: u128) -> Result<TermId, TermError> {
        let mut result = terms.bool(true);
        for (place, bit) in self.bits.iter().enumerate() {
            let off = terms.not(*bit)?;
            let allowed = place < 128 && bound >> place & 1 == 1;
            result = if allowed { terms.or(&[off, result])? } else { terms.and(&[off, result])? };
        }
        // Bits of the bound above the sum make it trivially true.
        let above = bound.checked_shr(u32::try_from(self.bits.len()).unwrap_or(u32::MAX)).unwrap_or(0);
        Ok(if above > 0 { terms.bool(true) } else { result })
    }
}

/// Sum and carry of two or three bits.
fn add(terms: &mut Terms, bits: &[TermId]) -> Result<(TermId, TermId), TermError> {
    match *bits {
        [a, b] => Ok((terms.xor(a, b)?, terms.and(&[a, b])?)),
        [a, b, c] => {
            let half = terms.xor(a, b)?;
            let (both, through) = (terms.and(&[a, b])?, terms.and(&[half, c])?);
            Ok((terms.xor(half, c)?, terms.or(&[both, through])?))
        }
        _ => unreachable!("a column gives two or three bits at a time"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::{Model, Sort, Value, eval};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_sum_is_right(items in prop::collection::vec((any::<bool>(), prop_oneof![0u64..20, any::<u64>()]), 0..12), bound in any::<u64>(), near in -3i128..3) {
            let mut terms = Terms::new();
            let mut model = Model::new();
            let mut list = Vec::new();
            for (number, (value, weight)) in items.iter().enumerate() {
                let term = terms.constant(&format!("v{number}"), Sort::Bool).unwrap();
                model.set(term, Value::Bool(*value));
                list.push((term, *weight));
            }
            let sum = Sum::new(&mut terms, &list).unwrap();
            let expected: u128 = items.iter().filter(|item| item.0).map(|item| u128::from(item.1)).sum();
            let close = expected.checked_add_signed(near).unwrap_or(0);
            for bound in [u128::from(bound), close] {
                let claim = sum.at_most(&mut terms, bound).unwrap();
                prop_assert_eq!(eval(&terms, &model, claim), Ok(Value::Bool(expected <= bound)));
            }
        }
    }
}
