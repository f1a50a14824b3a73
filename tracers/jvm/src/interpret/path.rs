//! Conditions of a thread's path: each said once, and in its simplest form.

use rustc_hash::FxHashMap;
use warpath_trace::event::Concretised;
use warpath_trace::expr::{BinaryOp, ExprError, ExprPool, Node, UnaryOp, mask};
use warpath_trace::ids::ExprId;

use super::frame::Site;

/// Something that was decided about a symbolic value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    Branch {
        condition: ExprId,
        taken: bool,
    },
    Switch {
        on: ExprId,
        value: u128,
    },
    Concretise {
        expr: ExprId,
        value: u128,
        why: Concretised,
    },
    /// A loop begins another turn; the number stands for everything that the frame has.
    Turn {
        having: u64,
    },
}

/// What a thread has decided since its last event, and what it ever did.
#[derive(Clone, Debug, Default)]
pub(crate) struct Effects {
    pub(crate) new: Vec<(Site, Effect)>,
    decided: FxHashMap<ExprId, u128>,
}

/// Steps that a value is traced back to what it depends on one to one.
const MOST_STEPS: usize = 64;

impl Effects {
    /// Control depends on a condition.
    pub(crate) fn branch(
        &mut self,
        pool: &mut ExprPool,
        site: Site,
        condition: ExprId,
        taken: bool,
    ) -> Result<(), ExprError> {
        let (mut condition, mut taken) = (condition, taken);
        // One form for a condition and its negation, so that both outcomes speak of the same: `a < b`, never `b <= a`.
        match pool.node(condition) {
            Node::Bool(_) => return Ok(()),
            Node::Unary(UnaryOp::Not, inner) => (condition, taken) = (inner, !taken),
            Node::Binary(BinaryOp::Ule | BinaryOp::Sle, ..) => {
                (condition, taken) = (pool.not(condition)?, !taken);
            }
            _ => {}
        }
        if self.decided.insert(condition, taken.into()).is_some() {
            return Ok(());
        }
        self.new.push((site, Effect::Branch { condition, taken }));
        if taken
            && let Node::Binary(BinaryOp::Eq, x, k) = pool.node(condition)
            && let Some(k) = pool.as_constant(k)
        {
            let (x, k) = essence(pool, x, k);
            self.decided.insert(x, k);
        }
        Ok(())
    }

    /// Control depends on a value.
    pub(crate) fn switch(&mut self, pool: &ExprPool, site: Site, on: ExprId, value: u128) {
        if let Some((on, value)) = self.decide(pool, on, value) {
            self.new.push((site, Effect::Switch { on, value }));
        }
    }

    /// A value is used by its number.
    pub(crate) fn concretise(
        &mut self,
        pool: &ExprPool,
        site: Site,
        expr: ExprId,
        value: u128,
        why: Concretised,
    ) {
        if let Some((expr, value)) = self.decide(pool, expr, value) {
            self.new.push((site, Effect::Concretise { expr, value, why }));
        }
    }

    fn decide(&mut self, pool: &ExprPool, expr: ExprId, value: u128) -> Option<(ExprId, u128)> {
        let (expr, value) = essence(pool, expr, value);
        let open = pool.as_constant(expr).is_none();
        (open && self.decided.insert(expr, value).is_none()).then_some((expr, value))
    }
}

/// What a value depends on, one to one: `i + 1` has a given value if and only if `i` has its.
fn essence(pool: &ExprPool, mut expr: ExprId, mut value: u128) -> (ExprId, u128) {
    value &= mask(pool.width(expr));
    for _ in 0..MOST_STEPS {
        let width = pool.width(expr);
        (expr, value) = match pool.node(expr) {
            Node::ZeroExtend { of, .. } | Node::SignExtend { of, .. } => (of, value & mask(pool.width(of))),
            Node::Unary(UnaryOp::BvNot, x) => (x, !value & mask(width)),
            Node::Unary(UnaryOp::Neg, x) => (x, value.wrapping_neg() & mask(width)),
            Node::Binary(BinaryOp::Add, x, c) if let Some(c) = pool.as_constant(c) => {
                (x, value.wrapping_sub(c) & mask(width))
            }
            Node::Binary(BinaryOp::Sub, c, y) if let Some(c) = pool.as_constant(c) => {
                (y, c.wrapping_sub(value) & mask(width))
            }
            Node::Binary(BinaryOp::BvXor, x, c) if let Some(c) = pool.as_constant(c) => (x, value ^ c),
            _ => break,
        };
    }
    (expr, value)
}
