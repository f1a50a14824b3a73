//! What can be wrong with a recording.

use std::path::PathBuf;

/// A recording that cannot be read, or a trace that cannot be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LightError {
    /// A file that is not there or cannot be read.
    #[error("{}: {error}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// A folder in which no process was recorded.
    #[error("{} has no recorded process (a folder `process-…` with a file `meta`)", .0.display())]
    NothingThere(PathBuf),
    /// Files of another version of the recorder.
    #[error("{}: format {found:?}; this version reads format 2", path.display())]
    Format {
        /// The file `meta`.
        path: PathBuf,
        /// What it says.
        found: String,
    },
    /// A thread's file that is none.
    #[error("{}: not a thread's file of the light recorder", .0.display())]
    NotAThread(PathBuf),
    /// A record that makes no sense.
    #[error("{}: record {record} at byte {offset} makes no sense: {what}", path.display())]
    Record {
        /// The thread's file.
        path: PathBuf,
        /// Which record.
        record: usize,
        /// Where it begins.
        offset: usize,
        /// What is wrong.
        what: &'static str,
    },
    /// No thread recorded anything.
    #[error("{}: nothing was recorded", .0.display())]
    Empty(PathBuf),
    /// Writing the trace.
    #[error("cannot write the trace: {0}")]
    Write(#[from] warpath_trace::binary::WriteError),
    /// More than a trace can hold.
    #[error("the recording does not fit a trace: {0}")]
    Tables(#[from] warpath_trace::tables::TableError),
}
