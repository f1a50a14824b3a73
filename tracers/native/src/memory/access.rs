//! What an instruction sees of memory, and what can come of an access.

use std::fmt;

/// What an instruction loads from and stores to.
///
/// Both are all or nothing: an access that fails has had no effect. Sizes are 1, 2, 4, 8 and 16 bytes, at any address;
/// the bytes of one access may lie in two pages.
pub trait Memory {
    /// The bytes at an address.
    fn load<const N: usize>(&mut self, address: u64) -> Result<[u8; N], Trouble>;

    /// Puts bytes at an address.
    fn store<const N: usize>(&mut self, address: u64, bytes: [u8; N]) -> Result<(), Trouble>;
}

/// Why an access was not made. The instruction that wanted it has done nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// The hardware would not make it either.
    Fault(Fault),
    /// It touches marked bytes (shared or symbolic): somebody wants to look at this instruction first.
    Watched,
}

/// An access that the program's memory does not allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The first byte that cannot be accessed.
    pub address: u64,
    /// What was tried.
    pub kind: FaultKind,
    /// There is a mapping at the address, but not one that allows this.
    pub mapped: bool,
}

/// What was tried in vain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// A load.
    Read,
    /// A store.
    Write,
    /// Fetching an instruction.
    Execute,
    /// A vector access that must be aligned to 16 bytes and is not. The hardware says this without an address.
    Misaligned,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.kind {
            FaultKind::Read => "a read",
            FaultKind::Write => "a write",
            FaultKind::Execute => "an instruction fetch",
            FaultKind::Misaligned => "a misaligned vector access",
        };
        let why = if self.mapped { "not allowed there" } else { "where nothing is mapped" };
        write!(f, "{what} at {:#x}, {why}", self.address)
    }
}

impl From<Fault> for Trouble {
    fn from(fault: Fault) -> Trouble {
        Trouble::Fault(fault)
    }
}

/// What a mapping allows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Protection {
    /// Loads.
    pub read: bool,
    /// Stores.
    pub write: bool,
    /// Instruction fetches.
    pub execute: bool,
}

impl Protection {
    /// Nothing is allowed.
    pub const NONE: Protection = Protection { read: false, write: false, execute: false };
    /// Loads only.
    pub const READ: Protection = Protection { read: true, write: false, execute: false };
    /// Loads and stores.
    pub const READ_WRITE: Protection = Protection { read: true, write: true, execute: false };
    /// Loads and instruction fetches.
    pub const READ_EXECUTE: Protection = Protection { read: true, write: false, execute: true };
    /// Everything.
    pub const ALL: Protection = Protection { read: true, write: true, execute: true };

    /// From the `PROT_*` bits of a system call. As on the hardware, what can be written or executed can be read.
    pub fn from_bits(bits: u64) -> Protection {
        let (write, execute) = (bits & 2 != 0, bits & 4 != 0);
        Protection { read: bits & 1 != 0 || write || execute, write, execute }
    }
}

/// Where the contents of pages come from when they are first needed: the native process.
pub trait Backing {
    /// Fills a page from its (page-aligned) address on; whether there is such a page.
    fn fetch(&mut self, page: u64, into: &mut [u8; 4096]) -> bool;
}
