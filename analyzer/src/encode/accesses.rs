//! Who reads, writes and synchronises on what: an index over the nodes that take part.

use std::collections::BTreeMap;

use warpath_trace::event::Op;
use warpath_trace::ids::LocationId;

use crate::model::{CellId, Cells, Forest, NodeId};

/// Nodes by what they touch, each list ascending.
#[derive(Clone, Debug, Default)]
pub(crate) struct Accesses {
    pub(crate) reads: BTreeMap<CellId, Vec<NodeId>>,
    pub(crate) writes: BTreeMap<CellId, Vec<NodeId>>,
    pub(crate) sync: BTreeMap<LocationId, Vec<NodeId>>,
}

impl Accesses {
    pub(crate) fn of(forest: &Forest, cells: &Cells, takes_part: impl Fn(NodeId) -> bool) -> Self {
        let mut accesses = Accesses::default();
        for id in forest.ids().filter(|&id| takes_part(id)) {
            let op = &forest.node(id).op;
            for &cell in op.read_location().map_or(&[][..], |location| cells.row(location)) {
                accesses.reads.entry(cell).or_default().push(id);
            }
            for &cell in op.written().map_or(&[][..], |(location, _)| cells.row(location)) {
                accesses.writes.entry(cell).or_default().push(id);
            }
            for location in sync_objects(op) {
                accesses.sync.entry(location).or_default().push(id);
            }
        }
        accesses
    }

    pub(crate) fn writes(&self, cell: CellId) -> &[NodeId] {
        self.writes.get(&cell).map_or(&[], |nodes| &nodes[..])
    }

    pub(crate) fn sync(&self, object: LocationId) -> &[NodeId] {
        self.sync.get(&object).map_or(&[], |nodes| &nodes[..])
    }
}

/// The synchronisation objects that an event works on: a wait on a condition also works on its mutex.
pub(crate) fn sync_objects(op: &Op) -> impl Iterator<Item = LocationId> {
    let objects = match *op {
        Op::Lock { mutex, .. } | Op::Unlock { mutex, .. } => [Some(mutex), None],
        Op::RwLock { lock, .. } | Op::RwUnlock { lock, .. } => [Some(lock), None],
        Op::CondWait { condition, mutex, .. } | Op::CondWake { condition, mutex, .. } => {
            [Some(condition), Some(mutex)]
        }
        Op::Signal { condition, .. } | Op::Broadcast { condition, .. } => [Some(condition), None],
        Op::SemWait { semaphore, .. } | Op::SemPost { semaphore } | Op::SemValue { semaphore, .. } => {
            [Some(semaphore), None]
        }
        Op::BarrierArrive { barrier } | Op::BarrierLeave { barrier, .. } => [Some(barrier), None],
        Op::Once { once, .. } => [Some(once), None],
        Op::FutexWait { word, .. } | Op::FutexResume { word, .. } | Op::FutexWake { word, .. } => {
            [Some(word), None]
        }
        Op::FutexRequeue { from, to, .. } => [Some(from), Some(to)],
        _ => [None, None],
    };
    objects.into_iter().flatten()
}
