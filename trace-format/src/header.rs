//! What a trace says about itself: header at the start, footer at the end.

use bincode::{Decode, Encode};

use crate::event::FailureKind;
use crate::ids::{ObjectId, StringId};

/// Who recorded what, and how. The first chunk of every file.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub struct Header {
    /// The program that ran, as it was called.
    pub program: String,
    /// Its arguments, without the program's name; bytes, because arguments need not be text.
    pub arguments: Vec<Vec<u8>>,
    /// The build id of the executable, empty if it has none.
    pub build_id: Vec<u8>,
    /// Name of the tracer.
    pub tracer: String,
    /// Version of the tracer.
    pub tracer_version: String,
    /// What clock the program saw.
    pub clock: Clock,
    /// How the order of events of different threads was observed.
    pub order: OrderKind,
    /// The memory model under which the program ran.
    pub model: MemoryModel,
    /// Whether path conditions are recorded.
    pub values: Values,
}

impl Header {
    /// The arguments as text, for people and machines that want text.
    pub fn argument_texts(&self) -> Vec<String> {
        self.arguments.iter().map(|bytes| String::from_utf8_lossy(bytes).into_owned()).collect()
    }
}

impl Default for Header {
    fn default() -> Self {
        Header {
            program: String::new(),
            arguments: Vec::new(),
            build_id: Vec::new(),
            tracer: String::new(),
            tracer_version: String::new(),
            clock: Clock::None,
            order: OrderKind::Total,
            model: MemoryModel::Sc,
            values: Values::Symbolic,
        }
    }
}

/// What clock the traced program saw.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode)]
pub enum Clock {
    /// Not recorded.
    None,
    /// A virtual one that the tracer moved.
    Virtual,
    /// The machine's; the recording began so many nanoseconds after the Unix epoch.
    Real(
        /// Nanoseconds.
        u64,
    ),
}

/// How the order between threads was observed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Encode, Decode)]
pub enum OrderKind {
    /// One event at a time: a total order.
    Total,
    /// Threads ran in parallel: per-thread order, and tickets that order the events of each object.
    Tickets,
}

/// Memory models.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Encode, Decode, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MemoryModel {
    /// Sequential consistency.
    Sc,
    /// Total store order.
    Tso,
    /// Partial store order.
    Pso,
}

/// What the trace knows about the values it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode)]
pub enum Values {
    /// Nothing but the values: every read is taken as a decision on the value read.
    Pinned,
    /// Where control depended on a value there is a branch event with its condition.
    Symbolic,
}

/// How the run ended. The last chunk of every complete file.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub struct Footer {
    /// How the run ended.
    pub outcome: Outcome,
    /// Events in the file, for a reader to check.
    pub events: u64,
    /// What was approximated, and how often.
    pub approximations: Vec<(StringId, u64)>,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode)]
pub enum Outcome {
    /// The program ended with this status.
    Exited(
        /// The exit status.
        i32,
    ),
    /// It failed; the failure is an event of the trace.
    Failed(
        /// How.
        FailureKind,
    ),
    /// The tracer stopped it: a bound, a wish of the user.
    Stopped,
    /// Not known, as in imported traces.
    Unknown,
}

/// Bytes that were treated as shared between threads; accesses outside are not events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Encode, Decode)]
pub struct SharedRange {
    /// The object.
    pub object: ObjectId,
    /// First byte.
    pub offset: u64,
    /// Bytes.
    pub size: u64,
}
