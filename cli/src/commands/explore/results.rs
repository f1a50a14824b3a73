//! What an exploration came to, for people and machines.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;
use warpath_analyzer::explore::{Coverage, Exploration, Judgement};

use super::bug::Reported;
use super::proof::Checked;
use super::{ExploreConfig, text};
use crate::console;
use crate::exit::Exit;
use crate::json::JsonTarget;
use crate::options::Assumed;
use crate::outputs::make_folder;
use crate::present::sarif;

/// The result's own file in the folder of the bugs.
pub(crate) const RESULT: &str = "result.json";

/// `warpath.explore/1`.
#[derive(Debug, Serialize)]
struct Results<'a> {
    format: &'static str,
    program: String,
    strategy: super::Strategy,
    model: &'static str,
    assumed_repair: Option<String>,
    solver: &'a str,
    verdict: Judgement,
    reason: String,
    exhausted: bool,
    proof: Option<&'a Checked>,
    executions: u64,
    repeated_executions: u64,
    resumed_executions: u64,
    replays: u64,
    first_bug_execution: Option<u64>,
    paths: usize,
    nodes: usize,
    open_ends: usize,
    queries: Queries,
    time_ms: Times,
    coverage: &'a Coverage,
    approximations: &'a BTreeMap<String, u64>,
    bounds_hit: &'a [String],
    notes: &'a [String],
    unconfirmed: Vec<&'a str>,
    bugs: &'a [Reported],
}

#[derive(Debug, Serialize)]
struct Queries {
    total: u64,
    sat: u64,
    unsat: u64,
    unknown: u64,
}

#[derive(Debug, Serialize)]
struct Times {
    total: u64,
    run: u64,
    solve: u64,
    encode: u64,
}

/// Writes everything that is wanted.
pub(super) fn report(
    config: &ExploreConfig,
    explored: &Exploration,
    bugs: &[Reported],
    proof: Option<&Checked>,
    time: Duration,
    exit: Exit,
) -> anyhow::Result<()> {
    let reason = reason(explored, config.assumed.as_ref());
    let statistics = &explored.statistics;
    let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    let results = Results {
        format: "warpath.explore/1",
        program: config.program.name().display().to_string(),
        strategy: config.strategy,
        model: config.model.name(),
        assumed_repair: config.assumed.as_ref().map(|assumed| assumed.file().display().to_string()),
        solver: &explored.solver,
        verdict: explored.judgement,
        reason: reason.clone(),
        exhausted: explored.exhausted,
        proof,
        executions: statistics.executions,
        repeated_executions: statistics.repeated,
        resumed_executions: statistics.resumed,
        replays: statistics.replays,
        first_bug_execution: bugs.iter().map(|bug| bug.execution).min(),
        paths: explored.paths,
        nodes: explored.nodes,
        open_ends: explored.open_ends,
        queries: Queries {
            total: statistics.queries,
            sat: statistics.sat,
            unsat: statistics.unsat,
            unknown: statistics.unknown,
        },
        time_ms: Times {
            total: millis(time),
            run: millis(statistics.running),
            solve: millis(statistics.solving),
            encode: millis(statistics.encoding),
        },
        coverage: &explored.coverage,
        approximations: &explored.approximations,
        bounds_hit: &explored.bounds_hit,
        notes: &explored.reasons,
        unconfirmed: explored.unconfirmed.iter().map(|finding| finding.summary.as_str()).collect(),
        bugs,
    };
    // For `warpath report`, beside the bugs that it is about. Where there are none nothing is written, but what an
    // earlier search left there must not seem to be of this one.
    let beside = config.out.join(RESULT);
    if !bugs.is_empty() || beside.exists() {
        make_folder(&config.out)?;
        JsonTarget::File(beside).write(&results)?;
    }
    if let Some(target) = &config.json {
        target.write(&results)?;
    }
    if let Some(path) = &config.sarif {
        let found: Vec<sarif::Found> = bugs.iter().map(Reported::sarif).collect();
        sarif::write(path, &found, exit)?;
    }
    if !JsonTarget::takes_stdout(config.json.as_ref()) {
        console::report(&text::verdict(explored, &reason, proof, time))?;
    }
    Ok(())
}

/// The verdict's reason in a sentence.
fn reason(explored: &Exploration, assumed: Option<&Assumed>) -> String {
    let under = match assumed {
        Some(assumed) => format!(" under the repair of {}", assumed.file().display()),
        None => String::new(),
    };
    let bounds = match explored.bounds_hit.is_empty() {
        true => String::new(),
        false => format!("; stopped by a bound: {}", explored.bounds_hit.join(", ")),
    };
    match explored.judgement {
        Judgement::Safe => format!("everything reachable{under} was explored, and nothing fails"),
        Judgement::Unknown if explored.bounds_hit.is_empty() => {
            format!("no bug was found{under}, but not everything could be explored")
        }
        Judgement::Unknown => format!("no bug was found{under}{bounds}"),
        Judgement::Bug => {
            let bugs = match explored.bugs.len() {
                1 => format!("1 bug was found and replayed{under}"),
                more => format!("{more} bugs were found and replayed{under}"),
            };
            let rest = if explored.exhausted { "; everything else reachable was explored" } else { "" };
            format!("{bugs}{rest}{bounds}")
        }
    }
}
