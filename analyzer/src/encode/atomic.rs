//! **Atomic regions.** Nothing of another thread happens between begin and end, and nothing at all behind a
//! region that has not ended.

use warpath_solvers::term::TermError;
use warpath_trace::event::Op;

use super::{About, Encoding, Point};
use crate::model::NodeId;

impl Encoding<'_> {
    pub(super) fn atomic_regions(&mut self) -> Result<(), TermError> {
        let begins: Vec<NodeId> = self
            .forest
            .ids()
            .filter(|&id| self.takes_part[id.index()] && matches!(self.op(id), Op::AtomicBegin))
            .collect();
        for begin in begins {
            let ends = self.region_ends(begin);
            for id in self.forest.ids() {
                let foreign = self.forest.node(id).tree != self.forest.node(begin).tree;
                if foreign && self.takes_part[id.index()] && self.op(id).is_visible() {
                    self.outside(begin, &ends, id, Point::Issue(id))?;
                    if self.is_buffered(id) {
                        self.outside(begin, &ends, id, Point::Commit(id))?;
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

    fn outside(&mut self, begin: NodeId, ends: &[NodeId], id: NodeId, point: Point) -> Result<(), TermError> {
        let mut ways = vec![self.before(point, Point::Issue(begin))?];
        for &end in ends {
            let parts = [self.en(end)?, self.before(Point::Issue(end), point)?];
            ways.push(self.terms.and(&parts)?);
        }
        let way = self.terms.or(&ways)?;
        let both = [self.en(begin)?, self.en(id)?];
        let both = self.terms.and(&both)?;
        self.require(About::Atomic(begin, id), both, way)
    }
}
