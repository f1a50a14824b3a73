//! The events of a schedule as the page shows them, wherever they come from.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use warpath_trace::trace::Trace;

use super::results::Told;
use crate::present::diagnosis::Event;
use crate::present::{is_missed, words};
use crate::traces::Source;

/// One event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) thread: String,
    /// `write`, `lock`, `fails`.
    pub(super) verb: String,
    /// To what; may be empty.
    pub(super) object: String,
    pub(super) value: Option<String>,
    /// `src/m.c:38:9`; empty if unknown.
    pub(super) place: String,
    pub(super) function: String,
    pub(super) source: Option<String>,
    /// Events of the thread before it.
    pub(super) position: u32,
}

/// A schedule.
#[derive(Clone, Debug, Default)]
pub(super) struct Schedule {
    pub(super) steps: Vec<Step>,
    /// Which of them matter by what is known without causes.
    pub(super) matter: BTreeSet<usize>,
    /// Start routines of threads, as far as the trace names them.
    pub(super) starts: HashMap<String, String>,
    /// From a write to a read of another thread that took its value.
    pub(super) flows: Vec<(usize, usize)>,
}

impl Step {
    /// Of a diagnosis.
    pub(super) fn of(event: &Event) -> Step {
        Step {
            thread: event.thread.clone(),
            verb: verb(&event.kind),
            object: event.object.clone(),
            value: event.value.clone(),
            place: event.place.clone(),
            function: event.function.clone(),
            source: event.source.clone(),
            position: event.position,
        }
    }

    /// Of the text form: `w x 101`.
    fn parse(thread: String, position: u32, what: &str, place: String) -> Step {
        let (kind, rest) = what.split_once(' ').unwrap_or((what, ""));
        let is_access = matches!(kind, "r" | "w" | "commit");
        let (object, value) = match rest.rsplit_once(' ').filter(|_| is_access) {
            Some((object, value)) => (object.to_owned(), Some(value.to_owned())),
            None => (rest.to_owned(), None),
        };
        Step {
            thread,
            verb: verb(kind.trim_end_matches(':')),
            object,
            value,
            place,
            position,
            ..Step::default()
        }
    }

    /// In a line.
    pub(super) fn line(&self) -> String {
        let value = self.value.as_ref().map(|value| format!("= {value}"));
        let parts = [Some(self.verb.clone()), Some(self.object.clone()), value];
        parts.into_iter().flatten().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
    }

    /// What makes it the same event in another schedule, but for how often it happens.
    pub(super) fn key(&self) -> (&str, &str, &str, &str) {
        (&self.thread, &self.verb, &self.object, &self.place)
    }
}

/// The words of the text form as people say them.
fn verb(kind: &str) -> String {
    match kind {
        "r" => "read",
        "w" => "write",
        "rmw" => "update",
        "fork" => "start",
        "fail" => "fails",
        other => other,
    }
    .to_owned()
}

impl Schedule {
    /// Of a diagnosis.
    pub(super) fn of(events: &[Event]) -> Schedule {
        Schedule { steps: events.iter().map(Step::of).collect(), ..Schedule::default() }
    }

    /// Of a bug that exploration found: all of its run if the trace is there, else what the result says of it.
    pub(super) fn of_bug(trace: &str, folder: &Path, story: &[Told]) -> Schedule {
        match load(trace, folder) {
            Some(trace) => Schedule::of_trace(&trace, story),
            None => {
                let steps: Vec<Step> = story.iter().map(of_told).collect();
                let matter = (0..steps.len()).collect();
                let flows = story.iter().enumerate().filter_map(|(n, told)| Some((told.from?, n)));
                Schedule { steps, matter, flows: flows.collect(), ..Schedule::default() }
            }
        }
    }

    fn of_trace(trace: &Trace, story: &[Told]) -> Schedule {
        let mut schedule = Schedule::default();
        let mut shown: HashMap<(String, u32), usize> = HashMap::new();
        let told: HashMap<(&str, u32), usize> =
            story.iter().enumerate().map(|(n, told)| ((told.thread.as_str(), told.position), n)).collect();
        for (thread, index, event) in trace.in_order().into_iter().flatten() {
            let key = trace.tables.key(thread).to_string();
            let matters = told.contains_key(&(key.as_str(), index));
            if !matters && !is_missed(event) {
                continue;
            }
            let at = schedule.steps.len();
            if matters {
                schedule.matter.insert(at);
            }
            let what = words(trace, (thread, index), event);
            let place = trace.tables.source_name(event.at);
            shown.insert((key.clone(), index), at);
            schedule.steps.push(Step::parse(key, index, &what, place));
        }
        for (key, thread) in trace.tables.keys().iter().zip(trace.tables.threads()) {
            schedule.starts.insert(key.to_string(), trace.tables.text(thread.start).into_owned());
        }
        let at = |told: &Told| shown.get(&(told.thread.clone(), told.position)).copied();
        schedule.flows =
            story.iter().filter_map(|read| Some((at(story.get(read.from?)?)?, at(read)?))).collect();
        schedule
    }

    /// The threads, in the order of their keys.
    pub(super) fn threads(&self) -> Vec<String> {
        let mut threads: Vec<&str> = self.steps.iter().map(|step| step.thread.as_str()).collect();
        threads.sort_unstable_by_key(|key| in_order(key));
        threads.dedup();
        threads.into_iter().map(str::to_owned).collect()
    }
}

/// `T0.2` comes before `T0.10`.
pub(super) fn in_order(key: &str) -> Vec<u64> {
    key.trim_start_matches('T').split('.').map(|part| part.parse().unwrap_or(u64::MAX)).collect()
}

fn of_told(told: &Told) -> Step {
    Step::parse(told.thread.clone(), told.position, &told.what, told.place.clone())
}

/// The trace as it is named, or beside the result: folders get moved.
fn load(trace: &str, folder: &Path) -> Option<Trace> {
    if trace.is_empty() {
        return None;
    }
    let beside = Path::new(trace).file_name().map(|name| folder.join(name));
    let candidates = [Some(PathBuf::from(trace)), beside].into_iter().flatten();
    let path = candidates.into_iter().find(|path| path.is_file())?;
    Source { path, form: None, salvage: false }.load().ok().map(|loaded| loaded.trace)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_the_text_form_are_taken_apart() {
        let step = |what: &str| Step::parse("T0".into(), 0, what, String::new());
        assert_eq!(step("w a b 101").line(), "write a b = 101");
        assert_eq!(step("rmw x 1 -> 2").line(), "update x 1 -> 2");
        assert_eq!(step("fails: assertion").line(), "fails assertion");
        assert_eq!(step("end").line(), "end");
    }

    #[test]
    fn threads_are_in_the_order_of_their_numbers() {
        let steps =
            ["T0.10", "T0", "T0.2", "T0.2.1"].map(|key| Step { thread: key.into(), ..Step::default() });
        let schedule = Schedule { steps: steps.to_vec(), ..Schedule::default() };
        assert_eq!(schedule.threads(), ["T0", "T0.2", "T0.2.1", "T0.10"]);
    }
}
