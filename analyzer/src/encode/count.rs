//! Counting how many of some conditions hold, in bit-vectors that every solver has.

use warpath_solvers::term::{Op as TermOp, TermError, TermId};

use super::Encoding;

impl Encoding<'_> {
    /// How many hold, plus `base`, as a bit-vector wide enough for it and for `limit`.
    pub(crate) fn count(&mut self, base: u32, holds: &[TermId], limit: u64) -> Result<TermId, TermError> {
        let most = u64::from(base) + holds.len() as u64;
        let width = (most.max(limit) + 1).next_power_of_two().trailing_zeros() + 1;
        let zero = self.terms.bits(0, width)?;
        let one = self.terms.bits(1, width)?;
        let mut sum = self.terms.bits(base.into(), width)?;
        for &hold in holds {
            let unit = self.terms.ite(hold, one, zero)?;
            sum = self.terms.apply(TermOp::BvAdd, &[sum, unit])?;
        }
        Ok(sum)
    }

    /// The count is at least this.
    pub(crate) fn count_at_least(&mut self, count: TermId, value: u32) -> Result<TermId, TermError> {
        let width = self.terms.sort(count).width().expect("a count is a bit-vector");
        let value = self.terms.bits(value.into(), width)?;
        self.terms.apply(TermOp::BvUle, &[value, count])
    }
}
