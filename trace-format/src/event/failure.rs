//! What can be wrong with a run.

use std::fmt;

use bincode::{Decode, Encode};

use crate::text::words::NumberedWord;

/// The kind of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Encode, Decode)]
pub enum FailureKind {
    /// An assertion did not hold, or `reach_error` was called.
    Assertion,
    /// `abort` or the like.
    Abort,
    /// An exit status that counts as failure.
    Exit(
        /// The status.
        i32,
    ),
    /// Access to memory that is not there; not one of the kinds below.
    Segfault,
    /// Access through a null pointer or reference.
    NullDereference,
    /// Bus error.
    Bus,
    /// Division by zero and the like.
    Arithmetic,
    /// Illegal instruction.
    IllegalInstruction,
    /// Access beyond the end of an object.
    OutOfBounds,
    /// Access to storage that had been given back.
    UseAfterFree,
    /// Storage given back twice.
    DoubleFree,
    /// Something given back that was never allocated.
    InvalidFree,
    /// Threads wait for each other.
    Deadlock,
    /// Threads spin without end.
    Livelock,
    /// A mutex was released by a thread that does not hold it.
    UnlockNotHeld,
    /// An exception that nobody caught.
    UncaughtException,
    /// A Rust panic.
    Panic,
    /// A bound on the run's length was reached.
    BoundReached,
    /// Killed by this signal from outside.
    Killed(
        /// The signal's number.
        u32,
    ),
    /// Anything else; the message says what.
    Other,
}

/// In the words of the text form: `null-dereference`, `exit 3`.
impl fmt::Display for FailureKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.word() {
            (word, None) => f.write_str(word),
            (word, Some(number)) => write!(f, "{word} {number}"),
        }
    }
}
