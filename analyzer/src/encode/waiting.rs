//! **Await**: a turn of a loop that looked at shared memory and changed nothing.
//!
//! A thread that looks again and finds the same is where it was before: that turn could as well not have happened. So
//! only executions are asked for in which no idle turn that some run had is made twice in a row. Nothing is lost, and
//! a loop that waits has as many turns as there are writes to what it waits for.

use warpath_solvers::term::{TermError, TermId};

use super::{About, Encoding};
use crate::model::{Forest, NodeId};

/// An idle turn that is made again: the reads of both turns, pairwise, and what they find.
#[derive(Clone, Debug)]
pub(super) struct Repeated {
    pub(super) reads: Vec<(NodeId, NodeId)>,
    values: Vec<u128>,
}

/// The idle turns that this read would complete a second time in a row.
pub(super) fn repeated(forest: &Forest, read: NodeId) -> Vec<Repeated> {
    if !forest.has_idle_turns() || forest.node(read).op.read_location().is_none() {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut again = vec![read];
    let mut at = read;
    while let Some((above, outcome)) = forest.node(at).parent {
        for idle in forest.idle_turns(above, outcome).iter().filter(|idle| idle.reads.len() == again.len()) {
            let place = |&id: &NodeId| forest.node(id).op.read_location();
            if idle.reads.iter().map(place).eq(again.iter().rev().map(place)) {
                let reads = idle.reads.iter().copied().zip(again.iter().rev().copied()).collect();
                found.push(Repeated { reads, values: idle.values.clone() });
            }
        }
        let op = &forest.node(above).op;
        if op.read_location().is_some() {
            again.push(above);
        } else if op.is_visible() {
            // A turn that does anything else that others can notice is not idle.
            break;
        }
        if again.len() > LONGEST_TURN {
            break;
        }
        at = above;
    }
    found
}

/// Reads that an idle turn may have; tracers look for short ones only.
const LONGEST_TURN: usize = 32;

impl Encoding<'_> {
    /// `en(r) → ¬ both turns find what the idle one found`.
    pub(super) fn awaits(&mut self, id: NodeId) -> Result<(), TermError> {
        for repeated in repeated(self.forest, id) {
            let mut same: Vec<TermId> = Vec::new();
            for (&(before, now), &value) in repeated.reads.iter().zip(&repeated.values) {
                for read in [before, now] {
                    let Some(location) = self.op(read).read_location() else { return Ok(()) };
                    same.push(self.found_is(read, location, value)?);
                }
            }
            let en = self.en(id)?;
            let same = self.terms.and(&same)?;
            let other = self.terms.not(same)?;
            self.require(About::Thread(id), en, other)?;
        }
        Ok(())
    }
}
