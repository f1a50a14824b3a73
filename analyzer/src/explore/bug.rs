//! A bug that exploration has found and reproduced.

use std::fmt;

use warpath_trace::event::FailureKind;
use warpath_trace::failed::Failed;
use warpath_trace::si::{Expect, Si};
use warpath_trace::trace::Trace;

use crate::findings::Finding;

/// A bug, with the run that shows it.
#[derive(Clone, Debug)]
pub struct Bug {
    /// Its kind in one word: `assertion`, `deadlock`, `data-race`.
    pub kind: String,
    /// What went wrong, in a line.
    pub message: String,
    /// Where, for people; empty if unknown.
    pub place: String,
    /// The threads it shows in: of a failure the one that failed, of a deadlock all that wait.
    pub threads: Vec<String>,
    /// The schedule and inputs that make it happen.
    pub si: Si,
    /// The run that showed it.
    pub trace: Trace,
    /// What makes it the same bug as one that another search has found.
    pub identity: Identity,
    /// How many runs had been made when it was found, this one included.
    pub execution: u64,
    /// How many interferences the schedule that led to it was asked to have at most, if that was limited.
    pub interferences: Option<usize>,
    /// What was predicted, if the run was made to confirm a prediction.
    pub finding: Option<Finding>,
}

/// What makes a bug the same as another: its kind and where it shows.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Identity {
    kind: String,
    places: Vec<String>,
}

/// `assertion at m.c:38:9`.
impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {}", self.kind, self.places.join(", "))
    }
}

impl Identity {
    /// Of a finding that does not show by failing.
    pub(super) fn of_finding(finding: &Finding) -> Identity {
        let (kind, places) = finding.key();
        Identity { kind: kind.name().to_owned(), places }
    }

    pub(super) fn of_failure(failed: &Failed) -> Identity {
        let mut places: Vec<String> = match failed.waits.is_empty() {
            true => vec![failed.place.clone()],
            false => failed.waits.iter().map(|wait| wait.place.clone()).collect(),
        };
        places.sort_unstable();
        Identity { kind: failed.kind.to_string(), places }
    }
}

/// The failure of a run; none if it has none that is the program's own fault.
pub(super) fn own_failure(trace: &Trace) -> Option<Failed> {
    let own = |failed: &Failed| !matches!(failed.kind, FailureKind::BoundReached | FailureKind::Killed(_));
    trace.failed().filter(own)
}

impl Bug {
    /// A run that failed.
    pub(super) fn of_failure(failed: &Failed, mut si: Si, trace: Trace, execution: u64) -> Bug {
        let key = |thread| trace.tables.key(thread).to_string();
        si.expect = Expect {
            outcome: failed.kind.to_string(),
            thread: key(failed.thread),
            place: failed.place.clone(),
            message: failed.message.clone(),
        };
        Bug {
            kind: failed.kind.to_string(),
            message: failed.message.clone(),
            place: failed.place.clone(),
            threads: match failed.waits.is_empty() {
                true => vec![key(failed.thread)],
                false => failed.waits.iter().map(|wait| key(wait.thread)).collect(),
            },
            identity: Identity::of_failure(failed),
            si,
            trace,
            execution,
            interferences: None,
            finding: None,
        }
    }
}
