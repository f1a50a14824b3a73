//! Where things are: source positions, objects, locations within objects, inputs.

use bincode::{Decode, Encode};

use crate::ids::{ObjectId, StringId, ThreadIx};

/// A position in the program's text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Encode, Decode)]
pub struct Source {
    /// File name as the debug information has it; empty if not known.
    pub file: StringId,
    /// Line, from 1; 0 if not known.
    pub line: u32,
    /// Column, from 1; 0 if not known.
    pub column: u32,
    /// Function or method; empty if not known.
    pub function: StringId,
    /// Address of the instruction relative to its module, or bytecode offset; 0 if not known.
    pub address: u64,
}

/// What kind of storage an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Encode, Decode)]
pub enum ObjectClass {
    /// A global or static variable.
    Global,
    /// An allocation; `owner` and `nth` of the object say whose and which.
    Heap,
    /// A frame or a variable on a thread's stack.
    Stack,
    /// Thread-local storage.
    ThreadLocal,
    /// An input or output stream.
    Stream,
    /// A synchronisation object without storage of its own in the program.
    Sync,
    /// Anything else.
    Other,
}

/// A piece of storage. Two locations can overlap only within one object.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Encode, Decode)]
pub struct Object {
    /// What kind of storage.
    pub class: ObjectClass,
    /// The thread that allocated it or whose stack it is on.
    pub owner: Option<ThreadIx>,
    /// Which allocation (or frame) of that thread on its path, from 0.
    pub nth: u64,
    /// Bytes; 0 if not known.
    pub size: u64,
    /// Name for people; may be empty.
    pub name: StringId,
}

/// Bytes `offset .. offset + size` of an object.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Encode, Decode)]
pub struct Location {
    /// The object.
    pub object: ObjectId,
    /// First byte.
    pub offset: u64,
    /// Bytes: 1 to 16 for a location that is read or written; any for a synchronisation object.
    pub size: u32,
    /// Value before the first event, little endian, where the tracer knows it.
    pub initial: Option<u128>,
    /// Name for people, such as `table[3].next`; may be empty.
    pub name: StringId,
}

impl Location {
    /// The largest size of an access. Longer copies are recorded as several accesses.
    pub const MAX_ACCESS: u32 = 16;

    /// Width in bits of a value read here, if it can be read at all.
    pub fn width(&self) -> Option<u32> {
        (1..=Self::MAX_ACCESS).contains(&self.size).then(|| self.size * 8)
    }

    /// Do the two share a byte?
    pub fn overlaps(&self, other: &Location) -> bool {
        self.object == other.object
            && self.offset < other.offset.saturating_add(u64::from(other.size))
            && other.offset < self.offset.saturating_add(u64::from(self.size))
    }
}

/// A value that comes from outside the program.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Encode, Decode)]
pub struct Input {
    /// Its name, or its source such as `stdin`.
    pub name: StringId,
    /// Which of that name, from 0: the n-th byte of `stdin`, the n-th call for `i`.
    pub nth: u32,
    /// Bits, 1 to 128.
    pub width: u8,
}
