//! What each thread is about, where the driver can see it.

use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use warpath_light_format::plan::slot;
use warpath_light_format::{Kind, Word};

use super::{Follow, SEAT, engaged, follow};

impl Follow {
    /// A word of a slot; none for a thread without one.
    pub(super) fn slot(&self, seat: u32, what: usize) -> Option<&AtomicU64> {
        ((seat as usize) < self.layout.slots).then(|| self.word(self.layout.slot(seat as usize) + what))
    }

    /// The half of a slot that its thread waits for.
    pub(super) fn turn_of(&self, seat: u32) -> Option<&AtomicU32> {
        let word: *const AtomicU64 = self.slot(seat, slot::TURN)?;
        // SAFETY: the low half of a word that lives as long as the plan; the machine is little endian.
        Some(unsafe { &*word.cast::<AtomicU32>() })
    }

    pub(super) fn note(&self, seat: u32, state: u64, what: u64, object: u64, place: u64) {
        let noted = [
            (slot::WHAT, what),
            (slot::OBJECT, object),
            (slot::PLACE, place),
            (slot::OWNER, 0),
            (slot::STATE, state),
        ];
        for (place, value) in noted {
            if let Some(word) = self.slot(seat, place) {
                word.store(value, Ordering::Release);
            }
        }
        if let Some(changes) = self.slot(seat, slot::CHANGES) {
            changes.fetch_add(1, Ordering::AcqRel);
        }
    }
}

/// A thread takes its slot.
pub(super) fn arrive(follow: &Follow, seat: u32) {
    if let Some(tid) = follow.slot(seat, slot::TID) {
        // SAFETY: always succeeds.
        tid.store(unsafe { libc::gettid() } as u64, Ordering::Release);
    }
    follow.note(seat, slot::RUNS, 0, 0, 0);
}

/// The running thread is about to wait for this, as long as it takes.
pub(crate) fn waits(kind: Kind, words: &[Word]) {
    if let Some(follow) = follow().filter(|_| engaged()) {
        let word = |place: usize| words.get(place).copied().unwrap_or(0);
        follow.note(SEAT.get(), slot::WAITS, kind as u64, word(1), word(0));
    }
}

/// Where the kernel's number of the thread is that has what the running thread waits for.
pub(crate) fn held_at(owner: u64) {
    if let Some(word) = follow().filter(|_| engaged()).and_then(|follow| follow.slot(SEAT.get(), slot::OWNER))
    {
        word.store(owner, Ordering::Release);
    }
}

/// It waits no more.
pub(crate) fn waits_no_more() {
    if let Some(follow) = follow().filter(|_| engaged()) {
        follow.note(SEAT.get(), slot::RUNS, 0, 0, 0);
    }
}
