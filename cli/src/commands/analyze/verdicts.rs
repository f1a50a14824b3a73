//! The properties of recorded runs: findings, each with a schedule and inputs.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::Context;
use serde::Serialize;
use warpath_analyzer::encode::Options;
use warpath_analyzer::findings::{
    CheckError, CheckOptions, Finding, Property as Checked, PropertyResult, Report, Standing, Unanswered,
    check,
};
use warpath_analyzer::model::Forest;
use warpath_solvers::{CancelToken, SolverChoice};

use super::AnalyzeConfig;
use super::interleaving::table;
use crate::console::{self, Console};
use crate::exit::Exit;
use crate::interrupt::Interrupt;
use crate::json::JsonTarget;
use crate::options::Property;
use crate::outputs::replace_file;
use crate::solvers::solvers;
use crate::traces::Source;

/// `warpath.analyze/1`.
#[derive(Debug, Serialize)]
struct Results<'a> {
    format: &'static str,
    traces: Vec<String>,
    model: &'static str,
    solver: String,
    nodes: usize,
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
    message: &'a str,
    reason: &'a str,
    events: &'a [warpath_analyzer::findings::Involved],
    si: String,
    script: String,
}

/// Checks the properties and reports.
pub(super) fn run(config: &AnalyzeConfig, console: &Console) -> anyhow::Result<Exit> {
    let cancel = CancelToken::default();
    let stop = cancel.clone();
    let interrupt = Interrupt::listen(move || stop.cancel())?;
    let forest = forest(config, console)?;
    let solvers = solvers()?;
    let choice =
        SolverChoice { name: config.solver.name.clone(), cross_check: config.solver.cross_check.clone() };
    let mut resolved = solvers.resolve(&choice)?;
    if let Some(bytes) = config.solver.memory {
        resolved = resolved.with_memory_limit(bytes.div_ceil(1 << 20));
    }
    let solver = resolved.open(&solvers).describe();
    let options = CheckOptions {
        formula: Options { model: config.model.into(), ..Options::default() },
        timeout: Some(config.solver.timeout),
        cancel,
        ..CheckOptions::default()
    };
    let properties: Vec<Checked> = config.checks.iter().flat_map(|property| checked(*property)).collect();
    let report = check(&forest, &options, &properties, &mut || Ok(resolved.open(&solvers)));
    let report = report.map_err(|error| keep_script(config, error))?;

    let files = write_files(config, &report)?;
    let verdict = match (report.findings.is_empty(), report.unanswered.is_empty() && !interrupt.asked()) {
        (false, _) => "PREDICTED",
        (true, true) => "NONE",
        (true, false) => "UNKNOWN",
    };
    if let Some(target) = &config.json {
        let shown = report.findings.iter().zip(&files).map(|(finding, (si, script))| Shown {
            verdict: "PREDICTED",
            property: finding.property,
            kind: finding.kind.name(),
            message: &finding.summary,
            reason: &finding.reason,
            events: &finding.events,
            si: si.clone(),
            script: script.clone(),
        });
        target.write(&Results {
            format: "warpath.analyze/1",
            traces: config.traces.iter().map(|path| path.display().to_string()).collect(),
            model: config.model.name(),
            solver,
            nodes: forest.nodes().len(),
            verdict,
            properties: &report.properties,
            findings: shown.collect(),
            unanswered: &report.unanswered,
        })?;
    }
    if !JsonTarget::takes_stdout(config.json.as_ref()) {
        console::print(text(&report, &files))?;
    }
    Ok(match verdict {
        "PREDICTED" => Exit::Found,
        "NONE" => Exit::Clean,
        _ => Exit::Unknown,
    })
}

/// All traces in one forest.
fn forest(config: &AnalyzeConfig, console: &Console) -> anyhow::Result<Forest> {
    let mut forest = Forest::new();
    for path in &config.traces {
        let source = Source { path: path.clone(), form: None, salvage: false };
        let loaded = source.load()?;
        if let Some(remark) = &loaded.remark {
            console.note(format_args!("note: {}: {remark}", path.display()));
        }
        forest.merge(&loaded.trace).with_context(|| format!("cannot analyse {}", path.display()))?;
    }
    Ok(forest)
}

fn checked(property: Property) -> Vec<Checked> {
    match property {
        Property::Assertion => vec![Checked::Assertion],
        Property::Crash => vec![Checked::Crash],
        Property::Deadlock => vec![Checked::Deadlock],
        Property::Race => vec![Checked::Race],
        Property::Atomicity => vec![Checked::Atomicity, Checked::Order],
        Property::UseAfterFree => vec![Checked::UseAfterFree],
    }
}

/// An answer that cannot be executed is a bug of ours: the script is what shows it.
fn keep_script(config: &AnalyzeConfig, error: CheckError) -> anyhow::Error {
    let CheckError::Bug { script, .. } = &error else { return error.into() };
    let path = config.out.join("warpath-bug.smt2");
    let kept = fs::create_dir_all(&config.out)
        .map_err(anyhow::Error::from)
        .and_then(|()| replace_file(&path, |out| Ok(out.write_all(script.as_bytes())?)));
    let text = match kept {
        Ok(()) => format!("the script is in {}", path.display()),
        Err(why) => format!("the script could not be kept: {why:#}"),
    };
    anyhow::Error::from(error).context(text)
}

/// The SI file and the script of each finding.
fn write_files(config: &AnalyzeConfig, report: &Report) -> anyhow::Result<Vec<(String, String)>> {
    if report.findings.is_empty() {
        return Ok(Vec::new());
    }
    let folder = &config.out;
    fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    let mut files = Vec::new();
    for (finding, number) in report.findings.iter().zip(1..) {
        let name = format!("{}-{number}", finding.kind.name().replace(' ', "-"));
        let si = folder.join(format!("{name}.si.toml"));
        let script = folder.join(format!("{name}.smt2"));
        let mut content = finding.si.clone();
        content.origin.trace =
            config.traces.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ");
        content.origin.query = finding.summary.clone();
        let printed = content.print()?;
        write(&si, &printed)?;
        write(&script, &finding.script)?;
        files.push((si.display().to_string(), script.display().to_string()));
    }
    Ok(files)
}

fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    replace_file(path, |out| Ok(out.write_all(text.as_bytes())?))
}

fn text(report: &Report, files: &[(String, String)]) -> String {
    let mut text = String::new();
    for (finding, (si, script)) in report.findings.iter().zip(files) {
        show(&mut text, finding, si, script);
    }
    for unanswered in &report.unanswered {
        let _ = writeln!(
            text,
            "UNKNOWN {}: {} ({})\n",
            unanswered.property.name(),
            unanswered.question,
            unanswered.reason
        );
    }
    for result in &report.properties {
        let statistics = &result.statistics;
        let standing = match result.standing {
            Standing::Predicted => "PREDICTED",
            Standing::None => "none",
            Standing::Unknown => "UNKNOWN",
        };
        let filtered: u64 = statistics.filtered.values().sum();
        let _ = writeln!(
            text,
            "{:<15} {standing:<10} {} candidates, {filtered} ruled out at once, {} questions",
            result.property.name(),
            statistics.candidates,
            statistics.queries
        );
    }
    text
}

fn show(text: &mut String, finding: &Finding, si: &str, script: &str) {
    let _ = writeln!(text, "PREDICTED {}: {}", finding.kind.name(), finding.summary);
    for event in &finding.events {
        let _ = writeln!(text, "  --> {} {} {}", event.place, event.thread, event.role);
    }
    if !finding.si.inputs.is_empty() {
        let input = |input: &warpath_trace::si::InputValue| match input.nth {
            0 => format!("{} = {}", input.name, input.value),
            nth => format!("{}#{nth} = {}", input.name, input.value),
        };
        let inputs: Vec<String> = finding.si.inputs.iter().map(input).collect();
        let _ = writeln!(text, "  inputs: {}", inputs.join(", "));
    }
    let _ = write!(text, "\n{}\n", table(&finding.si));
    let _ = writeln!(text, "  why: {}", finding.reason);
    let _ = writeln!(text, "  schedule and inputs: {si}");
    let _ = writeln!(text, "  asked as: {script}\n");
}
