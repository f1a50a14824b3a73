//! The properties of recorded runs: findings, each with a schedule and inputs.

use std::path::PathBuf;

use anyhow::Context;
use serde::Serialize;
use warpath_analyzer::findings::{
    CheckOptions, Involved, Property as Checked, PropertyResult, Unanswered, check,
};
use warpath_analyzer::model::Forest;
use warpath_analyzer::window::{OpenSolvers, Summary};
use warpath_solvers::{CancelToken, ResolvedChoice, Solvers};
use warpath_trace::trace::Trace;

use super::AnalyzeConfig;
use super::files::{Files, Kept, Runs, keep_script};
use super::text::text;
use super::windows::{self, Used};
use crate::console::{self, Console};
use crate::exit::Exit;
use crate::interrupt::Interrupt;
use crate::json::JsonTarget;
use crate::present::{Side, inputs, sarif};
use crate::solvers::{formula, resolve, solvers};
use crate::traces::Source;

/// `warpath.analyze/1`.
#[derive(Debug, Serialize)]
struct Results<'a> {
    format: &'static str,
    traces: &'a [PathBuf],
    model: &'static str,
    solver: String,
    nodes: usize,
    windows: Option<Used>,
    verdict: &'static str,
    properties: &'a [PropertyResult],
    findings: Vec<Shown<'a>>,
    unanswered: &'a [Unanswered],
}

#[derive(Debug, Serialize)]
struct Shown<'a> {
    verdict: &'static str,
    property: Checked,
    kind: &'static str,
    storage: Option<&'a str>,
    message: &'a str,
    reason: &'a str,
    events: &'a [Involved],
    si: &'a str,
    script: Option<&'a str>,
}

impl<'a> From<&'a Kept> for Shown<'a> {
    fn from(Kept { finding, si, script, .. }: &'a Kept) -> Self {
        Shown {
            verdict: "PREDICTED",
            property: finding.property,
            kind: finding.kind.name(),
            storage: finding.storage.as_deref(),
            message: &finding.summary,
            reason: &finding.reason,
            events: &finding.events,
            si,
            script: script.as_deref(),
        }
    }
}

/// What is asked, and of whom.
pub(super) struct Asking<'a> {
    pub(super) options: &'a CheckOptions,
    pub(super) properties: &'a [Checked],
    pub(super) open: &'a OpenSolvers<'a>,
    pub(super) runs: &'a Runs,
}

/// What a check came to.
#[derive(Debug, Default)]
pub(in crate::commands) struct Outcome {
    /// Events of all threads, merged; in windows, of all of them.
    pub(in crate::commands) nodes: usize,
    pub(in crate::commands) windows: Option<Used>,
    pub(in crate::commands) properties: Vec<PropertyResult>,
    pub(in crate::commands) findings: Vec<Kept>,
    pub(in crate::commands) unanswered: Vec<Unanswered>,
}

impl Outcome {
    /// Adds what the windows of a trace came to.
    pub(super) fn add(&mut self, summary: Summary) {
        self.nodes += summary.nodes;
        self.unanswered.extend(summary.unanswered);
        if let Some(used) = &mut self.windows {
            used.checked += summary.checked;
        }
        if self.properties.is_empty() {
            self.properties = summary.properties;
            return;
        }
        for (sum, result) in self.properties.iter_mut().zip(&summary.properties) {
            sum.add(result);
        }
    }
}

/// Who is asked, and until when.
pub(in crate::commands) struct Asked<'a> {
    pub(in crate::commands) solvers: &'a Solvers,
    pub(in crate::commands) resolved: &'a ResolvedChoice,
    pub(in crate::commands) cancel: CancelToken,
    /// Are failures that the traces end with findings?
    pub(in crate::commands) recorded: bool,
    /// Are questions kept as scripts where a trace is checked at once?
    pub(in crate::commands) scripts: bool,
}

/// Checks the properties of traces of one program, at once or window by window.
pub(in crate::commands) fn examine(
    config: &AnalyzeConfig,
    traces: &[(String, Trace)],
    asked: &Asked<'_>,
    console: &Console,
) -> anyhow::Result<Outcome> {
    let plan = config.windows.plan(traces, config.model.into(), console)?;
    let options = CheckOptions {
        formula: formula(config.model.into(), asked.resolved),
        timeout: Some(config.solver.timeout),
        cancel: asked.cancel.clone(),
        recorded: asked.recorded,
        scripts: (plan.is_none() && asked.scripts) || config.scripts,
        ..CheckOptions::default()
    };
    let properties: Vec<Checked> = config.checks.iter().flat_map(|property| property.checked()).collect();
    let open = || Ok(asked.resolved.open(asked.solvers));
    let runs = Runs::of(traces);
    let asking = Asking { options: &options, properties: &properties, open: &open, runs: &runs };
    match plan {
        Some(plan) => windows::run(config, &plan, &asking, console),
        None => whole(config, traces, &asking),
    }
}

/// Checks the properties and reports.
pub(super) fn run(config: &AnalyzeConfig, console: &Console) -> anyhow::Result<Exit> {
    let cancel = CancelToken::default();
    let stop = cancel.clone();
    let interrupt = Interrupt::listen(move || stop.cancel())?;
    let traces = load(config, console)?;
    let solvers = solvers()?;
    let resolved = resolve(&solvers, &config.solver)?;
    let asked = Asked { solvers: &solvers, resolved: &resolved, cancel, recorded: true, scripts: true };
    let outcome = examine(config, &traces, &asked, console)?;
    let answered = outcome.unanswered.is_empty() && !interrupt.asked();
    let verdict = match (outcome.findings.is_empty(), answered) {
        (false, _) => "PREDICTED",
        (true, true) => "NONE",
        (true, false) => "UNKNOWN",
    };
    if let Some(target) = &config.json {
        target.write(&Results {
            format: "warpath.analyze/1",
            traces: &config.traces,
            model: config.model.name(),
            solver: resolved.open(&solvers).describe(),
            nodes: outcome.nodes,
            windows: outcome.windows,
            verdict,
            properties: &outcome.properties,
            findings: outcome.findings.iter().map(Shown::from).collect(),
            unanswered: &outcome.unanswered,
        })?;
    }
    if !JsonTarget::takes_stdout(config.json.as_ref()) {
        console::report(&text(&outcome, config.all))?;
    }
    let exit = match verdict {
        "PREDICTED" => Exit::Found,
        "NONE" => Exit::Clean,
        _ => Exit::Unknown,
    };
    if let Some(path) = &config.sarif {
        let found: Vec<sarif::Found> = outcome.findings.iter().map(sarif_result).collect();
        sarif::write(path, &found, exit)?;
    }
    Ok(exit)
}

fn sarif_result(Kept { finding, si, script, .. }: &Kept) -> sarif::Found {
    let (kind, places) = finding.key();
    let kind = kind.word();
    let side = |event: &Involved| Side {
        place: event.place.clone(),
        thread: event.thread.clone(),
        role: event.role.clone(),
    };
    let properties = [
        ("verdict", "PREDICTED".into()),
        ("reason", finding.reason.clone().into()),
        ("inputs", inputs::values(&finding.si.inputs).into()),
        ("si", si.clone().into()),
        ("script", script.clone().into()),
    ];
    sarif::Found {
        fingerprint: format!("{kind} at {}", places.join(", ")),
        kind,
        level: sarif::Level::Warning,
        message: finding.summary.clone(),
        sides: finding.events.iter().map(side).collect(),
        steps: sarif::steps(&finding.si),
        properties: properties.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
    }
}

fn load(config: &AnalyzeConfig, console: &Console) -> anyhow::Result<Vec<(String, Trace)>> {
    let mut traces = Vec::new();
    for path in &config.traces {
        let source = Source { path: path.clone(), form: None, salvage: false };
        let loaded = source.load()?;
        for remark in loaded.remark.iter().cloned().chain(loaded.left_out()) {
            console.note(format_args!("note: {}: {remark}", path.display()));
        }
        traces.push((path.display().to_string(), loaded.trace));
    }
    Ok(traces)
}

/// Checks all traces together, in one forest.
fn whole(config: &AnalyzeConfig, traces: &[(String, Trace)], asking: &Asking<'_>) -> anyhow::Result<Outcome> {
    let names: Vec<String> = traces.iter().map(|(path, _)| path.clone()).collect();
    let names = names.join(", ");
    let mut forest = Forest::new();
    for (path, trace) in traces {
        forest.merge(trace).with_context(|| format!("cannot analyse {path}"))?;
    }
    let report = check(&forest, asking.options, asking.properties, &mut || (asking.open)());
    let report = report.map_err(|error| keep_script(config, error))?;
    let mut files = Files::new(config, asking.runs);
    for finding in report.findings {
        let si = finding.si.clone();
        files.keep(finding, 0, si, &names)?;
    }
    Ok(Outcome {
        nodes: forest.nodes().len(),
        windows: None,
        properties: report.properties,
        findings: files.finish(),
        unanswered: report.unanswered,
    })
}
