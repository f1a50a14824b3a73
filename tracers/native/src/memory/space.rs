//! The program's memory: cached pages, what they allow, what is marked in them.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::marks::Marks;
use super::page::{Page, page_of, pieces};
use super::regions::Regions;
use super::tlb::{Half, Tlb};
use super::tracking::{Found, Owners, mark};
use super::{Backing, Fault, FaultKind, Protection};

/// One page of the program, as far as it is known here.
#[derive(Clone, Default)]
pub(super) struct Frame {
    pub(super) address: u64,
    /// `None`: not fetched yet.
    pub(super) data: Option<Page>,
    pub(super) symbolic: Option<Box<Marks>>,
    pub(super) owners: Option<Owners>,
    /// Changed here since the native process had it.
    pub(super) dirty: bool,
    /// Marks that are knowledge about the program, not state of one run: they survive everything but unmarking.
    pub(super) shared: Option<Box<Marks>>,
    /// Somebody has decoded instructions here.
    pub(super) code: bool,
    /// When it last was put on the list of frames changed since the snapshot.
    pub(super) epoch: u64,
}

/// The program's memory, as the interpreter sees it.
///
/// Pages are fetched from a [`Backing`] when first needed and kept until they are [forgotten](Space::forget). Stores
/// stay here; [`dirty`](Space::dirty) lists the pages that the native process has to be given before it executes
/// anything. Loads, stores and fetches that the [regions](Space::map) do not allow are faults.
///
/// Single bytes can be marked *shared* or *symbolic*: an access that touches one gives
/// [`Trouble::Watched`](super::Trouble::Watched). Foreign code (see [`Code`](crate::cpu::Code)) does not see shared
/// marks.
pub struct Space {
    pub(super) backing: Box<dyn Backing + Send>,
    pub(super) regions: Regions,
    pub(super) numbers: FxHashMap<u64, u32>,
    pub(super) frames: Vec<Frame>,
    pub(super) tlb: Tlb,
    pub(super) half: Half,
    /// Frames that may be dirty.
    pub(super) dirty: Vec<u32>,
    pub(super) tracking: bool,
    pub(super) thread_mark: u16,
    pub(super) found: Found,
    /// Frames changed since the snapshot `base`; those with the current `epoch`.
    pub(super) changed: Vec<u32>,
    pub(super) epoch: u64,
    pub(super) base: u64,
    /// Pages with decoded code whose bytes have changed since the code cache last asked.
    pub(super) stale_code: Vec<u64>,
    /// A store was refused because decoded code lies there.
    pub(super) refused_code_write: bool,
    /// Stores to decoded code are made.
    pub(super) code_writes: bool,
}

// SAFETY: the raw pointers in the translation cache point into pages that this space holds by `Arc`, and go where it
// goes; nothing else uses them.
unsafe impl Send for Space {}

impl Space {
    /// A space with nothing mapped.
    pub fn new(backing: Box<dyn Backing + Send>) -> Space {
        Space {
            backing,
            regions: Regions::default(),
            numbers: FxHashMap::default(),
            frames: Vec::new(),
            tlb: Tlb::new(),
            half: Half::Own,
            dirty: Vec::new(),
            tracking: false,
            thread_mark: mark(0),
            found: Found::default(),
            changed: Vec::new(),
            epoch: 1,
            base: 0,
            stale_code: Vec::new(),
            refused_code_write: false,
            code_writes: false,
        }
    }

    /// Pages not yet here come from this one from now on.
    pub fn set_backing(&mut self, backing: Box<dyn Backing + Send>) {
        self.backing = backing;
    }

    /// Something new is mapped in a range (whole pages): what was known of its contents is forgotten.
    pub fn map(&mut self, range: Range<u64>, protection: Protection) {
        self.regions.map(range.clone(), protection);
        self.forget(range.clone());
        self.unmark_symbolic(range.clone());
        self.forget_tracking(range);
    }

    /// The mapped parts of a range (whole pages) allow something else from now on.
    pub fn protect(&mut self, range: Range<u64>, protection: Protection) {
        self.regions.protect(range.clone(), protection);
        self.for_frames(range, |space, number| space.drop_short_cuts(number));
    }

    /// Nothing is mapped in a range (whole pages) any more.
    pub fn unmap(&mut self, range: Range<u64>) {
        self.regions.unmap(range.clone());
        self.forget(range.clone());
        self.unmark_symbolic(range.clone());
        self.forget_tracking(range);
    }

    /// What may be done at an address; `None` where nothing is mapped.
    pub fn protection(&self, address: u64) -> Option<Protection> {
        self.regions.at(address)
    }

    /// All that is mapped, by address.
    pub fn regions(&self) -> impl Iterator<Item = (Range<u64>, Protection)> {
        self.regions.iter()
    }

    /// Copies memory out for the tracer itself: neither protections nor marks matter. Nothing of `into` has a meaning
    /// after a fault.
    pub fn read_bytes(&mut self, address: u64, into: &mut [u8]) -> Result<(), Fault> {
        let mut done = 0;
        for (page, offset, length) in pieces(address, into.len() as u64) {
            let number = self.fetched(page, page + offset as u64, FaultKind::Read)?;
            let bytes = self.frames[number as usize].data.as_ref().expect("just fetched").bytes();
            into[done..done + length].copy_from_slice(&bytes[offset..offset + length]);
            done += length;
        }
        Ok(())
    }

    /// Changes memory for the tracer itself: neither protections nor marks matter, marks stay as they are. After a
    /// fault nothing is written.
    pub fn write_bytes(&mut self, address: u64, bytes: &[u8]) -> Result<(), Fault> {
        for (page, offset, _) in pieces(address, bytes.len() as u64) {
            self.fetched(page, page + offset as u64, FaultKind::Write)?;
        }
        let mut done = 0;
        for (page, offset, length) in pieces(address, bytes.len() as u64) {
            let number = self.fetched(page, page, FaultKind::Write)?;
            let data = self.own(number);
            // SAFETY: `data` is the page's 4096 bytes, owned by this frame alone; the piece lies within.
            unsafe { std::ptr::copy_nonoverlapping(bytes[done..].as_ptr(), data.add(offset), length) };
            done += length;
        }
        Ok(())
    }

    /// The pages changed since the last [`clean`](Space::clean), by address, with their contents.
    pub fn dirty(&self) -> Vec<(u64, &[u8; 4096])> {
        let frames =
            self.dirty.iter().map(|&number| &self.frames[number as usize]).filter(|frame| frame.dirty);
        let mut pages: Vec<_> =
            frames.filter_map(|frame| Some((frame.address, frame.data.as_ref()?.bytes()))).collect();
        pages.sort_unstable_by_key(|(address, _)| *address);
        pages.dedup_by_key(|(address, _)| *address);
        pages
    }

    /// The native process has the same contents now: no page is dirty.
    pub fn clean(&mut self) {
        for number in std::mem::take(&mut self.dirty) {
            self.touch(number);
            self.frames[number as usize].dirty = false;
            self.drop_short_cuts(number);
        }
    }

    /// The native process has changed a range: its pages are fetched again when needed. What was changed here in the
    /// same pages is lost; write it back before.
    pub fn forget(&mut self, range: Range<u64>) {
        self.for_frames(range, |space, number| {
            if space.frames[number as usize].data.is_some() {
                space.touch(number);
                let frame = &mut space.frames[number as usize];
                frame.data = None;
                frame.dirty = false;
                if frame.code {
                    space.stale_code.push(frame.address);
                }
                space.drop_short_cuts(number);
            }
        });
    }

    /// The frame of a page, known or not.
    pub(super) fn frame(&mut self, page: u64) -> u32 {
        if let Some(&number) = self.numbers.get(&page) {
            return number;
        }
        let number = self.frames.len() as u32;
        self.frames.push(Frame { address: page, ..Frame::default() });
        self.numbers.insert(page, number);
        number
    }

    /// The frame of a page with its contents here. `at` is the address to blame if there are none.
    pub(super) fn fetched(&mut self, page: u64, at: u64, kind: FaultKind) -> Result<u32, Fault> {
        let number = self.frame(page);
        if self.frames[number as usize].data.is_none() {
            let mut bytes = [0; 4096];
            let mapped = self.regions.at(at).is_some();
            if !mapped || !self.backing.fetch(page, &mut bytes) {
                return Err(Fault { address: at, kind, mapped });
            }
            self.touch(number);
            self.frames[number as usize].data = Some(Page::new(bytes));
        }
        Ok(number)
    }

    /// A fetched frame's bytes for writing: its own, dirty, and noticed by snapshots and the code cache.
    pub(super) fn own(&mut self, number: u32) -> *mut u8 {
        self.touch(number);
        let frame = &mut self.frames[number as usize];
        let page = frame.data.as_mut().expect("only fetched frames are written");
        let before = page.pointer();
        let data = page.own();
        if !frame.dirty {
            frame.dirty = true;
            self.dirty.push(number);
        }
        if frame.code {
            self.stale_code.push(frame.address);
        }
        if data != before {
            self.drop_short_cuts(number);
        }
        data
    }

    /// Puts a frame on the list of those that differ from the snapshot.
    pub(super) fn touch(&mut self, number: u32) {
        let frame = &mut self.frames[number as usize];
        if frame.epoch != self.epoch {
            frame.epoch = self.epoch;
            self.changed.push(number);
        }
    }

    pub(super) fn drop_short_cuts(&mut self, number: u32) {
        self.tlb.drop_page(self.frames[number as usize].address);
    }

    /// Does something for each known frame that a range touches.
    pub(super) fn for_frames(&mut self, range: Range<u64>, mut act: impl FnMut(&mut Space, u32)) {
        if range.start >= range.end {
            return;
        }
        let (first, last) = (page_of(range.start), page_of(range.end - 1));
        if (last - first) / 4096 >= self.frames.len() as u64 {
            for number in 0..self.frames.len() as u32 {
                if (first..=last).contains(&self.frames[number as usize].address) {
                    act(self, number);
                }
            }
        } else {
            for page in (first..=last).step_by(4096) {
                if let Some(&number) = self.numbers.get(&page) {
                    act(self, number);
                }
            }
        }
    }

    /// Up to 15 bytes of code at an address, from executable pages; the pages are watched for changes from now on.
    pub(crate) fn fetch_code(&mut self, address: u64, into: &mut [u8; 15]) -> Result<usize, Fault> {
        let mut done = 0;
        for (page, offset, length) in pieces(address, 15) {
            let at = page + offset as u64;
            let fault = |mapped| Fault { address: at, kind: FaultKind::Execute, mapped };
            let number = match self.regions.at(at) {
                Some(protection) if protection.execute => self.fetched(page, at, FaultKind::Execute),
                region => Err(fault(region.is_some())),
            };
            let number = match number {
                Ok(number) => number,
                Err(fault) if done == 0 => return Err(fault),
                Err(_) => break,
            };
            if !self.frames[number as usize].code {
                self.frames[number as usize].code = true;
                self.drop_short_cuts(number);
            }
            let bytes = self.frames[number as usize].data.as_ref().expect("just fetched").bytes();
            into[done..done + length].copy_from_slice(&bytes[offset..offset + length]);
            done += length;
        }
        Ok(done)
    }

    /// Code pages changed since the last call. They count as free of decoded code from now on.
    pub(crate) fn take_stale_code(&mut self) -> Vec<u64> {
        let pages = std::mem::take(&mut self.stale_code);
        for page in &pages {
            if let Some(&number) = self.numbers.get(page) {
                self.frames[number as usize].code = false;
                self.drop_short_cuts(number);
            }
        }
        pages
    }

    /// Whether code pages have changed since [`take_stale_code`](Space::take_stale_code).
    pub(crate) fn has_stale_code(&self) -> bool {
        !self.stale_code.is_empty()
    }

    /// Whether the last refused store was refused only because decoded code lies there.
    pub(crate) fn take_refused_code_write(&mut self) -> bool {
        std::mem::take(&mut self.refused_code_write)
    }

    /// Does something that may store to where decoded code lies.
    pub(crate) fn with_code_writes<R>(&mut self, act: impl FnOnce(&mut Space) -> R) -> R {
        self.code_writes = true;
        let result = act(self);
        self.code_writes = false;
        result
    }

    /// Whose code is executed from now on.
    #[inline(always)]
    pub(crate) fn set_half(&mut self, half: Half) {
        self.half = half;
    }
}
