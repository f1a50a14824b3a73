//! The translation cache: which pages can be accessed without asking anything.

use super::page::page_of;

/// Pages that each half of the cache has room for.
const SLOTS: usize = 512;

/// A tag that no page address equals.
pub(crate) const NEVER: u64 = 1;
/// Added to a tag: the page's bytes are at `data`, but accesses must be noted.
pub(crate) const NOTED: u64 = 2;
/// Added to a tag: the page's bytes are at `data`, but some are marked.
pub(crate) const MARKED: u64 = 4;

/// One page's short cut.
#[derive(Clone, Copy)]
pub(crate) struct Entry {
    /// The page's address if its bytes may be read through `data`; with something added if that needs a look first.
    pub(crate) read: u64,
    /// The same for writing.
    pub(crate) write: u64,
    /// The page's bytes.
    pub(crate) data: *mut u8,
    /// The page's place in the list of frames.
    pub(crate) frame: u32,
}

impl Entry {
    /// Whether a tag of this entry, whatever is added to it, is that of the page that all `N` bytes lie in.
    #[inline(always)]
    pub(crate) fn is_about<const N: usize>(&self, tag: u64, address: u64) -> bool {
        tag & NEVER == 0 && page_of(tag) == page_of(address.wrapping_add(N as u64 - 1))
    }
}

const EMPTY: Entry = Entry { read: NEVER, write: NEVER, data: std::ptr::null_mut(), frame: 0 };

/// Two direct-mapped halves: one for the program's own code, one for foreign code, which does not see all marks.
pub(crate) struct Tlb(Box<[Entry; 2 * SLOTS]>);

/// Which half of the cache is in use.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub(crate) enum Half {
    Own = 0,
    Foreign = SLOTS,
}

impl Tlb {
    pub(crate) fn new() -> Tlb {
        Tlb(Box::new([EMPTY; 2 * SLOTS]))
    }

    /// The only entry that can be about an address.
    ///
    /// Programs like distances of powers of two, so pages that far apart get different places. Neighbours always do:
    /// the test for accesses that cross into the next page depends on it.
    #[inline(always)]
    pub(crate) fn entry(&mut self, half: Half, address: u64) -> &mut Entry {
        let page = (address >> 12) as usize;
        let place = page.wrapping_add((page >> 9).wrapping_mul(13));
        &mut self.0[(place & (SLOTS - 1)) | half as usize]
    }

    /// Forgets one page.
    pub(crate) fn drop_page(&mut self, page: u64) {
        for half in [Half::Own, Half::Foreign] {
            let entry = self.entry(half, page);
            if page_of(entry.read) == page || page_of(entry.write) == page {
                *entry = EMPTY;
            }
        }
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.0.fill(EMPTY);
    }
}
