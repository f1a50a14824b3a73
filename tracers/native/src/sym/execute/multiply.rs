//! Multiplication.

use iced_x86::Register;
use warpath_trace::expr::BinaryOp;

use super::Step;
use crate::sym::bits::Bits;
use crate::sym::flags::ALL;
use crate::sym::operation::{Operation, Setter};

impl Step<'_> {
    pub fn mul(&mut self) -> Option<()> {
        self.multiply_accumulator(Setter::UnsignedProduct)
    }

    pub fn imul(&mut self) -> Option<()> {
        if self.instruction.op_count() == 1 {
            return self.multiply_accumulator(Setter::SignedProduct);
        }
        let first = if self.instruction.op_count() == 3 { 1 } else { 0 };
        let (a, b) = (self.operand(first)?, self.operand(first + 1)?);
        let result = self.build.binary(BinaryOp::Mul, a, b);
        self.set_operand(0, result)?;
        self.product_flags(Setter::SignedProduct, a, b);
        Some(())
    }

    /// The accumulator times the operand, in twice the width.
    fn multiply_accumulator(&mut self, setter: Setter) -> Option<()> {
        let b = self.operand(0)?;
        let a = self.gpr(0, b.width);
        let wide = b.width * 2;
        let (x, y) = if setter == Setter::SignedProduct {
            (self.build.sign_extend(wide, a), self.build.sign_extend(wide, b))
        } else {
            (self.build.zero_extend(wide, a), self.build.zero_extend(wide, b))
        };
        let product = self.build.binary(BinaryOp::Mul, x, y);
        if b.width == 8 {
            self.write_register(Register::AX, product)?;
        } else {
            let low = self.build.binary(BinaryOp::Mul, a, b);
            let high = self.build.extract(wide - 1, b.width, product);
            self.write_accumulators(low, high)?;
        }
        self.product_flags(setter, a, b);
        Some(())
    }

    /// Sets `ax` and `dx`, `eax` and `edx`, or `rax` and `rdx`.
    pub fn write_accumulators(&mut self, low: Bits, high: Bits) -> Option<()> {
        let (a, d) = match low.width {
            16 => (Register::AX, Register::DX),
            32 => (Register::EAX, Register::EDX),
            _ => (Register::RAX, Register::RDX),
        };
        self.write_register(a, low)?;
        self.write_register(d, high)
    }

    fn product_flags(&mut self, setter: Setter, a: Bits, b: Bits) {
        let result = Bits::zero(a.width);
        self.set_flags(ALL, Some(Operation { setter, a, b, result }), &[]);
    }
}
