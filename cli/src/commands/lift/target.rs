//! How the recorded run ended, and whether another one ends like it.

use serde::Serialize;
use warpath_trace::event::{FailureKind, Op};
use warpath_trace::header::Outcome;
use warpath_trace::trace::Trace;

/// How the recorded run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// With this status.
    Exit(i32),
    /// With a failure.
    Failure {
        /// What went wrong.
        kind: FailureKind,
        /// In which thread.
        thread: String,
        /// Where; empty if that is not known.
        place: String,
        /// In words.
        message: String,
    },
    /// These threads waited for ever, until somebody ended the program.
    Deadlock(Vec<String>),
    /// Nobody knows.
    Unknown,
}

/// The same for JSON.
#[derive(Debug, Serialize)]
pub(super) struct Recorded {
    outcome: &'static str,
    status: Option<i32>,
    kind: String,
    thread: String,
    #[serde(rename = "where")]
    place: String,
    message: String,
}

impl Target {
    /// How the run of a trace ended.
    pub(super) fn of(trace: &Trace) -> Target {
        if let Some(failed) = trace.failed() {
            return Target::Failure {
                kind: failed.kind,
                thread: trace.tables.key(failed.thread).to_string(),
                place: failed.place,
                message: failed.message,
            };
        }
        if let Some(Outcome::Exited(status)) = trace.footer.as_ref().map(|footer| footer.outcome) {
            return Target::Exit(status);
        }
        let mut waiting = Vec::new();
        for (thread, events) in trace.threads.iter().enumerate() {
            match events.last() {
                Some(last) if last.op.is_pending() => {
                    waiting.push(trace.tables.key(warpath_trace::ids::ThreadIx::from(thread)).to_string());
                }
                Some(last) if last.op == Op::End => {}
                // Somebody was still at work.
                _ => return Target::Unknown,
            }
        }
        waiting.sort();
        if waiting.is_empty() { Target::Unknown } else { Target::Deadlock(waiting) }
    }

    /// Is an exit status something that the run is to fail with?
    pub(super) fn fails_on_exit(&self) -> bool {
        matches!(self, Target::Exit(status) if *status != 0)
    }

    /// Did this run end in the same way?
    pub(super) fn is_met(&self, trace: &Trace) -> bool {
        let outcome = trace.footer.as_ref().map(|footer| footer.outcome);
        let failed = trace.failed();
        match self {
            Target::Unknown => true,
            Target::Exit(status) => match outcome {
                Some(Outcome::Exited(found)) => found == *status,
                Some(Outcome::Failed(FailureKind::Exit(found))) => found == *status,
                // A panic that nobody catches ends a Rust program so.
                Some(Outcome::Failed(FailureKind::Panic)) => *status == 101,
                _ => false,
            },
            Target::Deadlock(waiting) => failed.is_some_and(|failed| {
                let key = |wait: &warpath_trace::failed::Wait| trace.tables.key(wait.thread).to_string();
                let found: Vec<String> = failed.waits.iter().map(key).collect();
                failed.kind == FailureKind::Deadlock && waiting.iter().all(|thread| found.contains(thread))
            }),
            Target::Failure { kind, thread, place, .. } => failed.is_some_and(|failed| {
                let same_thread = trace.tables.key(failed.thread).to_string() == *thread;
                let same_place = place.is_empty() || *place == failed.place;
                same_thread && (is_cause(*kind, failed.kind) || (same_kind(*kind, failed.kind) && same_place))
            }),
        }
    }

    /// For JSON.
    pub(super) fn recorded(&self) -> Recorded {
        let none = Recorded {
            outcome: "unknown",
            status: None,
            kind: String::new(),
            thread: String::new(),
            place: String::new(),
            message: String::new(),
        };
        match self {
            Target::Exit(status) => Recorded { outcome: "exited", status: Some(*status), ..none },
            Target::Failure { kind, thread, place, message } => Recorded {
                outcome: "failed",
                kind: kind.to_string(),
                thread: thread.clone(),
                place: place.clone(),
                message: message.clone(),
                ..none
            },
            Target::Deadlock(waiting) => Recorded {
                outcome: "deadlock",
                kind: FailureKind::Deadlock.to_string(),
                thread: waiting.join(", "),
                ..none
            },
            Target::Unknown => none,
        }
    }

    /// In words: how the recorded run ended.
    pub(super) fn sentence(&self) -> String {
        match self {
            Target::Exit(status) => format!("ended with exit status {status}"),
            Target::Failure { kind, thread, place, message } => {
                let message = if message.is_empty() { String::new() } else { format!(" ({message})") };
                let place = if place.is_empty() { String::new() } else { format!(" at {place}") };
                format!("failed: {kind}{message} in {thread}{place}")
            }
            Target::Deadlock(waiting) => format!("was ended while {} waited", waiting.join(", ")),
            Target::Unknown => "ended in a way that was not recorded".to_owned(),
        }
    }
}

/// Are these the same, as far as two recorders can tell?
fn same_kind(recorded: FailureKind, found: FailureKind) -> bool {
    use FailureKind as F;
    let bad_address = |kind| matches!(kind, F::Segfault | F::NullDereference | F::Bus);
    recorded == found || (bad_address(recorded) && bad_address(found))
}

/// Is what was found the reason of what was recorded? A recorder at full speed sees a program die of a broken heap, or
/// by `abort` behind an exception; the tracer stops it at what breaks the heap, or is thrown.
fn is_cause(recorded: FailureKind, found: FailureKind) -> bool {
    use FailureKind as F;
    let broken = matches!(found, F::UseAfterFree | F::OutOfBounds | F::DoubleFree | F::InvalidFree);
    let thrown = matches!(found, F::UncaughtException | F::Panic | F::UnlockNotHeld);
    // `reach_error` and `warpath_assert` abort in a plain run.
    let claimed = found == F::Assertion;
    match recorded {
        F::Segfault | F::NullDereference | F::Bus => broken,
        F::Abort => broken || thrown || claimed,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trace(events: &str) -> Trace {
        let text = format!("warpath-trace 1\nthread T0\nthread T0.0\nglobal a 40\n{events}");
        warpath_trace::text::parse(&text).expect("the text is good")
    }

    #[test]
    fn a_failure_is_the_same_in_the_same_place() {
        let fails = |place: &str, kind: &str| {
            trace(&format!("T0 begin\nT0 fail {kind} \"x\" @{place}\noutcome failed {kind}\n"))
        };
        let target = Target::of(&fails("m.c:3", "assertion"));
        assert!(target.is_met(&fails("m.c:3", "assertion")));
        assert!(!target.is_met(&fails("m.c:4", "assertion")));
        assert!(!target.is_met(&fails("m.c:3", "abort")));
        assert!(Target::of(&fails("m.c:3", "abort")).is_met(&fails("m.c:9", "assertion")));
        assert!(Target::of(&fails("m.c:3", "abort")).is_met(&fails("m.c:9", "double-free")));
        assert!(!target.is_met(&trace("T0 begin\nT0 end\noutcome exited 0\n")));
    }

    #[test]
    fn who_waits_for_ever_is_in_a_deadlock_unless_somebody_works() {
        let stuck = "T0 begin\nT0 fork T0.0\nT0 join T0.0 pending\nT0.0 begin\nT0.0 lock a\n";
        let target = Target::of(&trace(&format!("{stuck}T0.0 lock a pending\noutcome unknown\n")));
        assert_eq!(target, Target::Deadlock(vec!["T0".into(), "T0.0".into()]));
        assert_eq!(Target::of(&trace(&format!("{stuck}outcome unknown\n"))), Target::Unknown);
    }
}
