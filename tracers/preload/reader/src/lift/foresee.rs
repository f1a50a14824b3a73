//! What is known of a record only from later ones: who a signal woke, how many units a semaphore had at first.

use rustc_hash::FxHashMap;

use warpath_light_format::Kind;
use warpath_light_format::kind::{object, outcome};

use crate::merge::Merge;
use crate::thread::Record;

/// What came of signals, waits and semaphores, each in the order of the merged records.
#[derive(Debug, Default)]
pub(super) struct Foreseen {
    /// How many each signal and broadcast of a condition woke.
    woken: FxHashMap<u64, Vec<u32>>,
    /// Whether each wake-up of a condition has a signal for it.
    called: FxHashMap<u64, Vec<bool>>,
    /// Units that a semaphore must have had before anything that was recorded.
    units: FxHashMap<u64, u32>,
    /// What each thread must have held at its first record: objects that it releases without having taken them.
    held: Vec<Vec<(u64, Kind)>>,
}

/// A condition variable on the way.
#[derive(Default)]
struct Condition {
    /// Threads that wait, and the number of signals before their wait.
    waiting: FxHashMap<usize, usize>,
    broadcasts: Vec<bool>,
}

impl Foreseen {
    /// Goes over the merged records once. `also` is called with each of them.
    pub(super) fn of(mut merge: Merge<'_>, mut also: impl FnMut(usize, &Record<'_>)) -> Foreseen {
        let mut foreseen = Foreseen::default();
        let mut conditions: FxHashMap<u64, Condition> = FxHashMap::default();
        let mut counts: FxHashMap<u64, i64> = FxHashMap::default();
        let mut holds: FxHashMap<(usize, u64), u32> = FxHashMap::default();
        while let Some((thread, record)) = merge.pop(None) {
            also(thread, &record);
            if foreseen.held.len() <= thread {
                foreseen.held.resize_with(thread + 1, Vec::new);
            }
            let at = record.word(2);
            let done = matches!(record.a % 16, outcome::DONE | outcome::OWNER_DIED);
            match record.kind {
                Kind::Lock | Kind::RdLock | Kind::WrLock if done => {
                    *holds.entry((thread, at)).or_default() += 1
                }
                Kind::Unlock | Kind::RwUnlock if done => {
                    foreseen.release(&mut holds, thread, at, taking(record.kind, record.b));
                }
                Kind::CondWait => {
                    let condition = conditions.entry(at).or_default();
                    condition.waiting.insert(thread, condition.broadcasts.len());
                    foreseen.release(&mut holds, thread, record.word(4), Kind::Lock);
                }
                Kind::CondWake => {
                    *holds.entry((thread, record.word(4))).or_default() += 1;
                    let condition = conditions.entry(at).or_default();
                    let called = foreseen.wake(condition, at, thread, done);
                    foreseen.called.entry(at).or_default().push(called);
                }
                Kind::Signal | Kind::Broadcast => {
                    conditions.entry(at).or_default().broadcasts.push(record.kind == Kind::Broadcast);
                    foreseen.woken.entry(at).or_default().push(0);
                }
                Kind::Init if record.a == object::SEMAPHORE => {
                    counts.insert(at, i64::from(record.b));
                }
                Kind::SemPost => *counts.entry(at).or_default() += 1,
                Kind::SemWait if done => {
                    let count = counts.entry(at).or_default();
                    *count -= 1;
                    if *count < 0 {
                        *foreseen.units.entry(at).or_default() += 1;
                        *count = 0;
                    }
                }
                _ => {}
            }
        }
        foreseen
    }

    fn release(&mut self, holds: &mut FxHashMap<(usize, u64), u32>, thread: usize, object: u64, taken: Kind) {
        let held = holds.entry((thread, object)).or_default();
        if *held > 0 {
            *held -= 1;
        } else {
            self.held[thread].push((object, taken));
        }
    }

    /// A wake-up: by the first broadcast since the wait began, or by the first signal since then that woke nobody else.
    fn wake(&mut self, condition: &mut Condition, at: u64, thread: usize, done: bool) -> bool {
        let Some(since) = condition.waiting.remove(&thread) else { return done };
        let woken = self.woken.entry(at).or_default();
        let by = (since..condition.broadcasts.len()).find(|n| condition.broadcasts[*n] || woken[*n] == 0);
        match by.filter(|_| done) {
            Some(by) => {
                woken[by] += 1;
                true
            }
            None => false,
        }
    }

    /// How many the n-th signal or broadcast of a condition woke.
    pub(super) fn woken(&self, condition: u64, nth: usize) -> u32 {
        self.woken.get(&condition).and_then(|woken| woken.get(nth)).copied().unwrap_or(0)
    }

    /// Whether the n-th wake-up of a condition has a signal for it.
    pub(super) fn called(&self, condition: u64, nth: usize) -> bool {
        self.called.get(&condition).and_then(|called| called.get(nth)).copied().unwrap_or(false)
    }

    /// Units that the semaphore had at first.
    pub(super) fn units(&self, semaphore: u64) -> u32 {
        self.units.get(&semaphore).copied().unwrap_or(0)
    }

    /// What the thread held at its first record, and how it must have taken it.
    pub(super) fn held(&self, thread: usize) -> &[(u64, Kind)] {
        self.held.get(thread).map_or(&[], Vec::as_slice)
    }
}

/// How that was taken which is released like this.
fn taking(release: Kind, writer: u32) -> Kind {
    match (release, writer) {
        (Kind::RwUnlock, 0) => Kind::RdLock,
        (Kind::RwUnlock, _) => Kind::WrLock,
        _ => Kind::Lock,
    }
}
