//! What a thread's mutexes are foretold by: [`warpath_light_format::again`] says how. [`crate::calls::quick`] is what uses
//! it, and calls this where nothing was foretold.

use core::cell::Cell;
use core::mem::offset_of;
use core::sync::atomic::{Ordering, compiler_fence};

use warpath_light_format::again::{KNOWN_WORDS, PLACES, Place, SLOT, slot};

use crate::buffer::Buffer;
use crate::here::Here;
use crate::local::BUSY;

/// A slot is filled anew when it was of no use this often: filling it takes more room than two records in other forms.
const PATIENCE: u32 = 16;

/// One place of the program.
#[repr(C, align(64))]
pub(crate) struct Known {
    place: Cell<Place>,
    /// The slot's number as records have it.
    slot: Cell<u64>,
    /// How often it was of no use.
    misses: Cell<u32>,
}

/// All of them. Zeroes are what they begin with.
#[repr(C)]
pub(crate) struct Places([Known; PLACES]);

// Where things are in a slot.
pub(crate) const AT: usize = offset_of!(Known, place) + offset_of!(Place, at);
pub(crate) const RELEASE: usize = offset_of!(Known, place) + offset_of!(Place, release);
pub(crate) const ADDRESS: usize = offset_of!(Known, place) + offset_of!(Place, address);
pub(crate) const TICKET: usize = offset_of!(Known, place) + offset_of!(Place, ticket);
pub(crate) const NUMBER: usize = offset_of!(Known, slot);

// As the instructions have them.
const _: () = assert!(size_of::<Known>() == 64 && PLACES == 256);

impl Places {
    /// A segment begins: who reads it knows nothing.
    ///
    /// # Safety
    /// Points to those of the running thread.
    pub(crate) unsafe fn forget(this: *mut Places) {
        // SAFETY: promised by the caller; all zeroes are valid.
        unsafe { this.write_bytes(0, 1) };
    }
}

/// What is known of a place.
fn known(here: &Here, at: u64) -> &Known {
    // SAFETY: who records has its memory, and only it uses that; a slot is less than their number.
    unsafe { &(*here.places.get()).0[slot(at)] }
}

/// A mutex is taken or released at a place of which that was not foretold: the next time it is, if that seems worth it.
pub(crate) fn note(here: &Here, at: u64, mutex: u64, ticket: u64) {
    let known = known(here, at);
    let place = known.place.get();
    if place.at == at && place.word(mutex, ticket).is_some() {
        // It was foretold, and only wanted room.
        return;
    }
    let misses = known.misses.get() + 1;
    known.misses.set(misses % PATIENCE);
    if place.at == 0 || misses == PATIENCE {
        let release = if place.at == at { place.release } else { 0 };
        fill(here, known, Place::around(at, release, mutex, ticket));
    }
}

/// A mutex is about to be released. If that is the first thing that the thread does since it was taken in a way that was
/// foretold, the next time the release is, too.
pub(crate) fn note_release(here: &Here, at: u64, mutex: u64) {
    if here.cursor.get() == here.lock.get() && here.held.get() == mutex {
        // SAFETY: set together with the others, to one of the thread's slots.
        let known = unsafe { &*here.held_at.get() };
        let place = known.place.get();
        if place.release == 0 {
            fill(here, known, Place { release: at, ..place });
        }
    }
}

/// Writes what is known from now on, if there is room for it.
fn fill(here: &Here, known: &Known, place: Place) {
    let stamp = here.stamp.replace(BUSY);
    compiler_fence(Ordering::SeqCst);
    let size = KNOWN_WORDS * size_of::<u64>();
    if stamp != BUSY && here.cursor.get() as usize + size <= here.soft.get() as usize {
        Buffer::put(here, &place.words());
        known.place.set(place);
        known.slot.set((slot(place.at) as u64) << SLOT);
    }
    compiler_fence(Ordering::SeqCst);
    here.stamp.set(stamp);
}
