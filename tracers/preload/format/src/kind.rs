//! Kinds of records, and what their words are.
//!
//! Unless said otherwise word 1 is the address that the call returns to, word 2 the address of the object, word 3 the
//! object's ticket. [`crate::compact`] has the short form of such records.

/// What a record says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// The thread's first event. Words: head alone.
    Begin = 2,
    /// Its last one.
    End = 3,
    /// `pthread_create`: `b` the child's number; word 1 place.
    Fork = 4,
    /// `pthread_join`: `a` attempt and result, `b` the child's number; word 1 place.
    Join = 5,
    /// `pthread_detach`: `b` the child's number; word 1 place.
    Detach = 6,
    /// An object comes into being: `a` what ([`object`]), `b` its kind of mutex, units or parties.
    Init = 10,
    /// It is destroyed.
    Destroy = 11,
    /// Mutex taken, or not: `a` attempt and result ([`outcome`]), `b` kind of mutex.
    Lock = 12,
    /// Mutex released: `a` result.
    Unlock = 13,
    /// Read lock.
    RdLock = 14,
    /// Write lock.
    WrLock = 15,
    /// Read/write lock released: `b` 1 if it was held for writing.
    RwUnlock = 16,
    /// Begins to wait for a condition: word 4 mutex, word 5 the mutex' ticket; `a` attempt.
    CondWait = 17,
    /// Has the mutex again: the same words; `a` attempt and result.
    CondWake = 18,
    /// One waiter is woken.
    Signal = 19,
    /// All are.
    Broadcast = 20,
    /// A unit of a semaphore is taken, or not.
    SemWait = 21,
    /// A unit is given.
    SemPost = 22,
    /// The units are counted: `b` the count.
    SemValue = 23,
    /// Comes to a barrier.
    BarrierArrive = 24,
    /// Leaves it: `b` 1 for the one that is told so.
    BarrierLeave = 25,
    /// Begins what is done once.
    OnceRun = 26,
    /// Ends it.
    OnceFinish = 27,
    /// Finds it done.
    OnceSeen = 28,
    /// Waits for a futex: word 4 the expected value; `a` attempt and result. When it was over.
    FutexWait = 29,
    /// Wakes: `b` how many at most, word 4 how many were.
    FutexWake = 30,
    /// What follows belongs to this episode: word 1. Every segment begins with one, and there `b` is the segment's number;
    /// others come where recording was switched off and on again. Word 2 is how often the thread has allocated before.
    Resume = 40,
    /// The program fails here: `a` the signal, 0 for `abort` and assertions; word 1 place, word 2 address of the fault,
    /// then a message, word by word.
    Failure = 41,
    /// `exit`: `b` the status. Word 1 place.
    Exit = 42,
    /// The processor's time stamp counter: word 1.
    Mark = 43,
    /// Memory is read or written: `a` is the code of the access ([`crate::access`]), word 3 the value, of sixteen bytes the
    /// lower half, word 4 the upper half.
    Access = 44,
    /// Atomic load: `a` size and order ([`crate::atomic`]); word 3 is the ticket of the last store that it came after;
    /// from word 4 on the value, one word or two.
    AtomicLoad = 45,
    /// Atomic store: `a` as for a load; from word 4 on the value.
    AtomicStore = 46,
    /// Atomic read and write: `a` as for a load; from word 4 on the value found, then the value left there.
    AtomicUpdate = 47,
    /// A fence: `a` its order. Word 1 place.
    Fence = 48,
    /// Storage was allocated: word 2 where, word 4 its size, word 5 the time stamp counter.
    Alloc = 49,
    /// Storage is about to be freed: word 2 where, word 4 the time stamp counter.
    Free = 50,
    /// Bytes are read: word 2 where, `b` how many; then the bytes, from word 3 on.
    RangeRead = 51,
    /// Bytes were written, in the same words; `a` is 1 if that was announced before the reads that precede it.
    RangeWrite = 52,
    /// Bytes were all set to `a`: word 2 where, word 3 how many.
    Fill = 53,
    /// A mutex was taken and, before the thread did anything else, released: [`Kind::Lock`] and [`Kind::Unlock`] in one,
    /// always in the short form ([`crate::compact::pair`]).
    LockUnlock = 54,
    /// What follows is a step of a schedule that is followed: word 2 [`SCHEDULE`](crate::plan::SCHEDULE), word 3 which
    /// event of the schedule, from 1. So the steps have an order that is known.
    Step = 55,
    /// The object's tickets go on with this one, whichever came last: its own count was overwritten. So does an
    /// [`Kind::Init`].
    Renew = 56,
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 43] = [
        Kind::Begin,
        Kind::End,
        Kind::Fork,
        Kind::Join,
        Kind::Detach,
        Kind::Init,
        Kind::Destroy,
        Kind::Lock,
        Kind::Unlock,
        Kind::RdLock,
        Kind::WrLock,
        Kind::RwUnlock,
        Kind::CondWait,
        Kind::CondWake,
        Kind::Signal,
        Kind::Broadcast,
        Kind::SemWait,
        Kind::SemPost,
        Kind::SemValue,
        Kind::BarrierArrive,
        Kind::BarrierLeave,
        Kind::OnceRun,
        Kind::OnceFinish,
        Kind::OnceSeen,
        Kind::FutexWait,
        Kind::FutexWake,
        Kind::Resume,
        Kind::Failure,
        Kind::Exit,
        Kind::Mark,
        Kind::Access,
        Kind::AtomicLoad,
        Kind::AtomicStore,
        Kind::AtomicUpdate,
        Kind::Fence,
        Kind::Alloc,
        Kind::Free,
        Kind::RangeRead,
        Kind::RangeWrite,
        Kind::Fill,
        Kind::LockUnlock,
        Kind::Step,
        Kind::Renew,
    ];

    /// Does it say what was read or written? Only programs that were compiled for it have such records.
    pub fn is_of_memory(self) -> bool {
        use Kind::{Access, AtomicLoad, AtomicStore, AtomicUpdate, Fill, RangeRead, RangeWrite};
        matches!(self, Access | AtomicLoad | AtomicStore | AtomicUpdate | RangeRead | RangeWrite | Fill)
    }

    /// The kind with this number.
    pub const fn of(number: u8) -> Option<Kind> {
        const KNOWN: [Option<Kind>; 64] = {
            let mut known = [None; 64];
            let mut place = 0;
            while place < Kind::ALL.len() {
                known[Kind::ALL[place] as usize] = Some(Kind::ALL[place]);
                place += 1;
            }
            known
        };
        if (number as usize) < KNOWN.len() { KNOWN[number as usize] } else { None }
    }
}

/// What an [`Kind::Init`] is about.
pub mod object {
    /// A mutex; `b` as in [`super::mutex`].
    pub const MUTEX: u16 = 0;
    /// A read/write lock.
    pub const RWLOCK: u16 = 1;
    /// A condition variable.
    pub const CONDITION: u16 = 2;
    /// A semaphore; `b` its units.
    pub const SEMAPHORE: u16 = 3;
    /// A barrier; `b` its parties.
    pub const BARRIER: u16 = 4;
    /// A spin lock.
    pub const SPIN: u16 = 5;
}

/// What a [`Kind::Failure`] is besides signals: numbers that no signal has.
pub mod failure {
    /// Storage was used that had been freed.
    pub const USE_AFTER_FREE: u16 = 256;
    /// Storage was freed that had been.
    pub const DOUBLE_FREE: u16 = 257;
}

/// Kinds of mutexes.
pub mod mutex {
    /// Taking it twice is a deadlock.
    pub const NORMAL: u32 = 0;
    /// May be taken again by who has it.
    pub const RECURSIVE: u32 = 1;
    /// Taking it twice is an error.
    pub const ERROR_CHECK: u32 = 2;
    /// Added to one of these: it survives the death of its owner.
    pub const ROBUST: u32 = 16;
}

/// Attempts and results: `attempt * 16 + result`.
pub mod outcome {
    /// May wait.
    pub const BLOCK: u16 = 0;
    /// Does not wait.
    pub const TRY: u16 = 1;
    /// Waits for some time.
    pub const TIMED: u16 = 2;

    /// It did what it should.
    pub const DONE: u16 = 0;
    /// The object was taken.
    pub const BUSY: u16 = 1;
    /// The time was over.
    pub const TIMED_OUT: u16 = 2;
    /// Waiting would have been for ever.
    pub const WOULD_DEADLOCK: u16 = 3;
    /// Done, and the owner before had died.
    pub const OWNER_DIED: u16 = 4;
    /// A signal handler ran.
    pub const INTERRUPTED: u16 = 5;
    /// Any other error.
    pub const FAILED: u16 = 6;
    /// It was not over when the recording ended.
    pub const PENDING: u16 = 7;
}
