//! Which bytes threads share: those that two of them touch, and one of them writes.
//!
//! What a thread wrote before it created the other, or one of those that lead to it, is no sharing: nothing could have
//! come in between. Bytes that some access takes together with shared ones count as shared, too, so that whatever an
//! event is about is told in full.

use rustc_hash::{FxHashMap, FxHashSet};

use warpath_light_format::Kind;
use warpath_trace::si::SharedBytes;

use crate::pieces::{pieces, words};
use crate::space::{Owner, STACK, Space};
use crate::thread::Record;

/// What one thread did to one word.
#[derive(Clone, Copy, Debug)]
struct Use {
    thread: u32,
    reads: u8,
    writes: u8,
    /// Threads that it had created at its last write.
    forks: u32,
}

#[derive(Clone, Debug, Default)]
struct Word {
    first: Option<Use>,
    others: Vec<Use>,
    /// Bit n: some access takes byte n together with the next one, which may be the first of the next word.
    joined: u8,
}

/// Gathers who uses what.
#[derive(Debug, Default)]
pub(crate) struct Uses {
    words: FxHashMap<(Owner, u64), Word>,
    /// Threads that each has created so far.
    forks: Vec<u32>,
    /// Who created each thread, and how many it had created before.
    parents: FxHashMap<u32, (u32, u32)>,
    /// Blocks with objects in them that threads synchronise by.
    synchronised: FxHashSet<u32>,
}

impl Uses {
    pub(crate) fn pass(&mut self, thread: usize, record: &Record<'_>, space: &mut Space) {
        if self.forks.len() <= thread {
            self.forks.resize(thread + 1, 0);
        }
        if record.kind == Kind::Fork {
            self.parents.insert(record.b, (thread as u32, self.forks[thread]));
            self.forks[thread] += 1;
        }
        let atomic = matches!(record.kind, Kind::AtomicStore | Kind::AtomicUpdate);
        for (object, _) in record.tickets().filter(|_| !atomic) {
            if let Owner::Block(block) = space.owner(object) {
                self.synchronised.insert(block);
            }
        }
        let forks = self.forks[thread];
        let table = &mut self.words;
        pieces(record, |piece| {
            let owner = space.owner(piece.address);
            let last = piece.address.saturating_add(u64::from(piece.size) - 1);
            words(piece.address, piece.size, |word, mask| {
                let entry = table.entry((owner, word)).or_default();
                // Every byte but the last of the access is joined to the next one.
                entry.joined |= if last & !7 == word { mask & !(1 << (last & 7)) } else { mask };
                entry.note(thread as u32, mask, piece.writes, forks);
            });
        });
    }

    /// Had the thread not been created when another did its last write to the word?
    fn is_later(&self, thread: u32, written: &Use) -> bool {
        let mut thread = thread;
        for _ in 0..self.parents.len() {
            let Some(&(parent, nth)) = self.parents.get(&thread) else { return false };
            if parent == written.thread {
                return nth >= written.forks;
            }
            thread = parent;
        }
        false
    }

    /// What is shared.
    pub(crate) fn shared(&self, space: &Space) -> Shared {
        let mut shared = FxHashMap::default();
        for (&(owner, word), entry) in &self.words {
            let freer = match owner {
                // To whoever else accesses it, giving it back is as good as a write.
                Owner::Block(block) => space.blocks[block as usize].freed,
                _ => None,
            };
            let freer =
                freer.map(|thread| Use { thread: thread as u32, reads: 0, writes: 0xff, forks: u32::MAX });
            let mask = self.shared_in(entry, freer);
            if mask != 0 {
                shared.insert((owner, word), mask);
            }
        }
        self.spread(&mut shared);
        let blocks = shared.keys().filter_map(|(owner, _)| match owner {
            Owner::Block(number) => Some(*number),
            _ => None,
        });
        Shared { blocks: blocks.chain(self.synchronised.iter().copied()).collect(), words: shared }
    }

    fn shared_in(&self, entry: &Word, freer: Option<Use>) -> u8 {
        let uses = || entry.first.iter().chain(&entry.others);
        let mut mask = 0;
        for (place, one) in uses().enumerate() {
            for other in uses().skip(place + 1).chain(&freer).filter(|other| other.thread != one.thread) {
                if !self.is_later(other.thread, one) {
                    mask |= one.writes & (other.reads | other.writes);
                }
                if !self.is_later(one.thread, other) {
                    mask |= other.writes & (one.reads | one.writes);
                }
            }
        }
        mask
    }

    /// Spreads sharing to bytes that some access takes together with shared ones.
    fn spread(&self, shared: &mut FxHashMap<(Owner, u64), u8>) {
        let mut todo: Vec<(Owner, u64)> = shared.keys().copied().collect();
        while let Some((owner, word)) = todo.pop() {
            let joined = |word: u64| self.words.get(&(owner, word)).map_or(0, |entry| entry.joined);
            let mut mask = shared.get(&(owner, word)).copied().unwrap_or(0);
            let own = joined(word);
            loop {
                let wider = mask | (mask & own) << 1 | (mask >> 1 & own);
                if wider == mask {
                    break;
                }
                mask = wider;
            }
            shared.insert((owner, word), mask);
            let neighbours = [
                (word.wrapping_add(8), mask & own & 0x80 != 0, 1u8),
                (word.wrapping_sub(8), mask & 1 != 0 && joined(word.wrapping_sub(8)) & 0x80 != 0, 0x80),
            ];
            for (neighbour, reached, bit) in neighbours {
                let entry = shared.entry((owner, neighbour)).or_default();
                if reached && *entry & bit == 0 {
                    *entry |= bit;
                    todo.push((owner, neighbour));
                } else if *entry == 0 {
                    shared.remove(&(owner, neighbour));
                }
            }
        }
    }
}

impl Word {
    fn note(&mut self, thread: u32, mask: u8, writes: bool, forks: u32) {
        let fresh = Use { thread, reads: 0, writes: 0, forks: 0 };
        let found = match &mut self.first {
            Some(first) if first.thread == thread => first,
            Some(_) => {
                let place =
                    self.others.iter().position(|other| other.thread == thread).unwrap_or_else(|| {
                        self.others.push(fresh);
                        self.others.len() - 1
                    });
                &mut self.others[place]
            }
            none => none.insert(fresh),
        };
        if writes {
            found.writes |= mask;
            found.forks = forks;
        } else {
            found.reads |= mask;
        }
    }
}

impl Uses {
    /// What is shared by name, whatever this recording shows: a replay is told as what it replays was.
    pub(crate) fn named(&self, named: &Named<'_>, shared: &[SharedBytes]) -> Shared {
        let mut words_of: FxHashMap<(Owner, u64), u8> = FxHashMap::default();
        let mut blocks = self.synchronised.clone();
        for SharedBytes { object, bytes } in shared {
            let Some((owner, start)) = named.find(object) else { continue };
            if let Owner::Block(block) = owner {
                blocks.insert(block);
            }
            let size = u32::try_from(bytes.end - bytes.start).unwrap_or(u32::MAX);
            words(start.wrapping_add(bytes.start), size, |word, mask| {
                *words_of.entry((owner, word)).or_default() |= mask;
            });
        }
        Shared { words: words_of, blocks }
    }
}

/// Where storage is in this recording, by its name.
pub(crate) struct Named<'a> {
    pub(crate) space: &'a Space,
    /// Numbers of threads, and the upper ends of their stacks, by their keys.
    pub(crate) threads: FxHashMap<String, (usize, u64)>,
    /// Where variables begin.
    pub(crate) variables: FxHashMap<String, u64>,
}

impl Named<'_> {
    fn find(&self, object: &str) -> Option<(Owner, u64)> {
        if let Some(block) = object.strip_prefix("heap ") {
            let (key, nth) = block.split_once('#')?;
            let number = self.space.number(self.threads.get(key)?.0, nth.parse().ok()?)?;
            return Some((Owner::Block(number), self.space.blocks.get(number as usize)?.address));
        }
        if let Some(key) = object.strip_prefix("stack ") {
            let (number, top) = *self.threads.get(key)?;
            return Some((Owner::Stack(number as u32), top.wrapping_sub(STACK)));
        }
        let page = || u64::from_str_radix(object.strip_prefix("0x")?, 16).ok();
        let start = self.variables.get(object).copied().or_else(page)?;
        Some((Owner::Fixed, start))
    }
}

/// The bytes that threads share.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shared {
    words: FxHashMap<(Owner, u64), u8>,
    blocks: FxHashSet<u32>,
}

impl Shared {
    /// Is any of these bytes shared?
    pub(crate) fn overlaps(&self, owner: Owner, address: u64, size: u32) -> bool {
        let mut found = false;
        words(address, size, |word, mask| {
            found |= self.words.get(&(owner, word)).is_some_and(|shared| shared & mask != 0);
        });
        found
    }

    /// All shared bytes as ranges, by owner and address.
    pub(crate) fn ranges(&self) -> Vec<(Owner, u64, u64)> {
        let mut sorted: Vec<_> = self.words.iter().map(|(&at, &mask)| (at, mask)).collect();
        sorted.sort_unstable();
        let mut ranges: Vec<(Owner, u64, u64)> = Vec::new();
        for ((owner, word), mask) in sorted {
            for byte in (0..8).filter(|byte| mask >> byte & 1 == 1) {
                let at = word + byte;
                match ranges.last_mut() {
                    Some((last, _, end)) if *last == owner && *end == at => *end = at + 1,
                    _ => ranges.push((owner, at, at + 1)),
                }
            }
        }
        ranges
    }

    /// Is anything of this block shared?
    pub(crate) fn has_block(&self, number: u32) -> bool {
        self.blocks.contains(&number)
    }
}
