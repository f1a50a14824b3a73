//! Values as the interpreter has them.

use warpath_trace::expr::Width;
use warpath_trace::ids::ExprId;

use crate::stream::{ObjectRef, Value};

/// A value and what it depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slot {
    /// The value in this run.
    pub known: Known,
    /// What it is in terms of inputs and reads: 32 bits for `int`, `float` and what is smaller, else 64.
    pub expr: Option<ExprId>,
    /// Of a box: the value inside, of which it is a function. The box itself has no expression then.
    pub boxed: Option<ExprId>,
}

/// A value in this run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Known {
    Int(i32),
    Long(i64),
    Float(u32),
    Double(u64),
    Reference(Reference),
    /// Where a subroutine of an old class file returns to.
    Address(u32),
    /// Nobody said.
    Unknown,
}

/// An object, or null.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Reference {
    /// One that the stream has a number for; 0 is null.
    Object(ObjectRef),
    /// One whose number is not known yet.
    Fresh(u32),
}

impl Reference {
    pub(crate) const NULL: Reference = Reference::Object(ObjectRef::NULL);
}

impl Slot {
    pub(crate) fn concrete(known: Known) -> Slot {
        Slot { known, expr: None, boxed: None }
    }

    pub(crate) fn int(value: i32) -> Slot {
        Slot::concrete(Known::Int(value))
    }

    pub(crate) fn of(value: Value) -> Slot {
        Slot::concrete(Known::from(value))
    }

    pub(crate) fn with(known: Known, expr: Option<ExprId>) -> Slot {
        Slot { known, expr, boxed: None }
    }

    pub(crate) fn is_wide(&self) -> bool {
        matches!(self.known, Known::Long(_) | Known::Double(_))
    }

    pub(crate) fn is_symbolic(&self) -> bool {
        self.expr.is_some() || self.boxed.is_some()
    }
}

impl From<Value> for Known {
    fn from(value: Value) -> Known {
        match value {
            Value::Int(value) => Known::Int(value),
            Value::Long(value) => Known::Long(value),
            Value::Float(bits) => Known::Float(bits),
            Value::Double(bits) => Known::Double(bits),
            Value::Reference(object) => Known::Reference(Reference::Object(object)),
        }
    }
}

impl Known {
    /// Bits of an expression for it.
    pub(crate) fn width(self) -> Width {
        match self {
            Known::Int(_) | Known::Float(_) => 32,
            _ => 64,
        }
    }

    /// The bits of a number; `None` for what has none.
    pub(crate) fn bits(self) -> Option<u128> {
        Some(match self {
            Known::Int(value) => (value as u32).into(),
            Known::Long(value) => (value as u64).into(),
            Known::Float(bits) => bits.into(),
            Known::Double(bits) => bits.into(),
            Known::Reference(_) | Known::Address(_) | Known::Unknown => return None,
        })
    }
}
