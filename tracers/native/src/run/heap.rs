//! The program's dynamic storage, served by the tracer.
//!
//! The address of a block is a function of the thread that asks and of what it asked for before. Freed storage is not
//! given out again, and every block has a margin behind it, so that using freed storage or running over the end is
//! noticed.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use warpath_trace::ids::{ObjectId, ThreadIx};
use warpath_trace::thread::ThreadKey;

use super::layout::Slot;

/// Bytes that are mapped at once.
const STEP: u64 = 1 << 20;
/// Bytes behind a block that nobody may touch.
pub(crate) const MARGIN: u64 = 16;
/// What the C library asks for itself lies in the last quarter of a thread's heap.
fn library_part(slot: Slot) -> u64 {
    let heap = slot.heap();
    heap.start + (heap.end - heap.start) / 4 * 3
}

/// All blocks, and how much of each thread's heap is used.
#[derive(Clone, Debug, Default)]
pub(crate) struct Heap {
    arenas: FxHashMap<(Slot, bool), Arena>,
    blocks: BTreeMap<u64, Block>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Arena {
    used: u64,
    mapped: u64,
    blocks: u64,
}

/// A block of storage.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    pub address: u64,
    pub size: u64,
    pub owner: ThreadIx,
    pub key: ThreadKey,
    /// Which of its owner's blocks.
    pub nth: u64,
    pub freed: bool,
    /// Asked for by the C library itself.
    pub library: bool,
    pub object: Option<ObjectId>,
}

impl Block {
    /// For people.
    pub(crate) fn name(&self) -> String {
        format!("heap {}#{}", self.key, self.nth)
    }
}

/// Storage that was found for a block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    pub address: u64,
    pub nth: u64,
    /// What has to be mapped first: address and size.
    pub map: Option<(u64, u64)>,
}

impl Heap {
    /// Room for a block of a thread; `None` if its part of the address space is used up.
    pub(crate) fn room(&mut self, slot: Slot, library: bool, size: u64, align: u64) -> Option<Room> {
        let (start, end) = match library {
            true => (library_part(slot), slot.heap().end),
            false => (slot.heap().start, library_part(slot)),
        };
        let arena = self.arenas.entry((slot, library)).or_default();
        let align = align.max(16);
        let address = start.checked_add(arena.used)?.checked_add(align - 1)? & !(align - 1);
        let room = size.max(1).checked_add(MARGIN + 15)? & !15;
        let used = address.checked_add(room)? - start;
        if start.checked_add(used)? > end {
            return None;
        }
        arena.used = used;
        let map = (used > arena.mapped).then(|| {
            let from = start + arena.mapped;
            let more = (used - arena.mapped).div_ceil(STEP) * STEP;
            arena.mapped += more;
            (from, more)
        });
        let nth = arena.blocks;
        arena.blocks += 1;
        Some(Room { address, nth, map })
    }

    pub(crate) fn insert(&mut self, block: Block) {
        self.blocks.insert(block.address, block);
    }

    /// The block that an address lies in, its margin included.
    pub(crate) fn block_at(&self, address: u64) -> Option<&Block> {
        let (_, block) = self.blocks.range(..=address).next_back()?;
        (address < block.address + block.size.max(1) + MARGIN).then_some(block)
    }

    /// The block that begins at an address.
    pub(crate) fn block(&mut self, address: u64) -> Option<&mut Block> {
        self.blocks.get_mut(&address)
    }

    /// Is this in the C library's own storage?
    pub(crate) fn is_library(address: u64) -> bool {
        Slot::of_heap(address).is_some_and(|slot| address >= library_part(slot))
    }
}
