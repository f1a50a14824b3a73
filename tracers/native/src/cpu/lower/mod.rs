//! From decoded instructions to handlers.

mod control;
mod integer;
mod operands;
mod vector;

use iced_x86::Instruction;

use super::ops::other::{Hardware, Illegal};
use super::state::{Fields, Handlers, handlers};

/// The handlers and operands of an instruction, and whether it is interpreted at all.
pub(super) fn lower(i: &Instruction) -> (Handlers, Fields, bool) {
    if i.is_invalid() {
        let fields = Fields { at: i.ip(), length: i.len() as u8, ..Fields::default() };
        return (handlers::<Illegal>(), fields, true);
    }
    match integer::lower(i).or_else(|| vector::lower(i)) {
        Some((handlers, fields)) => (handlers, fields, true),
        None => {
            let fields = Fields { at: i.ip(), length: i.len() as u8, ..Fields::default() };
            (handlers::<Hardware>(), fields, false)
        }
    }
}
