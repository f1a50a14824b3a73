//! What an address belongs to at a moment: a block of storage, a thread's stack, or what is always there.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use warpath_light_format::Kind;

use crate::folder::Recording;
use crate::thread::Record;

/// Something that has bytes. The same address may belong to several of them in the course of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Owner {
    /// A variable, or anything that is nobody's in particular.
    Fixed,
    /// A block of storage, by its number in the order of the merged records.
    Block(u32),
    /// The stack of a thread.
    Stack(u32),
}

/// A block of storage.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block {
    pub(crate) address: u64,
    pub(crate) size: u64,
    /// Who allocated it, and which of its blocks it is.
    pub(crate) thread: usize,
    pub(crate) nth: u64,
    /// Who freed it.
    pub(crate) freed: Option<usize>,
}

/// All that changes hands.
#[derive(Debug)]
pub(crate) struct Space {
    pub(crate) blocks: Vec<Block>,
    /// By address; a freed block keeps its bytes until they are given out again.
    by_address: BTreeMap<u64, u32>,
    /// Identities of blocks: numbers are the same in every pass over the records.
    known: FxHashMap<(usize, u64), u32>,
    counts: Vec<u64>,
    stacks: BTreeMap<u64, (u64, u32)>,
    threads: FxHashMap<usize, (u64, u64)>,
    cache: Option<(u64, u64, Owner)>,
}

/// Bytes that every stack is said to have: how many it really has depends on settings of the system.
pub(crate) const STACK: u64 = 8 << 20;

/// Bytes above the upper end of a stack that are taken to belong to it: the first frames of the first thread.
const ABOVE: u64 = 4096;

impl Space {
    pub(crate) fn new(recording: &Recording) -> Space {
        let threads = recording.threads.iter().map(|thread| (thread.number as usize, thread.stack)).collect();
        Space {
            blocks: Vec::new(),
            by_address: BTreeMap::new(),
            known: FxHashMap::default(),
            counts: Vec::new(),
            stacks: BTreeMap::new(),
            threads,
            cache: None,
        }
    }

    /// The number of a thread's n-th block.
    pub(crate) fn number(&self, thread: usize, nth: u64) -> Option<u32> {
        self.known.get(&(thread, nth)).copied()
    }

    /// The same blocks, before anything has happened: for another pass.
    pub(crate) fn restart(&mut self) {
        self.by_address.clear();
        self.counts.clear();
        self.stacks.clear();
        self.cache = None;
    }

    /// Follows what changes hands. The block that is allocated or freed, if it is one.
    pub(crate) fn pass(&mut self, thread: usize, record: &Record<'_>) -> Option<u32> {
        match record.kind {
            Kind::Begin => {
                if let Some(&(from, to)) = self.threads.get(&thread).filter(|(from, to)| from < to) {
                    let to = to + ABOVE;
                    let gone: Vec<u64> = self
                        .stacks
                        .range(..to)
                        .filter(|(_, (end, _))| *end > from)
                        .map(|(at, _)| *at)
                        .collect();
                    for at in gone {
                        self.stacks.remove(&at);
                    }
                    self.stacks.insert(from, (to, thread as u32));
                    self.cache = None;
                }
                None
            }
            Kind::Resume => {
                self.count(thread, |count| *count = record.word(2));
                None
            }
            Kind::Alloc => Some(self.allocate(thread, record.word(2), record.word(4))),
            Kind::Free => self.free(thread, record.word(2)),
            _ => None,
        }
    }

    fn count(&mut self, thread: usize, change: impl FnOnce(&mut u64)) -> u64 {
        if self.counts.len() <= thread {
            self.counts.resize(thread + 1, 0);
        }
        let before = self.counts[thread];
        change(&mut self.counts[thread]);
        before
    }

    fn allocate(&mut self, thread: usize, address: u64, size: u64) -> u32 {
        let nth = self.count(thread, |count| *count += 1);
        let end = address.saturating_add(size.max(1));
        let before = self.by_address.range(..address).next_back().map(|(_, block)| *block);
        let overlaps = |block: &u32| {
            let block = self.blocks[*block as usize];
            block.address.saturating_add(block.size.max(1)) > address
        };
        let before = before.filter(overlaps).map(|block| self.blocks[block as usize].address);
        let gone: Vec<u64> = self.by_address.range(address..end).map(|(at, _)| *at).chain(before).collect();
        for at in gone {
            self.by_address.remove(&at);
        }
        let fresh = self.blocks.len() as u32;
        let number = *self.known.entry((thread, nth)).or_insert(fresh);
        let block = Block { address, size, thread, nth, freed: None };
        match self.blocks.get_mut(number as usize) {
            // In another pass the same block comes up again.
            Some(known) => *known = Block { freed: known.freed, ..block },
            None => self.blocks.push(block),
        }
        self.by_address.insert(address, number);
        self.cache = None;
        number
    }

    fn free(&mut self, thread: usize, address: u64) -> Option<u32> {
        let number = *self.by_address.get(&address)?;
        self.blocks[number as usize].freed = Some(thread);
        Some(number)
    }

    /// Whose these bytes are.
    pub(crate) fn owner(&mut self, address: u64) -> Owner {
        if let Some((from, to, owner)) = self.cache
            && (from..to).contains(&address)
        {
            return owner;
        }
        let (from, to, owner) = self.find(address);
        self.cache = Some((from, to, owner));
        owner
    }

    fn find(&self, address: u64) -> (u64, u64, Owner) {
        let (mut from, mut to) = (0, u64::MAX);
        if let Some((_, &number)) = self.by_address.range(..=address).next_back() {
            let block = self.blocks[number as usize];
            let end = block.address.saturating_add(block.size.max(1));
            if address < end {
                return (block.address, end, Owner::Block(number));
            }
            from = end;
        }
        if let Some((&next, _)) = self.by_address.range(address..).next() {
            to = next;
        }
        if let Some((&start, &(end, thread))) = self.stacks.range(..=address).next_back() {
            if address < end {
                return (start.max(from), end.min(to), Owner::Stack(thread));
            }
            from = from.max(end);
        }
        if let Some((&next, _)) = self.stacks.range(address..).next() {
            to = to.min(next);
        }
        (from, to, Owner::Fixed)
    }
}
