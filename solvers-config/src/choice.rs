//! From what a user names to something that answers.

use crate::config::OrderEncoding;
use crate::cross_check::CrossCheck;
use crate::discover::{FindError, FoundSolver, Solvers};
use crate::portfolio::Portfolio;
use crate::session::Session;
use crate::smt::Smt;

/// Which solver is to answer: `--solver NAME` and `--cross-check NAME`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SolverChoice {
    /// A solver or a portfolio.
    pub name: String,
    /// A solver that must agree; not for portfolios, which have no single first opinion.
    pub cross_check: Option<String>,
}

impl SolverChoice {
    /// A solver or a portfolio by its name.
    pub fn named(name: impl Into<String>) -> Self {
        Self { name: name.into(), cross_check: None }
    }
}

impl Solvers {
    /// Opens what was chosen, with an empty stack.
    pub fn open(&self, choice: &SolverChoice) -> Result<Box<dyn Smt>, FindError> {
        Ok(self.resolve(choice)?.open(self))
    }

    /// Looks for what was chosen, so that it can be opened several times.
    pub fn resolve(&self, choice: &SolverChoice) -> Result<ResolvedChoice, FindError> {
        if let Some(second) = &choice.cross_check {
            return Ok(ResolvedChoice::Pair(self.find(&choice.name)?, self.find(second)?));
        }
        let Some(portfolio) = self.catalog().portfolio(&choice.name) else {
            return Ok(ResolvedChoice::One(self.find(&choice.name)?));
        };
        let mut members = Vec::new();
        for member in &portfolio.members {
            match self.find(member) {
                Ok(found) => members.push(found),
                Err(FindError::NotFound { .. } | FindError::Unusable { .. }) => {}
                Err(error) => return Err(error),
            }
            if members.len() == portfolio.most {
                break;
            }
        }
        if members.is_empty() {
            return Err(FindError::NoMember {
                name: portfolio.name.clone(),
                members: portfolio.members.clone(),
            });
        }
        Ok(ResolvedChoice::Several(portfolio.name.clone(), members))
    }
}

/// A choice whose programs have been found.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum ResolvedChoice {
    /// One solver.
    One(FoundSolver),
    /// Two that must agree.
    Pair(FoundSolver, FoundSolver),
    /// A portfolio: its name and members.
    Several(String, Vec<FoundSolver>),
}

impl ResolvedChoice {
    /// Opens it, with an empty stack.
    pub fn open(&self, solvers: &Solvers) -> Box<dyn Smt> {
        let supervisor = solvers.supervisor();
        match self {
            Self::One(solver) => Box::new(Session::new(solver.clone(), supervisor.clone())),
            Self::Pair(first, second) => Box::new(CrossCheck::new(first.clone(), second.clone(), supervisor)),
            Self::Several(name, members) => Box::new(Portfolio::new(name, members.clone(), supervisor)),
        }
    }

    /// How the order of events is best written for it. Who shares questions with others is asked in the way of all: one
    /// Boolean per pair.
    pub fn order_encoding(&self) -> OrderEncoding {
        match self {
            Self::One(solver) => solver.config.encoding.order,
            Self::Several(_, members) if let [only] = &members[..] => only.config.encoding.order,
            Self::Pair(..) | Self::Several(..) => OrderEncoding::Pairs,
        }
    }

    /// The same with another memory limit for every process.
    #[must_use]
    pub fn with_memory_limit(mut self, memory_mb: u64) -> Self {
        let limit = |solver: &mut FoundSolver| {
            let mut config = (*solver.config).clone();
            config.limits.memory_mb = memory_mb;
            solver.config = config.into();
        };
        match &mut self {
            Self::One(solver) => limit(solver),
            Self::Pair(first, second) => [first, second].into_iter().for_each(limit),
            Self::Several(_, members) => members.iter_mut().for_each(limit),
        }
        self
    }
}
