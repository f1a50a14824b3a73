//! What one task of a cluster's job does: its part of the traces, one after the other, into a journal of its own.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context;
use serde::{Deserialize, Serialize};

use super::super::HIDDEN;
use super::super::journal::{Journal, Known};
use super::super::pool::{Work, run as labour};
use super::super::task::Task;
use crate::interrupt::Interrupt;
use crate::outputs::replace_file;
use crate::report::quoted;

/// The word on the command line of a task.
pub(crate) const PART: &str = "part";

/// What a job is to do, in a file that all of its tasks can read.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Plan {
    task: Task,
    /// Traces at a time in each task.
    jobs: usize,
    /// The traces of each task.
    parts: Vec<Vec<PathBuf>>,
}

impl Plan {
    /// Deals the traces out to at most so many tasks; large ones to different ones.
    pub(super) fn of(task: &Task, jobs: usize, traces: &[PathBuf], tasks: usize) -> Plan {
        let mut order: Vec<&PathBuf> = traces.iter().collect();
        order.sort_by_cached_key(|path| {
            std::cmp::Reverse(path.metadata().map_or(0, |metadata| metadata.len()))
        });
        let tasks = tasks.clamp(1, traces.len().max(1));
        let mut parts: Vec<Vec<PathBuf>> = vec![Vec::new(); tasks];
        for (n, trace) in order.into_iter().enumerate() {
            parts[n % tasks].push(trace.clone());
        }
        Plan { task: task.clone(), jobs, parts }
    }

    /// How many tasks the job has.
    pub(super) fn tasks(&self) -> usize {
        self.parts.len()
    }

    /// How many traces.
    pub(super) fn traces(&self) -> usize {
        self.parts.iter().map(Vec::len).sum()
    }

    pub(super) fn write(&self, path: &Path) -> anyhow::Result<()> {
        let text = serde_json::to_string(self).context("cannot write down the plan")?;
        replace_file(path, |out| Ok(out.write_all(text.as_bytes())?))
    }
}

/// The script that a cluster starts for each task. Its three arguments are shell words: the name of the job, the number
/// of the task in it, and how often the cluster has started that task before.
pub(super) fn script(plan: &Path, [job, task, again]: [&str; 3]) -> anyhow::Result<String> {
    let program = std::env::current_exe().context("cannot tell where this program is")?;
    let [program, plan] = [&program, plan].map(|path| quoted(&path.display().to_string()));
    Ok(format!("#!/bin/sh\nexec {program} {HIDDEN} {PART} {plan} \"{job}\" \"{task}\" \"{again}\"\n"))
}

/// The journal of a task.
fn writer(job: &str, task: usize, again: usize) -> String {
    format!("{job}_{task}-{again}")
}

/// The journals of all tasks of a job begin so.
pub(super) fn writers(job: &str) -> String {
    format!("{job}_")
}

/// Does the part that the arguments name.
pub(crate) fn main(words: &[OsString]) -> anyhow::Result<()> {
    let words: Option<Vec<&str>> = words.iter().map(|word| word.to_str()).collect();
    let [plan, job, number, again] = words.as_deref().unwrap_or_default() else {
        anyhow::bail!("a task is told its plan, its job, its number and how often it was started before");
    };
    let text = fs::read_to_string(plan).with_context(|| format!("cannot read {plan}"))?;
    let plan: Plan = serde_json::from_str(&text).with_context(|| format!("{plan} is no plan"))?;
    let number: usize = number.parse().with_context(|| format!("`{number}` is no number of a task"))?;
    // A cluster that does not count leaves it empty.
    let again: usize = again.parse().unwrap_or(0);
    let part = plan.parts.get(number).with_context(|| format!("the plan has no task {number}"))?;
    let stop = Arc::new(AtomicBool::new(false));
    let stopping = Arc::clone(&stop);
    Interrupt::listen(move || stopping.store(true, Ordering::SeqCst))?;
    let folder = plan.task.out.join("journal");
    // After the loss of its machine a task begins again: what was finished before is not done twice.
    let mut known = Known::default();
    for earlier in 0..again {
        known.add_writer(&folder, &writer(job, number, earlier), &plan.task)?;
    }
    let left: Vec<PathBuf> =
        part.iter().filter(|trace| known.of(trace, &plan.task).is_none()).cloned().collect();
    let mut journal = Journal::open(&folder, &writer(job, number, again))?;
    let work = Work { task: &plan.task, traces: &left, jobs: plan.jobs, stop: &stop };
    labour(&work, &mut journal, &|_| ()).map(drop)
}
