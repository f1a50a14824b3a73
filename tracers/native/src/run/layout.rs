//! Where a thread's memory lies: a function of its key, never of who ran first.
//!
//! Pointers are data that programs compare, hash and print. An address that depended on the schedule would make two
//! runs of the same path look different.

use std::ops::Range;

use rustc_hash::FxHashMap;
use warpath_trace::thread::ThreadKey;

/// Below the executable (0x5555_5555_4000 without randomisation), above everything that is linked at fixed addresses.
const BASE: u64 = 0x1000_0000_0000;
const REGION: u64 = 1 << 34;
const SLOTS: u32 = 4096;
/// Children of the initial thread have the slots 1 to this one; deeper ones are spread over the rest.
const DIRECT: u32 = 1024;

/// A thread's place in the address space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Slot(pub u32);

impl Slot {
    /// Where this thread's allocations lie.
    pub(crate) fn heap(self) -> Range<u64> {
        let start = BASE + u64::from(self.0) * REGION;
        start..start + REGION / 2
    }

    /// Where what this thread maps lies.
    pub(crate) fn mappings(self) -> Range<u64> {
        let end = BASE + u64::from(self.0 + 1) * REGION;
        end - REGION / 2..end
    }

    /// The slot whose heap has this address.
    pub(crate) fn of_heap(address: u64) -> Option<Slot> {
        let offset = address.checked_sub(BASE)?;
        let slot = u32::try_from(offset / REGION).ok().filter(|&slot| slot < SLOTS)?;
        (offset % REGION < REGION / 2).then_some(Slot(slot))
    }
}

/// Slots given out so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Slots(FxHashMap<u32, ThreadKey>);

impl Slots {
    /// The slot of a thread; `None` if all are taken.
    ///
    /// Two deep threads whose keys fall on the same slot are told apart by who came first: the only place where an
    /// address can depend on the schedule, and one that needs hundreds of such threads to be likely.
    pub(crate) fn take(&mut self, key: &ThreadKey) -> Option<Slot> {
        let wanted = wanted(key);
        let slot = (0..SLOTS).map(|step| (wanted + step) % SLOTS).find(|slot| match self.0.get(slot) {
            None => true,
            Some(owner) => owner == key,
        })?;
        self.0.insert(slot, key.clone());
        Some(Slot(slot))
    }
}

fn wanted(key: &ThreadKey) -> u32 {
    match key.parent() {
        None => 0,
        Some((parent, nth)) if parent.depth() == 0 && nth < DIRECT => nth + 1,
        Some(_) => {
            // FNV-1a: stable over builds and machines, which the hashers of the standard library do not promise.
            let text = key.to_string();
            let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
            });
            DIRECT + 1 + (hash % u64::from(SLOTS - DIRECT - 1)) as u32
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_do_not_depend_on_the_order_of_creation() {
        let keys: Vec<ThreadKey> =
            ["T0", "T0.0", "T0.1", "T0.1.0", "T0.0.3"].map(|key| key.parse().unwrap()).into();
        let mut forwards = Slots::default();
        let mut backwards = Slots::default();
        let mut slots: Vec<_> = keys.iter().map(|key| forwards.take(key).unwrap()).collect();
        let mut reversed: Vec<_> = keys.iter().rev().map(|key| backwards.take(key).unwrap()).collect();
        reversed.reverse();
        assert_eq!(slots, reversed);
        assert_eq!(slots[0].heap().start, BASE);
        slots.dedup();
        assert_eq!(slots.len(), keys.len());
        assert_eq!(Slot::of_heap(slots[2].heap().start + 5), Some(slots[2]));
        assert_eq!(Slot::of_heap(slots[2].mappings().start), None);
    }
}
