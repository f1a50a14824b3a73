//! The integer instructions.

use iced_x86::{Code, Instruction, Mnemonic, OpKind, Register};

use super::operands::{Kind, fields, general, kind, size};
use crate::cpu::ops::operand::{A, B, I, Mem};
use crate::cpu::ops::{alu, bits, exchange, multiply, other, shift, stack, transfer};
use crate::cpu::state::{Fields, Handlers, ZERO, handlers};

/// Chooses by operand size: `sized!(size, sizes, Body [what comes before the size] [what comes after])`.
macro_rules! sized {
    ($size:expr, $($w:literal)|+, $body:ident $before:tt $after:tt) => {
        match $size {
            $( $w => sized!(@ $body $before $w $after), )+
            _ => return None,
        }
    };
    (@ $body:ident [$($before:tt)*] $w:literal [$($after:tt)*]) => {
        handlers::<$body<$($before)* $w $($after)*>>()
    };
}

/// Chooses by operand size and the kinds of both operands.
macro_rules! two {
    ($size:expr, $kinds:expr, $body:ident $before:tt) => {
        match $kinds {
            (Kind::Register, Kind::Register) => sized!($size, 1 | 2 | 4 | 8, $body $before [, A, B]),
            (Kind::Register, Kind::Immediate) => sized!($size, 1 | 2 | 4 | 8, $body $before [, A, I]),
            (Kind::Register, Kind::Memory) => sized!($size, 1 | 2 | 4 | 8, $body $before [, A, Mem]),
            (Kind::Memory, Kind::Register) => sized!($size, 1 | 2 | 4 | 8, $body $before [, Mem, B]),
            (Kind::Memory, Kind::Immediate) => sized!($size, 1 | 2 | 4 | 8, $body $before [, Mem, I]),
            _ => return None,
        }
    };
}

/// Chooses by operand size and the kind of the one operand, which is `$register` if it is not memory.
macro_rules! one {
    ($size:expr, $kind:expr, $($w:literal)|+, $body:ident $before:tt $register:ident) => {
        match $kind {
            Kind::Register => sized!($size, $($w)|+, $body $before [, $register]),
            Kind::Memory => sized!($size, $($w)|+, $body $before [, Mem]),
            Kind::Immediate => return None,
        }
    };
}

/// Chooses the form of a shift.
macro_rules! two_shift {
    ($size:expr, $kinds:expr, $op:ident) => {
        match $kinds {
            (Kind::Register, Kind::Register) => sized!($size, 1 | 2 | 4 | 8, Shift [$op,] [, A, B]),
            (Kind::Register, Kind::Immediate) => sized!($size, 1 | 2 | 4 | 8, Shift [$op,] [, A, I]),
            (Kind::Memory, Kind::Register) => sized!($size, 1 | 2 | 4 | 8, Shift [$op,] [, Mem, B]),
            (Kind::Memory, Kind::Immediate) => sized!($size, 1 | 2 | 4 | 8, Shift [$op,] [, Mem, I]),
            _ => return None,
        }
    };
}

/// The handlers and operands of an integer instruction; `None` if the hardware has to execute it.
pub(super) fn lower(i: &Instruction) -> Option<(Handlers, Fields)> {
    let mut f = fields(i)?;
    let handlers = choose(i, &mut f)?;
    Some((handlers, f))
}

fn choose(i: &Instruction, f: &mut Fields) -> Option<Handlers> {
    use Mnemonic as M;
    use alu::{Adc, Add, And, Binary, Cmp, Dec, Inc, Neg, Not, Or, Sbb, Sub, Test, Unary, Xor};
    use shift::{Rcl, Rcr, Rol, Ror, Sar, Shift, Shl, Shr};
    Some(match i.mnemonic() {
        M::Mov | M::Movnti => {
            use transfer::Mov;
            let (size, kinds) = pair(i, f)?;
            two!(size, kinds, Mov [])
        }
        M::Add => binary(i, f, |size, kinds| Some(two!(size, kinds, Binary [Add,])))?,
        M::Adc => binary(i, f, |size, kinds| Some(two!(size, kinds, Binary [Adc,])))?,
        M::Sub => binary(i, f, |size, kinds| Some(two!(size, kinds, Binary [Sub,])))?,
        M::Sbb => binary(i, f, |size, kinds| Some(two!(size, kinds, Binary [Sbb,])))?,
        M::Cmp => binary(i, f, |size, kinds| Some(two!(size, kinds, Binary [Cmp,])))?,
        M::And => binary(i, f, |size, kinds| Some(two!(size, kinds, Binary [And,])))?,
        M::Or => binary(i, f, |size, kinds| Some(two!(size, kinds, Binary [Or,])))?,
        M::Xor => binary(i, f, |size, kinds| Some(two!(size, kinds, Binary [Xor,])))?,
        M::Test => binary(i, f, |size, kinds| Some(two!(size, kinds, Binary [Test,])))?,
        M::Inc => unary(i, f, |size, kind| Some(one!(size, kind, 1 | 2 | 4 | 8, Unary [Inc,] A)))?,
        M::Dec => unary(i, f, |size, kind| Some(one!(size, kind, 1 | 2 | 4 | 8, Unary [Dec,] A)))?,
        M::Neg => unary(i, f, |size, kind| Some(one!(size, kind, 1 | 2 | 4 | 8, Unary [Neg,] A)))?,
        M::Not => unary(i, f, |size, kind| Some(one!(size, kind, 1 | 2 | 4 | 8, Unary [Not,] A)))?,
        M::Shl | M::Sal => shift(i, f, |size, kinds| Some(two_shift!(size, kinds, Shl)))?,
        M::Shr => shift(i, f, |size, kinds| Some(two_shift!(size, kinds, Shr)))?,
        M::Sar => shift(i, f, |size, kinds| Some(two_shift!(size, kinds, Sar)))?,
        M::Rol => shift(i, f, |size, kinds| Some(two_shift!(size, kinds, Rol)))?,
        M::Ror => shift(i, f, |size, kinds| Some(two_shift!(size, kinds, Ror)))?,
        M::Rcl => shift(i, f, |size, kinds| Some(two_shift!(size, kinds, Rcl)))?,
        M::Rcr => shift(i, f, |size, kinds| Some(two_shift!(size, kinds, Rcr)))?,
        M::Shld => double_shift::<false>(i, f)?,
        M::Shrd => double_shift::<true>(i, f)?,
        M::Movzx | M::Movsx | M::Movsxd => extend(i, f)?,
        M::Lea => {
            use transfer::Lea;
            (f.a, _) = general(i.op0_register())?;
            sized!(size(i, 0), 2 | 4 | 8, Lea [] [])
        }
        M::Xchg => exchange_of(i, f, |size, kind| {
            use exchange::Exchange;
            Some(one!(size, kind, 1 | 2 | 4 | 8, Exchange [] A))
        })?,
        M::Xadd => exchange_of(i, f, |size, kind| {
            use exchange::ExchangeAdd;
            Some(one!(size, kind, 1 | 2 | 4 | 8, ExchangeAdd [] A))
        })?,
        M::Cmpxchg => exchange_of(i, f, |size, kind| {
            use exchange::CompareExchange;
            Some(one!(size, kind, 1 | 2 | 4 | 8, CompareExchange [] A))
        })?,
        M::Cmpxchg8b => handlers::<exchange::CompareExchange8>(),
        M::Cmpxchg16b => handlers::<exchange::CompareExchange16>(),
        M::Mul => unary(i, f, |size, kind| {
            use multiply::Multiply;
            Some(one!(size, kind, 1 | 2 | 4 | 8, Multiply [] A))
        })?,
        M::Div => unary(i, f, |size, kind| {
            use multiply::Divide;
            Some(one!(size, kind, 1 | 2 | 4 | 8, Divide [] A))
        })?,
        M::Idiv => unary(i, f, |size, kind| {
            use multiply::SignedDivide;
            Some(one!(size, kind, 1 | 2 | 4 | 8, SignedDivide [] A))
        })?,
        M::Imul => signed_multiply(i, f)?,
        M::Bt => bit_test(i, f, bits::Then::Nothing)?,
        M::Bts => bit_test(i, f, bits::Then::Set)?,
        M::Btr => bit_test(i, f, bits::Then::Reset)?,
        M::Btc => bit_test(i, f, bits::Then::Complement)?,
        M::Bsf | M::Bsr | M::Tzcnt | M::Lzcnt | M::Popcnt => search(i, f)?,
        M::Bswap => {
            use bits::SwapBytes;
            (f.a, _) = general(i.op0_register())?;
            // Two bytes: the architecture leaves the result open.
            sized!(size(i, 0), 4 | 8, SwapBytes [] [])
        }
        M::Cbw => handlers::<transfer::WidenAccumulator<2>>(),
        M::Cwde => handlers::<transfer::WidenAccumulator<4>>(),
        M::Cdqe => handlers::<transfer::WidenAccumulator<8>>(),
        M::Cwd => handlers::<transfer::SignToRdx<2>>(),
        M::Cdq => handlers::<transfer::SignToRdx<4>>(),
        M::Cqo => handlers::<transfer::SignToRdx<8>>(),
        M::Push | M::Pop | M::Pushf | M::Pushfq | M::Popf | M::Popfq | M::Leave | M::Enter => on_stack(i, f)?,
        M::Nop | M::Endbr64 | M::Endbr32 | M::Pause | M::Lfence | M::Mfence | M::Sfence => {
            // `nop` can have a memory operand, which is not accessed.
            handlers::<other::Nothing>()
        }
        M::Prefetchnta
        | M::Prefetcht0
        | M::Prefetcht1
        | M::Prefetcht2
        | M::Prefetchw
        | M::Prefetch
        | M::Prefetchit0
        | M::Prefetchit1
        | M::Cldemote => handlers::<other::Nothing>(),
        // Processors disagree about this row.
        M::Reservednop
            if matches!(i.code(), Code::Reservednop_rm16_r16_0F0D | Code::Reservednop_rm32_r32_0F0D) =>
        {
            return None;
        }
        M::Reservednop if i.code() == Code::Reservednop_rm64_r64_0F0D => return None,
        // Without their CPUID bits these are `nop` forms.
        M::Reservednop | M::Rdsspd | M::Rdsspq => handlers::<other::Nothing>(),
        M::Clc => with(f, 0, handlers::<other::SetCarry>()),
        M::Stc => with(f, 1, handlers::<other::SetCarry>()),
        M::Cmc => handlers::<other::ComplementCarry>(),
        M::Cld => with(f, 0, handlers::<other::SetDirection>()),
        M::Std => with(f, 1, handlers::<other::SetDirection>()),
        M::Lahf => handlers::<other::FlagsToAh>(),
        M::Sahf => handlers::<other::AhToFlags>(),
        M::Xlatb => translate(i, f)?,
        M::Syscall => handlers::<other::SystemCall>(),
        M::Cpuid => handlers::<other::Identify>(),
        M::Rdtsc => handlers::<other::TimeStamp>(),
        M::Rdtscp => handlers::<other::TimeStampAndProcessor>(),
        M::Int3 => handlers::<other::Breakpoint>(),
        M::Ud2 | M::Ud0 | M::Ud1 | M::Rdrand | M::Rdseed | M::Rdpid => handlers::<other::Illegal>(),
        _ => return super::control::lower(i, f),
    })
}

/// Remembers something small for the handler.
pub(super) fn with(f: &mut Fields, extra: u8, handlers: Handlers) -> Handlers {
    f.extra = extra;
    handlers
}

/// The operands of `op D, S`: their size and kinds; a register destination is A, a register source B.
fn pair(i: &Instruction, f: &mut Fields) -> Option<(usize, (Kind, Kind))> {
    let kinds = (kind(i, 0)?, kind(i, 1)?);
    let size = size(i, 0);
    if kinds.0 == Kind::Register {
        (f.a, f.a_shift) = general(i.op0_register())?;
    }
    match kinds.1 {
        Kind::Register => (f.b, f.b_shift) = general(i.op1_register())?,
        Kind::Immediate => f.imm = cut(i.immediate(1), size),
        Kind::Memory => {}
    }
    Some((size, kinds))
}

/// The low bytes of an immediate.
fn cut(value: u64, size: usize) -> u64 {
    if size >= 8 { value } else { value & ((1 << (8 * size)) - 1) }
}

type Chooser<K> = fn(usize, K) -> Option<Handlers>;

fn binary(i: &Instruction, f: &mut Fields, choose: Chooser<(Kind, Kind)>) -> Option<Handlers> {
    let (size, kinds) = pair(i, f)?;
    choose(size, kinds)
}

fn unary(i: &Instruction, f: &mut Fields, choose: Chooser<Kind>) -> Option<Handlers> {
    let kind = kind(i, 0)?;
    if kind == Kind::Register {
        (f.a, f.a_shift) = general(i.op0_register())?;
    }
    choose(size(i, 0), kind)
}

/// A count operand is a byte, whatever the size of the other.
fn shift(i: &Instruction, f: &mut Fields, choose: Chooser<(Kind, Kind)>) -> Option<Handlers> {
    let (size, kinds) = pair(i, f)?;
    if kinds.1 == Kind::Immediate {
        f.imm = i.immediate(1) & 0xff;
    }
    choose(size, kinds)
}

fn double_shift<const RIGHT: bool>(i: &Instruction, f: &mut Fields) -> Option<Handlers> {
    use shift::DoubleShift;
    (f.b, _) = general(i.op1_register())?;
    if kind(i, 2)? == Kind::Immediate {
        f.imm = i.immediate(2);
        f.extra = 1;
    }
    let kind = kind(i, 0)?;
    if kind == Kind::Register {
        (f.a, _) = general(i.op0_register())?;
    }
    Some(match (kind, size(i, 0)) {
        (Kind::Register, 2) => handlers::<DoubleShift<RIGHT, 2, A>>(),
        (Kind::Register, 4) => handlers::<DoubleShift<RIGHT, 4, A>>(),
        (Kind::Register, 8) => handlers::<DoubleShift<RIGHT, 8, A>>(),
        (Kind::Memory, 2) => handlers::<DoubleShift<RIGHT, 2, Mem>>(),
        (Kind::Memory, 4) => handlers::<DoubleShift<RIGHT, 4, Mem>>(),
        (Kind::Memory, 8) => handlers::<DoubleShift<RIGHT, 8, Mem>>(),
        _ => return None,
    })
}

fn extend(i: &Instruction, f: &mut Fields) -> Option<Handlers> {
    use transfer::{SignExtend, ZeroExtend};
    (f.a, _) = general(i.op0_register())?;
    let from = kind(i, 1)?;
    if from == Kind::Register {
        (f.b, f.b_shift) = general(i.op1_register())?;
    }
    let signed = i.mnemonic() != Mnemonic::Movzx;
    macro_rules! by {
        ($body:ident, $n:literal, $w:literal) => {
            match from {
                Kind::Register => handlers::<$body<$n, $w, B>>(),
                Kind::Memory => handlers::<$body<$n, $w, Mem>>(),
                Kind::Immediate => return None,
            }
        };
    }
    Some(match (signed, size(i, 1), size(i, 0)) {
        (false, 1, 2) => by!(ZeroExtend, 1, 2),
        (false, 1, 4 | 8) => by!(ZeroExtend, 1, 8),
        (false, 2, 2) => by!(ZeroExtend, 2, 2),
        (false, 2, 4 | 8) => by!(ZeroExtend, 2, 8),
        (true, 1, 2) => by!(SignExtend, 1, 2),
        (true, 1, 4) => by!(SignExtend, 1, 4),
        (true, 1, 8) => by!(SignExtend, 1, 8),
        (true, 2, 2) => by!(SignExtend, 2, 2),
        (true, 2, 4) => by!(SignExtend, 2, 4),
        (true, 2, 8) => by!(SignExtend, 2, 8),
        (true, 4, 4) => by!(SignExtend, 4, 4),
        (true, 4, 8) => by!(SignExtend, 4, 8),
        _ => return None,
    })
}

fn exchange_of(i: &Instruction, f: &mut Fields, choose: Chooser<Kind>) -> Option<Handlers> {
    let (size, kinds) = pair(i, f)?;
    match kinds {
        (kind, Kind::Register) => choose(size, kind),
        // `xchg` may name its register first.
        (Kind::Register, Kind::Memory) => {
            (f.b, f.b_shift) = (f.a, f.a_shift);
            choose(size, Kind::Memory)
        }
        _ => None,
    }
}

fn signed_multiply(i: &Instruction, f: &mut Fields) -> Option<Handlers> {
    use multiply::{MultiplyBy, MultiplyInto, SignedMultiply};
    if i.op_count() == 1 {
        return unary(i, f, |size, kind| Some(one!(size, kind, 1 | 2 | 4 | 8, SignedMultiply [] A)));
    }
    (f.a, _) = general(i.op0_register())?;
    let from = kind(i, 1)?;
    if from == Kind::Register {
        (f.b, _) = general(i.op1_register())?;
    }
    let size = size(i, 0);
    if i.op_count() == 2 {
        return Some(one!(size, from, 2 | 4 | 8, MultiplyInto [] B));
    }
    f.imm = cut(i.immediate(2), size);
    Some(one!(size, from, 2 | 4 | 8, MultiplyBy [] B))
}

fn bit_test(i: &Instruction, f: &mut Fields, then: bits::Then) -> Option<Handlers> {
    use bits::{BitTest, BitTestFar};
    f.extra = then as u8;
    let (size, kinds) = pair(i, f)?;
    Some(match kinds {
        (Kind::Register, Kind::Register) => sized!(size, 2 | 4 | 8, BitTest [] [, A, B]),
        (Kind::Register, Kind::Immediate) => sized!(size, 2 | 4 | 8, BitTest [] [, A, I]),
        (Kind::Memory, Kind::Immediate) => sized!(size, 2 | 4 | 8, BitTest [] [, Mem, I]),
        (Kind::Memory, Kind::Register) => sized!(size, 2 | 4 | 8, BitTestFar [] []),
        _ => return None,
    })
}

fn search(i: &Instruction, f: &mut Fields) -> Option<Handlers> {
    use bits::{CountLeading, CountOnes, CountTrailing, ScanForward, ScanReverse, Search};
    (f.a, _) = general(i.op0_register())?;
    let from = kind(i, 1)?;
    if from == Kind::Register {
        (f.b, _) = general(i.op1_register())?;
    }
    let size = size(i, 0);
    Some(match i.mnemonic() {
        Mnemonic::Bsf => one!(size, from, 2 | 4 | 8, Search [ScanForward,] B),
        Mnemonic::Bsr => one!(size, from, 2 | 4 | 8, Search [ScanReverse,] B),
        Mnemonic::Tzcnt => one!(size, from, 2 | 4 | 8, Search [CountTrailing,] B),
        Mnemonic::Lzcnt => one!(size, from, 2 | 4 | 8, Search [CountLeading,] B),
        _ => one!(size, from, 2 | 4 | 8, Search [CountOnes,] B),
    })
}

fn on_stack(i: &Instruction, f: &mut Fields) -> Option<Handlers> {
    use stack::{Enter, Leave, Pop, PopFlags, PopToMemory, Push, PushFlags};
    Some(match i.mnemonic() {
        Mnemonic::Push => {
            let size = if i.stack_pointer_increment() == -2 { 2 } else { 8 };
            match kind(i, 0)? {
                Kind::Register => {
                    (f.a, _) = general(i.op0_register())?;
                    sized!(size, 2 | 8, Push [] [, A])
                }
                Kind::Memory => sized!(size, 2 | 8, Push [] [, Mem]),
                Kind::Immediate => {
                    f.imm = i.immediate(0);
                    sized!(size, 2 | 8, Push [] [, I])
                }
            }
        }
        Mnemonic::Pop => match kind(i, 0)? {
            Kind::Register => {
                (f.a, _) = general(i.op0_register())?;
                sized!(size(i, 0), 2 | 8, Pop [] [])
            }
            _ => sized!(size(i, 0), 2 | 8, PopToMemory [] []),
        },
        Mnemonic::Pushf => handlers::<PushFlags<2>>(),
        Mnemonic::Pushfq => handlers::<PushFlags<8>>(),
        Mnemonic::Popf => handlers::<PopFlags<2>>(),
        Mnemonic::Popfq => handlers::<PopFlags<8>>(),
        Mnemonic::Leave if i.code() == Code::Leaveq => handlers::<Leave>(),
        Mnemonic::Enter if i.code() == Code::Enterq_imm16_imm8 && i.immediate8_2nd() == 0 => {
            f.imm = u64::from(i.immediate16());
            handlers::<Enter>()
        }
        _ => return None,
    })
}

fn translate(i: &Instruction, f: &mut Fields) -> Option<Handlers> {
    // The memory operand is [rbx + al], which the general form cannot say.
    if i.memory_base() != Register::RBX || i.op_kind(0) != OpKind::Memory {
        return None;
    }
    (f.base, f.index, f.disp) = (ZERO, ZERO, 0);
    Some(handlers::<other::Translate>())
}
