//! Slurm, through its own commands: `sbatch`, `squeue`, `scancel`.

use std::path::Path;
use std::process::{Command, Output};

use anyhow::{Context, anyhow};

use crate::failure::{advise, advised};

/// What a task needs to know of itself, as shell words of its script: job, task, how often it was begun before.
pub(super) const WORDS: [&str; 3] =
    ["$SLURM_ARRAY_JOB_ID", "$SLURM_ARRAY_TASK_ID", "${SLURM_RESTART_COUNT:-0}"];

/// What to submit.
pub(super) struct Submission<'a> {
    pub(super) script: &'a Path,
    pub(super) tasks: usize,
    /// Cores of each task.
    pub(super) cores: usize,
    /// The folder for what tasks say.
    pub(super) logs: &'a Path,
    /// Options of `sbatch` that the user gave.
    pub(super) options: &'a [String],
}

/// Submits an array job; answers with its number.
pub(super) fn submit(submission: &Submission<'_>) -> anyhow::Result<String> {
    let folder = std::env::current_dir().context("cannot tell the current folder")?;
    let mut command = Command::new("sbatch");
    command
        .args(["--parsable", "--job-name=warpath-triage", "--requeue", "--nodes=1", "--ntasks=1"])
        .arg(format!("--array=0-{}", submission.tasks.saturating_sub(1)))
        .arg(format!("--cpus-per-task={}", submission.cores))
        .arg(format!("--chdir={}", folder.display()))
        .arg(format!("--output={}/%A_%a.txt", submission.logs.display()))
        .args(submission.options)
        .arg(submission.script);
    let said = run(command)?;
    // `12`, or `12;cluster` where there are several.
    let job = said.trim().split(';').next().unwrap_or_default().to_owned();
    match !job.is_empty() && job.chars().all(|c| c.is_ascii_digit()) {
        true => Ok(job),
        false => Err(anyhow!("sbatch answers `{}` instead of the number of a job", said.trim())),
    }
}

/// The tasks of a job that have not ended.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Queue {
    pub(super) running: usize,
    pub(super) pending: usize,
    /// Tasks that Slurm has put aside: nobody will start them.
    pub(super) held: Vec<String>,
    /// Why tasks wait.
    pub(super) reason: String,
}

impl Queue {
    /// Asks about a job.
    pub(super) fn of(job: &str) -> anyhow::Result<Queue> {
        let mut command = Command::new("squeue");
        command.args(["--noheader", "--array", "--format=%i|%T|%r", "--jobs", job]);
        let output = command.output().map_err(|error| missing("squeue", error))?;
        let complaint = String::from_utf8_lossy(&output.stderr);
        match output.status.success() {
            true => Ok(Queue::read(&String::from_utf8_lossy(&output.stdout))),
            // It ended so long ago that it has been forgotten.
            false if complaint.contains("Invalid job id") => Ok(Queue::default()),
            false => Err(anyhow!("squeue says: {}", complaint.trim())),
        }
    }

    fn read(text: &str) -> Queue {
        let mut queue = Queue::default();
        for line in text.lines() {
            let mut fields = line.trim().splitn(3, '|');
            let (Some(id), Some(state), Some(reason)) = (fields.next(), fields.next(), fields.next()) else {
                continue;
            };
            match state {
                "PENDING" if is_held(reason) => queue.held.push(id.to_owned()),
                "PENDING" => {
                    queue.pending += 1;
                    queue.reason = reason.to_owned();
                }
                _ => queue.running += 1,
            }
        }
        queue
    }

    /// Has everything ended that will end by itself?
    pub(super) fn is_over(&self) -> bool {
        self.running == 0 && self.pending == 0
    }
}

/// A task that could not be started is put aside until somebody releases it.
fn is_held(reason: &str) -> bool {
    let reason = reason.to_lowercase();
    ["jobheld", "launch failed requeued held", "launch_failed_requeued_held", "jobholdmaxrequeue"]
        .iter()
        .any(|word| reason.contains(word))
}

/// Ends a job, or a task of one.
pub(super) fn cancel(what: &str) -> anyhow::Result<()> {
    let mut command = Command::new("scancel");
    command.arg(what);
    run(command).map(drop)
}

fn run(mut command: Command) -> anyhow::Result<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let Output { status, stdout, stderr } = command.output().map_err(|error| missing(&name, error))?;
    match status.success() {
        true => Ok(String::from_utf8_lossy(&stdout).into_owned()),
        false => Err(advised(
            format!("{name} failed: {}", String::from_utf8_lossy(&stderr).trim()),
            "`sinfo` says whether the cluster works; --cluster-option passes options to sbatch",
        )),
    }
}

fn missing(name: &str, error: std::io::Error) -> anyhow::Error {
    advise(
        error,
        format!("cannot run {name}"),
        "run this on a machine of the cluster, with Slurm's commands on PATH",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_run_wait_or_are_put_aside() {
        let text = "12_0|RUNNING|None\n12_1|COMPLETING|None\n12_2|PENDING|Resources\n12_3|PENDING|JobHeldAdmin\n\
                    12_4|PENDING|launch failed requeued held\nodd\n";
        let queue = Queue::read(text);
        let held = vec!["12_3".to_owned(), "12_4".to_owned()];
        assert_eq!(queue, Queue { running: 2, pending: 1, held, reason: "Resources".to_owned() });
        assert!(!queue.is_over());
        assert!(Queue::read("12_3|PENDING|JobHeldUser\n").is_over());
        assert!(Queue::read("").is_over());
    }
}
