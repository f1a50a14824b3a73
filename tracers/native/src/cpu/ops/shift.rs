//! Shifts and rotations.
//!
//! Counts are taken modulo 32 (or 64 for eight bytes); a count of zero changes nothing, the flags included. Overflow
//! after a count other than one is undefined; it is computed here as for one, as processors do.

use std::marker::PhantomData;

use super::operand::Place;
use crate::cpu::flags::{Flags, sign_extend, top, truncate};
use crate::cpu::state::{Body, Cpu, Fields, Flow, RCX};
use crate::memory::{Memory, Trouble};

/// A shift of a number of `W` bytes by 1 to 31 (63) bits: its result and flags.
pub(crate) trait Operation {
    fn apply<const W: usize>(a: u64, count: u32, before: Flags) -> (u64, Flags);
}

pub(crate) struct Shl;
pub(crate) struct Shr;
pub(crate) struct Sar;
pub(crate) struct Rol;
pub(crate) struct Ror;
pub(crate) struct Rcl;
pub(crate) struct Rcr;

/// `op D, S`.
pub(crate) struct Shift<O, const W: usize, D, S>(PhantomData<(O, D, S)>);

impl<O: Operation, const W: usize, D: Place, S: Place> Body for Shift<O, W, D, S> {
    #[inline(always)]
    fn run<M: Memory>(cpu: &mut Cpu, memory: &mut M, f: &Fields) -> Result<Flow, Trouble> {
        let at = D::locate(cpu, f);
        let a = D::read::<W, M>(cpu, memory, f, at)?;
        let count = S::read::<1, M>(cpu, memory, f, 0)? as u32 & if W == 8 { 63 } else { 31 };
        if count == 0 {
            // Written back all the same: four bytes clear the upper half of a register.
            D::write::<W, M>(cpu, memory, f, at, a)?;
            return Ok(Flow::Next);
        }
        let (result, flags) = O::apply::<W>(a, count, cpu.flags);
        D::write::<W, M>(cpu, memory, f, at, result)?;
        cpu.flags = flags;
        Ok(Flow::Next)
    }
}

impl Operation for Shl {
    #[inline(always)]
    fn apply<const W: usize>(a: u64, count: u32, _: Flags) -> (u64, Flags) {
        let wide = u128::from(a) << count;
        let result = truncate::<W>(wide as u64);
        let carry = (wide >> (8 * W)) & 1 != 0;
        (result, Flags::of_shift::<W>(result, carry, carry ^ top::<W>(result)))
    }
}

impl Operation for Shr {
    #[inline(always)]
    fn apply<const W: usize>(a: u64, count: u32, _: Flags) -> (u64, Flags) {
        let result = a >> count;
        let carry = (a >> (count - 1)) & 1 != 0;
        // The two top bits of the result differ only after a shift by one.
        let overflow = top::<W>(result) ^ top::<W>(result << 1);
        (result, Flags::of_shift::<W>(result, carry, overflow))
    }
}

impl Operation for Sar {
    #[inline(always)]
    fn apply<const W: usize>(a: u64, count: u32, _: Flags) -> (u64, Flags) {
        let signed = sign_extend::<W>(a) as i64;
        let result = truncate::<W>((signed >> count) as u64);
        let carry = (signed >> (count - 1)) & 1 != 0;
        (result, Flags::of_shift::<W>(result, carry, false))
    }
}

impl Operation for Rol {
    #[inline(always)]
    fn apply<const W: usize>(a: u64, count: u32, before: Flags) -> (u64, Flags) {
        let result = rotate_left::<W>(a, count);
        let carry = result & 1 != 0;
        (result, before.with_carry_overflow(carry, carry ^ top::<W>(result)))
    }
}

impl Operation for Ror {
    #[inline(always)]
    fn apply<const W: usize>(a: u64, count: u32, before: Flags) -> (u64, Flags) {
        let bits = 8 * W as u32;
        let result = rotate_left::<W>(a, bits - count % bits);
        let overflow = top::<W>(result) ^ top::<W>(result << 1);
        (result, before.with_carry_overflow(top::<W>(result), overflow))
    }
}

#[inline(always)]
fn rotate_left<const W: usize>(a: u64, count: u32) -> u64 {
    match W {
        1 => u64::from((a as u8).rotate_left(count)),
        2 => u64::from((a as u16).rotate_left(count)),
        4 => u64::from((a as u32).rotate_left(count)),
        _ => a.rotate_left(count),
    }
}

/// Rotates the number with the carry above it, one bit more than `W` bytes.
fn rotate_with_carry<const W: usize>(a: u64, carry: bool, left: u32) -> (u64, bool) {
    let bits = 8 * W as u32 + 1;
    let left = left % bits;
    let both = u128::from(a) | (u128::from(carry) << (bits - 1));
    let turned = if left == 0 { both } else { (both << left) | (both >> (bits - left)) };
    (truncate::<W>(turned as u64), (turned >> (bits - 1)) & 1 != 0)
}

impl Operation for Rcl {
    fn apply<const W: usize>(a: u64, count: u32, before: Flags) -> (u64, Flags) {
        let (result, carry) = rotate_with_carry::<W>(a, before.carry(), count);
        (result, before.with_carry_overflow(carry, carry ^ top::<W>(result)))
    }
}

impl Operation for Rcr {
    fn apply<const W: usize>(a: u64, count: u32, before: Flags) -> (u64, Flags) {
        let bits = 8 * W as u32 + 1;
        let (result, carry) = rotate_with_carry::<W>(a, before.carry(), bits - count % bits);
        let overflow = top::<W>(result) ^ top::<W>(result << 1);
        (result, before.with_carry_overflow(carry, overflow))
    }
}

/// `shld D, B, count`, or `shrd` if `RIGHT`. The count is the immediate if [`Fields::extra`] says so, else CL.
pub(crate) struct DoubleShift<const RIGHT: bool, const W: usize, D>(PhantomData<D>);

impl<const RIGHT: bool, const W: usize, D: Place> Body for DoubleShift<RIGHT, W, D> {
    fn run<M: Memory>(cpu: &mut Cpu, memory: &mut M, f: &Fields) -> Result<Flow, Trouble> {
        let at = D::locate(cpu, f);
        let a = D::read::<W, M>(cpu, memory, f, at)?;
        let b = cpu.part::<W>(f.b, 0);
        let bits = 8 * W as u32;
        let count = if f.extra == 1 { f.imm as u32 } else { cpu.r[RCX] as u32 };
        let count = count & if W == 8 { 63 } else { 31 };
        if count == 0 {
            D::write::<W, M>(cpu, memory, f, at, a)?;
            return Ok(Flow::Next);
        }
        // Three times the size, so that counts above 16 have something to shift in for two bytes: a, b, a.
        let (wide_a, wide_b) = (u128::from(a), u128::from(b));
        let (result, carry) = if RIGHT {
            let pair = wide_a | (wide_b << bits) | if W == 2 { wide_a << (2 * bits) } else { 0 };
            ((pair >> count) as u64, (pair >> (count - 1)) & 1 != 0)
        } else if W == 2 {
            let triple = (wide_a << (2 * bits)) | (wide_b << bits) | wide_a;
            ((triple >> (2 * bits - count)) as u64, (triple >> (3 * bits - count)) & 1 != 0)
        } else {
            let pair = (wide_a << bits) | wide_b;
            ((pair >> (bits - count)) as u64, (pair >> (2 * bits - count)) & 1 != 0)
        };
        let result = truncate::<W>(result);
        D::write::<W, M>(cpu, memory, f, at, result)?;
        cpu.flags = Flags::of_shift::<W>(result, carry, top::<W>(result) ^ top::<W>(a));
        Ok(Flow::Next)
    }
}
