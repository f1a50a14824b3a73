//! What a triage came to, for machines (`warpath.triage/1`) and for all other forms of the report.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde::Serialize;
use serde_json::{Map, Value};
use warpath_analyzer::effect::Effect;

use super::super::analyze::Used;
use super::entry::{Class, Examined, Open, Part, Verdict};
use super::groups::{Group, groups};
use super::journal::Line;
use super::task::Task;
use crate::exit::Exit;
use crate::options::{MemoryModel, Property};
use crate::outputs::make_folder;

/// `warpath.triage/1`.
#[derive(Debug, Serialize)]
pub(super) struct Results<'a> {
    format: &'static str,
    pub(super) folders: &'a [PathBuf],
    checks: &'a [Property],
    model: MemoryModel,
    pub(super) solver: &'a str,
    /// `OBSERVED`, `PREDICTED`, `NONE` or `UNKNOWN`.
    pub(super) verdict: &'static str,
    pub(super) counts: Counts,
    pub(super) groups: Vec<Cause<'a>>,
    pub(super) traces: Vec<Outcome<'a>>,
}

/// How many traces, by what became of them.
#[derive(Debug, Default, Serialize)]
pub(super) struct Counts {
    pub(super) traces: usize,
    /// Analysed, with every question answered.
    pub(super) analysed: usize,
    /// Analysed, with questions left.
    pub(super) undecided: usize,
    pub(super) unreadable: usize,
    pub(super) failed: usize,
    /// Not looked at: the command was stopped, or a cluster lost them.
    pub(super) open: usize,
    /// Events of those that were analysed.
    pub(super) events: u64,
}

/// A group of findings.
#[derive(Debug, Serialize)]
pub(super) struct Cause<'a> {
    /// From 1.
    pub(super) rank: usize,
    pub(super) class: Class,
    pub(super) kind: &'a str,
    pub(super) verdict: Verdict,
    pub(super) message: &'a str,
    pub(super) reason: &'a str,
    pub(super) storage: Option<&'a str>,
    pub(super) positions: Vec<&'a str>,
    pub(super) events: Vec<Shown<'a>>,
    pub(super) effect: Option<&'a Effect>,
    pub(super) inputs: &'a Map<String, Value>,
    /// Traces that show it.
    pub(super) count: usize,
    /// Of these, how many ended so.
    pub(super) observed: usize,
    pub(super) programs: Vec<&'a str>,
    /// The trace that shows it best.
    pub(super) trace: &'a Path,
    pub(super) si: String,
    pub(super) script: Option<String>,
    pub(super) traces: Vec<&'a Path>,
    #[serde(skip)]
    pub(super) fingerprint: String,
}

/// An event of a cause.
#[derive(Debug, Serialize)]
pub(super) struct Shown<'a> {
    #[serde(rename = "where")]
    pub(super) place: &'a str,
    pub(super) thread: &'a str,
    pub(super) role: &'a str,
}

/// What became of a trace.
#[derive(Debug, Serialize)]
pub(super) struct Outcome<'a> {
    pub(super) trace: &'a Path,
    /// `analysed`, `undecided`, `unreadable`, `failed` or `open`.
    pub(super) status: &'static str,
    /// Why, if it was not analysed.
    pub(super) reason: Option<&'a str>,
    pub(super) program: Option<&'a str>,
    pub(super) events: Option<u64>,
    pub(super) threads: Option<usize>,
    windows: Option<Used>,
    pub(super) remarks: &'a [String],
    /// The ranks of the causes that it shows.
    pub(super) causes: Vec<usize>,
    pub(super) unanswered: &'a [Open],
}

impl<'a> Results<'a> {
    /// Puts together what is known of each trace; `None` is a trace that was not looked at. The files of the traces that
    /// show each cause best are copied into the folder `groups`.
    pub(super) fn of(
        folders: &'a [PathBuf],
        task: &'a Task,
        traces: &'a [PathBuf],
        lines: &'a [Line],
    ) -> anyhow::Result<Results<'a>> {
        let groups = groups(lines);
        let kept = Exemplars::begin(&task.out)?;
        let mut causes = Vec::new();
        for (n, group) in groups.iter().enumerate() {
            causes.push(kept.cause(n + 1, group)?);
        }
        kept.finish()?;
        let mut ranks: HashMap<&Path, Vec<usize>> = HashMap::new();
        for (rank, group) in (1..).zip(&groups) {
            for (line, _) in &group.members {
                ranks.entry(&line.trace).or_default().push(rank);
            }
        }
        let outcomes: Vec<Outcome<'a>> = traces.iter().map(|trace| outcome(trace, lines, &ranks)).collect();
        let counts = Counts::of(&outcomes);
        let verdict = match (causes.first(), counts.analysed == counts.traces) {
            (Some(_), _) if causes.iter().any(|cause| cause.verdict == Verdict::Observed) => "OBSERVED",
            (Some(_), _) => "PREDICTED",
            (None, true) => "NONE",
            (None, false) => "UNKNOWN",
        };
        Ok(Results {
            format: "warpath.triage/1",
            folders,
            checks: &task.checks,
            model: task.model,
            solver: &task.solvers,
            verdict,
            counts,
            groups: causes,
            traces: outcomes,
        })
    }

    /// The exit code.
    pub(super) fn exit(&self) -> Exit {
        match self.verdict {
            "NONE" => Exit::Clean,
            "UNKNOWN" => Exit::Unknown,
            _ => Exit::Found,
        }
    }
}

impl Counts {
    fn of(outcomes: &[Outcome<'_>]) -> Counts {
        let mut counts = Counts { traces: outcomes.len(), ..Counts::default() };
        for outcome in outcomes {
            match outcome.status {
                "analysed" => counts.analysed += 1,
                "undecided" => counts.undecided += 1,
                "unreadable" => counts.unreadable += 1,
                "failed" => counts.failed += 1,
                _ => counts.open += 1,
            }
            counts.events += outcome.events.unwrap_or(0);
        }
        counts
    }
}

fn outcome<'a>(trace: &'a Path, lines: &'a [Line], ranks: &HashMap<&Path, Vec<usize>>) -> Outcome<'a> {
    let mut outcome = Outcome {
        trace,
        status: "open",
        reason: None,
        program: None,
        events: None,
        threads: None,
        windows: None,
        remarks: &[],
        causes: Vec::new(),
        unanswered: &[],
    };
    let Ok(found) = lines.binary_search_by(|line| line.trace.as_path().cmp(trace)) else { return outcome };
    match &lines[found].examined {
        Examined::Analysed(analysis) => {
            outcome.status = if analysis.unanswered.is_empty() { "analysed" } else { "undecided" };
            outcome.program = Some(&analysis.program);
            outcome.events = Some(analysis.events);
            outcome.threads = Some(analysis.threads);
            outcome.windows = analysis.windows;
            outcome.remarks = &analysis.remarks;
            outcome.unanswered = &analysis.unanswered;
        }
        Examined::Unreadable { reason } => {
            (outcome.status, outcome.reason) = ("unreadable", Some(reason.as_str()))
        }
        Examined::Failed { reason } => (outcome.status, outcome.reason) = ("failed", Some(reason.as_str())),
    }
    outcome.causes = ranks.get(trace).cloned().unwrap_or_default();
    outcome
}

/// The folder with the files of the traces that show causes best; made anew each time, since ranks change.
struct Exemplars<'a> {
    out: &'a Path,
    partial: PathBuf,
}

impl<'a> Exemplars<'a> {
    fn begin(out: &'a Path) -> anyhow::Result<Exemplars<'a>> {
        let partial = out.join("groups.partial");
        remove(&partial)?;
        make_folder(&partial)?;
        Ok(Exemplars { out, partial })
    }

    fn cause<'g>(&self, rank: usize, group: &Group<'g>) -> anyhow::Result<Cause<'g>> {
        let (line, seen) = group.exemplar();
        let name = format!("{rank}-{}", group.kind.replace(' ', "-"));
        let copy = |from: &str, end: &str| -> anyhow::Result<String> {
            let name = format!("{name}.{end}");
            let from = self.out.join(from);
            std::fs::copy(&from, self.partial.join(&name))
                .with_context(|| format!("cannot copy {}", from.display()))?;
            Ok(self.out.join("groups").join(name).display().to_string())
        };
        let event = |part: &'g Part| Shown { place: &part.place, thread: &part.thread, role: &part.role };
        Ok(Cause {
            rank,
            class: group.class,
            kind: group.kind,
            verdict: group.verdict(),
            message: &seen.message,
            reason: &seen.reason,
            storage: seen.storage.as_deref(),
            positions: group.positions.clone(),
            events: seen.parts.iter().map(event).collect(),
            effect: seen.effect.as_ref(),
            inputs: &seen.inputs,
            count: group.members.len(),
            observed: group.observed(),
            programs: group.programs.clone(),
            trace: &line.trace,
            si: copy(&seen.si, "si.toml")?,
            script: seen.script.as_ref().map(|script| copy(script, "smt2")).transpose()?,
            traces: group.members.iter().map(|(line, _)| line.trace.as_path()).collect(),
            fingerprint: group.fingerprint(),
        })
    }

    fn finish(self) -> anyhow::Result<()> {
        let folder = self.out.join("groups");
        remove(&folder)?;
        std::fs::rename(&self.partial, &folder).with_context(|| format!("cannot make {}", folder.display()))
    }
}

fn remove(folder: &Path) -> anyhow::Result<()> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", folder.display()))
        }
        _ => Ok(()),
    }
}
