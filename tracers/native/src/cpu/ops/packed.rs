//! Integer arithmetic on the elements of vectors: each operation is the processor's own instruction.

use std::arch::x86_64::*;
use std::marker::PhantomData;

use super::vector::Source;
use crate::cpu::state::{Body, Cpu, Fields, Flow};
use crate::memory::{Memory, Trouble};

/// An operation on two vectors, or on one vector and the immediate.
pub(crate) trait Operation {
    fn apply(a: u128, b: u128, immediate: u8) -> u128;
}

/// `op A, S`, perhaps with an immediate.
pub(crate) struct Packed<O, S>(PhantomData<(O, S)>);

impl<O: Operation, S: Source> Body for Packed<O, S> {
    #[inline(always)]
    fn run<M: Memory>(cpu: &mut Cpu, memory: &mut M, f: &Fields) -> Result<Flow, Trouble> {
        let b = S::whole(cpu, memory, f)?;
        let a = cpu.vector(f.a);
        cpu.set_vector(f.a, O::apply(a, b, f.imm as u8));
        Ok(Flow::Next)
    }
}

/// A shift by an immediate: `op A, immediate`.
pub(crate) struct PackedShift<O>(PhantomData<O>);

impl<O: Operation> Body for PackedShift<O> {
    #[inline(always)]
    fn run<M: Memory>(cpu: &mut Cpu, _: &mut M, f: &Fields) -> Result<Flow, Trouble> {
        let a = cpu.vector(f.a);
        cpu.set_vector(f.a, O::apply(a, u128::from(f.imm), f.imm as u8));
        Ok(Flow::Next)
    }
}

fn vector(value: u128) -> __m128i {
    // SAFETY: both are 16 bytes for which every pattern is valid.
    unsafe { std::mem::transmute::<u128, __m128i>(value) }
}

fn number(value: __m128i) -> u128 {
    // SAFETY: both are 16 bytes for which every pattern is valid.
    unsafe { std::mem::transmute::<__m128i, u128>(value) }
}

/// The top bit of each byte.
pub(crate) fn byte_signs(value: u128) -> u64 {
    // SAFETY: every x86-64 has SSE2.
    u64::from(unsafe { _mm_movemask_epi8(vector(value)) } as u32)
}

/// Operations that are one intrinsic of SSE2 on both vectors.
macro_rules! intrinsics {
    ($($name:ident $intrinsic:ident;)*) => { $(
        pub(crate) struct $name;
        impl Operation for $name {
            #[inline(always)]
            fn apply(a: u128, b: u128, _: u8) -> u128 {
                // SAFETY: every x86-64 has SSE2.
                number(unsafe { $intrinsic(vector(a), vector(b)) })
            }
        }
    )* };
}

intrinsics! {
    AddBytes _mm_add_epi8;
    AddWords _mm_add_epi16;
    AddDoubles _mm_add_epi32;
    AddQuads _mm_add_epi64;
    AddBytesSaturating _mm_adds_epi8;
    AddWordsSaturating _mm_adds_epi16;
    AddBytesUnsigned _mm_adds_epu8;
    AddWordsUnsigned _mm_adds_epu16;
    SubBytes _mm_sub_epi8;
    SubWords _mm_sub_epi16;
    SubDoubles _mm_sub_epi32;
    SubQuads _mm_sub_epi64;
    SubBytesSaturating _mm_subs_epi8;
    SubWordsSaturating _mm_subs_epi16;
    SubBytesUnsigned _mm_subs_epu8;
    SubWordsUnsigned _mm_subs_epu16;
    MultiplyLow _mm_mullo_epi16;
    MultiplyHigh _mm_mulhi_epi16;
    MultiplyHighUnsigned _mm_mulhi_epu16;
    MultiplyDoubles _mm_mul_epu32;
    MultiplyAdd _mm_madd_epi16;
    SumOfDifferences _mm_sad_epu8;
    AverageBytes _mm_avg_epu8;
    AverageWords _mm_avg_epu16;
    MaxBytes _mm_max_epu8;
    MaxWords _mm_max_epi16;
    MinBytes _mm_min_epu8;
    MinWords _mm_min_epi16;
    EqualBytes _mm_cmpeq_epi8;
    EqualWords _mm_cmpeq_epi16;
    EqualDoubles _mm_cmpeq_epi32;
    GreaterBytes _mm_cmpgt_epi8;
    GreaterWords _mm_cmpgt_epi16;
    GreaterDoubles _mm_cmpgt_epi32;
    ShiftLeftWords _mm_sll_epi16;
    ShiftLeftDoubles _mm_sll_epi32;
    ShiftLeftQuads _mm_sll_epi64;
    ShiftRightWords _mm_srl_epi16;
    ShiftRightDoubles _mm_srl_epi32;
    ShiftRightQuads _mm_srl_epi64;
    ShiftSignedWords _mm_sra_epi16;
    ShiftSignedDoubles _mm_sra_epi32;
    UnpackLowBytes _mm_unpacklo_epi8;
    UnpackLowWords _mm_unpacklo_epi16;
    UnpackLowDoubles _mm_unpacklo_epi32;
    UnpackLowQuads _mm_unpacklo_epi64;
    UnpackHighBytes _mm_unpackhi_epi8;
    UnpackHighWords _mm_unpackhi_epi16;
    UnpackHighDoubles _mm_unpackhi_epi32;
    UnpackHighQuads _mm_unpackhi_epi64;
    PackWords _mm_packs_epi16;
    PackDoubles _mm_packs_epi32;
    PackUnsigned _mm_packus_epi16;
}

/// Operations written out.
macro_rules! written {
    ($($name:ident |$a:ident, $b:ident, $immediate:ident| $result:expr;)*) => { $(
        pub(crate) struct $name;
        impl Operation for $name {
            #[inline(always)]
            fn apply($a: u128, $b: u128, $immediate: u8) -> u128 {
                $result
            }
        }
    )* };
}

written! {
    And |a, b, _i| a & b;
    AndNot |a, b, _i| !a & b;
    Or |a, b, _i| a | b;
    Xor |a, b, _i| a ^ b;
    ShiftLeftBytes |a, _b, i| a.checked_shl(8 * u32::from(i)).unwrap_or(0);
    ShiftRightBytes |a, _b, i| a.checked_shr(8 * u32::from(i)).unwrap_or(0);
    ShuffleDoubles |_a, b, i| pick::<32>([b, b, b, b], i);
    ShuffleLowWords |_a, b, i| (b >> 64 << 64) | pick::<16>([b, b, b, b], i);
    ShuffleHighWords |_a, b, i| u128::from(b as u64) | (pick::<16>([b >> 64; 4], i) << 64);
    ShuffleSingles |a, b, i| pick::<32>([a, a, b, b], i);
    ShuffleDoublePrecision |a, b, i| {
        let half = |value: u128, high: u8| (value >> (64 * u32::from(high & 1))) & u128::from(u64::MAX);
        half(a, i) | (half(b, i >> 1) << 64)
    };
}

/// Four elements of `BITS` bits, each chosen by two bits of the immediate from its source.
#[inline(always)]
fn pick<const BITS: u32>(from: [u128; 4], immediate: u8) -> u128 {
    let mask = (1 << BITS) - 1;
    let mut result = 0;
    for (n, source) in from.into_iter().enumerate() {
        let which = u32::from(immediate >> (2 * n)) & 3;
        result |= ((source >> (BITS * which)) & mask) << (BITS * n as u32);
    }
    result
}
