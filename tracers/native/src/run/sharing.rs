//! Which bytes threads share: known before a run begins, or found while it goes on.

use std::collections::BTreeMap;
use std::ops::Range;

use rustc_hash::FxHashMap;
use warpath_trace::ids::LocationId;

use super::accesses::Together;
use super::heap::Heap;
use super::machine::Machine;
use super::record::Recorder;

/// Bytes of the control block that the C library keeps for each thread.
const CONTROL_BLOCK: u64 = 0x900;
/// Bytes below it, where libraries have their thread-local variables; those of the program come last.
const THREAD_LOCALS: u64 = 4096;

/// Ranges of addresses that are shared. Addresses mean the same in every run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sharing(BTreeMap<u64, u64>);

impl Sharing {
    /// Adds a range; whether anything of it is new.
    pub fn insert(&mut self, range: Range<u64>) -> bool {
        let (mut start, mut end) = (range.start, range.end);
        if self.0.range(..=start).next_back().is_some_and(|(_, &known)| known >= end) {
            return false;
        }
        while let Some((&first, &last)) = self.0.range(..=end).next_back().filter(|(_, last)| **last >= start)
        {
            self.0.remove(&first);
            start = start.min(first);
            end = end.max(last);
        }
        self.0.insert(start, end);
        true
    }

    /// Is any byte of a range shared?
    pub fn overlaps(&self, range: Range<u64>) -> bool {
        self.0.range(..range.end).next_back().is_some_and(|(_, &end)| end > range.start)
    }

    /// All ranges, by address.
    pub fn ranges(&self) -> impl Iterator<Item = Range<u64>> {
        self.0.iter().map(|(&start, &end)| start..end)
    }

    /// Ranges that lie close together: parts of one array, most likely.
    fn pieces(&self) -> Vec<Vec<Range<u64>>> {
        const CLOSE: u64 = 64;
        let mut pieces: Vec<Vec<Range<u64>>> = Vec::new();
        for range in self.ranges() {
            match pieces.last_mut() {
                Some(piece) if piece.last().is_some_and(|last| range.start - last.end <= CLOSE) => {
                    piece.push(range)
                }
                _ => pieces.push(vec![range]),
            }
        }
        pieces
    }

    /// Adds all ranges of another; whether anything is new.
    pub(crate) fn add(&mut self, other: &Sharing) -> bool {
        other.ranges().fold(false, |new, range| self.insert(range) | new)
    }

    /// How many bytes.
    pub fn bytes(&self) -> u64 {
        self.ranges().map(|range| range.end - range.start).sum()
    }
}

impl Machine {
    /// Does the C library keep this for itself?
    pub(crate) fn own_of_library(&self, address: u64) -> bool {
        Heap::is_library(address)
            || self.images.is_c_library(address)
            || self.threads.iter().any(|thread| {
                let block = thread.registers.fs_base;
                let below = block.wrapping_sub(address);
                block != 0
                    && (address.wrapping_sub(block) < CONTROL_BLOCK
                        || below > self.thread_locals && below <= THREAD_LOCALS)
            })
    }

    /// Marks what is shared, without bulk data.
    pub(crate) fn watch_shared(&mut self) {
        for piece in self.sharing.pieces() {
            let bytes: u64 = piece.iter().map(|range| range.end - range.start).sum();
            let hot = piece.iter().any(|range| self.hot.overlaps(range.clone()));
            if bytes > self.options.bulk || hot {
                let what = "bytes of shared bulk data, whose accesses are not recorded";
                *self.approximations.entry(what).or_default() += bytes;
                continue;
            }
            for range in piece {
                self.space.mark_shared(range.clone());
                self.watched.insert(range);
            }
        }
    }

    /// An access touches shared bytes: all of its bytes are treated so from the next run on.
    pub(crate) fn widen_sharing(&mut self, address: u64, size: u64) {
        if self.sharing.insert(address..address + size) {
            self.grown = true;
        }
    }

    /// Takes over what was found to be shared in this run; whether there was anything new.
    pub(crate) fn collect_sharing(&mut self) -> bool {
        let found = self.space.take_newly_shared();
        self.take_shared(found)
    }

    /// Takes over what this run and others show to be shared together; whether there was anything new.
    pub(crate) fn compare_accesses(&mut self, others: &Together) -> bool {
        if self.threads.len() < 2 {
            return self.grown;
        }
        let found = others.add(&self.space, self.threads.iter().map(|thread| &thread.key));
        self.take_shared(found)
    }

    fn take_shared(&mut self, found: Vec<(u64, u64)>) -> bool {
        for (address, length) in found {
            let mut from = address;
            let end = address + length;
            while from < end {
                // Piece by piece: what the C library keeps may lie beside what the program does.
                let to = (from & !7).saturating_add(8).min(end);
                if !self.own_of_library(from) && self.sharing.insert(from..to) {
                    self.grown = true;
                }
                from = to;
            }
        }
        self.grown
    }
}

impl Recorder {
    /// The bytes that most events are about: more of them than one in sixty-four.
    pub(crate) fn hottest(&self) -> Vec<Range<u64>> {
        let mut counts: FxHashMap<LocationId, u64> = FxHashMap::default();
        for event in self.trace.threads.iter().flatten() {
            if let Some(location) =
                event.op.read_location().or_else(|| event.op.written().map(|(location, _)| location))
            {
                *counts.entry(location).or_default() += 1;
            }
        }
        let enough = self.trace.len() / 64;
        let addresses = self.addresses();
        addresses
            .filter(|(_, location)| counts.get(location).is_some_and(|&count| count > enough))
            .map(|(range, _)| range)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_joined_and_new_ones_are_noticed() {
        let mut sharing = Sharing::default();
        assert!(sharing.insert(10..12));
        assert!(sharing.insert(14..16));
        assert!(!sharing.insert(14..15));
        assert!(sharing.insert(12..14));
        assert!(sharing.ranges().eq(std::iter::once(10..16)));
        assert!(!sharing.insert(10..16));
        assert!(sharing.insert(9..17));
        assert_eq!(sharing.bytes(), 8);
    }
}
