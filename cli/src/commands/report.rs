//! `warpath report`: results as one page.

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use super::not_landed;
use crate::app::Invocation;
use crate::console::Console;
use crate::exit::Exit;
use crate::inputs::readable_file;
use crate::json::JsonTarget;
use crate::options::{Loudness, LoudnessOptions};

/// Put results into one self-contained HTML page
///
/// Takes what `--json` of explore, analyze, diagnose and triage wrote. The page needs no network: findings,
/// interleavings, causes and repairs, with the commands that reproduce them.
#[derive(Args, Debug)]
#[command(after_long_help = "\
Examples:
  warpath explore --json result.json -- ./prog; warpath report result.json -o report.html
  warpath report monday.json tuesday.json -o week.html

Files written: the page named by -o.

Exit codes:
  0  the page is written
  2  wrong usage, a broken result file")]
pub(crate) struct ReportArgs {
    /// Results in JSON
    #[arg(value_name = "RESULT", required = true)]
    results: Vec<PathBuf>,
    /// Page to write
    #[arg(short, long, value_name = "FILE.html")]
    output: PathBuf,
    #[command(flatten)]
    loudness: LoudnessOptions,
}

#[derive(Debug, Serialize)]
pub(crate) struct ReportConfig {
    results: Vec<PathBuf>,
    output: PathBuf,
}

impl Invocation for ReportArgs {
    const NAME: &'static str = "report";
    type Config = ReportConfig;

    fn loudness(&self) -> Loudness {
        self.loudness.loudness()
    }

    fn json(&self) -> Option<&JsonTarget> {
        None
    }

    fn lower(self) -> anyhow::Result<ReportConfig> {
        Ok(ReportConfig {
            results: self.results.into_iter().map(readable_file).collect::<anyhow::Result<_>>()?,
            output: self.output,
        })
    }

    fn run(_: ReportConfig, _: &Console) -> anyhow::Result<Exit> {
        Err(not_landed(Self::NAME, "the page writer"))
    }
}
