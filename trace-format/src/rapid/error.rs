//! What can go wrong with STD files.

use std::io;

use crate::check::Inconsistency;
use crate::order::Contradiction;
use crate::tables::TableError;

/// A file that is not in the STD format. Lines count from 1.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// Reading failed.
    #[error("line {line} could not be read: {error}")]
    Io {
        /// The line.
        line: u64,
        /// Why.
        #[source]
        error: io::Error,
    },
    /// A line too long to be one.
    #[error("line {line} has more than {limit} bytes; this is not an STD file")]
    LongLine {
        /// The line.
        line: u64,
        /// The longest line that is read.
        limit: u64,
    },
    /// A line that has not three fields.
    #[error("line {line}: `{text}` has not the three fields thread|operation(operand)|position")]
    Fields {
        /// The line.
        line: u64,
        /// What it begins with.
        text: String,
    },
    /// A thread without a name.
    #[error("line {line}: the thread has no name; write one before the first `|`")]
    Thread {
        /// The line.
        line: u64,
    },
    /// An operation that STD does not have.
    #[error(
        "line {line}: `{text}` is not an operation; there are r(…), w(…), acq(…), rel(…), fork(…), join(…), begin and end"
    )]
    Operation {
        /// The line.
        line: u64,
        /// The second field.
        text: String,
    },
    /// A position that is not a number.
    #[error("line {line}: the position `{text}` is not a number of 32 bits")]
    Position {
        /// The line.
        line: u64,
        /// The third field.
        text: String,
    },
    /// A fork of a thread that is known already.
    #[error(
        "line {line}: thread `{thread}` is forked after it was seen; its events must come behind the fork"
    )]
    LateFork {
        /// The line.
        line: u64,
        /// The thread forked.
        thread: String,
    },
    /// A trace that cannot be stored.
    #[error("line {line}: {error}")]
    Table {
        /// The line.
        line: u64,
        /// Why.
        error: TableError,
    },
}

/// Why a trace could not be written in the STD format.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// The trace does not make sense.
    #[error("the trace is inconsistent: {0}")]
    Inconsistent(#[from] Inconsistency),
    /// STD is a total order, and the trace has none.
    #[error("the events cannot be put in one order: {0}")]
    Order(#[from] Contradiction),
    /// Writing failed.
    #[error("the STD file could not be written: {0}")]
    Io(#[from] io::Error),
}
