//! A single solver.

use std::sync::Arc;
use std::time::Duration;

use crate::answer::Answer;
use crate::discover::FoundSolver;
use crate::engine::{Engine, Wishes, optimises};
use crate::optimise::{self, Optimum, Preference};
use crate::proofs::Proofs;
use crate::smt::{Query, Smt, Statistics};
use crate::stack::Stack;
use crate::supervise::SupervisorCommand;
use crate::term::Terms;

/// A dialogue with one solver about one growing and shrinking stack of assertions.
///
/// ```no_run
/// use std::time::Duration;
/// use warpath_solvers::{Answer, Query, Session, Smt, Solvers, term::{Sort, Terms}};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let solvers = Solvers::from_environment()?;
/// let mut session = Session::new(solvers.find("z3")?, solvers.supervisor().clone());
/// let mut terms = Terms::new();
/// let (a, b) = (terms.constant("o(a)", Sort::Int)?, terms.constant("o(b)", Sort::Int)?);
/// let before = terms.lt(a, b)?;
/// session.assert(&terms, before)?;
/// assert!(matches!(session.check(&terms, &Query::within(Duration::from_secs(5))), Answer::Sat(_)));
/// # Ok(()) }
/// ```
pub struct Session {
    stack: Stack,
    engine: Engine,
}

impl Session {
    /// A session with an empty stack. The solver's process is started by the first query.
    pub fn new(solver: FoundSolver, supervisor: SupervisorCommand) -> Self {
        Self { stack: Stack::default(), engine: Engine::new(solver, supervisor) }
    }

    /// The same with a solver whose processes write proofs of their answers. There are no unsat cores then.
    #[must_use]
    pub fn keeping(self, proofs: Arc<Proofs>) -> Self {
        Self { engine: self.engine.keeping(proofs), ..self }
    }

    /// The solver.
    pub fn solver(&self) -> &FoundSolver {
        self.engine.solver()
    }
}

impl Smt for Session {
    fn describe(&self) -> String {
        self.solver().to_string()
    }

    fn stack(&self) -> &Stack {
        &self.stack
    }

    fn stack_mut(&mut self) -> &mut Stack {
        &mut self.stack
    }

    fn check(&mut self, terms: &Terms, query: &Query) -> Answer {
        self.engine.check(terms, &self.stack, query)
    }

    fn statistics(&self) -> Statistics {
        self.engine.statistics()
    }

    fn default_timeout(&self) -> Duration {
        self.solver().config.limits.timeout
    }

    fn optimises(&self) -> bool {
        optimises(&self.engine)
    }

    fn optimise(&mut self, terms: &mut Terms, query: &Query, preferences: &[Preference]) -> Optimum {
        if optimises(&self.engine) {
            let default = self.default_timeout();
            let Self { stack, engine } = self;
            let mut ask = |query: &Query, wishes: &[Preference]| {
                engine.check_with_wishes(terms, stack, query, Wishes(wishes))
            };
            return optimise::natively(&mut ask, terms, query, preferences, default);
        }
        optimise::by_search(self, terms, query, preferences)
    }
}
