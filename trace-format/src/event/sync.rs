//! Vocabulary of synchronisation events.

use bincode::{Decode, Encode};

/// How patient an operation is that may have to wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Encode, Decode)]
pub enum Attempt {
    /// Waits as long as it takes.
    Block,
    /// Does not wait.
    Try,
    /// Waits up to a deadline.
    Timed,
}

/// How an operation that may have to wait ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Encode, Decode)]
pub enum WaitResult {
    /// It got what it wanted.
    Done,
    /// A try found it taken.
    Busy,
    /// The deadline passed.
    TimedOut,
    /// Refused, because waiting would never end (`EDEADLK`).
    WouldDeadlock,
    /// Acquired, but the last owner died holding it (robust mutexes).
    OwnerDied,
    /// Ended by a signal or an interrupt.
    Interrupted,
    /// Woken without a reason.
    Spurious,
    /// Refused with this error number.
    Failed(
        /// The `errno` value.
        u32,
    ),
    /// Still waiting when the trace ended.
    Pending,
}

impl WaitResult {
    /// Does the thread have the thing now?
    pub fn acquired(self) -> bool {
        matches!(self, WaitResult::Done | WaitResult::OwnerDied)
    }
}

/// What a mutex does when its owner locks it again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Encode, Decode)]
pub enum MutexKind {
    /// Waits for ever.
    Normal,
    /// Counts.
    Recursive,
    /// Refuses.
    ErrorCheck,
}

/// What a synchronisation object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Encode, Decode)]
pub enum SyncKind {
    /// A mutex, spin lock or monitor.
    Mutex {
        /// Its type.
        kind: MutexKind,
        /// Does it notice the death of its owner?
        robust: bool,
    },
    /// A read/write lock.
    RwLock,
    /// A condition variable.
    Condition,
    /// A semaphore.
    Semaphore {
        /// Units at the start.
        initial: u32,
        /// Most units it can hold; `None` for no bound that matters. A parking permit is a semaphore with maximum 1.
        maximum: Option<u32>,
    },
    /// A barrier.
    Barrier {
        /// How many threads meet there.
        parties: u32,
    },
    /// A once-only initialisation.
    Once,
    /// A word that threads wait on through the kernel.
    Futex,
}

/// As what a read/write lock is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Encode, Decode)]
pub enum RwMode {
    /// Shared.
    Read,
    /// Alone.
    Write,
}

/// Steps of a once-only initialisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Encode, Decode)]
pub enum OnceStep {
    /// This thread is the one that runs the initialiser.
    Run,
    /// The initialiser returned.
    Finish,
    /// The initialiser did not return normally: the next caller runs it again.
    Abandon,
    /// It had been done before (or was waited for).
    Seen,
    /// Still waiting for another thread's initialiser when the trace ended.
    Pending,
}
