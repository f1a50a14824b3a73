//! Accesses to memory that are steps, and storage that has been freed.
//!
//! Which bytes count the plan says, by the names of their storage; they become addresses when the storage is there. An
//! access is announced before it happens, so its step is done only when the thread is heard of next.
//!
//! Blocks that the plan names are not given back while a schedule is followed: who uses one that was freed is caught.

use core::cell::Cell;
use core::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use warpath_light_format::plan::{Act, Range, Storage};

use super::gate::{Turn, turn_of_access};
use super::{FOLLOWING, Follow, MODE, SEAT, engaged, follow, map};

/// Bytes that every stack is said to have, from its upper end.
const STACK: u64 = 8 << 20;
/// More words than this cannot be watched.
const MOST: usize = 1 << 26;

thread_local! {
    /// The last access that the running thread announced is a step.
    static OPEN: Cell<bool> = const { Cell::new(false) };
}

/// Words whose bytes are watched, by address: open addressing, and nothing is ever taken out.
pub(super) struct Watched {
    slots: *const [AtomicU64; 2],
    /// A power of two.
    size: usize,
    blocks: *const Block,
    capacity: usize,
    used: AtomicUsize,
}

/// A block that the plan names.
struct Block {
    address: AtomicU64,
    size: AtomicU64,
    freed: AtomicU64,
}

/// Calls the function with each of the eight-byte words that bytes touch, and which of its bytes they are.
fn words(address: u64, size: u64, mut each: impl FnMut(u64, u64)) {
    let end = address.saturating_add(size);
    let mut word = address & !7;
    while word < end {
        let from = address.max(word) - word;
        let to = end.min(word.saturating_add(8)) - word;
        each(word, (0xff << from) & (0xff >> (8 - to)));
        let Some(next) = word.checked_add(8) else { return };
        word = next;
    }
}

impl Watched {
    /// Room for what the ranges of a plan can come to.
    pub(super) fn new(ranges: impl Iterator<Item = Range> + Clone) -> Result<Watched, &'static str> {
        let no_memory = "there is no memory for it";
        let count = ranges.clone().try_fold(0usize, |count, range| {
            count.checked_add(usize::try_from((range.to - range.from) / 8).ok()?.checked_add(2)?)
        });
        let count = count.filter(|count| *count <= MOST).ok_or("too many bytes are shared")?;
        let size = (count * 2).next_power_of_two().max(16);
        let capacity = ranges.filter(|range| matches!(range.storage, Storage::Heap(..))).count();
        let slots = map(size * 16, -1).ok_or(no_memory)?.cast();
        let blocks = map((capacity * size_of::<Block>()).max(8), -1).ok_or(no_memory)?.cast();
        Ok(Watched { slots, size, blocks, capacity, used: AtomicUsize::new(0) })
    }

    fn slot(&self, place: usize) -> &[AtomicU64; 2] {
        // SAFETY: below the size, within a mapping that is never given back; zeroes are a valid slot.
        unsafe { &*self.slots.add(place & (self.size - 1)) }
    }

    fn first(&self, word: u64) -> usize {
        ((word >> 3).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20) as usize
    }

    pub(super) fn add(&self, address: u64, size: u64) {
        words(address, size, |word, mask| {
            let first = self.first(word);
            for place in first..first + self.size {
                let [key, bytes] = self.slot(place);
                let taken = key.compare_exchange(0, word | 1, Ordering::AcqRel, Ordering::Acquire);
                if taken.is_ok() || taken == Err(word | 1) {
                    bytes.fetch_or(mask, Ordering::AcqRel);
                    return;
                }
            }
        });
    }

    /// Is any of these bytes watched?
    fn overlaps(&self, address: u64, size: u64) -> bool {
        let mut found = false;
        words(address, size, |word, mask| {
            let first = self.first(word);
            for place in first..first + self.size {
                let [key, bytes] = self.slot(place);
                match key.load(Ordering::Acquire) {
                    0 => return,
                    key if key == word | 1 => {
                        found |= bytes.load(Ordering::Relaxed) & mask != 0;
                        return;
                    }
                    _ => {}
                }
            }
        });
        found
    }

    fn blocks(&self) -> &[Block] {
        let used = self.used.load(Ordering::Acquire).min(self.capacity);
        // SAFETY: as many were mapped, for good; zeroes are a valid block.
        unsafe { core::slice::from_raw_parts(self.blocks, used) }
    }

    fn add_block(&self, address: u64, size: u64) {
        let place = self.used.fetch_add(1, Ordering::AcqRel);
        if place < self.capacity {
            // SAFETY: as above.
            let block = unsafe { &*self.blocks.add(place) };
            block.size.store(size.max(1), Ordering::Relaxed);
            block.address.store(address, Ordering::Release);
        }
    }

    /// The block that these bytes are in.
    fn block(&self, address: u64) -> Option<&Block> {
        self.blocks().iter().find(|block| {
            let from = block.address.load(Ordering::Acquire);
            from != 0 && address.wrapping_sub(from) < block.size.load(Ordering::Relaxed)
        })
    }
}

impl Follow {
    fn range(&self, nth: usize) -> Option<Range> {
        let from = self.layout.range(nth);
        Range::unpack([0, 1, 2, 3].map(|n| self.word(from + n).load(Ordering::Relaxed)))
    }

    pub(super) fn ranges(&self) -> impl Iterator<Item = Range> + Clone + '_ {
        (0..self.layout.ranges).filter_map(|nth| self.range(nth))
    }

    /// The ranges of this storage. They lie side by side, and storage in the order of the plan's words.
    fn ranges_of(&self, storage: Storage) -> impl Iterator<Item = Range> + '_ {
        let key = |storage| {
            let [kind, number, ..] = Range { storage, from: 0, to: 1 }.pack();
            (kind as u32, kind >> 32, number)
        };
        let wanted = key(storage);
        let (mut from, mut to) = (0, self.layout.ranges);
        while from < to {
            let middle = from + (to - from) / 2;
            if self.range(middle).is_some_and(|range| key(range.storage) < wanted) {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        (from..self.layout.ranges)
            .map_while(|nth| self.range(nth))
            .take_while(move |range| key(range.storage) == wanted)
    }

    /// Variables of the executable are there from the beginning.
    pub(super) fn watch_variables(&self, base: u64) {
        for range in self.ranges() {
            if let Storage::Executable(offset) = range.storage {
                let start = base.wrapping_add(offset);
                self.watched.add(start.wrapping_add(range.from), range.to - range.from);
            }
        }
    }
}

/// The running thread has allocated its n-th block.
pub(crate) fn allocated(nth: u64, address: u64, size: u64) {
    let Some(follow) = follow().filter(|_| engaged()) else { return };
    let mut named = false;
    for range in follow.ranges_of(Storage::Heap(SEAT.get(), nth)) {
        follow.watched.add(address.wrapping_add(range.from), range.to - range.from);
        named = true;
    }
    if named {
        follow.watched.add_block(address, size);
    }
}

/// The upper end of the running thread's stack is known.
pub(crate) fn stack(top: u64) {
    let Some(follow) = follow().filter(|_| engaged()) else { return };
    for range in follow.ranges_of(Storage::Stack(SEAT.get())) {
        follow.watched.add(top.wrapping_sub(STACK).wrapping_add(range.from), range.to - range.from);
    }
}

/// Waits for the turn to do this to these bytes, if they are watched. Whoever uses what was freed ends here.
pub(crate) fn access(act: Act, address: u64, size: u64, at: u64) -> Turn {
    let Some(follow) = follow().filter(|_| engaged()) else { return Turn::none() };
    let following = MODE.load(Ordering::Acquire) == FOLLOWING;
    let turn = if following && follow.watched.overlaps(address, size) {
        turn_of_access(act, address, size, at)
    } else {
        Turn::none()
    };
    let block = follow.watched.block(address);
    if block.is_some_and(|block| block.freed.load(Ordering::Acquire) != 0) {
        super::failure::use_after_free(act, address, size, at);
    }
    turn
}

/// The same, for bytes that are one step for each word of them. What is done to them is done in the last one.
pub(crate) fn range(act: Act, address: u64, size: u64, at: u64) -> Turn {
    let Some(follow) = follow().filter(|_| engaged()) else { return Turn::none() };
    let end = address.saturating_add(size);
    let mut last = Turn::none();
    let mut from = address;
    while from < end {
        let to = (from | 7).saturating_add(1).min(end);
        if follow.watched.overlaps(from, to - from) {
            core::mem::replace(&mut last, Turn::none()).done();
            last = access(act, from, to - from, at);
        } else {
            access(act, from, to - from, at).give_back();
        }
        if to == from {
            break;
        }
        from = to;
    }
    last
}

/// The step is done when the running thread is heard of next. False if it is none.
pub(crate) fn postpone(turn: Turn) -> bool {
    let step = turn.is_step();
    turn.give_back();
    OPEN.set(step);
    step
}

/// The running thread is heard of again: what it announced has happened.
pub(crate) fn completed() {
    if OPEN.replace(false) {
        Turn::open().done();
    }
}

/// A block is about to be freed. Is it kept?
pub(crate) fn frees(block: u64, at: u64, note: impl FnOnce()) -> bool {
    let Some(follow) = follow().filter(|_| engaged()) else { return false };
    let known = follow.watched.block(block).filter(|known| known.address.load(Ordering::Relaxed) == block);
    let Some(known) = known else { return false };
    let turn = super::turn(Act::Free, block, at);
    if known.freed.load(Ordering::Acquire) != 0 {
        super::failure::double_free(block, at);
    }
    note();
    known.freed.store(1, Ordering::Release);
    turn.done();
    true
}
