//! Numbers of instructions that are asked for by name.

use crate::classfile::JavaType;

pub(crate) const GETSTATIC: u8 = 0xb2;
pub(crate) const PUTSTATIC: u8 = 0xb3;
pub(crate) const GETFIELD: u8 = 0xb4;
pub(crate) const PUTFIELD: u8 = 0xb5;
pub(crate) const INVOKEVIRTUAL: u8 = 0xb6;
pub(crate) const INVOKESTATIC: u8 = 0xb8;
pub(crate) const INVOKEDYNAMIC: u8 = 0xba;
pub(crate) const NEWARRAY: u8 = 0xbc;
pub(crate) const ANEWARRAY: u8 = 0xbd;
pub(crate) const ATHROW: u8 = 0xbf;
pub(crate) const MONITORENTER: u8 = 0xc2;
pub(crate) const MONITOREXIT: u8 = 0xc3;
pub(crate) const MULTIANEWARRAY: u8 = 0xc5;

/// The type of the elements that an instruction loads from or stores to an array; `None` for other instructions.
///
/// Those of `boolean` arrays are taken as bytes: the instruction does not tell.
pub(crate) fn element_type(opcode: u8) -> Option<JavaType> {
    use JavaType::*;
    let types = [Int, Long, Float, Double, Reference, Byte, Char, Short];
    let nth = match opcode {
        0x2e..=0x35 => opcode - 0x2e,
        0x4f..=0x56 => opcode - 0x4f,
        _ => return None,
    };
    types.get(usize::from(nth)).copied()
}
