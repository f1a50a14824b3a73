//! Do the expressions say what the run says? The test of this module, and a mode of the tracer.

use std::fmt;

use warpath_trace::expr::{EvalError, Evaluator, Leaf};
use warpath_trace::ids::ExprId;

use super::bytes::{ByteRef, gather};
use super::flags::StatusFlag;
use super::shadow::Shadow;
use super::thread::ThreadShadow;
use crate::cpu::Registers;

/// A place whose expression can be compared with its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// A general register, by its hardware number.
    General(usize),
    /// A vector register.
    Vector(usize),
    /// A status flag, as its bit in RFLAGS.
    Flag(u64),
    /// A byte of memory.
    Memory(u64),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::General(number) => write!(f, "general register {number}"),
            Place::Vector(number) => write!(f, "vector register {number}"),
            Place::Flag(bit) => write!(f, "flag {bit:#x}"),
            Place::Memory(address) => write!(f, "the byte at {address:#x}"),
        }
    }
}

/// Why a [`Check`] failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CheckError {
    /// An expression has another value than the place it belongs to: a defect of the tracer.
    #[error("{place} is {found:#x}, but its expression e{} is {expected:#x}", expr.0)]
    Differs {
        /// The place.
        place: Place,
        /// Its expression.
        expr: ExprId,
        /// The value of the expression.
        expected: u128,
        /// The value that is there.
        found: u128,
    },
    /// An input or a read has no value.
    #[error(transparent)]
    Unknown(#[from] EvalError),
}

/// Compares shadows with values, under one assignment of inputs and reads.
#[derive(Clone, Debug)]
pub struct Check<F> {
    leaves: F,
    known: Vec<Option<u128>>,
}

impl<F: Fn(Leaf) -> Option<u128>> Check<F> {
    /// A check under the assignment that `leaves` gives. Leaves may get values later, none may get another.
    pub fn new(leaves: F) -> Self {
        Check { leaves, known: Vec::new() }
    }

    /// The value of an expression; Booleans are 0 and 1.
    pub fn value(&mut self, shadow: &Shadow, expr: ExprId) -> Result<u128, EvalError> {
        let mut evaluator = Evaluator::resume(shadow.pool(), &self.leaves, std::mem::take(&mut self.known));
        let value = evaluator.value(expr);
        self.known = evaluator.into_known();
        value
    }

    /// Compares every symbolic register of a thread, and those status flags that are in `flags` (bits of RFLAGS; leave
    /// out what the processor's manual calls undefined).
    pub fn thread(
        &mut self,
        shadow: &mut Shadow,
        thread: &ThreadShadow,
        registers: &Registers,
        flags: u64,
    ) -> Result<(), CheckError> {
        for number in 0..16 {
            if let Some(expr) = thread.gpr[number] {
                self.compare(shadow, Place::General(number), expr, registers.gpr[number].into())?;
            }
            if thread.vectors & 1 << number != 0 {
                let value = registers.xmm[number];
                if let Some(expr) = gather(&mut shadow.build, &thread.xmm[number], value).expr {
                    self.compare(shadow, Place::Vector(number), expr, value)?;
                }
            }
        }
        for flag in StatusFlag::ALL {
            let truth = thread.flags.flag(&mut shadow.build, registers.flags, flag);
            if let Some(expr) = truth.expr.filter(|_| flags & flag.bit() != 0) {
                self.compare(shadow, Place::Flag(flag.bit()), expr, truth.value.into())?;
            }
        }
        Ok(())
    }

    /// Compares the symbolic bytes of a range of memory that holds `bytes`. Bytes that something else has overwritten
    /// have no expression any more.
    pub fn memory(&mut self, shadow: &mut Shadow, address: u64, bytes: &[u8]) -> Result<(), CheckError> {
        let mut refs = vec![ByteRef::CONCRETE; bytes.len()];
        shadow.memory.load(address, bytes, &mut refs);
        self.compare_bytes(shadow, address, bytes, &refs)
    }

    /// The same for another run on the same path, with its own bytes and under its own assignment.
    pub fn memory_of_other(
        &mut self,
        shadow: &mut Shadow,
        address: u64,
        bytes: &[u8],
    ) -> Result<(), CheckError> {
        let (_, refs) = shadow.memory.stored(address, bytes.len() as u64);
        self.compare_bytes(shadow, address, bytes, &refs)
    }

    fn compare_bytes(
        &mut self,
        shadow: &mut Shadow,
        address: u64,
        bytes: &[u8],
        refs: &[ByteRef],
    ) -> Result<(), CheckError> {
        for (offset, (&number, &byte)) in (0..).zip(bytes.iter().zip(refs)) {
            if let Some(expr) = gather(&mut shadow.build, &[byte], number.into()).expr {
                let place = Place::Memory(address.wrapping_add(offset));
                self.compare(shadow, place, expr, number.into())?;
            }
        }
        Ok(())
    }

    fn compare(
        &mut self,
        shadow: &Shadow,
        place: Place,
        expr: ExprId,
        found: u128,
    ) -> Result<(), CheckError> {
        let expected = self.value(shadow, expr)?;
        if expected == found { Ok(()) } else { Err(CheckError::Differs { place, expr, expected, found }) }
    }
}
