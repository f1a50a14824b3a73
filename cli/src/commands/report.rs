//! `warpath report`: results as one page.

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use crate::app::Invocation;
use crate::console::Console;
use crate::exit::Exit;
use crate::inputs::{folder, readable};
use crate::json::JsonTarget;
use crate::options::{Loudness, LoudnessOptions};
use crate::outputs::replace_file;
use crate::report;

/// Put results into one self-contained HTML page
///
/// Takes what `--json` of explore, diagnose, analyze and replay wrote, or the folder that explore wrote. A bug that a
/// diagnosis explains is shown once, with its explanation. The page needs no network and no script to be read.
#[derive(Args, Debug)]
#[command(after_long_help = "\
Examples:
  warpath explore -- ./prog; warpath report warpath-out -o report.html
  warpath diagnose warpath-out/bug-1.si.toml --json warpath-out/bug-1.json
  warpath report warpath-out -o report.html                 now with causes
  warpath report monday.json tuesday.json -o week.html --source src

Source lines are read when the page is made: from here, from beside the program, from --source, and
from where the program was compiled; not from files that are younger than the program.

Files written: the page named by -o.

Exit codes:
  0  the page is written
  2  wrong usage, a broken result file")]
pub(crate) struct ReportArgs {
    /// Results in JSON, or folders with such files
    #[arg(value_name = "RESULT", required = true)]
    results: Vec<PathBuf>,
    /// Page to write
    #[arg(short, long, value_name = "FILE.html")]
    output: PathBuf,
    /// Folder with sources of the program; may be given several times
    #[arg(long, value_name = "DIR")]
    source: Vec<PathBuf>,
    #[command(flatten)]
    loudness: LoudnessOptions,
}

#[derive(Debug, Serialize)]
pub(crate) struct ReportConfig {
    results: Vec<PathBuf>,
    output: PathBuf,
    sources: Vec<PathBuf>,
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
            results: self.results.into_iter().map(readable).collect::<anyhow::Result<_>>()?,
            output: self.output,
            sources: self.source.into_iter().map(folder).collect::<anyhow::Result<_>>()?,
        })
    }

    fn run(config: ReportConfig, console: &Console) -> anyhow::Result<Exit> {
        let page = report::page(report::read(&config.results)?, &config.sources);
        replace_file(&config.output, |out| Ok(out.write_all(page.as_bytes())?))?;
        console.detail(format_args!("wrote {} ({} bytes)", config.output.display(), page.len()));
        Ok(Exit::Clean)
    }
}
