//! Does a solver do what its configuration says? One small question per ability.

mod items;

use std::time::{Duration, Instant};

use crate::discover::{FoundSolver, Solvers};
use crate::session::Session;

/// Time for each question that should be quick.
const PATIENCE: Duration = Duration::from_secs(20);

/// What came of one item.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// As it should be.
    Passed,
    /// Not as it should be, and how.
    Failed(String),
    /// The solver does not claim this ability.
    NotClaimed,
}

/// One item of the battery and what came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemResult {
    /// What was tried.
    pub item: &'static str,
    /// What came of it.
    pub outcome: Outcome,
    /// How long it took.
    pub duration: Duration,
}

/// The battery's result for one solver.
#[derive(Debug, Clone)]
pub struct Report {
    /// The solver.
    pub solver: FoundSolver,
    /// Its items.
    pub items: Vec<ItemResult>,
}

impl Report {
    /// Whether nothing failed.
    pub fn passed(&self) -> bool {
        !self.items.iter().any(|item| matches!(item.outcome, Outcome::Failed(_)))
    }
}

/// Runs the battery; `progress` hears of each item as it is done.
pub fn run(solver: &FoundSolver, solvers: &Solvers, mut progress: impl FnMut(&ItemResult)) -> Report {
    let mut results = Vec::new();
    for (item, test) in items::ALL {
        let begun = Instant::now();
        let mut session = Session::new(solver.clone(), solvers.supervisor().clone());
        let outcome = match test(&mut session) {
            Ok(true) => Outcome::Passed,
            Ok(false) => Outcome::NotClaimed,
            Err(fault) => Outcome::Failed(fault),
        };
        let result = ItemResult { item, outcome, duration: begun.elapsed() };
        progress(&result);
        results.push(result);
    }
    Report { solver: solver.clone(), items: results }
}
