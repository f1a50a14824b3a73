//! What a trace does not show: memory, if its tracer records synchronisation alone.

use std::collections::HashSet;

use warpath_trace::event::Op;
use warpath_trace::ids::LocationId;
use warpath_trace::trace::Trace;

/// The mutexes of which it matters that what they protect was not recorded, in a trace that leaves out memory: those on
/// which conditions are waited for, and those that are held when one is signalled. `None` if memory was recorded.
pub(crate) fn monitors(trace: &Trace) -> Option<HashSet<LocationId>> {
    if !trace.is_memory_unseen() {
        return None;
    }
    let mut monitors = HashSet::new();
    for events in &trace.threads {
        let mut held: Vec<LocationId> = Vec::new();
        for event in events {
            match event.op {
                Op::Lock { mutex, result, .. } if result.acquired() => held.push(mutex),
                Op::Unlock { mutex, .. } => {
                    if let Some(place) = held.iter().rposition(|&lock| lock == mutex) {
                        held.swap_remove(place);
                    }
                }
                Op::CondWait { mutex, .. } | Op::CondWake { mutex, .. } => {
                    monitors.insert(mutex);
                }
                Op::Signal { .. } | Op::Broadcast { .. } => monitors.extend(held.iter().copied()),
                _ => {}
            }
        }
    }
    Some(monitors)
}
