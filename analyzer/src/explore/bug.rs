//! A bug that exploration has found and reproduced.

use warpath_trace::event::{Event, FailureKind, Op};
use warpath_trace::ids::ThreadIx;
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
    /// How many runs had been made when it was found, this one included.
    pub execution: u64,
    /// What was predicted, if the run was made to confirm a prediction.
    pub finding: Option<Finding>,
}

/// What makes a bug the same as another.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Identity(String, Vec<String>);

impl Identity {
    /// Of a finding that does not show by failing.
    pub(super) fn of_finding(finding: &Finding) -> Identity {
        let (kind, places) = finding.key();
        Identity(kind.name().to_owned(), places)
    }
}

/// A failure that a run ended with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Failed {
    pub(super) kind: FailureKind,
    pub(super) message: String,
    pub(super) place: String,
    pub(super) thread: String,
    /// Of a deadlock: where each thread waits.
    pub(super) waits: Vec<String>,
}

impl Failed {
    /// The failure of a trace; none if it has none that is the program's own fault.
    pub(super) fn of(trace: &Trace) -> Option<Failed> {
        let (thread, event) = failure(trace)?;
        let Op::Failure { kind, message, .. } = event.op else { return None };
        if matches!(kind, FailureKind::BoundReached | FailureKind::Killed(_)) {
            return None;
        }
        let tables = &trace.tables;
        let waiting = matches!(kind, FailureKind::Deadlock | FailureKind::Livelock);
        let last = |events: &Vec<Event>| {
            let event = events.iter().rev().find(|event| !matches!(event.op, Op::Failure { .. }))?;
            (!matches!(event.op, Op::End)).then(|| tables.source_name(event.at))
        };
        Some(Failed {
            kind,
            message: tables.text(message).into_owned(),
            place: tables.source_name(event.at),
            thread: tables.key(thread).to_string(),
            waits: if waiting { trace.threads.iter().filter_map(last).collect() } else { Vec::new() },
        })
    }

    pub(super) fn identity(&self) -> Identity {
        let mut places = if self.waits.is_empty() { vec![self.place.clone()] } else { self.waits.clone() };
        places.sort_unstable();
        Identity(self.kind.to_string(), places)
    }

    /// As a schedule+input file expects it.
    pub(super) fn expect(&self) -> Expect {
        Expect {
            outcome: self.kind.to_string(),
            thread: self.thread.clone(),
            place: self.place.clone(),
            message: self.message.clone(),
        }
    }
}

/// The event with which a run failed.
fn failure(trace: &Trace) -> Option<(ThreadIx, &Event)> {
    trace.threads.iter().enumerate().find_map(|(thread, events)| {
        let event = events.iter().rev().find(|event| matches!(event.op, Op::Failure { .. }))?;
        Some((ThreadIx::from(thread), event))
    })
}
