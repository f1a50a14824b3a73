//! A bug in the form in which it is reported.

use std::path::Path;

use serde::Serialize;
use serde_json::{Map, Value};
use warpath_analyzer::explore::Bug;

use crate::present::{self, Side, Story, inputs, sarif};
use crate::runs::{FailureReport, WaitReport};

/// One entry of `bugs` in `warpath.explore/1`.
#[derive(Debug, Serialize)]
pub(super) struct Reported {
    pub(super) kind: String,
    pub(super) message: String,
    #[serde(rename = "where")]
    pub(super) place: String,
    pub(super) threads: Vec<String>,
    pub(super) reason: String,
    pub(super) inputs: Map<String, Value>,
    pub(super) places: Vec<Place>,
    pub(super) waits: Vec<WaitReport>,
    pub(super) story: Vec<present::Told>,
    pub(super) si: String,
    pub(super) trace: String,
    pub(super) execution: u64,
    pub(super) interferences: Option<usize>,
    pub(super) replayed: bool,
    /// What is for the terminal and for editors only.
    #[serde(skip)]
    pub(super) told: Told,
}

/// A place that a bug is about.
#[derive(Debug, Serialize)]
pub(super) struct Place {
    #[serde(rename = "where")]
    place: String,
    thread: String,
    role: String,
}

/// A bug in words.
#[derive(Debug)]
pub(super) struct Told {
    /// What went wrong.
    pub(super) sentence: String,
    /// Where, the failure first.
    pub(super) sides: Vec<Side>,
    /// The interleaving, a column per thread.
    pub(super) table: Option<String>,
    /// The same, one step after the other.
    steps: Vec<Side>,
    fingerprint: String,
}

impl Reported {
    /// `execution` is the run that first showed it.
    pub(super) fn new(bug: &Bug, execution: u64, si: &Path, trace: &Path) -> Reported {
        let failure = if bug.finding.is_none() { FailureReport::of(&bug.trace) } else { None };
        let story = Story::of(bug);
        let sides = sides(bug, failure.as_ref(), story.as_ref());
        let place = |side: &Side| Place {
            place: side.place.clone(),
            thread: side.thread.clone(),
            role: side.role.clone(),
        };
        Reported {
            kind: bug.kind.clone(),
            message: bug.message.clone(),
            place: bug.place.clone(),
            threads: bug.threads.clone(),
            reason: reason(bug, execution, story.as_ref()),
            inputs: inputs::values(&bug.si.inputs),
            places: sides.iter().map(place).collect(),
            story: story.as_ref().map(Story::told).unwrap_or_default(),
            si: si.display().to_string(),
            trace: trace.display().to_string(),
            execution,
            interferences: bug.interferences,
            replayed: true,
            told: Told {
                sentence: match &failure {
                    Some(failure) => failure.sentence(),
                    None => bug.message.clone(),
                },
                sides,
                table: story.as_ref().map(Story::table),
                steps: story.iter().flat_map(Story::steps).collect(),
                fingerprint: bug.identity.to_string(),
            },
            waits: failure.map(|failure| failure.waits).unwrap_or_default(),
        }
    }

    pub(super) fn sarif(&self) -> sarif::Found {
        let properties = [
            ("verdict", "BUG".into()),
            ("reason", self.reason.clone().into()),
            ("inputs", self.inputs.clone().into()),
            ("threads", self.threads.clone().into()),
            ("si", self.si.clone().into()),
            ("trace", self.trace.clone().into()),
        ];
        sarif::Found {
            kind: self.kind.clone(),
            level: sarif::Level::Error,
            message: self.told.sentence.clone(),
            sides: self.told.sides.clone(),
            steps: self.told.steps.clone(),
            fingerprint: self.told.fingerprint.clone(),
            properties: properties.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
        }
    }
}

/// The failure, or the waits of a deadlock, or the events of a finding; and what other threads wrote that decided it.
fn sides(bug: &Bug, failure: Option<&FailureReport>, story: Option<&Story<'_>>) -> Vec<Side> {
    if let Some(finding) = &bug.finding {
        let side = |event: &warpath_analyzer::findings::Involved| Side {
            place: event.place.clone(),
            thread: event.thread.clone(),
            role: event.role.clone(),
        };
        return finding.events.iter().map(side).collect();
    }
    let mut sides = failure.map(FailureReport::sides).unwrap_or_default();
    if failure.is_some_and(|failure| failure.waits.is_empty()) {
        sides.extend(story.map(Story::others).unwrap_or_default().into_iter().map(|other| Side {
            role: format!("wrote the {} that {} read from {}", other.value, other.reader, other.storage),
            thread: other.writer,
            place: other.written,
        }));
    }
    sides
}

/// Why it was reported.
fn reason(bug: &Bug, execution: u64, story: Option<&Story<'_>>) -> String {
    if let Some(finding) = &bug.finding {
        return format!("{}; execution {execution} showed it", finding.reason);
    }
    let seen = format!("execution {execution} failed so, and failed so again when it was replayed");
    match story.map(Story::others).unwrap_or_default().first() {
        Some(other) => {
            let (reader, value, storage) = (&other.reader, &other.value, &other.storage);
            format!("{reader} read {value} from {storage}, which {} had written; {seen}", other.writer)
        }
        None => seen,
    }
}
