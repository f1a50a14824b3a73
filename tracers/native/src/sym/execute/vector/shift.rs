//! Shifts of lanes. All lanes are shifted by one count, which is concrete: a symbolic one is used by its value.

use iced_x86::{Mnemonic, OpKind};
use warpath_trace::event::Concretised;
use warpath_trace::expr::BinaryOp;

use super::{Step, Vector, bits_in};
use crate::sym::bits::Bits;

impl Step<'_> {
    pub fn vector_shift(&mut self) -> Option<()> {
        use Mnemonic::*;
        let (op, size) = match self.instruction.mnemonic() {
            Psllw => (BinaryOp::Shl, 2),
            Pslld => (BinaryOp::Shl, 4),
            Psllq => (BinaryOp::Shl, 8),
            Psrlw => (BinaryOp::LShr, 2),
            Psrld => (BinaryOp::LShr, 4),
            Psrlq => (BinaryOp::LShr, 8),
            Psraw => (BinaryOp::AShr, 2),
            Psrad => (BinaryOp::AShr, 4),
            _ => return None,
        };
        let source = self.vector_operand(0)?;
        let count = match self.instruction.op1_kind() {
            OpKind::Register | OpKind::Memory => {
                let count = self.vector_operand(1)?;
                self.concretise_vector(&count, 8, Concretised::Size);
                count.value & u128::from(u64::MAX)
            }
            _ => self.immediate(1)? as u128,
        };
        let width = bits_in(size);
        // A count too large for the lane's width is too large all the same when it is cut to it.
        let count = Bits::concrete(width, count.min(width.into()));
        let mut result = Vector::ZERO;
        for index in 0..16 / size {
            let lane = self.lane(&source, size, index);
            let shifted = self.build.binary(op, lane, count);
            self.set_lane(&mut result, index, shifted);
        }
        self.set_vector(result)
    }
}
