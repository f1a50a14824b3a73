//! Operations that set flags, and the flags as conditions on their operands.

use warpath_trace::expr::{BinaryOp, Width};

use super::bits::{Bits, Truth};
use super::build::Builder;
use super::flags::{ALL, CARRY_OVERFLOW, FlagMask, OF_RESULT, StatusFlag};

/// How an operation sets flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Setter {
    /// `a + b`.
    Add,
    /// `a + b + carry`.
    AddCarry,
    /// `a - b`, a comparison.
    Sub,
    /// `a - b - carry`.
    SubBorrow,
    /// Only the result matters: carry, overflow and adjust are clear.
    Logic,
    /// Zero, sign and parity of the result; the others are set in another way.
    Result,
    /// `a` shifted left by `b`, a constant that is not zero.
    ShiftLeft,
    /// Shifted right, likewise.
    ShiftRight,
    /// Shifted right with its sign, likewise.
    ShiftSign,
    /// Rotated left, likewise: carry and overflow alone are set.
    RotateLeft,
    /// Rotated right, likewise.
    RotateRight,
    /// Carry and overflow: does the signed product need more than the operands' width?
    SignedProduct,
    /// The same, unsigned.
    UnsignedProduct,
}

/// An operation that set flags.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operation {
    pub setter: Setter,
    pub a: Bits,
    pub b: Bits,
    pub result: Bits,
}

impl Operation {
    pub fn is_symbolic(&self) -> bool {
        self.a.is_symbolic() || self.b.is_symbolic() || self.result.is_symbolic()
    }

    /// The flags that it defines. Of shifts and rotations, overflow is undefined but for a count of one.
    pub fn defines(&self) -> FlagMask {
        let overflow = if self.b.value == 1 { StatusFlag::Overflow.mask() } else { 0 };
        match self.setter {
            Setter::Add | Setter::AddCarry | Setter::Sub | Setter::SubBorrow | Setter::Logic => ALL,
            Setter::Result => OF_RESULT,
            Setter::ShiftLeft | Setter::ShiftRight if self.b.value > self.a.width.into() => OF_RESULT,
            Setter::ShiftLeft | Setter::ShiftRight | Setter::ShiftSign => {
                OF_RESULT | StatusFlag::Carry.mask() | overflow
            }
            Setter::RotateLeft | Setter::RotateRight => StatusFlag::Carry.mask() | overflow,
            Setter::SignedProduct | Setter::UnsignedProduct => CARRY_OVERFLOW,
        }
    }

    /// The result. A comparison has none of its own: the difference is built when a flag asks for it, which is rare.
    fn result(&self, build: &mut Builder) -> Bits {
        if self.setter == Setter::Sub { build.sub(self.a, self.b) } else { self.result }
    }

    /// One of the flags that it defines.
    pub fn flag(&self, build: &mut Builder, flag: StatusFlag) -> Truth {
        match flag {
            StatusFlag::Zero if self.setter == Setter::Sub => build.equal(self.a, self.b),
            StatusFlag::Zero => build.is_zero(self.result),
            StatusFlag::Sign if self.setter == Setter::Sub && self.b.is_always(0) => {
                build.is_negative(self.a)
            }
            StatusFlag::Sign => {
                let result = self.result(build);
                build.is_negative(result)
            }
            StatusFlag::Parity => {
                let result = self.result(build);
                parity(build, result)
            }
            StatusFlag::Adjust if self.setter == Setter::Logic => Truth::concrete(false),
            StatusFlag::Adjust => {
                let result = self.result(build);
                let sum = build.xor(self.a, self.b);
                let carries = build.xor(sum, result);
                build.bit(4, carries)
            }
            StatusFlag::Carry => self.carry(build),
            StatusFlag::Overflow => self.overflow(build),
        }
    }

    fn carry(&self, build: &mut Builder) -> Truth {
        let (a, b, result) = (self.a, self.b, self.result);
        match self.setter {
            Setter::Add => build.compare(BinaryOp::Ult, result, a),
            Setter::Sub => build.compare(BinaryOp::Ult, a, b),
            Setter::AddCarry => {
                // A carry leaves the top bit if both operands have it, or one has and the sum has not.
                let both = build.and(a, b);
                let one = build.or(a, b);
                let not = build.bv_not(result);
                let lost = build.and(one, not);
                let carries = build.or(both, lost);
                build.is_negative(carries)
            }
            Setter::SubBorrow => {
                let not = build.bv_not(a);
                let both = build.and(not, b);
                let one = build.or(not, b);
                let lost = build.and(one, result);
                let borrows = build.or(both, lost);
                build.is_negative(borrows)
            }
            // Counts up to the width, see `defines`.
            Setter::ShiftLeft => build.bit(a.width - b.value as Width, a),
            Setter::ShiftRight => build.bit(b.value as Width - 1, a),
            Setter::ShiftSign => build.bit((b.value as Width - 1).min(a.width - 1), a),
            Setter::RotateLeft => build.bit(0, result),
            Setter::RotateRight => build.is_negative(result),
            Setter::SignedProduct | Setter::UnsignedProduct => self.overflow(build),
            Setter::Logic | Setter::Result => Truth::concrete(false),
        }
    }

    fn overflow(&self, build: &mut Builder) -> Truth {
        let (a, b, result) = (self.a, self.b, self.result(build));
        match self.setter {
            Setter::Add | Setter::AddCarry => {
                let x = build.xor(a, result);
                let y = build.xor(b, result);
                let both = build.and(x, y);
                build.is_negative(both)
            }
            Setter::Sub | Setter::SubBorrow => {
                let x = build.xor(a, b);
                let y = build.xor(a, result);
                let both = build.and(x, y);
                build.is_negative(both)
            }
            Setter::SignedProduct => {
                let wide = a.width * 2;
                let (x, y) = (build.sign_extend(wide, a), build.sign_extend(wide, b));
                let product = build.binary(BinaryOp::Mul, x, y);
                let narrow = build.low(a.width, product);
                let widened = build.sign_extend(wide, narrow);
                let fits = build.equal(product, widened);
                build.not(fits)
            }
            Setter::UnsignedProduct => {
                let wide = a.width * 2;
                let (x, y) = (build.zero_extend(wide, a), build.zero_extend(wide, b));
                let product = build.binary(BinaryOp::Mul, x, y);
                let high = build.extract(wide - 1, a.width, product);
                let fits = build.is_zero(high);
                build.not(fits)
            }
            Setter::ShiftLeft | Setter::RotateLeft => {
                let (carry, sign) = (self.carry(build), build.is_negative(result));
                build.differ(carry, sign)
            }
            Setter::ShiftRight => build.is_negative(a),
            Setter::RotateRight => {
                let (sign, next) = (build.is_negative(result), build.bit(a.width - 2, result));
                build.differ(sign, next)
            }
            Setter::ShiftSign | Setter::Logic | Setter::Result => Truth::concrete(false),
        }
    }
}

/// Does the low byte have an even number of ones?
pub(super) fn parity(build: &mut Builder, of: Bits) -> Truth {
    let mut folded = build.low(8, of);
    for by in [4, 2, 1] {
        let shifted = build.binary(BinaryOp::LShr, folded, Bits::concrete(8, by));
        folded = build.xor(folded, shifted);
    }
    let odd = build.bit(0, folded);
    build.not(odd)
}
