//! The SSE and SSE2 instructions.

use iced_x86::{Code, Instruction, Mnemonic, OpKind, Register};

use super::operands::{Kind, fields, kind, known, size};
use crate::cpu::ops::float;
use crate::cpu::ops::operand;
use crate::cpu::ops::packed;
use crate::cpu::ops::vector::{self, Mem, Xmm};
use crate::cpu::state::{Fields, Handlers, handlers};

/// The handlers and operands of a vector instruction; `None` if the hardware has to execute it.
pub(super) fn lower(i: &Instruction) -> Option<(Handlers, Fields)> {
    let mut f = fields(i)?;
    let first = kind(i, 0)?;
    if first == Kind::Register {
        (f.a, _) = known(i.op0_register())?;
    }
    if i.op_count() > 1 {
        match kind(i, 1)? {
            Kind::Register => (f.b, _) = known(i.op1_register())?,
            Kind::Immediate => f.imm = i.immediate(1),
            Kind::Memory => {}
        }
    }
    if i.op_count() > 2 {
        if kind(i, 2)? != Kind::Immediate {
            return None;
        }
        f.imm = i.immediate(2);
    }
    if i.mnemonic() == Mnemonic::Ldmxcsr {
        return Some((handlers::<float::LoadControl>(), f));
    }
    if i.mnemonic() == Mnemonic::Stmxcsr {
        return Some((handlers::<float::StoreControl>(), f));
    }
    if i.op_count() < 2 {
        return None;
    }
    let handlers = moves(i).or_else(|| arithmetic(i)).or_else(|| floating(i)).or_else(|| conversion(i))?;
    Some((handlers, f))
}

fn is_xmm(register: Register) -> bool {
    register.is_xmm()
}

fn moves(i: &Instruction) -> Option<Handlers> {
    use Mnemonic as M;
    use vector::{
        Copy, ExtractWord, FromGeneral, HighToLow, InsertWord, InsertWordFromMemory, Load, LoadHalf, LoadLow,
        LowToHigh, MergeLow, Signs, Store, StoreHigh, StoreLow, ToGeneral,
    };
    let (first, second) = (kind(i, 0)?, kind(i, 1)?);
    let form = (first, second);
    const RR: (Kind, Kind) = (Kind::Register, Kind::Register);
    const RM: (Kind, Kind) = (Kind::Register, Kind::Memory);
    const MR: (Kind, Kind) = (Kind::Memory, Kind::Register);
    Some(match (i.mnemonic(), form) {
        (M::Movaps | M::Movapd | M::Movdqa | M::Movups | M::Movupd | M::Movdqu, RR) => handlers::<Copy>(),
        (M::Movaps | M::Movapd | M::Movdqa, RM) => handlers::<Load<true>>(),
        (M::Movups | M::Movupd | M::Movdqu, RM) => handlers::<Load<false>>(),
        (M::Movaps | M::Movapd | M::Movdqa, MR) => handlers::<Store<true>>(),
        (M::Movntps | M::Movntpd | M::Movntdq, MR) => handlers::<Store<true>>(),
        (M::Movups | M::Movupd | M::Movdqu, MR) => handlers::<Store<false>>(),
        (M::Movss, RR) => handlers::<MergeLow<4>>(),
        (M::Movss, RM) => handlers::<LoadLow<4, Mem>>(),
        (M::Movss, MR) => handlers::<StoreLow<4>>(),
        (M::Movsd, RR) => handlers::<MergeLow<8>>(),
        (M::Movsd, RM) => handlers::<LoadLow<8, Mem>>(),
        (M::Movsd, MR) => handlers::<StoreLow<8>>(),
        (M::Movd, RM) => handlers::<LoadLow<4, Mem>>(),
        (M::Movd, MR) => handlers::<StoreLow<4>>(),
        (M::Movd, RR) if is_xmm(i.op0_register()) => handlers::<FromGeneral<4>>(),
        (M::Movd, RR) => handlers::<ToGeneral<4>>(),
        (M::Movq, RM) => handlers::<LoadLow<8, Mem>>(),
        (M::Movq, MR) => handlers::<StoreLow<8>>(),
        (M::Movq, RR) if is_xmm(i.op0_register()) && is_xmm(i.op1_register()) => {
            handlers::<LoadLow<8, Xmm>>()
        }
        (M::Movq, RR) if is_xmm(i.op0_register()) => handlers::<FromGeneral<8>>(),
        (M::Movq, RR) => handlers::<ToGeneral<8>>(),
        (M::Movlps | M::Movlpd, RM) => handlers::<LoadHalf<0>>(),
        (M::Movlps | M::Movlpd, MR) => handlers::<StoreLow<8>>(),
        (M::Movhps | M::Movhpd, RM) => handlers::<LoadHalf<8>>(),
        (M::Movhps | M::Movhpd, MR) => handlers::<StoreHigh>(),
        (M::Movlhps, RR) => handlers::<LowToHigh>(),
        (M::Movhlps, RR) => handlers::<HighToLow>(),
        (M::Pmovmskb, RR) => handlers::<Signs<1>>(),
        (M::Movmskps, RR) => handlers::<Signs<4>>(),
        (M::Movmskpd, RR) => handlers::<Signs<8>>(),
        (M::Pinsrw, RR) => handlers::<InsertWord>(),
        (M::Pinsrw, RM) => handlers::<InsertWordFromMemory>(),
        // The form that can have a memory destination is a later extension.
        (M::Pextrw, RR) if matches!(i.code(), Code::Pextrw_r32_xmm_imm8 | Code::Pextrw_r64_xmm_imm8) => {
            handlers::<ExtractWord>()
        }
        _ => return None,
    })
}

/// Chooses by mnemonic, then by where the second operand is.
macro_rules! table {
    ($i:expr, $body:ident: $($mnemonic:ident)|+ => $operation:path $(, $($more:ident)|+ => $others:path)* $(,)?) => {
        match ($i.mnemonic(), kind($i, 1)?) {
            (table!(@ $($mnemonic)|+), Kind::Register) => handlers::<$body<$operation, Xmm>>(),
            (table!(@ $($mnemonic)|+), Kind::Memory) => handlers::<$body<$operation, Mem>>(),
            $(
                (table!(@ $($more)|+), Kind::Register) => handlers::<$body<$others, Xmm>>(),
                (table!(@ $($more)|+), Kind::Memory) => handlers::<$body<$others, Mem>>(),
            )*
            _ => return None,
        }
    };
    (@ $($mnemonic:ident)|+) => { $(Mnemonic::$mnemonic)|+ };
}

fn arithmetic(i: &Instruction) -> Option<Handlers> {
    use packed::*;
    if !(i.op_kind(0) == OpKind::Register && is_xmm(i.op0_register())) {
        return None;
    }
    if kind(i, 1)? == Kind::Immediate {
        return shift_by_immediate(i);
    }
    Some(table!(i, Packed:
        Paddb => AddBytes,
        Paddw => AddWords,
        Paddd => AddDoubles,
        Paddq => AddQuads,
        Paddsb => AddBytesSaturating,
        Paddsw => AddWordsSaturating,
        Paddusb => AddBytesUnsigned,
        Paddusw => AddWordsUnsigned,
        Psubb => SubBytes,
        Psubw => SubWords,
        Psubd => SubDoubles,
        Psubq => SubQuads,
        Psubsb => SubBytesSaturating,
        Psubsw => SubWordsSaturating,
        Psubusb => SubBytesUnsigned,
        Psubusw => SubWordsUnsigned,
        Pmullw => MultiplyLow,
        Pmulhw => MultiplyHigh,
        Pmulhuw => MultiplyHighUnsigned,
        Pmuludq => MultiplyDoubles,
        Pmaddwd => MultiplyAdd,
        Psadbw => SumOfDifferences,
        Pavgb => AverageBytes,
        Pavgw => AverageWords,
        Pmaxub => MaxBytes,
        Pmaxsw => MaxWords,
        Pminub => MinBytes,
        Pminsw => MinWords,
        Pcmpeqb => EqualBytes,
        Pcmpeqw => EqualWords,
        Pcmpeqd => EqualDoubles,
        Pcmpgtb => GreaterBytes,
        Pcmpgtw => GreaterWords,
        Pcmpgtd => GreaterDoubles,
        Psllw => ShiftLeftWords,
        Pslld => ShiftLeftDoubles,
        Psllq => ShiftLeftQuads,
        Psrlw => ShiftRightWords,
        Psrld => ShiftRightDoubles,
        Psrlq => ShiftRightQuads,
        Psraw => ShiftSignedWords,
        Psrad => ShiftSignedDoubles,
        Punpcklbw => UnpackLowBytes,
        Punpcklwd => UnpackLowWords,
        Punpckldq | Unpcklps => UnpackLowDoubles,
        Punpcklqdq | Unpcklpd => UnpackLowQuads,
        Punpckhbw => UnpackHighBytes,
        Punpckhwd => UnpackHighWords,
        Punpckhdq | Unpckhps => UnpackHighDoubles,
        Punpckhqdq | Unpckhpd => UnpackHighQuads,
        Packsswb => PackWords,
        Packssdw => PackDoubles,
        Packuswb => PackUnsigned,
        Pand | Andps | Andpd => And,
        Pandn | Andnps | Andnpd => AndNot,
        Por | Orps | Orpd => Or,
        Pxor | Xorps | Xorpd => Xor,
        Pshufd => ShuffleDoubles,
        Pshuflw => ShuffleLowWords,
        Pshufhw => ShuffleHighWords,
        Shufps => ShuffleSingles,
        Shufpd => ShuffleDoublePrecision,
    ))
}

fn shift_by_immediate(i: &Instruction) -> Option<Handlers> {
    use Mnemonic as M;
    use packed::*;
    Some(match i.mnemonic() {
        M::Psllw => handlers::<PackedShift<ShiftLeftWords>>(),
        M::Pslld => handlers::<PackedShift<ShiftLeftDoubles>>(),
        M::Psllq => handlers::<PackedShift<ShiftLeftQuads>>(),
        M::Psrlw => handlers::<PackedShift<ShiftRightWords>>(),
        M::Psrld => handlers::<PackedShift<ShiftRightDoubles>>(),
        M::Psrlq => handlers::<PackedShift<ShiftRightQuads>>(),
        M::Psraw => handlers::<PackedShift<ShiftSignedWords>>(),
        M::Psrad => handlers::<PackedShift<ShiftSignedDoubles>>(),
        M::Pslldq => handlers::<PackedShift<ShiftLeftBytes>>(),
        M::Psrldq => handlers::<PackedShift<ShiftRightBytes>>(),
        _ => return None,
    })
}

fn floating(i: &Instruction) -> Option<Handlers> {
    use float::*;
    if !(i.op_kind(0) == OpKind::Register && is_xmm(i.op0_register())) {
        return None;
    }
    // MMX registers are not ours.
    if i.op_kind(1) == OpKind::Register && !is_xmm(i.op1_register()) {
        return None;
    }
    if let Some(handlers) = ordering(i) {
        return Some(handlers);
    }
    Some(table!(i, Float:
        Addps => AddPs,
        Addpd => AddPd,
        Addss => AddSs,
        Addsd => AddSd,
        Subps => SubPs,
        Subpd => SubPd,
        Subss => SubSs,
        Subsd => SubSd,
        Mulps => MulPs,
        Mulpd => MulPd,
        Mulss => MulSs,
        Mulsd => MulSd,
        Divps => DivPs,
        Divpd => DivPd,
        Divss => DivSs,
        Divsd => DivSd,
        Minps => MinPs,
        Minpd => MinPd,
        Minss => MinSs,
        Minsd => MinSd,
        Maxps => MaxPs,
        Maxpd => MaxPd,
        Maxss => MaxSs,
        Maxsd => MaxSd,
        Sqrtps => SqrtPs,
        Sqrtpd => SqrtPd,
        Sqrtss => SqrtSs,
        Sqrtsd => SqrtSd,
        Rcpps => RcpPs,
        Rcpss => RcpSs,
        Rsqrtps => RsqrtPs,
        Rsqrtss => RsqrtSs,
        Cmpps => ComparePs,
        Cmppd => ComparePd,
        Cmpss => CompareSs,
        Cmpsd => CompareSd,
        Cvtdq2ps => SinglesFromIntegers,
        Cvtdq2pd => DoublesFromIntegers,
        Cvtps2dq => IntegersFromSingles,
        Cvttps2dq => IntegersFromSinglesCut,
        Cvtpd2dq => IntegersFromDoubles,
        Cvttpd2dq => IntegersFromDoublesCut,
        Cvtps2pd => DoublesFromSingles,
        Cvtpd2ps => SinglesFromDoubles,
        Cvtss2sd => DoubleFromSingle,
        Cvtsd2ss => SingleFromDouble,
    ))
}

fn ordering(i: &Instruction) -> Option<Handlers> {
    use float::*;
    Some(table!(i, Order: Comiss => ComiSs, Comisd => ComiSd, Ucomiss => UcomiSs, Ucomisd => UcomiSd))
}

/// Between vector and general registers.
fn conversion(i: &Instruction) -> Option<Handlers> {
    use float::*;
    let wide = size(i, 0) == 8;
    let to_general = i.op_kind(0) == OpKind::Register && i.op0_register().is_gpr();
    if to_general {
        return Some(match (i.mnemonic(), wide) {
            (Mnemonic::Cvtss2si, false) => table!(i, Round: Cvtss2si => IntegerFromSingle32),
            (Mnemonic::Cvtss2si, true) => table!(i, Round: Cvtss2si => IntegerFromSingle64),
            (Mnemonic::Cvtsd2si, false) => table!(i, Round: Cvtsd2si => IntegerFromDouble32),
            (Mnemonic::Cvtsd2si, true) => table!(i, Round: Cvtsd2si => IntegerFromDouble64),
            (Mnemonic::Cvttss2si, false) => table!(i, Round: Cvttss2si => IntegerFromSingleCut32),
            (Mnemonic::Cvttss2si, true) => table!(i, Round: Cvttss2si => IntegerFromSingleCut64),
            (Mnemonic::Cvttsd2si, false) => table!(i, Round: Cvttsd2si => IntegerFromDoubleCut32),
            (Mnemonic::Cvttsd2si, true) => table!(i, Round: Cvttsd2si => IntegerFromDoubleCut64),
            _ => return None,
        });
    }
    use operand::{B, Mem as Memory};
    Some(match i.code() {
        Code::Cvtsi2ss_xmm_rm32 if kind(i, 1)? == Kind::Register => handlers::<Convert<SingleFrom32, 4, B>>(),
        Code::Cvtsi2ss_xmm_rm32 => handlers::<Convert<SingleFrom32, 4, Memory>>(),
        Code::Cvtsi2ss_xmm_rm64 if kind(i, 1)? == Kind::Register => handlers::<Convert<SingleFrom64, 8, B>>(),
        Code::Cvtsi2ss_xmm_rm64 => handlers::<Convert<SingleFrom64, 8, Memory>>(),
        Code::Cvtsi2sd_xmm_rm32 if kind(i, 1)? == Kind::Register => handlers::<Convert<DoubleFrom32, 4, B>>(),
        Code::Cvtsi2sd_xmm_rm32 => handlers::<Convert<DoubleFrom32, 4, Memory>>(),
        Code::Cvtsi2sd_xmm_rm64 if kind(i, 1)? == Kind::Register => handlers::<Convert<DoubleFrom64, 8, B>>(),
        Code::Cvtsi2sd_xmm_rm64 => handlers::<Convert<DoubleFrom64, 8, Memory>>(),
        _ => return None,
    })
}
