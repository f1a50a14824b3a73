//! Runs that do not fit together.

/// Two runs in which a thread did different things after the same decisions: the program or its tracing is
/// not deterministic, and what the forest says about it would be wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the runs do not fit together: after the same decisions, event {index} of {thread} is `{found}` here and was `{known}` before"
)]
pub struct Divergence {
    /// The thread's key.
    pub thread: String,
    /// Index of the event in the trace being merged.
    pub index: u32,
    /// What the new trace has.
    pub found: String,
    /// What the forest has.
    pub known: String,
}
