//! Moves between vector registers, general registers and memory.

use iced_x86::{Mnemonic, OpKind};

use super::{Step, Vector};
use crate::sym::operand::{part, vector};

impl Step<'_> {
    pub fn vector_move(&mut self) -> Option<()> {
        use Mnemonic::*;
        match self.instruction.mnemonic() {
            Movaps | Movups | Movapd | Movupd | Movdqa | Movdqu | Lddqu | Movntdq | Movntps | Movntpd => {
                self.move_low(16)
            }
            Movq => self.move_low(8),
            Movd => self.move_low(4),
            Movss => self.move_scalar(4),
            Movsd => self.move_scalar(8),
            Movlps | Movlpd => self.move_half(0),
            Movhps | Movhpd => self.move_half(8),
            Movhlps => self.move_between(0, 8),
            Movlhps => self.move_between(8, 0),
            _ => None,
        }
    }

    /// Moves the low bytes of one operand to the other and clears the rest of a register.
    fn move_low(&mut self, size: usize) -> Option<()> {
        let instruction = self.instruction;
        let mut moved = Vector::ZERO;
        if let (OpKind::Register, Some(from)) = (instruction.op1_kind(), part(instruction.op1_register())) {
            let bits = self.gpr(from.number, from.width);
            self.set_lane(&mut moved, 0, bits);
        } else {
            let source = self.vector_operand(1)?;
            moved.copy(0, &source, 0, size);
        }
        match instruction.op0_kind() {
            OpKind::Memory => self.store_bytes(&moved.refs[..size], moved.value),
            _ if vector(instruction.op0_register()).is_some() => self.set_vector(moved),
            _ => {
                let bits = self.lane(&moved, size, 0);
                self.write_register(instruction.op0_register(), bits)
            }
        }
    }

    /// `movss`, `movsd`: between registers the rest stays, from memory it is cleared.
    fn move_scalar(&mut self, size: usize) -> Option<()> {
        if self.instruction.op0_kind() == OpKind::Memory || self.instruction.op1_kind() == OpKind::Memory {
            return self.move_low(size);
        }
        let (mut to, from) = (self.vector_operand(0)?, self.vector_operand(1)?);
        to.copy(0, &from, 0, size);
        self.set_vector(to)
    }

    /// Eight bytes between memory and the half of a register that begins at byte `at`.
    fn move_half(&mut self, at: usize) -> Option<()> {
        if self.instruction.op0_kind() == OpKind::Memory {
            let from = self.vector_operand(1)?;
            return self.store_bytes(&from.refs[at..at + 8], u128::from((from.value >> (at * 8)) as u64));
        }
        let (mut to, from) = (self.vector_operand(0)?, self.vector_operand(1)?);
        to.copy(at, &from, 0, 8);
        self.set_vector(to)
    }

    fn move_between(&mut self, to: usize, from: usize) -> Option<()> {
        let (mut target, source) = (self.vector_operand(0)?, self.vector_operand(1)?);
        target.copy(to, &source, from, 8);
        self.set_vector(target)
    }
}
