//! What somebody who watches an exploration is told.

use std::time::Duration;

use warpath_trace::si::Si;

use super::bug::Bug;
use super::runner::Observed;
use super::statistics::Statistics;
use crate::queries::Manifest;

/// Somebody who watches. All calls come from the thread that explores, in the order of what happens.
pub trait Observer {
    /// A run was made and added to what is known.
    fn executed(&mut self, _number: u64, _run: &Observed) {}

    /// Where the search stands.
    fn progress(&mut self, _standing: &Standing) {}

    /// The search can be taken up again from here.
    fn checkpoint(&mut self, _checkpoint: &Checkpoint<'_>) {}

    /// A bug was found and has been reproduced.
    fn bug(&mut self, _bug: &Bug) {}

    /// A question was asked; only if scripts are wanted.
    fn asked(&mut self, _script: &str, _manifest: &Manifest) {}

    /// Something that the user should know.
    fn remark(&mut self, _text: &str) {}
}

/// Where the search stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// Runs so far.
    pub executions: u64,
    /// Outcomes that have not been seen and not been ruled out.
    pub open_ends: usize,
    /// Questions so far.
    pub queries: u64,
    /// Time that solvers took.
    pub solving: Duration,
    /// Bugs so far.
    pub bugs: usize,
}

/// What it takes to take up a search again: the runs it has made. What was concluded from them is concluded again.
#[derive(Clone, Copy, Debug)]
pub struct Checkpoint<'a> {
    /// The runs that the forest was made of, in the order in which they were added.
    pub runs: &'a [Si],
    /// As long as it stays the same, runs are only added; then all were made again, and each is another.
    pub generation: u64,
    /// What the search has taken so far.
    pub statistics: &'a Statistics,
}

/// Watches nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unobserved;

impl Observer for Unobserved {}
