//! Counting how many of several terms are true, without a solver's help.

use super::error::{ExpectedSort, TermError};
use super::op::Op;
use super::sort::Sort;
use super::store::TermId;
use super::terms::Terms;

impl Terms {
    /// True exactly when at most `k` of `args` are true.
    ///
    /// A sequential counter: row `i` says for each `j ≤ k` whether more than `j` of the first `i`
    /// arguments are true. The rows are shared terms, not fresh constants, so the result means the
    /// same in either polarity, under `not`, and inside any other term.
    /// It has `O(k · args.len())` nodes.
    pub fn at_most(&mut self, k: usize, args: &[TermId]) -> Result<TermId, TermError> {
        for (index, &arg) in args.iter().enumerate() {
            if !self.contains(arg) {
                return Err(TermError::UnknownTerm { id: arg });
            }
            let found = self.sort(arg);
            if found != Sort::Bool {
                return Err(TermError::WrongSort {
                    op: Op::Or,
                    position: index + 1,
                    expected: ExpectedSort::Sort(Sort::Bool),
                    found,
                });
            }
        }
        if k >= args.len() {
            return Ok(self.bool(true));
        }
        // more_than[j]: more than j of the arguments read so far are true.
        let mut more_than = vec![self.bool(false); k + 1];
        for (read, &arg) in args.iter().enumerate() {
            // Downwards, because entry j needs the old entry j-1. After `read` arguments, entries
            // from `read` up are still false and stay so until there are enough arguments.
            for j in (0..=k.min(read)).rev() {
                let reaches = match j {
                    0 => arg,
                    _ => self.and(&[more_than[j - 1], arg])?,
                };
                more_than[j] = if j == read { reaches } else { self.or(&[more_than[j], reaches])? };
            }
        }
        self.not(more_than[k])
    }

    /// True exactly when at least `k` of `args` are true.
    pub fn at_least(&mut self, k: usize, args: &[TermId]) -> Result<TermId, TermError> {
        match k.checked_sub(1) {
            None => Ok(self.bool(true)),
            Some(less) => {
                let too_few = self.at_most(less, args)?;
                self.not(too_few)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::term::{Model, Simplification, Sort, Terms, Value, eval};

    #[test]
    fn counts_exactly_for_every_assignment() {
        for mode in [Simplification::On, Simplification::Off] {
            for n in 0..=6 {
                let mut terms = Terms::with_simplification(mode);
                let args: Vec<_> =
                    (0..n).map(|i| terms.constant(&format!("p{i}"), Sort::Bool).unwrap()).collect();
                for k in 0..=n + 1 {
                    let most = terms.at_most(k, &args).unwrap();
                    let least = terms.at_least(k, &args).unwrap();
                    for bits in 0..1_u32 << n {
                        let mut model = Model::new();
                        for (i, &arg) in args.iter().enumerate() {
                            model.set(arg, Value::Bool(bits >> i & 1 == 1));
                        }
                        let count = bits.count_ones() as usize;
                        assert_eq!(eval(&terms, &model, most), Ok(Value::Bool(count <= k)));
                        assert_eq!(eval(&terms, &model, least), Ok(Value::Bool(count >= k)));
                    }
                }
            }
        }
    }

    #[test]
    fn only_booleans_are_counted() {
        let mut terms = Terms::new();
        let x = terms.constant("x", Sort::Int).unwrap();
        assert!(terms.at_most(5, &[x]).is_err());
    }
}
