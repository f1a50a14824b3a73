//! `--sarif FILE`: bugs as SARIF 2.1.0, the form that editors and code-review pages read.
//!
//! Each bug is a result with its places, its interleaving as a code flow (a thread flow per thread, with the order of
//! execution across them), and its inputs among the properties.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::Path;

use serde::Serialize;
use serde_json::{Map, Value, json};
use warpath_trace::si::{Expected, Si, Step, Visible};

use super::places::{Side, column, file_and_line};
use crate::exit::Exit;
use crate::outputs::replace_file;

/// Where the format is defined.
const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
/// So many steps are shown, and the last one of each thread: the last ones are what matters.
const STEPS: usize = 200;

/// How sure a result is.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Level {
    /// It has happened, twice.
    Error,
    /// It can happen.
    Warning,
}

/// A bug.
#[derive(Debug)]
pub(crate) struct Found {
    /// In one word: `assertion`, `data-race`.
    pub(crate) kind: String,
    pub(crate) level: Level,
    /// What went wrong, in a sentence.
    pub(crate) message: String,
    /// Where; the first is the place of the result.
    pub(crate) sides: Vec<Side>,
    /// What happened, one after the other.
    pub(crate) steps: Vec<Side>,
    /// What makes it the same result in another run of the command.
    pub(crate) fingerprint: String,
    /// What else is known.
    pub(crate) properties: Map<String, Value>,
}

/// The steps of a schedule.
pub(crate) fn steps(si: &Si) -> Vec<Side> {
    let step = |step: &Step| {
        let (place, role) = match &step.what {
            Visible::Event(expected) => {
                let place = expected.place.clone().unwrap_or_default();
                (place, Expected { place: None, ..expected.clone() }.to_string())
            }
            Visible::Any(count) => (String::new(), format!("{count} more steps")),
        };
        Side { place, thread: step.thread.to_string(), role }
    };
    si.schedule.iter().map(step).collect()
}

/// Writes a log with one run in it.
pub(crate) fn write(path: &Path, found: &[Found], exit: Exit) -> anyhow::Result<()> {
    let mut text = serde_json::to_string_pretty(&log(found, exit))?;
    text.push('\n');
    replace_file(path, |out| Ok(out.write_all(text.as_bytes())?))
}

fn log(found: &[Found], exit: Exit) -> Value {
    let mut rules: Vec<&str> = found.iter().map(Found::rule).collect();
    rules.sort_unstable();
    rules.dedup();
    let described: Vec<Value> = rules
        .iter()
        .map(|rule| json!({ "id": rule, "shortDescription": { "text": description(rule) } }))
        .collect();
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "warpath",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": described,
            }},
            "invocations": [{ "executionSuccessful": true, "exitCode": exit.code() }],
            "results": found.iter().map(|found| found.result(&rules)).collect::<Vec<_>>(),
        }],
    })
}

impl Found {
    /// `exit 3` is of the rule `exit`.
    fn rule(&self) -> &str {
        self.kind.split(' ').next().unwrap_or_default()
    }

    fn result(&self, rules: &[&str]) -> Value {
        let mut result = json!({
            "ruleId": self.rule(),
            "ruleIndex": rules.iter().position(|rule| *rule == self.rule()),
            "level": self.level,
            "message": { "text": self.message },
            "partialFingerprints": { "warpath/v1": self.fingerprint },
            "properties": self.properties,
        });
        if let Some((first, others)) = self.sides.split_first() {
            result["locations"] = json!([location(first)]);
            let related = others.iter().enumerate().map(|(n, side)| {
                let mut location = location(side);
                location["id"] = (n + 1).into();
                location
            });
            if !others.is_empty() {
                result["relatedLocations"] = related.collect();
            }
        }
        if !self.steps.is_empty() {
            result["codeFlows"] = json!([{ "threadFlows": self.thread_flows() }]);
        }
        result
    }

    fn thread_flows(&self) -> Vec<Value> {
        let shown = last(&self.steps);
        let mut threads: Vec<&str> = shown.iter().map(|step| step.thread.as_str()).collect();
        threads.sort_unstable();
        threads.dedup();
        let end = shown.len().saturating_sub(1);
        let flow = |thread: &str| {
            let numbered = shown.iter().enumerate().filter(|(_, step)| step.thread == thread);
            let steps = numbered.map(|(n, step)| {
                let importance = if n == end { "essential" } else { "important" };
                json!({ "executionOrder": n, "importance": importance, "location": location(step) })
            });
            json!({ "id": thread, "message": { "text": thread }, "locations": steps.collect::<Vec<_>>() })
        };
        threads.into_iter().map(flow).collect()
    }
}

/// The steps that are shown: no thread is lost, however long ago it did something.
fn last(steps: &[Side]) -> Vec<&Side> {
    let mut latest: HashMap<&str, usize> = HashMap::new();
    for (n, step) in steps.iter().enumerate() {
        latest.insert(&step.thread, n);
    }
    let skipped = steps.len().saturating_sub(STEPS);
    let is_shown = |n: usize, step: &Side| n >= skipped || latest.get(step.thread.as_str()) == Some(&n);
    steps.iter().enumerate().filter(|(n, step)| is_shown(*n, step)).map(|(_, step)| step).collect()
}

fn location(side: &Side) -> Value {
    let text = format!("{} {}", side.thread, side.role);
    let mut location = json!({ "message": { "text": text.trim_end() } });
    match file_and_line(&side.place) {
        Some((file, line)) if line > 0 => {
            let mut region = json!({ "startLine": line });
            if let Some(column) = column(&side.place) {
                region["startColumn"] = column.into();
            }
            location["physicalLocation"] =
                json!({ "artifactLocation": { "uri": uri(file) }, "region": region });
        }
        _ if side.place.is_empty() => {}
        // A function and an address in it, or the name of an event.
        _ => location["logicalLocations"] = json!([{ "fullyQualifiedName": side.place }]),
    }
    location
}

/// A file as a reference: relative as it is, absolute with its scheme; bytes with a meaning in references are encoded.
fn uri(file: &str) -> String {
    let mut uri = String::from(if file.starts_with('/') { "file://" } else { "" });
    for byte in file.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' | b'+' => {
                uri.push(byte.into())
            }
            _ => {
                let _ = write!(uri, "%{byte:02X}");
            }
        }
    }
    uri
}

/// What kind of bug it is, for people who see the word for the first time.
fn description(rule: &str) -> &'static str {
    match rule {
        "assertion" | "assertion-failure" => "An assertion does not hold under some schedule and inputs.",
        "abort" => "The program ends itself by abort.",
        "exit" => "The program ends with an exit status that means failure.",
        "segfault" | "bus" | "invalid-access" => "The program accesses memory that is not there.",
        "null-dereference" => "The program accesses memory through a null pointer.",
        "arithmetic" | "division-by-zero" => "The program divides by zero, or the like.",
        "out-of-bounds" => "The program accesses memory beyond the end of an object.",
        "use-after-free" => "Memory is used after it was given back.",
        "double-free" => "Memory is given back twice.",
        "invalid-free" => "Something is given back that was never allocated.",
        "deadlock" => "Threads wait for each other for ever.",
        "livelock" => "Threads spin without end.",
        "unlock-not-held" => "A mutex is released by a thread that does not hold it.",
        "uncaught-exception" => "An exception is not caught.",
        "panic" => "The program panics.",
        "data-race" => "Two threads access the same memory without synchronisation, and one of them writes.",
        "atomicity-violation" => "Another thread gets between two accesses that belong together.",
        "order-violation" => "Two accesses can happen in the wrong order.",
        _ => "The program fails under some schedule and inputs.",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_that_stopped_long_ago_keeps_its_last_step() {
        let step = |thread: &str, n: usize| Side {
            place: String::new(),
            thread: thread.to_owned(),
            role: n.to_string(),
        };
        let steps: Vec<Side> =
            [step("T0.1", 0), step("T0.1", 1)].into_iter().chain((2..1000).map(|n| step("T0", n))).collect();
        let roles: Vec<&str> = last(&steps).iter().map(|step| step.role.as_str()).collect();
        assert_eq!((roles.len(), roles[0], roles[1], roles[200]), (STEPS + 1, "1", "800", "999"));
    }

    #[test]
    fn references_are_encoded() {
        assert_eq!(uri("src/a b#1.c"), "src/a%20b%231.c");
        assert_eq!(uri("/home/ä.c"), "file:///home/%C3%A4.c");
        assert_eq!(uri("c:x.c"), "c%3Ax.c");
    }
}
