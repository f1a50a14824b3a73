//! From a solver's model to a schedule and inputs that can be trusted.

mod execution;
mod reference;
mod si;
mod sync_state;

pub use execution::Execution;
pub(crate) use execution::executed;
pub use reference::{Final, Mismatch, Reference};
