//! Operations of traces as operations of solvers.

use warpath_solvers::term::Op;
use warpath_trace::expr::{BinaryOp, ExprPool, Node, UnaryOp};
use warpath_trace::ids::ExprId;

/// What a node that is not a leaf becomes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Lowered {
    /// A Boolean constant.
    Bool(bool),
    /// A bit-vector constant: value and width.
    Bits(u128, u32),
    /// An operation on the node's operands.
    Apply(Op),
}

/// What a node becomes.
///
/// # Panics
/// For inputs and reads, which mean something only where the formula is.
pub(crate) fn operation(exprs: &ExprPool, node: Node) -> Lowered {
    let grow = |of: ExprId, width: u8| u16::from(width) - u16::from(exprs.width(of));
    Lowered::Apply(match node {
        Node::Bool(value) => return Lowered::Bool(value),
        Node::Const { width, value } => return Lowered::Bits(value, width.into()),
        Node::Input { .. } | Node::Read { .. } => unreachable!("leaves have names, not operations"),
        Node::Unary(op, _) => unary(op),
        Node::Binary(op, ..) => binary(op),
        Node::Extract { high, low, .. } => Op::Extract { high: high.into(), low: low.into() },
        Node::ZeroExtend { width, of } => Op::ZeroExtend(grow(of, width)),
        Node::SignExtend { width, of } => Op::SignExtend(grow(of, width)),
        Node::Ite { .. } => Op::Ite,
    })
}

fn unary(op: UnaryOp) -> Op {
    match op {
        UnaryOp::Not => Op::Not,
        UnaryOp::BvNot => Op::BvNot,
        UnaryOp::Neg => Op::BvNeg,
    }
}

fn binary(op: BinaryOp) -> Op {
    match op {
        BinaryOp::And => Op::And,
        BinaryOp::Or => Op::Or,
        BinaryOp::Xor => Op::Xor,
        BinaryOp::Eq => Op::Eq,
        BinaryOp::Ult => Op::BvUlt,
        BinaryOp::Ule => Op::BvUle,
        BinaryOp::Slt => Op::BvSlt,
        BinaryOp::Sle => Op::BvSle,
        BinaryOp::Add => Op::BvAdd,
        BinaryOp::Sub => Op::BvSub,
        BinaryOp::Mul => Op::BvMul,
        BinaryOp::UDiv => Op::BvUdiv,
        BinaryOp::URem => Op::BvUrem,
        BinaryOp::SDiv => Op::BvSdiv,
        BinaryOp::SRem => Op::BvSrem,
        BinaryOp::BvAnd => Op::BvAnd,
        BinaryOp::BvOr => Op::BvOr,
        BinaryOp::BvXor => Op::BvXor,
        BinaryOp::Shl => Op::BvShl,
        BinaryOp::LShr => Op::BvLshr,
        BinaryOp::AShr => Op::BvAshr,
        BinaryOp::Concat => Op::Concat,
    }
}
