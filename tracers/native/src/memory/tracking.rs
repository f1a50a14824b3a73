//! Who accessed which byte: finds the bytes that two threads access, one of them writing.

use std::sync::Arc;

use super::page::PAGE;

/// Threads that can be told apart.
pub(crate) const THREADS: u16 = 4096;
/// The one thread that has accessed the byte has written it.
const WROTE: u16 = 1 << 13;
/// Several threads have read the byte, none has written it.
const MANY: u16 = 1 << 14;
/// Several threads, one of which wrote: already told.
const SHARED: u16 = 1 << 15;

/// What is known of the accesses to each byte of a page: nothing (0), the one thread (its number plus one, with
/// [`WROTE`]), [`MANY`] or [`SHARED`].
#[derive(Clone)]
pub(crate) struct Owners(Arc<[u16; PAGE as usize]>);

impl Owners {
    pub(crate) fn new() -> Owners {
        Owners(Arc::new([0; PAGE as usize]))
    }

    /// Whether nothing new is learnt from a load by this thread (as [`mark`] gives it).
    #[inline(always)]
    pub(crate) fn knows_read<const N: usize>(&self, offset: usize, mark: u16) -> bool {
        let Some(notes) = self.0.get(offset..offset + N) else { return false };
        notes
            .iter()
            .fold(true, |known, note| known & ((note & !WROTE == mark) | (note & (MANY | SHARED) != 0)))
    }

    /// Whether nothing new is learnt from a store by this thread.
    #[inline(always)]
    pub(crate) fn knows_write<const N: usize>(&self, offset: usize, mark: u16) -> bool {
        let Some(notes) = self.0.get(offset..offset + N) else { return false };
        notes.iter().fold(true, |known, &note| known & ((note == mark | WROTE) | (note == SHARED)))
    }

    /// Notes an access; calls `shared` with the offset of each byte that it makes shared.
    pub(crate) fn note(
        &mut self,
        offset: usize,
        length: usize,
        mark: u16,
        write: bool,
        mut shared: impl FnMut(usize),
    ) {
        let notes = Arc::make_mut(&mut self.0);
        for (n, note) in notes[offset..offset + length].iter_mut().enumerate() {
            *note = match (*note, write) {
                (0, _) => mark | if write { WROTE } else { 0 },
                (SHARED, _) | (MANY, false) => continue,
                (known, true) if known & !WROTE == mark => mark | WROTE,
                (known, false) if known & !WROTE == mark => continue,
                (known, false) if known & WROTE == 0 => MANY,
                _ => {
                    shared(offset + n);
                    SHARED
                }
            };
        }
    }

    /// Adds what another run noted; `own` says how each of its threads is written here. Calls `shared` with the offset
    /// of each byte that only both together make shared.
    pub(crate) fn add(&mut self, other: &Owners, own: impl Fn(u16) -> u16, mut shared: impl FnMut(usize)) {
        if Arc::ptr_eq(&self.0, &other.0) {
            return;
        }
        let notes = Arc::make_mut(&mut self.0);
        for (offset, (known, &new)) in notes.iter_mut().zip(other.0.iter()).enumerate() {
            if new == 0 || *known == SHARED {
                continue;
            }
            let new = if new & (MANY | SHARED) == 0 { own(new & !WROTE) | new & WROTE } else { new };
            *known = match *known {
                0 => new,
                _ if new == SHARED => SHARED,
                known if known & !WROTE == new & !WROTE => known | new,
                known if (known | new) & WROTE == 0 => MANY,
                _ => {
                    shared(offset);
                    SHARED
                }
            };
        }
    }

    pub(crate) fn forget(&mut self, offset: usize, length: usize) {
        Arc::make_mut(&mut self.0)[offset..offset + length].fill(0);
    }
}

/// How a thread is written in the notes.
pub(crate) fn mark(thread: u16) -> u16 {
    thread.min(THREADS - 1) + 1
}

/// Bytes found to be shared, in the order found, neighbours joined.
#[derive(Clone, Debug, Default)]
pub(crate) struct Found(Vec<(u64, u64)>);

impl Found {
    pub(crate) fn add(&mut self, address: u64) {
        match self.0.last_mut() {
            Some((start, length)) if start.wrapping_add(*length) == address => *length += 1,
            _ => self.0.push((address, 1)),
        }
    }

    /// All of them, by address, coalesced; none is left.
    pub(crate) fn take(&mut self) -> Vec<(u64, u64)> {
        let mut all = std::mem::take(&mut self.0);
        all.sort_unstable();
        let mut joined: Vec<(u64, u64)> = Vec::with_capacity(all.len());
        for (start, length) in all {
            match joined.last_mut() {
                Some((first, so_far)) if *first + *so_far >= start => {
                    *so_far = (*so_far).max(start + length - *first)
                }
                _ => joined.push((start, length)),
            }
        }
        joined
    }
}
