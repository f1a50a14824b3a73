//! What each instruction does: one type per instruction, made for one operand size and one kind of each operand.

pub(super) mod alu;
pub(super) mod bits;
pub(super) mod branch;
pub(super) mod exchange;
pub(super) mod float;
pub(super) mod multiply;
pub(super) mod operand;
pub(super) mod other;
pub(super) mod packed;
pub(super) mod shift;
pub(super) mod stack;
pub(super) mod string;
pub(super) mod transfer;
pub(super) mod vector;
