//! Moving vectors and their parts.

use std::marker::PhantomData;

use crate::cpu::flags::truncate;
use crate::cpu::state::{Body, Cpu, Fields, Flow, aligned, load, store};
use crate::memory::{Memory, Trouble};

/// Where a vector operand comes from.
pub(crate) trait Source {
    /// All 16 bytes; from memory they must be aligned.
    fn whole<M: Memory>(cpu: &Cpu, memory: &mut M, f: &Fields) -> Result<u128, Trouble>;
    /// The low `N` bytes, from any address; whatever is above them in a register may come too.
    fn low<const N: usize, M: Memory>(cpu: &Cpu, memory: &mut M, f: &Fields) -> Result<u128, Trouble>;
}

/// The vector register in [`Fields::b`].
pub(crate) struct Xmm;
/// The memory operand.
pub(crate) struct Mem;

impl Source for Xmm {
    #[inline(always)]
    fn whole<M: Memory>(cpu: &Cpu, _: &mut M, f: &Fields) -> Result<u128, Trouble> {
        Ok(cpu.vector(f.b))
    }
    #[inline(always)]
    fn low<const N: usize, M: Memory>(cpu: &Cpu, _: &mut M, f: &Fields) -> Result<u128, Trouble> {
        Ok(cpu.vector(f.b))
    }
}

impl Source for Mem {
    #[inline(always)]
    fn whole<M: Memory>(cpu: &Cpu, memory: &mut M, f: &Fields) -> Result<u128, Trouble> {
        let at = cpu.address(f);
        aligned(at)?;
        Ok(u128::from_le_bytes(memory.load(at)?))
    }
    #[inline(always)]
    fn low<const N: usize, M: Memory>(cpu: &Cpu, memory: &mut M, f: &Fields) -> Result<u128, Trouble> {
        let at = cpu.address(f);
        if N == 16 {
            return Ok(u128::from_le_bytes(memory.load(at)?));
        }
        Ok(u128::from(load::<N, M>(memory, at)?))
    }
}

/// A vector register to another.
pub(crate) struct Copy;
/// 16 bytes from memory, aligned or not.
pub(crate) struct Load<const ALIGNED: bool>;
/// 16 bytes to memory, aligned or not.
pub(crate) struct Store<const ALIGNED: bool>;
/// The low `N` bytes of a vector register or memory, cleared above.
pub(crate) struct LoadLow<const N: usize, S>(PhantomData<S>);
/// The low `N` bytes to memory.
pub(crate) struct StoreLow<const N: usize>;
/// The low `N` bytes of another register, the rest kept.
pub(crate) struct MergeLow<const N: usize>;
/// Eight bytes from memory to a half (0: low, 8: high), the other kept.
pub(crate) struct LoadHalf<const HALF: u32>;
/// The high half to memory.
pub(crate) struct StoreHigh;
/// `movlhps`: the other's low half becomes this one's high half.
pub(crate) struct LowToHigh;
/// `movhlps`: the other's high half becomes this one's low half.
pub(crate) struct HighToLow;
/// `movd`, `movq` from a general register.
pub(crate) struct FromGeneral<const W: usize>;
/// `movd`, `movq` to a general register.
pub(crate) struct ToGeneral<const W: usize>;
/// `pinsrw` from a general register.
pub(crate) struct InsertWord;
/// `pinsrw` from memory.
pub(crate) struct InsertWordFromMemory;
/// `pextrw`.
pub(crate) struct ExtractWord;
/// `pmovmskb`, `movmskps`, `movmskpd`: the top bits of elements of `N` bytes.
pub(crate) struct Signs<const N: usize>;

impl Body for Copy {
    #[inline(always)]
    fn run<M: Memory>(cpu: &mut Cpu, _: &mut M, f: &Fields) -> Result<Flow, Trouble> {
        cpu.set_vector(f.a, cpu.vector(f.b));
        Ok(Flow::Next)
    }
}

impl<const ALIGNED: bool> Body for Load<ALIGNED> {
    #[inline(always)]
    fn run<M: Memory>(cpu: &mut Cpu, memory: &mut M, f: &Fields) -> Result<Flow, Trouble> {
        let at = cpu.address(f);
        if ALIGNED {
            aligned(at)?;
        }
        let value = u128::from_le_bytes(memory.load(at)?);
        cpu.set_vector(f.a, value);
        Ok(Flow::Next)
    }
}

impl<const ALIGNED: bool> Body for Store<ALIGNED> {
    #[inline(always)]
    fn run<M: Memory>(cpu: &mut Cpu, memory: &mut M, f: &Fields) -> Result<Flow, Trouble> {
        let at = cpu.address(f);
        if ALIGNED {
            aligned(at)?;
        }
        memory.store(at, cpu.vector(f.b).to_le_bytes())?;
        Ok(Flow::Next)
    }
}

impl<const N: usize, S: Source> Body for LoadLow<N, S> {
    #[inline(always)]
    fn run<M: Memory>(cpu: &mut Cpu, memory: &mut M, f: &Fields) -> Result<Flow, Trouble> {
        let value = S::low::<N, M>(cpu, memory, f)?;
        cpu.set_vector(f.a, u128::from(truncate::<N>(value as u64)));
        Ok(Flow::Next)
    }
}

impl<const N: usize> Body for StoreLow<N> {
    #[inline(always)]
    fn run<M: Memory>(cpu: &mut Cpu, memory: &mut M, f: &Fields) -> Result<Flow, Trouble> {
        store::<N, M>(memory, cpu.address(f), cpu.vector(f.b) as u64)?;
        Ok(Flow::Next)
    }
}

/// `above` with its low `N` bytes replaced.
#[inline(always)]
pub(crate) fn merge<const N: usize>(above: u128, low: u128) -> u128 {
    let mask = (1_u128 << (8 * N)) - 1;
    (above & !mask) | (low & mask)
}

impl<const N: usize> Body for MergeLow<N> {
    #[inline(always)]
    fn run<M: Memory>(cpu: &mut Cpu, _: &mut M, f: &Fields) -> Result<Flow, Trouble> {
        cpu.set_vector(f.a, merge::<N>(cpu.vector(f.a), cpu.vector(f.b)));
        Ok(Flow::Next)
    }
}

impl<const HALF: u32> Body for LoadHalf<HALF> {
    fn run<M: Memory>(cpu: &mut Cpu, memory: &mut M, f: &Fields) -> Result<Flow, Trouble> {
        let value = u128::from(load::<8, M>(memory, cpu.address(f))?);
        let mask = u128::from(u64::MAX) << (8 * HALF);
        cpu.set_vector(f.a, (cpu.vector(f.a) & !mask) | (value << (8 * HALF)));
        Ok(Flow::Next)
    }
}

impl Body for StoreHigh {
    fn run<M: Memory>(cpu: &mut Cpu, memory: &mut M, f: &Fields) -> Result<Flow, Trouble> {
        store::<8, M>(memory, cpu.address(f), (cpu.vector(f.b) >> 64) as u64)?;
        Ok(Flow::Next)
    }
}

impl Body for LowToHigh {
    fn run<M: Memory>(cpu: &mut Cpu, _: &mut M, f: &Fields) -> Result<Flow, Trouble> {
        cpu.set_vector(f.a, merge::<8>(cpu.vector(f.b) << 64, cpu.vector(f.a)));
        Ok(Flow::Next)
    }
}

impl Body for HighToLow {
    fn run<M: Memory>(cpu: &mut Cpu, _: &mut M, f: &Fields) -> Result<Flow, Trouble> {
        cpu.set_vector(f.a, merge::<8>(cpu.vector(f.a), cpu.vector(f.b) >> 64));
        Ok(Flow::Next)
    }
}

impl<const W: usize> Body for FromGeneral<W> {
    fn run<M: Memory>(cpu: &mut Cpu, _: &mut M, f: &Fields) -> Result<Flow, Trouble> {
        let value = cpu.part::<W>(f.b, 0);
        cpu.set_vector(f.a, u128::from(value));
        Ok(Flow::Next)
    }
}

impl<const W: usize> Body for ToGeneral<W> {
    fn run<M: Memory>(cpu: &mut Cpu, _: &mut M, f: &Fields) -> Result<Flow, Trouble> {
        let value = cpu.vector(f.b) as u64;
        cpu.set_part::<W>(f.a, 0, value);
        Ok(Flow::Next)
    }
}

fn insert_word(cpu: &mut Cpu, f: &Fields, word: u64) {
    let shift = 16 * (f.imm as u32 & 7);
    let value = (cpu.vector(f.a) & !(0xffff << shift)) | (u128::from(word & 0xffff) << shift);
    cpu.set_vector(f.a, value);
}

impl Body for InsertWord {
    fn run<M: Memory>(cpu: &mut Cpu, _: &mut M, f: &Fields) -> Result<Flow, Trouble> {
        let word = cpu.part::<2>(f.b, 0);
        insert_word(cpu, f, word);
        Ok(Flow::Next)
    }
}

impl Body for InsertWordFromMemory {
    fn run<M: Memory>(cpu: &mut Cpu, memory: &mut M, f: &Fields) -> Result<Flow, Trouble> {
        let word = load::<2, M>(memory, cpu.address(f))?;
        insert_word(cpu, f, word);
        Ok(Flow::Next)
    }
}

impl Body for ExtractWord {
    fn run<M: Memory>(cpu: &mut Cpu, _: &mut M, f: &Fields) -> Result<Flow, Trouble> {
        let word = (cpu.vector(f.b) >> (16 * (f.imm as u32 & 7))) as u16;
        cpu.set_part::<8>(f.a, 0, u64::from(word));
        Ok(Flow::Next)
    }
}

impl<const N: usize> Body for Signs<N> {
    #[inline(always)]
    fn run<M: Memory>(cpu: &mut Cpu, _: &mut M, f: &Fields) -> Result<Flow, Trouble> {
        let value = cpu.vector(f.b);
        let signs = if N == 1 {
            super::packed::byte_signs(value)
        } else {
            let bits = 8 * N as u32;
            (0..128 / bits).fold(0, |all, n| all | ((value >> (bits * (n + 1) - 1)) as u64 & 1) << n)
        };
        cpu.set_part::<8>(f.a, 0, signs);
        Ok(Flow::Next)
    }
}
