//! Flags, small things, and instructions that are for others to decide.

use crate::cpu::flags::Flags;
use crate::cpu::state::{Body, Cpu, Fields, Flow, R11, RAX, RBX, RCX, load};
use crate::cpu::{Exit, Flag};
use crate::memory::{Memory, Trouble};

/// `nop`, fences, hints.
pub(crate) struct Nothing;
/// `clc`, `stc`: the carry becomes [`Fields::extra`].
pub(crate) struct SetCarry;
/// `cmc`.
pub(crate) struct ComplementCarry;
/// `cld`, `std`: the direction becomes [`Fields::extra`].
pub(crate) struct SetDirection;
/// `lahf`.
pub(crate) struct FlagsToAh;
/// `sahf`.
pub(crate) struct AhToFlags;
/// `xlat`.
pub(crate) struct Translate;
/// `syscall`.
pub(crate) struct SystemCall;
/// `cpuid`.
pub(crate) struct Identify;
/// `rdtsc`.
pub(crate) struct TimeStamp;
/// `rdtscp`.
pub(crate) struct TimeStampAndProcessor;
/// `int3`.
pub(crate) struct Breakpoint;
/// What must not be executed.
pub(crate) struct Illegal;
/// What the hardware has to execute.
pub(crate) struct Hardware;

impl Body for Nothing {
    #[inline(always)]
    fn run<M: Memory>(_: &mut Cpu, _: &mut M, _: &Fields) -> Result<Flow, Trouble> {
        Ok(Flow::Next)
    }
}

impl Body for SetCarry {
    fn run<M: Memory>(cpu: &mut Cpu, _: &mut M, f: &Fields) -> Result<Flow, Trouble> {
        cpu.flags = cpu.flags.with_carry(f.extra == 1);
        Ok(Flow::Next)
    }
}

impl Body for ComplementCarry {
    fn run<M: Memory>(cpu: &mut Cpu, _: &mut M, _: &Fields) -> Result<Flow, Trouble> {
        cpu.flags = cpu.flags.with_carry(!cpu.flags.carry());
        Ok(Flow::Next)
    }
}

impl Body for SetDirection {
    fn run<M: Memory>(cpu: &mut Cpu, _: &mut M, f: &Fields) -> Result<Flow, Trouble> {
        cpu.other_flags = (cpu.other_flags & !Flag::DF) | if f.extra == 1 { Flag::DF } else { 0 };
        Ok(Flow::Next)
    }
}

/// The flags that fit in a byte.
const LOW: u64 = Flag::CF | Flag::PF | Flag::AF | Flag::ZF | Flag::SF;

impl Body for FlagsToAh {
    fn run<M: Memory>(cpu: &mut Cpu, _: &mut M, _: &Fields) -> Result<Flow, Trouble> {
        // Bit 1 of the flags is always set.
        cpu.set_part::<1>(RAX as u8, 8, (cpu.flags.bits() & LOW) | 2);
        Ok(Flow::Next)
    }
}

impl Body for AhToFlags {
    fn run<M: Memory>(cpu: &mut Cpu, _: &mut M, _: &Fields) -> Result<Flow, Trouble> {
        let ah = cpu.part::<1>(RAX as u8, 8);
        cpu.flags = Flags::from_bits((cpu.flags.bits() & !LOW) | (ah & LOW));
        Ok(Flow::Next)
    }
}

impl Body for Translate {
    fn run<M: Memory>(cpu: &mut Cpu, memory: &mut M, f: &Fields) -> Result<Flow, Trouble> {
        let at = cpu.r[RBX].wrapping_add(cpu.part::<1>(RAX as u8, 0)).wrapping_add(cpu.reg(f.segment));
        let value = load::<1, M>(memory, at)?;
        cpu.set_part::<1>(RAX as u8, 0, value);
        Ok(Flow::Next)
    }
}

impl Body for SystemCall {
    fn run<M: Memory>(cpu: &mut Cpu, _: &mut M, f: &Fields) -> Result<Flow, Trouble> {
        cpu.r[RCX] = f.next();
        cpu.r[R11] = cpu.all_flags();
        Ok(cpu.leave(f, Exit::Syscall))
    }
}

/// Instructions that only end the run: behind them, or before.
macro_rules! ends {
    ($($name:ident: $method:ident $exit:ident;)*) => { $(
        impl Body for $name {
            fn run<M: Memory>(cpu: &mut Cpu, _: &mut M, f: &Fields) -> Result<Flow, Trouble> {
                Ok(ends!(@ $method cpu, f, Exit::$exit))
            }
        }
    )* };
    (@ leave $cpu:ident, $f:ident, $exit:expr) => { $cpu.leave($f, $exit) };
    (@ refuse $cpu:ident, $f:ident, $exit:expr) => {{ let _ = $f; $cpu.refuse($exit) }};
}

ends! {
    Identify: leave Cpuid;
    TimeStamp: leave Rdtsc;
    TimeStampAndProcessor: leave Rdtscp;
    Breakpoint: leave Breakpoint;
    Illegal: refuse Illegal;
    Hardware: refuse Hardware;
}
