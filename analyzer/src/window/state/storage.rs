//! What storage holds, byte by byte, and which writes are still in store buffers.

use std::collections::{BTreeMap, HashMap};

use warpath_trace::header::MemoryModel;
use warpath_trace::ids::{LocationId, ObjectId, ThreadIx};
use warpath_trace::place::Location;
use warpath_trace::tables::Tables;
use warpath_trace::trace::Trace;

use super::Settled;
use crate::encode::is_buffered;

/// What a location holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::window) struct Stored {
    /// Its value; `None` if nothing is known of it.
    pub(in crate::window) value: Option<u128>,
    /// Has it been written?
    pub(in crate::window) written: bool,
}

/// A write that has not reached memory.
#[derive(Clone, Copy, Debug)]
pub(in crate::window) struct Unflushed {
    position: u32,
    pub(in crate::window) thread: ThreadIx,
    index: u32,
    pub(in crate::window) location: LocationId,
    value: u128,
}

#[derive(Clone, Copy, Debug)]
struct Byte {
    value: u8,
    written: bool,
}

/// Memory, and the store buffers in front of it.
pub(in crate::window) struct Storage<'t> {
    tables: &'t Tables,
    recorded_under: MemoryModel,
    bytes: HashMap<(ObjectId, u64), Byte>,
    buffers: BTreeMap<ThreadIx, Vec<Unflushed>>,
}

impl<'t> Storage<'t> {
    pub(super) fn new(trace: &'t Trace) -> Self {
        let mut storage = Storage {
            tables: &trace.tables,
            recorded_under: trace.header.model,
            bytes: HashMap::new(),
            buffers: BTreeMap::new(),
        };
        for location in trace.tables.locations() {
            if let Some(value) = location.initial {
                storage.learn(location, value);
            }
        }
        storage
    }

    pub(super) fn event(&mut self, event: Settled) {
        if let (Some(location), Some(value)) = (event.op.read_location(), event.op.read_value()) {
            // What a thread reads from its own buffer says nothing about memory.
            let own = self.buffers.get(&event.thread).is_some_and(|buffer| !buffer.is_empty());
            if !own {
                self.learn(self.location(location), value);
            }
        }
        if let Some((location, datum)) = event.op.written() {
            let Settled { position, thread, index, .. } = event;
            let write = Unflushed { position, thread, index, location, value: datum.value };
            match is_buffered(self.recorded_under, &event.op) {
                true => self.buffers.entry(thread).or_default().push(write),
                false => self.write(write),
            }
        }
    }

    /// A write of the thread reaches memory.
    pub(super) fn commit(&mut self, thread: ThreadIx, index: u32) {
        let Some(buffer) = self.buffers.get_mut(&thread) else { return };
        if let Some(at) = buffer.iter().position(|write| write.index == index) {
            let write = buffer.remove(at);
            self.write(write);
        }
    }

    fn location(&self, id: LocationId) -> &'t Location {
        &self.tables.locations()[id.index()]
    }

    /// What a read found where nothing was known before has been there from the start.
    fn learn(&mut self, location: &Location, value: u128) {
        for (at, value) in bytes_of(location, value) {
            self.bytes.entry(at).or_insert(Byte { value, written: false });
        }
    }

    fn write(&mut self, write: Unflushed) {
        for (at, value) in bytes_of(self.location(write.location), write.value) {
            self.bytes.insert(at, Byte { value, written: true });
        }
    }

    /// Writes that have not reached memory, by the time of their issue.
    pub(in crate::window) fn unflushed(&self) -> Vec<Unflushed> {
        let mut all: Vec<Unflushed> = self.buffers.values().flatten().copied().collect();
        all.sort_unstable_by_key(|write| write.position);
        all
    }

    /// What a location holds when all buffers have been flushed. Bytes that nothing is known of beside others that
    /// are known are taken as 0: they can be anything.
    pub(in crate::window) fn flushed(&self, unflushed: &[Unflushed], id: LocationId) -> Stored {
        let location = self.location(id);
        let mut stored = Stored { value: None, written: false };
        for (n, (at, _)) in bytes_of(location, 0).enumerate() {
            let mut byte = self.bytes.get(&at).copied();
            for write in unflushed {
                let written =
                    bytes_of(self.location(write.location), write.value).find(|(here, _)| *here == at);
                byte = written.map(|(_, value)| Byte { value, written: true }).or(byte);
            }
            if let Some(byte) = byte {
                stored.written |= byte.written;
                *stored.value.get_or_insert(0) |= u128::from(byte.value) << (8 * n);
            }
        }
        stored
    }
}

/// The bytes of an access, the first byte lowest.
fn bytes_of(location: &Location, value: u128) -> impl Iterator<Item = ((ObjectId, u64), u8)> + use<> {
    let (object, offset) = (location.object, location.offset);
    let size = u64::from(location.size.min(Location::MAX_ACCESS));
    (0..size).map(move |n| ((object, offset.saturating_add(n)), (value >> (8 * n)) as u8))
}
