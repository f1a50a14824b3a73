//! Shuffles, interleavings, packs, masks: bytes and words that change place.

use iced_x86::{Mnemonic, OpKind, Register};
use warpath_trace::expr::{BinaryOp, Width, mask};

use super::{Step, Vector, bits_in};
use crate::sym::bits::Bits;
use crate::sym::operand::part;

impl Step<'_> {
    pub fn vector_shuffle(&mut self) -> Option<()> {
        use Mnemonic::*;
        match self.instruction.mnemonic() {
            Punpcklbw => self.interleave(1, 0),
            Punpcklwd => self.interleave(2, 0),
            Punpckldq | Unpcklps => self.interleave(4, 0),
            Punpcklqdq | Unpcklpd => self.interleave(8, 0),
            Punpckhbw => self.interleave(1, 8),
            Punpckhwd => self.interleave(2, 8),
            Punpckhdq | Unpckhps => self.interleave(4, 8),
            Punpckhqdq | Unpckhpd => self.interleave(8, 8),
            Pshufd => self.shuffle(),
            Pshuflw => self.shuffle_words(0),
            Pshufhw => self.shuffle_words(8),
            Shufps => self.shuffle_two(4),
            Shufpd => self.shuffle_two(8),
            Pslldq => self.move_bytes(true),
            Psrldq => self.move_bytes(false),
            Packsswb => self.pack(2, true),
            Packssdw => self.pack(4, true),
            Packuswb => self.pack(2, false),
            Pmovmskb => self.signs(1),
            Movmskps => self.signs(4),
            Movmskpd => self.signs(8),
            Pinsrw => self.insert_word(),
            Pextrw => self.extract_word(),
            _ => None,
        }
    }

    /// Lanes of `size` bytes from the halves beginning at `half`, in turn from both operands.
    fn interleave(&mut self, size: usize, half: usize) -> Option<()> {
        let (a, b) = (self.vector_operand(0)?, self.vector_operand(1)?);
        let mut result = Vector::ZERO;
        for index in 0..8 / size {
            result.copy(2 * index * size, &a, half + index * size, size);
            result.copy((2 * index + 1) * size, &b, half + index * size, size);
        }
        self.set_vector(result)
    }

    /// Lanes of four bytes, each from where two bits of the immediate say.
    fn shuffle(&mut self) -> Option<()> {
        let source = self.vector_operand(1)?;
        let choice = self.immediate(2)?;
        let mut result = Vector::ZERO;
        for lane in 0..4 {
            result.copy(4 * lane, &source, 4 * (choice >> (2 * lane) & 3), 4);
        }
        self.set_vector(result)
    }

    /// Shuffles the four words from byte `half` on, keeps the others.
    fn shuffle_words(&mut self, half: usize) -> Option<()> {
        let source = self.vector_operand(1)?;
        let choice = self.immediate(2)?;
        let mut result = source;
        for lane in 0..4 {
            result.copy(half + 2 * lane, &source, half + 2 * (choice >> (2 * lane) & 3), 2);
        }
        self.set_vector(result)
    }

    /// The lower lanes from the first operand, the upper from the second.
    fn shuffle_two(&mut self, size: usize) -> Option<()> {
        let (a, b) = (self.vector_operand(0)?, self.vector_operand(1)?);
        let choice = self.immediate(2)?;
        let lanes = 16 / size;
        let bits = lanes.ilog2() as usize;
        let mut result = Vector::ZERO;
        for lane in 0..lanes {
            let from = if lane < lanes / 2 { &a } else { &b };
            let which = choice >> (bits * lane) & (lanes - 1);
            result.copy(lane * size, from, which * size, size);
        }
        self.set_vector(result)
    }

    fn move_bytes(&mut self, left: bool) -> Option<()> {
        let source = self.vector_operand(0)?;
        let by = self.immediate(1)?.min(16);
        let mut result = Vector::ZERO;
        if left {
            result.copy(by, &source, 0, 16 - by);
        } else {
            result.copy(0, &source, by, 16 - by);
        }
        self.set_vector(result)
    }

    /// Signed lanes of `size` bytes made half as wide, values that do not fit replaced by the nearest that does.
    fn pack(&mut self, size: usize, signed: bool) -> Option<()> {
        let (a, b) = (self.vector_operand(0)?, self.vector_operand(1)?);
        let mut result = Vector::ZERO;
        let lanes = 16 / size;
        for index in 0..2 * lanes {
            let from = if index < lanes { &a } else { &b };
            let wide = self.lane(from, size, index % lanes);
            let narrow = self.saturate(wide, bits_in(size / 2), signed);
            self.set_lane(&mut result, index, narrow);
        }
        self.set_vector(result)
    }

    /// A signed value as the nearest one of fewer bits, signed or unsigned.
    pub fn saturate(&mut self, wide: Bits, width: Width, signed: bool) -> Bits {
        let (least, most) = if signed {
            let most = mask(width - 1);
            (Bits::concrete(wide.width, !most), Bits::concrete(wide.width, most))
        } else {
            (Bits::zero(wide.width), Bits::concrete(wide.width, mask(width)))
        };
        let below = self.build.compare(BinaryOp::Slt, wide, least);
        let above = self.build.compare(BinaryOp::Slt, most, wide);
        let narrow = self.build.low(width, wide);
        let (least, most) = (Bits::concrete(width, least.value), Bits::concrete(width, most.value));
        let capped = self.build.ite(above, most, narrow);
        self.build.ite(below, least, capped)
    }

    /// The signs of all lanes as a number.
    fn signs(&mut self, size: usize) -> Option<()> {
        let source = self.vector_operand(1)?;
        let mut number: Option<Bits> = None;
        for index in 0..16 / size {
            // Only the byte with the sign.
            let byte = self.lane(&source, 1, size * (index + 1) - 1);
            let sign = self.build.extract(7, 7, byte);
            number = Some(match number {
                None => sign,
                Some(below) => self.build.concat(sign, below),
            });
        }
        let target = self.instruction.op0_register();
        let width = part(target)?.width;
        let number = self.build.zero_extend(width, number?);
        self.write_register(target, number)
    }

    fn insert_word(&mut self) -> Option<()> {
        let mut target = self.vector_operand(0)?;
        let word = match self.instruction.op1_kind() {
            OpKind::Memory => self.load()?,
            _ => {
                let number = part(self.instruction.op1_register())?.number;
                self.gpr(number, 16)
            }
        };
        let lane = self.immediate(2)? & 7;
        self.set_lane(&mut target, lane, word);
        self.set_vector(target)
    }

    fn extract_word(&mut self) -> Option<()> {
        let source = self.vector_operand(1)?;
        let lane = self.immediate(2)? & 7;
        let word = self.lane(&source, 2, lane);
        if self.instruction.op0_kind() == OpKind::Memory {
            return self.store(word);
        }
        let target: Register = self.instruction.op0_register();
        let wide = self.build.zero_extend(part(target)?.width, word);
        self.write_register(target, wide)
    }
}
