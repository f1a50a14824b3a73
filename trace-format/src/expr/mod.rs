//! Symbolic values: a hash-consed graph of bit-vector and Boolean operations over inputs and reads.
//!
//! A graph, not a tree: a value used twice is one node. Every walk here is iterative, because a
//! loop in the traced program makes chains as long as the loop.

mod build;
mod eval;
mod node;
mod pool;
mod simplify;
mod table;

pub use eval::{EvalError, Evaluator};
pub use node::{BinaryOp, Leaf, Node, Sort, UnaryOp, Width};
pub use pool::{ExprError, ExprPool};
pub use table::{apply_binary, apply_unary, mask, sign_extend, to_signed};
