//! The search for a schedule that ends as the recorded run did, when those along its synchronisation do not.

use std::time::Duration;

use warpath_analyzer::explore::{Bounds, ExploreOptions, Observed, Observer, Standing, Strategy, explore};
use warpath_analyzer::findings::Property;
use warpath_native::run::RunOptions;
use warpath_solvers::CancelToken;
use warpath_trace::si::Si;
use warpath_trace::trace::Trace;

use super::target::Target;
use crate::commands::explore::{cores, unwrapped};
use crate::console::Console;
use crate::options::{Program, SolverConfig};
use crate::runs::TracedRunners;
use crate::solvers::{formula, resolve, solvers};

/// What a search begins with, and what ends it.
pub(super) struct Search<'a> {
    pub(super) program: &'a Program,
    pub(super) options: &'a RunOptions,
    pub(super) target: &'a Target,
    /// The run that came closest.
    pub(super) begin: &'a Si,
    pub(super) solver: &'a SolverConfig,
    pub(super) time: Option<Duration>,
    pub(super) executions: Option<u64>,
    pub(super) cancel: &'a CancelToken,
}

/// What came of it.
pub(super) struct Searched {
    /// A run that ends as the recorded one did.
    pub(super) found: Option<Trace>,
    pub(super) executions: u64,
    /// Everything that can happen with these inputs was looked at.
    pub(super) exhausted: bool,
    /// Why not, and what it rests on.
    pub(super) reasons: Vec<String>,
}

impl Search<'_> {
    /// Runs the program until a run ends as wanted, nothing is left, or a bound is hit.
    pub(super) fn run(&self, console: &Console) -> anyhow::Result<Searched> {
        let solvers = solvers()?;
        let resolved = resolve(&solvers, self.solver)?;
        let open = || Ok(resolved.open(&solvers));
        // Ended from inside when the run is found, from outside by the user.
        let cancel = self.cancel.clone();
        let options = ExploreOptions {
            strategy: Strategy::Forest,
            formula: formula(self.options.model, &resolved),
            properties: match self.target {
                Target::Deadlock(_) => vec![Property::Deadlock],
                Target::Failure { .. } => vec![Property::UseAfterFree],
                _ => Vec::new(),
            },
            bounds: Bounds { executions: self.executions, time: self.time, ..Bounds::default() },
            jobs: cores(),
            timeout: Some(self.solver.timeout),
            begin: Some(self.begin.clone()),
            inputs: Some(self.begin.inputs.clone()),
            cancel: cancel.clone(),
            ..ExploreOptions::default()
        };
        let runners = TracedRunners::new(self.program.clone(), self.options.clone());
        let mut watch = Watch { target: self.target, console, found: None, cancel };
        let explored = explore(&options, &runners, &open, &mut watch).map_err(unwrapped)?;
        Ok(Searched {
            found: watch.found,
            executions: explored.statistics.executions,
            exhausted: explored.exhausted,
            reasons: explored.bounds_hit.into_iter().chain(explored.reasons).collect(),
        })
    }
}

/// Looks at every run.
struct Watch<'a> {
    target: &'a Target,
    console: &'a Console,
    found: Option<Trace>,
    cancel: CancelToken,
}

impl Observer for Watch<'_> {
    fn executed(&mut self, _number: u64, run: &Observed) {
        if self.found.is_none() && self.target.is_met(&run.trace) {
            self.found = Some(run.trace.clone());
            self.cancel.cancel();
        }
    }

    fn progress(&mut self, standing: &Standing) {
        let Standing { executions, open_ends, .. } = standing;
        self.console.detail(format_args!("{executions} executions, {open_ends} open ends"));
    }

    fn remark(&mut self, text: &str) {
        self.console.detail(text);
    }
}
