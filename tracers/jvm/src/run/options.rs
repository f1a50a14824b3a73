//! What a run may do, and what of its input is symbolic.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use warpath_trace::header::{MemoryModel, Values};
use warpath_trace::si::InputValue;

/// How to run.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// Data from outside that becomes inputs.
    pub symbolic: Vec<Source>,
    /// Values of inputs; one that is not here has what it has in a plain run. The first of a name counts.
    pub inputs: Vec<InputValue>,
    /// The memory model: whether stores wait in buffers.
    pub model: MemoryModel,
    /// Are path conditions followed, or only values recorded?
    pub values: Values,
    /// Expressions at most; a run with more is repeated without path conditions.
    pub max_expressions: usize,
    /// Visible events of one thread at most.
    pub max_events: u64,
    /// How long the JVM may take at most.
    pub max_time: Duration,
    /// Where the program's output goes.
    pub output: Output,
    /// Bytes of output that are kept at most.
    pub max_output: u64,
    /// Does a non-zero exit status count as failure?
    pub fail_on_exit: bool,
    /// Compare every expression with the concrete value.
    pub check_expressions: bool,
    /// Classes to instrument besides the usual ones, by the beginning of their dotted names.
    pub include: Vec<String>,
    /// Classes to leave alone, likewise.
    pub exclude: Vec<String>,
    /// Set from outside to stop the run.
    pub cancel: Arc<AtomicBool>,
}

impl Default for RunOptions {
    fn default() -> Self {
        RunOptions {
            symbolic: Vec::new(),
            inputs: Vec::new(),
            model: MemoryModel::Sc,
            values: Values::Symbolic,
            max_expressions: 1 << 21,
            max_events: 1_000_000,
            max_time: Duration::from_secs(600),
            output: Output::Inherit,
            max_output: 256 << 20,
            fail_on_exit: false,
            check_expressions: false,
            include: Vec::new(),
            exclude: Vec::new(),
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
    /// A command-line argument of the program, from 1.
    Argument(usize),
    /// An environment variable.
    Environment(String),
    /// What `java.util.Random` and its like give.
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
    /// Nowhere.
    Discard,
}
