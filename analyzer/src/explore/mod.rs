//! Exploration: run, ask what else can happen, run that, until nothing is left.
//!
//! A [`Runner`] runs the program; this module decides what to run. The strategies differ in how: `forest` looks for
//! outcomes that no thread has shown, the others are those of the papers that Warpath builds on, and baselines.

mod bug;
mod coverage;
mod events;
mod explorer;
mod forest;
mod frontier;
mod lane;
mod options;
mod result;
mod runner;
mod statistics;
mod team;

pub use bug::Bug;
pub use coverage::{Branches, Coverage};
pub use events::{Observer, Standing, Unobserved};
pub use options::{Bounds, ExploreOptions, Strategy};
pub use result::{Exploration, Judgement};
pub use runner::{Ended, Following, Free, Learnt, Observed, Request, Runner, RunnerError, Runners};
pub use statistics::Statistics;

use crate::window::OpenSolvers;

use warpath_solvers::term::TermError;

use crate::answer::Mismatch;
use crate::findings::CheckError;
use explorer::Explorer;
use team::{Shared, Team};

/// Why an exploration could not go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExploreError {
    /// The program cannot be run.
    #[error(transparent)]
    Runner(#[from] RunnerError),
    /// No solver.
    #[error("cannot open a solver: {0}")]
    Solver(Box<dyn std::error::Error + Send + Sync>),
    /// A formula could not be built.
    #[error("cannot build the formula: {0}")]
    Formula(#[from] TermError),
    /// A property could not be checked.
    #[error(transparent)]
    Check(#[from] CheckError),
    /// The formula and the reference interpreter disagree: a bug of ours.
    #[error("the solver's answer cannot be executed: {mismatch}; this is a bug of Warpath, please report it")]
    Bug {
        /// The step that cannot happen.
        mismatch: Box<Mismatch>,
    },
}

/// Explores a program.
pub fn explore(
    options: &ExploreOptions,
    runners: &dyn Runners,
    open: &OpenSolvers<'_>,
    observer: &mut dyn Observer,
) -> Result<Exploration, ExploreError> {
    let shared = Shared::new(runners);
    std::thread::scope(|scope| {
        let team = Team::new(scope, &shared, options.jobs);
        let mut explorer = Explorer::new(options, team, open, observer);
        let exhausted = explorer.explore_forest()?;
        Ok(explorer.finish(exhausted, None))
    })
}
