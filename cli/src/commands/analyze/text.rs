//! What was found, for people.

use std::fmt::Write as _;

use warpath_analyzer::findings::{Kind, Property, Standing, Unanswered};

use super::files::Kept;
use super::verdicts::Outcome;
use crate::present::{inputs, table};

/// So many questions without an answer are listed for each property.
const LISTED: usize = 5;

/// The whole report. Findings of one kind on one storage stand together: the first with its interleaving, of the
/// others a line each; with `all`, every one with its interleaving.
pub(super) fn text(outcome: &Outcome, all: bool) -> String {
    let mut text = String::new();
    for group in groups(&outcome.findings) {
        let (first, others) = group.split_first().expect("a group has a first member");
        show(&mut text, first);
        match all {
            true => others.iter().for_each(|other| show(&mut text, other)),
            false => list(&mut text, others),
        }
    }
    for result in &outcome.properties {
        let open = outcome.unanswered.iter().filter(|unanswered| unanswered.property == result.property);
        unanswered(&mut text, result.property, &open.collect::<Vec<_>>());
    }
    results(&mut text, outcome);
    text
}

/// Findings that belong together, in the order of the first of each.
fn groups(findings: &[Kept]) -> Vec<Vec<&Kept>> {
    let mut groups: Vec<Vec<&Kept>> = Vec::new();
    let about =
        |kept: &Kept| -> Option<(Kind, String)> { Some((kept.finding.kind, kept.finding.storage.clone()?)) };
    for kept in findings {
        let key = about(kept);
        match groups.iter_mut().find(|group| key.is_some() && about(group[0]) == key) {
            Some(group) => group.push(kept),
            None => groups.push(vec![kept]),
        }
    }
    groups
}

fn show(text: &mut String, Kept { finding, begin, si, script }: &Kept) {
    let _ = writeln!(text, "PREDICTED {}", finding.summary);
    for event in &finding.events {
        let _ = writeln!(text, "  --> {} {} {}", event.place, event.thread, event.role);
    }
    if !finding.si.inputs.is_empty() {
        let _ = writeln!(text, "  inputs: {}", inputs::listing(&finding.si.inputs));
    }
    let _ = writeln!(text, "  why: {}", finding.reason);
    let _ = write!(text, "\n{}\n", table(&finding.si, *begin));
    let _ = writeln!(text, "  reproduce it: warpath replay {si}");
    if let Some(script) = script {
        let _ = writeln!(text, "  asked as: {script}");
    }
    text.push('\n');
}

/// The others of a group.
fn list(text: &mut String, others: &[&Kept]) {
    let Some(first) = others.first() else { return };
    let storage = first.finding.storage.as_deref().unwrap_or_default();
    let _ = writeln!(text, "  {} more of this kind on {storage} (--all shows how):", others.len());
    for Kept { finding, si, .. } in others {
        let what = finding.summary.split_once(": ").map_or(finding.summary.as_str(), |(_, what)| what);
        let _ = writeln!(text, "    {what}  {si}");
    }
    text.push('\n');
}

fn unanswered(text: &mut String, property: Property, open: &[&Unanswered]) {
    for unanswered in open.iter().take(LISTED) {
        let _ =
            writeln!(text, "UNKNOWN {}: {} ({})", property.name(), unanswered.question, unanswered.reason);
    }
    if open.len() > LISTED {
        let _ = writeln!(
            text,
            "UNKNOWN {}: {} more questions have no answer (--json lists them)",
            property.name(),
            open.len() - LISTED
        );
    }
    if !open.is_empty() {
        text.push('\n');
    }
}

fn results(text: &mut String, outcome: &Outcome) {
    for result in &outcome.properties {
        let statistics = &result.statistics;
        let standing = match result.standing {
            Standing::Predicted => "PREDICTED",
            Standing::None => "none",
            Standing::Unknown => "UNKNOWN",
        };
        let filtered: u64 = statistics.filtered.values().sum();
        let _ = writeln!(
            text,
            "{:<15} {standing:<10} {} candidates, {filtered} ruled out at once, {} shown by the run itself, {} questions",
            result.property.name(),
            statistics.candidates,
            statistics.witnessed,
            statistics.queries
        );
    }
    let Some(used) = outcome.windows else { return };
    let checked = match used.count - used.checked {
        0 => String::new(),
        missing => format!(" ({missing} of them not checked)"),
    };
    let _ = writeln!(
        text,
        "\nchecked in {} windows{checked} of {} events, each sharing {} with the next: \"none\" is none within any \
         window;\nwhat needs events further apart than a window is not seen",
        used.count, used.size, used.overlap
    );
}
