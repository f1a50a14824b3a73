//! A JVM that ended without a word of the agent: by a signal, or because it had hurt itself. What it had recorded by then
//! is complete, and its trace ends with that.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use warpath_trace::event::{Event, FailureKind, Op};
use warpath_trace::header::Outcome;
use warpath_trace::trace::Trace;

use super::outcome::Failure;
use crate::lift::LiftError;

/// Ends a trace with how the JVM ended; `None` if nothing had happened yet.
pub(super) fn end(trace: &mut Trace, status: ExitStatus) -> Result<Option<Failure>, LiftError> {
    let Some((thread, _, last)) = trace.listing().last() else { return Ok(None) };
    let at = last.at;
    let kind = match status.signal() {
        // A JVM that has hurt itself says so and aborts; or exits, if it may not leave a core.
        None | Some(6) => FailureKind::Abort,
        Some(7) => FailureKind::Bus,
        Some(11) => FailureKind::Segfault,
        Some(signal) => FailureKind::Killed(u32::try_from(signal).unwrap_or_default()),
    };
    let message = format!("the JVM ended ({status}) before the program did");
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
