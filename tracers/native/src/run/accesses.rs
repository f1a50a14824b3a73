//! Who accessed what in any run: two threads may share bytes that no single run has shown both of them at.

use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;
use warpath_trace::thread::ThreadKey;

use crate::memory::{Found, Owners, Space, mark};

/// Who accessed what in any run of a program, also if several instances of it run at the same time.
#[derive(Clone, Default)]
pub struct Together(Arc<Mutex<Accesses>>);

impl Together {
    /// Adds those of a run whose threads, by number, have these keys. Answers the bytes (address, length) that are
    /// accessed by two threads in different runs, one of them writing.
    pub(crate) fn add<'k>(
        &self,
        space: &Space,
        keys: impl Iterator<Item = &'k ThreadKey>,
    ) -> Vec<(u64, u64)> {
        // Notes are added byte by byte; whoever stopped in the middle has left good ones.
        self.0.lock().unwrap_or_else(PoisonError::into_inner).add(space, keys)
    }
}

/// Threads are told apart by their keys, which are the same in every run.
#[derive(Default)]
struct Accesses {
    pages: FxHashMap<u64, Owners>,
    threads: FxHashMap<ThreadKey, u16>,
}

impl Accesses {
    fn add<'k>(&mut self, space: &Space, keys: impl Iterator<Item = &'k ThreadKey>) -> Vec<(u64, u64)> {
        let mut own: FxHashMap<u16, u16> = FxHashMap::default();
        for (thread, key) in keys.enumerate() {
            let next = self.threads.len() as u16;
            let number = *self.threads.entry(key.clone()).or_insert(next);
            own.insert(mark(thread as u16 + 1), mark(number + 1));
        }
        let mut found = Found::default();
        for (page, notes) in space.noted() {
            let known = self.pages.entry(page).or_insert_with(Owners::new);
            let own = |mark: u16| own.get(&mark).copied().unwrap_or(mark);
            known.add(notes, own, |offset| found.add(page + offset as u64));
        }
        found.take()
    }
}
