//! Moving values around.

use std::marker::PhantomData;

use super::operand::Place;
use crate::cpu::flags::{sign_extend, truncate};
use crate::cpu::state::{Body, Cpu, Fields, Flow, RAX, RDX};
use crate::memory::{Memory, Trouble};

/// `mov D, S`.
pub(crate) struct Mov<const W: usize, D, S>(PhantomData<(D, S)>);

impl<const W: usize, D: Place, S: Place> Body for Mov<W, D, S> {
    #[inline(always)]
    fn run<M: Memory>(cpu: &mut Cpu, memory: &mut M, f: &Fields) -> Result<Flow, Trouble> {
        let from = S::locate(cpu, f);
        let value = S::read::<W, M>(cpu, memory, f, from)?;
        let at = D::locate(cpu, f);
        D::write::<W, M>(cpu, memory, f, at, value)?;
        Ok(Flow::Next)
    }
}

/// `movzx`: from `N` bytes to a register's `W`.
pub(crate) struct ZeroExtend<const N: usize, const W: usize, S>(PhantomData<S>);
/// `movsx`, `movsxd`: from `N` bytes to a register's `W`.
pub(crate) struct SignExtend<const N: usize, const W: usize, S>(PhantomData<S>);

impl<const N: usize, const W: usize, S: Place> Body for ZeroExtend<N, W, S> {
    #[inline(always)]
    fn run<M: Memory>(cpu: &mut Cpu, memory: &mut M, f: &Fields) -> Result<Flow, Trouble> {
        let from = S::locate(cpu, f);
        let value = S::read::<N, M>(cpu, memory, f, from)?;
        cpu.set_part::<W>(f.a, 0, value);
        Ok(Flow::Next)
    }
}

impl<const N: usize, const W: usize, S: Place> Body for SignExtend<N, W, S> {
    #[inline(always)]
    fn run<M: Memory>(cpu: &mut Cpu, memory: &mut M, f: &Fields) -> Result<Flow, Trouble> {
        let from = S::locate(cpu, f);
        let value = S::read::<N, M>(cpu, memory, f, from)?;
        cpu.set_part::<W>(f.a, 0, sign_extend::<N>(value));
        Ok(Flow::Next)
    }
}

/// `lea`.
pub(crate) struct Lea<const W: usize>;

impl<const W: usize> Body for Lea<W> {
    #[inline(always)]
    fn run<M: Memory>(cpu: &mut Cpu, _: &mut M, f: &Fields) -> Result<Flow, Trouble> {
        let address = cpu.offset(f);
        cpu.set_part::<W>(f.a, 0, address);
        Ok(Flow::Next)
    }
}

/// `cmovcc`, its condition in [`Fields::extra`].
pub(crate) struct ConditionalMove<const W: usize, S>(PhantomData<S>);

impl<const W: usize, S: Place> Body for ConditionalMove<W, S> {
    #[inline(always)]
    fn run<M: Memory>(cpu: &mut Cpu, memory: &mut M, f: &Fields) -> Result<Flow, Trouble> {
        // The operand is loaded, and four bytes clear the upper half, whether the condition holds or not.
        let from = S::locate(cpu, f);
        let value = S::read::<W, M>(cpu, memory, f, from)?;
        let kept = cpu.part::<W>(f.a, 0);
        let value = if cpu.flags.condition(f.extra) { value } else { kept };
        cpu.set_part::<W>(f.a, 0, value);
        Ok(Flow::Next)
    }
}

/// `setcc`, its condition in [`Fields::extra`].
pub(crate) struct SetCondition<D>(PhantomData<D>);

impl<D: Place> Body for SetCondition<D> {
    #[inline(always)]
    fn run<M: Memory>(cpu: &mut Cpu, memory: &mut M, f: &Fields) -> Result<Flow, Trouble> {
        let at = D::locate(cpu, f);
        let value = u64::from(cpu.flags.condition(f.extra));
        D::write::<1, M>(cpu, memory, f, at, value)?;
        Ok(Flow::Next)
    }
}

/// `cbw`, `cwde`, `cdqe`: the accumulator's lower half fills its `W` bytes.
pub(crate) struct WidenAccumulator<const W: usize>;

impl<const W: usize> Body for WidenAccumulator<W> {
    fn run<M: Memory>(cpu: &mut Cpu, _: &mut M, _: &Fields) -> Result<Flow, Trouble> {
        let value = match W {
            2 => sign_extend::<1>(cpu.r[RAX]),
            4 => sign_extend::<2>(cpu.r[RAX]),
            _ => sign_extend::<4>(cpu.r[RAX]),
        };
        cpu.set_part::<W>(RAX as u8, 0, value);
        Ok(Flow::Next)
    }
}

/// `cwd`, `cdq`, `cqo`: the accumulator's sign fills RDX.
pub(crate) struct SignToRdx<const W: usize>;

impl<const W: usize> Body for SignToRdx<W> {
    fn run<M: Memory>(cpu: &mut Cpu, _: &mut M, _: &Fields) -> Result<Flow, Trouble> {
        let sign = ((sign_extend::<W>(cpu.r[RAX]) as i64) >> 63) as u64;
        cpu.set_part::<W>(RDX as u8, 0, truncate::<W>(sign));
        Ok(Flow::Next)
    }
}
