//! The run that a trace recorded, as a way through the forest: what the trees leave out.

use super::forest::NodeId;

/// Something that happened at one moment of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Moment {
    /// An event was executed.
    Event(NodeId),
    /// A write left its thread's store buffer. Only in runs recorded under TSO or PSO.
    Commit(NodeId),
}

/// One recorded run. A forest keeps the latest: an earlier one would cost as much memory again, and what it shows
/// is in the trees.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Run {
    /// What happened, in the observed order. A wait that had not ended with the trace is not in it.
    pub steps: Vec<Moment>,
    /// The value of each input of the forest; 0 for one that the run did not take.
    pub inputs: Vec<u128>,
    /// What reads found at locations whose value before the first event no trace tells.
    pub unexplained: Vec<(NodeId, u128)>,
}
