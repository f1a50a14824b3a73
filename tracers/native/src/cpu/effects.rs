//! What an instruction does to registers as a whole: which it depends on, which it overwrites.

use iced_x86::{Instruction, InstructionInfoFactory, Mnemonic, OpAccess, OpKind, Register, RflagsBits};

use super::{Flag, RegisterSet};

/// The registers an instruction has to do with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effects {
    /// Registers that it reads, or writes only in part or under a condition.
    pub touches: RegisterSet,
    /// Registers that it always overwrites whole.
    pub kills: RegisterSet,
}

/// The registers that an instruction has to do with. An idiom such as `xor eax, eax` does not read its operand.
pub fn effects(instruction: &Instruction) -> Effects {
    effects_with(&mut InstructionInfoFactory::new(), instruction)
}

pub(super) fn effects_with(factory: &mut InstructionInfoFactory, instruction: &Instruction) -> Effects {
    let mut touches = RegisterSet::EMPTY;
    let mut kills = RegisterSet::EMPTY;
    for used in factory.info(instruction).used_registers() {
        let register = used.register();
        let (set, whole) = if register.is_gpr() {
            (RegisterSet::gpr(register.full_register().number()), register.size() >= 4)
        } else if register.is_xmm() && register.number() < 16 {
            (RegisterSet::xmm(register.number()), true)
        } else if register.is_vector_register() && register.number() < 16 {
            // Wider registers contain the one we know.
            (RegisterSet::xmm(register.number()), true)
        } else {
            continue;
        };
        match used.access() {
            OpAccess::Write if whole => kills.insert(set),
            OpAccess::None | OpAccess::NoMemAccess => {}
            _ => touches.insert(set),
        }
    }
    let changed = instruction.rflags_modified();
    if instruction.rflags_read() & STATUS != 0 {
        touches.insert(RegisterSet::FLAGS);
    } else if changed & STATUS == STATUS && !may_leave_flags(instruction) {
        kills.insert(RegisterSet::FLAGS);
    } else if changed & STATUS != 0 {
        touches.insert(RegisterSet::FLAGS);
    }
    Effects { touches, kills: kills - touches }
}

const STATUS: u32 =
    RflagsBits::OF | RflagsBits::SF | RflagsBits::ZF | RflagsBits::AF | RflagsBits::CF | RflagsBits::PF;

/// Instructions that leave the flags alone when a count is zero.
fn may_leave_flags(instruction: &Instruction) -> bool {
    use Mnemonic::*;
    match instruction.mnemonic() {
        Shl | Sal | Shr | Sar | Rol | Ror | Rcl | Rcr | Shld | Shrd => {
            let last = instruction.op_count() - 1;
            instruction.op_kind(last) == OpKind::Register && instruction.op_register(last) == Register::CL
        }
        Cmpsb | Cmpsw | Cmpsd | Cmpsq | Scasb | Scasw | Scasd | Scasq => {
            instruction.has_rep_prefix() || instruction.has_repne_prefix()
        }
        _ => false,
    }
}

/// The status flags that the architecture leaves undefined after an instruction: processors differ in them, and
/// comparisons with the hardware must not look at them.
pub fn undefined_flags(instruction: &Instruction) -> u64 {
    status_flags(instruction.rflags_undefined()) | undefined_by_rotation(instruction)
}

/// A rotation through carry by several bits leaves OF undefined, also where it comes back to where it began: processors
/// differ then.
fn undefined_by_rotation(instruction: &Instruction) -> u64 {
    let rotates = matches!(instruction.mnemonic(), Mnemonic::Rcl | Mnemonic::Rcr);
    let by = match instruction.op1_kind() {
        OpKind::Immediate8 => instruction.immediate8() & 0x1f,
        _ => 0,
    };
    if rotates && by > 1 { Flag::OF } else { 0 }
}

/// Status flags as the decoder counts them (`RflagsBits`), as bits of RFLAGS.
pub fn status_flags(bits: u32) -> u64 {
    [
        (RflagsBits::OF, Flag::OF),
        (RflagsBits::SF, Flag::SF),
        (RflagsBits::ZF, Flag::ZF),
        (RflagsBits::AF, Flag::AF),
        (RflagsBits::CF, Flag::CF),
        (RflagsBits::PF, Flag::PF),
    ]
    .into_iter()
    .filter(|(theirs, _)| bits & theirs != 0)
    .fold(0, |all, (_, ours)| all | ours)
}
