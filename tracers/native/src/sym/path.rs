//! Conditions of the path: each said once, and in its simplest form.

use rustc_hash::FxHashMap;
use warpath_trace::event::Concretised;
use warpath_trace::expr::{BinaryOp, Node, UnaryOp, mask};
use warpath_trace::ids::ExprId;

use super::bits::{Bits, Truth};
use super::build::Builder;
use super::effect::{Effect, Effects};
use super::fold::MAX_STEPS;

/// Where new conditions go.
pub(super) struct Path<'a> {
    pub build: &'a mut Builder,
    pub decided: &'a mut FxHashMap<ExprId, u128>,
    pub effects: &'a mut Effects,
}

impl Path<'_> {
    /// Control depends on a condition.
    pub fn branch(&mut self, condition: Truth) {
        let Some(mut expr) = condition.expr else { return };
        let mut taken = condition.value;
        // One form for a condition and its negation, so that both outcomes speak of the same: `a < b`, never `b <= a`.
        let negated = match self.build.pool.node(expr) {
            Node::Unary(UnaryOp::Not, inner) => Some(inner),
            Node::Binary(BinaryOp::Ule | BinaryOp::Sle, ..) => self.build.not(condition).expr,
            _ => None,
        };
        if let Some(negated) = negated {
            expr = negated;
            taken = !taken;
        }
        if self.decided.insert(expr, taken.into()).is_none() {
            self.effects.path.push(Effect::Branch { condition: expr, taken });
            if let Node::Binary(BinaryOp::Eq, x, k) = self.build.pool.node(expr)
                && taken
                && let Some(k) = self.build.pool.as_constant(k)
            {
                let (x, k) = essence(self.build, x, k);
                self.decided.insert(x, k);
            }
        }
    }

    /// Control depends on a value.
    pub fn switch(&mut self, value: Bits) {
        if let Some((on, value)) = self.decide(value) {
            self.effects.path.push(Effect::Switch { on, value });
        }
    }

    /// A value is used by its number.
    pub fn concretise(&mut self, value: Bits, why: Concretised) {
        if let Some((expr, value)) = self.decide(value) {
            self.effects.path.push(Effect::Concretise { expr, value, why });
        }
    }

    fn decide(&mut self, value: Bits) -> Option<(ExprId, u128)> {
        let (expr, value) = essence(self.build, value.expr?, value.value);
        self.decided.insert(expr, value).is_none().then_some((expr, value))
    }
}

/// What a value depends on, one to one: `table + 4 * i` has a given value if and only if `i` has its.
pub(super) fn essence(build: &Builder, mut expr: ExprId, mut value: u128) -> (ExprId, u128) {
    let pool = &build.pool;
    value &= mask(pool.width(expr));
    for _ in 0..MAX_STEPS {
        let width = pool.width(expr);
        (expr, value) = match pool.node(expr) {
            Node::ZeroExtend { of, .. } | Node::SignExtend { of, .. } => (of, value & mask(pool.width(of))),
            Node::Unary(UnaryOp::BvNot, x) => (x, !value & mask(width)),
            Node::Unary(UnaryOp::Neg, x) => (x, value.wrapping_neg() & mask(width)),
            Node::Binary(op, x, y) => match (op, pool.as_constant(x), pool.as_constant(y)) {
                (BinaryOp::Add, _, Some(c)) => (x, value.wrapping_sub(c) & mask(width)),
                (BinaryOp::Sub, Some(c), _) => (y, c.wrapping_sub(value) & mask(width)),
                (BinaryOp::BvXor, _, Some(c)) => (x, value ^ c),
                (BinaryOp::Concat, Some(_), _) => (y, value & mask(pool.width(y))),
                (BinaryOp::Concat, _, Some(_)) => (x, value >> pool.width(y)),
                // Nothing is shifted out of what was widened by more.
                (BinaryOp::Shl, _, Some(by)) => match pool.node(x) {
                    Node::ZeroExtend { of, .. } | Node::SignExtend { of, .. }
                        if u128::from(pool.width(of)) + by <= width.into() =>
                    {
                        (of, (value >> by) & mask(pool.width(of)))
                    }
                    _ => break,
                },
                _ => break,
            },
            _ => break,
        };
    }
    (expr, value)
}
