//! What a run did, as a schedule that makes it happen again.

use std::path::Path;

use anyhow::Context;
use warpath_trace::si::{Expect, Si};
use warpath_trace::trace::Trace;

use super::Ended;
use crate::outputs::replace_file;

/// Writes the run's own schedule and inputs; `origin` is where its trace is.
pub(crate) fn write_si(path: &Path, origin: &Path, trace: &Trace, ended: &Ended) -> anyhow::Result<()> {
    let mut si = Si::of_run(trace).context("the run has no order of events")?;
    si.origin.trace = origin.display().to_string();
    if let Some(failure) = &ended.failure {
        si.expect = Expect {
            outcome: failure.kind.clone(),
            thread: failure.thread.clone(),
            place: failure.place.clone(),
            message: failure.message.clone(),
        };
    }
    let text = si.print()?;
    replace_file(path, |out| Ok(out.write_all(text.as_bytes())?))
}
