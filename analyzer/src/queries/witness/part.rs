//! A part of the run: of each thread, its first steps. It is closed when what its steps need is in it.

use warpath_trace::event::RwMode;

use super::needs::Needs;
use super::rows::RowId;
use super::sections::{Lock, Section};
use crate::model::TreeIx;

/// Where a thread stands when an event is its next one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stand {
    pub(super) tree: TreeIx,
    /// The step behind which the event comes; `None` for the first of a thread.
    pub(super) behind: Option<u32>,
    /// So many steps of the thread lead there.
    pub(super) done: u32,
    /// More than so many steps lead past it.
    pub(super) limit: u32,
}

/// How many steps of each thread take part.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) reach: Vec<u32>,
}

impl Part {
    pub(super) fn raise(&mut self, needs: &Needs, row: RowId) {
        for (reach, &row) in self.reach.iter_mut().zip(needs.rows.get(row)) {
            *reach = (*reach).max(row);
        }
    }

    /// Is all that the row says in it?
    pub(super) fn has(&self, needs: &Needs, row: RowId) -> bool {
        self.reach.iter().zip(needs.rows.get(row)).all(|(reach, row)| reach >= row)
    }

    /// Adds what the steps that take part need of locks and regions; `rows` says what any other step needs. Answers
    /// whether the threads still are where they should stand.
    pub(super) fn close(&mut self, needs: &Needs, rows: &[RowId], stands: &[Stand]) -> bool {
        loop {
            if stands.iter().any(|stand| self.reach[stand.tree.index()] > stand.limit) {
                return false;
            }
            let mut grown = false;
            for lock in &needs.locks {
                match self.give_back(needs, rows, lock) {
                    Some(more) => grown |= more,
                    None => return false,
                }
            }
            for tree in 0..self.reach.len() {
                match self.leave_region(needs, rows, tree) {
                    Some(more) => grown |= more,
                    None => return false,
                }
            }
            if !grown {
                return true;
            }
        }
    }

    /// The sections of a thread that take part.
    fn entered<'s>(&self, tree: TreeIx, sections: &'s [Section]) -> &'s [Section] {
        let reach = self.reach[tree.index()];
        &sections[..sections.partition_point(|section| section.from < reach)]
    }

    /// All acquisitions that take part are given back, but for the last one, or the last readers. `None` if one
    /// never was.
    fn give_back(&mut self, needs: &Needs, rows: &[RowId], lock: &Lock) -> Option<bool> {
        let (mut last, mut last_writer) = (0, 0);
        for (tree, sections) in &lock.threads {
            let sections = self.entered(*tree, sections);
            last = last.max(sections.last().map_or(0, |section| section.acquired));
            let writer = sections.iter().rev().find(|section| section.mode == RwMode::Write);
            last_writer = last_writer.max(writer.map_or(0, |section| section.acquired));
        }
        let mut grown = false;
        for (tree, sections) in &lock.threads {
            let Some(section) = self.entered(*tree, sections).last() else { continue };
            let followed_by = if section.mode == RwMode::Write { last } else { last_writer };
            if section.acquired < followed_by {
                grown |= self.reach_release(needs, rows, *tree, section)?;
            }
        }
        Some(grown)
    }

    fn reach_release(
        &mut self,
        needs: &Needs,
        rows: &[RowId],
        tree: TreeIx,
        section: &Section,
    ) -> Option<bool> {
        let until = section.until?;
        if self.reach[tree.index()] > until {
            return Some(false);
        }
        let release = needs.threads[tree.index()][until as usize];
        self.raise(needs, rows[release as usize]);
        Some(true)
    }

    /// A region that was entered is left again. `None` if it never was.
    fn leave_region(&mut self, needs: &Needs, rows: &[RowId], tree: usize) -> Option<bool> {
        let reach = self.reach[tree];
        let regions = &needs.regions[tree];
        let entered = regions.partition_point(|&(begin, _)| begin < reach);
        let Some(&(_, end)) = regions[..entered].last() else { return Some(false) };
        let end = end?;
        if reach > end {
            return Some(false);
        }
        self.raise(needs, rows[needs.threads[tree][end as usize] as usize]);
        Some(true)
    }
}
