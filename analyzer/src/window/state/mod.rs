//! The state of the recorded run, kept up event by event.
//!
//! Only what can matter to what comes next is kept: who holds what, who waits and what was given to it, how far
//! barriers and once-only initialisations are, what storage holds. Things that are over leave nothing behind, so that
//! the state stays small however long the trace is. A trace that contradicts itself (two owners of one mutex, say)
//! gives a state in which the later event was right.

mod barriers;
mod locks;
mod queues;
mod storage;

use std::collections::BTreeMap;

use warpath_trace::event::{OnceStep, Op, RwMode, SyncKind, WaitResult};
use warpath_trace::ids::{LocationId, ThreadIx};

use super::recorded::Recorded;
use crate::model::has_node;
use barriers::Barriers;
use locks::Locks;
use queues::Queues;
use storage::Storage;

pub(super) use storage::{Stored, Unflushed};

/// An event that has happened and still matters.
#[derive(Clone, Copy, Debug)]
pub(super) struct Settled {
    /// When it happened.
    pub(super) position: u32,
    /// Whose it is.
    pub(super) thread: ThreadIx,
    /// Its index within the thread, for its place in the program.
    pub(super) index: u32,
    /// How many nodes its thread's tree has above it.
    pub(super) depth: u32,
    /// What it did, in the trace's ids; of a mutex that was acquired again at the end of a wait, that it was acquired.
    pub(super) op: Op,
}

/// Where a thread stands.
#[derive(Clone, Debug, Default)]
pub(super) struct ThreadState {
    /// Its fork.
    pub(super) fork: Option<Settled>,
    /// Its first event.
    pub(super) first: Option<Settled>,
    /// Its end.
    pub(super) end: Option<Settled>,
    /// How many nodes its tree has so far.
    pub(super) depth: u32,
    /// The event that it waits in until the trace ends.
    pub(super) pending: Option<u32>,
    /// The atomic region it is in.
    pub(super) region: Option<Settled>,
}

/// A once-only initialisation that has begun: its run and, when that is over, its end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Once {
    pub(super) run: Settled,
    pub(super) finish: Option<Settled>,
}

/// The state behind some events of the recorded run.
pub(super) struct State<'r, 't> {
    recorded: &'r Recorded<'t>,
    position: u32,
    pub(super) threads: Vec<ThreadState>,
    pub(super) locks: Locks,
    pub(super) queues: Queues,
    pub(super) barriers: Barriers,
    pub(super) onces: BTreeMap<LocationId, Once>,
    pub(super) storage: Storage<'t>,
    /// Units of semaphores that have been used.
    units: BTreeMap<LocationId, u32>,
}

impl<'r, 't> State<'r, 't> {
    /// Before the first event.
    pub(super) fn new(recorded: &'r Recorded<'t>) -> Self {
        State {
            recorded,
            position: 0,
            threads: vec![ThreadState::default(); recorded.trace.threads.len()],
            locks: Locks::default(),
            queues: Queues::default(),
            barriers: Barriers::default(),
            onces: BTreeMap::new(),
            storage: Storage::new(recorded.trace),
            units: BTreeMap::new(),
        }
    }

    /// Goes on to a position of the observed order.
    pub(super) fn advance(&mut self, to: u32) {
        while self.position < to {
            let (thread, index) = self.recorded.steps[self.position as usize];
            self.event(thread, index);
            self.position += 1;
        }
    }

    /// What a synchronisation object was made as; of a semaphore, with the units that it has now.
    pub(super) fn kinds(&self, object: LocationId) -> Vec<SyncKind> {
        let mut kinds = self.recorded.kinds.get(&object).cloned().unwrap_or_default();
        if let Some(&units) = self.units.get(&object) {
            let maximum = match kinds.first() {
                Some(&SyncKind::Semaphore { maximum, .. }) => maximum,
                _ => None,
            };
            kinds = vec![SyncKind::Semaphore { initial: units, maximum }];
        }
        kinds
    }

    fn event(&mut self, thread: ThreadIx, index: u32) {
        let op = self.recorded.event(thread, index).op;
        if let Op::Commit { write } = op {
            self.storage.commit(thread, write);
        }
        if !has_node(&op) {
            return;
        }
        let state = &mut self.threads[thread.index()];
        if op.is_pending() {
            state.pending = Some(index);
            return;
        }
        let event = Settled { position: self.position, thread, index, depth: state.depth, op };
        state.depth += 1;
        state.pending = None;
        state.first.get_or_insert(event);
        self.storage.event(event);
        self.synchronise(event);
    }

    fn synchronise(&mut self, event: Settled) {
        let thread = event.thread;
        match event.op {
            Op::Fork { child } => self.threads[child.index()].fork = Some(event),
            Op::End => self.threads[thread.index()].end = Some(event),
            Op::AtomicBegin => self.threads[thread.index()].region = Some(event),
            Op::AtomicEnd => self.threads[thread.index()].region = None,
            Op::Lock { mutex, result, .. } if result.acquired() => {
                self.locks.acquire(mutex, RwMode::Write, event);
            }
            Op::RwLock { lock, mode, result, .. } if result.acquired() => {
                self.locks.acquire(lock, mode, event);
            }
            Op::Unlock { mutex: lock, result: WaitResult::Done }
            | Op::RwUnlock { lock, result: WaitResult::Done, .. } => self.locks.release(lock, thread),
            Op::CondWait { condition, mutex, .. } => {
                self.locks.suspend(mutex, thread);
                self.queues.wait(condition, event, u32::MAX);
            }
            Op::CondWake { condition, mutex, result } => {
                self.queues.end(condition, thread, result);
                self.locks.resume(mutex, event);
            }
            Op::Signal { condition, .. } => self.queues.give(condition, event, 1, u32::MAX),
            Op::Broadcast { condition, .. } => self.queues.give(condition, event, u32::MAX, u32::MAX),
            Op::FutexWait { word, .. }
            | Op::FutexResume { word, .. }
            | Op::FutexWake { word, .. }
            | Op::FutexRequeue { from: word, .. } => match self.recorded.families.get(&word) {
                Some(&family) => self.queues.family(family, event),
                None => self.futex(event),
            },
            Op::SemPost { semaphore } => self.post(semaphore),
            Op::SemWait { semaphore, result: WaitResult::Done, .. } => {
                let units = self.units(semaphore);
                *units = units.saturating_sub(1);
            }
            Op::BarrierArrive { barrier } => {
                let parties = self.parties(barrier);
                self.barriers.arrive(barrier, parties, event);
            }
            Op::BarrierLeave { barrier, .. } => self.barriers.leave(barrier, thread),
            Op::Once { once, step } => self.once(once, step, event),
            _ => {}
        }
    }

    /// An event on a futex word from which nobody is moved.
    fn futex(&mut self, event: Settled) {
        match event.op {
            Op::FutexWait { word, bitset, queued: true, .. } => self.queues.wait(word, event, bitset),
            Op::FutexResume { word, result } => self.queues.end(word, event.thread, result),
            Op::FutexWake { word, limit, bitset, .. } => self.queues.give(word, event, limit, bitset),
            _ => {}
        }
    }

    /// The units of a semaphore: at first those that it was made with.
    fn units(&mut self, semaphore: LocationId) -> &mut u32 {
        let made = self.recorded.kinds.get(&semaphore).and_then(|kinds| kinds.first());
        let initial = match made {
            Some(&SyncKind::Semaphore { initial, .. }) => initial,
            _ => 0,
        };
        self.units.entry(semaphore).or_insert(initial)
    }

    fn post(&mut self, semaphore: LocationId) {
        let made = self.recorded.kinds.get(&semaphore).and_then(|kinds| kinds.first());
        let most = match made {
            Some(&SyncKind::Semaphore { maximum: Some(maximum), .. }) => maximum,
            _ => u32::MAX,
        };
        let units = self.units(semaphore);
        *units = units.saturating_add(1).min(most);
    }

    fn parties(&self, barrier: LocationId) -> usize {
        let made = self.recorded.kinds.get(&barrier).into_iter().flatten().find_map(|kind| match *kind {
            SyncKind::Barrier { parties } => Some(parties as usize),
            _ => None,
        });
        made.unwrap_or(1).max(1)
    }

    fn once(&mut self, once: LocationId, step: OnceStep, event: Settled) {
        match step {
            OnceStep::Run => {
                self.onces.insert(once, Once { run: event, finish: None });
            }
            OnceStep::Finish => {
                if let Some(once) = self.onces.get_mut(&once) {
                    once.finish = Some(event);
                }
            }
            // As if it had not been tried.
            OnceStep::Abandon => {
                self.onces.remove(&once);
            }
            OnceStep::Seen | OnceStep::Pending => {}
        }
    }
}
