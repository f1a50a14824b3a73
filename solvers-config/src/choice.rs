//! From what a user names to something that answers.

use std::sync::Arc;

use crate::config::{Encoding, OrderEncoding, ValueEncoding};
use crate::cross_check::CrossCheck;
use crate::discover::{FindError, FoundSolver, Solvers};
use crate::portfolio::{Portfolio, Reserve};
use crate::proofs::Proofs;
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
        let several = |members: Vec<FoundSolver>, reserve: Option<Arc<Reserve>>| {
            Ok(ResolvedChoice::Several(portfolio.name.clone(), members, reserve))
        };
        if let (Some(first), Some(head_start)) = (portfolio.members.first(), portfolio.head_start)
            && let Some(first) = self.find_member(first)?
        {
            let reserve = Reserve::new(self.clone(), portfolio, head_start);
            return several(vec![first], Some(Arc::new(reserve)));
        }
        let members = self.find_members(&portfolio.members, portfolio.most)?;
        if members.is_empty() {
            return Err(FindError::NoMember {
                name: portfolio.name.clone(),
                members: portfolio.members.clone(),
            });
        }
        several(members, None)
    }

    /// Our own solver alone, which keeps proofs: no other's answers could be checked with it.
    pub fn resolve_proving(&self, proofs: Arc<Proofs>) -> Result<ResolvedChoice, FindError> {
        Ok(ResolvedChoice::Proving(self.find_own()?, proofs))
    }

    /// So many of these, the preferred ones, that are here.
    pub(crate) fn find_members(&self, names: &[String], most: usize) -> Result<Vec<FoundSolver>, FindError> {
        let mut members = Vec::new();
        for name in names {
            if members.len() == most {
                break;
            }
            members.extend(self.find_member(name)?);
        }
        Ok(members)
    }

    fn find_member(&self, name: &str) -> Result<Option<FoundSolver>, FindError> {
        match self.find(name) {
            Ok(found) => Ok(Some(found)),
            Err(FindError::NotFound { .. } | FindError::Unusable { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// A choice whose programs have been found.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum ResolvedChoice {
    /// One solver.
    One(FoundSolver),
    /// Our own, which keeps proofs of its answers.
    Proving(FoundSolver, Arc<Proofs>),
    /// Two that must agree.
    Pair(FoundSolver, FoundSolver),
    /// A portfolio: its name, its members, and those who join if these take long.
    Several(String, Vec<FoundSolver>, Option<Arc<Reserve>>),
}

impl ResolvedChoice {
    /// Opens it, with an empty stack.
    pub fn open(&self, solvers: &Solvers) -> Box<dyn Smt> {
        let supervisor = solvers.supervisor();
        match self {
            Self::One(solver) => Box::new(Session::new(solver.clone(), supervisor.clone())),
            Self::Proving(solver, proofs) => {
                let session = Session::new(solver.clone(), supervisor.clone());
                Box::new(session.keeping(Arc::clone(proofs)))
            }
            Self::Pair(first, second) => Box::new(CrossCheck::new(first.clone(), second.clone(), supervisor)),
            Self::Several(name, members, reserve) => {
                let portfolio = Portfolio::new(name, members.clone(), supervisor);
                Box::new(portfolio.with_reserve(reserve.clone()))
            }
        }
    }

    /// How executions are best written for it. Those who race are asked in the way that suits all: one Boolean per pair of
    /// events. Who has a head start answers nearly everything.
    pub fn encoding(&self) -> Encoding {
        match self {
            Self::One(solver) => solver.config.encoding,
            // A checker of proofs has to see every clause.
            Self::Proving(solver, _) => Encoding { families_from: None, ..solver.config.encoding },
            Self::Several(_, members, _) if let [only] = &members[..] => only.config.encoding,
            Self::Pair(..) | Self::Several(..) => {
                let (order, values) = (OrderEncoding::Pairs, ValueEncoding::Bits);
                Encoding { order, values, lemmas_up_to: None, families_from: None, ranges_from: None }
            }
        }
    }

    /// The same with another memory limit for every process.
    #[must_use]
    pub fn with_memory_limit(mut self, memory_mb: u64) -> Self {
        let limit = |solver: &mut FoundSolver| solver.limit_memory(memory_mb);
        match &mut self {
            Self::One(solver) | Self::Proving(solver, _) => limit(solver),
            Self::Pair(first, second) => [first, second].into_iter().for_each(limit),
            Self::Several(_, members, reserve) => {
                members.iter_mut().for_each(limit);
                *reserve = reserve.take().map(|reserve| Arc::new(reserve.with_memory_limit(memory_mb)));
            }
        }
        self
    }
}
