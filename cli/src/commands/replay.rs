//! `warpath replay`: reproduce a bug.

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use super::not_landed;
use crate::app::Invocation;
use crate::console::Console;
use crate::exit::Exit;
use crate::inputs::readable_file;
use crate::json::JsonTarget;
use crate::options::{JsonOption, Loudness, LoudnessOptions, Program, ProgramArgs};

/// Reproduce a bug from its schedule+input file
///
/// Runs the program with the inputs and the schedule of the SI file, checking each step. A step that cannot be taken
/// is a divergence: where and what was expected is shown.
#[derive(Args, Debug)]
#[command(after_long_help = "\
Examples:
  warpath replay warpath-out/bug-1.si.toml
  warpath replay bug-1.si.toml --times 100       does it fail every time?
  warpath replay bug-1.si.toml --gdb             a debugger, stopped at the failure
  warpath replay bug-1.si.toml -- ./prog-fixed   another build of the program

Files written: only the trace of --record.

Exit codes:
  0  the schedule was followed and the program did not fail
  1  the failure was reproduced
  2  wrong usage, a broken SI file, or the program cannot be run
  3  the run diverged from the schedule")]
pub(crate) struct ReplayArgs {
    /// The schedule and inputs
    #[arg(value_name = "BUG.si.toml")]
    schedule: PathBuf,
    /// Replay that often and count
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    times: u64,
    /// Stop a debugger at the failure
    #[arg(long, conflicts_with = "times")]
    gdb: bool,
    /// Write the trace of the replay
    #[arg(long, value_name = "FILE.wpt")]
    record: Option<PathBuf>,
    #[command(flatten)]
    json: JsonOption,
    #[command(flatten)]
    loudness: LoudnessOptions,
    #[command(flatten)]
    program: ProgramArgs,
}

#[derive(Debug, Serialize)]
pub(crate) struct ReplayConfig {
    schedule: PathBuf,
    program: Option<Program>,
    times: u64,
    gdb: bool,
    record: Option<PathBuf>,
    json: Option<JsonTarget>,
}

impl Invocation for ReplayArgs {
    const NAME: &'static str = "replay";
    type Config = ReplayConfig;

    fn loudness(&self) -> Loudness {
        self.loudness.loudness()
    }

    fn json(&self) -> Option<&JsonTarget> {
        self.json.json.as_ref()
    }

    fn lower(self) -> anyhow::Result<ReplayConfig> {
        Ok(ReplayConfig {
            schedule: readable_file(self.schedule)?,
            program: self.program.lower()?,
            times: self.times,
            gdb: self.gdb,
            record: self.record,
            json: self.json.json,
        })
    }

    fn run(_: ReplayConfig, _: &Console) -> anyhow::Result<Exit> {
        Err(not_landed(Self::NAME, "the native tracer"))
    }
}
