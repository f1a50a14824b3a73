//! `warpath apply`: answers of solvers become SI files.

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use super::not_landed;
use crate::app::Invocation;
use crate::console::Console;
use crate::exit::Exit;
use crate::inputs::folder;
use crate::json::JsonTarget;
use crate::options::{JsonOption, Loudness, LoudnessOptions, OutOption};

/// Turn solved scripts into schedule+input files
///
/// Reads the folder that `--emit` wrote and `warpath solve` answered: scripts, answers, and the manifest that maps
/// symbols back to events. Each `sat` answer is checked against its script by our own evaluator and becomes an SI
/// file.
#[derive(Args, Debug)]
#[command(after_long_help = "\
Examples:
  warpath analyze run.wpt --emit queries   here: write the scripts
  warpath solve queries --solver cvc5      anywhere: answer them
  warpath apply queries --out found        here again: one SI file per finding

Files written into --out: NAME.si.toml for each `sat` answer, for `warpath replay`.

Exit codes:
  0  every script is unsat: nothing is predicted
  1  at least one SI file was written
  2  wrong usage, a broken script or answer
  3  some scripts have no definite answer")]
pub(crate) struct ApplyArgs {
    /// Folder with scripts, answers and the manifest
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    #[command(flatten)]
    out: OutOption,
    #[command(flatten)]
    json: JsonOption,
    #[command(flatten)]
    loudness: LoudnessOptions,
}

#[derive(Debug, Serialize)]
pub(crate) struct ApplyConfig {
    folder: PathBuf,
    out: PathBuf,
    json: Option<JsonTarget>,
}

impl Invocation for ApplyArgs {
    const NAME: &'static str = "apply";
    type Config = ApplyConfig;

    fn loudness(&self) -> Loudness {
        self.loudness.loudness()
    }

    fn json(&self) -> Option<&JsonTarget> {
        self.json.json.as_ref()
    }

    fn lower(self) -> anyhow::Result<ApplyConfig> {
        Ok(ApplyConfig { folder: folder(self.folder)?, out: self.out.out, json: self.json.json })
    }

    fn run(_: ApplyConfig, _: &Console) -> anyhow::Result<Exit> {
        Err(not_landed(Self::NAME, "the analyzer's way back from answers to schedules"))
    }
}
