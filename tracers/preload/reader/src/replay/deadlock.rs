//! Who waits for whom in a process that can never go on.

use rustc_hash::FxHashMap;

use warpath_trace::event::{Event, FailureKind, Op, WaitResult};
use warpath_trace::header::Outcome;
use warpath_trace::ids::{LocationId, SourceId, ThreadIx};
use warpath_trace::trace::Trace;

use crate::error::LightError;

/// Ends the trace with a deadlock, and says in words who waits for what.
pub(super) fn explain(trace: &mut Trace) -> Result<String, LightError> {
    let holders = holders(trace);
    let mut sentences = Vec::new();
    let mut last: Option<(ThreadIx, SourceId)> = None;
    for (thread, events) in trace.threads.iter().enumerate() {
        let Some(event) = events.last().filter(|event| event.op != Op::End) else { continue };
        let thread = ThreadIx::from(thread);
        if event.op.is_pending() {
            last = Some((thread, event.at));
        }
        sentences.push(format!("{} {}", trace.tables.key(thread), obstacle(trace, &holders, event)));
    }
    let sentence = sentences.join("; ");
    if let Some((thread, at)) = last {
        let message = trace.tables.string(sentence.as_bytes())?;
        let op = Op::Failure { kind: FailureKind::Deadlock, message, address: None };
        trace.push(thread, Event { op, at })?;
        let footer = trace.footer.take();
        trace.finish(Outcome::Failed(FailureKind::Deadlock));
        if let (Some(before), Some(now)) = (footer, &mut trace.footer) {
            now.approximations = before.approximations;
        }
    }
    Ok(sentence)
}

/// Who has which lock at the end.
fn holders(trace: &Trace) -> FxHashMap<LocationId, Vec<ThreadIx>> {
    let mut holders: FxHashMap<LocationId, Vec<ThreadIx>> = FxHashMap::default();
    for (thread, _, event) in trace.listing() {
        let has = |result: &WaitResult| matches!(result, WaitResult::Done | WaitResult::OwnerDied);
        match &event.op {
            Op::Lock { mutex: lock, result, .. } | Op::RwLock { lock, result, .. } if has(result) => {
                holders.entry(*lock).or_default().push(thread);
            }
            Op::CondWake { mutex, result, .. } if *result != WaitResult::Pending => {
                holders.entry(*mutex).or_default().push(thread);
            }
            Op::Unlock { mutex: lock, result: WaitResult::Done }
            | Op::RwUnlock { lock, result: WaitResult::Done, .. }
            | Op::CondWait { mutex: lock, .. } => {
                let held = holders.entry(*lock).or_default();
                if let Some(place) = held.iter().rposition(|holder| *holder == thread) {
                    held.remove(place);
                }
            }
            _ => {}
        }
    }
    holders
}

fn obstacle(trace: &Trace, holders: &FxHashMap<LocationId, Vec<ThreadIx>>, event: &Event) -> String {
    if !event.op.is_pending() {
        return "waits for something outside the program".to_owned();
    }
    let tables = &trace.tables;
    let name = |location: LocationId| tables.location_name(location);
    let held = |location: &LocationId| {
        let mut keys: Vec<String> = holders
            .get(location)
            .into_iter()
            .flatten()
            .map(|&holder| tables.key(holder).to_string())
            .collect();
        keys.sort_unstable();
        keys.dedup();
        if keys.is_empty() { String::new() } else { format!(", held by {}", keys.join(", ")) }
    };
    match event.op {
        Op::Lock { mutex, .. } => format!("waits for mutex `{}`{}", name(mutex), held(&mutex)),
        Op::RwLock { lock, .. } => format!("waits for read/write lock `{}`{}", name(lock), held(&lock)),
        Op::CondWake { condition, .. } => {
            format!("waits on condition `{}`, which nobody signals", name(condition))
        }
        Op::SemWait { semaphore, .. } => format!("waits for semaphore `{}`, which is at 0", name(semaphore)),
        Op::BarrierLeave { barrier, .. } => {
            format!("waits at barrier `{}`, where not all have arrived", name(barrier))
        }
        Op::Join { child, .. } => format!("waits for {} to end", tables.key(child)),
        _ => "waits".to_owned(),
    }
}
