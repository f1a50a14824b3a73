//! `--sarif`: each cause is a result, with the interleaving of the trace that shows it best.

use std::fs;
use std::path::Path;

use warpath_trace::si::Si;

use super::entry::Verdict;
use super::results::{Cause, Results};
use crate::present::{Side, sarif};

/// Larger SI files are not read for a code flow.
const LARGEST: u64 = 16 << 20;

/// Writes the log.
pub(super) fn write(path: &Path, results: &Results<'_>) -> anyhow::Result<()> {
    let found: Vec<sarif::Found> = results.groups.iter().map(result).collect();
    sarif::write(path, &found, results.exit())
}

fn result(cause: &Cause<'_>) -> sarif::Found {
    let sides = cause.events.iter().map(|event| Side {
        place: event.place.to_owned(),
        thread: event.thread.to_owned(),
        role: event.role.to_owned(),
    });
    let small = fs::metadata(&cause.si).is_ok_and(|metadata| metadata.len() <= LARGEST);
    let text = if small { fs::read_to_string(&cause.si).unwrap_or_default() } else { String::new() };
    let properties = [
        ("verdict", cause.verdict.name().into()),
        ("class", serde_json::to_value(cause.class).unwrap_or_default()),
        ("rank", cause.rank.into()),
        ("traces", cause.count.into()),
        ("observed", cause.observed.into()),
        ("reason", cause.reason.into()),
        ("inputs", cause.inputs.clone().into()),
        ("trace", cause.trace.display().to_string().into()),
        ("si", cause.si.clone().into()),
        ("script", cause.script.clone().into()),
    ];
    sarif::Found {
        kind: cause.kind.to_owned(),
        level: match cause.verdict {
            Verdict::Observed => sarif::Level::Error,
            Verdict::Predicted => sarif::Level::Warning,
        },
        message: cause.message.to_owned(),
        sides: sides.collect(),
        steps: Si::parse(&text).map(|si| sarif::steps(&si)).unwrap_or_default(),
        fingerprint: cause.fingerprint.clone(),
        properties: properties.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
    }
}
