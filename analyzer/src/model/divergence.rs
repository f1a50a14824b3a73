//! Runs that do not fit together.

/// Two runs that cannot be merged: what the forest said about them would be wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Divergence {
    /// A thread did different things after the same decisions: the program or its tracing is not deterministic.
    #[error(
        "the runs do not fit together: after the same decisions, event {index} of {thread} is `{found}` here and was `{known}` before"
    )]
    Events {
        /// The thread's key.
        thread: String,
        /// Index of the event in the trace being merged.
        index: u32,
        /// What the new trace has.
        found: String,
        /// What the forest has.
        known: String,
    },
    /// One run tells by branches how a thread decided, the other by the values of its reads. Behind the same read,
    /// these are different events, although the thread does the same.
    #[error(
        "the runs do not fit together: {thread} was recorded {found} here and {known} before; record all runs of a program in one way, or analyse them apart"
    )]
    Values {
        /// The thread's key.
        thread: String,
        /// How the new trace has it: "with branch conditions" or "with values only".
        found: &'static str,
        /// How the forest has it.
        known: &'static str,
    },
}
