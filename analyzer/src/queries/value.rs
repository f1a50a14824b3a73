//! **New value** of a read: other than all it has been seen to find (the seed of Maximal Causality Reduction).

use warpath_solvers::term::TermError;
use warpath_trace::event::Op;

use super::ask::{Question, under};
use crate::encode::{Encoding, Options};
use crate::model::{Forest, NodeId};

/// A read and the values that are not new.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewValue {
    /// The read.
    pub read: NodeId,
    /// What it has been seen to find.
    pub seen: Vec<u128>,
}

impl NewValue {
    /// The question whether the read can find something else; `None` if the node does not read, or is an update
    /// that is pinned to what it found: for that there is [`Want::OtherUpdate`](super::Want::OtherUpdate).
    pub fn question<'f>(
        &self,
        forest: &'f Forest,
        options: Options,
    ) -> Result<Option<Question<'f>>, TermError> {
        let node = forest.node(self.read);
        let Some(location) = node.op.read_location() else { return Ok(None) };
        if node.pinned && matches!(node.op, Op::Rmw { .. }) {
            return Ok(None);
        }
        let described = format!(
            "Can {} at {} read something other than {:?}? ({})",
            forest.key(forest.node(self.read).tree),
            forest.place(self.read),
            self.seen,
            under(&options)
        );
        let encoding = Encoding::with_values(forest, options, &[self.read], &[self.read])?;
        let question = Question::of(encoding, described, |encoding| {
            let mut targets = vec![encoding.en(self.read)?];
            let found = encoding.found_whole(self.read, location)?;
            let width = encoding.terms.sort(found).width().expect("what a read finds is a bit-vector");
            for &value in &self.seen {
                let value = encoding.terms.bits(value, width)?;
                let same = encoding.terms.eq(found, value)?;
                targets.push(encoding.terms.not(same)?);
            }
            Ok(targets)
        });
        question.map(Some)
    }
}
