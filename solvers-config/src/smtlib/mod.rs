//! SMT-LIB 2.6 as text: symbols, s-expressions, printing terms, reading answers.

pub mod answer;
mod definitions;
mod print;
mod reserved;
pub mod sexpr;
pub mod symbol;

pub use definitions::{Definitions, Introduction, MAX_NESTING};
pub use print::term_text;
