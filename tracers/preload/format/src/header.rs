//! The first page of a thread's file: words at fixed places.

/// Bytes before the segment that is written to.
pub const SIZE: usize = 4096;

/// Where the full segments begin.
pub const FULL: usize = SIZE + crate::SEGMENT;

/// What the file begins with, as a word.
pub const MAGIC: u64 = u64::from_le_bytes(*b"WPLIGHT4");

/// `parent` of the first thread, and of threads that nobody was seen to create.
pub const NO_PARENT: u64 = u64::MAX;

/// Where things are, in words from the beginning of the file.
pub mod at {
    /// [`MAGIC`](super::MAGIC), written last.
    pub const MAGIC: usize = 0;
    /// The thread's number in its process, from 0.
    pub const THREAD: usize = 1;
    /// Number of the thread that created it, or [`NO_PARENT`](super::NO_PARENT).
    pub const PARENT: usize = 2;
    /// How many threads the parent had created before.
    pub const NTH: usize = 3;
    /// Address of the function that the thread began with.
    pub const START: usize = 4;
    /// The kernel's number of the thread.
    pub const TID: usize = 5;
    /// How many full segments the file has room for; with a ring, how many are used in turn.
    pub const SEGMENTS: usize = 6;
    /// How many segments were filled. In a ring, segment `n` is at place `n % SEGMENTS`. The one that is written to has
    /// this number; one with another number was copied already.
    pub const FILLED: usize = 7;
    /// Events that were not recorded: no room, or in the middle of making room.
    pub const LOST: usize = 8;
    /// Head of the record that the thread will write when it no longer waits; 0 if it does not wait.
    pub const WAITING: usize = 9;
    /// Where it waits, the object, and for a condition the mutex.
    pub const WAITING_WORDS: usize = 10;
    /// Lower end of the thread's stack.
    pub const STACK: usize = 13;
    /// Its upper end: where its first instrumented function was called, or where it began.
    pub const STACK_TOP: usize = 14;
    /// Places in compact records are counted from this address.
    pub const BASE: usize = 15;
    /// Words at the beginning of the page that mean something.
    pub const COUNT: usize = 16;
}
