//! Marking bytes as shared or symbolic, and finding the shared ones.

use std::ops::Range;

use super::marks::Marks;
use super::page::{page_of, pieces};
use super::space::{Frame, Space};
use super::tlb::Half;
use super::tracking::{Owners, mark};

impl Space {
    /// Accesses of the program's own code to these bytes stop with [`Trouble::Watched`](super::Trouble::Watched).
    ///
    /// Shared marks belong to addresses: they stay when memory is mapped, unmapped or restored.
    pub fn mark_shared(&mut self, range: Range<u64>) {
        self.put(range, true, |frame| &mut frame.shared);
    }

    /// These bytes are not shared any more.
    pub fn unmark_shared(&mut self, range: Range<u64>) {
        self.put(range, false, |frame| &mut frame.shared);
    }

    /// Whether any of these bytes is marked shared.
    pub fn is_shared(&self, range: Range<u64>) -> bool {
        self.any(range, |frame| &frame.shared)
    }

    /// Accesses to these bytes stop with [`Trouble::Watched`](super::Trouble::Watched), foreign code's included.
    pub fn mark_symbolic(&mut self, range: Range<u64>) {
        self.touch_all(range.clone());
        self.put(range, true, |frame| &mut frame.symbolic);
    }

    /// These bytes are concrete again.
    pub fn unmark_symbolic(&mut self, range: Range<u64>) {
        self.touch_all(range.clone());
        self.put(range, false, |frame| &mut frame.symbolic);
    }

    /// Whether any of these bytes is marked symbolic.
    pub fn is_symbolic(&self, range: Range<u64>) -> bool {
        self.any(range, |frame| &frame.symbolic)
    }

    /// Whether accesses are noted to find shared bytes, from now on. What was noted stays.
    pub fn track(&mut self, on: bool) {
        self.tracking = on;
        self.tlb.clear();
    }

    /// Whose turn it is: accesses are noted as this thread's. Numbers from 4095 on are taken for one thread.
    pub fn set_thread(&mut self, thread: u16) {
        self.thread_mark = mark(thread);
    }

    /// Whether the code executed next is foreign: for [`step`](crate::cpu::step), which has no blocks to know it from.
    /// [`run`](crate::cpu::run) sets it by itself.
    pub fn set_foreign(&mut self, foreign: bool) {
        self.half = if foreign { Half::Foreign } else { Half::Own };
    }

    /// Notes an access that was made past the interpreter (by a model of a library call, say) for the current thread,
    /// if accesses are noted.
    pub fn note_access(&mut self, range: Range<u64>, write: bool) {
        if !self.tracking {
            return;
        }
        let half = std::mem::replace(&mut self.half, Half::Own);
        for (page, offset, length) in pieces(range.start, range.end.saturating_sub(range.start)) {
            let number = self.frame(page);
            self.note(number, offset, length, write);
        }
        self.half = half;
    }

    /// The bytes that were found to be accessed by two threads, one of them writing, since the last call: ranges
    /// (address, length) by address, coalesced.
    pub fn take_newly_shared(&mut self) -> Vec<(u64, u64)> {
        self.found.take()
    }

    /// Who accessed what since the last snapshot, page by page.
    pub(crate) fn noted(&self) -> impl Iterator<Item = (u64, &Owners)> {
        let changed = self.changed.iter().map(|&number| &self.frames[number as usize]);
        changed.filter_map(|frame| Some((frame.address, frame.owners.as_ref()?)))
    }

    /// Forgets who accessed these bytes: they are new ones.
    pub fn forget_tracking(&mut self, range: Range<u64>) {
        self.for_pieces(range, |space, number, offset, length| {
            if space.frames[number as usize].owners.is_some() {
                space.touch(number);
            }
            if let Some(owners) = &mut space.frames[number as usize].owners {
                owners.forget(offset, length);
            }
        });
    }

    /// Sets marks, in pages not known yet too, or clears them where there are any.
    fn put(&mut self, range: Range<u64>, on: bool, which: fn(&mut Frame) -> &mut Option<Box<Marks>>) {
        let change = |space: &mut Space, number: u32, offset: usize, length: usize| {
            let marks = which(&mut space.frames[number as usize]);
            if on || marks.is_some() {
                let bits = marks.get_or_insert_with(|| Box::new(Marks::new()));
                bits.put(offset, length, on);
                if bits.is_empty() {
                    *marks = None;
                }
                space.drop_short_cuts(number);
            }
        };
        if on {
            for (page, offset, length) in pieces(range.start, range.end.saturating_sub(range.start)) {
                let number = self.frame(page);
                change(self, number, offset, length);
            }
        } else {
            self.for_pieces(range, change);
        }
    }

    fn any(&self, range: Range<u64>, which: fn(&Frame) -> &Option<Box<Marks>>) -> bool {
        pieces(range.start, range.end.saturating_sub(range.start)).any(|(page, offset, length)| {
            let frame = self.numbers.get(&page).map(|&number| &self.frames[number as usize]);
            frame.and_then(|frame| which(frame).as_ref()).is_some_and(|marks| marks.any(offset, length))
        })
    }

    fn touch_all(&mut self, range: Range<u64>) {
        self.for_frames(range, |space, number| space.touch(number));
    }

    /// Does something for each part of a range that lies in a known frame.
    fn for_pieces(&mut self, range: Range<u64>, mut act: impl FnMut(&mut Space, u32, usize, usize)) {
        self.for_frames(range.clone(), |space, number| {
            let page = space.frames[number as usize].address;
            let from = if page_of(range.start) == page { range.start - page } else { 0 };
            let to = (range.end - page).min(4096);
            act(space, number, from as usize, (to - from) as usize);
        });
    }
}
