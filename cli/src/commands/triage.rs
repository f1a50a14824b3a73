//! `warpath triage`: many traces at once.

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use super::not_landed;
use crate::app::Invocation;
use crate::console::Console;
use crate::exit::Exit;
use crate::inputs::folder;
use crate::json::JsonTarget;
use crate::options::{
    CheckOption, JsonOption, Loudness, LoudnessOptions, MemoryModel, OutOption, Property, SarifOption,
    SolverConfig, SolverOptions, parse_jobs,
};

/// Sort many traces: analyse in parallel, group by cause, rank
///
/// Takes folders of traces, as they come from a test farm or from production, and answers: how many different bugs
/// are these, which is worst, which trace shows it best. Work that is done is kept in --out: the same command again
/// goes on where it stopped.
#[derive(Args, Debug)]
#[command(after_long_help = "\
Examples:
  warpath triage crashes/ --jobs 8
  warpath triage monday/ tuesday/ --out week --json week.json

Files written into --out: one result per trace (reused by the next run) and groups.json.

Exit codes:
  0  no trace shows or predicts a bug
  1  at least one group of bugs
  2  wrong usage, no trace in the folders
  3  UNKNOWN: some traces could not be decided, or Ctrl-C (the rest is reported)")]
pub(crate) struct TriageArgs {
    /// Folders with traces
    #[arg(value_name = "DIR", required = true)]
    folders: Vec<PathBuf>,
    #[command(flatten)]
    check: CheckOption,
    /// Memory model
    #[arg(long, value_enum, value_name = "MODEL", default_value_t = MemoryModel::Sc)]
    model: MemoryModel,
    /// Traces analysed in parallel; 0 is one per core
    #[arg(long, value_name = "N", default_value = "0", value_parser = parse_jobs)]
    jobs: usize,
    #[command(flatten)]
    out: OutOption,
    #[command(flatten)]
    json: JsonOption,
    #[command(flatten)]
    sarif: SarifOption,
    #[command(flatten)]
    loudness: LoudnessOptions,
    #[command(flatten)]
    solver: SolverOptions,
}

#[derive(Debug, Serialize)]
pub(crate) struct TriageConfig {
    folders: Vec<PathBuf>,
    checks: Vec<Property>,
    model: MemoryModel,
    jobs: usize,
    solver: SolverConfig,
    out: PathBuf,
    json: Option<JsonTarget>,
    sarif: Option<PathBuf>,
}

impl Invocation for TriageArgs {
    const NAME: &'static str = "triage";
    type Config = TriageConfig;

    fn loudness(&self) -> Loudness {
        self.loudness.loudness()
    }

    fn json(&self) -> Option<&JsonTarget> {
        self.json.json.as_ref()
    }

    fn lower(self) -> anyhow::Result<TriageConfig> {
        Ok(TriageConfig {
            folders: self.folders.into_iter().map(folder).collect::<anyhow::Result<_>>()?,
            checks: self.check.lower(),
            model: self.model,
            jobs: self.jobs,
            solver: self.solver.lower()?,
            out: self.out.out,
            json: self.json.json,
            sarif: self.sarif.sarif,
        })
    }

    fn run(_: TriageConfig, _: &Console) -> anyhow::Result<Exit> {
        Err(not_landed(Self::NAME, "the runner for many traces"))
    }
}
