//! How a run failed: what went wrong, where, and in a deadlock who waits for whom.

use crate::event::{Event, FailureKind, Op};
use crate::ids::ThreadIx;
use crate::trace::Trace;

/// The failure that a run ended with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failed {
    /// What went wrong.
    pub kind: FailureKind,
    /// In words; may be empty.
    pub message: String,
    /// The thread in which it showed.
    pub thread: ThreadIx,
    /// The index of the failure among that thread's events.
    pub event: u32,
    /// Where in the program; empty if unknown.
    pub place: String,
    /// The address concerned, where there is one.
    pub address: Option<u64>,
    /// Of a deadlock or livelock: the threads that have not ended. Empty for other failures.
    pub waits: Vec<Wait>,
}

/// A thread that waits for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wait {
    /// The thread.
    pub thread: ThreadIx,
    /// The index of its last event, which is the wait if the tracer recorded one.
    pub event: u32,
    /// Where it waits; empty if unknown.
    pub place: String,
    /// For what, and who has it: ``waits for mutex `a`, held by T0.0``. Empty if the tracer did not say.
    pub waits_for: String,
}

impl Trace {
    /// The failure that the run ended with, if it ended with one.
    pub fn failed(&self) -> Option<Failed> {
        let (thread, event, failure) = self.threads.iter().enumerate().find_map(|(thread, events)| {
            let at = events.iter().rposition(is_failure)?;
            Some((ThreadIx::from(thread), at as u32, &events[at]))
        })?;
        let Op::Failure { kind, message, address } = failure.op else { return None };
        let message = self.tables.text(message).into_owned();
        let waits = match kind {
            FailureKind::Deadlock | FailureKind::Livelock => self.waits(&message),
            _ => Vec::new(),
        };
        Some(Failed {
            kind,
            thread,
            event,
            place: self.tables.source_name(failure.at),
            address,
            waits,
            message,
        })
    }

    /// The threads that have not ended. Of each, the message has a part: ``T0.1 waits for mutex `a`, held by T0.0``.
    fn waits(&self, message: &str) -> Vec<Wait> {
        let mut waits = Vec::new();
        for (thread, events) in self.threads.iter().enumerate() {
            let Some(last) = events.iter().rposition(|event| !is_failure(event)) else { continue };
            if matches!(events[last].op, Op::End) {
                continue;
            }
            let thread = ThreadIx::from(thread);
            let key = self.tables.key(thread).to_string();
            let of_thread = |part: &str| Some(part.strip_prefix(&key)?.strip_prefix(' ')?.to_owned());
            waits.push(Wait {
                thread,
                event: last as u32,
                place: self.tables.source_name(events[last].at),
                waits_for: message.split("; ").find_map(of_thread).unwrap_or_default(),
            });
        }
        waits
    }
}

fn is_failure(event: &Event) -> bool {
    matches!(event.op, Op::Failure { .. })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failed(events: &str) -> Option<Failed> {
        let text = format!(
            "warpath-trace 1\nthread T0\nthread T0.0\nthread T0.1\nglobal a 40\nglobal b 40\n{events}"
        );
        crate::text::parse(&text).expect("the text is good").failed()
    }

    #[test]
    fn a_run_that_ends_well_has_none() {
        assert_eq!(failed("T0 begin\nT0 end\noutcome exited 0\n"), None);
    }

    #[test]
    fn an_assertion_has_a_place_and_nobody_waits() {
        let failed =
            failed("T0 begin\nT0 fork T0.0\nT0.0 begin\nT0.0 fail assertion \"x; T0 y\" @m.c:3\noutcome failed assertion\n")
                .expect("it failed");
        assert_eq!((failed.thread, failed.event, failed.place.as_str()), (ThreadIx(1), 1, "m.c:3"));
        assert_eq!((failed.message.as_str(), failed.waits.len()), ("x; T0 y", 0));
    }

    #[test]
    fn a_deadlock_has_everybody_who_has_not_ended() {
        let failed = failed(
            "T0 begin\nT0 fork T0.0\nT0 fork T0.1\nT0 end\nT0.0 begin\nT0.0 lock a @m.c:1\nT0.1 begin\nT0.1 lock b @m.c:2\n\
             T0.0 lock b pending @m.c:3\nT0.1 lock a pending @m.c:4\n\
             T0.1 fail deadlock \"T0.0 waits for mutex `b`, held by T0.1; T0.1 waits for mutex `a`\" @m.c:4\n\
             outcome failed deadlock\n",
        )
        .expect("it failed");
        let wait = |thread, event, place: &str, waits_for: &str| Wait {
            thread: ThreadIx(thread),
            event,
            place: place.into(),
            waits_for: waits_for.into(),
        };
        let wanted = [
            wait(1, 2, "m.c:3", "waits for mutex `b`, held by T0.1"),
            wait(2, 2, "m.c:4", "waits for mutex `a`"),
        ];
        assert_eq!(failed.waits, wanted);
    }
}
