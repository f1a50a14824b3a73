//! The files that the light recorder leaves, in one place for who writes and who reads them.
//!
//! A recorded process has a folder of its own, `process-PID-N`, with
//!
//! - `meta`: lines `key=value`, written when the library was loaded ([`meta`]);
//! - `maps`: `/proc/self/maps`, whole, each time that something was loaded; a line [`MAPS_SEPARATOR`] between;
//! - `inputs` and `input-N`, if asked for: what came from outside ([`inputs`]);
//! - `thread-N`: what one thread did, a page of [`header`], then the segment that the thread writes to, then the segments
//!   that are full, [`SEGMENT`] bytes each, made of [`Word`]s.
//!
//! The segment that is written to is mapped, and copied behind the others when it is full: writing to pages that are
//! mapped already is several times faster than mapping new ones. The first word of a record is written last, so a
//! process that dies at any moment leaves whole records, but for the one being written; a word of 0 where a record
//! should begin is the end of its segment.
//!
//! A record has one of four forms: [`Head`] and words as they are ([`kind`]), [`compact`], for what happens often, or, for
//! what can be foretold for the most part, [`again`] of mutexes and [`brief`] of accesses. The last ones have half a word or
//! more, so records may begin at any multiple of four bytes.

#![no_std]

pub mod access;
pub mod again;
pub mod atomic;
pub mod brief;
pub mod compact;
pub mod header;
pub mod inputs;
pub mod kind;
pub mod meta;
pub mod plan;

pub use kind::Kind;

/// Records are made of these, in the machine's byte order (little endian).
pub type Word = u64;

/// A record never crosses the end of one of these.
pub const SEGMENT: usize = 256 * 1024;

/// Between two copies of `/proc/self/maps`.
pub const MAPS_SEPARATOR: &str = "--";

/// First word of a record: its kind, how many words it has, and two small numbers whose meaning depends on the kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// What happened.
    pub kind: u8,
    /// Words of the record, this one included; at least 1.
    pub words: u8,
    /// Sixteen bits.
    pub a: u16,
    /// Thirty-two bits.
    pub b: u32,
}

impl Head {
    /// As it is in the file. Never 0, since no kind is.
    pub const fn pack(self) -> Word {
        self.kind as u64 | (self.words as u64) << 8 | (self.a as u64) << 16 | (self.b as u64) << 32
    }

    /// From the file.
    pub const fn unpack(word: Word) -> Head {
        Head { kind: word as u8, words: (word >> 8) as u8, a: (word >> 16) as u16, b: (word >> 32) as u32 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_is_unpacked() {
        let head = Head { kind: 200, words: 5, a: 0xfffe, b: 0x8000_0001 };
        assert_eq!(Head::unpack(head.pack()), head);
    }
}
