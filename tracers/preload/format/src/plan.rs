//! The plan: a schedule that the library follows, and how far it has come.
//!
//! A file of [`Word`]s that the driver writes, names in `WARPATH_FOLLOW` and reads again while the program
//! runs. It says nothing of addresses: threads are children of threads, variables are places in a module. The parts lie
//! one behind the other, each as long as the header says:
//!
//! | part | words each | what |
//! |---|---|---|
//! | header | [`HEADER`] | [`at`]: what there is, and how far it has come |
//! | threads | 1 | parent (low half), which of its children (high half); the first is the first thread |
//! | objects | [`OBJECT`] | where it is, if the driver knows ([`Place`]) |
//! | steps | [`STEP`] | [`Step`] |
//! | ranges | [`RANGE`] | [`Range`]: bytes whose accesses are steps |
//! | slots | [`SLOT`] | [`slot`]: what each thread is about, for the driver |

use crate::Word;

/// What the file begins with.
pub const MAGIC: Word = u64::from_le_bytes(*b"WPFOLLOW");
/// The only version.
pub const VERSION: Word = 1;
/// Words of the header.
pub const HEADER: usize = 32;
/// Words of an object.
pub const OBJECT: usize = 2;
/// Words of a step.
pub const STEP: usize = 2;
/// Words of a range.
pub const RANGE: usize = 4;
/// Words of a slot.
pub const SLOT: usize = 8;
/// Slots for threads that the plan does not name.
pub const STRANGERS: usize = 128;
/// More of anything is no plan of ours.
pub const MOST: Word = 1 << 26;
/// No thread.
pub const NOBODY: u32 = u32::MAX;
/// Stands for the schedule among the objects that draw tickets: in a recording it orders the steps.
pub const SCHEDULE: Word = u64::MAX;

/// Words of the header.
pub mod at {
    /// [`MAGIC`](super::MAGIC).
    pub const MAGIC: usize = 0;
    /// [`VERSION`](super::VERSION).
    pub const VERSION: usize = 1;
    /// [`LENIENT`](super::LENIENT) and the like.
    pub const FLAGS: usize = 2;
    /// How many threads.
    pub const THREADS: usize = 3;
    /// How many objects.
    pub const OBJECTS: usize = 4;
    /// How many steps.
    pub const STEPS: usize = 5;
    /// How many ranges.
    pub const RANGES: usize = 6;
    /// How many slots: one for each thread, and some for others.
    pub const SLOTS: usize = 7;

    /// From here on the library writes: [`state`](super::state).
    pub const STATE: usize = 16;
    /// Steps that are done (low half), and events that are done of the one that stands for several (high half).
    pub const CURSOR: usize = 17;
    /// Steps that were left out.
    pub const SKIPPED: usize = 18;
    /// Where program and schedule part: the thread (its place in the plan), …
    pub const FOUND_THREAD: usize = 19;
    /// … what it was about to do ([`Act`](super::Act)), …
    pub const FOUND_ACT: usize = 20;
    /// … to which object, …
    pub const FOUND_OBJECT: usize = 21;
    /// … where it will return to, …
    pub const FOUND_PLACE: usize = 22;
    /// … and what is wrong with that ([`why`](super::why)).
    pub const FOUND_WHY: usize = 23;
    /// 1 if two threads stood before accesses that are a race at the same time.
    pub const STOOD: usize = 24;
    /// The process that follows.
    pub const PID: usize = 25;
}

/// Flag: steps that do not fit are left out.
pub const LENIENT: Word = 1;
/// Flag: behind the last step everybody waits until two threads stand before accesses that are a race.
pub const TOGETHER: Word = 2;

/// How far it is.
pub mod state {
    /// Nobody has begun.
    pub const UNTOUCHED: u64 = 0;
    /// A process follows.
    pub const FOLLOWING: u64 = 1;
    /// All steps are done; threads run as they like.
    pub const OVER: u64 = 2;
    /// Program and schedule have parted.
    pub const DIVERGED: u64 = 3;
    /// The plan was not understood.
    pub const REFUSED: u64 = 4;
}

/// What is wrong with what a thread was about to do.
pub mod why {
    /// Another operation is expected of it.
    pub const ACT: u64 = 1;
    /// Another object is.
    pub const OBJECT: u64 = 2;
    /// It would have to wait.
    pub const BLOCKED: u64 = 3;
    /// It ends.
    pub const ENDED: u64 = 4;
    /// It failed.
    pub const FAILED: u64 = 5;
}

/// Words of a slot.
pub mod slot {
    /// Grows when it is the thread's turn; its low half is waited for.
    pub const TURN: usize = 0;
    /// The kernel's number of the thread; 0 if nobody is there.
    pub const TID: usize = 1;
    /// [`RUNS`] and the like.
    pub const STATE: usize = 2;
    /// What it is about: an [`Act`](super::Act) before its turn, with the bytes of an access above the lowest eight bits; a
    /// [`Kind`](crate::Kind) while it waits.
    pub const WHAT: usize = 3;
    /// The object concerned.
    pub const OBJECT: usize = 4;
    /// Where the call returns to.
    pub const PLACE: usize = 5;
    /// Where in memory the kernel's number of the thread is that has the object; 0 if nobody knows.
    pub const OWNER: usize = 6;
    /// Grows with every change.
    pub const CHANGES: usize = 7;

    /// Does what it likes.
    pub const RUNS: u64 = 1;
    /// Waits for its turn.
    pub const AT_GATE: u64 = 2;
    /// Waits for an object, as long as it takes.
    pub const WAITS: u64 = 3;
    /// Is over.
    pub const ENDED: u64 = 4;
}

/// What a step does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[allow(missing_docs, reason = "each is the operation of the same name")]
pub enum Act {
    /// Whatever comes.
    Any = 1,
    Begin = 2,
    End = 3,
    Fork = 4,
    Join = 5,
    Detach = 6,
    Init = 7,
    Destroy = 8,
    Lock = 9,
    Unlock = 10,
    RdLock = 11,
    WrLock = 12,
    /// Which kind of release it will be is known only afterwards.
    RwUnlock = 13,
    CondWait = 14,
    CondWake = 15,
    Signal = 16,
    Broadcast = 17,
    SemWait = 18,
    SemPost = 19,
    SemValue = 20,
    BarrierArrive = 21,
    BarrierLeave = 22,
    Once = 23,
    Read = 24,
    Write = 25,
    Rmw = 26,
    Fence = 27,
    Free = 28,
}

impl Act {
    /// All of them.
    pub const ALL: [Act; 28] = [
        Act::Any,
        Act::Begin,
        Act::End,
        Act::Fork,
        Act::Join,
        Act::Detach,
        Act::Init,
        Act::Destroy,
        Act::Lock,
        Act::Unlock,
        Act::RdLock,
        Act::WrLock,
        Act::RwUnlock,
        Act::CondWait,
        Act::CondWake,
        Act::Signal,
        Act::Broadcast,
        Act::SemWait,
        Act::SemPost,
        Act::SemValue,
        Act::BarrierArrive,
        Act::BarrierLeave,
        Act::Once,
        Act::Read,
        Act::Write,
        Act::Rmw,
        Act::Fence,
        Act::Free,
    ];

    /// The act with this number.
    pub fn of(number: u64) -> Option<Act> {
        let place = usize::try_from(number).ok()?.checked_sub(1)?;
        Act::ALL.get(place).copied()
    }

    /// Is its object another thread, by its place in the plan?
    pub fn is_about_thread(self) -> bool {
        matches!(self, Act::Fork | Act::Join | Act::Detach)
    }

    /// Is it an access to memory?
    pub fn is_access(self) -> bool {
        matches!(self, Act::Read | Act::Write | Act::Rmw)
    }
}

/// One step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Whose, by its place in the plan.
    pub thread: u32,
    /// What.
    pub act: Act,
    /// To which object, by its place in the plan; for forks and joins to which thread. None: whichever.
    pub object: Option<u32>,
    /// How many events it stands for; 1 unless it is [`Act::Any`].
    pub count: u32,
}

impl Step {
    /// As it is in the file.
    pub fn pack(self) -> [Word; STEP] {
        let object = self.object.map_or(0, |object| u64::from(object) + 1);
        [u64::from(self.thread) | (self.act as u64) << 32, object | u64::from(self.count) << 32]
    }

    /// From the file.
    pub fn unpack(words: [Word; STEP]) -> Option<Step> {
        let object = words[1] as u32;
        Some(Step {
            thread: words[0] as u32,
            act: Act::of(words[0] >> 32)?,
            object: object.checked_sub(1),
            count: (words[1] >> 32) as u32,
        })
    }
}

/// Where an object is: nowhere known, or at an offset from where a module begins in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// It is known when it is first used.
    Unknown,
    /// In the executable.
    Executable(Word),
}

impl Place {
    /// As it is in the file.
    pub fn pack(self) -> [Word; OBJECT] {
        match self {
            Place::Unknown => [0, 0],
            Place::Executable(offset) => [1, offset],
        }
    }

    /// From the file.
    pub fn unpack(words: [Word; OBJECT]) -> Option<Place> {
        match words[0] {
            0 => Some(Place::Unknown),
            1 => Some(Place::Executable(words[1])),
            _ => None,
        }
    }
}

/// Storage in which bytes are shared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// At an offset from where the executable begins in memory.
    Executable(Word),
    /// The n-th block of a thread, which the plan has at this place.
    Heap(u32, Word),
    /// A thread's stack.
    Stack(u32),
}

/// Bytes whose accesses are steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// Of what.
    pub storage: Storage,
    /// The first.
    pub from: Word,
    /// The one behind the last.
    pub to: Word,
}

impl Range {
    /// As it is in the file.
    pub fn pack(self) -> [Word; RANGE] {
        let (kind, thread, number) = match self.storage {
            Storage::Executable(offset) => (1, 0, offset),
            Storage::Heap(thread, nth) => (2, thread, nth),
            Storage::Stack(thread) => (3, thread, 0),
        };
        [kind | u64::from(thread) << 32, number, self.from, self.to]
    }

    /// From the file.
    pub fn unpack(words: [Word; RANGE]) -> Option<Range> {
        let thread = (words[0] >> 32) as u32;
        let storage = match words[0] as u32 {
            1 => Storage::Executable(words[1]),
            2 => Storage::Heap(thread, words[1]),
            3 => Storage::Stack(thread),
            _ => return None,
        };
        (words[2] < words[3]).then_some(Range { storage, from: words[2], to: words[3] })
    }
}

/// Where the parts of a plan are, in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Layout {
    /// How many threads; they begin behind the header.
    pub threads: usize,
    /// How many objects.
    pub objects: usize,
    /// How many steps.
    pub steps: usize,
    /// How many ranges.
    pub ranges: usize,
    /// How many slots.
    pub slots: usize,
}

impl Layout {
    /// For so many of each.
    pub fn new(threads: usize, objects: usize, steps: usize, ranges: usize) -> Layout {
        Layout { threads, objects, steps, ranges, slots: threads + STRANGERS }
    }

    /// Where a thread is.
    pub fn thread(&self, nth: usize) -> usize {
        HEADER + nth
    }

    /// Where an object is.
    pub fn object(&self, nth: usize) -> usize {
        self.thread(self.threads) + nth * OBJECT
    }

    /// Where a step is.
    pub fn step(&self, nth: usize) -> usize {
        self.object(self.objects) + nth * STEP
    }

    /// Where a range is.
    pub fn range(&self, nth: usize) -> usize {
        self.step(self.steps) + nth * RANGE
    }

    /// Where a slot is.
    pub fn slot(&self, nth: usize) -> usize {
        self.range(self.ranges) + nth * SLOT
    }

    /// Words of the whole file.
    pub fn len(&self) -> usize {
        self.slot(self.slots)
    }

    /// There is always a header.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// Checks a whole plan of `len` words: every number in it is good for what it is used for. Says what is not.
    pub fn check(len: usize, word: impl Fn(usize) -> Word) -> Result<Layout, &'static str> {
        if len < HEADER || word(at::MAGIC) != MAGIC {
            return Err("it is no plan");
        }
        if word(at::VERSION) != VERSION {
            return Err("it is of another version");
        }
        let counts = [at::THREADS, at::OBJECTS, at::STEPS, at::RANGES, at::SLOTS].map(&word);
        if counts.iter().any(|count| *count > MOST) {
            return Err("a count is too large");
        }
        let [threads, objects, steps, ranges, slots] = counts.map(|count| count as usize);
        let layout = Layout { threads, objects, steps, ranges, slots };
        if threads == 0 || slots < threads || layout.len() != len {
            return Err("its length is not what it says");
        }
        for nth in 0..threads {
            let parent = word(layout.thread(nth)) as u32;
            let good = if nth == 0 { parent == NOBODY } else { (parent as usize) < nth };
            if !good {
                return Err("a thread has no parent");
            }
        }
        for nth in 0..objects {
            let from = layout.object(nth);
            Place::unpack([word(from), word(from + 1)]).ok_or("an object is nowhere")?;
        }
        for nth in 0..steps {
            let from = layout.step(nth);
            let step = Step::unpack([word(from), word(from + 1)]).ok_or("a step does nothing")?;
            let known = if step.act.is_about_thread() { threads } else { objects };
            let good = (step.thread as usize) < threads
                && step.object.is_none_or(|object| (object as usize) < known)
                && step.count > 0;
            if !good {
                return Err("a step names what is not there");
            }
        }
        for nth in 0..ranges {
            let from = layout.range(nth);
            let range = Range::unpack([0, 1, 2, 3].map(|n| word(from + n))).ok_or("a range is none")?;
            let (Storage::Heap(thread, _) | Storage::Stack(thread)) = range.storage else { continue };
            if thread as usize >= threads {
                return Err("a range belongs to nobody");
            }
        }
        Ok(layout)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_is_unpacked() {
        for (nth, act) in Act::ALL.into_iter().enumerate() {
            assert_eq!(Act::of(act as u64), Some(act));
            let object = (nth % 2 == 0).then_some(nth as u32);
            let step = Step { thread: 7 + nth as u32, act, object, count: 1 + nth as u32 };
            assert_eq!(Step::unpack(step.pack()), Some(step));
        }
        assert_eq!((Act::of(0), Act::of(29), Act::of(u64::MAX)), (None, None, None));
        for storage in [Storage::Executable(9), Storage::Heap(3, u64::MAX), Storage::Stack(2)] {
            let range = Range { storage, from: 1, to: 2 };
            assert_eq!(Range::unpack(range.pack()), Some(range));
        }
        for place in [Place::Unknown, Place::Executable(0x4010)] {
            assert_eq!(Place::unpack(place.pack()), Some(place));
        }
    }
}
