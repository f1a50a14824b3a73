//! Which schedule is followed, and who goes when it does not say.

use warpath_trace::si::Step;
use warpath_trace::thread::ThreadKey;

/// A schedule that is followed.
#[derive(Clone, Debug)]
pub struct Follow {
    pub(super) steps: Vec<Step>,
    pub(super) strictness: Strictness,
    /// Are accesses to locations that no step names made on the way?
    pub(super) passes_others: bool,
    /// Who goes on when the schedule is over.
    pub(super) then: Option<ThreadKey>,
}

/// What happens when the program does something else than the schedule says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strictness {
    /// The run ends.
    Strict,
    /// The step is left out, and the run goes on.
    Lenient,
}

impl Follow {
    /// Follows these steps.
    pub fn new(steps: Vec<Step>, strictness: Strictness) -> Follow {
        Follow { steps, strictness, passes_others: false, then: None }
    }

    /// Follows nothing.
    pub fn nothing() -> Follow {
        Follow::new(Vec::new(), Strictness::Strict)
    }

    /// Accesses to locations that no step names are made on the way: for a schedule that does not say which locations it
    /// takes as shared.
    pub fn passing_others(mut self) -> Follow {
        self.passes_others = true;
        self
    }

    /// Lets this thread go on first when the schedule is over.
    pub fn then(mut self, thread: ThreadKey) -> Follow {
        self.then = Some(thread);
        self
    }

    /// The same schedule, left where the program does something else.
    pub(super) fn leniently(&self) -> Follow {
        Follow { strictness: Strictness::Lenient, ..self.clone() }
    }
}

/// How to choose among threads that can go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// The same thread until it cannot.
    RunToBlock,
    /// One visible step each.
    RoundRobin,
    /// Any thread at every step.
    Random {
        /// Decides which.
        seed: u64,
    },
    /// Probabilistic concurrency testing: random priorities that change at `depth - 1` random points.
    Pct {
        /// Decides priorities and points.
        seed: u64,
        /// How many orderings a bug may need.
        depth: u32,
        /// About how many steps a run has.
        steps: u64,
    },
}
