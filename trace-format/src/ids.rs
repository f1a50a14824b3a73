//! Indices into a trace's tables, one type per table so that they cannot be mixed up.

use bincode::{Decode, Encode};

macro_rules! index {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Encode, Decode)]
        pub struct $name(pub u32);

        impl $name {
            /// The index as a `usize`, for use with the table's slice.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl From<usize> for $name {
            /// Table lengths are kept below `u32::MAX` by the tables themselves.
            fn from(index: usize) -> Self {
                $name(u32::try_from(index).unwrap_or(u32::MAX))
            }
        }
    };
}

index!(
    /// A thread of the trace: its position in the thread table, in order of creation.
    ThreadIx
);
index!(
    /// A piece of storage: a global, an allocation, a stack frame, a Java object.
    ObjectId
);
index!(
    /// A range of bytes of an object that some event accesses, or a synchronisation object.
    LocationId
);
index!(
    /// An input of the program.
    InputId
);
index!(
    /// A node of the expression table.
    ExprId
);
index!(
    /// A byte string. [`StringId::EMPTY`] is the empty string in every trace.
    StringId
);
index!(
    /// A position in the program. [`SourceId::UNKNOWN`] in every trace stands for "not known".
    SourceId
);

impl StringId {
    /// The empty string, which is entry 0 of every string table.
    pub const EMPTY: StringId = StringId(0);
}

impl SourceId {
    /// No position known; entry 0 of every source table.
    pub const UNKNOWN: SourceId = SourceId(0);
}
