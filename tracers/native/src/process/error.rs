//! What can go wrong with a native process.

use std::ffi::OsString;

use nix::errno::Errno;

/// A native process that could not be started or no longer does what it was asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProcessError {
    /// The program could not be started.
    #[error("`{}` cannot be run: {reason}", program.display())]
    Start {
        /// The program.
        program: OsString,
        /// Why, in words.
        reason: String,
    },
    /// A request to the kernel about the process failed.
    #[error("the traced process did not allow to {what}: {errno}")]
    Request {
        /// What was asked.
        what: &'static str,
        /// The kernel's answer.
        errno: Errno,
    },
    /// The process ended when it should not have.
    #[error("the traced process was ended from outside ({0})")]
    Gone(super::Ended),
}

impl ProcessError {
    /// How the process ended, if that is what is wrong.
    pub(crate) fn ended(&self) -> Option<super::Ended> {
        match self {
            ProcessError::Gone(ended) => Some(*ended),
            _ => None,
        }
    }

    pub(super) fn request(what: &'static str) -> impl FnOnce(Errno) -> ProcessError {
        move |errno| ProcessError::Request { what, errno }
    }
}
