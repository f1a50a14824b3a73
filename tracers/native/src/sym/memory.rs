//! Shadow memory: which bytes of memory are symbolic, and what they are.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::bytes::ByteRef;
use super::effect::Mark;

/// Bytes that are looked up at once.
const BLOCK: usize = 256;

/// A byte of memory. It remembers the number it belongs to: memory that something else has changed since is noticed.
#[derive(Clone, Copy, Debug, Default)]
struct Cell {
    what: ByteRef,
    number: u8,
}

type Block = [Cell; BLOCK];

/// The symbolic bytes of an address space. Cloning shares what neither side changes afterwards.
#[derive(Clone, Debug, Default)]
pub(super) struct ShadowMemory {
    blocks: FxHashMap<u64, Arc<Block>>,
    /// Changes from symbolic to concrete and back, not yet [taken](ShadowMemory::take_marks).
    marks: Vec<Mark>,
}

impl ShadowMemory {
    /// What is at `address`, for bytes whose numbers are `numbers`. A byte with another number than it had when it was
    /// stored is concrete: somebody else wrote it.
    pub fn load(&self, address: u64, numbers: &[u8], into: &mut [ByteRef]) {
        for part in parts(address, into.len()) {
            match self.blocks.get(&part.block) {
                None => into[part.from..part.to].fill(ByteRef::CONCRETE),
                Some(block) => {
                    for (index, cell) in (part.from..part.to).zip(&block[part.offset..]) {
                        let valid = cell.number == numbers[index];
                        into[index] = if valid { cell.what } else { ByteRef::CONCRETE };
                    }
                }
            }
        }
    }

    /// The numbers that bytes had when they were stored, and what they are.
    pub fn stored(&self, address: u64, len: u64) -> (Vec<u8>, Vec<ByteRef>) {
        let mut found = (Vec::new(), Vec::new());
        for part in parts(address, len as usize) {
            let count = part.to - part.from;
            match self.blocks.get(&part.block) {
                None => {
                    found.0.extend(std::iter::repeat_n(0, count));
                    found.1.extend(std::iter::repeat_n(ByteRef::CONCRETE, count));
                }
                Some(block) => {
                    for cell in &block[part.offset..part.offset + count] {
                        found.0.push(cell.number);
                        found.1.push(cell.what);
                    }
                }
            }
        }
        found
    }

    /// Stores bytes with these numbers.
    pub fn store(&mut self, address: u64, numbers: &[u8], refs: &[ByteRef]) {
        for part in parts(address, refs.len()) {
            let new = &refs[part.from..part.to];
            let numbers = &numbers[part.from..part.to];
            let any = new.iter().any(|byte| byte.is_symbolic());
            self.change(address, part, any, |index| Cell { what: new[index], number: numbers[index] });
        }
    }

    /// Makes a range concrete.
    pub fn clear(&mut self, address: u64, len: u64) {
        if len / BLOCK as u64 > self.blocks.len() as u64 {
            let ranges = self.ranges(address, len);
            return ranges.into_iter().for_each(|(address, len)| self.clear(address, len));
        }
        for part in parts(address, usize::try_from(len).unwrap_or(usize::MAX)) {
            self.change(address, part, false, |_| Cell::default());
        }
    }

    /// Copies the bytes of a range to another; they may overlap.
    pub fn copy(&mut self, from: u64, to: u64, len: u64) {
        let symbolic = self.ranges(from, len);
        let mut cells = Vec::new();
        for &(start, len) in &symbolic {
            for part in parts(start, len as usize) {
                let block = self.blocks.get(&part.block).expect("a symbolic range lies in blocks that exist");
                let count = part.to - part.from;
                cells.extend_from_slice(&block[part.offset..part.offset + count]);
            }
        }
        self.clear(to, len);
        let mut rest = cells.as_slice();
        for &(start, len) in &symbolic {
            let target = to.wrapping_add(start.wrapping_sub(from));
            let (now, later) = rest.split_at(len as usize);
            for part in parts(target, now.len()) {
                let now = &now[part.from..part.to];
                self.change(target, part, true, |index| now[index]);
            }
            rest = later;
        }
    }

    /// Is any byte of the range symbolic?
    pub fn is_symbolic(&self, address: u64, len: u64) -> bool {
        !self.ranges(address, len).is_empty()
    }

    /// The symbolic bytes of a range, as (address, length), in order of address from its start.
    pub fn ranges(&self, address: u64, len: u64) -> Vec<(u64, u64)> {
        let mut found: Vec<(u64, u64)> = Vec::new();
        let mut blocks: Vec<u64>;
        let touched = len / BLOCK as u64 + 2;
        if touched > self.blocks.len() as u64 {
            blocks = self.blocks.keys().copied().collect();
            // From the start of the range on, around the end of the address space.
            blocks.sort_by_key(|block| block.wrapping_sub(address / BLOCK as u64));
        } else {
            blocks = parts(address, len as usize).map(|part| part.block).collect();
            blocks.dedup();
        }
        for block in blocks {
            let Some(cells) = self.blocks.get(&block) else { continue };
            for (offset, cell) in (0..).zip(cells.iter()) {
                let at = block.wrapping_mul(BLOCK as u64).wrapping_add(offset);
                if !cell.what.is_symbolic() || at.wrapping_sub(address) >= len {
                    continue;
                }
                match found.last_mut() {
                    Some((start, count)) if start.wrapping_add(*count) == at => *count += 1,
                    _ => found.push((at, 1)),
                }
            }
        }
        found
    }

    /// What became symbolic or concrete since the last call.
    pub fn take_marks(&mut self) -> std::vec::Drain<'_, Mark> {
        self.marks.drain(..)
    }

    fn change(&mut self, address: u64, part: Part, any: bool, cell: impl Fn(usize) -> Cell) {
        let block = match self.blocks.get_mut(&part.block) {
            Some(block) => block,
            None if any => {
                self.blocks.entry(part.block).or_insert_with(|| Arc::new([Cell::default(); BLOCK]))
            }
            None => return,
        };
        let range = part.offset..part.offset + (part.to - part.from);
        if !any && block[range.clone()].iter().all(|cell| !cell.what.is_symbolic()) {
            return;
        }
        for (index, old) in Arc::make_mut(block)[range].iter_mut().enumerate() {
            let new = cell(index);
            if old.what.is_symbolic() != new.what.is_symbolic() {
                let at = address.wrapping_add((part.from + index) as u64);
                let symbolic = new.what.is_symbolic();
                match self.marks.last_mut() {
                    Some(last) if last.symbolic == symbolic && last.address.wrapping_add(last.len) == at => {
                        last.len += 1;
                    }
                    _ => self.marks.push(Mark { address: at, len: 1, symbolic }),
                }
            }
            *old = new;
        }
    }
}

/// Bytes `from .. to` of a range, which lie in one block from `offset` on.
#[derive(Clone, Copy)]
struct Part {
    block: u64,
    offset: usize,
    from: usize,
    to: usize,
}

/// Cuts a range at the borders of blocks.
fn parts(address: u64, len: usize) -> impl Iterator<Item = Part> {
    let mut done = 0;
    std::iter::from_fn(move || {
        if done >= len {
            return None;
        }
        let at = address.wrapping_add(done as u64);
        let offset = (at % BLOCK as u64) as usize;
        let from = done;
        done += (BLOCK - offset).min(len - done);
        Some(Part { block: at / BLOCK as u64, offset, from, to: done })
    })
}
