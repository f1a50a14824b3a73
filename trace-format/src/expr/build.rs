//! Convenient construction: each method simplifies as it builds (see `simplify`).

use super::node::{BinaryOp, Node, UnaryOp, Width};
use super::pool::{ExprError, ExprPool};
use super::table::mask;
use crate::ids::{ExprId, InputId, ThreadIx};

impl ExprPool {
    /// A Boolean constant.
    pub fn bool(&mut self, value: bool) -> Result<ExprId, ExprError> {
        self.intern(Node::Bool(value))
    }

    /// A bit-vector constant; bits above the width are dropped.
    pub fn constant(&mut self, width: Width, value: u128) -> Result<ExprId, ExprError> {
        self.intern(Node::Const { width, value: value & mask(width) })
    }

    /// The value of an input.
    pub fn input(&mut self, input: InputId, width: Width) -> Result<ExprId, ExprError> {
        self.intern(Node::Input { input, width })
    }

    /// The value found by a thread's `event`-th event.
    pub fn read(&mut self, thread: ThreadIx, event: u32, width: Width) -> Result<ExprId, ExprError> {
        self.intern(Node::Read { thread, event, width })
    }

    /// An operation on one operand.
    pub fn unary(&mut self, op: UnaryOp, a: ExprId) -> Result<ExprId, ExprError> {
        self.simplified(Node::Unary(op, a))
    }

    /// An operation on two operands.
    pub fn binary(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> Result<ExprId, ExprError> {
        self.simplified(Node::Binary(op, a, b))
    }

    /// Bits `low ..= high`.
    pub fn extract(&mut self, high: Width, low: Width, of: ExprId) -> Result<ExprId, ExprError> {
        self.simplified(Node::Extract { high, low, of })
    }

    /// Widened with zeros.
    pub fn zero_extend(&mut self, width: Width, of: ExprId) -> Result<ExprId, ExprError> {
        self.simplified(Node::ZeroExtend { width, of })
    }

    /// Widened with the sign.
    pub fn sign_extend(&mut self, width: Width, of: ExprId) -> Result<ExprId, ExprError> {
        self.simplified(Node::SignExtend { width, of })
    }

    /// One of two values.
    pub fn ite(&mut self, condition: ExprId, then: ExprId, otherwise: ExprId) -> Result<ExprId, ExprError> {
        self.simplified(Node::Ite { condition, then, otherwise })
    }

    /// Negation of a Boolean.
    pub fn not(&mut self, a: ExprId) -> Result<ExprId, ExprError> {
        self.unary(UnaryOp::Not, a)
    }

    /// Equality.
    pub fn equal(&mut self, a: ExprId, b: ExprId) -> Result<ExprId, ExprError> {
        self.binary(BinaryOp::Eq, a, b)
    }
}
