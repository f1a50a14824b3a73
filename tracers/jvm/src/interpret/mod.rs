//! The bytecode, executed once more along the recorded path: every value has its number and, where it depends on inputs or
//! on what other threads write, an expression.
//!
//! Between two records of a thread nothing happens that the adapter could not compute: a frame runs until it comes to an
//! instruction whose result is in the stream (`advance`), and waits there for the record (`records`, `calls`). If a frame
//! is ever found somewhere else than the record says, it is *lost*: its values are those recorded, without expressions,
//! and that is counted.

mod advance;
mod arithmetic;
mod calls;
mod compare;
mod convert;
mod doubt;
mod float;
mod frame;
mod heap;
mod identity;
mod joined;
mod lambda;
mod models;
mod numerals;
pub(crate) mod opcode;
mod path;
mod records;
mod stack;
mod symbols;
mod texts;
mod thread;
mod turn;
mod types;
mod value;

pub(crate) use advance::EAGER;
pub(crate) use frame::{Frame, Site, State};
pub(crate) use heap::{Cell, Heap};
pub use identity::number_of_object;
pub(crate) use identity::{Identities, Names};
pub(crate) use lambda::Lambdas;
pub(crate) use path::Effect;
pub(crate) use symbols::{narrow, widen};
pub(crate) use texts::{Text, Texts};
pub(crate) use thread::{EarlyWrite, Interpreter, Thread, Trouble};
pub(crate) use value::{Known, Reference, Slot};
