//! A schedule as a table: a column per thread, time goes down.

use std::fmt::Write;

use warpath_trace::si::{Si, Visible};

/// More steps than this are not read by anybody: the last ones are what matters.
const SHOWN: usize = 24;
/// A column is not wider than this.
const WIDEST: usize = 34;

/// The table, indented by two blanks.
pub(super) fn table(si: &Si) -> String {
    let mut threads: Vec<String> = si.schedule.iter().map(|step| step.thread.to_string()).collect();
    threads.sort();
    threads.dedup();
    let skipped = si.schedule.len().saturating_sub(SHOWN);
    let steps: Vec<(usize, String)> = si.schedule[skipped..]
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
    let mut table = String::new();
    let mut row = |cells: &dyn Fn(usize) -> String| {
        let mut line = String::from(" ");
        for (column, width) in widths.iter().enumerate() {
            let _ = write!(line, " {:<width$} ", cells(column));
        }
        table.push_str(line.trim_end());
        table.push('\n');
    };
    row(&|column| threads[column].clone());
    row(&|column| "-".repeat(widths[column]));
    if skipped > 0 {
        row(&|column| if column == 0 { "…".to_owned() } else { String::new() });
    }
    for (at, text) in &steps {
        row(&|column| if column == *at { text.clone() } else { String::new() });
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
