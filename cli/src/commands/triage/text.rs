//! The report for people.

use std::fmt::Write as _;

use warpath_analyzer::effect::{Effect, On};

use super::results::{Cause, Outcome, Results};

/// So many causes are shown, and so many traces of which something is to be said.
const SHOWN: usize = 20;

/// The whole report.
pub(super) fn text(results: &Results<'_>, page: &str) -> String {
    let mut text = String::new();
    let counts = &results.counts;
    for cause in results.groups.iter().take(SHOWN) {
        show(&mut text, cause, counts.traces);
    }
    if let Some(more) = results.groups.len().checked_sub(SHOWN + 1) {
        let _ = writeln!(text, "… {} more causes: {page} and --json have all\n", more + 1);
    }
    let mut listed = 0;
    for outcome in &results.traces {
        let Some(line) = remark(outcome) else { continue };
        listed += 1;
        if listed <= SHOWN {
            let _ = writeln!(text, "{line}");
        }
    }
    if listed > SHOWN {
        let _ = writeln!(text, "… {} more: {page} and --json have all", listed - SHOWN);
    }
    if listed > 0 {
        text.push('\n');
    }
    let _ = writeln!(text, "{}: {}", results.verdict, summary(results));
    let _ = writeln!(text, "  on one page: {page}");
    text
}

/// `2 causes in 3 of 5 traces; 4 analysed, 1 unreadable`.
pub(super) fn summary(results: &Results<'_>) -> String {
    let counts = &results.counts;
    let with = results.traces.iter().filter(|outcome| !outcome.causes.is_empty()).count();
    let found = match results.groups.len() {
        0 => "no bug".to_owned(),
        1 => "1 cause".to_owned(),
        many => format!("{many} causes"),
    };
    let parts = [
        (counts.analysed, "analysed"),
        (counts.undecided, "with questions that have no answer"),
        (counts.unreadable, "unreadable"),
        (counts.failed, "failed"),
        (counts.open, "not looked at"),
    ];
    let parts: Vec<String> =
        parts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
    format!("{found} in {with} of {} traces; {}", counts.traces, parts.join(", "))
}

fn show(text: &mut String, cause: &Cause<'_>, all: usize) {
    let _ = writeln!(text, "{} {}", cause.verdict.name(), cause.message);
    let happened = match cause.observed {
        0 => String::new(),
        some => format!(", observed in {some}"),
    };
    let _ = writeln!(
        text,
        "  {}. {}, in {} of {all} traces{happened}",
        cause.rank,
        cause.class.name(),
        cause.count
    );
    for event in &cause.events {
        let place = if event.place.is_empty() { "a place without a name" } else { event.place };
        let _ = writeln!(text, "  --> {place} {} {}", event.thread, event.role);
    }
    if let Some(effect) = cause.effect {
        let _ = writeln!(text, "  changes: {}", words(effect));
    }
    let _ = writeln!(text, "  best seen in: {}", cause.trace.display());
    let _ = writeln!(text, "  reproduce it: warpath replay {}\n", cause.si);
}

/// What a race changes.
pub(super) fn words(effect: &Effect) -> String {
    let Effect { on, place, thread, storage, read_where, found, other } = effect;
    match on {
        On::Branch => format!(
            "the branch of {thread} at {place} goes the other way if it reads {other} instead of {found} from {storage} at {read_where}"
        ),
        On::Value => format!(
            "{thread} can read {other} instead of {found} from {storage} at {read_where}; what depends on it is not recorded"
        ),
    }
}

/// What is to be said of a trace, if anything is.
pub(super) fn remark(outcome: &Outcome<'_>) -> Option<String> {
    let trace = outcome.trace.display();
    match outcome.status {
        "analysed" => None,
        "undecided" => {
            let first = outcome.unanswered.first()?;
            let more = match outcome.unanswered.len() {
                1 => String::new(),
                many => format!(", and {} more", many - 1),
            };
            Some(format!("UNKNOWN {trace}: {} ({}){more}", first.question, first.reason))
        }
        "open" => Some(format!("UNKNOWN {trace}: not looked at")),
        "unreadable" => Some(format!("SKIPPED {trace}: {}", outcome.reason.unwrap_or_default())),
        _ => Some(format!("UNKNOWN {trace}: {}", outcome.reason.unwrap_or_default())),
    }
}
