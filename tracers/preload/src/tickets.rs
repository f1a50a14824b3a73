//! Tickets: in which order an object was used.
//!
//! A ticket is drawn while the object is held, or at the moment that cannot be mistaken: before a unit is given, after
//! one was taken. So the order of tickets is an order in which everything can have happened.

use core::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

/// Objects that can be told apart in one process. Pages that are not used take no memory.
const SLOTS: usize = 1 << 22;

/// Slots that are looked at for one object.
const PROBES: usize = 256;

/// How far one is from the next. Small objects beside each other want the same slot: if they took those of their
/// neighbours, these would have to go elsewhere, too.
const STRIDE: usize = (1 << 18) + 1;

#[repr(C)]
struct Slot {
    key: AtomicU64,
    value: AtomicU64,
}

/// A map from addresses to numbers that only grows, without locks.
pub(crate) struct Table {
    slots: AtomicPtr<Slot>,
    /// Most objects are `1 << spacing` bytes apart, or more.
    spacing: u32,
}

impl Table {
    pub(crate) const fn new(spacing: u32) -> Table {
        Table { slots: AtomicPtr::new(core::ptr::null_mut()), spacing }
    }

    #[inline(always)]
    fn slots(&self) -> Option<*mut Slot> {
        let known = self.slots.load(Ordering::Acquire);
        if known.is_null() { self.first_slots() } else { Some(known) }
    }

    #[cold]
    fn first_slots(&self) -> Option<*mut Slot> {
        let size = SLOTS * size_of::<Slot>();
        // SAFETY: a new anonymous mapping; nothing else is touched.
        let fresh = unsafe {
            libc::mmap(
                core::ptr::null_mut(),
                size,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
                -1,
                0,
            )
        };
        if fresh == libc::MAP_FAILED {
            return None;
        }
        let fresh = fresh.cast::<Slot>();
        match self.slots.compare_exchange(core::ptr::null_mut(), fresh, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => Some(fresh),
            Err(other) => {
                // SAFETY: made above, and nobody else has seen it.
                unsafe { libc::munmap(fresh.cast(), size) };
                Some(other)
            }
        }
    }

    /// Where the number of this address is looked for first. Objects that lie together have slots that lie together: fewer
    /// pages and lines of the cache are looked at.
    #[inline(always)]
    fn place(&self, key: u64) -> usize {
        ((key >> self.spacing) ^ (key >> 24).wrapping_mul(0x9e37_79b9)) as usize % SLOTS
    }

    /// The number of this address, which is 0 at first. None if there is no room.
    #[inline(always)]
    fn slot(&self, key: u64) -> Option<&AtomicU64> {
        let slots = self.slots()?;
        let place = self.place(key);
        // SAFETY: as below.
        let slot = unsafe { &*slots.add(place) };
        if slot.key.load(Ordering::Acquire) == key { Some(&slot.value) } else { self.find(slots, place, key) }
    }

    #[inline(never)]
    fn find(&self, slots: *mut Slot, mut place: usize, key: u64) -> Option<&AtomicU64> {
        for _ in 0..PROBES {
            // SAFETY: below SLOTS, within the mapping, which is never given back; zeroes are a valid slot.
            let slot = unsafe { &*slots.add(place) };
            let found = slot.key.load(Ordering::Acquire);
            if found == key {
                return Some(&slot.value);
            }
            if found == 0 {
                match slot.key.compare_exchange(0, key, Ordering::AcqRel, Ordering::Acquire) {
                    Ok(_) => return Some(&slot.value),
                    Err(other) if other == key => return Some(&slot.value),
                    Err(_) => {}
                }
            }
            place = (place + STRIDE) % SLOTS;
        }
        None
    }

    /// The next ticket of the object at this address, from 1; 0 if there is no room.
    pub(crate) fn draw(&self, address: u64) -> u64 {
        self.slot(address).map_or(0, |value| value.fetch_add(1, Ordering::AcqRel) + 1)
    }

    /// The number of this address itself.
    pub(crate) fn number(&self, address: u64) -> Option<&AtomicU64> {
        self.slot(address)
    }

    /// What was kept for the key, 0 if nothing was.
    pub(crate) fn get(&self, key: u64) -> u64 {
        self.slot(key).map_or(0, |value| value.load(Ordering::Acquire))
    }

    /// Keeps a number for the key.
    pub(crate) fn set(&self, key: u64, number: u64) {
        if let Some(value) = self.slot(key) {
            value.store(number, Ordering::Release);
        }
    }
}

/// Tickets of synchronisation objects.
pub(crate) static OBJECTS: Table = Table::new(5);

/// Tickets of cells of memory that are used atomically; the lowest bit says that one of them is.
pub(crate) static CELLS: Table = Table::new(2);

/// Numbers of threads, plus one, by their `pthread_t`.
pub(crate) static THREADS: Table = Table::new(6);
