//! Expressions of values: between the widths of locations and those of the stack.

use warpath_trace::expr::{BinaryOp, ExprError, ExprPool, Leaf, Width};
use warpath_trace::ids::ExprId;

use super::value::Slot;
use crate::classfile::JavaType;

/// The expression of an operand, a constant if it depends on nothing; `None` for what has no bits.
pub(crate) fn operand(pool: &mut ExprPool, slot: &Slot) -> Result<Option<ExprId>, ExprError> {
    match (slot.expr, slot.known.bits()) {
        (Some(expr), _) => Ok(Some(expr)),
        (None, Some(bits)) => pool.constant(slot.known.width(), bits).map(Some),
        (None, None) => Ok(None),
    }
}

/// An operation on two operands, if one of them is symbolic.
pub(crate) fn binary(
    pool: &mut ExprPool,
    op: BinaryOp,
    a: &Slot,
    b: &Slot,
) -> Result<Option<ExprId>, ExprError> {
    if a.expr.is_none() && b.expr.is_none() {
        return Ok(None);
    }
    match (operand(pool, a)?, operand(pool, b)?) {
        (Some(a), Some(b)) => symbolic(pool, |pool| pool.binary(op, a, b)),
        _ => Ok(None),
    }
}

/// Does a value depend on nothing but inputs, which mean the same to every thread?
pub(crate) fn only_inputs(pool: &ExprPool, slot: &Slot) -> bool {
    let mut pending: Vec<ExprId> = slot.expr.into_iter().chain(slot.boxed).collect();
    // A value of more parts than this is not worth the search.
    for _ in 0..10_000 {
        let Some(expr) = pending.pop() else { return true };
        let node = pool.node(expr);
        if matches!(node.leaf(), Some(Leaf::Read(..))) {
            return false;
        }
        pending.extend(node.operands());
    }
    false
}

/// What was built, unless it turns out to depend on nothing.
pub(crate) fn symbolic(
    pool: &mut ExprPool,
    build: impl FnOnce(&mut ExprPool) -> Result<ExprId, ExprError>,
) -> Result<Option<ExprId>, ExprError> {
    let expr = build(pool)?;
    Ok(pool.as_constant(expr).is_none().then_some(expr))
}

/// From the width of a location to that of the stack.
pub(crate) fn widen(pool: &mut ExprPool, kind: JavaType, expr: ExprId) -> Result<ExprId, ExprError> {
    let to: Width = if kind.size() == 8 { 64 } else { 32 };
    match kind {
        JavaType::Boolean | JavaType::Char => pool.zero_extend(to, expr),
        _ => pool.sign_extend(to, expr),
    }
}

/// A value for a location.
pub(crate) struct Narrow {
    /// Its bits.
    pub value: u128,
    /// What they depend on.
    pub expr: Option<ExprId>,
}

/// From the width of the stack to that of a location.
pub(crate) fn narrow(
    pool: &mut ExprPool,
    kind: JavaType,
    bits: u128,
    expr: Option<ExprId>,
) -> Result<Narrow, ExprError> {
    let width = (kind.size() * 8) as Width;
    let value = bits & warpath_trace::expr::mask(width);
    let expr = match expr {
        Some(expr) if pool.width(expr) > width => symbolic(pool, |pool| pool.extract(width - 1, 0, expr))?,
        expr => expr,
    };
    Ok(Narrow { value, expr })
}
