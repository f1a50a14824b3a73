//! Decides Booleans, orders of events and bit-vectors together.

use warpath_solvers::term::{TermId, Terms, Value};

/// What may change how long an answer takes, never what it is (but for [`Outcome::Unknown`]).
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Options {
    /// Of what is chosen by chance.
    pub seed: u64,
}

/// What came of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// There is a model: see [`Engine::value`].
    Sat,
    /// There is none: see [`Engine::failed`].
    Unsat,
    /// It was told to stop.
    Unknown,
}

/// A term outside the fragment.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct Unsupported {
    /// What is not supported, as a sentence without a full stop.
    pub what: String,
}

/// Decides what is asserted. All calls must be given the same arena, which may grow between them.
#[derive(Debug)]
pub struct Engine {
    _options: Options,
}

impl Engine {
    /// Nothing is asserted.
    pub fn new(options: Options) -> Engine {
        Engine { _options: options }
    }

    /// Opens a level.
    pub fn push(&mut self) {}

    /// Forgets what was asserted since the last push that is still open. What was learned without it stays.
    pub fn pop(&mut self) {}

    /// Asserts a Boolean term. Nothing is asserted if it is not supported.
    pub fn assert(&mut self, _terms: &mut Terms, _term: TermId) -> Result<(), Unsupported> {
        Ok(())
    }

    /// Are the assertions and these Boolean terms satisfiable together? `stop` is asked now and then.
    pub fn check(
        &mut self,
        _terms: &mut Terms,
        _assumptions: &[TermId],
        _stop: &mut dyn FnMut() -> bool,
    ) -> Result<Outcome, Unsupported> {
        Ok(Outcome::Unknown)
    }

    /// After [`Outcome::Sat`]: the value of a declared constant, also of one that nothing asserted speaks of.
    pub fn value(&self, _terms: &Terms, _constant: TermId) -> Option<Value> {
        None
    }

    /// After [`Outcome::Unsat`]: some of the assumptions, which together with the assertions are unsatisfiable.
    pub fn failed(&self) -> &[TermId] {
        &[]
    }
}
