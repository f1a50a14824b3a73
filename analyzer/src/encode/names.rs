//! What each constraint is about, so that an unsat core can be read.

use crate::model::{Forest, NodeId};

/// What a constraint is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum About {
    /// An event comes after the one before it, and control came here.
    Thread(NodeId),
    /// Of two ways a wait can end, one.
    Alternatives(NodeId, NodeId),
    /// A read finds what some write left.
    Read(NodeId),
    /// A read finds what this write left; `None` is the initial value.
    ReadFrom(NodeId, Option<NodeId>),
    /// Two holders of a lock.
    Lock(NodeId, NodeId),
    /// What goes on behind an acquisition goes on behind the critical section that was there before it.
    Unseen(NodeId),
    /// A try or timed acquisition that failed.
    FailedLock(NodeId),
    /// A wait on a condition was woken.
    Wake(NodeId),
    /// One signal, one waiter.
    WakeOnce(NodeId, NodeId),
    /// A semaphore's unit.
    Semaphore(NodeId),
    /// One post, one wait.
    UnitOnce(NodeId, NodeId),
    /// A barrier is left.
    Barrier(NodeId),
    /// A once-only initialisation.
    Once(NodeId),
    /// A futex wait was woken.
    Futex(NodeId),
    /// An atomic region is not interrupted.
    Atomic(NodeId, NodeId),
    /// Some event takes a seat that several share.
    Seat(NodeId),
    /// Events of one thread in order.
    Order(NodeId),
    /// The question itself.
    Target(u32),
}

impl About {
    /// The event it is mainly about.
    pub fn node(self) -> Option<NodeId> {
        match self {
            About::Thread(id)
            | About::Alternatives(id, _)
            | About::Read(id)
            | About::ReadFrom(id, _)
            | About::Lock(id, _)
            | About::Unseen(id)
            | About::FailedLock(id)
            | About::Wake(id)
            | About::WakeOnce(id, _)
            | About::Semaphore(id)
            | About::UnitOnce(id, _)
            | About::Barrier(id)
            | About::Once(id)
            | About::Futex(id)
            | About::Atomic(id, _)
            | About::Seat(id)
            | About::Order(id) => Some(id),
            About::Target(_) => None,
        }
    }

    /// The name that scripts and unsat cores use.
    pub fn name(self, forest: &Forest) -> String {
        let n = |id| forest.name(id);
        match self {
            About::Thread(id) => format!("thread {}", n(id)),
            About::Alternatives(a, b) => format!("alternatives {} {}", n(a), n(b)),
            About::Read(id) => format!("read {}", n(id)),
            About::ReadFrom(read, Some(write)) => format!("read {} from {}", n(read), n(write)),
            About::ReadFrom(read, None) => format!("read {} from initial", n(read)),
            About::Lock(a, b) => format!("lock {} {}", n(a), n(b)),
            About::Unseen(id) => format!("unseen {}", n(id)),
            About::FailedLock(id) => format!("failed lock {}", n(id)),
            About::Wake(id) => format!("wake {}", n(id)),
            About::WakeOnce(a, b) => format!("wake once {} {}", n(a), n(b)),
            About::Semaphore(id) => format!("semaphore {}", n(id)),
            About::UnitOnce(a, b) => format!("unit once {} {}", n(a), n(b)),
            About::Barrier(id) => format!("barrier {}", n(id)),
            About::Once(id) => format!("once {}", n(id)),
            About::Futex(id) => format!("futex {}", n(id)),
            About::Atomic(a, b) => format!("atomic {} {}", n(a), n(b)),
            About::Seat(id) => format!("seat {}", n(id)),
            About::Order(id) => format!("order {}", n(id)),
            About::Target(n) => format!("target {n}"),
        }
    }
}
