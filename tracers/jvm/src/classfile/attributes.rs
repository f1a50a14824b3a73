//! The code of a method and what belongs to it.

use super::bytes::Bytes;
use super::constants::ConstantPool;
use super::error::ClassError;

/// The code of a method.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Code {
    /// Local variables.
    pub max_locals: u16,
    /// The instructions.
    pub bytes: Vec<u8>,
    /// Where exceptions go, innermost first.
    pub handlers: Vec<Handler>,
    /// First instruction and line, ascending by instruction.
    lines: Vec<(u16, u16)>,
}

/// What catches exceptions of a piece of code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handler {
    /// First instruction of the piece.
    pub start: u16,
    /// First instruction behind it.
    pub end: u16,
    /// Where control goes.
    pub target: u16,
    /// Constant of the class caught; 0 for every one.
    pub class: u16,
}

impl Code {
    pub(super) fn read(block: &[u8], pool: &ConstantPool) -> Result<Code, ClassError> {
        let mut bytes = Bytes::new(block);
        bytes.u16()?;
        let max_locals = bytes.u16()?;
        let code = bytes.block()?.to_vec();
        let mut handlers = Vec::new();
        for _ in 0..bytes.u16()? {
            let (start, end, target, class) = (bytes.u16()?, bytes.u16()?, bytes.u16()?, bytes.u16()?);
            handlers.push(Handler { start, end, target, class });
        }
        let mut lines = Vec::new();
        for _ in 0..bytes.u16()? {
            let name = bytes.u16()?;
            let content = bytes.block()?;
            if pool.text(name) == Ok("LineNumberTable") {
                let mut table = Bytes::new(content);
                for _ in 0..table.u16()? {
                    lines.push((table.u16()?, table.u16()?));
                }
            }
        }
        lines.sort_by_key(|&(start, _)| start);
        Ok(Code { max_locals, bytes: code, handlers, lines })
    }

    /// The line of an instruction; 0 if it is not known.
    pub fn line(&self, pc: u32) -> u32 {
        let behind = self.lines.partition_point(|&(start, _)| u32::from(start) <= pc);
        behind.checked_sub(1).map_or(0, |last| self.lines[last].1.into())
    }
}
