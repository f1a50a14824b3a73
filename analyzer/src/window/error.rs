//! Why a trace cannot be cut into windows.

use warpath_trace::header::MemoryModel;
use warpath_trace::order::Contradiction;

/// Why a trace cannot be cut into windows. It can be checked as a whole all the same.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WindowError {
    /// Nobody knows in which order the events happened, so there is no state to begin with.
    #[error("the events have no order to cut into windows: {0}")]
    NoOrder(#[from] Contradiction),
    /// The recorded run itself is not one of the memory model asked for.
    #[error(
        "the run was recorded under {recorded:?}, so what comes before a window need not be possible under {asked:?}"
    )]
    Model {
        /// The model of the recording.
        recorded: MemoryModel,
        /// The model asked for.
        asked: MemoryModel,
    },
    /// Expressions speak of an input whose value in the run is not in the trace.
    #[error("the trace does not say which value the input `{0}` had, so nothing can be fixed to it")]
    InputValue(
        /// The input's name.
        String,
    ),
    /// Windows that do not get ahead.
    #[error(
        "windows of {size} events that overlap by {overlap} do not get ahead; the overlap must be smaller than the window"
    )]
    Overlap {
        /// Events of a window.
        size: u32,
        /// Events that two windows have in common.
        overlap: u32,
    },
    /// The threads to check windows with could not be started.
    #[error("cannot start {jobs} threads: {reason}")]
    Threads {
        /// How many.
        jobs: usize,
        /// Why not.
        reason: String,
    },
}
