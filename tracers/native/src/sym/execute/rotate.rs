//! Rotations, also through carry.

use iced_x86::Mnemonic;
use warpath_trace::expr::BinaryOp;

use super::Step;
use crate::sym::bits::{Bits, Truth};
use crate::sym::flags::{CARRY_OVERFLOW, StatusFlag};
use crate::sym::operation::{Operation, Setter};

impl Step<'_> {
    pub fn rotate(&mut self) -> Option<()> {
        let value = self.operand(0)?;
        let count = self.shift_count(1, value.width)?;
        if count.is_always(0) {
            return self.set_operand(0, value);
        }
        let left = self.instruction.mnemonic() == Mnemonic::Rol;
        let result = self.rotated(value, count, left);
        if !count.is_symbolic() {
            let setter = if left { Setter::RotateLeft } else { Setter::RotateRight };
            self.set_operand(0, result)?;
            self.set_flags(CARRY_OVERFLOW, Some(Operation { setter, a: value, b: count, result }), &[]);
            return Some(());
        }
        let top = self.build.is_negative(result);
        let (carry, overflow) = if left {
            let carry = self.build.bit(0, result);
            (carry, self.build.differ(carry, top))
        } else {
            let next = self.build.bit(value.width - 2, result);
            (top, self.build.differ(top, next))
        };
        self.set_operand(0, result)?;
        self.rotate_flags(count, carry, overflow);
        Some(())
    }

    pub fn rotate_carry(&mut self) -> Option<()> {
        let value = self.operand(0)?;
        let width = value.width;
        let count = self.shift_count(1, width)?;
        if count.is_always(0) {
            return self.set_operand(0, value);
        }
        let left = self.instruction.mnemonic() == Mnemonic::Rcl;
        let carry = self.flag(StatusFlag::Carry);
        let carry = self.build.number(carry, 1);
        let ring = self.build.concat(carry, value);
        let by = self.build.zero_extend(width + 1, count);
        let turned = self.rotated(ring, by, left);
        let result = self.build.low(width, turned);
        let carry = self.build.bit(width, turned);
        let top = self.build.is_negative(result);
        let overflow = if left {
            self.build.differ(carry, top)
        } else {
            let next = self.build.bit(width - 2, result);
            self.build.differ(top, next)
        };
        self.set_operand(0, result)?;
        self.rotate_flags(count, carry, overflow);
        Some(())
    }

    fn rotated(&mut self, value: Bits, count: Bits, left: bool) -> Bits {
        let width = value.width;
        let by = self.build.binary(BinaryOp::URem, count, Bits::concrete(width, width.into()));
        if by.is_always(0) {
            return value;
        }
        if !by.is_symbolic() {
            let right = if left { width - by.value as u8 } else { by.value as u8 };
            let low = self.build.extract(width - 1, right, value);
            let high = self.build.extract(right - 1, 0, value);
            return self.build.concat(high, low);
        }
        let back = self.build.sub(Bits::concrete(width, width.into()), by);
        let (forth, back) = if left {
            (self.build.binary(BinaryOp::Shl, value, by), self.build.binary(BinaryOp::LShr, value, back))
        } else {
            (self.build.binary(BinaryOp::LShr, value, by), self.build.binary(BinaryOp::Shl, value, back))
        };
        self.build.or(forth, back)
    }

    fn rotate_flags(&mut self, count: Bits, carry: Truth, overflow: Truth) {
        let undefined = Truth::concrete(self.after.flags & StatusFlag::Overflow.bit() != 0);
        let is_one = self.build.equal(count, Bits::concrete(count.width, 1));
        let overflow = self.build.choose(is_one, overflow, undefined);
        let single = [(StatusFlag::Carry, carry), (StatusFlag::Overflow, overflow)];
        if count.is_symbolic() {
            self.set_unless_zero(count, 0, &single);
        } else {
            self.set_flags(CARRY_OVERFLOW, None, &single);
        }
    }
}
