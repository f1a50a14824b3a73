//! Who holds which locks.

use std::collections::BTreeMap;

use warpath_trace::event::{Attempt, Op, RwMode, WaitResult};
use warpath_trace::ids::{LocationId, ThreadIx};

use super::Settled;
use crate::encode::conflict;

/// Acquisitions that have not been released, by lock and thread; the innermost last.
type Holders = BTreeMap<(LocationId, ThreadIx), Vec<Settled>>;

/// Locks that are held, and mutexes that their holders gave up for a wait on a condition.
#[derive(Debug, Default)]
pub(in crate::window) struct Locks {
    held: Holders,
    suspended: Holders,
}

impl Locks {
    pub(super) fn acquire(&mut self, lock: LocationId, mode: RwMode, event: Settled) {
        self.shut_out(lock, mode, event.thread);
        self.held.entry((lock, event.thread)).or_default().push(event);
    }

    /// Whoever holds it in spite of this acquisition does not: the trace has not seen its release.
    fn shut_out(&mut self, lock: LocationId, mode: RwMode, by: ThreadIx) {
        let here = self.held.range((lock, ThreadIx(0))..=(lock, ThreadIx(u32::MAX)));
        let wrong = here.filter(|((_, thread), held)| {
            *thread != by && held.first().is_some_and(|first| conflict(mode_of(&first.op), mode))
        });
        let wrong: Vec<(LocationId, ThreadIx)> = wrong.map(|(&key, _)| key).collect();
        for key in wrong {
            self.held.remove(&key);
        }
    }

    pub(super) fn release(&mut self, lock: LocationId, thread: ThreadIx) {
        if let Some(held) = self.held.get_mut(&(lock, thread)) {
            held.pop();
            if held.is_empty() {
                self.held.remove(&(lock, thread));
            }
        }
    }

    /// The thread gives the mutex up, however deep it holds it, until its wait is over.
    pub(super) fn suspend(&mut self, mutex: LocationId, thread: ThreadIx) {
        let held = self.held.remove(&(mutex, thread)).unwrap_or_default();
        self.suspended.insert((mutex, thread), held);
    }

    /// The wait is over, and the thread has the mutex again, as deep as before. It has it *since now*: others may
    /// have had it in between.
    pub(super) fn resume(&mut self, mutex: LocationId, event: Settled) {
        let depth = self.suspended.remove(&(mutex, event.thread)).map_or(1, |held| held.len().max(1));
        self.shut_out(mutex, RwMode::Write, event.thread);
        let op = Op::Lock { mutex, attempt: Attempt::Block, result: WaitResult::Done };
        self.held.insert((mutex, event.thread), vec![Settled { op, ..event }; depth]);
    }

    /// Every acquisition that is still in effect, or will be again when a wait is over.
    pub(in crate::window) fn all(&self) -> impl Iterator<Item = Settled> + '_ {
        self.held.values().chain(self.suspended.values()).flatten().copied()
    }
}

fn mode_of(op: &Op) -> RwMode {
    match *op {
        Op::RwLock { mode, .. } => mode,
        _ => RwMode::Write,
    }
}
