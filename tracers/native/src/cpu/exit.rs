//! How long to interpret, and why it stopped.

use super::RegisterSet;
use crate::memory::{Fault, Trouble};

/// Why [`run`](super::run) stopped. Registers and memory are exactly as the instructions before left them.
///
/// The instruction pointer is *behind* the instruction for [`Syscall`](Exit::Syscall), [`Cpuid`](Exit::Cpuid),
/// [`Rdtsc`](Exit::Rdtsc), [`Rdtscp`](Exit::Rdtscp) and [`Breakpoint`](Exit::Breakpoint), and *at* it, with nothing of
/// it done, for all others. A repeated string instruction stops between two repetitions, its registers advanced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// A system call: RCX and R11 are set as the hardware sets them.
    Syscall,
    /// At a hooked address.
    Hook,
    /// An instruction that is not interpreted: the hardware has to execute it.
    Hardware,
    /// A load, store or fetch that memory does not allow.
    Fault(Fault),
    /// A division by zero, or one whose quotient does not fit.
    DivideError,
    /// Not an instruction, `ud2`, or one that [the processor we show](super) does not have and must not execute.
    Illegal,
    /// `int3`.
    Breakpoint,
    /// Marked memory would be touched.
    Watched,
    /// A register in [`Limits::symbolic`] would be read or partly written.
    Symbolic,
    /// `cpuid`: whoever runs us gives EAX, EBX, ECX, EDX.
    Cpuid,
    /// `rdtsc`: whoever runs us gives EDX:EAX.
    Rdtsc,
    /// `rdtscp`: whoever runs us gives EDX:EAX and ECX.
    Rdtscp,
    /// As many instructions as allowed were executed.
    Budget,
}

impl From<Trouble> for Exit {
    fn from(trouble: Trouble) -> Exit {
        match trouble {
            Trouble::Fault(fault) => Exit::Fault(fault),
            Trouble::Watched => Exit::Watched,
        }
    }
}

/// How far [`run`](super::run) may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Instructions to execute at most; each repetition of a string instruction counts as one.
    pub instructions: u64,
    /// Registers that hold symbolic data. An instruction that reads one, or writes only a part of it, is not executed;
    /// one that overwrites it takes it out of the set.
    pub symbolic: RegisterSet,
}

impl Limits {
    /// So many instructions, nothing symbolic.
    pub fn instructions(instructions: u64) -> Limits {
        Limits { instructions, symbolic: RegisterSet::EMPTY }
    }
}

/// What [`step`](super::step) did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stepped {
    /// One instruction, to its end.
    Done,
    /// One repetition of a string instruction, which has more to come: the instruction pointer is still at it.
    Repeating,
}
