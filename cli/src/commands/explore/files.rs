//! The files that exploration writes.

use std::path::{Path, PathBuf};

use anyhow::Context;
use warpath_analyzer::explore::Bug;
use warpath_trace::repair::Rule;

use crate::outputs::{make_folder, replace_file};
use crate::traces::{Destination, TraceForm};

/// Writes the schedule and the trace of the `number`-th bug; their paths.
pub(super) fn keep(
    bug: &Bug,
    number: usize,
    folder: &Path,
    repair: &[Rule],
) -> anyhow::Result<(PathBuf, PathBuf)> {
    make_folder(folder)?;
    let path = |ending: &str| folder.join(format!("bug-{number}.{ending}"));
    let (schedule, trace) = (path("si.toml"), path("wpt"));
    let mut si = bug.si.clone();
    si.repair = repair.to_vec();
    si.origin.trace = trace.display().to_string();
    let text = si.print()?;
    replace_file(&schedule, |out| Ok(out.write_all(text.as_bytes())?))?;
    let canonical = bug.trace.canonical().context("the trace cannot be numbered")?;
    Destination::new(trace.clone(), Some(TraceForm::Wpt), None)?.store(&canonical)?;
    Ok((schedule, trace))
}
