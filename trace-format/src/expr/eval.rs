//! The value of an expression, given those of its leaves.

use super::node::{Leaf, Node};
use super::pool::ExprPool;
use super::table::{apply_binary, apply_unary, mask, sign_extend};
use crate::ids::ExprId;

/// A leaf without a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no value is known for {0:?}")]
pub struct EvalError(pub Leaf);

/// Computes values under one assignment of the leaves and remembers them, so that evaluating every
/// expression of a trace costs one visit of each node.
#[derive(Debug)]
pub struct Evaluator<'pool, F> {
    pool: &'pool ExprPool,
    leaves: F,
    known: Vec<Option<u128>>,
}

impl<'pool, F: Fn(Leaf) -> Option<u128>> Evaluator<'pool, F> {
    /// An evaluator of this table's expressions in which a leaf has the value that `leaves` gives it.
    pub fn new(pool: &'pool ExprPool, leaves: F) -> Self {
        Evaluator { pool, leaves, known: vec![None; pool.len()] }
    }

    /// One that goes on with what an earlier evaluator of the same expressions had [learnt](Evaluator::into_known):
    /// leaves may have got values since, none may have got another.
    pub fn resume(pool: &'pool ExprPool, leaves: F, mut known: Vec<Option<u128>>) -> Self {
        known.resize(pool.len(), None);
        Evaluator { pool, leaves, known }
    }

    /// The values computed so far, by expression.
    pub fn into_known(self) -> Vec<Option<u128>> {
        self.known
    }

    /// The value; Booleans are 0 and 1.
    pub fn value(&mut self, root: ExprId) -> Result<u128, EvalError> {
        let mut stack = vec![root];
        while let Some(&id) = stack.last() {
            if self.known[id.index()].is_some() {
                stack.pop();
                continue;
            }
            let node = self.pool.node(id);
            let waiting = stack.len();
            stack.extend(node.operands().filter(|operand| self.known[operand.index()].is_none()));
            if stack.len() == waiting {
                self.known[id.index()] = Some(self.compute(node)?);
                stack.pop();
            }
        }
        Ok(self.of(root))
    }

    /// Whether a Boolean expression holds.
    pub fn holds(&mut self, root: ExprId) -> Result<bool, EvalError> {
        self.value(root).map(|value| value != 0)
    }

    fn of(&self, id: ExprId) -> u128 {
        self.known[id.index()].expect("operands are computed before the node that uses them")
    }

    fn compute(&self, node: Node) -> Result<u128, EvalError> {
        Ok(match node {
            Node::Bool(value) => value.into(),
            Node::Const { value, .. } => value,
            Node::Input { width, .. } | Node::Read { width, .. } => {
                let leaf = node.leaf().expect("inputs and reads are leaves");
                (self.leaves)(leaf).ok_or(EvalError(leaf))? & mask(width)
            }
            Node::Unary(op, a) => apply_unary(op, self.of(a), self.pool.width(a)),
            Node::Binary(op, a, b) => {
                apply_binary(op, self.of(a), self.of(b), self.pool.width(a), self.pool.width(b))
            }
            Node::Extract { high, low, of } => (self.of(of) >> low) & mask(high - low + 1),
            Node::ZeroExtend { of, .. } => self.of(of),
            Node::SignExtend { width, of } => sign_extend(self.of(of), self.pool.width(of), width),
            Node::Ite { condition, then, otherwise } => {
                if self.of(condition) != 0 {
                    self.of(then)
                } else {
                    self.of(otherwise)
                }
            }
        })
    }
}
