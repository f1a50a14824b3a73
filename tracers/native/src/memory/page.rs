//! The contents of one page, shared between a space and its snapshots until somebody writes.

use std::cell::UnsafeCell;
use std::sync::Arc;

/// Bytes in a page.
pub(crate) const PAGE: u64 = 4096;

/// The page that an address lies in.
pub(crate) const fn page_of(address: u64) -> u64 {
    address & !(PAGE - 1)
}

/// Where in its page an address lies.
pub(crate) const fn offset_in_page(address: u64) -> usize {
    (address & (PAGE - 1)) as usize
}

/// The pieces of a range of addresses that lie in one page each: page, offset in it, length.
pub(crate) fn pieces(address: u64, length: u64) -> impl Iterator<Item = (u64, usize, usize)> {
    let mut at = address;
    let mut left = length;
    std::iter::from_fn(move || {
        (left > 0).then(|| {
            let offset = offset_in_page(at);
            let here = left.min(PAGE - offset as u64);
            let piece = (page_of(at), offset, here as usize);
            at = at.wrapping_add(here);
            left -= here;
            piece
        })
    })
}

/// The bytes of a page.
pub(crate) type Bytes = [u8; PAGE as usize];

/// A page's bytes, copied when written while a snapshot has them too.
#[derive(Clone)]
pub(crate) struct Page(Arc<Contents>);

/// In a cell, because the translation cache writes to it through pointers.
struct Contents(UnsafeCell<Bytes>);

// SAFETY: the bytes are only written by the one space that owns the page alone (`Page::own`), whose pointers to it
// are dropped before a snapshot gets a share; from then on everybody only reads.
unsafe impl Sync for Contents {}

impl Page {
    pub(crate) fn new(bytes: Bytes) -> Page {
        Page(Arc::new(Contents(UnsafeCell::new(bytes))))
    }

    pub(crate) fn bytes(&self) -> &Bytes {
        // SAFETY: writing needs the space exclusively (`&mut Space`), and this borrow keeps the space borrowed.
        unsafe { &*self.0.0.get() }
    }

    /// Where the bytes are. Only what [`Page::own`] returns may be written through.
    pub(crate) fn pointer(&self) -> *mut u8 {
        self.0.0.get().cast()
    }

    /// Where the bytes are, no longer shared with anybody.
    pub(crate) fn own(&mut self) -> *mut u8 {
        if Arc::get_mut(&mut self.0).is_none() {
            *self = Page::new(*self.bytes());
        }
        self.pointer()
    }

    /// Whether nobody else has it.
    pub(crate) fn is_owned(&self) -> bool {
        Arc::strong_count(&self.0) == 1
    }

    pub(crate) fn is(&self, other: &Page) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}
