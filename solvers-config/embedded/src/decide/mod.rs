//! Asking the engine: within limits, for an optimum, for small reasons; and not believing its models unseen.

mod limits;
mod model;
mod reasons;
mod soft;

pub(crate) use limits::Limits;
pub(crate) use model::{Checked, checked_model};
pub(crate) use reasons::shrink;
pub(crate) use soft::{Objective, Optimum, minimise};

use warpath_smt_engine::{Engine, Outcome, Statistics, Unsupported};
use warpath_solvers::term::{TermId, Terms, Value};

/// What decides formulas. It is [`Engine`]; tests put others in its place, among them one that lies.
pub trait Decider {
    /// Opens a level.
    fn push(&mut self);
    /// Forgets what was asserted since the last push that is still open.
    fn pop(&mut self);
    /// Asserts a Boolean term; nothing is asserted if it is not supported.
    fn assert(&mut self, terms: &mut Terms, term: TermId) -> Result<(), Unsupported>;
    /// Are the assertions and these Boolean terms satisfiable together?
    fn check(
        &mut self,
        terms: &mut Terms,
        assumptions: &[TermId],
        stop: &mut dyn FnMut() -> bool,
    ) -> Result<Outcome, Unsupported>;
    /// After [`Outcome::Sat`]: the value of a constant.
    fn value(&self, terms: &Terms, constant: TermId) -> Option<Value>;
    /// After [`Outcome::Unsat`]: assumptions that suffice for it.
    fn failed(&self) -> &[TermId];
    /// After [`Outcome::Unknown`] that no stop was the reason for: what went wrong.
    fn fault(&self) -> Option<&str> {
        None
    }
    /// What its searches took.
    fn statistics(&self) -> Statistics {
        Statistics::default()
    }
}

impl Decider for Engine {
    fn push(&mut self) {
        Engine::push(self);
    }

    fn pop(&mut self) {
        Engine::pop(self);
    }

    fn assert(&mut self, terms: &mut Terms, term: TermId) -> Result<(), Unsupported> {
        Engine::assert(self, terms, term)
    }

    fn check(
        &mut self,
        terms: &mut Terms,
        assumptions: &[TermId],
        stop: &mut dyn FnMut() -> bool,
    ) -> Result<Outcome, Unsupported> {
        Engine::check(self, terms, assumptions, stop)
    }

    fn value(&self, terms: &Terms, constant: TermId) -> Option<Value> {
        Engine::value(self, terms, constant)
    }

    fn failed(&self) -> &[TermId] {
        Engine::failed(self)
    }

    fn fault(&self) -> Option<&str> {
        Engine::fault(self)
    }

    fn statistics(&self) -> Statistics {
        Engine::statistics(self)
    }
}
