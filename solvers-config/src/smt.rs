//! The one face that a solver, a portfolio and a pair of cross-checked solvers show.

use std::time::Duration;

use crate::answer::Answer;
use crate::cancel::CancelToken;
use crate::optimise::{self, Optimum, Preference};
use crate::stack::{Stack, StackError};
use crate::term::{TermId, Terms};

/// What is asked beyond "is what is asserted satisfiable".
#[derive(Debug, Clone, Default)]
pub struct Query {
    /// Terms that hold for this query only.
    pub assumptions: Vec<TermId>,
    /// Whether a reason is wanted if the answer is `unsat`.
    pub core: bool,
    /// Time for the query; by default what the solver's configuration says.
    pub timeout: Option<Duration>,
    /// Switch that ends the query.
    pub cancel: CancelToken,
}

impl Query {
    /// A plain question with a time limit.
    pub fn within(timeout: Duration) -> Self {
        Self { timeout: Some(timeout), ..Self::default() }
    }

    /// The same with assumptions.
    #[must_use]
    pub fn assuming(mut self, assumptions: impl Into<Vec<TermId>>) -> Self {
        self.assumptions = assumptions.into();
        self
    }

    /// The same, asking for a reason.
    #[must_use]
    pub fn with_core(mut self) -> Self {
        self.core = true;
        self
    }
}

/// Counters of what was asked and what it took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Statistics {
    /// Questions.
    pub queries: u64,
    /// Answered `sat`.
    pub sat: u64,
    /// Answered `unsat`.
    pub unsat: u64,
    /// Not answered.
    pub unknown: u64,
    /// Solver processes started.
    pub starts: u64,
    /// Time spent in queries.
    pub time: Duration,
}

impl Statistics {
    pub(crate) fn count(&mut self, answer: &Answer, time: Duration) {
        self.queries += 1;
        self.time += time;
        match answer {
            Answer::Sat(_) => self.sat += 1,
            Answer::Unsat { .. } => self.unsat += 1,
            Answer::Unknown(_) => self.unknown += 1,
        }
    }
}

/// Something that answers questions about a stack of assertions.
///
/// All calls must be given the same arena, which may grow between them, until [`Smt::change_arena`]. Asserting only takes note; the talking is
/// done by [`Smt::check`], and a solver process that is lost there is replaced by a new one at the next.
pub trait Smt: Send {
    /// Who answers: names and versions.
    fn describe(&self) -> String;

    /// The live assertions.
    fn stack(&self) -> &Stack;

    /// The live assertions, to be changed.
    fn stack_mut(&mut self) -> &mut Stack;

    /// Asks whether the live assertions and the query's assumptions are satisfiable together.
    fn check(&mut self, terms: &Terms, query: &Query) -> Answer;

    /// Counters since the beginning.
    fn statistics(&self) -> Statistics;

    /// Opens a level.
    fn push(&mut self) {
        self.stack_mut().push();
    }

    /// Forgets everything asserted since the last push.
    fn pop(&mut self) -> Result<(), StackError> {
        self.stack_mut().pop()
    }

    /// Forgets everything, so that another arena may follow. A process that was told everything behind a push is
    /// kept: starting one takes longer than most answers.
    fn change_arena(&mut self) {
        self.stack_mut().change_arena();
    }

    /// Asserts a Boolean term.
    fn assert(&mut self, terms: &Terms, term: TermId) -> Result<(), StackError> {
        self.stack_mut().assert(terms, term, None)
    }

    /// Asserts a Boolean term under a name that cores can speak of.
    fn assert_named(&mut self, terms: &Terms, name: &str, term: TermId) -> Result<(), StackError> {
        self.stack_mut().assert(terms, term, Some(name))
    }

    /// Looks for a model that violates as little weight of the preferences as possible.
    fn optimise(&mut self, terms: &mut Terms, query: &Query, preferences: &[Preference]) -> Optimum {
        optimise::by_search(self, terms, query, preferences)
    }

    /// Is it the solver itself that looks for such a model? Then it takes one question, and else many.
    fn optimises(&self) -> bool {
        false
    }

    /// Time for a query that names none.
    fn default_timeout(&self) -> Duration;
}
