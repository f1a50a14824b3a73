//! Which locks were held when, in the observed run.

use std::collections::BTreeMap;

use warpath_trace::event::{Op, RwMode, WaitResult};
use warpath_trace::ids::LocationId;

use crate::encode::conflict;
use crate::model::TreeIx;

/// A lock being held, from the outermost acquisition to the release.
#[derive(Clone, Copy, Debug)]
pub(super) struct Section {
    /// When it was acquired: position in the run.
    pub(super) acquired: u32,
    /// Which step of its thread acquired it.
    pub(super) from: u32,
    /// Which step released it.
    pub(super) until: Option<u32>,
    /// Alone, or with other readers.
    pub(super) mode: RwMode,
}

/// What happened to one lock.
#[derive(Clone, Debug)]
pub(super) struct Lock {
    /// By thread; the sections of one ascend and do not overlap.
    pub(super) threads: Vec<(TreeIx, Vec<Section>)>,
    /// Attempts that failed because another thread held it: when, and what they wanted.
    pub(super) failed: Vec<(u32, RwMode)>,
}

/// What a step does to a lock.
#[derive(Clone, Copy, Debug)]
pub(super) enum Does {
    /// Acquires it, until that step of the thread.
    Enter { mode: RwMode, until: Option<u32> },
    /// Gives it back.
    Leave,
    /// Wants it, and is refused because another thread has it.
    Fail { mode: RwMode },
}

/// What each step does to which lock, by position in the run; `threads` are the steps of each thread.
pub(super) fn deeds(locks: &[Lock], threads: &[Vec<u32>]) -> Vec<(u32, usize, Does)> {
    let mut deeds = Vec::new();
    for (number, lock) in locks.iter().enumerate() {
        for (tree, sections) in &lock.threads {
            for &Section { acquired, until, mode, .. } in sections {
                deeds.push((acquired, number, Does::Enter { mode, until }));
                let release = until.map(|until| threads[tree.index()][until as usize]);
                deeds.extend(release.map(|release| (release, number, Does::Leave)));
            }
        }
        deeds.extend(lock.failed.iter().map(|&(position, mode)| (position, number, Does::Fail { mode })));
    }
    deeds.sort_unstable_by_key(|&(position, lock, _)| (position, lock));
    deeds
}

/// Somebody who holds a lock now.
#[derive(Clone, Copy, Debug)]
struct Holder {
    tree: TreeIx,
    acquired: u32,
    mode: RwMode,
    depth: u32,
}

/// A step of the run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) tree: TreeIx,
    /// Position in the run.
    pub(super) position: u32,
    /// Which step of its thread.
    pub(super) index: u32,
}

/// Follows the locks through a run.
#[derive(Debug, Default)]
pub(super) struct Sections {
    locks: BTreeMap<LocationId, BTreeMap<TreeIx, Vec<Section>>>,
    holders: BTreeMap<LocationId, Vec<Holder>>,
    /// How deep a thread held what it gave up for a wait on a condition.
    suspended: BTreeMap<(LocationId, TreeIx), u32>,
    /// Attempts that failed because another thread held the lock: when, and what they wanted.
    failed: Vec<(LocationId, u32, RwMode)>,
}

impl Sections {
    /// Executes a step. An attempt that failed answers when the lock that was in its way was acquired, if another
    /// thread holds it.
    pub(super) fn step(&mut self, op: &Op, step: Step) -> Option<u32> {
        match *op {
            Op::Lock { mutex, result, .. } => return self.attempt(mutex, RwMode::Write, result, step),
            Op::RwLock { lock, mode, result, .. } => return self.attempt(lock, mode, result, step),
            Op::Unlock { mutex: lock, result: WaitResult::Done }
            | Op::RwUnlock { lock, result: WaitResult::Done, .. } => self.release(lock, step),
            Op::CondWait { mutex, .. } => {
                let holder =
                    self.holder(mutex, step.tree).map(|holder| std::mem::replace(&mut holder.depth, 1));
                if let Some(depth) = holder {
                    self.suspended.insert((mutex, step.tree), depth);
                    self.release(mutex, step);
                }
            }
            Op::CondWake { mutex, .. } => {
                let depth = self.suspended.remove(&(mutex, step.tree)).unwrap_or(1);
                self.acquire(mutex, RwMode::Write, step, depth);
            }
            _ => {}
        }
        None
    }

    /// The locks for which threads may have to wait for each other.
    pub(super) fn contended(self) -> Vec<Lock> {
        let mut locks = Vec::new();
        for (object, threads) in self.locks {
            let mut modes = threads.values().flatten().map(|section| section.mode);
            if threads.len() > 1 && modes.any(|mode| mode == RwMode::Write) {
                let failed = self.failed.iter().filter(|(lock, ..)| *lock == object);
                locks.push(Lock {
                    threads: threads.into_iter().collect(),
                    failed: failed.map(|&(_, position, mode)| (position, mode)).collect(),
                });
            }
        }
        locks
    }

    fn holder(&mut self, lock: LocationId, tree: TreeIx) -> Option<&mut Holder> {
        self.holders.get_mut(&lock)?.iter_mut().find(|holder| holder.tree == tree)
    }

    fn attempt(&mut self, lock: LocationId, mode: RwMode, result: WaitResult, step: Step) -> Option<u32> {
        match (result, self.holder(lock, step.tree)) {
            (WaitResult::Done | WaitResult::OwnerDied, Some(own)) => own.depth += 1,
            (WaitResult::Done | WaitResult::OwnerDied, None) => self.acquire(lock, mode, step, 1),
            (WaitResult::Busy | WaitResult::TimedOut, None) => {
                // Who is refused takes part in the lock's story without a section.
                self.locks.entry(lock).or_default().entry(step.tree).or_default();
                let holders = self.holders.get(&lock)?;
                let in_the_way = holders.iter().find(|holder| conflict(holder.mode, mode))?;
                self.failed.push((lock, step.position, mode));
                return Some(in_the_way.acquired);
            }
            _ => {}
        }
        None
    }

    fn acquire(&mut self, lock: LocationId, mode: RwMode, step: Step, depth: u32) {
        let Step { tree, position: acquired, index: from } = step;
        self.holders.entry(lock).or_default().push(Holder { tree, acquired, mode, depth });
        let sections = self.locks.entry(lock).or_default().entry(tree).or_default();
        sections.push(Section { acquired, from, until: None, mode });
    }

    fn release(&mut self, lock: LocationId, step: Step) {
        let Some(holder) = self.holder(lock, step.tree) else { return };
        holder.depth -= 1;
        if holder.depth > 0 {
            return;
        }
        self.holders.entry(lock).or_default().retain(|holder| holder.tree != step.tree);
        let sections = self.locks.get_mut(&lock).and_then(|threads| threads.get_mut(&step.tree));
        if let Some(section) = sections.and_then(|sections| sections.last_mut()) {
            section.until = Some(step.index);
        }
    }
}
