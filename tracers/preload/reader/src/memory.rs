//! What is in the shared bytes at each moment of the merged order: what was written last, or found first.

use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use warpath_light_format::Kind;

use crate::image_data::{self, ImageData};
use crate::pieces::{Piece, pieces, words};
use crate::sharing::Shared;
use crate::space::{Owner, Space};
use crate::thread::Record;

/// Whether a record may come now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It may.
    Fits,
    /// It found something else than is there: it waits for this word to be written.
    Wait(u64),
    /// It writes shared bytes: somebody may have to read them first.
    Writes,
}

/// Eight bytes, and which of them are known.
#[derive(Clone, Copy, Debug, Default)]
struct Word {
    bytes: [u8; 8],
    known: u8,
}

impl Word {
    /// A byte, if it is known: variables are from the start.
    fn byte(&self, byte: u64, owner: Owner, at: u64, modules: &[ImageData]) -> Option<u8> {
        match (self.known >> byte & 1, owner) {
            (1, _) => Some(self.bytes[byte as usize]),
            (_, Owner::Fixed) => image_data::byte(modules, at + byte),
            _ => None,
        }
    }
}

/// The contents of shared bytes.
pub(crate) struct Memory<'a> {
    words: FxHashMap<(Owner, u64), Word>,
    shared: &'a Shared,
    pub(crate) space: RefCell<Space>,
    modules: Rc<Vec<ImageData>>,
    /// Reads that found something else than was there.
    pub(crate) unexplained: u64,
}

impl<'a> Memory<'a> {
    /// Before anything has happened.
    pub(crate) fn new(shared: &'a Shared, space: Space, modules: Rc<Vec<ImageData>>) -> Memory<'a> {
        Memory { words: FxHashMap::default(), shared, space: RefCell::new(space), modules, unexplained: 0 }
    }

    /// Whose the bytes are, if any of them is shared.
    fn shared_owner(&self, piece: &Piece) -> Option<Owner> {
        let owner = self.space.borrow_mut().owner(piece.address);
        self.shared.overlaps(owner, piece.address, piece.size).then_some(owner)
    }

    /// A word that is known to hold something else than the piece has.
    fn differs(&self, owner: Owner, piece: &Piece) -> Option<u64> {
        let mut found = None;
        words(piece.address, piece.size, |at, mask| {
            let word = self.words.get(&(owner, at)).copied().unwrap_or_default();
            let differs = |byte: &u64| {
                let there = word.byte(*byte, owner, at, &self.modules);
                mask >> byte & 1 == 1 && there.is_some_and(|there| there != piece.byte(at + byte))
            };
            if (0..8).any(|byte| differs(&byte)) {
                found = Some(at);
            }
        });
        found
    }

    pub(crate) fn judge(&self, _thread: usize, record: &Record<'_>) -> Verdict {
        let mut verdict = Verdict::Fits;
        if !record.is_plain() {
            return verdict;
        }
        pieces(record, |piece| {
            if let Some(owner) = self.shared_owner(&piece) {
                if piece.writes {
                    verdict = Verdict::Writes;
                } else if let Some(word) = self.differs(owner, &piece) {
                    verdict = Verdict::Wait(word);
                }
            }
        });
        verdict
    }

    /// Does the first record touch shared bytes that the second one overwrites, and if so, does it read what is there now
    /// and would not be there any more?
    pub(crate) fn wants_before(
        &self,
        _reader: usize,
        next: &Record<'_>,
        _writer: usize,
        writing: &Record<'_>,
    ) -> Option<bool> {
        let mut answer = None;
        pieces(writing, |written| {
            pieces(next, |piece| {
                let overlaps = piece.address < written.address.saturating_add(written.size.into())
                    && written.address < piece.address.saturating_add(piece.size.into());
                if !overlaps || answer.is_some() {
                    return;
                }
                let Some(owner) = self.shared_owner(&written) else { return };
                let changes = (piece.address..piece.address + u64::from(piece.size)).any(|at| {
                    let within = at.wrapping_sub(written.address) < u64::from(written.size);
                    within && written.byte(at) != piece.byte(at)
                });
                answer = Some(!piece.writes && changes && self.differs(owner, &piece).is_none());
            });
        });
        answer
    }

    /// New storage holds anything.
    fn forget(&mut self, block: u32) {
        let owner = Owner::Block(block);
        let space = self.space.borrow();
        let Some(of) = space.blocks.get(block as usize) else { return };
        let (from, to) = (of.address & !7, of.address.saturating_add(of.size));
        // Most blocks are small, and there are many: not all words are looked at for each.
        if (to - from) / 8 > self.words.len() as u64 {
            self.words.retain(|(of, _), _| *of != owner);
        } else {
            for word in (from..to).step_by(8) {
                self.words.remove(&(owner, word));
            }
        }
    }

    /// The record has happened. `changed` is called with each shared word that was written.
    pub(crate) fn pass(&mut self, thread: usize, record: &Record<'_>, mut changed: impl FnMut(u64)) {
        let block = self.space.borrow_mut().pass(thread, record);
        if let Some(number) = block
            && record.kind == Kind::Alloc
            && self.shared.has_block(number)
        {
            self.forget(number);
        }
        let (space, shared, table) = (&self.space, self.shared, &mut self.words);
        let (modules, unexplained) = (&self.modules, &mut self.unexplained);
        pieces(record, |piece| {
            let owner = space.borrow_mut().owner(piece.address);
            if !shared.overlaps(owner, piece.address, piece.size) {
                return;
            }
            let mut differs = false;
            words(piece.address, piece.size, |at, mask| {
                let word = table.entry((owner, at)).or_default();
                for byte in (0..8).filter(|byte| mask >> byte & 1 == 1) {
                    let value = piece.byte(at + byte);
                    differs |= word.byte(byte, owner, at, modules).is_some_and(|there| there != value);
                    word.bytes[byte as usize] = value;
                }
                word.known |= mask;
                if piece.writes {
                    changed(at);
                }
            });
            *unexplained += u64::from(differs && !piece.writes);
        });
    }
}
