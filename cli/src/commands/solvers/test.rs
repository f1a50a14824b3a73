//! `warpath solvers test`.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use serde::Serialize;
use warpath_solvers::selftest::{self, ItemResult, Outcome, Report};
use warpath_solvers::{FindError, FoundSolver, Solvers};

use crate::console::{self, Console};
use crate::exit::Exit;
use crate::failure::advised;
use crate::json::JsonTarget;
use crate::options::{JsonOption, LoudnessOptions, whole_millis};
use crate::progress::Progress;
use crate::solvers::solvers;

/// Ask each solver one small question per ability, and check the answers
///
/// Satisfiable and unsatisfiable formulas, values of every sort, push and pop, assumptions, cores, soft constraints,
/// odd names, the deadline, a restart: whatever the solver's configuration claims must really work.
#[derive(Args, Debug)]
#[command(after_long_help = "\
Examples:
  warpath solvers test               every solver that is here
  warpath solvers test z3 yices -v   these two, item by item

Exit codes:
  0  every solver that was tested works
  2  one does not, or one that was named is not here, or none is")]
pub(super) struct TestArgs {
    /// Solvers to test [default: all that are here]
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    #[command(flatten)]
    pub(super) json: JsonOption,
    #[command(flatten)]
    pub(super) loudness: LoudnessOptions,
}

#[derive(Debug, Serialize)]
pub(crate) struct TestConfig {
    names: Vec<String>,
    json: Option<JsonTarget>,
}

impl TestArgs {
    pub(super) fn lower(self) -> TestConfig {
        TestConfig { names: self.names, json: self.json.json }
    }
}

/// `warpath.solvers-test/1`
#[derive(Serialize)]
struct TestReport {
    format: &'static str,
    passed: bool,
    solvers: Vec<Tested>,
    missing: Vec<Missing>,
}

#[derive(Serialize)]
struct Tested {
    name: String,
    version: String,
    program: PathBuf,
    passed: bool,
    #[serde(serialize_with = "whole_millis")]
    time_ms: Duration,
    items: Vec<Item>,
}

#[derive(Serialize)]
struct Item {
    item: &'static str,
    outcome: &'static str,
    detail: Option<String>,
    #[serde(serialize_with = "whole_millis")]
    time_ms: Duration,
}

#[derive(Serialize)]
struct Missing {
    name: String,
    problem: String,
}

pub(super) fn run(config: &TestConfig, console: &Console) -> anyhow::Result<Exit> {
    let solvers = solvers()?;
    let (found, missing) = chosen(&solvers, &config.names)?;
    let progress = Progress::start(console, "solvers", found.len() as u64);
    let tested: Vec<Tested> = found
        .iter()
        .map(|solver| {
            console.detail(format_args!("testing {solver} ({})", solver.program.display()));
            let report = selftest::run(solver, &solvers, |item| {
                console.detail(format_args!("{}: {}", solver.config.name, line(item)));
            });
            progress.step(&solver.config.name);
            tested(&report)
        })
        .collect();
    drop(progress);

    let report = TestReport {
        format: "warpath.solvers-test/1",
        passed: tested.iter().all(|solver| solver.passed),
        solvers: tested,
        missing,
    };
    if let Some(target) = &config.json {
        target.write(&report)?;
    }
    if !JsonTarget::takes_stdout(config.json.as_ref()) {
        console::print(summary(&report))?;
    }
    Ok(if report.passed { Exit::Clean } else { Exit::Trouble })
}

/// The solvers to test. Those that were named must be here; without names, whatever is here is tested.
fn chosen(solvers: &Solvers, names: &[String]) -> anyhow::Result<(Vec<FoundSolver>, Vec<Missing>)> {
    if !names.is_empty() {
        let found: Result<_, FindError> = names.iter().map(|name| solvers.find(name)).collect();
        return Ok((found?, Vec::new()));
    }
    let (mut found, mut missing) = (Vec::new(), Vec::new());
    for config in solvers.catalog().solvers() {
        match solvers.find(&config.name) {
            Ok(solver) => found.push(solver),
            Err(problem) => missing.push(Missing { name: config.name.clone(), problem: problem.to_string() }),
        }
    }
    if found.is_empty() {
        return Err(advised("no solver is here", "run scripts/setup, or `warpath solvers install z3`"));
    }
    Ok((found, missing))
}

fn tested(report: &Report) -> Tested {
    let item = |result: &ItemResult| {
        let (outcome, detail) = outcome(&result.outcome);
        Item { item: result.item, outcome, detail, time_ms: result.duration }
    };
    Tested {
        name: report.solver.config.name.clone(),
        version: report.solver.version.to_string(),
        program: report.solver.program.clone(),
        passed: report.passed(),
        time_ms: report.items.iter().map(|item| item.duration).sum(),
        items: report.items.iter().map(item).collect(),
    }
}

fn outcome(outcome: &Outcome) -> (&'static str, Option<String>) {
    match outcome {
        Outcome::Passed => ("passed", None),
        Outcome::NotClaimed => ("not-claimed", None),
        Outcome::Failed(fault) => ("failed", Some(fault.clone())),
        // The library may learn new outcomes; what we do not know is no success.
        other => ("failed", Some(format!("{other:?}"))),
    }
}

fn line(result: &ItemResult) -> String {
    let (outcome, detail) = outcome(&result.outcome);
    let detail = detail.map(|detail| format!(": {detail}")).unwrap_or_default();
    format!("{} {outcome}{detail} ({} ms)", result.item, result.duration.as_millis())
}

fn summary(report: &TestReport) -> String {
    let mut text = String::new();
    for solver in &report.solvers {
        let count = |outcome| solver.items.iter().filter(|item| item.outcome == outcome).count();
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{:<10} {:<8} {}   {} passed, {} failed, {} not claimed   {:.1} s",
            solver.name,
            solver.version,
            if solver.passed { "ok    " } else { "FAILED" },
            count("passed"),
            count("failed"),
            count("not-claimed"),
            solver.time_ms.as_secs_f64(),
        );
        for item in solver.items.iter().filter(|item| item.outcome == "failed") {
            let _ = writeln!(text, "  {}: {}", item.item, item.detail.as_deref().unwrap_or("failed"));
        }
    }
    for missing in &report.missing {
        let _ = writeln!(text, "{:<10} {:<8} not tested: {}", missing.name, "-", missing.problem);
    }
    text
}
