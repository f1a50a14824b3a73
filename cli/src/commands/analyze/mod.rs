//! `warpath analyze`: what else could have happened.

mod files;
mod text;
mod verdicts;
mod windows;

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use serde::Serialize;
use warpath_analyzer::encode::Options;
use warpath_analyzer::model::Forest;
use warpath_analyzer::queries::{Question, open_ends};

use crate::app::Invocation;
use crate::console::{self, Console};
use crate::exit::Exit;
use crate::failure::advised;
use crate::inputs::readable_file;
use crate::json::JsonTarget;
use crate::options::{
    CheckOption, EmitOption, JsonOption, Loudness, LoudnessOptions, MemoryModel, OutOption, Property,
    SarifOption, SolverConfig, SolverOptions, parse_jobs,
};
use crate::outputs::make_folder;
use crate::scripts::{FolderManifest, Scripts};
use crate::traces::Source;
pub(super) use files::{Kept, Runs};
pub(super) use verdicts::{Asked, Outcome, examine};
pub(super) use windows::{Used, Windows};

/// Say what else could have happened in recorded runs: verdicts, scripts, SI files
///
/// Takes traces of one program and asks a solver for other schedules and inputs of the same code that violate a
/// property. The program need not be at hand: such a finding is PREDICTED, with its script and SI file, until
/// `warpath replay` reproduced it.
///
/// A large trace is checked window by window: stretches of the observed order, each sharing some events with the next.
/// What is found in a window can happen; what needs events further apart than a window is not seen, and the result
/// says so.
///
/// With --emit nothing is solved: one script per outcome that no trace has taken is written, asking whether it can
/// be reached. `warpath solve` answers them, here or elsewhere.
#[derive(Args, Debug)]
#[command(after_long_help = "\
Examples:
  warpath analyze run.wpt                  check everything
  warpath analyze monday.wpt tuesday.wpt --check race,deadlock --json findings.json
  warpath analyze long.wpt --window 5000   in windows of 5000 events, two at a time on two cores
  warpath analyze run.wpt --emit queries   only write the questions
  warpath solve queries --solver cvc5      answer them, here or elsewhere

Files written:
  into --emit  NAME.smt2 per question, and manifest.json, which maps symbols back to events
  into --out   NAME.si.toml and NAME.smt2 per finding; the latter in windows only with --scripts

Exit codes:
  0  nothing found
  1  at least one finding
  2  wrong usage, a broken trace, or no solver
  3  UNKNOWN: a solver gave up, or Ctrl-C (what is known by then is reported)")]
pub(crate) struct AnalyzeArgs {
    /// Traces of one program
    #[arg(value_name = "T.wpt", required = true)]
    traces: Vec<PathBuf>,
    #[command(flatten)]
    check: CheckOption,
    /// Memory model
    #[arg(long, value_enum, value_name = "MODEL", default_value_t = MemoryModel::Sc)]
    model: MemoryModel,
    /// Check windows of N events; 0 is everything at once [default: 2000 if a trace has more than 5000 events, else 0]
    #[arg(long, value_name = "N", conflicts_with = "emit")]
    window: Option<u32>,
    /// Events that a window shares with the next [default: half of them]
    #[arg(long, value_name = "N", requires = "window")]
    overlap: Option<u32>,
    /// Windows checked in parallel; 0 is one per core
    #[arg(long, value_name = "N", default_value = "0", value_parser = parse_jobs)]
    jobs: usize,
    /// Show the interleaving of every finding, not only of the first on each storage
    #[arg(long)]
    all: bool,
    /// Write the question behind each finding as a script, in windows too, where they are many and large
    #[arg(long, conflicts_with = "emit")]
    scripts: bool,
    #[command(flatten)]
    json: JsonOption,
    #[command(flatten)]
    sarif: SarifOption,
    #[command(flatten)]
    emit: EmitOption,
    #[command(flatten)]
    out: OutOption,
    #[command(flatten)]
    loudness: LoudnessOptions,
    #[command(flatten)]
    solver: SolverOptions,
}

#[derive(Debug, Serialize)]
pub(crate) struct AnalyzeConfig {
    pub(in crate::commands) traces: Vec<PathBuf>,
    pub(in crate::commands) checks: Vec<Property>,
    pub(in crate::commands) model: MemoryModel,
    pub(in crate::commands) windows: Windows,
    pub(in crate::commands) jobs: usize,
    pub(in crate::commands) all: bool,
    pub(in crate::commands) scripts: bool,
    pub(in crate::commands) solver: SolverConfig,
    pub(in crate::commands) json: Option<JsonTarget>,
    pub(in crate::commands) sarif: Option<PathBuf>,
    pub(in crate::commands) emit: Option<PathBuf>,
    pub(in crate::commands) out: PathBuf,
}

impl Invocation for AnalyzeArgs {
    const NAME: &'static str = "analyze";
    type Config = AnalyzeConfig;

    fn loudness(&self) -> Loudness {
        self.loudness.loudness()
    }

    fn json(&self) -> Option<&JsonTarget> {
        self.json.json.as_ref()
    }

    fn lower(self) -> anyhow::Result<AnalyzeConfig> {
        if self.sarif.sarif.is_some() && self.emit.emit.is_some() {
            return Err(advised(
                "with --emit nothing is decided, so there is nothing for --sarif",
                "leave one of them out",
            ));
        }
        Ok(AnalyzeConfig {
            traces: self.traces.into_iter().map(readable_file).collect::<anyhow::Result<_>>()?,
            checks: self.check.lower(),
            model: self.model,
            windows: Windows::of(self.window, self.overlap)?,
            jobs: self.jobs,
            all: self.all,
            scripts: self.scripts,
            solver: self.solver.lower()?,
            json: self.json.json,
            sarif: self.sarif.sarif,
            emit: self.emit.emit,
            out: self.out.out,
        })
    }

    fn run(config: AnalyzeConfig, console: &Console) -> anyhow::Result<Exit> {
        let Some(folder) = &config.emit else { return verdicts::run(&config, console) };
        let manifest = emit(&config, folder, console)?;
        if let Some(target) = &config.json {
            target.write(&manifest)?;
        }
        if !JsonTarget::takes_stdout(config.json.as_ref()) {
            console::print(listing(&manifest))?;
        }
        console.note(format_args!(
            "note: nothing is decided yet; `warpath solve {}` answers the scripts",
            folder.display()
        ));
        Ok(Exit::Clean)
    }
}

/// Writes one script per outcome that no trace has taken, and the manifest.
fn emit(config: &AnalyzeConfig, folder: &Path, console: &Console) -> anyhow::Result<FolderManifest> {
    let options = Options { model: config.model.into(), ..Options::default() };
    make_folder(folder)?;
    let mut scripts = Scripts::new(folder, config.model.name());
    for (number, path) in config.traces.iter().enumerate() {
        let source = Source { path: path.clone(), form: None, salvage: false };
        let loaded = source.load()?;
        for remark in loaded.remark.iter().cloned().chain(loaded.left_out()) {
            console.note(format_args!("note: {}: {remark}", path.display()));
        }
        let cannot = || format!("cannot analyse {}", path.display());
        let forest = Forest::of(&loaded.trace).with_context(cannot)?;
        for end in open_ends(&forest) {
            let (grown, node) = end.place(&forest);
            let forest = grown.as_ref().unwrap_or(&forest);
            let (script, meaning) = Question::at(forest, &end, node, options)
                .and_then(|mut q| q.script())
                .with_context(cannot)?;
            let file = script_name(config.traces.len(), number, path, &forest.name(node));
            console.detail(format_args!("{file}: {}", meaning.question));
            scripts.keep(file, Some(path.clone()), &script, meaning)?;
        }
    }
    scripts.finish()
}

/// The file of a question about an event of the `number`-th trace.
fn script_name(traces: usize, number: usize, trace: &Path, event: &str) -> String {
    let prefix = if traces > 1 { format!("{}-", number + 1) } else { String::new() };
    format!("{prefix}{}{}", stem(trace), script_ending(event))
}

/// How the name of a question about an event ends.
pub(super) fn script_ending(event: &str) -> String {
    format!("-{}.smt2", event.replace(['#', '~'], "-"))
}

/// The trace's name without endings; only characters that are harmless in file names.
fn stem(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let stem = name.split('.').next().unwrap_or_default();
    stem.chars().map(|c| if c.is_ascii_alphanumeric() || "-_".contains(c) { c } else { '_' }).collect()
}

fn listing(manifest: &FolderManifest) -> String {
    let width = manifest.scripts.iter().map(|entry| entry.file.len()).max().unwrap_or_default();
    manifest
        .scripts
        .iter()
        .map(|entry| format!("{:<width$}  {}\n", entry.file, entry.manifest.question))
        .collect()
}
