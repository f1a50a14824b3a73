//! What enumeration finds: everything a program can do.

use std::collections::{BTreeMap, BTreeSet};

use crate::oracle::decision::Decision;
use crate::oracle::program::ThreadNr;

/// A statement of a thread.
pub type Place = (ThreadNr, u32);

/// All that a program can do under one memory model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Truth {
    /// Per thread, every sequence of decisions that some execution prefix has, the empty one included.
    pub histories: Vec<BTreeSet<Vec<Decision>>>,
    /// Assertions that can fail.
    pub failures: BTreeSet<Place>,
    /// Conflicting accesses, at least one a write and one not atomic, that can be next at the same time; the
    /// smaller place first.
    pub races: BTreeSet<(Place, Place)>,
    /// States in which nobody can go on although not all threads ended.
    pub stuck: BTreeSet<Stuck>,
    /// What the threads have decided when all of them have ended: for each its sequence, by a number.
    pub paths: BTreeSet<Vec<u32>>,
    /// The bytes of all storages, one after the other, when all threads have ended.
    pub finals: BTreeSet<Vec<u8>>,
    /// Accesses to storage that was given back before.
    pub uses_after_free: BTreeSet<Place>,
    /// Storage given back that had been given back before.
    pub double_frees: BTreeSet<Place>,
    /// Locks given back, or given up for a wait, by a thread that does not hold them.
    pub misuses: BTreeSet<Place>,
    /// If watched for: atomicity violations.
    pub interruptions: Interruptions,
    /// If watched for: reads that can come before any write to their bytes has taken effect.
    pub early: BTreeSet<Place>,
    /// If watched for: cells, and threads that can write them.
    pub writers: BTreeSet<(usize, ThreadNr)>,
    /// How many states there are.
    pub states: usize,
}

/// Statements of two accesses that belong together and of one that can come between, ascending.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Interruptions {
    /// By what values mention.
    pub possible: BTreeSet<[u32; 3]>,
    /// By what values certainly depend on.
    pub certain: BTreeSet<[u32; 3]>,
    /// By a lock held from the one to the other.
    pub in_sections: BTreeSet<[u32; 3]>,
}

/// A state in which nobody can go on.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stuck {
    /// Threads that wait, and for what.
    pub blocked: BTreeMap<ThreadNr, Waiting>,
    /// Threads stopped by an assumption or an assertion that does not hold.
    pub stopped: BTreeSet<ThreadNr>,
}

/// What a thread waits for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Waiting {
    /// The statement; 0 for a join of the main thread.
    pub statement: u32,
    /// Threads that have what it needs: owners of the lock, readers, the thread to be joined, the one that runs
    /// the initialiser. Empty where anybody could help.
    pub holders: BTreeSet<ThreadNr>,
}

impl Stuck {
    /// Is it the program's own fault? A thread that was stopped could have helped the others, unless some of
    /// them wait for each other in a circle.
    pub fn is_deadlock(&self) -> bool {
        !self.blocked.is_empty() && (self.stopped.is_empty() || !self.circles().is_empty())
    }

    /// Sets of threads that wait for each other in a circle, one thread per step. Each set is minimal: no thread
    /// occurs twice on its circle.
    pub fn circles(&self) -> BTreeSet<BTreeSet<ThreadNr>> {
        let mut found = BTreeSet::new();
        for &start in self.blocked.keys() {
            self.follow(start, &mut vec![start], &mut found);
        }
        found
    }

    fn follow(&self, start: ThreadNr, path: &mut Vec<ThreadNr>, found: &mut BTreeSet<BTreeSet<ThreadNr>>) {
        let Some(waiting) = path.last().and_then(|last| self.blocked.get(last)) else { return };
        for &holder in &waiting.holders {
            if holder == start {
                found.insert(path.iter().copied().collect());
            } else if !path.contains(&holder) {
                path.push(holder);
                self.follow(start, path, found);
                path.pop();
            }
        }
    }

    /// The threads that wait.
    pub fn threads(&self) -> BTreeSet<ThreadNr> {
        self.blocked.keys().copied().collect()
    }
}

impl Truth {
    /// Can the program deadlock?
    pub fn deadlocks(&self) -> bool {
        self.stuck.iter().any(Stuck::is_deadlock)
    }
}
