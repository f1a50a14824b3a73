//! Division. What makes it fail (a divisor of zero, a quotient that does not fit) is a condition of the path, so that
//! the failure is an outcome to look for.

use iced_x86::{Mnemonic, Register};
use warpath_trace::expr::{BinaryOp, Node, mask};

use super::Step;
use crate::sym::bits::{Bits, Truth};
use crate::sym::flags::ALL;

/// What a division computes, and when it fails.
struct Division {
    by_zero: Truth,
    too_large: Truth,
    quotient: Bits,
    remainder: Bits,
}

impl Step<'_> {
    pub fn divide(&mut self) -> Option<()> {
        let division = self.division()?;
        self.branch(division.by_zero);
        self.branch(division.too_large);
        if division.quotient.width == 8 {
            let both = self.build.concat(division.remainder, division.quotient);
            self.write_register(Register::AX, both)?;
        } else {
            self.write_accumulators(division.quotient, division.remainder)?;
        }
        self.set_flags(ALL, None, &[]);
        Some(())
    }

    /// The conditions of a division that failed.
    pub fn divide_error(&mut self) {
        self.prepare();
        if let Some(division) = self.division() {
            self.branch(division.by_zero);
            if !division.by_zero.value {
                self.branch(division.too_large);
            }
        }
    }

    fn division(&mut self) -> Option<Division> {
        let divisor = self.operand(0)?;
        let width = divisor.width;
        let (high, low) = if width == 8 {
            let dividend = self.gpr(0, 16);
            (self.build.extract(15, 8, dividend), self.build.low(8, dividend))
        } else {
            (self.gpr(2, width), self.gpr(0, width))
        };
        let by_zero = self.build.is_zero(divisor);
        let signed = self.instruction.mnemonic() == Mnemonic::Idiv;
        let (divide, rest) =
            if signed { (BinaryOp::SDiv, BinaryOp::SRem) } else { (BinaryOp::UDiv, BinaryOp::URem) };

        // Nearly always the dividend is one register widened, and then so is the division.
        if if signed { self.is_sign_of(high, low) } else { high.is_always(0) } {
            let too_large =
                if signed { self.is_least_by_minus_one(low, divisor) } else { Truth::concrete(false) };
            let quotient = self.build.binary(divide, low, divisor);
            let remainder = self.build.binary(rest, low, divisor);
            return Some(Division { by_zero, too_large, quotient, remainder });
        }

        let wide = width * 2;
        let dividend = self.build.concat(high, low);
        let by = if signed {
            self.build.sign_extend(wide, divisor)
        } else {
            self.build.zero_extend(wide, divisor)
        };
        let whole = self.build.binary(divide, dividend, by);
        let remainder = self.build.binary(rest, dividend, by);
        let quotient = self.build.low(width, whole);
        let too_large = if signed {
            let again = self.build.sign_extend(wide, quotient);
            let fits = self.build.equal(whole, again);
            self.build.not(fits)
        } else {
            self.build.compare(BinaryOp::Ule, divisor, high)
        };
        let remainder = self.build.low(width, remainder);
        Some(Division { by_zero, too_large, quotient, remainder })
    }

    /// Is the upper half of a dividend nothing but the sign of the lower?
    fn is_sign_of(&self, high: Bits, low: Bits) -> bool {
        match (high.expr, low.expr) {
            (None, None) => high.value == if low.signed() < 0 { mask(high.width) } else { 0 },
            (Some(high), Some(low)) => match self.build.pool.node(high) {
                Node::Extract { low: cut, of, .. } => {
                    let width = self.build.pool.width(low);
                    cut == width && self.build.pool.node(of) == Node::SignExtend { width: 2 * width, of: low }
                }
                _ => false,
            },
            _ => false,
        }
    }

    fn is_least_by_minus_one(&mut self, dividend: Bits, divisor: Bits) -> Truth {
        let least = Bits::concrete(dividend.width, 1 << (dividend.width - 1));
        let least = self.build.equal(dividend, least);
        let minus_one = self.build.equal(divisor, Bits::ones(divisor.width));
        self.build.both(least, minus_one)
    }
}
