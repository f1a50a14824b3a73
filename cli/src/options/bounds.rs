//! Bounds of a search and the memory model it assumes.

use std::time::Duration;

use clap::{Args, ValueEnum};
use serde::{Deserialize, Serialize, Serializer};

use super::{parse_duration, whole_millis};

/// Which reorderings of memory accesses are possible.
#[derive(Clone, Copy, Debug, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum MemoryModel {
    /// Sequential consistency: none
    Sc,
    /// Total store order, as x86: a store may pass later loads
    Tso,
    /// Partial store order: a store may also pass later stores to other places
    Pso,
}

impl MemoryModel {
    /// Its name, as the option spells it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            MemoryModel::Sc => "sc",
            MemoryModel::Tso => "tso",
            MemoryModel::Pso => "pso",
        }
    }
}

impl From<MemoryModel> for warpath_trace::header::MemoryModel {
    fn from(model: MemoryModel) -> Self {
        match model {
            MemoryModel::Sc => Self::Sc,
            MemoryModel::Tso => Self::Tso,
            MemoryModel::Pso => Self::Pso,
        }
    }
}

/// The options.
#[derive(Args, Debug)]
#[command(next_help_heading = "Bounds")]
pub(crate) struct BoundOptions {
    /// Runs of the program at most
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    max_executions: Option<u64>,
    /// Time for everything
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    time: Option<Duration>,
    /// Visible events per thread and run; a spinning thread is cut there
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(1..))]
    max_events: u64,
    /// Reads that take their value from another thread, per schedule
    #[arg(long, value_name = "K")]
    max_interferences: Option<u32>,
    /// Switches away from a thread that could have gone on, per schedule
    #[arg(long, value_name = "N")]
    max_preemptions: Option<u32>,
}

/// What they ask for. Every bound that is hit is named in the verdict.
#[derive(Debug, Serialize)]
pub(crate) struct Bounds {
    pub(crate) executions: Option<u64>,
    #[serde(serialize_with = "optional_millis")]
    pub(crate) time: Option<Duration>,
    pub(crate) events: u64,
    pub(crate) interferences: Option<u32>,
    pub(crate) preemptions: Option<u32>,
}

fn optional_millis<S: Serializer>(duration: &Option<Duration>, to: S) -> Result<S::Ok, S::Error> {
    match duration {
        Some(duration) => whole_millis(duration, to),
        None => to.serialize_none(),
    }
}

impl BoundOptions {
    /// Lowers the options.
    pub(crate) fn lower(self) -> Bounds {
        Bounds {
            executions: self.max_executions,
            time: self.time,
            events: self.max_events,
            interferences: self.max_interferences,
            preemptions: self.max_preemptions,
        }
    }
}
