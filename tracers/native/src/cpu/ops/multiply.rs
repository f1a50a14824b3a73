//! Multiplication and division.

use std::marker::PhantomData;

use super::operand::Place;
use crate::cpu::Exit;
use crate::cpu::flags::{Flags, sign_extend, truncate};
use crate::cpu::state::{Body, Cpu, Fields, Flow, RAX, RDX};
use crate::memory::{Memory, Trouble};

/// `mul S`: the accumulator, unsigned, into twice the size.
pub(crate) struct Multiply<const W: usize, S>(PhantomData<S>);
/// `imul S`: the same, signed.
pub(crate) struct SignedMultiply<const W: usize, S>(PhantomData<S>);
/// `imul A, S`.
pub(crate) struct MultiplyInto<const W: usize, S>(PhantomData<S>);
/// `imul A, S, immediate`.
pub(crate) struct MultiplyBy<const W: usize, S>(PhantomData<S>);
/// `div S`.
pub(crate) struct Divide<const W: usize, S>(PhantomData<S>);
/// `idiv S`.
pub(crate) struct SignedDivide<const W: usize, S>(PhantomData<S>);

/// The two registers (for bytes: the two bytes of AX) that hold a number of twice the size.
fn set_double<const W: usize>(cpu: &mut Cpu, high: u64, low: u64) {
    cpu.set_part::<W>(RAX as u8, 0, low);
    if W == 1 {
        cpu.set_part::<1>(RAX as u8, 8, high);
    } else {
        cpu.set_part::<W>(RDX as u8, 0, high);
    }
}

fn double<const W: usize>(cpu: &Cpu) -> u128 {
    let low = u128::from(cpu.part::<W>(RAX as u8, 0));
    let high = u128::from(if W == 1 { cpu.part::<1>(RAX as u8, 8) } else { cpu.part::<W>(RDX as u8, 0) });
    (high << (8 * W)) | low
}

impl<const W: usize, S: Place> Body for Multiply<W, S> {
    fn run<M: Memory>(cpu: &mut Cpu, memory: &mut M, f: &Fields) -> Result<Flow, Trouble> {
        let from = S::locate(cpu, f);
        let b = S::read::<W, M>(cpu, memory, f, from)?;
        let product = u128::from(cpu.part::<W>(RAX as u8, 0)) * u128::from(b);
        let (high, low) = (truncate::<W>((product >> (8 * W)) as u64), truncate::<W>(product as u64));
        set_double::<W>(cpu, high, low);
        cpu.flags = after_product::<W>(cpu.flags, low, high != 0);
        Ok(Flow::Next)
    }
}

impl<const W: usize, S: Place> Body for SignedMultiply<W, S> {
    fn run<M: Memory>(cpu: &mut Cpu, memory: &mut M, f: &Fields) -> Result<Flow, Trouble> {
        let from = S::locate(cpu, f);
        let b = S::read::<W, M>(cpu, memory, f, from)?;
        let (product, low, lost) = signed_product::<W>(cpu.part::<W>(RAX as u8, 0), b);
        set_double::<W>(cpu, truncate::<W>((product >> (8 * W)) as u64), low);
        cpu.flags = after_product::<W>(cpu.flags, low, lost);
        Ok(Flow::Next)
    }
}

/// The product, its lower half, and whether the upper half says more than the sign.
#[inline(always)]
fn signed_product<const W: usize>(a: u64, b: u64) -> (i128, u64, bool) {
    let product = i128::from(sign_extend::<W>(a) as i64) * i128::from(sign_extend::<W>(b) as i64);
    let low = truncate::<W>(product as u64);
    (product, low, product != i128::from(sign_extend::<W>(low) as i64))
}

/// Carry and overflow say whether the product needs the upper half. The others are undefined; they stay.
#[inline(always)]
fn after_product<const W: usize>(before: Flags, _low: u64, lost: bool) -> Flags {
    before.with_carry_overflow(lost, lost)
}

impl<const W: usize, S: Place> Body for MultiplyInto<W, S> {
    #[inline(always)]
    fn run<M: Memory>(cpu: &mut Cpu, memory: &mut M, f: &Fields) -> Result<Flow, Trouble> {
        let from = S::locate(cpu, f);
        let b = S::read::<W, M>(cpu, memory, f, from)?;
        let (_, low, lost) = signed_product::<W>(cpu.part::<W>(f.a, 0), b);
        cpu.set_part::<W>(f.a, 0, low);
        cpu.flags = after_product::<W>(cpu.flags, low, lost);
        Ok(Flow::Next)
    }
}

impl<const W: usize, S: Place> Body for MultiplyBy<W, S> {
    #[inline(always)]
    fn run<M: Memory>(cpu: &mut Cpu, memory: &mut M, f: &Fields) -> Result<Flow, Trouble> {
        let from = S::locate(cpu, f);
        let b = S::read::<W, M>(cpu, memory, f, from)?;
        let (_, low, lost) = signed_product::<W>(b, f.imm);
        cpu.set_part::<W>(f.a, 0, low);
        cpu.flags = after_product::<W>(cpu.flags, low, lost);
        Ok(Flow::Next)
    }
}

impl<const W: usize, S: Place> Body for Divide<W, S> {
    fn run<M: Memory>(cpu: &mut Cpu, memory: &mut M, f: &Fields) -> Result<Flow, Trouble> {
        let from = S::locate(cpu, f);
        let divisor = u128::from(S::read::<W, M>(cpu, memory, f, from)?);
        let dividend = double::<W>(cpu);
        let (quotient, remainder) = match dividend.checked_div(divisor) {
            // Most dividends fit in a register, and 128-bit division is slow.
            Some(_) if dividend >> 64 == 0 => {
                let (dividend, divisor) = (dividend as u64, divisor as u64);
                (u128::from(dividend / divisor), dividend % divisor)
            }
            Some(quotient) => (quotient, (dividend % divisor) as u64),
            None => return Ok(cpu.refuse(Exit::DivideError)),
        };
        if quotient >> (8 * W) != 0 {
            return Ok(cpu.refuse(Exit::DivideError));
        }
        set_double::<W>(cpu, remainder, quotient as u64);
        Ok(Flow::Next)
    }
}

impl<const W: usize, S: Place> Body for SignedDivide<W, S> {
    fn run<M: Memory>(cpu: &mut Cpu, memory: &mut M, f: &Fields) -> Result<Flow, Trouble> {
        let from = S::locate(cpu, f);
        let divisor = i128::from(sign_extend::<W>(S::read::<W, M>(cpu, memory, f, from)?) as i64);
        let unused = 128 - 16 * W as u32;
        let dividend = ((double::<W>(cpu) << unused) as i128) >> unused;
        let (quotient, remainder) = match (i64::try_from(dividend), divisor) {
            (_, 0) => return Ok(cpu.refuse(Exit::DivideError)),
            // Not 64 bits by -1: that can overflow.
            (Ok(dividend), divisor) if divisor != -1 => {
                let divisor = divisor as i64;
                (i128::from(dividend / divisor), dividend % divisor)
            }
            // The smallest number by -1 overflows: the quotient does not fit either.
            (_, divisor) => match dividend.checked_div(divisor) {
                Some(quotient) => (quotient, (dividend % divisor) as i64),
                None => return Ok(cpu.refuse(Exit::DivideError)),
            },
        };
        if quotient != i128::from(sign_extend::<W>(truncate::<W>(quotient as u64)) as i64) {
            return Ok(cpu.refuse(Exit::DivideError));
        }
        set_double::<W>(cpu, remainder as u64, quotient as u64);
        Ok(Flow::Next)
    }
}
