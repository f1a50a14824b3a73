//! What a run may do, and what of its input is symbolic.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use warpath_trace::header::{MemoryModel, Values};
use warpath_trace::repair::Rule;
use warpath_trace::si::InputValue;

/// How to run.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// Data from outside that becomes inputs.
    pub symbolic: Vec<Source>,
    /// Values of inputs; one that is not here has what it has in a plain run.
    pub inputs: Vec<InputValue>,
    /// The memory model: whether stores wait in buffers.
    pub model: MemoryModel,
    /// Changes that the program is run under, as if they had been made.
    pub repair: Vec<Rule>,
    /// Are path conditions followed, or only values recorded?
    pub values: Values,
    /// Expressions at most; a run with more is repeated without path conditions.
    pub max_expressions: usize,
    /// Visible events of one thread at most.
    pub max_events: u64,
    /// Instructions at most.
    pub max_instructions: u64,
    /// Where the program's output goes.
    pub output: Output,
    /// Bytes of output that are kept at most.
    pub max_output: u64,
    /// Does a non-zero exit status count as failure?
    pub fail_on_exit: bool,
    /// Compare every interpreted instruction with the hardware.
    pub verify: bool,
    /// Compare every expression with the concrete value.
    pub check_expressions: bool,
    /// Bytes that are shared in one piece of more than this are bulk data, whose accesses are not events.
    pub bulk: u64,
    /// Set from outside to stop the run.
    pub cancel: Arc<AtomicBool>,
}

impl Default for RunOptions {
    fn default() -> Self {
        RunOptions {
            symbolic: Vec::new(),
            inputs: Vec::new(),
            model: MemoryModel::Sc,
            repair: Vec::new(),
            values: Values::Symbolic,
            max_expressions: 1 << 21,
            max_events: 1_000_000,
            max_instructions: 20_000_000_000,
            output: Output::Inherit,
            max_output: 256 << 20,
            fail_on_exit: false,
            verify: false,
            check_expressions: false,
            bulk: 4096,
            cancel: Arc::default(),
        }
    }
}

/// Data from outside the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// The first bytes of standard input.
    Stdin {
        /// How many.
        bytes: u64,
    },
    /// A command-line argument, from 1.
    Argument(usize),
    /// An environment variable.
    Environment(String),
    /// The first bytes of a file.
    File {
        /// Which, as the program names it or absolute.
        path: PathBuf,
        /// How many.
        bytes: u64,
    },
    /// What `getrandom`, `rand` and their like give.
    Random,
    /// What clocks say.
    Time,
}

/// Where the program's output goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// Where the tracer's goes.
    Inherit,
    /// Kept, and given with the run.
    Keep,
    /// Nowhere; it is in the trace.
    Discard,
}
