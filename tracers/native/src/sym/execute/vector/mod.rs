//! Integer instructions on vector registers.
//!
//! A register is sixteen bytes that each know which expression they are a byte of. Moves and shuffles only move these;
//! arithmetic gathers a lane, computes, and scatters the result.

mod float;
mod lanes;
mod moves;
mod shift;
mod shuffle;

use iced_x86::OpKind;
use warpath_trace::event::Concretised;
use warpath_trace::expr::Width;

use super::Step;
use crate::sym::bits::Bits;
use crate::sym::bytes::{ByteRef, gather, run_length, scatter};
use crate::sym::operand::vector;

/// The contents of a vector register.
#[derive(Clone, Copy)]
pub(in crate::sym) struct Vector {
    pub refs: [ByteRef; 16],
    pub value: u128,
}

impl Vector {
    pub const ZERO: Vector = Vector { refs: [ByteRef::CONCRETE; 16], value: 0 };

    /// Copies `count` bytes of another vector.
    pub fn copy(&mut self, to: usize, from: &Vector, at: usize, count: usize) {
        self.refs[to..to + count].copy_from_slice(&from.refs[at..at + count]);
        let mut bytes = self.value.to_le_bytes();
        bytes[to..to + count].copy_from_slice(&from.value.to_le_bytes()[at..at + count]);
        self.value = u128::from_le_bytes(bytes);
    }

    fn is_symbolic(&self) -> bool {
        self.refs.iter().any(|byte| byte.is_symbolic())
    }
}

impl Step<'_> {
    pub fn vector(&mut self) -> Option<()> {
        self.vector_move()
            .or_else(|| self.vector_shuffle())
            .or_else(|| self.vector_lanes())
            .or_else(|| self.vector_shift())
            .or_else(|| self.float())
    }

    /// A vector register before the instruction.
    pub fn read_vector(&self, number: usize) -> Vector {
        Vector { refs: self.thread.xmm[number], value: self.before.xmm[number] }
    }

    /// An operand that is a vector register or memory (with zeros above, if it is shorter).
    pub fn vector_operand(&mut self, operand: u32) -> Option<Vector> {
        match self.instruction.op_kind(operand) {
            OpKind::Register => {
                vector(self.instruction.op_register(operand)).map(|number| self.read_vector(number))
            }
            OpKind::Memory => {
                let (refs, value, _) = self.load_bytes()?;
                Some(Vector { refs, value })
            }
            _ => None,
        }
    }

    /// Sets the first operand, a vector register.
    pub fn set_vector(&mut self, new: Vector) -> Option<()> {
        let number = vector(self.instruction.op0_register())?;
        if new.value == self.after.xmm[number] {
            self.thread.set_xmm(number, new.refs);
        } else {
            self.disagreements += u64::from(new.is_symbolic());
            self.thread.clear_xmm(number);
        }
        Some(())
    }

    /// The `index`-th lane of so many bytes.
    pub fn lane(&mut self, of: &Vector, size: usize, index: usize) -> Bits {
        let from = size * index;
        gather(self.build, &of.refs[from..from + size], of.value >> (from * 8))
    }

    pub fn set_lane(&mut self, of: &mut Vector, index: usize, bits: Bits) {
        let size = usize::from(bits.width / 8);
        let from = size * index;
        scatter(self.build, bits, &mut of.refs[from..from + size]);
        let mut bytes = of.value.to_le_bytes();
        bytes[from..from + size].copy_from_slice(&bits.value.to_le_bytes()[..size]);
        of.value = u128::from_le_bytes(bytes);
    }

    /// Uses `count` bytes by their concrete values.
    pub fn concretise_vector(&mut self, of: &Vector, count: usize, why: Concretised) {
        let mut done = 0;
        while done < count {
            let run = run_length(&of.refs[done..count]);
            let bits: Bits = gather(self.build, &of.refs[done..done + run], of.value >> (done * 8));
            self.concretise(bits, why);
            done += run;
        }
    }

    /// An immediate byte.
    pub fn immediate(&self, operand: u32) -> Option<usize> {
        Some(self.instruction.try_immediate(operand).ok()? as usize & 0xff)
    }
}

/// Bits in so many bytes.
pub(super) fn bits_in(size: usize) -> Width {
    (size * 8) as Width
}
