//! Decides Booleans, orders of events and bit-vectors together.
//!
//! The engine of Warpath's own solver, for the fragment that Warpath writes: Booleans, comparisons of integers that
//! are only compared (and differences of two with a number), and bit-vectors. `sat` is the propositional core,
//! `order` the theory of comparisons and `equal` that of equal vectors beside it, `bits` turns bit-vectors into gates, `terms` formulas into all
//! three. What is outside the fragment is an error, never a guess.

mod bits;
mod engine;
mod equal;
mod families;
mod order;
mod proof;
mod sat;
mod terms;
mod theories;

pub use engine::Engine;
pub use proof::{Function, Proof, Step};
pub use sat::{Lit, Statistics, Var};

/// What may change how long an answer takes, never what it is (but for [`Outcome::Unknown`]).
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Options {
    /// Of what is chosen by chance. One other than 0 also changes how much of a search is taken back after a conflict.
    pub seed: u64,
    /// Whether each model is checked by evaluating all assertions under it. A model that fails makes the answer
    /// [`Outcome::Unknown`], and [`Engine::fault`] says why.
    pub verify: bool,
}

impl Default for Options {
    /// Models are checked in builds with debug assertions.
    fn default() -> Self {
        Options { seed: 0, verify: cfg!(debug_assertions) }
    }
}

/// What came of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// There is a model: see [`Engine::value`].
    Sat,
    /// There is none: see [`Engine::failed`].
    Unsat,
    /// It was told to stop, or cannot go on: see [`Engine::fault`].
    Unknown,
}

/// A term outside the fragment.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct Unsupported {
    /// What is not supported, as a sentence without a full stop.
    pub what: String,
}

fn unsupported(what: String) -> Unsupported {
    Unsupported { what }
}
