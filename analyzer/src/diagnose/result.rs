//! What a diagnosis came to.

use std::time::Duration;

use serde::Serialize;

use super::failure::Failure;
use super::occurrence::Occurrences;
use super::ordering::Ordering;
use super::repair::Repair;
use crate::answer::Execution;

/// What is known of the program, and so how far the result goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// Everything that can happen with these inputs.
    Exhausted,
    /// What was run before a bound was hit.
    Bounded,
    /// What the traces that were given show.
    TraceOnly,
}

/// What is known of the failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// These causes lead to it.
    Explained,
    /// With these inputs no schedule passes, as far as the scope goes.
    EverySchedule,
    /// Not known, for this reason.
    Unknown(String),
}

/// Orderings that together lead to the failure: no execution that has all of them passes, and each is needed for that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// The orderings, in the order of the failing run as far as they happened there.
    pub orderings: Vec<Ordering>,
    /// Of how many orderings of the failing schedule that it was found in.
    pub of: usize,
    /// Is there no cause of that schedule with fewer orderings?
    pub is_smallest: bool,
    /// The failing schedule that it was found in.
    pub shown_in: Execution,
}

/// What a diagnosis came to.
#[derive(Clone, Debug)]
pub struct Diagnosis {
    /// What is known.
    pub verdict: Verdict,
    /// How far that goes.
    pub scope: Scope,
    /// What was explained.
    pub failure: Failure,
    /// Orderings of the failing run: what somebody would have had to read.
    pub raw: usize,
    /// The causes, in the order found.
    pub causes: Vec<Cause>,
    /// What would prevent it, the best first. Each has been verified within the scope.
    pub repairs: Vec<Repair>,
    /// How many failing schedules were looked at.
    pub iterations: usize,
    /// Does every failing schedule show one of the causes?
    pub is_complete: bool,
    /// Why the search was not brought to its end.
    pub unfinished: Option<String>,
    /// The run that failed.
    pub failing: Execution,
    /// An execution that passes and has as many of the failing run's orderings as possible.
    pub nearest: Option<Execution>,
    /// What the orderings speak of.
    pub occurrences: Occurrences,
    /// Who answered.
    pub solver: String,
    /// Questions asked.
    pub questions: u64,
    /// Time for answers.
    pub solving: Duration,
    /// Time for everything.
    pub time: Duration,
}
