//! What one instruction did with memory, as the concrete step saw it.

use warpath_trace::ids::ExprId;

/// Where the expression of a loaded value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// From shadow memory at the access's address.
    Memory,
    /// It is this one, of eight times the access's size in bits: the value of a visible read, or of a store that waits in
    /// a buffer.
    Expr(ExprId),
    /// The value is concrete, whatever shadow memory says.
    Concrete,
}

/// Load or store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessKind {
    /// A load.
    Read(Source),
    /// A store that reached memory.
    Write,
    /// A store that was held back (in a store buffer): shadow memory stays as it is, the expression is only reported in
    /// [`Effects::held`](super::Effects::held).
    Held,
}

/// One load or store of an instruction. A read-modify-write makes two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// The first byte's address.
    pub address: u64,
    /// Bytes, 1 to 16.
    pub size: u8,
    /// Load or store.
    pub kind: AccessKind,
    /// The value loaded or stored, little endian.
    pub value: u128,
}

impl Access {
    /// A load whose expression, if any, is in shadow memory.
    pub fn read(address: u64, size: u8, value: u128) -> Self {
        Access { address, size, kind: AccessKind::Read(Source::Memory), value }
    }

    /// A store to memory.
    pub fn write(address: u64, size: u8, value: u128) -> Self {
        Access { address, size, kind: AccessKind::Write, value }
    }
}
