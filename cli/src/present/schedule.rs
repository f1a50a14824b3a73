//! The interleaving of a schedule that nobody has run yet.

use warpath_trace::si::{Si, Visible};

use super::columns::{Row, lay_out};

/// More steps than this are not read by anybody: the last ones are what matters.
const SHOWN: usize = 24;

/// The last steps, a column for each thread that has one of them. In front of the schedule come the first `begin`
/// events of the recorded run.
pub(crate) fn table(si: &Si, begin: u32) -> String {
    let skipped = si.schedule.len().saturating_sub(SHOWN);
    let shown = &si.schedule[skipped..];
    let mut threads: Vec<String> = shown.iter().map(|step| step.thread.to_string()).collect();
    threads.sort();
    threads.dedup();
    let recorded = (begin > 0).then(|| format!("{begin} events as recorded"));
    let others = (skipped > 0).then(|| format!("{skipped} steps"));
    let before: Vec<String> = recorded.into_iter().chain(others).collect();
    let mut rows = Vec::new();
    if !before.is_empty() {
        rows.push(Row::Remark(format!("… {}, then", before.join(", "))));
    }
    rows.extend(shown.iter().map(|step| {
        let thread = step.thread.to_string();
        let column = threads.iter().position(|known| *known == thread).unwrap_or(0);
        let text = match &step.what {
            Visible::Event(expected) => expected.to_string(),
            Visible::Any(count) => format!("*{count}"),
        };
        Row::Step(column, text)
    }));
    lay_out(&threads, &rows)
}
