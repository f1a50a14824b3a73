//! The nodes of the graph and their sorts.

use std::fmt;

use bincode::{Decode, Encode};

use crate::ids::{ExprId, InputId, ThreadIx};

/// Bits of a bit-vector, 1 to 128.
pub type Width = u8;

/// What a node's value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sort {
    /// True or false.
    Bool,
    /// So many bits.
    Bits(Width),
}

impl Sort {
    /// The widest bit-vector.
    pub const MAX_WIDTH: Width = 128;
}

impl fmt::Display for Sort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Sort::Bool => f.write_str("a Boolean"),
            Sort::Bits(width) => write!(f, "{width} bits"),
        }
    }
}

/// Operations on one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Encode, Decode)]
pub enum UnaryOp {
    /// Boolean negation.
    Not,
    /// Bitwise complement.
    BvNot,
    /// Two's complement negation.
    Neg,
}

/// Operations on two operands. Semantics are those of SMT-LIB's `QF_BV`, division by zero included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Encode, Decode)]
pub enum BinaryOp {
    /// Boolean and.
    And,
    /// Boolean or.
    Or,
    /// Boolean exclusive or.
    Xor,
    /// Equality, of two Booleans or two bit-vectors.
    Eq,
    /// Unsigned less than.
    Ult,
    /// Unsigned less or equal.
    Ule,
    /// Signed less than.
    Slt,
    /// Signed less or equal.
    Sle,
    /// Addition.
    Add,
    /// Subtraction.
    Sub,
    /// Multiplication.
    Mul,
    /// Unsigned division; by zero it gives all ones.
    UDiv,
    /// Unsigned remainder; by zero it gives the dividend.
    URem,
    /// Signed division, towards zero.
    SDiv,
    /// Signed remainder, with the sign of the dividend.
    SRem,
    /// Bitwise and.
    BvAnd,
    /// Bitwise or.
    BvOr,
    /// Bitwise exclusive or.
    BvXor,
    /// Shift left; by the width or more it gives zero.
    Shl,
    /// Logical shift right; by the width or more it gives zero.
    LShr,
    /// Arithmetic shift right; by the width or more it gives the sign in every bit.
    AShr,
    /// Concatenation: the first operand becomes the high bits.
    Concat,
}

/// A node of the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Encode, Decode)]
pub enum Node {
    /// A Boolean constant.
    Bool(bool),
    /// A bit-vector constant; bits above the width are zero.
    Const {
        /// Its width.
        width: Width,
        /// Its value.
        value: u128,
    },
    /// An input of the program.
    Input {
        /// Which.
        input: InputId,
        /// Its width, as in the input table.
        width: Width,
    },
    /// The value that a read found.
    Read {
        /// The reading thread.
        thread: ThreadIx,
        /// The read's index among that thread's events.
        event: u32,
        /// Eight times the size of the location.
        width: Width,
    },
    /// One operand.
    Unary(
        /// The operation.
        UnaryOp,
        /// The operand.
        ExprId,
    ),
    /// Two operands.
    Binary(
        /// The operation.
        BinaryOp,
        /// The first operand.
        ExprId,
        /// The second operand.
        ExprId,
    ),
    /// Bits `low ..= high` of a bit-vector.
    Extract {
        /// The highest bit taken.
        high: Width,
        /// The lowest bit taken.
        low: Width,
        /// Where from.
        of: ExprId,
    },
    /// Widened with zeros to `width`.
    ZeroExtend {
        /// The new width.
        width: Width,
        /// What is widened.
        of: ExprId,
    },
    /// Widened with copies of the sign to `width`.
    SignExtend {
        /// The new width.
        width: Width,
        /// What is widened.
        of: ExprId,
    },
    /// One of two values of the same sort.
    Ite {
        /// The condition.
        condition: ExprId,
        /// The value if it holds.
        then: ExprId,
        /// The value if it does not.
        otherwise: ExprId,
    },
}

/// A node that stands for a value from elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Leaf {
    /// An input.
    Input(InputId),
    /// A read: thread and index among its events.
    Read(ThreadIx, u32),
}

impl Node {
    /// The operands, in order.
    pub fn operands(&self) -> impl Iterator<Item = ExprId> + use<> {
        let operands = match *self {
            Node::Bool(_) | Node::Const { .. } | Node::Input { .. } | Node::Read { .. } => [None, None, None],
            Node::Unary(_, a) => [Some(a), None, None],
            Node::Extract { of, .. } | Node::ZeroExtend { of, .. } | Node::SignExtend { of, .. } => {
                [Some(of), None, None]
            }
            Node::Binary(_, a, b) => [Some(a), Some(b), None],
            Node::Ite { condition, then, otherwise } => [Some(condition), Some(then), Some(otherwise)],
        };
        operands.into_iter().flatten()
    }

    /// The same operation on other operands.
    pub fn map_operands(self, mut map: impl FnMut(ExprId) -> ExprId) -> Node {
        match self {
            Node::Bool(_) | Node::Const { .. } | Node::Input { .. } | Node::Read { .. } => self,
            Node::Unary(op, a) => Node::Unary(op, map(a)),
            Node::Binary(op, a, b) => {
                let a = map(a);
                Node::Binary(op, a, map(b))
            }
            Node::Extract { high, low, of } => Node::Extract { high, low, of: map(of) },
            Node::ZeroExtend { width, of } => Node::ZeroExtend { width, of: map(of) },
            Node::SignExtend { width, of } => Node::SignExtend { width, of: map(of) },
            Node::Ite { condition, then, otherwise } => {
                let condition = map(condition);
                let then = map(then);
                Node::Ite { condition, then, otherwise: map(otherwise) }
            }
        }
    }

    /// The value from elsewhere that this node stands for.
    pub fn leaf(&self) -> Option<Leaf> {
        match *self {
            Node::Input { input, .. } => Some(Leaf::Input(input)),
            Node::Read { thread, event, .. } => Some(Leaf::Read(thread, event)),
            _ => None,
        }
    }
}
