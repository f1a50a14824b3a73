//! `--cluster`: the traces, analysed by the machines of a cluster.
//!
//! A job with many tasks is submitted; each task has a part of the traces and a journal of its own, in the folder of
//! `--out`, which all machines see. When the job is over, what no journal has was lost, with a task or with a machine, and
//! is submitted again. A command that was ended comes back to a job that still runs.

mod part;
mod slurm;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;
use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use super::TriageConfig;
use super::journal::{Line, count_lines};
use super::local::{alone, resume, sorted};
use super::task::Task;
use super::worker::tidy;
use crate::console::Console;
use crate::failure::advised;
use crate::interrupt::Interrupt;
use crate::outputs::{make_folder, replace_file};
use crate::progress::Progress;
use part::Plan;
pub(super) use part::{PART, main as part};
use slurm::{Queue, Submission};

/// Between two looks at the queue, at first and later.
const SOONEST: Duration = Duration::from_millis(500);
const LATEST: Duration = Duration::from_secs(10);
/// So long the cluster may be out of reach.
const PATIENCE: Duration = Duration::from_secs(300);
/// After a job was cancelled its tasks have this time to end.
const ENDING: Duration = Duration::from_secs(60);
/// When nothing has moved for so long, the user is told why.
const STUCK: Duration = Duration::from_secs(60);

/// Who manages the cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Cluster {
    /// Slurm
    Slurm,
}

/// The job that is under way, for a command that comes back.
#[derive(Debug, Serialize, Deserialize)]
struct Submitted {
    job: String,
    traces: usize,
    meaning: String,
}

/// Lets the cluster analyse what has not been; answers as the run on this machine does.
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
    let folder = config.out.join("cluster");
    make_folder(&folder)?;
    make_folder(&config.out.join("journal"))?;
    let jobs = Jobs { config, task, folder: &folder, console, stop: &stop };
    if let Some(submitted) = jobs.under_way()? {
        console.note(format_args!("note: job {} of an earlier run is still under way", submitted.job));
        jobs.wait(&submitted)?;
    }
    tidy(&config.out);
    let (mut known, mut left) = resume(config, task, traces, console)?;
    for attempt in 0..=config.retries {
        if left.is_empty() || stop.load(Ordering::SeqCst) {
            break;
        }
        if attempt > 0 {
            console.note(format_args!("note: {} traces were lost with their tasks; once more", left.len()));
        }
        let submitted = jobs.submit(&left)?;
        jobs.wait(&submitted)?;
        (known, left) = resume(config, task, traces, &console.silent())?;
    }
    if !left.is_empty() && !stop.load(Ordering::SeqCst) {
        console.note(format_args!(
            "note: {} traces were lost {} times; {} has what the tasks said",
            left.len(),
            config.retries + 1,
            folder.display()
        ));
    }
    Ok(sorted(known.into_iter()))
}

struct Jobs<'a> {
    config: &'a TriageConfig,
    task: &'a Task,
    /// For plans, scripts and what tasks say.
    folder: &'a Path,
    console: &'a Console,
    stop: &'a AtomicBool,
}

impl Jobs<'_> {
    fn note(&self) -> PathBuf {
        self.folder.join("job.json")
    }

    /// A job of an earlier command that has not ended.
    fn under_way(&self) -> anyhow::Result<Option<Submitted>> {
        let Ok(text) = fs::read_to_string(self.note()) else { return Ok(None) };
        let Ok(submitted) = serde_json::from_str::<Submitted>(&text) else { return Ok(None) };
        if Queue::of(&submitted.job)?.is_over() {
            return Ok(None);
        }
        if submitted.meaning != self.task.meaning() {
            return Err(advised(
                format!("job {} of an earlier run with other options is still under way", submitted.job),
                format!("wait for it, or end it with `scancel {}`", submitted.job),
            ));
        }
        Ok(Some(submitted))
    }

    fn submit(&self, traces: &[PathBuf]) -> anyhow::Result<Submitted> {
        let plan = Plan::of(self.task, self.config.jobs, traces, self.config.tasks);
        let name = format!("{:016x}", super::task::digest(&(traces, std::process::id())));
        let path = self.folder.join(format!("plan-{name}.json"));
        plan.write(&path)?;
        let script = self.folder.join(format!("task-{name}.sh"));
        let text = part::script(&path, slurm::WORDS)?;
        replace_file(&script, |out| Ok(out.write_all(text.as_bytes())?))?;
        let job = slurm::submit(&Submission {
            script: &script,
            tasks: plan.tasks(),
            cores: self.config.jobs,
            logs: self.folder,
            options: &self.config.cluster_options,
        })?;
        let submitted = Submitted { job, traces: plan.traces(), meaning: self.task.meaning() };
        let text = serde_json::to_string(&submitted).context("cannot write down the job")?;
        replace_file(&self.note(), |out| Ok(out.write_all(text.as_bytes())?))?;
        self.console.note(format_args!(
            "warpath: job {}: {} traces in {} tasks",
            submitted.job,
            submitted.traces,
            plan.tasks()
        ));
        Ok(submitted)
    }

    /// Waits until nothing of the job is left in the queue; cancels it if the user wants to stop.
    fn wait(&self, submitted: &Submitted) -> anyhow::Result<()> {
        let progress = Progress::start(self.console, "traces", submitted.traces as u64);
        let journal = self.config.out.join("journal");
        let (mut done, mut pause) = (0, SOONEST);
        let mut reached = Instant::now();
        let mut moved = (Instant::now(), false);
        let mut cancelled: Option<Instant> = None;
        loop {
            let finished = count_lines(&journal, &part::writers(&submitted.job));
            for _ in done..finished.min(submitted.traces) {
                progress.step(&format!("job {}", submitted.job));
                moved.0 = Instant::now();
            }
            done = done.max(finished);
            match Queue::of(&submitted.job) {
                Ok(queue) => {
                    reached = Instant::now();
                    for held in &queue.held {
                        self.console.note(format_args!("note: Slurm has put {held} aside; it is cancelled"));
                        slurm::cancel(held)?;
                    }
                    if queue.is_over() {
                        break;
                    }
                    if queue.running == 0 && moved.0.elapsed() > STUCK && !moved.1 {
                        moved.1 = true;
                        self.console.note(format_args!(
                            "note: job {} waits: {} (squeue says more)",
                            submitted.job, queue.reason
                        ));
                    }
                }
                Err(error) if reached.elapsed() > PATIENCE => {
                    let text = format!("job {} is out of sight", submitted.job);
                    return Err(error.context(text));
                }
                Err(_) => {}
            }
            if self.stop.load(Ordering::SeqCst) {
                match cancelled {
                    None => {
                        slurm::cancel(&submitted.job)?;
                        cancelled = Some(Instant::now());
                        pause = SOONEST;
                    }
                    Some(since) if since.elapsed() > ENDING => break,
                    Some(_) => {}
                }
            }
            self.sleep(pause, cancelled.is_some());
            pause = (pause + pause / 4).min(LATEST);
        }
        // What is over needs no coming back to; whether the note can be removed matters to nobody.
        let _ = fs::remove_file(self.note());
        Ok(())
    }

    /// Sleeps, unless the user wants to stop meanwhile.
    fn sleep(&self, time: Duration, is_stopping: bool) {
        let until = Instant::now() + time;
        while Instant::now() < until && (is_stopping || !self.stop.load(Ordering::SeqCst)) {
            thread::sleep(Duration::from_millis(100).min(time));
        }
    }
}
