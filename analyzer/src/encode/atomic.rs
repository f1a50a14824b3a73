//! **Atomic regions.** Nothing of another thread happens between begin and end, and nothing at all behind a
//! region that has not ended. A write that is still in its buffer then stays there: its commit comes after
//! everything that the region reads, and is not part of the execution.

use warpath_solvers::term::{TermError, TermId};
use warpath_trace::event::Op;

use super::{About, Encoding, Point};
use crate::model::NodeId;

impl Encoding<'_> {
    pub(super) fn atomic_regions(&mut self) -> Result<(), TermError> {
        for begin in self.regions() {
            let ends = self.region_ends(begin);
            for id in self.forest.ids() {
                let foreign = self.forest.node(id).tree != self.forest.node(begin).tree;
                let open = self.takes_part[id.index()] && !self.forest.is_settled(id);
                if foreign && open && self.op(id).is_visible() {
                    let issued = self.outside(begin, &ends, Point::Issue(id))?;
                    self.keep_out(begin, id, issued)?;
                    if self.is_buffered(id) {
                        let committed = self.outside(begin, &ends, Point::Commit(id))?;
                        let stays = self.stays_buffered(begin, &ends, id)?;
                        let way = self.terms.or(&[committed, stays])?;
                        self.keep_out(begin, id, way)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// The first ends on every path below.
    fn region_ends(&self, begin: NodeId) -> Vec<NodeId> {
        let mut ends = Vec::new();
        let mut stack: Vec<NodeId> = self.forest.node(begin).children.iter().map(|c| c.node).collect();
        while let Some(id) = stack.pop() {
            if !self.takes_part[id.index()] {
                continue;
            }
            match self.op(id) {
                Op::AtomicEnd => ends.push(id),
                _ => stack.extend(self.forest.node(id).children.iter().map(|child| child.node)),
            }
        }
        ends.sort_unstable();
        ends
    }

    /// The point is before the region or after it.
    fn outside(&mut self, begin: NodeId, ends: &[NodeId], point: Point) -> Result<TermId, TermError> {
        let mut ways = vec![self.before(point, Point::Issue(begin))?];
        for &end in ends {
            let parts = [self.en(end)?, self.before(Point::Issue(end), point)?];
            ways.push(self.terms.and(&parts)?);
        }
        self.terms.or(&ways)
    }

    /// The region has not ended, and nothing in it sees the write.
    fn stays_buffered(&mut self, begin: NodeId, ends: &[NodeId], write: NodeId) -> Result<TermId, TermError> {
        let mut parts = Vec::new();
        for &end in ends {
            let en = self.en(end)?;
            parts.push(self.terms.not(en)?);
        }
        let mut inside: Vec<NodeId> = self.forest.node(begin).children.iter().map(|c| c.node).collect();
        while let Some(id) = inside.pop() {
            if !self.takes_part[id.index()] || ends.contains(&id) {
                continue;
            }
            if self.op(id).read_location().is_some() {
                let en = self.en(id)?;
                let before = self.before(Point::Issue(id), Point::Commit(write))?;
                parts.push(self.terms.implies(en, before)?);
            }
            inside.extend(self.forest.node(id).children.iter().map(|child| child.node));
        }
        self.terms.and(&parts)
    }

    fn keep_out(&mut self, begin: NodeId, id: NodeId, way: TermId) -> Result<(), TermError> {
        let both = [self.en(begin)?, self.en(id)?];
        let both = self.terms.and(&both)?;
        self.require(About::Atomic(begin, id), both, way)
    }

    /// The write leaves its buffer, if it is held in one: no region that has not ended keeps it there.
    pub(crate) fn takes_effect(&mut self, write: NodeId) -> Result<TermId, TermError> {
        let mut parts = Vec::new();
        if self.is_buffered(write) {
            for begin in self.regions() {
                if self.forest.node(begin).tree != self.forest.node(write).tree {
                    let ends = self.region_ends(begin);
                    let outside = self.outside(begin, &ends, Point::Commit(write))?;
                    let en = self.en(begin)?;
                    parts.push(self.terms.implies(en, outside)?);
                }
            }
        }
        self.terms.and(&parts)
    }

    fn regions(&self) -> Vec<NodeId> {
        let begins = |id: &NodeId| self.takes_part[id.index()] && matches!(self.op(*id), Op::AtomicBegin);
        self.forest.ids().filter(begins).collect()
    }
}
