//! Formulas as data: sorts, values, hash-consed terms, and their meaning.
//!
//! [`Terms`] builds sort-checked terms and shares equal ones; [`eval()`] gives them the meaning that
//! the SMT-LIB standard gives, so that a solver's model can be checked without trusting the
//! solver. Nothing here recurses: terms may be a million operations deep.

mod build;
mod cardinality;
mod copy;
mod error;
mod eval;
mod model;
mod op;
mod orders;
mod paged;
mod semantics;
mod simplify;
mod sort;
mod store;
mod terms;
mod value;

pub use error::{ExpectedSort, TermError};
pub use eval::{EvalError, Evaluator, MissingConstant, eval};
pub use model::Model;
pub use op::{Arity, Op};
pub(crate) use paged::Paged;
pub use sort::{MAX_VALUE_WIDTH, MAX_WIDTH, Sort};
pub use store::TermId;
pub use terms::{Shape, Simplification, Terms};
pub use value::{Value, ValueError};
