//! Single bits: tests, scans, counts.

use iced_x86::{Mnemonic, OpKind};
use warpath_trace::expr::{BinaryOp, Width};

use super::Step;
use crate::sym::bits::{Bits, Truth};
use crate::sym::flags::{ALL, StatusFlag};
use crate::sym::operand::{Part, part};

impl Step<'_> {
    /// `bt`, `bts`, `btr`, `btc`. The offset of a memory operand is concrete by now (see `prepare`), and the access has
    /// moved by its upper part.
    pub fn bit_test(&mut self) -> Option<()> {
        let value = self.operand(0)?;
        let width = value.width;
        let offset = match self.instruction.op1_kind() {
            OpKind::Register => self.operand(1)?,
            _ => Bits::concrete(width, self.instruction.try_immediate(1).ok()?.into()),
        };
        let offset = self.build.and(offset, Bits::concrete(width, u128::from(width) - 1));
        let moved = self.build.binary(BinaryOp::LShr, value, offset);
        let carry = self.build.bit(0, moved);
        let one = self.build.binary(BinaryOp::Shl, Bits::concrete(width, 1), offset);
        let result = match self.instruction.mnemonic() {
            Mnemonic::Bt => None,
            Mnemonic::Bts => Some(self.build.or(value, one)),
            Mnemonic::Btr => {
                let others = self.build.bv_not(one);
                Some(self.build.and(value, others))
            }
            _ => Some(self.build.xor(value, one)),
        };
        if let Some(result) = result {
            self.set_operand(0, result)?;
        }
        // The others but zero are undefined.
        self.set_flags(ALL & !StatusFlag::Zero.mask(), None, &[(StatusFlag::Carry, carry)]);
        Some(())
    }

    /// `bsf`, `bsr`, `tzcnt`, `lzcnt`.
    pub fn bit_scan(&mut self) -> Option<()> {
        let mnemonic = self.instruction.mnemonic();
        let source = self.operand(1)?;
        let width = source.width;
        let none = self.build.is_zero(source);
        let up = matches!(mnemonic, Mnemonic::Bsf | Mnemonic::Tzcnt);
        let index = if up { self.lowest(source) } else { self.highest(source) };
        if matches!(mnemonic, Mnemonic::Bsf | Mnemonic::Bsr) {
            // Without a bit that is set, the hardware leaves the whole destination alone.
            let number = part(self.instruction.op0_register())?.number;
            let old = self.gpr_kept(number, width);
            let index = self.build.zero_extend(old.width, index);
            let result = self.build.ite(none, old, index);
            self.write_part(Part { number, width: old.width, high: false }, result);
            self.set_flags(ALL, None, &[(StatusFlag::Zero, none)]);
            return Some(());
        }
        let count =
            if up { index } else { self.build.sub(Bits::concrete(width, u128::from(width) - 1), index) };
        let count = self.build.ite(none, Bits::concrete(width, width.into()), count);
        self.set_operand(0, count)?;
        let zero = self.build.is_zero(count);
        self.set_flags(ALL, None, &[(StatusFlag::Zero, zero), (StatusFlag::Carry, none)]);
        Some(())
    }

    /// The index of the lowest bit set, by halves; meaningless if there is none.
    fn lowest(&mut self, source: Bits) -> Bits {
        let (mut rest, mut half) = (source, source.width / 2);
        let mut index: Option<Bits> = None;
        while half > 0 {
            let (low, high) = (self.build.low(half, rest), self.build.extract(2 * half - 1, half, rest));
            let above = self.build.is_zero(low);
            rest = self.build.ite(above, high, low);
            index = Some(self.append(index, above));
            half /= 2;
        }
        self.widened(index, source.width)
    }

    /// The index of the highest bit set, by halves; meaningless if there is none.
    fn highest(&mut self, source: Bits) -> Bits {
        let (mut rest, mut half) = (source, source.width / 2);
        let mut index: Option<Bits> = None;
        while half > 0 {
            let (low, high) = (self.build.low(half, rest), self.build.extract(2 * half - 1, half, rest));
            let below = self.build.is_zero(high);
            rest = self.build.ite(below, low, high);
            let above = self.build.not(below);
            index = Some(self.append(index, above));
            half /= 2;
        }
        self.widened(index, source.width)
    }

    fn append(&mut self, bits: Option<Bits>, bit: Truth) -> Bits {
        let bit = self.build.number(bit, 1);
        match bits {
            Some(bits) => self.build.concat(bits, bit),
            None => bit,
        }
    }

    fn widened(&mut self, bits: Option<Bits>, width: Width) -> Bits {
        bits.map_or(Bits::zero(width), |bits| self.build.zero_extend(width, bits))
    }

    pub fn popcnt(&mut self) -> Option<()> {
        let source = self.operand(1)?;
        let width = source.width;
        let mut count = Bits::zero(width);
        for index in 0..width {
            let bit = self.build.extract(index, index, source);
            let bit = self.build.zero_extend(width, bit);
            count = self.build.add(count, bit);
        }
        self.set_operand(0, count)?;
        let zero = self.build.is_zero(source);
        self.set_flags(ALL, None, &[(StatusFlag::Zero, zero)]);
        Some(())
    }
}
