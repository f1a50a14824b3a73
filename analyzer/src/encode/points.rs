//! Points in time: an event is issued, a write takes effect.

use warpath_trace::event::{MemoryOrder, Op};
use warpath_trace::header::MemoryModel;

use crate::model::NodeId;

/// Something that happens at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Point {
    /// The event itself.
    Issue(NodeId),
    /// A write leaves its thread's store buffer. Only under TSO and PSO, and only for writes that are buffered.
    Commit(NodeId),
}

impl Point {
    /// The event it belongs to.
    pub fn node(self) -> NodeId {
        match self {
            Point::Issue(node) | Point::Commit(node) => node,
        }
    }
}

/// Is the write held in a store buffer, so that it takes effect later than it is issued?
pub(crate) fn is_buffered(model: MemoryModel, op: &Op) -> bool {
    model != MemoryModel::Sc
        && match op {
            Op::Write { .. } => true,
            Op::AtomicWrite { order, .. } => *order != MemoryOrder::SeqCst,
            _ => false,
        }
}

/// Must the thread's store buffer be empty for this to happen?
///
/// Everything that synchronises or leaves the thread drains it; loads, stores and lighter fences do not.
pub(crate) fn drains(op: &Op) -> bool {
    match op {
        Op::Read { .. }
        | Op::Write { .. }
        | Op::AtomicRead { .. }
        | Op::Commit { .. }
        | Op::Begin
        | Op::Await { .. }
        | Op::Branch { .. }
        | Op::Switch { .. }
        | Op::Concretise { .. }
        | Op::Assume { .. }
        | Op::Assert { .. }
        | Op::Input { .. }
        | Op::Alloc { .. }
        | Op::Free { .. }
        | Op::Failure { .. } => false,
        Op::AtomicWrite { order, .. } | Op::Fence { order } => *order == MemoryOrder::SeqCst,
        Op::Rmw { .. }
        | Op::End
        | Op::Fork { .. }
        | Op::Join { .. }
        | Op::Detach { .. }
        | Op::SyncInit { .. }
        | Op::SyncDestroy { .. }
        | Op::Lock { .. }
        | Op::Unlock { .. }
        | Op::RwLock { .. }
        | Op::RwUnlock { .. }
        | Op::CondWait { .. }
        | Op::CondWake { .. }
        | Op::Signal { .. }
        | Op::Broadcast { .. }
        | Op::SemWait { .. }
        | Op::SemPost { .. }
        | Op::SemValue { .. }
        | Op::BarrierArrive { .. }
        | Op::BarrierLeave { .. }
        | Op::Once { .. }
        | Op::FutexWait { .. }
        | Op::FutexResume { .. }
        | Op::FutexWake { .. }
        | Op::FutexRequeue { .. }
        | Op::AtomicBegin
        | Op::AtomicEnd
        | Op::Output { .. } => true,
    }
}

/// Under PSO: do all earlier stores of the thread take effect before this one does?
pub(crate) fn is_release(op: &Op) -> bool {
    matches!(op, Op::AtomicWrite { order: MemoryOrder::Release | MemoryOrder::AcqRel, .. })
}

/// Under PSO: do stores before it take effect before stores after it?
pub(crate) fn separates_stores(op: &Op) -> bool {
    matches!(op, Op::Fence { order: MemoryOrder::Release | MemoryOrder::AcqRel })
}
