//! From decoded instructions to handlers.

mod control;
mod integer;
mod operands;
mod vector;

use iced_x86::{Instruction, Mnemonic, Register};

use super::ops::other::{Hardware, Illegal};
use super::state::{Fields, Handlers, handlers};

/// A full fence: `mfence`, or what compilers put in its place, `lock or [rsp], 0`.
pub fn is_fence(i: &Instruction) -> bool {
    let nothing = || i.op_count() == 2 && i.try_immediate(1).is_ok_and(|number| number == 0);
    i.mnemonic() == Mnemonic::Mfence
        || i.has_lock_prefix()
            && i.memory_base() == Register::RSP
            && matches!(i.mnemonic(), Mnemonic::Or | Mnemonic::Add)
            && nothing()
}

/// The handlers and operands of an instruction, and whether it is interpreted at all.
pub(super) fn lower(i: &Instruction) -> (Handlers, Fields, bool) {
    if i.is_invalid() {
        let fields = Fields { at: i.ip(), length: i.len() as u8, ..Fields::default() };
        return (handlers::<Illegal>(), fields, true);
    }
    // Whoever runs us has to know of fences.
    let lowered = if is_fence(i) { None } else { integer::lower(i).or_else(|| vector::lower(i)) };
    match lowered {
        Some((handlers, fields)) => (handlers, fields, true),
        None => {
            let fields = Fields { at: i.ip(), length: i.len() as u8, ..Fields::default() };
            (handlers::<Hardware>(), fields, false)
        }
    }
}
