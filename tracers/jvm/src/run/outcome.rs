//! How a run ends.

use std::fmt;

use warpath_trace::event::FailureKind;

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// The program ended with this status.
    Exited(i32),
    /// Something went wrong in it.
    Failed(Failure),
    /// The tracer stopped it.
    Stopped(Why),
}

/// Something that went wrong in the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What.
    pub kind: FailureKind,
    /// In words: `java.lang.IllegalStateException: no more seats`.
    pub message: String,
}

/// Why the tracer stopped a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// So many visible events of one thread were allowed.
    Events(u64),
    /// So many expressions were allowed.
    Expressions(usize),
    /// So many bytes of output were allowed.
    Output(u64),
    /// So many seconds were allowed.
    Time(u64),
    /// An assumption did not hold: the run is of no interest.
    Assumption,
    /// The user asked for it.
    Interrupted,
    /// The schedule cannot be followed.
    Diverged(Box<Divergence>),
}

/// The first place where the program and the schedule part, in the agent's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Divergence(pub String);

impl fmt::Display for Divergence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
