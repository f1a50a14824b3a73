//! How a run ends.

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
    /// In words.
    pub message: String,
    /// The address concerned, where there is one.
    pub address: Option<u64>,
    /// The instruction that it began at, if that is not where the thread stands.
    pub site: Option<u64>,
}

impl Failure {
    /// A failure without an address.
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Failure {
        Failure { kind, message: message.into(), address: None, site: None }
    }
}

/// Why the tracer stopped a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// So many visible events of one thread were allowed.
    Events(u64),
    /// So many instructions were allowed.
    Instructions(u64),
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
    /// The program became another one.
    Executed,
    /// Bytes were found to be shared that were not known before, and somebody may wait for them.
    Sharing,
    /// It has come to its `main`.
    Main,
    /// The schedule cannot be followed.
    Diverged(Box<super::schedule::Divergence>),
}
