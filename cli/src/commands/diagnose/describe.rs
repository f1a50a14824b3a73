//! A diagnosis as a document.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use warpath_analyzer::answer::Execution;
use warpath_analyzer::diagnose::{
    self, Diagnosis, Happened, Occurrence, OccurrenceId, Scope, Verdict, schedule,
};
use warpath_analyzer::encode::Options;
use warpath_analyzer::model::Forest;
use warpath_trace::expr::to_signed;

use super::DiagnoseConfig;
use super::gather::Gathered;
use super::repairs;
use super::words;
use crate::present::diagnosis::{
    Cause, Document, Event, FORMAT, FailureOf, InputsOf, Ordering, ScopeOf, Side, Thread, Times, WaitOf,
};
use crate::present::{Sources, file_and_line, inputs};
use crate::runs::FailureReport;

/// Everything that was found out.
pub(super) struct Found<'a> {
    pub(super) gathered: &'a Gathered,
    pub(super) diagnosis: Option<&'a Diagnosis>,
    pub(super) inputs: Option<InputsOf>,
}

/// It as a document.
pub(super) fn document(
    config: &DiagnoseConfig,
    found: Found<'_>,
    sources: &Sources,
    total: Duration,
) -> Document {
    let Found { gathered, diagnosis, inputs: needed } = found;
    let forest = &gathered.forest;
    let options = Options { model: gathered.model, ..Options::default() };
    let listed = |execution: &Execution| match diagnosis {
        Some(diagnosis) => schedule(forest, &options, &diagnosis.occurrences, execution),
        None => Vec::new(),
    };
    let failing = diagnosis.map(|diagnosis| listed(&diagnosis.failing)).unwrap_or_default();
    let passing = diagnosis.and_then(|diagnosis| diagnosis.nearest.as_ref()).map(listed);
    let causes: Vec<Cause> = match diagnosis {
        Some(diagnosis) => {
            let indices = (positions(&failing), passing.as_deref().map(positions).unwrap_or_default());
            diagnosis.causes.iter().map(|cause| self::cause(forest, diagnosis, cause, &indices)).collect()
        }
        None => Vec::new(),
    };
    // Both ways round a pair of events is one thing to read.
    let pair = |ordering: &diagnose::Ordering| *ordering.min(&ordering.reversed());
    let unique: BTreeSet<diagnose::Ordering> = diagnosis
        .iter()
        .flat_map(|one| &one.causes)
        .flat_map(|cause| cause.orderings.iter().map(pair))
        .collect();
    let raw = diagnosis.map_or(0, |diagnosis| diagnosis.raw);
    let all: usize = causes.iter().map(|cause| cause.orderings.len()).sum();
    let part = |some: usize, of: usize| if of == 0 { 0.0 } else { some as f64 / of as f64 };
    Document {
        format: FORMAT.to_owned(),
        source: config.runs.iter().map(|path| path.display().to_string()).collect(),
        program: gathered.trace.header.program.clone(),
        model: words::model(gathered.model),
        solver: diagnosis.map(|diagnosis| diagnosis.solver.clone()).unwrap_or_default(),
        verdict: verdict(diagnosis, needed.as_ref()).to_owned(),
        sentence: sentence(gathered, diagnosis, &causes, needed.as_ref()),
        scope: ScopeOf {
            kind: kind_of(gathered.scope).to_owned(),
            executions: gathered.executions,
            reasons: gathered
                .reasons
                .iter()
                .cloned()
                .chain(diagnosis.and_then(|diagnosis| diagnosis.unfinished.clone()))
                .collect(),
        },
        failure: FailureReport::of(&gathered.trace).map(|failure| FailureOf {
            kind: failure.kind,
            message: failure.message,
            thread: failure.thread,
            place: failure.place,
            waits: failure
                .waits
                .into_iter()
                .map(|wait| WaitOf { thread: wait.thread, place: wait.place, waits_for: wait.waits_for })
                .collect(),
        }),
        inputs: inputs::values(&gathered.inputs),
        input_condition: needed.as_ref().and_then(|needed| needed.condition.clone()),
        input_dependence: needed,
        raw_orderings: raw,
        iterations: diagnosis.map_or(0, |diagnosis| diagnosis.iterations),
        complete: diagnosis.is_some_and(|diagnosis| diagnosis.is_complete),
        orderings_per_cause: part(all, causes.len()),
        unique_orderings: unique.len(),
        reduction: part(unique.len(), raw),
        threads: threads(gathered),
        failing: failing.iter().map(|event| self::event(forest, event, sources)).collect(),
        passing: passing
            .map(|passing| passing.iter().map(|event| self::event(forest, event, sources)).collect()),
        causes,
        repairs: diagnosis
            .iter()
            .flat_map(|one| one.repairs.iter().map(|repair| repairs::reported(gathered, one, repair)))
            .collect(),
        confirm: config
            .repair_out
            .as_ref()
            .and_then(|file| repairs::confirmation(config, gathered, &file.display().to_string())),
        other_failures: gathered.others.clone(),
        queries: diagnosis.map_or(0, |diagnosis| diagnosis.questions),
        time_ms: Times {
            total: millis(total),
            explore: millis(gathered.exploring),
            solve: millis(diagnosis.map(|diagnosis| diagnosis.solving).unwrap_or_default()),
        },
    }
}

/// The word for a scope.
pub(super) fn kind_of(scope: Scope) -> &'static str {
    match scope {
        Scope::Exhausted => "exhausted",
        Scope::Bounded => "bounded",
        Scope::TraceOnly => "trace-only",
    }
}

fn millis(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e4).round() / 10.0
}

fn verdict(diagnosis: Option<&Diagnosis>, inputs: Option<&InputsOf>) -> &'static str {
    match diagnosis.map(|diagnosis| &diagnosis.verdict) {
        Some(Verdict::EverySchedule) if inputs.is_some_and(|inputs| inputs.others_pass) => "INPUT-DEPENDENT",
        None => "PASSED",
        Some(Verdict::Explained) => "EXPLAINED",
        Some(Verdict::EverySchedule) => "EVERY-SCHEDULE",
        Some(Verdict::Unknown(_)) => "UNKNOWN",
    }
}

fn sentence(
    gathered: &Gathered,
    diagnosis: Option<&Diagnosis>,
    causes: &[Cause],
    inputs: Option<&InputsOf>,
) -> String {
    let Some(diagnosis) = diagnosis else { return "the run did not fail: nothing to explain".to_owned() };
    let failure = FailureReport::of(&gathered.trace).map_or_else(String::new, |failure| failure.sentence());
    match &diagnosis.verdict {
        Verdict::Explained => {
            let first = causes.first().map(|cause| cause.sentence.clone()).unwrap_or_default();
            format!("{failure}, because {first}")
        }
        Verdict::EverySchedule => match gathered.scope {
            Scope::Exhausted => match inputs {
                Some(InputsOf { condition: None, always_fails: true, .. }) => {
                    format!(
                        "{failure}: no concurrency bug, it fails under every schedule, whatever the inputs"
                    )
                }
                None if gathered.inputs.is_empty() => {
                    format!("{failure}: no concurrency bug, it fails under every schedule")
                }
                _ => {
                    format!("{failure}: no concurrency bug, with these inputs it fails under every schedule")
                }
            },
            _ => format!("{failure}: no schedule is known with which it passes"),
        },
        Verdict::Unknown(reason) => format!("{failure}: {reason}"),
    }
}

fn threads(gathered: &Gathered) -> Vec<Thread> {
    let tables = &gathered.trace.tables;
    let start = |key: &warpath_trace::thread::ThreadKey| {
        let at = tables.keys().iter().position(|known| known == key)?;
        Some(tables.text(tables.threads().get(at)?.start).into_owned())
    };
    let keys = gathered.forest.keys().iter();
    keys.map(|key| Thread { thread: key.to_string(), start: start(key).unwrap_or_default() }).collect()
}

/// The index of each occurrence in a schedule: where it took effect.
fn positions(schedule: &[Happened]) -> HashMap<OccurrenceId, usize> {
    schedule.iter().enumerate().filter_map(|(n, event)| Some((event.occurrence?, n))).collect()
}

type Indices = (HashMap<OccurrenceId, usize>, HashMap<OccurrenceId, usize>);

fn cause(forest: &Forest, diagnosis: &Diagnosis, cause: &diagnose::Cause, indices: &Indices) -> Cause {
    let occurrences = &diagnosis.occurrences;
    let side = |id: OccurrenceId| self::side(forest, occurrences.get(id), id, indices);
    Cause {
        sentence: words::cause(forest, occurrences, cause),
        orderings: cause
            .orderings
            .iter()
            .map(|ordering| Ordering {
                words: words::ordering(forest, occurrences, ordering),
                first: side(ordering.first),
                second: side(ordering.second),
            })
            .collect(),
        of: cause.of,
        smallest: cause.is_smallest,
    }
}

fn side(forest: &Forest, occurrence: &Occurrence, id: OccurrenceId, indices: &Indices) -> Side {
    let (file, line) = file_of(&occurrence.at);
    Side {
        thread: forest.key(occurrence.tree).to_string(),
        kind: words::word(occurrence.verb),
        object: occurrence.object.clone(),
        place: occurrence.at.clone(),
        file,
        line,
        function: occurrence.function.clone(),
        nth: occurrence.nth,
        failing: indices.0.get(&id).copied(),
        passing: indices.1.get(&id).copied(),
    }
}

fn file_of(place: &str) -> (String, u32) {
    match file_and_line(place) {
        Some((file, line)) => (file.to_owned(), u32::try_from(line).unwrap_or(0)),
        None => (String::new(), 0),
    }
}

fn event(forest: &Forest, event: &Happened, sources: &Sources) -> Event {
    let (file, line) = file_of(&event.at);
    Event {
        thread: forest.key(event.tree).to_string(),
        position: event.position,
        kind: words::word(event.verb),
        object: event.object.clone(),
        value: value(event),
        place: event.at.clone(),
        file,
        line,
        function: event.function.clone(),
        source: sources.line(&event.at).map(|(_, text)| text),
    }
}

/// `5`, or `1 -> 2` of an update.
fn value(event: &Happened) -> Option<String> {
    let shown = |value: u128| {
        let signed = event.width.map_or(value as i128, |width| to_signed(value, width));
        if signed.unsigned_abs() < 1 << 32 { signed.to_string() } else { format!("{value:#x}") }
    };
    match (event.found, event.written) {
        (Some(found), Some(written)) => Some(format!("{} -> {}", shown(found), shown(written))),
        (found, written) => found.or(written).map(shown),
    }
}

/// What an event of a schedule does, with its value: `w x 101`.
pub(super) fn words_of(event: &Happened) -> String {
    let parts = [words::word(event.verb), event.object.clone(), value(event).unwrap_or_default()];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}
