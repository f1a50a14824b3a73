//! Operands of a decoded instruction, in the interpreter's form.

use iced_x86::{Instruction, OpKind, Register};

use crate::cpu::state::{FS, Fields, GS, ZERO};

/// What kind of operand it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Register,
    Memory,
    Immediate,
}

/// The kind of an operand; `None` for those that only special instructions have.
pub(super) fn kind(i: &Instruction, operand: u32) -> Option<Kind> {
    match i.op_kind(operand) {
        OpKind::Register => Some(Kind::Register),
        OpKind::Memory => Some(Kind::Memory),
        OpKind::Immediate8
        | OpKind::Immediate16
        | OpKind::Immediate32
        | OpKind::Immediate64
        | OpKind::Immediate8to16
        | OpKind::Immediate8to32
        | OpKind::Immediate8to64
        | OpKind::Immediate32to64 => Some(Kind::Immediate),
        _ => None,
    }
}

/// The size in bytes of a register or memory operand.
pub(super) fn size(i: &Instruction, operand: u32) -> usize {
    match i.op_kind(operand) {
        OpKind::Register => i.op_register(operand).size(),
        _ => i.memory_size().size(),
    }
}

/// A general register: its number and where a byte lies in it.
pub(super) fn general(register: Register) -> Option<(u8, u8)> {
    let high = matches!(register, Register::AH | Register::CH | Register::DH | Register::BH);
    register.is_gpr().then(|| (register.full_register().number() as u8, if high { 8 } else { 0 }))
}

/// A general or vector register that the interpreter keeps.
pub(super) fn known(register: Register) -> Option<(u8, u8)> {
    if register.is_xmm() && register.number() < 16 {
        return Some((register.number() as u8, 0));
    }
    general(register)
}

/// Where the instruction is, and its memory operand, if it has one.
pub(super) fn fields(i: &Instruction) -> Option<Fields> {
    let mut f = Fields {
        at: i.ip(),
        length: i.len() as u8,
        base: ZERO,
        index: ZERO,
        segment: ZERO,
        ..Fields::default()
    };
    let of_memory = |kind| {
        matches!(kind, OpKind::Memory | OpKind::MemorySegRSI | OpKind::MemorySegDI | OpKind::MemorySegEDI)
            || matches!(kind, OpKind::MemorySegRDI | OpKind::MemorySegESI | OpKind::MemorySegSI)
    };
    if (0..i.op_count()).any(|n| of_memory(i.op_kind(n))) {
        f.segment = match i.memory_segment() {
            Register::FS => FS,
            Register::GS => GS,
            _ => ZERO,
        };
    }
    if (0..i.op_count()).any(|n| i.op_kind(n) == OpKind::Memory) {
        f.disp = i.memory_displacement64();
        f.base = address_part(i.memory_base())?;
        f.index = address_part(i.memory_index())?;
        f.scale = i.memory_index_scale().trailing_zeros() as u8;
    }
    Some(f)
}

/// A register of an address; `None` if addresses are not computed in 64 bits.
fn address_part(register: Register) -> Option<u8> {
    match register {
        // The decoder has added the instruction pointer to the displacement.
        Register::None | Register::RIP => Some(ZERO),
        register if register.is_gpr64() => Some(register.number() as u8),
        _ => None,
    }
}
