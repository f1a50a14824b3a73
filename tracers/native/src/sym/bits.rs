//! Values that are known twice: as the number of this run, and as an expression where they depend on anything.

use warpath_trace::expr::{Width, mask, to_signed};
use warpath_trace::ids::ExprId;

/// A bit-vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bits {
    /// The number in this run.
    pub value: u128,
    /// Bits, 1 to 128.
    pub width: Width,
    /// The expression, of that width, unless the value is the same in every run that takes this path.
    pub expr: Option<ExprId>,
}

impl Bits {
    /// A number; bits above the width are dropped.
    pub fn concrete(width: Width, value: u128) -> Self {
        Bits { value: value & mask(width), width, expr: None }
    }

    /// All bits zero.
    pub fn zero(width: Width) -> Self {
        Bits { value: 0, width, expr: None }
    }

    /// All bits one.
    pub fn ones(width: Width) -> Self {
        Bits { value: mask(width), width, expr: None }
    }

    pub fn is_symbolic(self) -> bool {
        self.expr.is_some()
    }

    /// Is it this number in every run?
    pub fn is_always(self, value: u128) -> bool {
        self.expr.is_none() && self.value == value
    }

    /// The number of this run, read as two's complement.
    pub fn signed(self) -> i128 {
        to_signed(self.value, self.width)
    }
}

/// A Boolean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Truth {
    /// Whether it holds in this run.
    pub value: bool,
    /// The expression, unless it is the same in every run that takes this path.
    pub expr: Option<ExprId>,
}

impl Truth {
    pub fn concrete(value: bool) -> Self {
        Truth { value, expr: None }
    }
}
