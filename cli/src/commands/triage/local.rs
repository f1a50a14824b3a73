//! The traces, analysed on this machine.

use std::collections::HashMap;
use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use anyhow::Context;
use nix::fcntl::{Flock, FlockArg};

use super::TriageConfig;
use super::entry::Examined;
use super::journal::{Journal, Known, Line, forget};
use super::pool::{Work, run as labour};
use super::task::Task;
use super::worker::tidy;
use crate::console::Console;
use crate::failure::advised;
use crate::interrupt::Interrupt;
use crate::progress::Progress;

/// Analyses what has not been; answers with what is known of every trace, in the order of the traces.
pub(super) fn run(
    config: &TriageConfig,
    task: &Task,
    traces: &[PathBuf],
    console: &Console,
) -> anyhow::Result<Vec<Line>> {
    let stop = Arc::new(AtomicBool::new(false));
    let stopping = Arc::clone(&stop);
    Interrupt::listen(move || stopping.store(true, Ordering::SeqCst))?;
    let _alone = alone(config)?;
    let (known, left) = resume(config, task, traces, console)?;
    tidy(&config.out);
    let progress = Progress::start(console, "traces", left.len() as u64);
    let mut journal = Journal::open(&config.out.join("journal"), "local")?;
    let work = Work { task, traces: &left, jobs: config.jobs, stop: &stop };
    let begin = Instant::now();
    let new = labour(&work, &mut journal, &|line| progress.step(&line.trace.display().to_string()))?;
    drop(progress);
    console.detail(speed(&new, begin));
    Ok(sorted(known.into_iter().chain(new)))
}

/// What an earlier run knows, and the traces that are left.
pub(super) fn resume(
    config: &TriageConfig,
    task: &Task,
    traces: &[PathBuf],
    console: &Console,
) -> anyhow::Result<(Vec<Line>, Vec<PathBuf>)> {
    let known = Known::read(&config.out.join("journal"), task)?;
    if known.broken > 0 {
        console.note(format_args!("note: {} lines of the journal were cut or damaged", known.broken));
    }
    let mut lines = Vec::new();
    let mut left = Vec::new();
    for trace in traces {
        match known.of(trace, task) {
            Some(line) => lines.push(line.clone()),
            None => left.push(trace.clone()),
        }
    }
    if !lines.is_empty() {
        console.note(format_args!(
            "note: {} of {} traces are known from an earlier run (--fresh: look at them again)",
            lines.len(),
            traces.len()
        ));
    }
    Ok((lines, left))
}

/// The lines in the order of the traces, the latest of each.
pub(super) fn sorted(lines: impl Iterator<Item = Line>) -> Vec<Line> {
    let latest: HashMap<PathBuf, Line> = lines.map(|line| (line.trace.clone(), line)).collect();
    let mut lines: Vec<Line> = latest.into_values().collect();
    lines.sort_by(|one, other| one.trace.cmp(&other.trace));
    lines
}

/// Two commands must not work in one folder. With `--fresh`, what an earlier one knows is forgotten.
pub(super) fn alone(config: &TriageConfig) -> anyhow::Result<Flock<File>> {
    let path = config.out.join("lock");
    let file = File::options().create(true).truncate(false).write(true).open(&path);
    let file = file.with_context(|| format!("cannot open {}", path.display()))?;
    let lock = Flock::lock(file, FlockArg::LockExclusiveNonblock).map_err(|_| {
        advised(
            format!("another `warpath triage` works in {}", config.out.display()),
            "wait for it, or choose another folder with --out",
        )
    })?;
    if config.fresh {
        forget(&config.out.join("journal"))?;
    }
    Ok(lock)
}

fn speed(lines: &[Line], begin: Instant) -> String {
    let events: u64 = lines
        .iter()
        .map(|line| match &line.examined {
            Examined::Analysed(analysis) => analysis.events,
            _ => 0,
        })
        .sum();
    let seconds = begin.elapsed().as_secs_f64();
    let peak = lines.iter().map(|line| line.peak).max().unwrap_or(0);
    format!(
        "{} traces with {events} events in {seconds:.1} s, {:.0} events/s; the largest worker had {} MiB",
        lines.len(),
        events as f64 / seconds.max(0.001),
        peak >> 20
    )
}
