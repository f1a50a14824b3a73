//! What an exploration took.

use std::time::Duration;

/// Counters and times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Runs of the program, except those that only confirmed a bug.
    pub executions: u64,
    /// Of these, how many were made again because something new about the program had been learnt.
    pub repeated: u64,
    /// Runs made again to take up an earlier search; they are not counted anywhere else.
    pub resumed: u64,
    /// Runs that confirmed a bug.
    pub replays: u64,
    /// Questions asked.
    pub queries: u64,
    /// Answered: it can be.
    pub sat: u64,
    /// Answered: it cannot be.
    pub unsat: u64,
    /// Not answered.
    pub unknown: u64,
    /// Time in runs, of all workers together.
    pub running: Duration,
    /// Time in solvers, of all workers together.
    pub solving: Duration,
    /// Time for building formulas and reading answers, of all workers together.
    pub encoding: Duration,
}

impl Statistics {
    /// Adds what a solver was asked.
    pub(super) fn asked(
        &mut self,
        before: &warpath_solvers::Statistics,
        after: &warpath_solvers::Statistics,
    ) {
        self.queries += after.queries - before.queries;
        self.sat += after.sat - before.sat;
        self.unsat += after.unsat - before.unsat;
        self.unknown += after.unknown - before.unknown;
        self.solving += after.time.saturating_sub(before.time);
    }
}
