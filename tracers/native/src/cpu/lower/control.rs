//! Jumps, conditions and string instructions.

use iced_x86::{Code, ConditionCode, Instruction, Mnemonic, OpKind};

use super::integer::with;
use super::operands::{Kind, general, kind, size};
use crate::cpu::ops::branch::{Call, CallTo, Jump, JumpIf, JumpIfNone, JumpTo, Loop, Return};
use crate::cpu::ops::operand::{A, B, Mem};
use crate::cpu::ops::string::{Compare, Fetch, Fill, Find, Move, Once, Repeated, Single};
use crate::cpu::ops::transfer::{ConditionalMove, SetCondition};
use crate::cpu::state::{Fields, Handlers, handlers};

pub(super) fn lower(i: &Instruction, f: &mut Fields) -> Option<Handlers> {
    use Mnemonic as M;
    if i.is_jcc_short_or_near() {
        f.imm = near(i)?;
        return jump_if(condition(i.condition_code())?);
    }
    Some(match i.mnemonic() {
        M::Jmp | M::Call => return to(i, f),
        M::Ret if matches!(i.code(), Code::Retnq | Code::Retnq_imm16) => {
            f.imm = if i.op_count() == 1 { u64::from(i.immediate16()) } else { 0 };
            handlers::<Return>()
        }
        M::Jrcxz => {
            f.imm = near(i)?;
            handlers::<JumpIfNone<8>>()
        }
        M::Jecxz => {
            f.imm = near(i)?;
            handlers::<JumpIfNone<4>>()
        }
        M::Loop | M::Loope | M::Loopne => {
            f.imm = near(i)?;
            f.extra = match i.mnemonic() {
                M::Loop => 2,
                M::Loope => 1,
                _ => 0,
            };
            match i.code() {
                Code::Loop_rel8_64_RCX | Code::Loope_rel8_64_RCX | Code::Loopne_rel8_64_RCX => {
                    handlers::<Loop<8>>()
                }
                Code::Loop_rel8_64_ECX | Code::Loope_rel8_64_ECX | Code::Loopne_rel8_64_ECX => {
                    handlers::<Loop<4>>()
                }
                _ => return None,
            }
        }
        M::Movsb | M::Movsw | M::Movsq => string::<Move>(i, f)?,
        // The same name as a vector instruction's.
        M::Movsd if i.code() == Code::Movsd_m32_m32 => string::<Move>(i, f)?,
        M::Cmpsd if i.code() == Code::Cmpsd_m32_m32 => string::<Compare>(i, f)?,
        M::Stosb | M::Stosw | M::Stosd | M::Stosq => string::<Fill>(i, f)?,
        M::Lodsb | M::Lodsw | M::Lodsd | M::Lodsq => string::<Fetch>(i, f)?,
        M::Scasb | M::Scasw | M::Scasd | M::Scasq => string::<Find>(i, f)?,
        M::Cmpsb | M::Cmpsw | M::Cmpsq => string::<Compare>(i, f)?,
        _ if i.condition_code() != ConditionCode::None => return conditional(i, f),
        _ => return None,
    })
}

/// A jump's target; `None` if it is not in 64-bit code.
fn near(i: &Instruction) -> Option<u64> {
    (i.op0_kind() == OpKind::NearBranch64).then(|| i.near_branch64())
}

/// A condition's number in encodings.
fn condition(code: ConditionCode) -> Option<u8> {
    Some(match code {
        ConditionCode::o => 0,
        ConditionCode::no => 1,
        ConditionCode::b => 2,
        ConditionCode::ae => 3,
        ConditionCode::e => 4,
        ConditionCode::ne => 5,
        ConditionCode::be => 6,
        ConditionCode::a => 7,
        ConditionCode::s => 8,
        ConditionCode::ns => 9,
        ConditionCode::p => 10,
        ConditionCode::np => 11,
        ConditionCode::l => 12,
        ConditionCode::ge => 13,
        ConditionCode::le => 14,
        ConditionCode::g => 15,
        _ => return None,
    })
}

fn jump_if(condition: u8) -> Option<Handlers> {
    macro_rules! numbered {
        ($($n:literal)*) => {
            match condition { $( $n => Some(handlers::<JumpIf<$n>>()), )* _ => None }
        };
    }
    numbered!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15)
}

/// `jmp` and `call`, near.
fn to(i: &Instruction, f: &mut Fields) -> Option<Handlers> {
    let call = i.mnemonic() == Mnemonic::Call;
    if let Some(target) = near(i) {
        f.imm = target;
        return Some(if call { handlers::<Call>() } else { handlers::<Jump>() });
    }
    if !matches!(i.code(), Code::Jmp_rm64 | Code::Call_rm64) {
        return None;
    }
    Some(match kind(i, 0)? {
        Kind::Register => {
            (f.a, _) = general(i.op0_register())?;
            if call { handlers::<CallTo<A>>() } else { handlers::<JumpTo<A>>() }
        }
        _ if call => handlers::<CallTo<Mem>>(),
        _ => handlers::<JumpTo<Mem>>(),
    })
}

/// `setcc` and `cmovcc`.
fn conditional(i: &Instruction, f: &mut Fields) -> Option<Handlers> {
    f.extra = condition(i.condition_code())?;
    let first = kind(i, 0)?;
    if first == Kind::Register {
        (f.a, f.a_shift) = general(i.op0_register())?;
    }
    match (i.op_count(), first, size(i, 0)) {
        (1, Kind::Register, 1) => return Some(handlers::<SetCondition<A>>()),
        (1, Kind::Memory, 1) => return Some(handlers::<SetCondition<Mem>>()),
        (2, Kind::Register, _) => {}
        _ => return None,
    }
    let from = kind(i, 1)?;
    if from == Kind::Register {
        (f.b, _) = general(i.op1_register())?;
    }
    Some(match (from, size(i, 0)) {
        (Kind::Register, 2) => handlers::<ConditionalMove<2, B>>(),
        (Kind::Register, 4) => handlers::<ConditionalMove<4, B>>(),
        (Kind::Register, 8) => handlers::<ConditionalMove<8, B>>(),
        (Kind::Memory, 2) => handlers::<ConditionalMove<2, Mem>>(),
        (Kind::Memory, 4) => handlers::<ConditionalMove<4, Mem>>(),
        (Kind::Memory, 8) => handlers::<ConditionalMove<8, Mem>>(),
        _ => return None,
    })
}

/// String instructions with 64-bit addresses.
fn string<O: Once>(i: &Instruction, f: &mut Fields) -> Option<Handlers> {
    let short = |kind| {
        use OpKind::{MemoryESDI, MemoryESEDI, MemorySegDI, MemorySegEDI, MemorySegESI, MemorySegSI};
        matches!(kind, MemoryESDI | MemoryESEDI | MemorySegDI | MemorySegEDI | MemorySegESI | MemorySegSI)
    };
    if (0..i.op_count()).any(|n| short(i.op_kind(n))) {
        return None;
    }
    let size = i.memory_size().size();
    if !i.has_rep_prefix() && !i.has_repne_prefix() {
        return Some(match size {
            1 => handlers::<Single<O, 1>>(),
            2 => handlers::<Single<O, 2>>(),
            4 => handlers::<Single<O, 4>>(),
            _ => handlers::<Single<O, 8>>(),
        });
    }
    let prefix = u8::from(!i.has_repne_prefix());
    Some(match size {
        1 => with(f, prefix, handlers::<Repeated<O, 1>>()),
        2 => with(f, prefix, handlers::<Repeated<O, 2>>()),
        4 => with(f, prefix, handlers::<Repeated<O, 4>>()),
        _ => with(f, prefix, handlers::<Repeated<O, 8>>()),
    })
}
