//! The events that a run is to be explained by: those it ended with.

use std::collections::HashSet;

use warpath_trace::event::{FailureKind, Op};
use warpath_trace::failed::Failed;
use warpath_trace::ids::{LocationId, ObjectId, ThreadIx};
use warpath_trace::order::ordered_location;
use warpath_trace::trace::Trace;

use super::At;
use crate::findings::{Finding, Involved};

/// The events that a run is to be explained by, the most telling first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ends {
    /// The events.
    pub events: Vec<At>,
}

/// Of a failure: itself; in a deadlock the waits and what they wait for; of freed memory, where it was freed.
pub fn ends_of_failure(trace: &Trace, failed: &Failed) -> Ends {
    let mut events = vec![(failed.thread, failed.event)];
    for wait in &failed.waits {
        let at = (wait.thread, wait.event);
        events.push(at);
        let Some(event) = trace.event(at.0, at.1) else { continue };
        match event.op {
            Op::Lock { mutex: object, .. } | Op::RwLock { lock: object, .. } => {
                events.extend(holders(trace, object, at));
            }
            Op::CondWake { condition: object, .. } => {
                events.extend(about(trace, object, |op| {
                    matches!(op, Op::CondWait { .. } | Op::Signal { .. } | Op::Broadcast { .. })
                }));
            }
            Op::SemWait { semaphore: object, .. } => {
                events
                    .extend(about(trace, object, |op| matches!(op, Op::SemWait { .. } | Op::SemPost { .. })));
            }
            Op::BarrierLeave { barrier: object, .. } => {
                events.extend(about(trace, object, |op| matches!(op, Op::BarrierArrive { .. })));
            }
            _ => {}
        }
    }
    if let (FailureKind::UseAfterFree | FailureKind::DoubleFree, Some(address)) =
        (failed.kind, failed.address)
        && let Some(object) = allocated_at(trace, address)
    {
        let frees = |op: &Op| matches!(op, Op::Free { object: freed } if *freed == object);
        events.extend(all(trace).filter(|(_, op)| frees(op)).map(|(at, _)| at));
    }
    let mut seen = HashSet::new();
    events.retain(|at| seen.insert(*at));
    Ends { events }
}

/// Of a finding that a run has shown without failing: the events it is about.
pub fn ends_of_finding(trace: &Trace, finding: &Finding) -> Ends {
    let event = |involved: &Involved| {
        let thread = trace.tables.thread_by_key(&involved.thread.parse().ok()?)?;
        let events = trace.threads.get(thread.index())?;
        let at = |index: &usize| {
            let place = events.get(*index).map(|event| trace.tables.source_name(event.at));
            place.as_deref() == Some(&involved.place)
        };
        // The name of the event has its position, which is that of the run unless the run went on differently.
        let named = involved.event.split('#').nth(1).and_then(|rest| rest.split('~').next()?.parse().ok());
        let index = named.filter(at).or_else(|| (0..events.len()).rev().find(at))?;
        Some((thread, u32::try_from(index).ok()?))
    };
    Ends { events: finding.events.iter().filter_map(event).collect() }
}

fn all(trace: &Trace) -> impl Iterator<Item = (At, &Op)> {
    trace.listing().map(|(thread, index, event)| ((thread, index), &event.op))
}

/// Events about a synchronisation object.
fn about(trace: &Trace, object: LocationId, wanted: impl Fn(&Op) -> bool) -> impl Iterator<Item = At> {
    let of_object = move |op: &Op| ordered_location(op) == Some(object) && wanted(op);
    all(trace).filter(move |(_, op)| of_object(op)).map(|(at, _)| at)
}

/// Acquisitions of a lock that nobody has released.
fn holders(trace: &Trace, object: LocationId, waiting: At) -> Vec<At> {
    let mut held: Vec<At> = Vec::new();
    let release = |held: &mut Vec<At>, thread: ThreadIx| {
        if let Some(last) = held.iter().rposition(|&(holder, _)| holder == thread) {
            held.remove(last);
        }
    };
    for (at, op) in all(trace).filter(|(at, _)| *at != waiting) {
        match *op {
            Op::Lock { mutex: lock, result, .. } | Op::RwLock { lock, result, .. }
                if lock == object && result.acquired() =>
            {
                held.push(at);
            }
            Op::CondWake { mutex, .. } if mutex == object && !op.is_pending() => held.push(at),
            Op::Unlock { mutex: lock, .. } | Op::RwUnlock { lock, .. } | Op::CondWait { mutex: lock, .. }
                if lock == object =>
            {
                release(&mut held, at.0);
            }
            _ => {}
        }
    }
    held
}

/// The allocation that had this address; of several the last.
fn allocated_at(trace: &Trace, address: u64) -> Option<ObjectId> {
    let at = |op: &Op| match *op {
        Op::Alloc { object, size, address: start }
            if (start..start.saturating_add(size.max(1))).contains(&address) =>
        {
            Some(object)
        }
        _ => None,
    };
    all(trace).filter_map(|(_, op)| at(op)).last()
}
