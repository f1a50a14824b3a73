//! Events: what one thread did, one visible step at a time.

mod failure;
mod memory;
mod refs;
mod sync;
mod verb;

pub use failure::FailureKind;
pub use memory::{Datum, MemoryOrder};
pub use refs::Ref;
pub use sync::{Attempt, MutexKind, OnceStep, RwMode, SyncKind, WaitResult};
pub use verb::Verb;

use bincode::{Decode, Encode};

use crate::ids::{ExprId, InputId, LocationId, ObjectId, SourceId, StringId, ThreadIx};

/// One step of a thread and where in the program it happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Encode, Decode)]
pub struct Event {
    /// What happened.
    pub op: Op,
    /// Where in the program.
    pub at: SourceId,
}

/// Why a symbolic value was replaced by its concrete one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Encode, Decode)]
pub enum Concretised {
    /// It was used as an address or an index.
    Address,
    /// It was the target of an indirect jump or call.
    Jump,
    /// It was a divisor that the tracer does not follow symbolically.
    Divisor,
    /// It entered a floating-point operation.
    Float,
    /// It went to the kernel or to code that is not traced.
    Outside,
    /// It was a size or a count.
    Size,
    /// Anything else.
    Other,
}

/// What happened in one event.
///
/// The order of the variants is part of the file format: new ones go to the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Encode, Decode)]
pub enum Op {
    /// Plain read of a shared location. The event itself is the symbolic variable for the value.
    Read {
        /// What was read.
        location: LocationId,
        /// The value found there.
        value: u128,
    },
    /// Plain write of a shared location.
    Write {
        /// What was written.
        location: LocationId,
        /// The value.
        value: Datum,
    },
    /// Atomic or volatile read.
    AtomicRead {
        /// What was read.
        location: LocationId,
        /// The value found there.
        value: u128,
        /// The ordering the program asked for.
        order: MemoryOrder,
    },
    /// Atomic or volatile write.
    AtomicWrite {
        /// What was written.
        location: LocationId,
        /// The value.
        value: Datum,
        /// The ordering the program asked for.
        order: MemoryOrder,
    },
    /// Read and write in one step. A compare-and-swap that fails writes back what it read, so its
    /// new value is `ite(old = expected, desired, old)`; the branch on its result is an event of its own.
    Rmw {
        /// What was updated.
        location: LocationId,
        /// The value found; the event is the symbolic variable for it.
        old: u128,
        /// The value left there.
        new: Datum,
        /// The ordering the program asked for.
        order: MemoryOrder,
    },
    /// Memory fence.
    Fence {
        /// Its ordering.
        order: MemoryOrder,
    },
    /// A buffered write of this thread reaches memory (recordings under TSO or PSO only).
    Commit {
        /// Index of the write among this thread's events.
        write: u32,
    },

    /// First event of a thread.
    Begin,
    /// Last event of a thread that ended by itself.
    End,
    /// Starts another thread.
    Fork {
        /// The new thread.
        child: ThreadIx,
    },
    /// Waits for another thread to end.
    Join {
        /// The thread waited for.
        child: ThreadIx,
        /// Blocking, try or timed.
        attempt: Attempt,
        /// How the wait ended.
        result: WaitResult,
    },
    /// Gives up the right to join a thread.
    Detach {
        /// The thread detached.
        child: ThreadIx,
    },

    /// A synchronisation object comes into being, or is first seen with these properties.
    SyncInit {
        /// The object.
        object: LocationId,
        /// What it is.
        kind: SyncKind,
    },
    /// A synchronisation object is destroyed.
    SyncDestroy {
        /// The object.
        object: LocationId,
    },
    /// Acquires a mutex, spin lock or Java monitor.
    Lock {
        /// The mutex.
        mutex: LocationId,
        /// Blocking, try or timed.
        attempt: Attempt,
        /// Acquired or not.
        result: WaitResult,
    },
    /// Releases a mutex.
    Unlock {
        /// The mutex.
        mutex: LocationId,
        /// `Done`, or the error of a thread that does not hold it.
        result: WaitResult,
    },
    /// Acquires a read/write lock.
    RwLock {
        /// The lock.
        lock: LocationId,
        /// As a reader or as the writer.
        mode: RwMode,
        /// Blocking, try or timed.
        attempt: Attempt,
        /// Acquired or not.
        result: WaitResult,
    },
    /// Releases a read/write lock.
    RwUnlock {
        /// The lock.
        lock: LocationId,
        /// What it was held as.
        mode: RwMode,
        /// `Done`, or the error of a thread that does not hold it.
        result: WaitResult,
    },
    /// First half of a wait on a condition: releases the mutex and blocks, in one step.
    CondWait {
        /// The condition variable.
        condition: LocationId,
        /// The mutex released.
        mutex: LocationId,
        /// Blocking or timed.
        attempt: Attempt,
    },
    /// Second half: woken (or not), and the mutex acquired again.
    CondWake {
        /// The condition variable.
        condition: LocationId,
        /// The mutex acquired again.
        mutex: LocationId,
        /// `Done` by a signal, `TimedOut`, `Spurious`, `Interrupted`, or `Pending` at the end of the trace.
        result: WaitResult,
    },
    /// Wakes one waiter, if there is one.
    Signal {
        /// The condition variable.
        condition: LocationId,
        /// Waiters woken: 0 for a signal that was lost.
        woken: u32,
    },
    /// Wakes all waiters.
    Broadcast {
        /// The condition variable.
        condition: LocationId,
        /// Waiters woken.
        woken: u32,
    },
    /// Takes one unit of a semaphore.
    SemWait {
        /// The semaphore.
        semaphore: LocationId,
        /// Blocking, try or timed.
        attempt: Attempt,
        /// Taken or not.
        result: WaitResult,
    },
    /// Gives one unit to a semaphore.
    SemPost {
        /// The semaphore.
        semaphore: LocationId,
    },
    /// Reads a semaphore's count.
    SemValue {
        /// The semaphore.
        semaphore: LocationId,
        /// The count found.
        value: u32,
    },
    /// First half of a barrier wait: the arrival.
    BarrierArrive {
        /// The barrier.
        barrier: LocationId,
    },
    /// Second half: all have arrived.
    BarrierLeave {
        /// The barrier.
        barrier: LocationId,
        /// Is this the one thread that was told it is the serial one?
        serial: bool,
        /// `Done`, or `Pending` at the end of the trace.
        result: WaitResult,
    },
    /// A step of a once-only initialisation.
    Once {
        /// The once object.
        once: LocationId,
        /// Which step.
        step: OnceStep,
    },
    /// First half of a futex wait: compares the word and, if equal, queues the thread, in one step.
    FutexWait {
        /// The word. The event is the symbolic variable for its value.
        word: LocationId,
        /// The value found.
        value: u128,
        /// The value compared with.
        expected: Datum,
        /// Which wakes it listens to.
        bitset: u32,
        /// Blocking or timed.
        attempt: Attempt,
        /// Were they equal, so that the thread was queued?
        queued: bool,
    },
    /// Second half of a futex wait that was queued.
    FutexResume {
        /// The word.
        word: LocationId,
        /// `Done` by a wake, `TimedOut`, `Interrupted`, `Spurious` or `Pending`.
        result: WaitResult,
    },
    /// Wakes waiters of a futex.
    FutexWake {
        /// The word.
        word: LocationId,
        /// At most how many.
        limit: u32,
        /// Which waits it reaches.
        bitset: u32,
        /// How many it woke.
        woken: u32,
    },
    /// Wakes some waiters of a futex and moves others to a second one.
    FutexRequeue {
        /// The first word.
        from: LocationId,
        /// The word waiters are moved to.
        to: LocationId,
        /// At most how many to wake.
        wake_limit: u32,
        /// At most how many to move.
        move_limit: u32,
        /// How many were woken.
        woken: u32,
        /// How many were moved.
        moved: u32,
    },
    /// Start of a region that no other thread may interrupt.
    AtomicBegin,
    /// End of such a region.
    AtomicEnd,
    /// The last `window` events of this thread were one turn of a loop that changed nothing: it
    /// waits here until one of the values it read can be another.
    Await {
        /// How many events the idle turn had.
        window: u32,
    },

    /// Control depended on a symbolic condition.
    Branch {
        /// The condition.
        condition: ExprId,
        /// Did it hold?
        taken: bool,
    },
    /// Control depended on a symbolic value with more than two outcomes.
    Switch {
        /// The value switched on.
        on: ExprId,
        /// What it was.
        value: u128,
    },
    /// A symbolic value was used by its concrete value from here on.
    Concretise {
        /// The symbolic value.
        expr: ExprId,
        /// What it was.
        value: u128,
        /// Why.
        why: Concretised,
    },
    /// The run counts only if this holds.
    Assume {
        /// The condition, if it is symbolic.
        condition: Option<ExprId>,
        /// Did it hold?
        holds: bool,
    },
    /// The program is wrong if this does not hold.
    Assert {
        /// The condition, if it is symbolic.
        condition: Option<ExprId>,
        /// Did it hold?
        holds: bool,
        /// The assertion's text.
        message: StringId,
    },
    /// An input was taken.
    Input {
        /// Which.
        input: InputId,
        /// Its value in this run.
        value: u128,
    },
    /// Storage came into being.
    Alloc {
        /// The storage.
        object: ObjectId,
        /// Bytes.
        size: u64,
        /// Its address in this run; 0 if that means nothing.
        address: u64,
    },
    /// Storage was given back.
    Free {
        /// The storage.
        object: ObjectId,
    },
    /// The program wrote something to the outside.
    Output {
        /// File descriptor or the like.
        stream: u32,
        /// The bytes.
        bytes: StringId,
    },
    /// Something went wrong here.
    Failure {
        /// What.
        kind: FailureKind,
        /// In words; may be empty.
        message: StringId,
        /// The address concerned, where there is one.
        address: Option<u64>,
    },
}

impl Op {
    /// The location whose old value this event reads, if it reads one: such an event is a symbolic
    /// variable that expressions can refer to.
    pub fn read_location(&self) -> Option<LocationId> {
        match *self {
            Op::Read { location, .. } | Op::AtomicRead { location, .. } | Op::Rmw { location, .. } => {
                Some(location)
            }
            Op::FutexWait { word, .. } => Some(word),
            _ => None,
        }
    }

    /// The value found by an event that has a [`read_location`](Op::read_location).
    pub fn read_value(&self) -> Option<u128> {
        match *self {
            Op::Read { value, .. } | Op::AtomicRead { value, .. } | Op::FutexWait { value, .. } => {
                Some(value)
            }
            Op::Rmw { old, .. } => Some(old),
            _ => None,
        }
    }

    /// The location this event writes and the value it leaves there.
    pub fn written(&self) -> Option<(LocationId, Datum)> {
        match *self {
            Op::Write { location, value } | Op::AtomicWrite { location, value, .. } => {
                Some((location, value))
            }
            Op::Rmw { location, new, .. } => Some((location, new)),
            _ => None,
        }
    }
}
