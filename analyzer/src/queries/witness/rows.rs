//! How far each thread must have come: per thread, a number of its steps.

use crate::model::TreeIx;

/// A row of numbers, one per thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RowId(u32);

/// All rows; each is written once.
#[derive(Debug)]
pub(super) struct Rows {
    threads: usize,
    entries: Vec<u32>,
}

impl Rows {
    /// No thread needs to have come anywhere.
    pub(super) const NOTHING: RowId = RowId(0);

    pub(super) fn new(threads: usize) -> Rows {
        Rows { threads, entries: vec![0; threads] }
    }

    pub(super) fn get(&self, id: RowId) -> &[u32] {
        let start = id.0 as usize * self.threads;
        &self.entries[start..start + self.threads]
    }

    /// As far as all of these say.
    pub(super) fn join(&mut self, ids: &[RowId]) -> RowId {
        let mut kept = ids.iter().copied().filter(|&id| id != Self::NOTHING);
        let Some(first) = kept.next() else { return Self::NOTHING };
        if kept.all(|id| id == first) {
            return first;
        }
        let new = self.copy(first);
        for &id in ids {
            self.raise(new, id);
        }
        new
    }

    /// The same with `tree` having done `steps`.
    pub(super) fn join_step(&mut self, ids: &[RowId], tree: TreeIx, steps: u32) -> RowId {
        let new = self.copy(Self::NOTHING);
        for &id in ids {
            self.raise(new, id);
        }
        let own = &mut self.entries[new.0 as usize * self.threads + tree.index()];
        *own = (*own).max(steps);
        new
    }

    fn copy(&mut self, id: RowId) -> RowId {
        let new = RowId((self.entries.len() / self.threads) as u32);
        let start = id.0 as usize * self.threads;
        self.entries.extend_from_within(start..start + self.threads);
        new
    }

    fn raise(&mut self, row: RowId, by: RowId) {
        if by == Self::NOTHING || by == row {
            return;
        }
        let (to, from) = (row.0 as usize * self.threads, by.0 as usize * self.threads);
        for tree in 0..self.threads {
            self.entries[to + tree] = self.entries[to + tree].max(self.entries[from + tree]);
        }
    }
}
