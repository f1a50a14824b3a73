//! Where the values that reads found had come from.

use std::collections::{BTreeMap, HashMap};

use warpath_trace::event::Op;
use warpath_trace::ids::{LocationId, ObjectId, ThreadIx};
use warpath_trace::trace::Trace;

use super::At;
use crate::encode::is_buffered;

/// What memory holds, object by object: the writes that reached it, the latest last.
type Memory = HashMap<ObjectId, Vec<(LocationId, At)>>;

/// Of every read of these events, in this order, the last write before it that shares a byte with it. A thread sees
/// its own writes before they are committed.
pub(super) fn taken(trace: &Trace, order: &[At]) -> BTreeMap<At, At> {
    let mut memory = Memory::new();
    let mut buffers: HashMap<ThreadIx, Vec<(u32, LocationId)>> = HashMap::new();
    let mut taken = BTreeMap::new();
    for &at in order {
        let (thread, index) = at;
        let Some(event) = trace.event(thread, index) else { continue };
        if let Some(read) = event.op.read_location() {
            let buffer = buffers.get(&thread).map_or(&[][..], |buffer| buffer);
            let own = buffer.iter().rev().find(|(_, written)| overlap(trace, *written, read));
            let own = own.map(|(write, _)| (thread, *write));
            if let Some(write) = own.or_else(|| latest(trace, &memory, read)) {
                taken.insert(at, write);
            }
        }
        if let Some((location, _)) = event.op.written() {
            // A write that is never committed never left its buffer.
            match is_buffered(trace.header.model, &event.op) {
                true => buffers.entry(thread).or_default().push((index, location)),
                false => reach(trace, &mut memory, location, at),
            }
        }
        if let Op::Commit { write } = event.op
            && let Some(buffer) = buffers.get_mut(&thread)
            && let Some(found) = buffer.iter().position(|(buffered, _)| *buffered == write)
        {
            let (_, location) = buffer.remove(found);
            reach(trace, &mut memory, location, (thread, write));
        }
    }
    taken
}

fn reach(trace: &Trace, memory: &mut Memory, location: LocationId, at: At) {
    let Some(object) = trace.tables.locations().get(location.index()).map(|location| location.object) else {
        return;
    };
    let writes = memory.entry(object).or_default();
    // One for each location is enough: the latest.
    writes.retain(|(known, _)| *known != location);
    writes.push((location, at));
}

fn latest(trace: &Trace, memory: &Memory, read: LocationId) -> Option<At> {
    let object = trace.tables.locations().get(read.index())?.object;
    let writes = memory.get(&object)?;
    writes.iter().rev().find(|(location, _)| overlap(trace, *location, read)).map(|(_, at)| *at)
}

fn overlap(trace: &Trace, one: LocationId, other: LocationId) -> bool {
    let locations = trace.tables.locations();
    match (locations.get(one.index()), locations.get(other.index())) {
        (Some(one), Some(other)) => one.overlaps(other),
        _ => false,
    }
}
