//! What a section of the page is about: a bug, a prediction, or a replay, with its explanation if there is one.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::gather::Given;
use super::results::{Bug, Finding, Place, Replayed, Wait};
use super::steps::{Schedule, Step};
use crate::present::diagnosis::Document;

/// One bug.
#[derive(Debug, Default)]
pub(super) struct Subject {
    /// `BUG`, `PREDICTED`, `PASSED`.
    pub(super) verdict: String,
    pub(super) kind: String,
    pub(super) message: String,
    pub(super) program: String,
    pub(super) inputs: Vec<(String, String)>,
    /// Where it shows.
    pub(super) places: Vec<Place>,
    pub(super) waits: Vec<Wait>,
    /// Why it was reported.
    pub(super) reason: String,
    pub(super) si: String,
    pub(super) failing: Schedule,
    pub(super) diagnosis: Option<Document>,
}

/// The bugs of all results; what is explained is not shown twice.
pub(super) fn subjects(given: Given) -> Vec<Subject> {
    let mut subjects = in_turn(given);
    subjects.iter_mut().for_each(Subject::wait);
    subjects
}

fn in_turn(given: Given) -> Vec<Subject> {
    let mut diagnosed = best_of_each(given.diagnosed);
    let mut subjects = Vec::new();
    for (folder, explored) in given.explored {
        for bug in explored.bugs {
            let same = diagnosed.iter().position(|(_, document)| is_about(document, &bug.si, &folder));
            let document = same.map(|same| diagnosed.remove(same).1);
            subjects.push(Subject::of_bug(bug, &explored.program, &folder, document));
        }
    }
    subjects.extend(diagnosed.into_iter().map(|(_, document)| Subject::of_document(document)));
    for (_, analyzed) in given.analyzed {
        let program = analyzed.traces.join(", ");
        subjects.extend(analyzed.findings.into_iter().map(|finding| Subject::of_finding(finding, &program)));
    }
    subjects
        .extend(given.replayed.into_iter().map(|(folder, replayed)| Subject::of_replay(replayed, &folder)));
    subjects
}

/// Of several diagnoses of the same files, the one that says the most; of equals the one that was given last.
fn best_of_each(diagnosed: Vec<(PathBuf, Document)>) -> Vec<(PathBuf, Document)> {
    let real = |source: &String| fs::canonicalize(source).unwrap_or_else(|_| PathBuf::from(source));
    let about = |document: &Document| document.source.iter().map(real).collect::<Vec<PathBuf>>();
    let worth = |document: &Document| (document.complete, document.causes.len(), document.repairs.len());
    let mut best: Vec<(PathBuf, Document)> = Vec::new();
    for (folder, document) in diagnosed {
        let sources = about(&document);
        match best.iter_mut().find(|(_, known)| !sources.is_empty() && about(known) == sources) {
            Some(known) if worth(&known.1) <= worth(&document) => *known = (folder, document),
            Some(_) => {}
            None => best.push((folder, document)),
        }
    }
    best
}

/// Does a diagnosis explain the bug with this SI file?
fn is_about(document: &Document, si: &str, folder: &Path) -> bool {
    let real = |path: PathBuf| fs::canonicalize(&path).unwrap_or(path);
    let beside = Path::new(si).file_name().map(|name| folder.join(name));
    let wanted: Vec<PathBuf> = [Some(PathBuf::from(si)), beside].into_iter().flatten().map(real).collect();
    document.source.iter().any(|source| wanted.contains(&real(PathBuf::from(source))))
}

fn listed(inputs: &Map<String, Value>) -> Vec<(String, String)> {
    let shown = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    inputs.iter().map(|(name, value)| (name.clone(), shown(value))).collect()
}

impl Subject {
    fn of_bug(bug: Bug, program: &str, folder: &Path, document: Option<Document>) -> Subject {
        let failing = match document.as_ref().filter(|document| !document.failing.is_empty()) {
            Some(document) => Schedule::of(&document.failing),
            None => Schedule::of_bug(&bug.trace, folder, &bug.story),
        };
        let mut places = bug.places;
        if places.is_empty() {
            let thread = bug.threads.first().cloned().unwrap_or_default();
            places.push(Place { place: bug.place, thread, role: String::new() });
        }
        Subject {
            verdict: "BUG".into(),
            kind: bug.kind,
            message: bug.message,
            program: program.to_owned(),
            inputs: listed(&bug.inputs),
            places,
            waits: bug.waits,
            reason: bug.reason,
            si: bug.si,
            failing,
            diagnosis: document,
        }
    }

    fn of_document(document: Document) -> Subject {
        let failure = document.failure.as_ref();
        let place = |failure: &crate::present::diagnosis::FailureOf| Place {
            place: failure.place.clone(),
            thread: failure.thread.clone(),
            role: String::new(),
        };
        Subject {
            verdict: if failure.is_some() { "BUG" } else { "PASSED" }.into(),
            kind: failure.map_or_else(|| "no failure".into(), |failure| failure.kind.clone()),
            message: failure.map_or_else(|| document.sentence.clone(), |failure| failure.message.clone()),
            program: document.program.clone(),
            inputs: listed(&document.inputs),
            places: failure.map(place).into_iter().collect(),
            waits: failure.map(waits).unwrap_or_default(),
            reason: String::new(),
            si: document.source.iter().find(|source| source.ends_with(".toml")).cloned().unwrap_or_default(),
            failing: Schedule::of(&document.failing),
            diagnosis: Some(document),
        }
    }

    fn of_finding(finding: Finding, program: &str) -> Subject {
        let place = |event: &super::results::Involved| Place {
            place: event.place.clone(),
            thread: event.thread.clone(),
            role: event.role.clone(),
        };
        Subject {
            verdict: "PREDICTED".into(),
            kind: finding.kind,
            message: finding.message,
            program: program.to_owned(),
            places: finding.events.iter().map(place).collect(),
            reason: finding.reason,
            si: finding.si,
            ..Subject::default()
        }
    }

    fn of_replay(replayed: Replayed, folder: &Path) -> Subject {
        let trace = replayed.trace.clone().unwrap_or_default();
        let failure = replayed.failure.unwrap_or_default();
        let name = |input: &super::results::Input| match input.nth {
            0 => input.name.clone(),
            nth => format!("{}#{nth}", input.name),
        };
        let is_failure = !failure.kind.is_empty();
        Subject {
            verdict: replayed.verdict.to_uppercase(),
            kind: if is_failure { failure.kind } else { "replay".into() },
            message: if is_failure { failure.message } else { replayed.message },
            program: replayed.program,
            inputs: replayed.inputs.iter().map(|input| (name(input), input.value.clone())).collect(),
            places: vec![Place { place: failure.place, thread: failure.thread, role: String::new() }],
            waits: failure.waits,
            si: replayed.si,
            failing: Schedule::of_bug(&trace, folder, &[]),
            ..Subject::default()
        }
    }

    /// Puts the waits of a deadlock at its end, where its schedule does not have them: nothing has happened there.
    fn wait(&mut self) {
        let steps = &mut self.failing.steps;
        for wait in self.waits.iter().filter(|_| !steps.is_empty()).collect::<Vec<_>>() {
            let last = steps.iter().rfind(|step| step.thread == wait.thread);
            if last.is_some_and(|step| step.place == wait.place) {
                continue;
            }
            let what = wait.waits_for.strip_prefix("waits for ").unwrap_or(&wait.waits_for);
            steps.push(Step {
                thread: wait.thread.clone(),
                verb: "waits for".to_owned(),
                object: what.replace('`', ""),
                place: wait.place.clone(),
                ..Step::default()
            });
            // What a cause says would come next is what the thread waits for.
            let causes = self.diagnosis.iter_mut().flat_map(|document| &mut document.causes);
            let orderings = causes.flat_map(|cause| &mut cause.orderings);
            for side in orderings.flat_map(|ordering| [&mut ordering.first, &mut ordering.second]) {
                if side.failing.is_none() && side.thread == wait.thread && side.place == wait.place {
                    side.failing = Some(steps.len() - 1);
                }
            }
        }
    }

    /// The headline: what went wrong, in a few words.
    pub(super) fn headline(&self) -> String {
        match (self.waits.is_empty(), self.message.is_empty()) {
            (false, _) => "no thread can go on".to_owned(),
            (_, true) => self.kind.clone(),
            // Of a Java program it is an exception that says so itself.
            _ if self.kind == "assertion" && !self.message.contains("Error") => {
                format!("{} does not hold", self.message)
            }
            _ => self.message.clone(),
        }
    }
}

fn waits(failure: &crate::present::diagnosis::FailureOf) -> Vec<Wait> {
    let wait = |wait: &crate::present::diagnosis::WaitOf| Wait {
        thread: wait.thread.clone(),
        place: wait.place.clone(),
        waits_for: wait.waits_for.clone(),
    };
    failure.waits.iter().map(wait).collect()
}
