//! What a trace contains, counted (`warpath.show/1`).

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;
use warpath_trace::header::{MemoryModel, OrderKind, Outcome, Values};
use warpath_trace::trace::Trace;

use crate::traces::Loaded;

/// A trace in numbers.
#[derive(Debug, Serialize)]
pub(super) struct Contents {
    format: &'static str,
    file: PathBuf,
    bytes: u64,
    complete: bool,
    program: String,
    arguments: Vec<String>,
    tracer: String,
    order: &'static str,
    model: MemoryModel,
    values: &'static str,
    outcome: Option<String>,
    events: u64,
    kinds: BTreeMap<String, u64>,
    threads: Vec<ThreadCount>,
    inputs: Vec<InputEntry>,
    objects: usize,
    locations: usize,
    expressions: usize,
    positions: usize,
    approximations: BTreeMap<String, u64>,
}

#[derive(Debug, Serialize)]
struct ThreadCount {
    thread: String,
    start: String,
    events: usize,
}

#[derive(Debug, Serialize)]
struct InputEntry {
    name: String,
    nth: u32,
    width: u8,
}

impl Contents {
    /// Counts.
    pub(super) fn of(file: &Path, loaded: &Loaded) -> Contents {
        let trace = &loaded.trace;
        let (header, tables) = (&trace.header, &trace.tables);
        let mut kinds = BTreeMap::new();
        for event in trace.threads.iter().flatten() {
            *kinds.entry(event.op.verb()).or_insert(0) += 1;
        }
        Contents {
            format: "warpath.show/1",
            file: file.to_path_buf(),
            bytes: fs::metadata(file).map_or(0, |metadata| metadata.len()),
            complete: loaded.complete,
            program: header.program.clone(),
            arguments: header.argument_texts(),
            tracer: format!("{} {}", header.tracer, header.tracer_version).trim().to_owned(),
            order: match header.order {
                OrderKind::Total => "total",
                OrderKind::Tickets => "tickets",
            },
            model: header.model,
            values: match header.values {
                Values::Pinned => "pinned",
                Values::Symbolic => "symbolic",
            },
            outcome: trace.footer.as_ref().map(|footer| outcome(footer.outcome)),
            events: trace.len(),
            kinds: kinds.into_iter().map(|(verb, count)| (kebab(&format!("{verb:?}")), count)).collect(),
            threads: threads(trace),
            inputs: tables
                .inputs()
                .iter()
                .map(|input| InputEntry {
                    name: tables.text(input.name).into_owned(),
                    nth: input.nth,
                    width: input.width,
                })
                .collect(),
            objects: tables.objects().len(),
            locations: tables.locations().len(),
            expressions: tables.exprs.len(),
            positions: tables.sources().len().saturating_sub(1),
            approximations: trace
                .footer
                .iter()
                .flat_map(|footer| &footer.approximations)
                .map(|&(what, count)| (tables.text(what).into_owned(), count))
                .collect(),
        }
    }
}

fn threads(trace: &Trace) -> Vec<ThreadCount> {
    let entries = trace.tables.threads().iter().zip(trace.tables.keys()).zip(&trace.threads);
    entries
        .map(|((thread, key), events)| ThreadCount {
            thread: key.to_string(),
            start: trace.tables.text(thread.start).into_owned(),
            events: events.len(),
        })
        .collect()
}

fn outcome(outcome: Outcome) -> String {
    match outcome {
        Outcome::Exited(status) => format!("exited {status}"),
        Outcome::Failed(kind) => format!("failed: {}", kebab(&format!("{kind:?}"))),
        Outcome::Stopped => "stopped".into(),
        Outcome::Unknown => "unknown".into(),
    }
}

/// `RdLock` to `rd-lock`.
fn kebab(name: &str) -> String {
    let mut text = String::with_capacity(name.len() + 2);
    for (at, c) in name.chars().enumerate() {
        if c.is_ascii_uppercase() && at > 0 {
            text.push('-');
        }
        text.push(c.to_ascii_lowercase());
    }
    text
}

impl fmt::Display for Contents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let program: Vec<&str> =
            [&self.program].into_iter().chain(&self.arguments).map(String::as_str).collect();
        let mut row = |name: &str, value: &dyn fmt::Display| writeln!(f, "{name:<15}{value}");
        row("program", &program.join(" "))?;
        row("tracer", &self.tracer)?;
        row("outcome", &self.outcome.as_deref().unwrap_or("not known: the trace was cut"))?;
        row("order", &self.order)?;
        row("values", &self.values)?;
        row("events", &Events(self))?;
        for (kind, count) in &self.kinds {
            row("", &format_args!("{count:>6} {kind}"))?;
        }
        row("threads", &self.threads.len())?;
        for thread in &self.threads {
            row("", &format_args!("{:>6} {} {}", thread.events, thread.thread, thread.start))?;
        }
        row("inputs", &self.inputs.len())?;
        for input in &self.inputs {
            row("", &format_args!("{:>6} bits {} #{}", input.width, input.name, input.nth))?;
        }
        row("objects", &self.objects)?;
        row("locations", &self.locations)?;
        row("expressions", &self.expressions)?;
        row("positions", &self.positions)?;
        row("approximations", &self.approximations.values().sum::<u64>())?;
        for (what, count) in &self.approximations {
            row("", &format_args!("{count:>6} {what}"))?;
        }
        Ok(())
    }
}

/// The number of events and, where there are any, how much room each takes in the file.
struct Events<'a>(&'a Contents);

impl fmt::Display for Events<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Contents { events, bytes, .. } = *self.0;
        write!(f, "{events}")?;
        if events > 0 {
            write!(f, " in {bytes} bytes, {:.1} per event", bytes as f64 / events as f64)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_kinds() {
        assert_eq!(kebab("Read"), "read");
        assert_eq!(kebab("FutexRequeue"), "futex-requeue");
        assert_eq!(kebab("Exit(3)"), "exit(3)");
    }
}
