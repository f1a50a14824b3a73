//! What is to be done with each trace: the same for every worker, here or on another machine.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::super::analyze::Windows;
use crate::options::{MemoryModel, Property, SolverConfig, from_millis, whole_millis};

/// How a trace is analysed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Task {
    pub(super) checks: Vec<Property>,
    pub(super) model: MemoryModel,
    pub(super) windows: Windows,
    /// Keep the questions of large traces as scripts, too.
    pub(super) scripts: bool,
    pub(super) solver: SolverConfig,
    /// The solvers that answer, with their versions.
    pub(super) solvers: String,
    /// Time for one trace.
    #[serde(serialize_with = "whole_millis", deserialize_with = "from_millis")]
    pub(super) time: Duration,
    /// Bytes of data that a worker, and each solver of it, may have.
    pub(super) memory: u64,
    /// The folder that everything is kept in.
    pub(super) out: PathBuf,
}

impl Task {
    /// What the results depend on: with another of these a trace has to be analysed again.
    pub(super) fn meaning(&self) -> String {
        let Task { checks, model, windows, scripts, solvers, .. } = self;
        let words = serde_json::to_string(&(checks, model, windows, scripts, solvers)).unwrap_or_default();
        format!("{} {:016x}", env!("CARGO_PKG_VERSION"), digest(&words))
    }

    /// What only decides whether there is a result: with more of these an attempt in vain is worth another.
    pub(super) fn limits(&self) -> String {
        let solver = (self.solver.timeout.as_millis(), self.solver.memory);
        format!("{:016x}", digest(&(self.time.as_millis(), self.memory, solver)))
    }
}

/// A number that stands for something.
pub(super) fn digest(what: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    what.hash(&mut hasher);
    hasher.finish()
}
