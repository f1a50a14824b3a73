//! A bug and a verdict, for people.

use std::fmt::Write as _;
use std::time::Duration;

use warpath_analyzer::explore::{Bug, Exploration, Judgement};

use super::bug::{Reported, name, signed};
use crate::commands::analyze::table;

/// A bug: what, where, with which inputs, in which order, why, how to see it again.
pub(super) fn bug(bug: &Bug, reported: &Reported) -> String {
    let mut text = format!("BUG {}: {}\n", bug.kind, bug.message);
    match &bug.finding {
        Some(finding) => {
            for event in &finding.events {
                let _ = writeln!(text, "  --> {} {} {}", event.place, event.thread, event.role);
            }
        }
        None => {
            let place = if bug.place.is_empty() { "a place without a name" } else { &bug.place };
            let _ = writeln!(text, "  --> {place} {}", bug.threads.join(", "));
        }
    }
    if !bug.si.inputs.is_empty() {
        let inputs: Vec<String> =
            bug.si.inputs.iter().map(|input| format!("{} = {}", name(input), signed(input))).collect();
        let _ = writeln!(text, "  inputs: {}", inputs.join(", "));
    }
    let _ = write!(text, "\n{}\n", table(&bug.si, 0));
    let why = match &bug.finding {
        Some(finding) => finding.reason.clone(),
        None => format!("execution {} failed so, and failed so again when it was replayed", bug.execution),
    };
    let _ = writeln!(text, "  why: {why}");
    let _ = writeln!(text, "  reproduce it: warpath replay {}", reported.si);
    let _ = writeln!(text, "  explain it:   warpath diagnose {}\n", reported.si);
    text
}

/// The verdict and what it rests on.
pub(super) fn verdict(explored: &Exploration, reason: &str, time: Duration) -> String {
    let mut text = format!("{}: {reason}\n", explored.judgement);
    let statistics = &explored.statistics;
    let _ = writeln!(
        text,
        "  {} executions, {} thread events, {} questions to {} ({} sat, {} unsat, {} unknown), {:.2} s",
        statistics.executions,
        explored.nodes,
        statistics.queries,
        if explored.solver.is_empty() { "nobody" } else { &explored.solver },
        statistics.sat,
        statistics.unsat,
        statistics.unknown,
        time.as_secs_f64()
    );
    let branches = &explored.coverage.branches;
    let _ = writeln!(
        text,
        "  branches: {} outcomes covered, {} proved out of reach, {} unknown",
        branches.covered,
        branches.unreachable.len(),
        branches.unknown.len()
    );
    if explored.judgement != Judgement::Safe {
        for reason in explored.reasons.iter().take(8) {
            let _ = writeln!(text, "  note: {reason}");
        }
        if explored.reasons.len() > 8 {
            let _ = writeln!(text, "  note: {} more (--json lists them)", explored.reasons.len() - 8);
        }
    }
    text
}
