//! Turns of loops: a frame that comes back to where it was, with what it had, goes round in circles until somebody else
//! changes what it reads.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

use super::frame::Frame;
use super::path::Effect;
use super::thread::Interpreter;
use super::value::{Known, Slot};

impl Interpreter<'_> {
    /// The frame jumps back.
    pub(super) fn turn(&mut self, frame: &Frame) {
        let mut hasher = FxHasher::default();
        (frame.method, frame.pc, self.thread.frames.len()).hash(&mut hasher);
        for slot in frame.locals.iter().chain(&frame.stack) {
            self.hash(slot, &mut hasher);
        }
        self.thread.effects.new.push((frame.site(), Effect::Turn { having: hasher.finish() }));
    }

    fn hash(&self, slot: &Slot, hasher: &mut FxHasher) {
        match slot.known {
            Known::Reference(reference) => self.resolve(reference).hash(hasher),
            Known::Address(address) => address.hash(hasher),
            Known::Unknown => 0.hash(hasher),
            known => known.bits().hash(hasher),
        }
    }
}
