//! How a run ended, in words and for JSON.

use std::collections::BTreeMap;

use serde::Serialize;
use warpath_native::run::{End, Run, Why};
use warpath_trace::event::Op;
use warpath_trace::failed::Wait;
use warpath_trace::trace::Trace;

use crate::present::{Side, Sources};

/// How a run ended and what is known of it; the fields are those of `warpath.record/1`.
#[derive(Debug, Serialize)]
pub(crate) struct Ended {
    pub(crate) outcome: &'static str,
    pub(crate) status: Option<i32>,
    pub(crate) failure: Option<FailureReport>,
    pub(crate) stopped: Option<&'static str>,
    pub(crate) message: String,
    pub(crate) events: u64,
    pub(crate) threads: usize,
    pub(crate) shared_bytes: u64,
    pub(crate) inputs: Vec<InputReport>,
    pub(crate) approximations: BTreeMap<String, u64>,
    pub(crate) instructions: u64,
}

/// What went wrong in the program.
#[derive(Debug, Serialize)]
pub(crate) struct FailureReport {
    /// In the words of the text form.
    pub(crate) kind: String,
    pub(crate) message: String,
    pub(crate) thread: String,
    #[serde(rename = "where")]
    pub(crate) place: String,
    pub(crate) address: Option<String>,
    /// In a deadlock or livelock, who waits for what.
    pub(crate) waits: Vec<WaitReport>,
}

/// A thread that waits for ever.
#[derive(Debug, Serialize)]
pub(crate) struct WaitReport {
    pub(crate) thread: String,
    #[serde(rename = "where")]
    pub(crate) place: String,
    pub(crate) waits_for: String,
}

/// An input and the value it had.
#[derive(Debug, Serialize)]
pub(crate) struct InputReport {
    name: String,
    nth: u32,
    width: u8,
    /// Text, because it may have 128 bits.
    value: String,
}

impl Ended {
    pub(crate) fn of(run: &Run) -> Ended {
        let trace = &run.trace;
        let failure = FailureReport::of(trace);
        let (outcome, status, stopped, message) = match &run.end {
            End::Exited(0) => ("exited", Some(0), None, "ended normally".to_owned()),
            End::Exited(status) => {
                ("exited", Some(*status), None, format!("ended with exit status {status}"))
            }
            End::Failed(failure) => ("failed", None, None, format!("failed: {}", failure.message)),
            End::Stopped(why) => {
                let (word, message) = stopped(why);
                ("stopped", None, Some(word), message)
            }
        };
        let tables = &trace.tables;
        let approximations = trace.footer.iter().flat_map(|footer| &footer.approximations);
        Ended {
            outcome,
            status,
            failure,
            stopped,
            message,
            events: trace.len(),
            threads: trace.threads.len(),
            shared_bytes: trace.sharing.iter().map(|range| range.size).sum(),
            inputs: inputs(trace),
            approximations: approximations
                .map(|&(what, count)| (tables.text(what).into_owned(), count))
                .collect(),
            instructions: run.instructions,
        }
    }

    /// What was approximated in a way that can hide something, as a line; instructions that the hardware executed are
    /// exact.
    pub(crate) fn approximated(&self) -> Option<String> {
        let matters = self.approximations.iter().filter(|(what, _)| !what.contains("hardware"));
        let parts: Vec<String> = matters.map(|(what, count)| format!("{count} {what}")).collect();
        (!parts.is_empty()).then(|| parts.join("; "))
    }

    /// How much was recorded, in a few words.
    pub(crate) fn size(&self) -> String {
        let threads = if self.threads == 1 { "thread" } else { "threads" };
        format!("{} events of {} {threads}, {} shared bytes", self.events, self.threads, self.shared_bytes)
    }
}

impl FailureReport {
    /// The failure that a trace ends with.
    pub(crate) fn of(trace: &Trace) -> Option<FailureReport> {
        let failed = trace.failed()?;
        let key = |thread| trace.tables.key(thread).to_string();
        let wait = |wait: Wait| WaitReport {
            thread: key(wait.thread),
            place: wait.place,
            waits_for: wait.waits_for,
        };
        Some(FailureReport {
            kind: failed.kind.to_string(),
            thread: key(failed.thread),
            place: failed.place,
            address: failed.address.map(|address| format!("{address:#x}")),
            message: failed.message,
            waits: failed.waits.into_iter().map(wait).collect(),
        })
    }

    /// `FAILED assertion: x < 2`, and where, as compilers show it.
    pub(crate) fn text(&self, headline: &str) -> String {
        format!("{headline} {}\n{}", self.sentence(), Sources::default().show(&self.sides()))
    }

    /// `assertion: x < 2`.
    pub(crate) fn sentence(&self) -> String {
        match self.waits.is_empty() {
            true => format!("{}: {}", self.kind, self.message),
            false => format!("{}: no thread can go on", self.kind),
        }
    }

    /// Where it shows: in a deadlock, where each thread waits.
    pub(crate) fn sides(&self) -> Vec<Side> {
        if self.waits.is_empty() {
            let side = Side { place: self.place.clone(), thread: self.thread.clone(), role: String::new() };
            return vec![side];
        }
        let side = |wait: &WaitReport| Side {
            place: wait.place.clone(),
            thread: wait.thread.clone(),
            role: wait.waits_for.clone(),
        };
        self.waits.iter().map(side).collect()
    }
}

fn inputs(trace: &Trace) -> Vec<InputReport> {
    let tables = &trace.tables;
    let input = |op: &Op| match *op {
        Op::Input { input, value } => {
            let entry = tables.inputs().get(input.index())?;
            let name = tables.text(entry.name).into_owned();
            Some(InputReport { name, nth: entry.nth, width: entry.width, value: value.to_string() })
        }
        _ => None,
    };
    trace.listing().filter_map(|(_, _, event)| input(&event.op)).collect()
}

/// A word for JSON and a sentence about the program.
fn stopped(why: &Why) -> (&'static str, String) {
    match why {
        Why::Events(limit) => {
            ("events", format!("was stopped: a thread had {limit} visible events (--max-events)"))
        }
        Why::Instructions(limit) => {
            ("instructions", format!("was stopped after {limit} instructions (--max-instructions)"))
        }
        Why::Expressions(limit) => ("expressions", format!("was stopped after {limit} expressions")),
        Why::Output(limit) => ("output", format!("was stopped after {limit} bytes of output (--max-output)")),
        Why::Time(seconds) => ("time", format!("was stopped after {seconds} s")),
        Why::Assumption => {
            ("assumption", "stopped itself: an assumption does not hold for these inputs".into())
        }
        Why::Interrupted => ("interrupted", "was interrupted".into()),
        Why::Executed => ("executed", "became another program by exec, which is not followed".into()),
        Why::Sharing => {
            ("sharing", "was stopped: a thread waits for memory that was not known to be shared".into())
        }
        Why::Main => ("main", "has come to its main".into()),
        Why::Diverged(divergence) => ("diverged", format!("left the schedule: {divergence}")),
    }
}
