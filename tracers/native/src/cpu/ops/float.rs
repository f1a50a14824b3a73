//! Floating point: each operation is the processor's own instruction, executed under the program's MXCSR.
//!
//! So rounding, denormals, the payloads of NaNs and the sticky exception flags are what they are on the hardware. With
//! an exception unmasked, the instruction could end us instead of the program: the hardware has to execute it there.

use std::arch::asm;
use std::arch::x86_64::__m128i;
use std::marker::PhantomData;

use super::vector::Source;
use crate::cpu::flags::Flags;
use crate::cpu::state::{Body, Cpu, Fields, Flow, load, store};
use crate::cpu::{Exit, Flag};
use crate::memory::{Memory, Trouble};

/// What Rust code expects in MXCSR: round to nearest, everything masked. Exception flags may be anything.
static OURS: u32 = 0x1f80;
/// The exception masks.
const MASKS: u32 = 0x1f80;

/// Whether an instruction can be executed here under the program's MXCSR.
#[inline(always)]
fn masked(mxcsr: u32) -> bool {
    mxcsr & !0xffff == 0 && mxcsr & MASKS == MASKS
}

fn vector(value: u128) -> __m128i {
    // SAFETY: both are 16 bytes for which every pattern is valid.
    unsafe { std::mem::transmute::<u128, __m128i>(value) }
}

fn number(value: __m128i) -> u128 {
    // SAFETY: both are 16 bytes for which every pattern is valid.
    unsafe { std::mem::transmute::<__m128i, u128>(value) }
}

/// An instruction on two vector registers, the first of which is also the result.
pub(crate) trait Operation {
    /// How many bytes of a memory operand it reads; 16 must be aligned.
    const SIZE: usize;
    fn apply(a: u128, b: u128, immediate: u8, mxcsr: &mut u32) -> u128;
}

/// `op A, S`.
pub(crate) struct Float<O, S>(PhantomData<(O, S)>);

impl<O: Operation, S: Source> Body for Float<O, S> {
    #[inline(always)]
    fn run<M: Memory>(cpu: &mut Cpu, memory: &mut M, f: &Fields) -> Result<Flow, Trouble> {
        if !masked(cpu.mxcsr) {
            return Ok(cpu.refuse(Exit::Hardware));
        }
        let b = match O::SIZE {
            4 => S::low::<4, M>(cpu, memory, f)?,
            8 => S::low::<8, M>(cpu, memory, f)?,
            _ => S::whole(cpu, memory, f)?,
        };
        let result = O::apply(cpu.vector(f.a), b, f.imm as u8, &mut cpu.mxcsr);
        cpu.set_vector(f.a, result);
        Ok(Flow::Next)
    }
}

/// Executes one instruction of the form `op a, b` under the program's MXCSR.
macro_rules! execute {
    ($text:expr, $a:expr, $b:expr, $mxcsr:expr) => {{
        let mut a = vector($a);
        // SAFETY: the instruction works on the two registers only, no exception is unmasked (`masked`), and MXCSR is
        // what Rust expects again afterwards.
        unsafe {
            asm!(
                "ldmxcsr [{theirs}]",
                $text,
                "stmxcsr [{theirs}]",
                "ldmxcsr [{ours}]",
                a = inout(xmm_reg) a,
                b = in(xmm_reg) vector($b),
                theirs = in(reg) $mxcsr as *mut u32,
                ours = in(reg) &raw const OURS,
                options(nostack),
            );
        }
        number(a)
    }};
}

macro_rules! operations {
    ($($name:ident $size:literal $instruction:literal;)*) => { $(
        pub(crate) struct $name;
        impl Operation for $name {
            const SIZE: usize = $size;
            #[inline(always)]
            fn apply(a: u128, b: u128, _: u8, mxcsr: &mut u32) -> u128 {
                execute!(concat!($instruction, " {a}, {b}"), a, b, mxcsr)
            }
        }
    )* };
}

operations! {
    AddPs 16 "addps";
    AddPd 16 "addpd";
    AddSs 4 "addss";
    AddSd 8 "addsd";
    SubPs 16 "subps";
    SubPd 16 "subpd";
    SubSs 4 "subss";
    SubSd 8 "subsd";
    MulPs 16 "mulps";
    MulPd 16 "mulpd";
    MulSs 4 "mulss";
    MulSd 8 "mulsd";
    DivPs 16 "divps";
    DivPd 16 "divpd";
    DivSs 4 "divss";
    DivSd 8 "divsd";
    MinPs 16 "minps";
    MinPd 16 "minpd";
    MinSs 4 "minss";
    MinSd 8 "minsd";
    MaxPs 16 "maxps";
    MaxPd 16 "maxpd";
    MaxSs 4 "maxss";
    MaxSd 8 "maxsd";
    SqrtPs 16 "sqrtps";
    SqrtPd 16 "sqrtpd";
    SqrtSs 4 "sqrtss";
    SqrtSd 8 "sqrtsd";
    RcpPs 16 "rcpps";
    RcpSs 4 "rcpss";
    RsqrtPs 16 "rsqrtps";
    RsqrtSs 4 "rsqrtss";
    SinglesFromIntegers 16 "cvtdq2ps";
    DoublesFromIntegers 8 "cvtdq2pd";
    IntegersFromSingles 16 "cvtps2dq";
    IntegersFromSinglesCut 16 "cvttps2dq";
    IntegersFromDoubles 16 "cvtpd2dq";
    IntegersFromDoublesCut 16 "cvttpd2dq";
    DoublesFromSingles 8 "cvtps2pd";
    SinglesFromDoubles 16 "cvtpd2ps";
    DoubleFromSingle 4 "cvtss2sd";
    SingleFromDouble 8 "cvtsd2ss";
}

macro_rules! comparisons {
    ($($name:ident $size:literal $instruction:literal;)*) => { $(
        pub(crate) struct $name;
        impl Operation for $name {
            const SIZE: usize = $size;
            fn apply(a: u128, b: u128, immediate: u8, mxcsr: &mut u32) -> u128 {
                match immediate & 7 {
                    0 => execute!(concat!($instruction, " {a}, {b}, 0"), a, b, mxcsr),
                    1 => execute!(concat!($instruction, " {a}, {b}, 1"), a, b, mxcsr),
                    2 => execute!(concat!($instruction, " {a}, {b}, 2"), a, b, mxcsr),
                    3 => execute!(concat!($instruction, " {a}, {b}, 3"), a, b, mxcsr),
                    4 => execute!(concat!($instruction, " {a}, {b}, 4"), a, b, mxcsr),
                    5 => execute!(concat!($instruction, " {a}, {b}, 5"), a, b, mxcsr),
                    6 => execute!(concat!($instruction, " {a}, {b}, 6"), a, b, mxcsr),
                    _ => execute!(concat!($instruction, " {a}, {b}, 7"), a, b, mxcsr),
                }
            }
        }
    )* };
}

comparisons! {
    ComparePs 16 "cmpps";
    ComparePd 16 "cmppd";
    CompareSs 4 "cmpss";
    CompareSd 8 "cmpsd";
}

/// `comiss` and its relatives: a comparison into the flags.
pub(crate) trait Ordering {
    const SIZE: usize;
    fn apply(a: u128, b: u128, mxcsr: &mut u32) -> u64;
}

macro_rules! orderings {
    ($($name:ident $size:literal $instruction:literal;)*) => { $(
        pub(crate) struct $name;
        impl Ordering for $name {
            const SIZE: usize = $size;
            fn apply(a: u128, b: u128, mxcsr: &mut u32) -> u64 {
                let (zero, parity, carry): (u8, u8, u8);
                // SAFETY: as in `execute!`.
                unsafe {
                    asm!(
                        "ldmxcsr [{theirs}]",
                        concat!($instruction, " {a}, {b}"),
                        "stmxcsr [{theirs}]",
                        "ldmxcsr [{ours}]",
                        "setz {zero}",
                        "setp {parity}",
                        "setc {carry}",
                        a = in(xmm_reg) vector(a),
                        b = in(xmm_reg) vector(b),
                        theirs = in(reg) mxcsr as *mut u32,
                        ours = in(reg) &raw const OURS,
                        zero = out(reg_byte) zero,
                        parity = out(reg_byte) parity,
                        carry = out(reg_byte) carry,
                        options(nostack),
                    );
                }
                let bit = |on: u8, flag: u64| if on != 0 { flag } else { 0 };
                bit(zero, Flag::ZF) | bit(parity, Flag::PF) | bit(carry, Flag::CF)
            }
        }
    )* };
}

orderings! {
    ComiSs 4 "comiss";
    ComiSd 8 "comisd";
    UcomiSs 4 "ucomiss";
    UcomiSd 8 "ucomisd";
}

/// `op A, S`, into the flags.
pub(crate) struct Order<O, S>(PhantomData<(O, S)>);

impl<O: Ordering, S: Source> Body for Order<O, S> {
    fn run<M: Memory>(cpu: &mut Cpu, memory: &mut M, f: &Fields) -> Result<Flow, Trouble> {
        if !masked(cpu.mxcsr) {
            return Ok(cpu.refuse(Exit::Hardware));
        }
        let b = if O::SIZE == 4 { S::low::<4, M>(cpu, memory, f)? } else { S::low::<8, M>(cpu, memory, f)? };
        cpu.flags = Flags::from_bits(O::apply(cpu.vector(f.a), b, &mut cpu.mxcsr));
        Ok(Flow::Next)
    }
}

/// From a vector to a general register.
pub(crate) trait ToInteger {
    const SIZE: usize;
    /// Bytes of the result.
    const RESULT: usize;
    fn apply(value: u128, mxcsr: &mut u32) -> u64;
}

macro_rules! to_integer {
    ($($name:ident $size:literal $result:literal $instruction:literal;)*) => { $(
        pub(crate) struct $name;
        impl ToInteger for $name {
            const SIZE: usize = $size;
            const RESULT: usize = $result;
            fn apply(value: u128, mxcsr: &mut u32) -> u64 {
                let result: u64;
                // SAFETY: as in `execute!`.
                unsafe {
                    asm!(
                        "ldmxcsr [{theirs}]",
                        concat!($instruction, ", {value}"),
                        "stmxcsr [{theirs}]",
                        "ldmxcsr [{ours}]",
                        result = out(reg) result,
                        value = in(xmm_reg) vector(value),
                        theirs = in(reg) mxcsr as *mut u32,
                        ours = in(reg) &raw const OURS,
                        options(nostack),
                    );
                }
                result
            }
        }
    )* };
}

to_integer! {
    IntegerFromSingle32 4 4 "cvtss2si {result:e}";
    IntegerFromSingle64 4 8 "cvtss2si {result:r}";
    IntegerFromDouble32 8 4 "cvtsd2si {result:e}";
    IntegerFromDouble64 8 8 "cvtsd2si {result:r}";
    IntegerFromSingleCut32 4 4 "cvttss2si {result:e}";
    IntegerFromSingleCut64 4 8 "cvttss2si {result:r}";
    IntegerFromDoubleCut32 8 4 "cvttsd2si {result:e}";
    IntegerFromDoubleCut64 8 8 "cvttsd2si {result:r}";
}

/// `op A, S`, A being a general register.
pub(crate) struct Round<O, S>(PhantomData<(O, S)>);

impl<O: ToInteger, S: Source> Body for Round<O, S> {
    fn run<M: Memory>(cpu: &mut Cpu, memory: &mut M, f: &Fields) -> Result<Flow, Trouble> {
        if !masked(cpu.mxcsr) {
            return Ok(cpu.refuse(Exit::Hardware));
        }
        let value =
            if O::SIZE == 4 { S::low::<4, M>(cpu, memory, f)? } else { S::low::<8, M>(cpu, memory, f)? };
        let result = O::apply(value, &mut cpu.mxcsr);
        if O::RESULT == 4 {
            cpu.set_part::<4>(f.a, 0, result);
        } else {
            cpu.set_part::<8>(f.a, 0, result);
        }
        Ok(Flow::Next)
    }
}

/// From an integer of `W` bytes to the low element of a vector, the rest kept.
pub(crate) trait FromInteger {
    fn apply(a: u128, value: u64, mxcsr: &mut u32) -> u128;
}

macro_rules! from_integer {
    ($($name:ident $instruction:literal;)*) => { $(
        pub(crate) struct $name;
        impl FromInteger for $name {
            fn apply(a: u128, value: u64, mxcsr: &mut u32) -> u128 {
                let mut a = vector(a);
                // SAFETY: as in `execute!`.
                unsafe {
                    asm!(
                        "ldmxcsr [{theirs}]",
                        concat!($instruction),
                        "stmxcsr [{theirs}]",
                        "ldmxcsr [{ours}]",
                        a = inout(xmm_reg) a,
                        value = in(reg) value,
                        theirs = in(reg) mxcsr as *mut u32,
                        ours = in(reg) &raw const OURS,
                        options(nostack),
                    );
                }
                number(a)
            }
        }
    )* };
}

from_integer! {
    SingleFrom32 "cvtsi2ss {a}, {value:e}";
    SingleFrom64 "cvtsi2ss {a}, {value:r}";
    DoubleFrom32 "cvtsi2sd {a}, {value:e}";
    DoubleFrom64 "cvtsi2sd {a}, {value:r}";
}

/// `op A, S`, S being an integer of `W` bytes.
pub(crate) struct Convert<O, const W: usize, S>(PhantomData<(O, S)>);

impl<O: FromInteger, const W: usize, S: super::operand::Place> Body for Convert<O, W, S> {
    fn run<M: Memory>(cpu: &mut Cpu, memory: &mut M, f: &Fields) -> Result<Flow, Trouble> {
        if !masked(cpu.mxcsr) {
            return Ok(cpu.refuse(Exit::Hardware));
        }
        let from = S::locate(cpu, f);
        let value = S::read::<W, M>(cpu, memory, f, from)?;
        let result = O::apply(cpu.vector(f.a), value, &mut cpu.mxcsr);
        cpu.set_vector(f.a, result);
        Ok(Flow::Next)
    }
}

/// `ldmxcsr`.
pub(crate) struct LoadControl;
/// `stmxcsr`.
pub(crate) struct StoreControl;

impl Body for LoadControl {
    fn run<M: Memory>(cpu: &mut Cpu, memory: &mut M, f: &Fields) -> Result<Flow, Trouble> {
        let value = load::<4, M>(memory, cpu.address(f))? as u32;
        // Which of the upper bits exist is for the hardware to say.
        if value & !0xffff != 0 {
            return Ok(cpu.refuse(Exit::Hardware));
        }
        cpu.mxcsr = value;
        Ok(Flow::Next)
    }
}

impl Body for StoreControl {
    fn run<M: Memory>(cpu: &mut Cpu, memory: &mut M, f: &Fields) -> Result<Flow, Trouble> {
        store::<4, M>(memory, cpu.address(f), u64::from(cpu.mxcsr))?;
        Ok(Flow::Next)
    }
}
