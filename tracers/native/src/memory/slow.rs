//! Loads and stores: the short cut, and what is checked when it does not apply.

use super::marks::Marks;
use super::page::{offset_in_page, page_of, pieces};
use super::space::{Frame, Space};
use super::tlb::{Half, MARKED, NEVER, NOTED};
use super::tracking::Owners;
use super::{Fault, FaultKind, Memory, Trouble};

/// What an access outside the short cut looks at.
#[derive(Clone, Copy)]
pub(super) struct Checks {
    /// Marked bytes stop it.
    pub(super) marks: bool,
    /// Decoded code stops a store.
    pub(super) code: bool,
}

const ALL: Checks = Checks { marks: true, code: true };

impl Memory for Space {
    #[inline(always)]
    fn load<const N: usize>(&mut self, address: u64) -> Result<[u8; N], Trouble> {
        let entry = self.tlb.entry(self.half, address);
        // The page of the last byte: one that crosses into the next page never matches.
        if entry.read == page_of(address.wrapping_add(N as u64 - 1)) {
            // SAFETY: an entry with this tag points to the 4096 bytes of this page, which its frame keeps alive; all
            // `N` bytes are in the page because the first (which chose the entry) and the last are.
            return Ok(unsafe { entry.data.add(offset_in_page(address)).cast::<[u8; N]>().read_unaligned() });
        }
        self.load_checked::<N>(address)
    }

    #[inline(always)]
    fn store<const N: usize>(&mut self, address: u64, bytes: [u8; N]) -> Result<(), Trouble> {
        let entry = self.tlb.entry(self.half, address);
        if entry.write == page_of(address.wrapping_add(N as u64 - 1)) {
            // SAFETY: as for loads; a write tag is only given to pages that no snapshot shares.
            unsafe { entry.data.add(offset_in_page(address)).cast::<[u8; N]>().write_unaligned(bytes) };
            return Ok(());
        }
        self.store_checked::<N>(address, bytes)
    }
}

impl Space {
    #[inline(never)]
    fn load_checked<const N: usize>(&mut self, address: u64) -> Result<[u8; N], Trouble> {
        self.load_with::<N>(address, ALL)
    }

    #[inline(never)]
    fn store_checked<const N: usize>(&mut self, address: u64, bytes: [u8; N]) -> Result<(), Trouble> {
        self.store_with::<N>(address, bytes, ALL)
    }

    /// Loads from a page that needs a look first, or is not at hand.
    #[inline(always)]
    pub(super) fn load_with<const N: usize>(
        &mut self,
        address: u64,
        checks: Checks,
    ) -> Result<[u8; N], Trouble> {
        let entry = *self.tlb.entry(self.half, address);
        if entry.is_about::<N>(entry.read, address) {
            let offset = offset_in_page(address);
            let frame = &self.frames[entry.frame as usize];
            if checks.marks && entry.read & MARKED != 0 && self.is_watched(frame, offset, N) {
                return Err(Trouble::Watched);
            }
            let known = |owners: &Owners| owners.knows_read::<N>(offset, self.thread_mark);
            if entry.read & NOTED == 0 || frame.owners.as_ref().is_some_and(known) {
                // SAFETY: as in `load`: the tag is this page's, whatever is added to it.
                return Ok(unsafe { entry.data.add(offset).cast::<[u8; N]>().read_unaligned() });
            }
        }
        let mut bytes = [0; N];
        self.load_slowly(address, &mut bytes, checks)?;
        Ok(bytes)
    }

    /// Stores to a page that needs a look first, or is not at hand.
    #[inline(always)]
    pub(super) fn store_with<const N: usize>(
        &mut self,
        address: u64,
        bytes: [u8; N],
        checks: Checks,
    ) -> Result<(), Trouble> {
        let entry = *self.tlb.entry(self.half, address);
        if entry.is_about::<N>(entry.write, address) {
            let offset = offset_in_page(address);
            let frame = &self.frames[entry.frame as usize];
            if checks.marks && entry.write & MARKED != 0 && self.is_watched(frame, offset, N) {
                return Err(Trouble::Watched);
            }
            let known = |owners: &Owners| owners.knows_write::<N>(offset, self.thread_mark);
            if entry.write & NOTED == 0 || frame.owners.as_ref().is_some_and(known) {
                // SAFETY: as in `store`: the tag is this page's, for writing, whatever is added to it.
                unsafe { entry.data.add(offset).cast::<[u8; N]>().write_unaligned(bytes) };
                return Ok(());
            }
        }
        self.store_slowly(address, &bytes, checks)
    }

    /// Whether any of these bytes has a mark that the current code sees.
    fn is_watched(&self, frame: &Frame, offset: usize, length: usize) -> bool {
        let any = |marks: &Option<Box<Marks>>| marks.as_ref().is_some_and(|marks| marks.any(offset, length));
        any(&frame.symbolic) || self.half == Half::Own && any(&frame.shared)
    }

    pub(super) fn load_slowly(
        &mut self,
        address: u64,
        into: &mut [u8],
        checks: Checks,
    ) -> Result<(), Trouble> {
        let length = into.len() as u64;
        for (page, offset, here) in pieces(address, length) {
            self.admit(page, offset, here, false, checks)?;
        }
        let mut done = 0;
        for (page, offset, here) in pieces(address, length) {
            let number = self.fetched(page, page, FaultKind::Read)?;
            self.note(number, offset, here, false);
            let bytes = self.frames[number as usize].data.as_ref().expect("admitted").bytes();
            into[done..done + here].copy_from_slice(&bytes[offset..offset + here]);
            self.shorten(number);
            done += here;
        }
        Ok(())
    }

    pub(super) fn store_slowly(&mut self, address: u64, bytes: &[u8], checks: Checks) -> Result<(), Trouble> {
        let length = bytes.len() as u64;
        for (page, offset, here) in pieces(address, length) {
            self.admit(page, offset, here, true, checks)?;
        }
        let mut done = 0;
        for (page, offset, here) in pieces(address, length) {
            let number = self.fetched(page, page, FaultKind::Write)?;
            self.note(number, offset, here, true);
            let data = self.own(number);
            // SAFETY: `data` is the page's 4096 bytes, owned by this frame alone; the piece lies within.
            unsafe { std::ptr::copy_nonoverlapping(bytes[done..].as_ptr(), data.add(offset), here) };
            self.shorten(number);
            done += here;
        }
        Ok(())
    }

    /// Whether an access within one page may be made; changes nothing but what is cached.
    fn admit(
        &mut self,
        page: u64,
        offset: usize,
        length: usize,
        write: bool,
        checks: Checks,
    ) -> Result<(), Trouble> {
        let at = page + offset as u64;
        let kind = if write { FaultKind::Write } else { FaultKind::Read };
        let region = self.regions.at(at);
        if !region.is_some_and(|protection| if write { protection.write } else { protection.read }) {
            return Err(Fault { address: at, kind, mapped: region.is_some() }.into());
        }
        let number = self.fetched(page, at, kind)?;
        let frame = &self.frames[number as usize];
        if checks.marks && self.is_watched(frame, offset, length) {
            return Err(Trouble::Watched);
        }
        if write && checks.code && frame.code && !self.code_writes {
            self.refused_code_write = true;
            return Err(Trouble::Watched);
        }
        Ok(())
    }

    /// Remembers who accessed what, if that is wanted and the code is not foreign.
    pub(super) fn note(&mut self, number: u32, offset: usize, length: usize, write: bool) {
        if !self.tracking || self.half == Half::Foreign {
            return;
        }
        self.touch(number);
        let frame = &mut self.frames[number as usize];
        let (page, found) = (frame.address, &mut self.found);
        let owners = frame.owners.get_or_insert_with(Owners::new);
        owners.note(offset, length, self.thread_mark, write, |offset| found.add(page + offset as u64));
    }

    /// Lets later accesses to this page take the short cut.
    fn shorten(&mut self, number: u32) {
        let frame = &self.frames[number as usize];
        let own = self.half == Half::Own;
        let (Some(region), Some(data)) = (self.regions.at(frame.address), &frame.data) else { return };
        let page = frame.address;
        let marked = if frame.symbolic.is_some() || own && frame.shared.is_some() { MARKED } else { 0 };
        let look = marked | if self.tracking && own { NOTED } else { 0 };
        let changeable =
            region.write && frame.dirty && frame.epoch == self.epoch && !frame.code && data.is_owned();
        let data = data.pointer();
        let entry = self.tlb.entry(self.half, page);
        entry.read = if region.read { page | look } else { NEVER };
        entry.write = if changeable { page | look } else { NEVER };
        entry.data = data;
        entry.frame = number;
    }
}
