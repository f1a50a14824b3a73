//! How to explore.

use std::time::Duration;

use serde::Serialize;
use warpath_solvers::CancelToken;
use warpath_trace::si::{InputValue, Si};

use super::statistics::Statistics;

use crate::encode::Options;
use crate::findings::{MainEnd, Property};

/// How the next run is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Strategy {
    /// Any outcome of any thread's decisions that no run has shown.
    Forest,
    /// Whole-program path prefixes by combining suffixes (Maximal Path Causality, strategy 1): misses paths.
    MpcS1,
    /// Whole-program path prefixes with unsatisfiable cores (Maximal Path Causality, strategy 2).
    MpcS2,
    /// A new value for one read at a time, with fixed inputs (Maximal Causality Reduction).
    Mcr,
    /// Open ends by ascending number of interferences (Con2colic).
    Con2colic,
    /// Random schedules.
    Random,
    /// Random priorities with few changes.
    Pct,
}

/// What ends a search before it is exhausted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    /// Runs of the program at most.
    pub executions: Option<u64>,
    /// Time for everything.
    pub time: Option<Duration>,
    /// Reads that take their value from another thread, per schedule.
    pub interferences: Option<usize>,
    /// Switches away from a thread that could have gone on, per schedule.
    pub preemptions: Option<usize>,
}

/// A search that was left off.
#[derive(Clone, Debug)]
pub struct Earlier {
    /// The runs it had made.
    pub runs: Vec<Si>,
    /// What it had taken.
    pub statistics: Statistics,
}

/// How to explore.
#[derive(Clone, Debug)]
pub struct ExploreOptions {
    /// How the next run is chosen.
    pub strategy: Strategy,
    /// The formula: memory model, encoding, reductions.
    pub formula: Options,
    /// What is checked on the forest, besides what runs show by failing.
    pub properties: Vec<Property>,
    /// What the end of the main thread means for the others.
    pub main_end: MainEnd,
    /// What ends the search early.
    pub bounds: Bounds,
    /// Stop at the first bug.
    pub stop_at_first: bool,
    /// Workers that solve and run.
    pub jobs: usize,
    /// Decides everything random.
    pub seed: u64,
    /// Time for each question; by default what the solver's configuration says.
    pub timeout: Option<Duration>,
    /// Hand every question to the observer as a script.
    pub scripts: bool,
    /// The search to be taken up again, if there is one.
    pub earlier: Option<Earlier>,
    /// The run that everything begins with, as it is written and not as it went, whenever runs are made again.
    pub begin: Option<Si>,
    /// Look only at executions with these inputs, all others being 0; `None`: the solver chooses them.
    pub inputs: Option<Vec<InputValue>>,
    /// Ends the search: what is known by then is the result.
    pub cancel: CancelToken,
}

impl Default for ExploreOptions {
    fn default() -> Self {
        ExploreOptions {
            strategy: Strategy::Forest,
            formula: Options::default(),
            properties: vec![Property::Deadlock, Property::UseAfterFree],
            main_end: MainEnd::EndsProcess,
            bounds: Bounds::default(),
            stop_at_first: false,
            jobs: 1,
            seed: 0,
            timeout: None,
            scripts: false,
            earlier: None,
            begin: None,
            inputs: None,
            cancel: CancelToken::default(),
        }
    }
}
