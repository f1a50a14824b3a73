//! A schedule as a table: a column per thread, time goes down.

use std::fmt::Write;

use warpath_trace::si::{Si, Visible};

/// More steps than this are not read by anybody: the last ones are what matters.
const SHOWN: usize = 24;
/// A column is not wider than this.
const WIDEST: usize = 34;

/// The table, indented by two blanks: the last steps, a column for each thread that has one of them. In front of the
/// schedule come the first `begin` events of the recorded run.
pub(in crate::commands) fn table(si: &Si, begin: u32) -> String {
    let skipped = si.schedule.len().saturating_sub(SHOWN);
    let shown = &si.schedule[skipped..];
    let mut threads: Vec<String> = shown.iter().map(|step| step.thread.to_string()).collect();
    threads.sort();
    threads.dedup();
    let steps: Vec<(usize, String)> = shown
        .iter()
        .map(|step| {
            let thread = step.thread.to_string();
            let column = threads.iter().position(|known| *known == thread).unwrap_or(0);
            let text = match &step.what {
                Visible::Event(expected) => expected.to_string(),
                Visible::Any(count) => format!("*{count}"),
            };
            (column, shortened(&text))
        })
        .collect();
    let widths: Vec<usize> = threads
        .iter()
        .enumerate()
        .map(|(column, thread)| {
            let texts = steps.iter().filter(|(at, _)| *at == column).map(|(_, text)| text.chars().count());
            texts.max().unwrap_or(0).max(thread.chars().count())
        })
        .collect();
    let row = |cell: &dyn Fn(usize) -> String| {
        let mut line = String::from(" ");
        for (column, width) in widths.iter().enumerate() {
            let _ = write!(line, " {:<width$} ", cell(column));
        }
        format!("{}\n", line.trim_end())
    };
    let mut table = row(&|column| threads[column].clone());
    table.push_str(&row(&|column| "-".repeat(widths[column])));
    let recorded = (begin > 0).then(|| format!("{begin} events as recorded"));
    let others = (skipped > 0).then(|| format!("{skipped} steps"));
    let before: Vec<String> = recorded.into_iter().chain(others).collect();
    if !before.is_empty() {
        let _ = writeln!(table, "  … {}, then", before.join(", "));
    }
    for (at, text) in &steps {
        table.push_str(&row(&|column| if column == *at { text.clone() } else { String::new() }));
    }
    table
}

fn shortened(text: &str) -> String {
    if text.chars().count() <= WIDEST {
        return text.to_owned();
    }
    let kept: String = text.chars().take(WIDEST - 1).collect();
    format!("{kept}…")
}
