//! **Once.** One thread runs the initialiser; the others see it done after it finished. After an initialiser
//! that was abandoned, another may run.

use warpath_solvers::term::TermError;
use warpath_trace::event::{OnceStep, Op};
use warpath_trace::ids::LocationId;

use super::{About, Encoding};
use crate::model::NodeId;

impl Encoding<'_> {
    pub(super) fn onces(&mut self, once: LocationId) -> Result<(), TermError> {
        let nodes = self.on(once);
        let of = |wanted: OnceStep| -> Vec<NodeId> {
            let is =
                |&id: &NodeId| matches!(self.forest.node(id).op, Op::Once { step, .. } if step == wanted);
            nodes.iter().copied().filter(is).collect()
        };
        let (runs, finished, seen) = (of(OnceStep::Run), of(OnceStep::Finish), of(OnceStep::Seen));
        for (n, &b) in runs.iter().enumerate() {
            for &a in &runs[..n] {
                if !self.must.compatible(a, b) {
                    continue;
                }
                let mut ways = Vec::new();
                for (first, second) in [(a, b), (b, a)] {
                    for abandoned in self.abandoned(once, first) {
                        ways.push(self.done_before(abandoned, second)?);
                    }
                }
                let way = self.terms.or(&ways)?;
                let both = [self.en(a)?, self.en(b)?];
                let both = self.terms.and(&both)?;
                self.require(About::Once(b), both, way)?;
            }
        }
        for id in seen {
            let mut ways = Vec::new();
            for &finish in &finished {
                ways.push(self.done_before(finish, id)?);
            }
            let way = self.terms.or(&ways)?;
            let en = self.en(id)?;
            self.require(About::Once(id), en, way)?;
        }
        Ok(())
    }

    fn abandoned(&self, once: LocationId, run: NodeId) -> Vec<NodeId> {
        let below = self.object_trees.below(once, run).iter().copied();
        below.filter(|&id| matches!(self.op(id), Op::Once { step: OnceStep::Abandon, .. })).collect()
    }
}
