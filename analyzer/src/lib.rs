//! What a trace proves about other schedules and inputs.
//!
//! So far: the formula of one trace under sequential consistency with threads, plain accesses and mutexes,
//! and the question "can this branch go the other way?" as a script for any solver.

mod formula;
mod lower;
mod query;

pub use formula::{Formula, FormulaError};
pub use query::{Manifest, OpenEnd, Reach, Symbol, open_ends};
