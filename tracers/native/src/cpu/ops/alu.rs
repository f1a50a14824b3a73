//! Addition, subtraction, comparison and bitwise logic.

use std::marker::PhantomData;

use super::operand::Place;
use crate::cpu::flags::{Flags, truncate};
use crate::cpu::state::{Body, Cpu, Fields, Flow};
use crate::memory::{Memory, Trouble};

/// An operation on two numbers of `W` bytes: its result and flags.
pub(crate) trait Operation {
    /// Whether the result is written to the first operand.
    const WRITES: bool = true;
    fn apply<const W: usize>(a: u64, b: u64, before: Flags) -> (u64, Flags);
}

pub(crate) struct Add;
pub(crate) struct Adc;
pub(crate) struct Sub;
pub(crate) struct Sbb;
pub(crate) struct Cmp;
pub(crate) struct And;
pub(crate) struct Or;
pub(crate) struct Xor;
pub(crate) struct Test;

impl Operation for Add {
    #[inline(always)]
    fn apply<const W: usize>(a: u64, b: u64, _: Flags) -> (u64, Flags) {
        let result = truncate::<W>(a.wrapping_add(b));
        (result, Flags::of_sum::<W>(a, b, result))
    }
}

impl Operation for Adc {
    #[inline(always)]
    fn apply<const W: usize>(a: u64, b: u64, before: Flags) -> (u64, Flags) {
        let result = truncate::<W>(a.wrapping_add(b).wrapping_add(u64::from(before.carry())));
        (result, Flags::of_sum::<W>(a, b, result))
    }
}

impl Operation for Sub {
    #[inline(always)]
    fn apply<const W: usize>(a: u64, b: u64, _: Flags) -> (u64, Flags) {
        let result = truncate::<W>(a.wrapping_sub(b));
        (result, Flags::of_difference::<W>(a, b, result))
    }
}

impl Operation for Sbb {
    #[inline(always)]
    fn apply<const W: usize>(a: u64, b: u64, before: Flags) -> (u64, Flags) {
        let result = truncate::<W>(a.wrapping_sub(b).wrapping_sub(u64::from(before.carry())));
        (result, Flags::of_difference::<W>(a, b, result))
    }
}

impl Operation for Cmp {
    const WRITES: bool = false;
    #[inline(always)]
    fn apply<const W: usize>(a: u64, b: u64, before: Flags) -> (u64, Flags) {
        Sub::apply::<W>(a, b, before)
    }
}

impl Operation for And {
    #[inline(always)]
    fn apply<const W: usize>(a: u64, b: u64, _: Flags) -> (u64, Flags) {
        (a & b, Flags::of_logic::<W>(a & b))
    }
}

impl Operation for Or {
    #[inline(always)]
    fn apply<const W: usize>(a: u64, b: u64, _: Flags) -> (u64, Flags) {
        (a | b, Flags::of_logic::<W>(a | b))
    }
}

impl Operation for Xor {
    #[inline(always)]
    fn apply<const W: usize>(a: u64, b: u64, _: Flags) -> (u64, Flags) {
        (a ^ b, Flags::of_logic::<W>(a ^ b))
    }
}

impl Operation for Test {
    const WRITES: bool = false;
    #[inline(always)]
    fn apply<const W: usize>(a: u64, b: u64, _: Flags) -> (u64, Flags) {
        (a & b, Flags::of_logic::<W>(a & b))
    }
}

/// `op D, S`.
pub(crate) struct Binary<O, const W: usize, D, S>(PhantomData<(O, D, S)>);

impl<O: Operation, const W: usize, D: Place, S: Place> Body for Binary<O, W, D, S> {
    #[inline(always)]
    fn run<M: Memory>(cpu: &mut Cpu, memory: &mut M, f: &Fields) -> Result<Flow, Trouble> {
        let at = D::locate(cpu, f);
        let a = D::read::<W, M>(cpu, memory, f, at)?;
        let from = S::locate(cpu, f);
        let b = S::read::<W, M>(cpu, memory, f, from)?;
        let (result, flags) = O::apply::<W>(a, b, cpu.flags);
        if O::WRITES {
            D::write::<W, M>(cpu, memory, f, at, result)?;
        }
        cpu.flags = flags;
        Ok(Flow::Next)
    }
}

/// An operation on one number; `None` leaves the flags alone.
pub(crate) trait Alone {
    fn apply<const W: usize>(a: u64, before: Flags) -> (u64, Option<Flags>);
}

pub(crate) struct Inc;
pub(crate) struct Dec;
pub(crate) struct Neg;
pub(crate) struct Not;

impl Alone for Inc {
    #[inline(always)]
    fn apply<const W: usize>(a: u64, before: Flags) -> (u64, Option<Flags>) {
        let result = truncate::<W>(a.wrapping_add(1));
        (result, Some(Flags::of_sum::<W>(a, 1, result).with_carry(before.carry())))
    }
}

impl Alone for Dec {
    #[inline(always)]
    fn apply<const W: usize>(a: u64, before: Flags) -> (u64, Option<Flags>) {
        let result = truncate::<W>(a.wrapping_sub(1));
        (result, Some(Flags::of_difference::<W>(a, 1, result).with_carry(before.carry())))
    }
}

impl Alone for Neg {
    #[inline(always)]
    fn apply<const W: usize>(a: u64, _: Flags) -> (u64, Option<Flags>) {
        let result = truncate::<W>(a.wrapping_neg());
        (result, Some(Flags::of_difference::<W>(0, a, result)))
    }
}

impl Alone for Not {
    #[inline(always)]
    fn apply<const W: usize>(a: u64, _: Flags) -> (u64, Option<Flags>) {
        (truncate::<W>(!a), None)
    }
}

/// `op D`.
pub(crate) struct Unary<O, const W: usize, D>(PhantomData<(O, D)>);

impl<O: Alone, const W: usize, D: Place> Body for Unary<O, W, D> {
    #[inline(always)]
    fn run<M: Memory>(cpu: &mut Cpu, memory: &mut M, f: &Fields) -> Result<Flow, Trouble> {
        let at = D::locate(cpu, f);
        let a = D::read::<W, M>(cpu, memory, f, at)?;
        let (result, flags) = O::apply::<W>(a, cpu.flags);
        D::write::<W, M>(cpu, memory, f, at, result)?;
        if let Some(flags) = flags {
            cpu.flags = flags;
        }
        Ok(Flow::Next)
    }
}
