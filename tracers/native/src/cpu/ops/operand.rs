//! Kinds of operands.

use crate::cpu::state::{Cpu, Fields, load, store};
use crate::memory::{Memory, Trouble};

/// Where an operand is. `at` is its address, for those that have one.
pub(crate) trait Place {
    /// Whether it is a register: writing it cannot fail.
    const IN_REGISTER: bool = true;
    /// The operand's address.
    fn locate(cpu: &Cpu, f: &Fields) -> u64;
    /// Its value, zero-extended.
    fn read<const W: usize, M: Memory>(
        cpu: &Cpu,
        memory: &mut M,
        f: &Fields,
        at: u64,
    ) -> Result<u64, Trouble>;
    /// Sets its value.
    fn write<const W: usize, M: Memory>(
        cpu: &mut Cpu,
        memory: &mut M,
        f: &Fields,
        at: u64,
        value: u64,
    ) -> Result<(), Trouble>;
}

/// The register in [`Fields::a`].
pub(crate) struct A;
/// The register in [`Fields::b`].
pub(crate) struct B;
/// The immediate: read only.
pub(crate) struct I;
/// The memory operand.
pub(crate) struct Mem;

impl Place for A {
    #[inline(always)]
    fn locate(_: &Cpu, _: &Fields) -> u64 {
        0
    }
    #[inline(always)]
    fn read<const W: usize, M: Memory>(cpu: &Cpu, _: &mut M, f: &Fields, _: u64) -> Result<u64, Trouble> {
        Ok(cpu.part::<W>(f.a, f.a_shift))
    }
    #[inline(always)]
    fn write<const W: usize, M: Memory>(
        cpu: &mut Cpu,
        _: &mut M,
        f: &Fields,
        _: u64,
        value: u64,
    ) -> Result<(), Trouble> {
        cpu.set_part::<W>(f.a, f.a_shift, value);
        Ok(())
    }
}

impl Place for B {
    #[inline(always)]
    fn locate(_: &Cpu, _: &Fields) -> u64 {
        0
    }
    #[inline(always)]
    fn read<const W: usize, M: Memory>(cpu: &Cpu, _: &mut M, f: &Fields, _: u64) -> Result<u64, Trouble> {
        Ok(cpu.part::<W>(f.b, f.b_shift))
    }
    #[inline(always)]
    fn write<const W: usize, M: Memory>(
        cpu: &mut Cpu,
        _: &mut M,
        f: &Fields,
        _: u64,
        value: u64,
    ) -> Result<(), Trouble> {
        cpu.set_part::<W>(f.b, f.b_shift, value);
        Ok(())
    }
}

impl Place for I {
    #[inline(always)]
    fn locate(_: &Cpu, _: &Fields) -> u64 {
        0
    }
    #[inline(always)]
    fn read<const W: usize, M: Memory>(_: &Cpu, _: &mut M, f: &Fields, _: u64) -> Result<u64, Trouble> {
        Ok(f.imm)
    }
    #[inline(always)]
    fn write<const W: usize, M: Memory>(
        _: &mut Cpu,
        _: &mut M,
        _: &Fields,
        _: u64,
        _: u64,
    ) -> Result<(), Trouble> {
        Ok(())
    }
}

impl Place for Mem {
    const IN_REGISTER: bool = false;
    #[inline(always)]
    fn locate(cpu: &Cpu, f: &Fields) -> u64 {
        cpu.address(f)
    }
    #[inline(always)]
    fn read<const W: usize, M: Memory>(_: &Cpu, memory: &mut M, _: &Fields, at: u64) -> Result<u64, Trouble> {
        load::<W, M>(memory, at)
    }
    #[inline(always)]
    fn write<const W: usize, M: Memory>(
        _: &mut Cpu,
        memory: &mut M,
        _: &Fields,
        at: u64,
        value: u64,
    ) -> Result<(), Trouble> {
        store::<W, M>(memory, at, value)
    }
}
