//! A trace executed step by step: what memory holds, and whether each read found that.

use std::collections::HashMap;

use warpath_trace::event::Op;
use warpath_trace::ids::{LocationId, ObjectId};
use warpath_trace::trace::Trace;

/// Bytes of objects.
#[derive(Default)]
pub struct Bytes(HashMap<(ObjectId, u64), u8>);

/// What came of it.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Replayed {
    pub reads: usize,
    pub writes: usize,
    /// Reads that found something else than was there.
    pub unexplained: usize,
}

impl Bytes {
    fn read(&self, trace: &Trace, location: LocationId) -> Option<u128> {
        let location = &trace.tables.locations()[location.index()];
        let mut value = 0;
        for nth in 0..u64::from(location.size) {
            let byte = self.0.get(&(location.object, location.offset + nth)).copied();
            let initial = || Some((location.initial? >> (8 * nth)) as u8);
            value |= u128::from(byte.or_else(initial)?) << (8 * nth);
        }
        Some(value)
    }

    fn write(&mut self, trace: &Trace, location: LocationId, value: u128) {
        let location = &trace.tables.locations()[location.index()];
        for nth in 0..u64::from(location.size) {
            self.0.insert((location.object, location.offset + nth), (value >> (8 * nth)) as u8);
        }
    }
}

/// Executes the trace in its order.
pub fn replay(trace: &Trace) -> Replayed {
    let mut bytes = Bytes::default();
    let mut done = Replayed::default();
    for (_, _, event) in trace.in_order().expect("the trace has an order") {
        let (read, written) = match event.op {
            Op::Read { location, value } | Op::AtomicRead { location, value, .. } => {
                (Some((location, value)), None)
            }
            Op::Write { location, value } | Op::AtomicWrite { location, value, .. } => {
                (None, Some((location, value.value)))
            }
            Op::Rmw { location, old, new, .. } => (Some((location, old)), Some((location, new.value))),
            _ => (None, None),
        };
        if let Some((location, value)) = read {
            done.reads += 1;
            if bytes.read(trace, location).is_some_and(|there| there != value) {
                done.unexplained += 1;
                bytes.write(trace, location, value);
            }
        }
        if let Some((location, value)) = written {
            done.writes += 1;
            bytes.write(trace, location, value);
        }
    }
    done
}
