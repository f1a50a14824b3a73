//! Concolic values: a number and, if it depends on inputs or reads, the expression for it.
//!
//! An expression is symbolic if any register it mentions is, even where it simplifies to a constant: then the
//! same events are recorded on every run, whatever the simplifier sees.

use warpath_trace::expr::{BinaryOp, ExprPool, Node, UnaryOp};
use warpath_trace::ids::ExprId;

use crate::oracle::program::{Arith, Comparison, Cond, Expr, Update};

/// A value of 8 bits.
#[derive(Clone, Copy, Debug, Default)]
pub struct Value {
    pub value: u8,
    pub expr: Option<ExprId>,
}

/// A truth value.
#[derive(Clone, Copy, Debug)]
pub struct Truth {
    pub holds: bool,
    pub expr: Option<ExprId>,
}

impl Value {
    /// A value that depends on nothing.
    pub fn concrete(value: u8) -> Value {
        Value { value, expr: None }
    }

    /// The value as an expression, a constant if it depends on nothing.
    pub fn lifted(self, pool: &mut ExprPool) -> ExprId {
        self.expr.unwrap_or_else(|| node(pool, Node::Const { width: 8, value: self.value.into() }))
    }
}

impl Truth {
    fn lifted(self, pool: &mut ExprPool) -> ExprId {
        self.expr.unwrap_or_else(|| node(pool, Node::Bool(self.holds)))
    }
}

/// Stores a node as it is: what a trace says must not depend on what else the table has.
pub fn node(pool: &mut ExprPool, node: Node) -> ExprId {
    pool.intern(node).expect("operands of 8 bits fit each other")
}

/// The value of an expression.
pub fn value(pool: &mut ExprPool, registers: &[Value], expr: &Expr) -> Value {
    match expr {
        Expr::Const(value) => Value::concrete(*value),
        Expr::Reg(register) => registers[usize::from(*register)],
        Expr::Binary(op, a, b) => {
            let (a, b) = (value(pool, registers, a), value(pool, registers, b));
            let (result, op) = match op {
                Arith::Add => (a.value.wrapping_add(b.value), BinaryOp::Add),
                Arith::Sub => (a.value.wrapping_sub(b.value), BinaryOp::Sub),
                Arith::Mul => (a.value.wrapping_mul(b.value), BinaryOp::Mul),
                Arith::And => (a.value & b.value, BinaryOp::BvAnd),
                Arith::Or => (a.value | b.value, BinaryOp::BvOr),
                Arith::Xor => (a.value ^ b.value, BinaryOp::BvXor),
            };
            let symbolic = a.expr.is_some() || b.expr.is_some();
            let expr = symbolic.then(|| binary(pool, op, a, b));
            Value { value: result, expr }
        }
        Expr::Ite(condition, then, otherwise) => {
            let condition = truth(pool, registers, condition);
            let (then, otherwise) = (value(pool, registers, then), value(pool, registers, otherwise));
            let symbolic = condition.expr.is_some() || then.expr.is_some() || otherwise.expr.is_some();
            let expr = symbolic.then(|| {
                let condition = condition.lifted(pool);
                let (then, otherwise) = (then.lifted(pool), otherwise.lifted(pool));
                node(pool, Node::Ite { condition, then, otherwise })
            });
            Value { value: if condition.holds { then.value } else { otherwise.value }, expr }
        }
    }
}

fn binary(pool: &mut ExprPool, op: BinaryOp, a: Value, b: Value) -> ExprId {
    let (a, b) = (a.lifted(pool), b.lifted(pool));
    node(pool, Node::Binary(op, a, b))
}

/// Whether a condition holds.
pub fn truth(pool: &mut ExprPool, registers: &[Value], condition: &Cond) -> Truth {
    match condition {
        Cond::Compare(comparison, a, b) => {
            let (a, b) = (value(pool, registers, a), value(pool, registers, b));
            let (holds, op) = match comparison {
                Comparison::Equal => (a.value == b.value, BinaryOp::Eq),
                Comparison::BelowUnsigned => (a.value < b.value, BinaryOp::Ult),
                Comparison::BelowSigned => ((a.value as i8) < (b.value as i8), BinaryOp::Slt),
            };
            let symbolic = a.expr.is_some() || b.expr.is_some();
            Truth { holds, expr: symbolic.then(|| binary(pool, op, a, b)) }
        }
        Cond::Not(inner) => {
            let inner = truth(pool, registers, inner);
            let expr = inner.expr.map(|expr| node(pool, Node::Unary(UnaryOp::Not, expr)));
            Truth { holds: !inner.holds, expr }
        }
        Cond::And(a, b) | Cond::Or(a, b) => {
            let (a, b) = (truth(pool, registers, a), truth(pool, registers, b));
            let (holds, op) = match condition {
                Cond::And(..) => (a.holds && b.holds, BinaryOp::And),
                _ => (a.holds || b.holds, BinaryOp::Or),
            };
            let symbolic = a.expr.is_some() || b.expr.is_some();
            let expr = symbolic.then(|| {
                let (a, b) = (a.lifted(pool), b.lifted(pool));
                node(pool, Node::Binary(op, a, b))
            });
            Truth { holds, expr }
        }
    }
}

/// That a symbolic value is below a bound, unsigned.
pub fn below(pool: &mut ExprPool, value: Value, bound: u8) -> ExprId {
    binary(pool, BinaryOp::Ult, value, Value::concrete(bound))
}

/// The value that a read-modify-write leaves, given what it found.
pub fn updated(pool: &mut ExprPool, update: &Update, found: Value, [a, b]: [Value; 2]) -> Value {
    match update {
        Update::Exchange(_) => a,
        Update::Add(_) => {
            let expr = binary(pool, BinaryOp::Add, found, a);
            Value { value: found.value.wrapping_add(a.value), expr: Some(expr) }
        }
        Update::CompareExchange { .. } => {
            let condition = binary(pool, BinaryOp::Eq, found, a);
            let (then, otherwise) = (b.lifted(pool), found.lifted(pool));
            let expr = node(pool, Node::Ite { condition, then, otherwise });
            Value { value: if found.value == a.value { b.value } else { found.value }, expr: Some(expr) }
        }
    }
}
