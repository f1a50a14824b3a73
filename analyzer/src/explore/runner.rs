//! What exploration needs of whoever runs programs: a tracer for any language fits behind these traits.

use std::any::Any;
use std::sync::Arc;

use warpath_trace::event::FailureKind;
use warpath_trace::header::Values;
use warpath_trace::si::{InputValue, Si, Step};
use warpath_trace::thread::ThreadKey;
use warpath_trace::trace::Trace;

/// Runs one program, again and again. It stays on the thread that opened it: who traces a process must be the one who
/// started it.
pub trait Runner {
    /// Runs the program once.
    fn run(&mut self, request: &Request) -> Result<Observed, RunnerError>;

    /// What its runs have taught about the program, for other runners of the same one.
    fn learnt(&self) -> Learnt;

    /// Takes over what another runner has learnt; whether its runs are different from now on.
    fn learn(&mut self, from: &Learnt) -> bool;
}

/// Opens runners of one program, each on the thread that will use it.
pub trait Runners: Sync {
    /// One more.
    fn open(&self) -> Result<Box<dyn Runner>, RunnerError>;
}

/// What runs have taught; only runners of the same kind understand it.
pub type Learnt = Arc<dyn Any + Send + Sync>;

/// The program cannot be run (any more).
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct RunnerError(#[source] pub Box<dyn std::error::Error + Send + Sync>);

/// A run that is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Steps to be taken, one after the other.
    pub schedule: Vec<Step>,
    /// Inputs; one that is not here has what it has in a plain run.
    pub inputs: Vec<InputValue>,
    /// What happens when the program does something else than the schedule says.
    pub following: Following,
    /// Who goes on first when the schedule is over.
    pub then: Option<ThreadKey>,
    /// How to choose when the schedule is over.
    pub free: Free,
    /// Are path conditions wanted, or is every value a decision?
    pub values: Values,
    /// The run was made before: a runner that has kept it need not make it again to say what its trace is now.
    pub again: Option<KeptRun>,
}

/// A run that a runner has kept, so that its trace can be made once more with what was learnt since.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KeptRun(pub u64);

/// How a schedule is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Following {
    /// To the letter, or the run ends.
    Strictly,
    /// As far as it goes: what cannot be done is left out, and what it does not speak of is done on the way.
    Loosely,
}

/// How threads are chosen where nobody says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Free {
    /// The same thread until it cannot go on.
    RunToBlock,
    /// Any thread at every step.
    Random {
        /// Decides which.
        seed: u64,
    },
    /// Random priorities that change at a few points.
    Pct {
        /// Decides priorities and points.
        seed: u64,
        /// How many orderings a bug may need.
        depth: u32,
        /// About how many steps a run has.
        steps: u64,
    },
}

impl Request {
    /// A run without a schedule.
    pub fn free(free: Free, values: Values) -> Request {
        Request {
            schedule: Vec::new(),
            inputs: Vec::new(),
            following: Following::Strictly,
            then: None,
            free,
            values,
            again: None,
        }
    }

    /// The run of a schedule+input file.
    pub fn of(si: &Si, following: Following, values: Values) -> Request {
        Request {
            schedule: si.schedule.clone(),
            inputs: si.inputs.clone(),
            following,
            ..Request::free(Free::RunToBlock, values)
        }
    }
}

/// A run that was made.
#[derive(Clone, Debug)]
pub struct Observed {
    /// What happened.
    pub trace: Trace,
    /// How it ended.
    pub ended: Ended,
    /// The run has taught something that makes traces different from now on: this trace and all earlier ones are not
    /// what the same runs would give now.
    pub renewed: bool,
    /// Instructions that were executed step by step by the hardware.
    pub hardware_steps: u64,
    /// Was the program executed for it? Else it is the trace of a run that had been kept.
    pub executed: bool,
    /// The run, if its trace can be made once more.
    pub kept: Option<KeptRun>,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// By itself.
    Normally,
    /// With a failure of the program; the trace has it.
    Failed(FailureKind),
    /// An assumption of the program did not hold: the run is of no interest.
    Assumption,
    /// The schedule could not be followed: where, and what was there instead.
    Diverged(String),
    /// A bound on the length of runs was hit.
    Cut(String),
    /// The user asked for it.
    Interrupted,
    /// Nothing more can be seen of it, and not for want of a bound: it became another program, say.
    Lost(String),
}
