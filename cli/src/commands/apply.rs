//! `warpath apply`: answers of solvers become SI files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

use anyhow::Context;
use clap::Args;
use serde::{Deserialize, Serialize};
use warpath_analyzer::encode::Options;
use warpath_analyzer::model::Forest;
use warpath_analyzer::queries::{Question, open_ends};
use warpath_solvers::solve::{AnswerFile, Recorded, answer_path};
use warpath_solvers::term::Value;
use warpath_trace::si::Si;

use super::analyze::{Runs, script_ending};
use crate::app::Invocation;
use crate::console::{self, Console};
use crate::exit::Exit;
use crate::failure::advised;
use crate::inputs::{cannot_read, folder};
use crate::json::JsonTarget;
use crate::options::{JsonOption, Loudness, LoudnessOptions, OutOption};
use crate::outputs::{make_folder, replace_file};
use crate::scripts::MANIFEST;
use crate::traces::Source;

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

    fn run(config: ApplyConfig, console: &Console) -> anyhow::Result<Exit> {
        let manifest = FolderManifest::read(&config.folder)?;
        let mut applied = Vec::new();
        let mut forests: BTreeMap<PathBuf, (Forest, Runs)> = BTreeMap::new();
        for entry in &manifest.scripts {
            if !forests.contains_key(&entry.trace) {
                let source = Source { path: entry.trace.clone(), form: None, salvage: false };
                let run = [(entry.trace.display().to_string(), source.load()?.trace)];
                let forest = Forest::of(&run[0].1)
                    .with_context(|| format!("cannot analyse {}", entry.trace.display()))?;
                forests.insert(entry.trace.clone(), (forest, Runs::of(&run)));
            }
            let one = apply(&config, &manifest, entry, &forests[&entry.trace])?;
            console.detail(format_args!("{}: {}", one.file, one.answer));
            applied.push(one);
        }
        if let Some(target) = &config.json {
            target.write(&Results { format: "warpath.apply/1", scripts: &applied })?;
        }
        if !JsonTarget::takes_stdout(config.json.as_ref()) {
            console::print(listing(&applied))?;
        }
        Ok(if applied.iter().any(|one| one.si.is_some()) {
            Exit::Found
        } else if applied.iter().all(|one| one.answer == "unsat") {
            Exit::Clean
        } else {
            Exit::Unknown
        })
    }
}

/// What `--emit` wrote about its folder, as far as it is needed here.
#[derive(Debug, Deserialize)]
struct FolderManifest {
    format: String,
    model: warpath_trace::header::MemoryModel,
    scripts: Vec<Entry>,
}

#[derive(Debug, Deserialize)]
struct Entry {
    file: String,
    trace: PathBuf,
    question: String,
}

impl FolderManifest {
    fn read(folder: &Path) -> anyhow::Result<FolderManifest> {
        let path = folder.join("manifest.json");
        let text = fs::read_to_string(&path).map_err(|error| cannot_read(&path, error))?;
        let manifest: FolderManifest =
            serde_json::from_str(&text).with_context(|| format!("{} is not a manifest", path.display()))?;
        if manifest.format != MANIFEST {
            return Err(advised(
                format!("{} says it is `{}`, not `{MANIFEST}`", path.display(), manifest.format),
                "write the folder again with `warpath analyze --emit`",
            ));
        }
        Ok(manifest)
    }
}

/// `warpath.apply/1`.
#[derive(Debug, Serialize)]
struct Results<'a> {
    format: &'static str,
    scripts: &'a [Applied],
}

/// What came of one script.
#[derive(Debug, Serialize)]
struct Applied {
    file: String,
    answer: &'static str,
    si: Option<String>,
}

fn apply(
    config: &ApplyConfig,
    manifest: &FolderManifest,
    entry: &Entry,
    (forest, runs): &(Forest, Runs),
) -> anyhow::Result<Applied> {
    let script = config.folder.join(&entry.file);
    let answers = answer_path(&script);
    let mut applied = Applied { file: entry.file.clone(), answer: "none", si: None };
    let text = match fs::read_to_string(&answers) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(applied),
        Err(error) => return Err(cannot_read(&answers, error)),
    };
    let answered =
        AnswerFile::parse(&text).with_context(|| format!("{} is not an answer file", answers.display()))?;
    let values = answered.answers.iter().find_map(|answer| match answer {
        Recorded::Values(values) => Some(values),
        _ => None,
    });
    applied.answer = match answered.answers.first() {
        Some(Recorded::Sat(_)) => "sat",
        Some(Recorded::Unsat) => "unsat",
        _ => "unknown",
    };
    if let ("sat", Some(values)) = (applied.answer, values) {
        let mut si = schedule(manifest, entry, forest, values)
            .with_context(|| format!("cannot use {}", answers.display()))?;
        runs.complete(&mut si);
        si.origin.trace = entry.trace.display().to_string();
        si.origin.query = entry.question.clone();
        si.origin.solver = answered.solver;
        make_folder(&config.out)?;
        let path = config.out.join(entry.file.replace(".smt2", ".si.toml"));
        let printed = si.print()?;
        replace_file(&path, |out| Ok(out.write_all(printed.as_bytes())?))?;
        applied.si = Some(path.display().to_string());
    }
    Ok(applied)
}

/// The question that a script asks is found again by its words: the same trace gives the same questions.
fn schedule(
    manifest: &FolderManifest,
    entry: &Entry,
    forest: &Forest,
    values: &[(String, Value)],
) -> anyhow::Result<Si> {
    let options = Options { model: manifest.model, ..Options::default() };
    for end in open_ends(forest) {
        let (grown, node) = end.place(forest);
        let forest = grown.as_ref().unwrap_or(forest);
        if !entry.file.ends_with(&script_ending(&forest.name(node))) {
            continue;
        }
        let mut question = Question::at(forest, &end, node, options)?;
        if question.description() == entry.question {
            let (execution, _) = question.answered(values)?;
            return Ok(execution.si(forest, manifest.model));
        }
    }
    Err(advised(
        "the trace does not raise this question",
        "the trace has changed since the script was written: write the folder again with `warpath analyze --emit`",
    ))
}

fn listing(applied: &[Applied]) -> String {
    let width = applied.iter().map(|one| one.file.len()).max().unwrap_or_default();
    let line = |one: &Applied| {
        format!("{:<width$}  {:<7}  {}\n", one.file, one.answer, one.si.as_deref().unwrap_or(""))
            .replace("  \n", "\n")
    };
    applied.iter().map(line).collect()
}
