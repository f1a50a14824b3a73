//! Single bits: test, search, count; and byte order.

use std::marker::PhantomData;

use super::operand::Place;
use crate::cpu::flags::{Flags, sign_extend, truncate};
use crate::cpu::state::{Body, Cpu, Fields, Flow, load, store};
use crate::memory::{Memory, Trouble};

/// What is done with the bit that was tested.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Then {
    Nothing,
    Set,
    Reset,
    Complement,
}

impl Then {
    fn of(number: u8) -> Then {
        match number {
            0 => Then::Nothing,
            1 => Then::Set,
            2 => Then::Reset,
            _ => Then::Complement,
        }
    }

    fn apply(self, value: u64, bit: u32) -> u64 {
        match self {
            Then::Nothing => value,
            Then::Set => value | (1 << bit),
            Then::Reset => value & !(1 << bit),
            Then::Complement => value ^ (1 << bit),
        }
    }
}

/// `bt`, `bts`, `btr`, `btc` of a register, or of memory with an immediate: the bit number is taken modulo the size.
/// [`Fields::extra`] is the [`Then`].
pub(crate) struct BitTest<const W: usize, D, S>(PhantomData<(D, S)>);

impl<const W: usize, D: Place, S: Place> Body for BitTest<W, D, S> {
    fn run<M: Memory>(cpu: &mut Cpu, memory: &mut M, f: &Fields) -> Result<Flow, Trouble> {
        let at = D::locate(cpu, f);
        let value = D::read::<W, M>(cpu, memory, f, at)?;
        let bit = S::read::<W, M>(cpu, memory, f, 0)? as u32 & (8 * W as u32 - 1);
        let then = Then::of(f.extra);
        if then != Then::Nothing {
            D::write::<W, M>(cpu, memory, f, at, then.apply(value, bit))?;
        }
        cpu.flags = cpu.flags.with_carry((value >> bit) & 1 != 0);
        Ok(Flow::Next)
    }
}

/// The same of memory with a register: the bit number is signed and reaches beyond the operand.
pub(crate) struct BitTestFar<const W: usize>;

impl<const W: usize> Body for BitTestFar<W> {
    fn run<M: Memory>(cpu: &mut Cpu, memory: &mut M, f: &Fields) -> Result<Flow, Trouble> {
        let number = sign_extend::<W>(cpu.part::<W>(f.b, 0)) as i64;
        let units = number >> (8 * W as u32).trailing_zeros();
        let at = cpu.address(f).wrapping_add((units * W as i64) as u64);
        let bit = number as u32 & (8 * W as u32 - 1);
        let value = load::<W, M>(memory, at)?;
        let then = Then::of(f.extra);
        if then != Then::Nothing {
            store::<W, M>(memory, at, then.apply(value, bit))?;
        }
        cpu.flags = cpu.flags.with_carry((value >> bit) & 1 != 0);
        Ok(Flow::Next)
    }
}

/// Every way to find or count bits of a source.
pub(crate) trait Scan {
    /// The result, `None` leaves the register alone; and the flags.
    fn apply<const W: usize>(value: u64, before: Flags) -> (Option<u64>, Flags);
}

pub(crate) struct ScanForward;
pub(crate) struct ScanReverse;
pub(crate) struct CountTrailing;
pub(crate) struct CountLeading;
pub(crate) struct CountOnes;

/// The flags after a search: zero if there was nothing to find. The others are undefined; they stay.
fn searched(before: Flags, none: bool) -> Flags {
    use crate::cpu::Flag;
    let bits = before.bits() & !Flag::ZF;
    Flags::from_bits(if none { bits | Flag::ZF } else { bits })
}

/// The flags of a count: carry if there was nothing to find, zero if the result is. The others are undefined; they stay.
fn counted(before: Flags, none: bool, result: u64) -> Flags {
    searched(before, result == 0).with_carry(none)
}

impl Scan for ScanForward {
    fn apply<const W: usize>(value: u64, before: Flags) -> (Option<u64>, Flags) {
        let found = (value != 0).then(|| u64::from(value.trailing_zeros()));
        (found, searched(before, value == 0))
    }
}

impl Scan for ScanReverse {
    fn apply<const W: usize>(value: u64, before: Flags) -> (Option<u64>, Flags) {
        let found = (value != 0).then(|| 63 - u64::from(value.leading_zeros()));
        (found, searched(before, value == 0))
    }
}

impl Scan for CountTrailing {
    fn apply<const W: usize>(value: u64, before: Flags) -> (Option<u64>, Flags) {
        let result = u64::from(value.trailing_zeros()).min(8 * W as u64);
        (Some(result), counted(before, value == 0, result))
    }
}

impl Scan for CountLeading {
    fn apply<const W: usize>(value: u64, before: Flags) -> (Option<u64>, Flags) {
        let result = u64::from(value.leading_zeros()) - (64 - 8 * W as u64);
        (Some(result), counted(before, value == 0, result))
    }
}

impl Scan for CountOnes {
    fn apply<const W: usize>(value: u64, _: Flags) -> (Option<u64>, Flags) {
        use crate::cpu::Flag;
        (Some(u64::from(value.count_ones())), Flags::from_bits(if value == 0 { Flag::ZF } else { 0 }))
    }
}

/// `bsf`, `bsr`, `tzcnt`, `lzcnt`, `popcnt`.
pub(crate) struct Search<O, const W: usize, S>(PhantomData<(O, S)>);

impl<O: Scan, const W: usize, S: Place> Body for Search<O, W, S> {
    fn run<M: Memory>(cpu: &mut Cpu, memory: &mut M, f: &Fields) -> Result<Flow, Trouble> {
        let from = S::locate(cpu, f);
        let value = S::read::<W, M>(cpu, memory, f, from)?;
        let (result, flags) = O::apply::<W>(value, cpu.flags);
        if let Some(result) = result {
            cpu.set_part::<W>(f.a, 0, result);
        }
        cpu.flags = flags;
        Ok(Flow::Next)
    }
}

/// `bswap`.
pub(crate) struct SwapBytes<const W: usize>;

impl<const W: usize> Body for SwapBytes<W> {
    #[inline(always)]
    fn run<M: Memory>(cpu: &mut Cpu, _: &mut M, f: &Fields) -> Result<Flow, Trouble> {
        let value = cpu.part::<W>(f.a, 0);
        cpu.set_part::<W>(f.a, 0, truncate::<W>(value.swap_bytes() >> (64 - 8 * W)));
        Ok(Flow::Next)
    }
}
