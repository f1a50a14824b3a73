//! What a thread is about to do: its next visible step.

use super::spin::Seen;
use super::sync::bytes;
use warpath_trace::event::{Attempt, MemoryOrder, MutexKind, RwMode, SyncKind, Verb};

/// A visible step that has not happened yet.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Action {
    /// The thread starts.
    Begin,
    /// The thread ends.
    End,
    /// The thread ends the whole program, with this status.
    Exit(i32),
    /// An access to shared memory by the instruction at `rip`.
    Access(Access),
    /// A fence.
    Fence(MemoryOrder),
    /// Another thread is to be started, by this system call.
    Fork(Fork),
    /// A modelled function.
    Sync(Sync),
    /// Bytes go out.
    Output {
        /// Where to.
        fd: i32,
        /// What.
        bytes: Vec<u8>,
    },
    /// Storage is given back.
    Free {
        /// Its address.
        address: u64,
    },
    /// An input goes to shared memory, by the modelled function at whose entry the thread stands.
    Take(Take),
    /// A new key of thread-specific data goes to shared memory, by the function at whose entry the thread stands.
    GiveKey {
        /// Where it goes.
        into: u64,
        /// What it is.
        key: u32,
    },
    /// A futex call.
    Futex(Futex),
    /// A futex wait that was queued.
    FutexResume(FutexWait),
    /// A system call that cannot be made yet because it would block; not an event.
    Blocked(Wait),
}

/// An input that is taken.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Take {
    /// Its name.
    pub name: String,
    /// Where it goes.
    pub address: u64,
    /// How many bytes.
    pub size: u64,
}

impl Take {
    /// Bytes that one input of it has: all of them if there is such a width.
    pub(crate) fn step(&self) -> u8 {
        if matches!(self.size, 1 | 2 | 4 | 8 | 16) { self.size as u8 } else { 1 }
    }
}

/// What a system call waits for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Wait {
    /// A descriptor to become ready (`events` as for `poll`).
    Descriptor {
        /// The descriptor.
        fd: i32,
        /// What for.
        events: i16,
    },
    /// Any of several descriptors or a child: tried again from time to time until the deadline (virtual time).
    Retry {
        /// When to give up.
        deadline: Option<u64>,
    },
    /// A word of the C library's own.
    Futex(FutexWait),
    /// A signal, which nobody sends.
    Signal,
    /// Its next turn: it has computed for long, and others may have something to say.
    Turn,
    /// One of these values of shared memory to change.
    Change(Vec<Seen>),
}

/// An access by an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Access {
    pub address: u64,
    pub size: u32,
    pub kind: AccessKind,
}

/// What an access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AccessKind {
    Read,
    Write,
    /// Both, with nothing between.
    Update,
}

/// A thread to be started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fork {
    pub flags: u64,
    pub stack: u64,
    pub stack_size: u64,
    pub parent_tid: u64,
    pub child_tid: u64,
    pub tls: u64,
}

/// A futex call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Futex {
    Wait(FutexWait),
    Wake { word: u64, limit: u32, bitset: u32 },
    Requeue { from: u64, to: u64, wake_limit: u32, move_limit: u32, expected: Option<u32> },
}

/// A futex wait.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FutexWait {
    pub word: u64,
    pub expected: u32,
    pub bitset: u32,
    /// Virtual time at which it gives up.
    pub deadline: Option<u64>,
    /// Was it woken?
    pub woken: bool,
}

/// A step of a modelled synchronisation function. Addresses name the objects.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is the operation of the same name in the trace")]
pub(crate) enum Sync {
    Init {
        object: u64,
        kind: SyncKind,
    },
    Destroy {
        object: u64,
    },
    Lock {
        mutex: u64,
        attempt: Attempt,
        deadline: Option<u64>,
        api: Api,
    },
    Unlock {
        mutex: u64,
        api: Api,
    },
    RwLock {
        lock: u64,
        mode: RwMode,
        attempt: Attempt,
        deadline: Option<u64>,
    },
    RwUnlock {
        lock: u64,
    },
    CondWait {
        condition: u64,
        mutex: u64,
        deadline: Option<u64>,
        api: Api,
    },
    CondWake {
        condition: u64,
        mutex: u64,
        deadline: Option<u64>,
        signalled: bool,
        api: Api,
    },
    Signal {
        condition: u64,
    },
    Broadcast {
        condition: u64,
    },
    SemWait {
        semaphore: u64,
        attempt: Attempt,
        deadline: Option<u64>,
    },
    SemPost {
        semaphore: u64,
    },
    SemValue {
        semaphore: u64,
        into: u64,
    },
    BarrierArrive {
        barrier: u64,
    },
    BarrierLeave {
        barrier: u64,
        round: u64,
        serial: bool,
    },
    OnceEnter {
        once: u64,
        routine: u64,
        api: Api,
    },
    OnceFinish {
        once: u64,
    },
    Join {
        thread: u64,
        attempt: Attempt,
        deadline: Option<u64>,
    },
    Detach {
        thread: u64,
    },
    /// With `call`, for the whole call of the function at whose entry the thread stands.
    AtomicBegin {
        call: bool,
    },
    AtomicEnd {
        call: bool,
    },
}

/// Which family a function belongs to: they report errors differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Api {
    /// POSIX: 0 or an error number.
    Posix,
    /// POSIX spin locks: 0 or an error number, and no owner.
    Spin,
    /// C11: `thrd_success` and its like.
    C11,
}

impl Api {
    /// Bytes of its mutexes.
    pub(crate) fn mutex_bytes(self) -> u32 {
        if self == Api::Spin { bytes::SPIN_LOCK } else { bytes::MUTEX }
    }
}

/// The type of a mutex whose initialiser was static.
pub(crate) fn mutex_kind(word: u32) -> (MutexKind, bool) {
    let kind = match word & 3 {
        1 => MutexKind::Recursive,
        2 => MutexKind::ErrorCheck,
        _ => MutexKind::Normal,
    };
    (kind, word & 16 != 0)
}

impl Action {
    /// What the trace calls it; `None` for what is not an event.
    pub(crate) fn verb(&self) -> Option<Verb> {
        Some(match self {
            Action::Begin => Verb::Begin,
            Action::End | Action::Exit(_) => Verb::End,
            Action::Access(access) => match access.kind {
                AccessKind::Read => Verb::Read,
                AccessKind::Write => Verb::Write,
                AccessKind::Update => Verb::Rmw,
            },
            Action::Fence(_) => Verb::Fence,
            Action::Fork(_) => Verb::Fork,
            Action::Output { .. } => Verb::Output,
            Action::Free { .. } => Verb::Free,
            Action::Take(_) | Action::GiveKey { .. } => Verb::Write,
            Action::Futex(Futex::Wait(_)) => Verb::FutexWait,
            Action::Futex(Futex::Wake { .. }) => Verb::FutexWake,
            Action::Futex(Futex::Requeue { .. }) => Verb::FutexRequeue,
            Action::FutexResume(_) => Verb::FutexResume,
            Action::Blocked(_) => return None,
            Action::Sync(sync) => sync.verb(),
        })
    }
}

impl Sync {
    fn verb(&self) -> Verb {
        match self {
            Sync::Init { .. } => Verb::Init,
            Sync::Destroy { .. } => Verb::Destroy,
            Sync::Lock { .. } => Verb::Lock,
            Sync::Unlock { .. } => Verb::Unlock,
            Sync::RwLock { mode, .. } => Verb::rw_lock(*mode),
            // Which of the two is known only when it happens; both are accepted (see `schedule::follow`).
            Sync::RwUnlock { .. } => Verb::RdUnlock,
            Sync::CondWait { .. } => Verb::CondWait,
            Sync::CondWake { .. } => Verb::CondWake,
            Sync::Signal { .. } => Verb::Signal,
            Sync::Broadcast { .. } => Verb::Broadcast,
            Sync::SemWait { .. } => Verb::SemWait,
            Sync::SemPost { .. } => Verb::SemPost,
            Sync::SemValue { .. } => Verb::SemValue,
            Sync::BarrierArrive { .. } => Verb::BarrierArrive,
            Sync::BarrierLeave { .. } => Verb::BarrierLeave,
            Sync::OnceEnter { .. } | Sync::OnceFinish { .. } => Verb::Once,
            Sync::Join { .. } => Verb::Join,
            Sync::Detach { .. } => Verb::Detach,
            Sync::AtomicBegin { .. } => Verb::AtomicBegin,
            Sync::AtomicEnd { .. } => Verb::AtomicEnd,
        }
    }

    /// The object's address, where there is one.
    pub(crate) fn object(&self) -> Option<u64> {
        match *self {
            Sync::Init { object, .. } | Sync::Destroy { object } => Some(object),
            Sync::Lock { mutex, .. } | Sync::Unlock { mutex, .. } => Some(mutex),
            Sync::RwLock { lock, .. } | Sync::RwUnlock { lock } => Some(lock),
            Sync::CondWait { condition, .. }
            | Sync::CondWake { condition, .. }
            | Sync::Signal { condition }
            | Sync::Broadcast { condition } => Some(condition),
            Sync::SemWait { semaphore, .. }
            | Sync::SemPost { semaphore }
            | Sync::SemValue { semaphore, .. } => Some(semaphore),
            Sync::BarrierArrive { barrier } | Sync::BarrierLeave { barrier, .. } => Some(barrier),
            Sync::OnceEnter { once, .. } | Sync::OnceFinish { once } => Some(once),
            Sync::Join { .. } | Sync::Detach { .. } | Sync::AtomicBegin { .. } | Sync::AtomicEnd { .. } => {
                None
            }
        }
    }
}
