//! Which events can come in either order so that it makes a difference.
//!
//! Accesses to a common cell of which one writes; what is done to a synchronisation object. Acquisitions of a lock are
//! told apart only where that can matter by itself: in a deadlock, and for a lock that somebody only tries to get. In
//! other failures the order of two critical sections shows in what is accessed within them. Cells that the failure does
//! not depend on, by no decision and no value, are left out: no order of accesses to them can prevent it.

use std::collections::BTreeSet;

use warpath_trace::event::{Attempt, FailureKind, OnceStep, Op, RwMode, WaitResult};
use warpath_trace::ids::{LocationId, ObjectId};

use super::failure::Failure;
use super::freed::is_late;
use crate::encode::{conflict, reads_behind, sync_objects};
use crate::model::{CellId, Forest, NodeId};

/// What an event does that others can notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Act {
    /// Accesses storage.
    Access { location: LocationId, writes: bool },
    /// Gets a lock.
    Acquire { object: LocationId, mode: RwMode },
    /// Gives a lock back.
    Release { object: LocationId },
    /// Fails to get something that others have.
    Miss { object: LocationId },
    /// Begins to wait to be woken.
    Wait { object: LocationId },
    /// Wakes.
    Wake { object: LocationId },
    /// Takes a unit.
    Take { object: LocationId },
    /// Gives a unit.
    Give { object: LocationId },
    /// Looks how many units there are.
    Count { object: LocationId },
    /// Runs or skips what runs only once.
    Once { object: LocationId },
    /// Arrives where others are waited for.
    Arrive { object: LocationId },
    /// Gives storage back.
    Free { object: ObjectId },
}

/// Everything that an event does that others can notice.
pub(super) fn acts(op: &Op) -> Vec<Act> {
    let mut acts = Vec::new();
    let read = op.read_location();
    let written = op.written().map(|(location, _)| location);
    if let Some(location) = written.or(read) {
        acts.push(Act::Access { location, writes: written.is_some() });
    }
    let acquire = |object, mode, result: WaitResult| match result.acquired() {
        true => Act::Acquire { object, mode },
        false => Act::Miss { object },
    };
    if let Op::CondWait { mutex, .. } = *op {
        acts.push(Act::Release { object: mutex });
    }
    acts.extend(match *op {
        Op::Lock { mutex, result, .. } => Some(acquire(mutex, RwMode::Write, result)),
        Op::RwLock { lock, mode, result, .. } => Some(acquire(lock, mode, result)),
        Op::Unlock { mutex: object, result: WaitResult::Done }
        | Op::RwUnlock { lock: object, result: WaitResult::Done, .. } => Some(Act::Release { object }),
        Op::CondWait { condition, .. } => Some(Act::Wait { object: condition }),
        Op::CondWake { mutex, .. } => Some(Act::Acquire { object: mutex, mode: RwMode::Write }),
        Op::Signal { condition, .. } | Op::Broadcast { condition, .. } => {
            Some(Act::Wake { object: condition })
        }
        Op::SemWait { semaphore, result, .. } => Some(match result {
            WaitResult::Done => Act::Take { object: semaphore },
            _ => Act::Miss { object: semaphore },
        }),
        Op::SemPost { semaphore } => Some(Act::Give { object: semaphore }),
        Op::SemValue { semaphore, .. } => Some(Act::Count { object: semaphore }),
        Op::BarrierArrive { barrier } => Some(Act::Arrive { object: barrier }),
        Op::Once { once, step: OnceStep::Run | OnceStep::Seen } => Some(Act::Once { object: once }),
        Op::FutexWait { word, .. } => Some(Act::Wait { object: word }),
        Op::FutexWake { word, .. } => Some(Act::Wake { object: word }),
        Op::FutexRequeue { from, .. } => Some(Act::Wake { object: from }),
        Op::Free { object } => Some(Act::Free { object }),
        _ => None,
    });
    acts
}

/// Tells which events conflict.
#[derive(Debug)]
pub(super) struct Conflicts<'f> {
    forest: &'f Forest,
    /// Locks and semaphores that somebody only tries to get.
    tried: BTreeSet<LocationId>,
    /// Does the order of acquisitions matter by itself?
    locks: bool,
    /// Does it matter when storage is given back?
    frees: bool,
    /// The cells that the failure depends on; `None`: all.
    cells: Option<BTreeSet<CellId>>,
}

impl<'f> Conflicts<'f> {
    /// For this failure.
    pub(super) fn of(forest: &'f Forest, failure: &Failure) -> Conflicts<'f> {
        use FailureKind::{Deadlock, DoubleFree, InvalidFree, Livelock, Segfault, UseAfterFree};
        let kind = failure.kind;
        let nodes = failure.nodes(forest);
        // Who is stuck, or comes too late, need not have decided anything.
        let by_decisions = !nodes.is_empty() && !failure.is_stuck() && !is_late(kind);
        let cells = by_decisions.then(|| {
            let reads = reads_behind(forest, &nodes).into_iter();
            let locations = reads.filter_map(|read| forest.node(read).op.read_location());
            locations.flat_map(|location| forest.cells().row(location).to_vec()).collect()
        });
        let tries = |op: &Op| match op {
            Op::Lock { attempt, .. } | Op::RwLock { attempt, .. } | Op::SemWait { attempt, .. } => {
                *attempt != Attempt::Block
            }
            Op::SemValue { .. } => true,
            _ => false,
        };
        let tried = forest.nodes().iter().filter(|node| tries(&node.op));
        Conflicts {
            forest,
            tried: tried.flat_map(|node| sync_objects(&node.op).collect::<Vec<_>>()).collect(),
            locks: matches!(kind, Deadlock | Livelock),
            frees: matches!(kind, UseAfterFree | DoubleFree | InvalidFree | Segfault),
            cells,
        }
    }

    /// Can the order of the two make a difference?
    pub(super) fn between(&self, a: NodeId, b: NodeId) -> bool {
        let (a, b) = (acts(&self.forest.node(a).op), acts(&self.forest.node(b).op));
        a.iter().any(|&a| b.iter().any(|&b| self.matters(a, b) || self.matters(b, a)))
    }

    fn matters(&self, a: Act, b: Act) -> bool {
        use Act::{Access, Acquire, Arrive, Count, Free, Give, Miss, Once, Release, Take, Wait, Wake};
        let apart = |object: &LocationId| self.locks || self.tried.contains(object);
        match (a, b) {
            (Access { location: a, writes }, Access { location: b, writes: also }) => {
                let cells = self.forest.cells();
                let matters = |cell| self.cells.as_ref().is_none_or(|cells| cells.contains(cell));
                let common = |cell| matters(cell) && cells.row(b).contains(cell);
                (writes || also) && cells.row(a).iter().any(common)
            }
            (Acquire { object: a, mode }, Acquire { object: b, mode: other }) => {
                a == b && apart(&a) && conflict(mode, other)
            }
            (Miss { object: a }, Acquire { object: b, .. } | Release { object: b })
            | (Miss { object: a } | Count { object: a }, Take { object: b } | Give { object: b })
            | (Wait { object: a }, Wake { object: b })
            | (Take { object: a }, Take { object: b })
            | (Once { object: a }, Once { object: b }) => a == b,
            (Arrive { object: a }, Arrive { object: b }) => a == b && self.locks,
            (Take { object: a }, Give { object: b }) => a == b && apart(&a),
            (Free { object: a }, Free { object: b }) => a == b && self.frees,
            (Free { object: a }, Access { location, .. }) => {
                self.frees && self.forest.places.location(location).object == a
            }
            (
                Free { object: a },
                Acquire { object: location, .. }
                | Release { object: location }
                | Wait { object: location }
                | Wake { object: location }
                | Take { object: location }
                | Give { object: location },
            ) => self.frees && self.forest.places.location(location).object == a,
            _ => false,
        }
    }
}
