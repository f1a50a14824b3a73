//! Terms: from tokens to the arena, and from the arena to text.

mod expand;
mod literals;
mod opening;
mod operators;
mod print;
mod reader;
mod sorts;

pub(crate) use expand::{Macro, placeholder};
pub(crate) use literals::number;
pub(crate) use operators::{Operator, theory_symbols};
pub(crate) use print::{TextBudget, write_term};
pub(crate) use reader::{Reader, Stacks};
pub(crate) use sorts::read_sort;
