//! One word for what an event does: what text forms and schedules call it.

use super::{OnceStep, Op, RwMode, WaitResult};

/// What an event does, without its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "each is the operation of the same name")]
pub enum Verb {
    Read,
    Write,
    Rmw,
    Fence,
    Commit,
    Begin,
    End,
    Fork,
    Join,
    Detach,
    Init,
    Destroy,
    Lock,
    Unlock,
    RdLock,
    WrLock,
    RdUnlock,
    WrUnlock,
    CondWait,
    CondWake,
    Signal,
    Broadcast,
    SemWait,
    SemPost,
    SemValue,
    BarrierArrive,
    BarrierLeave,
    Once,
    FutexWait,
    FutexResume,
    FutexWake,
    FutexRequeue,
    AtomicBegin,
    AtomicEnd,
    Await,
    Branch,
    Switch,
    Concretise,
    Assume,
    Assert,
    Input,
    Alloc,
    Free,
    Output,
    Fail,
}

impl Verb {
    /// The word for it in text forms and schedules.
    pub fn name(self) -> &'static str {
        crate::text::words::Word::word(self)
    }

    /// The verb that takes a read/write lock in this mode.
    pub fn rw_lock(mode: RwMode) -> Verb {
        match mode {
            RwMode::Read => Verb::RdLock,
            RwMode::Write => Verb::WrLock,
        }
    }

    /// The verb that gives back a read/write lock held in this mode.
    pub fn rw_unlock(mode: RwMode) -> Verb {
        match mode {
            RwMode::Read => Verb::RdUnlock,
            RwMode::Write => Verb::WrUnlock,
        }
    }

    /// Is it something that other threads can notice, so that a schedule has to place it?
    pub fn is_visible(self) -> bool {
        match self {
            Verb::Branch
            | Verb::Switch
            | Verb::Concretise
            | Verb::Assume
            | Verb::Assert
            | Verb::Input
            | Verb::Alloc
            | Verb::Await
            | Verb::Fail => false,
            Verb::Read
            | Verb::Write
            | Verb::Rmw
            | Verb::Fence
            | Verb::Commit
            | Verb::Begin
            | Verb::End
            | Verb::Fork
            | Verb::Join
            | Verb::Detach
            | Verb::Init
            | Verb::Destroy
            | Verb::Lock
            | Verb::Unlock
            | Verb::RdLock
            | Verb::WrLock
            | Verb::RdUnlock
            | Verb::WrUnlock
            | Verb::CondWait
            | Verb::CondWake
            | Verb::Signal
            | Verb::Broadcast
            | Verb::SemWait
            | Verb::SemPost
            | Verb::SemValue
            | Verb::BarrierArrive
            | Verb::BarrierLeave
            | Verb::Once
            | Verb::FutexWait
            | Verb::FutexResume
            | Verb::FutexWake
            | Verb::FutexRequeue
            | Verb::AtomicBegin
            | Verb::AtomicEnd
            | Verb::Free
            | Verb::Output => true,
        }
    }
}

impl Op {
    /// What this event does, in one word.
    pub fn verb(&self) -> Verb {
        match *self {
            Op::Read { .. } | Op::AtomicRead { .. } => Verb::Read,
            Op::Write { .. } | Op::AtomicWrite { .. } => Verb::Write,
            Op::Rmw { .. } => Verb::Rmw,
            Op::Fence { .. } => Verb::Fence,
            Op::Commit { .. } => Verb::Commit,
            Op::Begin => Verb::Begin,
            Op::End => Verb::End,
            Op::Fork { .. } => Verb::Fork,
            Op::Join { .. } => Verb::Join,
            Op::Detach { .. } => Verb::Detach,
            Op::SyncInit { .. } => Verb::Init,
            Op::SyncDestroy { .. } => Verb::Destroy,
            Op::Lock { .. } => Verb::Lock,
            Op::Unlock { .. } => Verb::Unlock,
            Op::RwLock { mode, .. } => Verb::rw_lock(mode),
            Op::RwUnlock { mode, .. } => Verb::rw_unlock(mode),
            Op::CondWait { .. } => Verb::CondWait,
            Op::CondWake { .. } => Verb::CondWake,
            Op::Signal { .. } => Verb::Signal,
            Op::Broadcast { .. } => Verb::Broadcast,
            Op::SemWait { .. } => Verb::SemWait,
            Op::SemPost { .. } => Verb::SemPost,
            Op::SemValue { .. } => Verb::SemValue,
            Op::BarrierArrive { .. } => Verb::BarrierArrive,
            Op::BarrierLeave { .. } => Verb::BarrierLeave,
            Op::Once { .. } => Verb::Once,
            Op::FutexWait { .. } => Verb::FutexWait,
            Op::FutexResume { .. } => Verb::FutexResume,
            Op::FutexWake { .. } => Verb::FutexWake,
            Op::FutexRequeue { .. } => Verb::FutexRequeue,
            Op::AtomicBegin => Verb::AtomicBegin,
            Op::AtomicEnd => Verb::AtomicEnd,
            Op::Await { .. } => Verb::Await,
            Op::Branch { .. } => Verb::Branch,
            Op::Switch { .. } => Verb::Switch,
            Op::Concretise { .. } => Verb::Concretise,
            Op::Assume { .. } => Verb::Assume,
            Op::Assert { .. } => Verb::Assert,
            Op::Input { .. } => Verb::Input,
            Op::Alloc { .. } => Verb::Alloc,
            Op::Free { .. } => Verb::Free,
            Op::Output { .. } => Verb::Output,
            Op::Failure { .. } => Verb::Fail,
        }
    }

    /// Is it something that other threads can notice, so that a schedule has to place it?
    pub fn is_visible(&self) -> bool {
        self.verb().is_visible()
    }

    /// Is it a wait that was not over when the trace ended?
    pub fn is_pending(&self) -> bool {
        match *self {
            Op::Join { result, .. }
            | Op::Lock { result, .. }
            | Op::RwLock { result, .. }
            | Op::CondWake { result, .. }
            | Op::SemWait { result, .. }
            | Op::BarrierLeave { result, .. }
            | Op::FutexResume { result, .. } => result == WaitResult::Pending,
            Op::Once { step, .. } => step == OnceStep::Pending,
            _ => false,
        }
    }
}
