//! A bug and a verdict, for people.

use std::fmt::Write as _;
use std::time::Duration;

use warpath_analyzer::explore::{Bug, Exploration, Judgement};

use super::bug::Reported;
use super::proof::Checked;
use crate::present::{Sources, inputs};

/// A bug: what, where, with which inputs, in which order, why, how to see it again.
pub(super) fn bug(bug: &Bug, reported: &Reported, sources: &Sources) -> String {
    let told = &reported.told;
    let mut text = format!("BUG {}\n{}", told.sentence, sources.show(&told.sides));
    if !bug.si.inputs.is_empty() {
        let _ = writeln!(text, "  inputs: {}", inputs::listing(&bug.si.inputs));
    }
    if let Some(table) = &told.table {
        let _ = write!(text, "\n{table}\n");
    }
    let _ = writeln!(text, "  why: {}", reported.reason);
    let si = quoted(&reported.si);
    let _ = writeln!(text, "  reproduce it: warpath replay {si}");
    // A race or a lack of atomicity need not do harm in this very run; then there is nothing to explain.
    if bug.trace.failed().is_some() {
        let _ = writeln!(text, "  explain it: warpath diagnose {si}");
    }
    text.push('\n');
    text
}

pub(super) fn count(number: u64, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// As a shell reads it back.
pub(in crate::commands) fn quoted(path: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+=:,@%".contains(c);
    match !path.is_empty() && path.chars().all(plain) {
        true => path.to_owned(),
        false => format!("'{}'", path.replace('\'', "'\\''")),
    }
}

/// The verdict and what it rests on.
pub(super) fn verdict(
    explored: &Exploration,
    reason: &str,
    proof: Option<&Checked>,
    time: Duration,
) -> String {
    let proved = explored.judgement == Judgement::Safe && proof.is_some_and(Checked::is_proved);
    let with = if proved { " (checked proof)" } else { "" };
    let mut text = format!("{}{with}: {reason}\n", explored.judgement);
    if let Some(proof) = proof {
        let _ = writeln!(text, "  proof: {}", proof.sentence());
    }
    let statistics = &explored.statistics;
    let _ = writeln!(
        text,
        "  {}, {}, {} to {} ({} sat, {} unsat, {} unknown), {:.2} s",
        count(statistics.executions, "execution"),
        count(explored.nodes as u64, "thread event"),
        count(statistics.queries, "question"),
        explored.solver,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_can_be_pasted_into_a_shell() {
        assert_eq!(quoted("out/bug-1.si.toml"), "out/bug-1.si.toml");
        assert_eq!(quoted("my out/it's.toml"), r"'my out/it'\''s.toml'");
    }
}
