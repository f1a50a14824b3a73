//! The report for people: a sentence, then each cause with its lanes and arrows.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use warpath_analyzer::diagnose::{Cause, Diagnosis, Happened, OccurrenceId, schedule};
use warpath_analyzer::encode::Options;
use warpath_analyzer::model::TreeIx;

use super::DiagnoseConfig;
use super::describe::words_of;
use super::gather::Gathered;
use super::repairs;
use super::words::{short_place, word};
use crate::present::diagnosis::{Document, ScopeOf};
use crate::present::{Drawn, draw, inputs, is_java};

/// So many causes are drawn; of the others there is a sentence each.
const SHOWN: usize = 4;

/// The whole report.
pub(super) fn text(
    config: &DiagnoseConfig,
    gathered: &Gathered,
    diagnosis: Option<&Diagnosis>,
    document: &Document,
) -> String {
    let mut text = format!("{} {}\n", document.verdict, document.sentence);
    let Some(diagnosis) = diagnosis else { return text };
    if let Some(failure) = &document.failure
        && !failure.place.is_empty()
    {
        let _ = writeln!(text, "  --> {} {}", failure.place, failure.thread);
    }
    if !gathered.inputs.is_empty() {
        let _ = writeln!(text, "  inputs: {}", inputs::listing(&gathered.inputs));
    }
    if let Some(needed) = &document.input_dependence {
        let _ = writeln!(text, "  {}", needed.sentence);
    }
    for (n, cause) in diagnosis.causes.iter().enumerate().take(SHOWN) {
        let _ = write!(text, "\nCause {} of {}: ", n + 1, diagnosis.causes.len());
        let _ = writeln!(text, "{}", document.causes[n].sentence);
        let part = 100.0 * cause.orderings.len() as f64 / cause.of.max(1) as f64;
        let _ = writeln!(text, "  {} of {} orderings ({part:.1} %)\n", cause.orderings.len(), cause.of);
        text.push_str(&lanes(gathered, diagnosis, cause, document));
    }
    for (n, cause) in document.causes.iter().enumerate().skip(SHOWN) {
        if n == SHOWN {
            text.push('\n');
        }
        let _ = writeln!(text, "Cause {} of {}: {}", n + 1, document.causes.len(), cause.sentence);
    }
    for (n, repair) in document.repairs.iter().enumerate() {
        let _ = writeln!(text, "\nRepair {} of {}: {}", n + 1, document.repairs.len(), repair.sentence);
        for edit in &repair.sketch {
            let place = short_place(&format!("{}:{}", edit.file, edit.line));
            let _ = writeln!(text, "  {:6} {place:<24} {:<40} {}", edit.side, edit.text, edit.thread);
        }
    }
    if let Some(repair) = document.repairs.first() {
        let _ = writeln!(text, "\n  verified of each: {}", repair.verified.join("; "));
        if let Some(confirm) = &document.confirm {
            let _ = writeln!(text, "  confirm the first: {confirm}");
        } else if is_java(&gathered.trace) {
            text.push_str("  confirm it: make the change in the source, and explore that\n");
        } else if let Some(confirm) = repairs::confirmation(config, gathered, "repair.toml") {
            let _ = writeln!(text, "  confirm the first: add --repair-out repair.toml, then {confirm}");
        }
    } else if !document.causes.is_empty() {
        let _ = writeln!(text, "\n  no repair was found that could be verified");
    }
    text.push('\n');
    scope(&mut text, diagnosis, document);
    text
}

/// The events of a cause in the failing schedule it was found in.
fn lanes(gathered: &Gathered, diagnosis: &Diagnosis, cause: &Cause, document: &Document) -> String {
    let forest = &gathered.forest;
    let options = Options { model: gathered.model, ..Options::default() };
    let events = schedule(forest, &options, &diagnosis.occurrences, &cause.shown_in);
    let wanted: BTreeSet<OccurrenceId> =
        cause.orderings.iter().flat_map(|ordering| [ordering.first, ordering.second]).collect();
    // Of a buffered write, when others could see it.
    let last = |id: OccurrenceId| events.iter().rposition(|event| event.occurrence == Some(id));
    let mut shown: Vec<(Option<usize>, OccurrenceId)> = wanted.iter().map(|&id| (last(id), id)).collect();
    shown.sort_by_key(|&(at, id)| (at.unwrap_or(usize::MAX), id));
    let tree = |id: OccurrenceId| diagnosis.occurrences.get(id).tree;
    let trees: BTreeSet<TreeIx> = shown.iter().map(|&(_, id)| tree(id)).collect();
    let trees: Vec<TreeIx> = trees.into_iter().collect();
    let heads: Vec<String> = trees
        .iter()
        .map(|&tree| {
            let thread = &document.threads[tree.index()];
            format!("{} {}", thread.thread, thread.start).trim_end().to_owned()
        })
        .collect();
    let lane = |tree: TreeIx| trees.iter().position(|&other| other == tree).unwrap_or(0);
    let drawn: Vec<Drawn> = shown
        .iter()
        .map(|&(at, id)| {
            let occurrence = diagnosis.occurrences.get(id);
            let does = match at {
                Some(at) => words_of(&events[at] as &Happened),
                None => format!("({} {} comes later)", word(occurrence.verb), occurrence.object),
            };
            let place = short_place(&occurrence.at);
            let place = if place.is_empty() { place } else { format!(" @{place}") };
            Drawn { lane: lane(occurrence.tree), text: format!("{does}{place}") }
        })
        .collect();
    let row = |id: OccurrenceId| shown.iter().position(|&(_, other)| other == id).unwrap_or(0);
    let arrows: Vec<(usize, usize)> =
        cause.orderings.iter().map(|ordering| (row(ordering.first), row(ordering.second))).collect();
    draw(&heads, &drawn, &arrows)
}

/// `1 run`, `2 runs`.
fn runs(runs: u64) -> String {
    if runs == 1 { "1 run".to_owned() } else { format!("{runs} runs") }
}

/// How far what is said of inputs goes.
fn known_of_others(scope: &ScopeOf) -> String {
    let runs = runs(scope.executions);
    match scope.kind.as_str() {
        "exhausted" => format!("everything that can happen with any inputs is known ({runs})"),
        "bounded" => format!("not everything that can happen with other inputs is known ({runs})"),
        _ => format!("only what the traces show is known ({runs})"),
    }
}

fn scope(text: &mut String, diagnosis: &Diagnosis, document: &Document) {
    let runs = runs(document.scope.executions);
    let known = match document.scope.kind.as_str() {
        "exhausted" => format!("everything that can happen with these inputs is known ({runs})"),
        "bounded" => format!("not everything that can happen with these inputs is known ({runs})"),
        _ => format!("only what the traces show is known ({runs})"),
    };
    let _ = writeln!(text, "  known: {known}");
    for reason in &document.scope.reasons {
        let _ = writeln!(text, "    {reason}");
    }
    if let Some(needed) = &document.input_dependence {
        let _ = writeln!(text, "  of other inputs: {}", known_of_others(&needed.scope));
        for reason in &needed.scope.reasons {
            let _ = writeln!(text, "    {reason}");
        }
    }
    if !diagnosis.causes.is_empty() {
        let covered = match diagnosis.is_complete {
            true => "every failing schedule shows one of the causes",
            false => "there may be failing schedules with other causes",
        };
        let _ = writeln!(text, "  {covered}");
    }
    for other in &document.other_failures {
        let _ = writeln!(text, "  another failure with these inputs: {other}");
    }
}
