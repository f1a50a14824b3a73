//! `warpath diagnose`: why it failed, and what would prevent it.

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use super::not_landed;
use crate::app::Invocation;
use crate::console::Console;
use crate::exit::Exit;
use crate::inputs::readable_file;
use crate::json::JsonTarget;
use crate::options::{
    EmitOption, JsonOption, Loudness, LoudnessOptions, MemoryModel, Program, ProgramArgs, SarifOption,
    SolverConfig, SolverOptions, parse_jobs,
};

/// Explain a failure: its root causes and repairs that were verified
///
/// From a failing run, finds the few orderings between threads that together cause the failure, for every class of
/// failing schedules, and the orderings or critical sections that would prevent it. Each suggestion is verified: no
/// failing schedule is left, a passing one is, and no new deadlock.
#[derive(Args, Debug)]
#[command(after_long_help = "\
Examples:
  warpath diagnose warpath-out/bug-1.si.toml
  warpath diagnose failed.wpt --solver yices --json causes.json

Files written: those of --json, --sarif and --emit.

Exit codes:
  0  the run did not fail: nothing to explain
  1  a cause was found
  2  wrong usage, a broken file
  3  UNKNOWN: a solver gave up, or Ctrl-C (the causes found by then are reported)")]
pub(crate) struct DiagnoseArgs {
    /// The failing run: an SI file or a trace
    #[arg(value_name = "BUG.si.toml|T.wpt")]
    run: PathBuf,
    /// Stop after that many causes
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max_causes: Option<u32>,
    /// Only causes, no repairs
    #[arg(long)]
    no_repairs: bool,
    /// Memory model
    #[arg(long, value_enum, value_name = "MODEL", default_value_t = MemoryModel::Sc)]
    model: MemoryModel,
    /// Solvers that work in parallel; 0 is one per core
    #[arg(long, value_name = "N", default_value = "0", value_parser = parse_jobs)]
    jobs: usize,
    #[command(flatten)]
    json: JsonOption,
    #[command(flatten)]
    sarif: SarifOption,
    #[command(flatten)]
    emit: EmitOption,
    #[command(flatten)]
    loudness: LoudnessOptions,
    #[command(flatten)]
    program: ProgramArgs,
    #[command(flatten)]
    solver: SolverOptions,
}

#[derive(Debug, Serialize)]
pub(crate) struct DiagnoseConfig {
    run: PathBuf,
    program: Option<Program>,
    max_causes: Option<u32>,
    repairs: bool,
    model: MemoryModel,
    jobs: usize,
    solver: SolverConfig,
    json: Option<JsonTarget>,
    sarif: Option<PathBuf>,
    emit: Option<PathBuf>,
}

impl Invocation for DiagnoseArgs {
    const NAME: &'static str = "diagnose";
    type Config = DiagnoseConfig;

    fn loudness(&self) -> Loudness {
        self.loudness.loudness()
    }

    fn json(&self) -> Option<&JsonTarget> {
        self.json.json.as_ref()
    }

    fn lower(self) -> anyhow::Result<DiagnoseConfig> {
        Ok(DiagnoseConfig {
            run: readable_file(self.run)?,
            program: self.program.lower()?,
            max_causes: self.max_causes,
            repairs: !self.no_repairs,
            model: self.model,
            jobs: self.jobs,
            solver: self.solver.lower()?,
            json: self.json.json,
            sarif: self.sarif.sarif,
            emit: self.emit.emit,
        })
    }

    fn run(_: DiagnoseConfig, _: &Console) -> anyhow::Result<Exit> {
        Err(not_landed(Self::NAME, "the analyzer's diagnosis"))
    }
}
