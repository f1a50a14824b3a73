//! Shifts, by constants and by symbolic counts.

use iced_x86::{Mnemonic, Register};
use warpath_trace::event::Concretised;
use warpath_trace::expr::{BinaryOp, Width};

use super::Step;
use crate::sym::bits::{Bits, Truth};
use crate::sym::flags::{ALL, OF_RESULT, StatusFlag};
use crate::sym::operation::{Operation, Setter, parity};

impl Step<'_> {
    /// The count of a shift or rotation of `width` bits, as the hardware takes it: the low five bits, six for 64-bit
    /// operands. It is `width` bits wide.
    pub fn shift_count(&mut self, operand: u32, width: Width) -> Option<Bits> {
        let limit = if width == 64 { 0x3f } else { 0x1f };
        if self.instruction.op_kind(operand) != iced_x86::OpKind::Register {
            let count = self.instruction.try_immediate(operand).ok()?;
            return Some(Bits::concrete(width, u128::from(count) & limit));
        }
        let count = self.read_register(Register::CL)?;
        let count = self.build.and(count, Bits::concrete(8, limit));
        Some(self.build.zero_extend(width, count))
    }

    pub fn shift(&mut self) -> Option<()> {
        let value = self.operand(0)?;
        let count = self.shift_count(1, value.width)?;
        if count.is_always(0) {
            // Nothing happens, except that the upper half of a 32-bit register is cleared.
            return self.set_operand(0, value);
        }
        let (op, setter) = match self.instruction.mnemonic() {
            Mnemonic::Shr => (BinaryOp::LShr, Setter::ShiftRight),
            Mnemonic::Sar => (BinaryOp::AShr, Setter::ShiftSign),
            _ => (BinaryOp::Shl, Setter::ShiftLeft),
        };
        let result = self.build.binary(op, value, count);
        if !count.is_symbolic() {
            self.set_operand(0, result)?;
            self.set_flags(ALL, Some(Operation { setter, a: value, b: count, result }), &[]);
            return Some(());
        }
        let carry = self.shifted_out(op, value, count);
        // The sign changed; a right shift by one loses it, an arithmetic one keeps it.
        let overflow = match op {
            BinaryOp::LShr => self.build.is_negative(value),
            BinaryOp::AShr => Truth::concrete(false),
            _ => {
                let sign = self.build.is_negative(result);
                self.build.differ(sign, carry)
            }
        };
        self.set_operand(0, result)?;
        self.shift_flags(count, result, carry, overflow);
        Some(())
    }

    /// The last bit that a shift by at least one moves out.
    fn shifted_out(&mut self, op: BinaryOp, value: Bits, count: Bits) -> Truth {
        let width = value.width;
        if op == BinaryOp::Shl {
            let wide = self.build.zero_extend(width + 1, value);
            let count = self.build.zero_extend(width + 1, count);
            let moved = self.build.binary(op, wide, count);
            return self.build.bit(width, moved);
        }
        let before = self.build.sub(count, Bits::concrete(width, 1));
        let moved = self.build.binary(op, value, before);
        self.build.bit(0, moved)
    }

    /// Flags of a shift by `count`, given what they are if it is not zero. Overflow is defined for a count of one only.
    pub fn shift_flags(&mut self, count: Bits, result: Bits, carry: Truth, overflow: Truth) {
        let undefined = Truth::concrete(self.after.flags & StatusFlag::Overflow.bit() != 0);
        let one = Bits::concrete(count.width, 1);
        if !count.is_symbolic() {
            let overflow = if count.value == 1 { overflow } else { undefined };
            let operation = Operation { setter: Setter::Result, a: result, b: result, result };
            let single = [(StatusFlag::Carry, carry), (StatusFlag::Overflow, overflow)];
            self.set_flags(ALL, Some(operation), &single);
            return;
        }
        let is_one = self.build.equal(count, one);
        let overflow = self.build.choose(is_one, overflow, undefined);
        let new = [
            (StatusFlag::Carry, carry),
            (StatusFlag::Overflow, overflow),
            (StatusFlag::Zero, self.build.is_zero(result)),
            (StatusFlag::Sign, self.build.is_negative(result)),
            (StatusFlag::Parity, parity(self.build, result)),
        ];
        self.set_unless_zero(count, StatusFlag::Adjust.mask() | OF_RESULT, &new);
    }

    /// Sets flags that a count of zero leaves as they were.
    pub fn set_unless_zero(&mut self, count: Bits, also: u8, new: &[(StatusFlag, Truth)]) {
        let none = self.build.is_zero(count);
        let mut written = also;
        let mut single = Vec::with_capacity(new.len());
        for &(flag, truth) in new {
            let old = self.flag(flag);
            single.push((flag, self.build.choose(none, old, truth)));
            written |= flag.mask();
        }
        self.set_flags(written, None, &single);
    }

    /// `shld`, `shrd`.
    pub fn shift_double(&mut self) -> Option<()> {
        let (value, filler) = (self.operand(0)?, self.operand(1)?);
        let width = value.width;
        let mut count = self.shift_count(2, width)?;
        if width < 32 {
            // Only here can counts be above the width, and then everything is undefined.
            count = Bits::concrete(width, self.concretise(count, Concretised::Size));
        }
        if count.is_always(0) {
            return self.set_operand(0, value);
        }
        if !count.is_symbolic() && count.value > width.into() {
            return None;
        }
        let left = self.instruction.mnemonic() == Mnemonic::Shld;
        let by = self.build.zero_extend(width * 2, count);
        let (result, carry) = if left {
            let both = self.build.concat(value, filler);
            let moved = self.build.binary(BinaryOp::Shl, both, by);
            (self.build.extract(2 * width - 1, width, moved), self.shifted_out(BinaryOp::Shl, value, count))
        } else {
            let both = self.build.concat(filler, value);
            let moved = self.build.binary(BinaryOp::LShr, both, by);
            (self.build.low(width, moved), self.shifted_out(BinaryOp::LShr, value, count))
        };
        let (old, new) = (self.build.is_negative(value), self.build.is_negative(result));
        let overflow = self.build.differ(old, new);
        self.set_operand(0, result)?;
        self.shift_flags(count, result, carry, overflow);
        Some(())
    }
}
