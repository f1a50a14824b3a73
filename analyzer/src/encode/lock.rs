//! **Mutex** and read/write lock. Each acquisition `a` has its releases `U(a)`: the first matching unlock on
//! every path below it. Of two acquisitions in different threads, one is released before the other begins;
//! two readers are free. Recursive: outermost only. A try or timed acquisition that failed needs some holder.
//!
//! A wait on a condition releases its mutex, and its end acquires it again.

use std::collections::HashMap;

use warpath_solvers::term::{TermError, TermId};
use warpath_trace::event::{MutexKind, Op, RwMode, SyncKind, WaitResult};
use warpath_trace::ids::LocationId;

use super::object_tree::ObjectTrees;
use super::{About, Encoding};
use crate::model::{Forest, NodeId};

/// A lock being held.
#[derive(Clone, Debug)]
pub(crate) struct Acquisition {
    /// The event that acquires it.
    pub(crate) node: NodeId,
    /// Alone, or with other readers.
    pub(crate) mode: RwMode,
    /// `U(a)`.
    pub(crate) releases: Vec<NodeId>,
}

/// All that happens to one lock.
#[derive(Clone, Debug, Default)]
pub(crate) struct Holdings {
    /// Outermost acquisitions.
    pub(crate) acquisitions: Vec<Acquisition>,
    /// Attempts that failed, what they wanted, and whether their own thread held the lock.
    pub(crate) failures: Vec<(NodeId, RwMode, bool)>,
    /// What cannot happen: acquisitions that wait for their own thread, for ever, and the like.
    pub(crate) never: Vec<NodeId>,
}

/// What an event does to a lock.
enum Step {
    Acquire(RwMode),
    Again,
    Release,
    Suspend,
    Fail(RwMode),
    Other,
}

fn step(op: &Op, lock: LocationId) -> Step {
    match *op {
        Op::Lock { mutex, result, .. } if mutex == lock => match result {
            WaitResult::Done | WaitResult::OwnerDied => Step::Acquire(RwMode::Write),
            WaitResult::Busy | WaitResult::TimedOut => Step::Fail(RwMode::Write),
            _ => Step::Other,
        },
        Op::Unlock { mutex, result: WaitResult::Done } if mutex == lock => Step::Release,
        Op::RwLock { lock: object, mode, result, .. } if object == lock => match result {
            WaitResult::Done | WaitResult::OwnerDied => Step::Acquire(mode),
            WaitResult::Busy | WaitResult::TimedOut => Step::Fail(mode),
            _ => Step::Other,
        },
        Op::RwUnlock { lock: object, result: WaitResult::Done, .. } if object == lock => Step::Release,
        Op::CondWait { mutex, .. } if mutex == lock => Step::Suspend,
        Op::CondWake { mutex, .. } if mutex == lock => Step::Again,
        _ => Step::Other,
    }
}

impl Holdings {
    /// Reads them off the events of one lock; `nodes` ascending.
    pub(crate) fn of(forest: &Forest, trees: &ObjectTrees, lock: LocationId, nodes: &[NodeId]) -> Holdings {
        let recursive = is_recursive(forest, lock);
        let mut holdings = Holdings::default();
        // How deep the thread holds it behind each event; negative numbers count what a wait gave up.
        let mut depth: HashMap<NodeId, (u32, u32)> = HashMap::new();
        let mut outermost = Vec::new();
        for &id in nodes {
            let (held, suspended) =
                trees.above(lock, id).and_then(|above| depth.get(&above).copied()).unwrap_or((0, 0));
            let after = match step(&forest.node(id).op, lock) {
                Step::Acquire(mode) if held == 0 => {
                    outermost.push((id, mode));
                    (1, 0)
                }
                Step::Acquire(RwMode::Read) => (held + 1, suspended),
                Step::Acquire(_) if recursive || forest.node(id).observed != u32::MAX => {
                    (held + 1, suspended)
                }
                Step::Acquire(_) => {
                    holdings.never.push(id);
                    (held, suspended)
                }
                Step::Again => {
                    outermost.push((id, RwMode::Write));
                    (suspended.max(1), 0)
                }
                Step::Release => (held.saturating_sub(1), suspended),
                Step::Suspend => (0, held),
                // An error-checking mutex refuses its owner at once.
                Step::Fail(_) if held > 0 && refuses(forest, lock, id) => {
                    holdings.never.push(id);
                    (held, suspended)
                }
                Step::Fail(mode) => {
                    // A recursive mutex never refuses its owner.
                    holdings.failures.push((id, mode, held > 0 && !recursive));
                    (held, suspended)
                }
                Step::Other => (held, suspended),
            };
            depth.insert(id, after);
        }
        for (node, mode) in outermost {
            let released = |id: NodeId| depth.get(&id).is_some_and(|&(held, _)| held == 0);
            let releases = trees.first_below(lock, node, released);
            holdings.acquisitions.push(Acquisition { node, mode, releases });
        }
        holdings
    }
}

/// Did a timed acquisition time out that an error-checking mutex would have refused its owner?
fn refuses(forest: &Forest, lock: LocationId, id: NodeId) -> bool {
    let checks = |kind: &SyncKind| matches!(kind, SyncKind::Mutex { kind: MutexKind::ErrorCheck, .. });
    let timed_out = matches!(forest.node(id).op, Op::Lock { result: WaitResult::TimedOut, .. });
    timed_out && forest.kinds(lock).iter().any(checks)
}

fn is_recursive(forest: &Forest, lock: LocationId) -> bool {
    let recursive = |kind: &SyncKind| matches!(kind, SyncKind::Mutex { kind: MutexKind::Recursive, .. });
    forest.kinds(lock).iter().any(recursive)
}

pub(crate) fn conflict(a: RwMode, b: RwMode) -> bool {
    a == RwMode::Write || b == RwMode::Write
}

impl Encoding<'_> {
    pub(super) fn locks(&mut self, lock: LocationId) -> Result<(), TermError> {
        let holdings = self.holdings(lock);
        if !self.apart(lock, &holdings)? {
            self.exclusions(&holdings)?;
        }
        for (id, mode, own) in &holdings.failures {
            if !own {
                self.failed(*id, *mode, &holdings.acquisitions)?;
            }
        }
        for id in holdings.never {
            let en = self.en(id)?;
            let never = self.terms.not(en)?;
            self.constrain(About::FailedLock(id), never);
        }
        Ok(())
    }

    pub(super) fn holdings(&self, lock: LocationId) -> Holdings {
        Holdings::of(self.forest, &self.object_trees, lock, &self.on(lock))
    }

    /// No two hold the lock at once.
    pub(super) fn exclusions(&mut self, holdings: &Holdings) -> Result<(), TermError> {
        for (n, b) in holdings.acquisitions.iter().enumerate() {
            for a in &holdings.acquisitions[..n] {
                let apart = self.forest.node(a.node).tree != self.forest.node(b.node).tree;
                let settled = self.forest.is_settled(a.node) && self.forest.is_settled(b.node);
                if apart && !settled && conflict(a.mode, b.mode) {
                    self.exclusive(a, b)?;
                }
            }
        }
        Ok(())
    }

    /// `en(a) ∧ en(b) → ∨ u∈U(a): en(u) ∧ o(u) < o(b)` or the other way round.
    fn exclusive(&mut self, a: &Acquisition, b: &Acquisition) -> Result<(), TermError> {
        let mut ways = Vec::new();
        for (first, second) in [(a, b), (b, a)] {
            for &release in &first.releases {
                ways.push(self.done_before(release, second.node)?);
            }
        }
        let way = self.terms.or(&ways)?;
        let both = [self.en(a.node)?, self.en(b.node)?];
        let both = self.terms.and(&both)?;
        self.require(About::Lock(a.node, b.node), both, way)
    }

    /// Somebody holds it: acquired before, and not released before.
    fn failed(&mut self, id: NodeId, mode: RwMode, acquisitions: &[Acquisition]) -> Result<(), TermError> {
        let mut holders = Vec::new();
        for a in acquisitions {
            if self.forest.node(a.node).tree != self.forest.node(id).tree && conflict(a.mode, mode) {
                holders.push(self.holds(a, id)?);
            }
        }
        let held = self.terms.or(&holders)?;
        let en = self.en(id)?;
        self.require(About::FailedLock(id), en, held)
    }

    /// The acquisition is under way when `id` happens.
    pub(crate) fn holds(&mut self, a: &Acquisition, id: NodeId) -> Result<TermId, TermError> {
        let mut parts = vec![self.done_before(a.node, id)?];
        for &release in &a.releases {
            let released = self.done_before(release, id)?;
            parts.push(self.terms.not(released)?);
        }
        self.terms.and(&parts)
    }
}
