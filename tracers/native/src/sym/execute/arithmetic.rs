//! Addition, subtraction, comparison, logic.

use iced_x86::Mnemonic;
use warpath_trace::expr::UnaryOp;

use super::Step;
use crate::sym::bits::Bits;
use crate::sym::flags::{ALL, NOT_CARRY, StatusFlag};
use crate::sym::operation::{Operation, Setter};

impl Step<'_> {
    pub fn arithmetic(&mut self) -> Option<()> {
        let mnemonic = self.instruction.mnemonic();
        let (a, b) = (self.operand(0)?, self.operand(1)?);
        let (setter, result) = match mnemonic {
            Mnemonic::Add => (Setter::Add, self.build.add(a, b)),
            Mnemonic::Sub => (Setter::Sub, self.build.sub(a, b)),
            // The difference itself is built only if a flag asks for it, which is rare.
            Mnemonic::Cmp => (Setter::Sub, Bits::concrete(a.width, a.value.wrapping_sub(b.value))),
            Mnemonic::And | Mnemonic::Test => (Setter::Logic, self.build.and(a, b)),
            Mnemonic::Or => (Setter::Logic, self.build.or(a, b)),
            _ => (Setter::Logic, self.build.xor(a, b)),
        };
        if !matches!(mnemonic, Mnemonic::Cmp | Mnemonic::Test) {
            self.set_operand(0, result)?;
        }
        let same = a.is_symbolic() && a.expr == b.expr;
        let operation = match setter {
            Setter::Logic => Some(Operation { setter, a: result, b: result, result }),
            Setter::Sub if same => None,
            _ => Some(Operation { setter, a, b, result }),
        };
        self.set_flags(ALL, operation, &[]);
        Some(())
    }

    pub fn adc(&mut self) -> Option<()> {
        let (a, b) = (self.operand(0)?, self.operand(1)?);
        let carry = self.flag(StatusFlag::Carry);
        let carry = self.build.number(carry, a.width);
        let sum = self.build.add(a, b);
        let result = self.build.add(sum, carry);
        self.set_operand(0, result)?;
        let setter = if carry.is_always(0) { Setter::Add } else { Setter::AddCarry };
        self.set_flags(ALL, Some(Operation { setter, a, b, result }), &[]);
        Some(())
    }

    pub fn sbb(&mut self) -> Option<()> {
        let (a, b) = (self.operand(0)?, self.operand(1)?);
        let carry = self.flag(StatusFlag::Carry);
        let result = if a.is_symbolic() && a.expr == b.expr {
            self.build.fill(carry, a.width)
        } else {
            let carry = self.build.number(carry, a.width);
            let difference = self.build.sub(a, b);
            self.build.sub(difference, carry)
        };
        self.set_operand(0, result)?;
        let plain = carry.expr.is_none() && !carry.value;
        let setter = if plain { Setter::Sub } else { Setter::SubBorrow };
        self.set_flags(ALL, Some(Operation { setter, a, b, result }), &[]);
        Some(())
    }

    /// `inc`, `dec`.
    pub fn count(&mut self) -> Option<()> {
        let a = self.operand(0)?;
        let b = Bits::concrete(a.width, 1);
        let (setter, result) = match self.instruction.mnemonic() {
            Mnemonic::Inc => (Setter::Add, self.build.add(a, b)),
            _ => (Setter::Sub, self.build.sub(a, b)),
        };
        self.set_operand(0, result)?;
        self.set_flags(NOT_CARRY, Some(Operation { setter, a, b, result }), &[]);
        Some(())
    }

    pub fn neg(&mut self) -> Option<()> {
        let b = self.operand(0)?;
        let a = Bits::zero(b.width);
        let result = self.build.unary(UnaryOp::Neg, b);
        self.set_operand(0, result)?;
        self.set_flags(ALL, Some(Operation { setter: Setter::Sub, a, b, result }), &[]);
        Some(())
    }

    pub fn complement(&mut self) -> Option<()> {
        let value = self.operand(0)?;
        let result = self.build.bv_not(value);
        self.set_operand(0, result)
    }
}
