//! String instructions. A repeated one does as many repetitions at once as it may, and is exact between any two.

use std::marker::PhantomData;

use super::alu::{Cmp, Operation};
use crate::cpu::Flag;
use crate::cpu::state::{Body, Cpu, Fields, Flow, RAX, RCX, RDI, RSI, load, store};
use crate::memory::{Memory, Trouble};

/// One repetition.
pub(crate) trait Once {
    /// Whether it compares: then the prefix says how the comparison has to end to go on.
    const COMPARES: bool = false;
    fn once<const W: usize, M: Memory>(cpu: &mut Cpu, memory: &mut M, f: &Fields) -> Result<(), Trouble>;
}

pub(crate) struct Move;
pub(crate) struct Fill;
pub(crate) struct Fetch;
pub(crate) struct Find;
pub(crate) struct Compare;

/// How far the pointers move.
#[inline(always)]
fn stride<const W: usize>(cpu: &Cpu) -> u64 {
    if cpu.other_flags & Flag::DF == 0 { W as u64 } else { (W as u64).wrapping_neg() }
}

/// The source's address. Its segment can be changed by a prefix; the destination's cannot.
#[inline(always)]
fn source(cpu: &Cpu, f: &Fields) -> u64 {
    cpu.r[RSI].wrapping_add(cpu.reg(f.segment))
}

impl Once for Move {
    #[inline(always)]
    fn once<const W: usize, M: Memory>(cpu: &mut Cpu, memory: &mut M, f: &Fields) -> Result<(), Trouble> {
        let value = load::<W, M>(memory, source(cpu, f))?;
        store::<W, M>(memory, cpu.r[RDI], value)?;
        let stride = stride::<W>(cpu);
        cpu.r[RSI] = cpu.r[RSI].wrapping_add(stride);
        cpu.r[RDI] = cpu.r[RDI].wrapping_add(stride);
        Ok(())
    }
}

impl Once for Fill {
    #[inline(always)]
    fn once<const W: usize, M: Memory>(cpu: &mut Cpu, memory: &mut M, _: &Fields) -> Result<(), Trouble> {
        store::<W, M>(memory, cpu.r[RDI], cpu.r[RAX])?;
        cpu.r[RDI] = cpu.r[RDI].wrapping_add(stride::<W>(cpu));
        Ok(())
    }
}

impl Once for Fetch {
    #[inline(always)]
    fn once<const W: usize, M: Memory>(cpu: &mut Cpu, memory: &mut M, f: &Fields) -> Result<(), Trouble> {
        let value = load::<W, M>(memory, source(cpu, f))?;
        cpu.set_part::<W>(RAX as u8, 0, value);
        cpu.r[RSI] = cpu.r[RSI].wrapping_add(stride::<W>(cpu));
        Ok(())
    }
}

impl Once for Find {
    const COMPARES: bool = true;
    #[inline(always)]
    fn once<const W: usize, M: Memory>(cpu: &mut Cpu, memory: &mut M, _: &Fields) -> Result<(), Trouble> {
        let value = load::<W, M>(memory, cpu.r[RDI])?;
        (_, cpu.flags) = Cmp::apply::<W>(cpu.part::<W>(RAX as u8, 0), value, cpu.flags);
        cpu.r[RDI] = cpu.r[RDI].wrapping_add(stride::<W>(cpu));
        Ok(())
    }
}

impl Once for Compare {
    const COMPARES: bool = true;
    #[inline(always)]
    fn once<const W: usize, M: Memory>(cpu: &mut Cpu, memory: &mut M, f: &Fields) -> Result<(), Trouble> {
        let a = load::<W, M>(memory, source(cpu, f))?;
        let b = load::<W, M>(memory, cpu.r[RDI])?;
        (_, cpu.flags) = Cmp::apply::<W>(a, b, cpu.flags);
        let stride = stride::<W>(cpu);
        cpu.r[RSI] = cpu.r[RSI].wrapping_add(stride);
        cpu.r[RDI] = cpu.r[RDI].wrapping_add(stride);
        Ok(())
    }
}

/// Without a prefix.
pub(crate) struct Single<O, const W: usize>(PhantomData<O>);

impl<O: Once, const W: usize> Body for Single<O, W> {
    fn run<M: Memory>(cpu: &mut Cpu, memory: &mut M, f: &Fields) -> Result<Flow, Trouble> {
        O::once::<W, M>(cpu, memory, f)?;
        Ok(Flow::Next)
    }
}

/// With a prefix: [`Fields::extra`] is 1 for `rep` and `repe`, 0 for `repne`.
pub(crate) struct Repeated<O, const W: usize>(PhantomData<O>);

impl<O: Once, const W: usize> Body for Repeated<O, W> {
    fn run<M: Memory>(cpu: &mut Cpu, memory: &mut M, f: &Fields) -> Result<Flow, Trouble> {
        if cpu.r[RCX] == 0 {
            return Ok(Flow::Next);
        }
        loop {
            O::once::<W, M>(cpu, memory, f)?;
            cpu.r[RCX] -= 1;
            let ended = cpu.r[RCX] == 0 || O::COMPARES && cpu.flags.zero() != (f.extra == 1);
            if ended {
                return Ok(Flow::Next);
            }
            if cpu.repetitions == 0 {
                return Ok(Flow::Again);
            }
            // The last repetition is counted as the instruction itself.
            cpu.repetitions -= 1;
            cpu.repeated += 1;
        }
    }
}
