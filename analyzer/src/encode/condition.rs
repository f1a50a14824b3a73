//! **Condition variable.** A wait is: release, block, acquire again. The last needs a signal between block and
//! wake that is given to no other wait, or a broadcast. Spurious wake-ups: an option.

use warpath_solvers::term::{Sort, TermError};
use warpath_trace::event::{Op, WaitResult};
use warpath_trace::ids::LocationId;

use super::{About, Encoding};
use crate::model::NodeId;

impl Encoding<'_> {
    pub(super) fn conditions(&mut self, condition: LocationId) -> Result<(), TermError> {
        let nodes = self.on(condition);
        let all = |wanted: &dyn Fn(&Op) -> bool| -> Vec<NodeId> {
            nodes.iter().copied().filter(|&id| wanted(&self.forest.node(id).op)).collect()
        };
        let signals = all(&|op| matches!(op, Op::Signal { .. }));
        let broadcasts = all(&|op| matches!(op, Op::Broadcast { .. }));
        let woken = all(&|op| match *op {
            Op::CondWake { condition: object, result: WaitResult::Done, .. } => object == condition,
            _ => false,
        });
        if self.options.spurious_wakeups {
            return Ok(());
        }
        let mut given = Vec::new();
        for &wake in &woken {
            let is_wait = |id: NodeId| matches!(self.forest.node(id).op, Op::CondWait { .. });
            let Some(wait) = self.object_trees.last_above(condition, wake, is_wait) else { continue };
            let mut ways = Vec::new();
            for &broadcast in &broadcasts {
                ways.push(self.during(broadcast, wait, wake)?);
            }
            for &signal in &signals {
                let during = self.during(signal, wait, wake)?;
                if during == self.terms.bool(false) {
                    continue;
                }
                let name = format!("given({},{})", self.forest.name(signal), self.forest.name(wake));
                let gets = self.terms.constant(&name, Sort::Bool)?;
                self.require(About::Wake(wake), gets, during)?;
                ways.push(gets);
                given.push((signal, wake, gets));
            }
            let way = self.terms.or(&ways)?;
            let en = self.en(wake)?;
            self.require(About::Wake(wake), en, way)?;
        }
        self.injective(&given)
    }

    /// `en(x) ∧ o(from) < o(x) < o(to)`, for `from` that `to` implies.
    pub(super) fn during(
        &mut self,
        id: NodeId,
        from: NodeId,
        to: NodeId,
    ) -> Result<warpath_solvers::term::TermId, TermError> {
        let before = self.done_before(id, to)?;
        if before == self.terms.bool(false) || self.must.before(id, from) {
            return Ok(self.terms.bool(false));
        }
        let en = self.en(id)?;
        let after = self.before(super::Point::Issue(from), super::Point::Issue(id))?;
        self.terms.and(&[en, before, after])
    }

    /// One giver, one taker.
    pub(super) fn injective(
        &mut self,
        given: &[(NodeId, NodeId, warpath_solvers::term::TermId)],
    ) -> Result<(), TermError> {
        for (n, &(giver, taker, gets)) in given.iter().enumerate() {
            for &(other_giver, other, other_gets) in &given[..n] {
                if giver == other_giver && self.must.compatible(taker, other) {
                    self.exclude(About::WakeOnce(taker, other), gets, other_gets)?;
                }
            }
        }
        Ok(())
    }
}
