//! Exchanges: what locks and counters are made of.
//!
//! A `lock` prefix changes nothing here: whoever runs threads decides between instructions.

use std::marker::PhantomData;

use super::alu::{Add, Cmp, Operation};
use super::operand::Place;
use crate::cpu::state::{Body, Cpu, Fields, Flow, RAX, RBX, RCX, RDX, aligned};
use crate::memory::{Memory, Trouble};

/// `xchg D, B`.
pub(crate) struct Exchange<const W: usize, D>(PhantomData<D>);
/// `xadd D, B`.
pub(crate) struct ExchangeAdd<const W: usize, D>(PhantomData<D>);
/// `cmpxchg D, B`.
pub(crate) struct CompareExchange<const W: usize, D>(PhantomData<D>);
/// `cmpxchg8b`.
pub(crate) struct CompareExchange8;
/// `cmpxchg16b`.
pub(crate) struct CompareExchange16;

impl<const W: usize, D: Place> Body for Exchange<W, D> {
    #[inline(always)]
    fn run<M: Memory>(cpu: &mut Cpu, memory: &mut M, f: &Fields) -> Result<Flow, Trouble> {
        let at = D::locate(cpu, f);
        let old = D::read::<W, M>(cpu, memory, f, at)?;
        let new = cpu.part::<W>(f.b, f.b_shift);
        D::write::<W, M>(cpu, memory, f, at, new)?;
        cpu.set_part::<W>(f.b, f.b_shift, old);
        Ok(Flow::Next)
    }
}

impl<const W: usize, D: Place> Body for ExchangeAdd<W, D> {
    #[inline(always)]
    fn run<M: Memory>(cpu: &mut Cpu, memory: &mut M, f: &Fields) -> Result<Flow, Trouble> {
        let at = D::locate(cpu, f);
        let old = D::read::<W, M>(cpu, memory, f, at)?;
        let (sum, flags) = Add::apply::<W>(old, cpu.part::<W>(f.b, f.b_shift), cpu.flags);
        if D::IN_REGISTER {
            // With twice the same register the sum is what stays.
            cpu.set_part::<W>(f.b, f.b_shift, old);
            D::write::<W, M>(cpu, memory, f, at, sum)?;
        } else {
            D::write::<W, M>(cpu, memory, f, at, sum)?;
            cpu.set_part::<W>(f.b, f.b_shift, old);
        }
        cpu.flags = flags;
        Ok(Flow::Next)
    }
}

impl<const W: usize, D: Place> Body for CompareExchange<W, D> {
    #[inline(always)]
    fn run<M: Memory>(cpu: &mut Cpu, memory: &mut M, f: &Fields) -> Result<Flow, Trouble> {
        let at = D::locate(cpu, f);
        let old = D::read::<W, M>(cpu, memory, f, at)?;
        let expected = cpu.part::<W>(RAX as u8, 0);
        let (_, flags) = Cmp::apply::<W>(expected, old, cpu.flags);
        let same = expected == old;
        // The hardware writes in either case: a page that cannot be written faults even if the values differ.
        let new = if same { cpu.part::<W>(f.b, f.b_shift) } else { old };
        if same || !D::IN_REGISTER {
            D::write::<W, M>(cpu, memory, f, at, new)?;
        }
        if !same {
            cpu.set_part::<W>(RAX as u8, 0, old);
        }
        cpu.flags = flags;
        Ok(Flow::Next)
    }
}

impl Body for CompareExchange8 {
    fn run<M: Memory>(cpu: &mut Cpu, memory: &mut M, f: &Fields) -> Result<Flow, Trouble> {
        let at = cpu.address(f);
        let old = u64::from_le_bytes(memory.load(at)?);
        let pair = |high: u64, low: u64| (high << 32) | (low & 0xffff_ffff);
        let same = old == pair(cpu.r[RDX], cpu.r[RAX]);
        let new = if same { pair(cpu.r[RCX], cpu.r[RBX]) } else { old };
        memory.store(at, new.to_le_bytes())?;
        if !same {
            cpu.r[RAX] = old & 0xffff_ffff;
            cpu.r[RDX] = old >> 32;
        }
        cpu.set_zero(same);
        Ok(Flow::Next)
    }
}

impl Body for CompareExchange16 {
    fn run<M: Memory>(cpu: &mut Cpu, memory: &mut M, f: &Fields) -> Result<Flow, Trouble> {
        let at = cpu.address(f);
        aligned(at)?;
        let old = u128::from_le_bytes(memory.load(at)?);
        let pair = |high: u64, low: u64| (u128::from(high) << 64) | u128::from(low);
        let same = old == pair(cpu.r[RDX], cpu.r[RAX]);
        let new = if same { pair(cpu.r[RCX], cpu.r[RBX]) } else { old };
        memory.store(at, new.to_le_bytes())?;
        if !same {
            cpu.r[RAX] = old as u64;
            cpu.r[RDX] = (old >> 64) as u64;
        }
        cpu.set_zero(same);
        Ok(Flow::Next)
    }
}
