//! Many traces, some at a time, each by a worker of its own; what is finished goes into the journal.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use super::entry::{Answer, Examined};
use super::journal::{Journal, Line, Stamp};
use super::process;
use super::task::{Task, digest};
use super::worker::Order;

/// What to do.
pub(super) struct Work<'a> {
    pub(super) task: &'a Task,
    pub(super) traces: &'a [PathBuf],
    /// Workers at a time.
    pub(super) jobs: usize,
    /// Set by somebody who wants everything to stop.
    pub(super) stop: &'a AtomicBool,
}

/// Analyses the traces; `done` is told of each. What cannot be written to the journal ends it.
pub(super) fn run(
    work: &Work<'_>,
    journal: &mut Journal,
    done: &(dyn Fn(&Line) + Sync),
) -> anyhow::Result<Vec<Line>> {
    // Large ones first: at the end nobody waits for the last one.
    let mut order: Vec<&PathBuf> = work.traces.iter().collect();
    order.sort_by_cached_key(|path| std::cmp::Reverse(path.metadata().map_or(0, |metadata| metadata.len())));
    let next = AtomicUsize::new(0);
    let broken = AtomicBool::new(false);
    let finished: Mutex<(Vec<Line>, &mut Journal, Option<anyhow::Error>)> =
        Mutex::new((Vec::new(), journal, None));
    let labour = || {
        while !work.stop.load(Ordering::SeqCst) && !broken.load(Ordering::SeqCst) {
            let Some(trace) = order.get(next.fetch_add(1, Ordering::SeqCst)) else { break };
            let line = one(work, trace);
            let mut finished = match finished.lock() {
                Ok(finished) => finished,
                Err(poisoned) => poisoned.into_inner(),
            };
            let entered = match line {
                Ok(Some(line)) => finished.1.add(&line).map(|()| Some(line)),
                Ok(None) => Ok(None),
                Err(error) => Err(error),
            };
            match entered {
                Ok(None) => {}
                Ok(Some(line)) => {
                    done(&line);
                    finished.0.push(line);
                }
                Err(error) => {
                    broken.store(true, Ordering::SeqCst);
                    finished.2.get_or_insert(error);
                }
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..work.jobs.min(order.len()) {
            scope.spawn(labour);
        }
    });
    let finished = match finished.into_inner() {
        Ok(finished) => finished,
        Err(poisoned) => poisoned.into_inner(),
    };
    match finished.2 {
        Some(error) => Err(error),
        None => Ok(finished.0),
    }
}

/// One trace; `None` if everything is to be stopped.
fn one(work: &Work<'_>, trace: &Path) -> anyhow::Result<Option<Line>> {
    let begin = Instant::now();
    let line =
        |stamp, answer: Answer| Line::new(trace, stamp, work.task, begin.elapsed().as_secs_f64(), answer);
    let stamp = match Stamp::of(trace) {
        Ok(stamp) => stamp,
        Err(error) => {
            let reason = format!("cannot read {}: {error}", trace.display());
            return Ok(Some(line(Stamp::default(), Examined::Unreadable { reason }.into())));
        }
    };
    let order = Order { task: work.task.clone(), trace: trace.to_path_buf(), files: files_of(trace) };
    Ok(process::examine(&order, work.stop)?.map(|answer| line(stamp, answer)))
}

/// The folder for the files of a trace: a name for people, and a number that no other trace has.
fn files_of(trace: &Path) -> PathBuf {
    let name = trace.file_name().unwrap_or_default().to_string_lossy();
    let stem = name.split('.').next().unwrap_or_default();
    let plain: String =
        stem.chars().filter(|c| c.is_ascii_alphanumeric() || "-_".contains(*c)).take(40).collect();
    Path::new("traces").join(format!("{plain}-{:016x}", digest(&trace)))
}
