//! Exploration: run, ask what else can happen, run that, until nothing is left.
//!
//! A [`Runner`] runs the program; this module decides what to run. The strategies differ in how: `forest` looks for
//! outcomes that no thread has shown, the others are those of the papers that Warpath builds on, and baselines.

mod blind;
mod bug;
mod coverage;
mod degrees;
mod events;
mod explorer;
mod forest;
mod frontier;
mod lane;
mod mcr;
mod mpc;
mod options;
mod preemption;
mod result;
mod runner;
mod statistics;
mod team;
mod tree;
mod values_only;

pub use bug::{Bug, Identity};
pub use coverage::{Branches, Coverage};
pub use events::{Checkpoint, Observer, Standing, Unobserved};
pub use options::{Bounds, Earlier, ExploreOptions, Strategy};
pub use result::{Exploration, Judgement};
pub use runner::{Ended, Following, Free, KeptRun, Learnt, Observed, Request, Runner, RunnerError, Runners};
pub use statistics::Statistics;
pub use tree::{Reached, Stretch, ThreadTree};

use crate::window::OpenSolvers;

use warpath_solvers::term::TermError;

use crate::answer::Mismatch;
use crate::findings::CheckError;
use blind::Draw;
use explorer::Explorer;
use mpc::Paths;
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
        let (exhausted, paths) = explorer.follow(options.strategy)?;
        Ok(explorer.finish(exhausted, paths))
    })
}

impl Explorer<'_, '_, '_> {
    /// Searches; whether nothing is left, and how many paths of the whole program there were, if they were counted.
    fn follow(&mut self, strategy: Strategy) -> Result<(bool, Option<usize>), ExploreError> {
        let Bounds { interferences: most, preemptions, .. } = self.options.bounds;
        if !matches!(strategy, Strategy::Forest | Strategy::Con2colic) {
            let given = [("--max-interferences", most), ("--max-preemptions", preemptions)];
            for (option, _) in given.into_iter().filter(|(_, most)| most.is_some()) {
                self.observer.remark(&format!("{option} does not limit this strategy"));
            }
        }
        Ok(match strategy {
            Strategy::Con2colic => (self.explore_by_degree(0..=most.unwrap_or(usize::MAX))?, None),
            Strategy::Mcr => {
                let (exhausted, paths) = self.explore_mcr()?;
                (exhausted, Some(paths))
            }
            Strategy::Random => (self.explore_blindly(Draw::Threads)?, None),
            Strategy::Pct => (self.explore_blindly(Draw::Priorities)?, None),
            Strategy::MpcS1 => self.explore_paths(Paths::Dropped)?,
            Strategy::MpcS2 => self.explore_paths(Paths::Extended)?,
            Strategy::Forest => match most {
                Some(most) => (self.explore_by_degree(most..=most)?, None),
                None => (self.explore_forest()?, None),
            },
        })
    }
}
