//! How a run ended, in words and for JSON.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Serialize;
use warpath_native::run::{End, Run, Why};
use warpath_trace::event::{FailureKind, Op};
use warpath_trace::ids::ThreadIx;
use warpath_trace::trace::Trace;

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
    /// In a deadlock, who waits for what.
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
    fn of(trace: &Trace) -> Option<FailureReport> {
        let tables = &trace.tables;
        let (thread, event) = trace.threads.iter().enumerate().find_map(|(thread, events)| {
            let event = events.iter().rev().find(|event| matches!(event.op, Op::Failure { .. }))?;
            Some((ThreadIx::from(thread), event))
        })?;
        let Op::Failure { kind, message, address } = event.op else { return None };
        let message = tables.text(message).into_owned();
        let waits = if kind == FailureKind::Deadlock { waits(trace, &message) } else { Vec::new() };
        Some(FailureReport {
            kind: kind.to_string(),
            thread: tables.key(thread).to_string(),
            place: tables.source_name(event.at),
            address: address.map(|address| format!("{address:#x}")),
            message,
            waits,
        })
    }

    /// `FAILED assertion: x < 2`, and where, as compilers show it.
    pub(crate) fn text(&self, headline: &str) -> String {
        let mut text = match self.waits.is_empty() {
            true => format!("{headline} {}: {}\n", self.kind, self.message),
            false => format!("{headline} {}: no thread can go on\n", self.kind),
        };
        if self.waits.is_empty() {
            let place = if self.place.is_empty() { "a place without a name" } else { &self.place };
            let _ = writeln!(text, "  --> {place} {}", self.thread);
        }
        for wait in &self.waits {
            let place = if wait.place.is_empty() { "a place without a name" } else { &wait.place };
            let _ = writeln!(text, "  --> {place} {} {}", wait.thread, wait.waits_for);
        }
        text
    }
}

/// The tracer's sentence has one part for each thread: `T0.1 waits for mutex `a`, held by T0.0`.
fn waits(trace: &Trace, message: &str) -> Vec<WaitReport> {
    let part = |part: &str| {
        let (thread, waits_for) = part.split_once(' ')?;
        let ix = trace.tables.thread_by_key(&thread.parse().ok()?)?;
        let last =
            trace.threads.get(ix.index())?.iter().rev().find(|event| !matches!(event.op, Op::Failure { .. }));
        let place = last.map(|event| trace.tables.source_name(event.at)).unwrap_or_default();
        Some(WaitReport { thread: thread.to_owned(), place, waits_for: waits_for.to_owned() })
    };
    message.split("; ").filter_map(part).collect()
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
