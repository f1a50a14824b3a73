//! A JVM that a signal ended. What it had recorded by then is complete, and its trace ends with that.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use warpath_trace::event::{Event, FailureKind, Op};
use warpath_trace::header::Outcome;
use warpath_trace::trace::Trace;

use super::outcome::Failure;
use crate::lift::LiftError;

/// Ends a trace with the signal; `None` if there was none, or nothing had happened yet.
pub(super) fn end(trace: &mut Trace, status: ExitStatus) -> Result<Option<Failure>, LiftError> {
    let Some(signal) = status.signal() else { return Ok(None) };
    let Some((thread, _, last)) = trace.listing().last() else { return Ok(None) };
    let at = last.at;
    let kind = match signal {
        // A JVM that has hurt itself says so and aborts.
        6 => FailureKind::Abort,
        7 => FailureKind::Bus,
        11 => FailureKind::Segfault,
        _ => FailureKind::Killed(u32::try_from(signal).unwrap_or_default()),
    };
    let message = format!("the JVM was ended by a {status}");
    let text = trace.tables.string(&message).map_err(LiftError::from)?;
    let op = Op::Failure { kind, message: text, address: None };
    trace.push(thread, Event { op, at }).map_err(LiftError::from)?;
    let events = trace.len();
    if let Some(footer) = &mut trace.footer {
        footer.outcome = Outcome::Failed(kind);
        footer.events = events;
    }
    Ok(Some(Failure { kind, message }))
}
