//! `warpath triage`: many traces at once.
//!
//! A pool of workers, each a process of its own with one trace, a bound on its time and one on its memory. What a worker
//! answers goes into the journal; what the journal has is put together by cause.

mod cluster;
mod entry;
mod find;
mod groups;
mod journal;
mod local;
mod observed;
mod page;
mod pool;
mod position;
mod process;
mod results;
mod sarif;
mod task;
mod text;
mod worker;

use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use anyhow::anyhow;
use clap::Args;
use serde::Serialize;

use super::analyze::Windows;
use crate::app::Invocation;
use crate::console::{self, Console};
use crate::exit::Exit;
use crate::failure::{advised, sentence};
use crate::inputs::readable;
use crate::json::JsonTarget;
use crate::options::{
    CheckOption, JsonOption, Loudness, LoudnessOptions, MemoryModel, OutOption, Property, SarifOption,
    SolverConfig, SolverOptions, parse_bytes, parse_duration, parse_jobs, whole_millis,
};
use crate::outputs::make_folder;
use crate::solvers::{resolve, solvers};
use cluster::Cluster;
use results::Results;
use task::Task;

/// The command of workers, which is not for people.
pub(crate) const HIDDEN: &str = "__triage";

/// Serves as a worker.
pub(crate) fn serve(mut words: impl Iterator<Item = OsString>) -> Exit {
    let (role, words) = (words.next(), words.collect::<Vec<OsString>>());
    let served = match (role, &words[..]) {
        (Some(role), [order]) if role == worker::TRACE => worker::main(order),
        (Some(role), words) if role == cluster::PART => cluster::part(words),
        _ => Err(anyhow!("a worker is told what to do")),
    };
    match served {
        Ok(()) => Exit::Clean,
        Err(error) => {
            console::complain(&format_args!("error: {}", sentence(&error)));
            Exit::Trouble
        }
    }
}

/// Sort many traces: analyse in parallel, group by cause, rank
///
/// Takes folders of traces, as they come from a test farm or from production, and answers: how many different bugs
/// are these, which is worst, which trace shows it best. Each trace is analysed by a process of its own. Work that is
/// done is kept in --out: the same command again goes on where it stopped, and looks at new and changed traces only.
///
/// Causes are ranked: a crash, a deadlock, a race that changes a branch, another race; then by the number of traces.
#[derive(Args, Debug)]
#[command(after_long_help = "\
Examples:
  warpath triage crashes/ --jobs 8
  warpath triage monday/ tuesday/ --out week --json week.json
  warpath triage crashes/ --cluster slurm --cluster-option=--partition=long

Files written into --out:
  index.html    everything on one page
  groups/       SI file and script of the trace that shows each cause best
  traces/       SI files and scripts of all findings of all traces
  journal/      what is known of each trace; the next run goes on from there
  cluster/      with --cluster: plans, scripts, and what the tasks said

Exit codes:
  0  no trace shows or predicts a bug
  1  at least one group of bugs
  2  wrong usage, no trace in the folders
  3  UNKNOWN: some traces could not be read or decided, or Ctrl-C (the rest is reported)")]
pub(crate) struct TriageArgs {
    /// Folders with traces (.wpt, .wpt.txt, .std), or traces
    #[arg(value_name = "DIR", required = true)]
    folders: Vec<PathBuf>,
    #[command(flatten)]
    check: CheckOption,
    /// Memory model
    #[arg(long, value_enum, value_name = "MODEL", default_value_t = MemoryModel::Sc)]
    model: MemoryModel,
    /// Check windows of N events; 0 is everything at once [default: as `analyze`]
    #[arg(long, value_name = "N")]
    window: Option<u32>,
    /// Traces analysed in parallel; 0 is one per core. On a cluster: in each task [default: 0; on a cluster 1]
    #[arg(long, value_name = "N", value_parser = parse_jobs)]
    jobs: Option<usize>,
    /// Time for one trace; what is not answered by then is UNKNOWN
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = parse_duration)]
    trace_time: Duration,
    /// Memory for one trace: bytes that a worker, and each of its solvers, may use
    #[arg(long, value_name = "SIZE", default_value = "2G", value_parser = parse_bytes)]
    trace_memory: u64,
    /// Write the question behind each finding as a script, of traces with more than 500 events, too: this takes longer
    #[arg(long)]
    scripts: bool,
    /// Analyse every trace, also those that an earlier run has finished
    #[arg(long)]
    fresh: bool,
    #[command(flatten)]
    out: OutOption,
    #[command(flatten)]
    json: JsonOption,
    #[command(flatten)]
    sarif: SarifOption,
    #[command(flatten)]
    loudness: LoudnessOptions,
    #[command(flatten)]
    solver: SolverOptions,
    #[command(flatten)]
    cluster: ClusterOptions,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Cluster")]
struct ClusterOptions {
    /// Let a cluster analyse the traces: an array job is submitted, and its results are gathered
    #[arg(long, value_enum, value_name = "MANAGER")]
    cluster: Option<Cluster>,
    /// Tasks of the job at most, each with a part of the traces
    #[arg(long, value_name = "N", default_value_t = 256, requires = "cluster", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    tasks: u32,
    /// How often traces are submitted again that were lost with a task or a machine
    #[arg(long, value_name = "N", default_value_t = 2, requires = "cluster")]
    retries: u32,
    /// An option for the submitting command, as --cluster-option=--partition=long; may be repeated
    #[arg(long, value_name = "OPTION", requires = "cluster", allow_hyphen_values = true)]
    cluster_option: Vec<String>,
}

#[derive(Debug, Serialize)]
pub(crate) struct TriageConfig {
    folders: Vec<PathBuf>,
    checks: Vec<Property>,
    model: MemoryModel,
    windows: Windows,
    jobs: usize,
    #[serde(serialize_with = "whole_millis")]
    trace_time: Duration,
    trace_memory: u64,
    scripts: bool,
    fresh: bool,
    solver: SolverConfig,
    out: PathBuf,
    json: Option<JsonTarget>,
    sarif: Option<PathBuf>,
    cluster: Option<Cluster>,
    tasks: usize,
    retries: u32,
    cluster_options: Vec<String>,
}

impl Invocation for TriageArgs {
    const NAME: &'static str = "triage";
    type Config = TriageConfig;

    fn loudness(&self) -> Loudness {
        self.loudness.loudness()
    }

    fn json(&self) -> Option<&JsonTarget> {
        self.json.json.as_ref()
    }

    fn lower(self) -> anyhow::Result<TriageConfig> {
        let ClusterOptions { cluster, tasks, retries, cluster_option } = self.cluster;
        let jobs = match (self.jobs, cluster) {
            (Some(jobs), _) => jobs,
            (None, Some(_)) => 1,
            (None, None) => thread::available_parallelism().map_or(1, NonZeroUsize::get),
        };
        Ok(TriageConfig {
            folders: self.folders.into_iter().map(readable).collect::<anyhow::Result<_>>()?,
            checks: self.check.lower(),
            model: self.model,
            windows: Windows::of(self.window, None)?,
            jobs,
            trace_time: self.trace_time,
            trace_memory: self.trace_memory,
            scripts: self.scripts,
            fresh: self.fresh,
            solver: self.solver.lower()?,
            out: self.out.out,
            json: self.json.json,
            sarif: self.sarif.sarif,
            cluster,
            tasks: tasks as usize,
            retries,
            cluster_options: cluster_option,
        })
    }

    fn run(config: TriageConfig, console: &Console) -> anyhow::Result<Exit> {
        let traces = find::traces(&config.folders, &config.out)?;
        if traces.is_empty() {
            return Err(advised(
                "there is no trace in these folders",
                "traces have names that end in .wpt, .wpt.txt or .std; `warpath record` makes them",
            ));
        }
        make_folder(&config.out)?;
        let task = config.task()?;
        let lines = match config.cluster {
            Some(Cluster::Slurm) => cluster::run(&config, &task, &traces, console)?,
            None => local::run(&config, &task, &traces, console)?,
        };
        let results = Results::of(&config.folders, &task, &traces, &lines)?;
        report(&config, &results)
    }
}

impl TriageConfig {
    /// What every worker is told.
    fn task(&self) -> anyhow::Result<Task> {
        let solvers = solvers()?;
        Ok(Task {
            checks: self.checks.clone(),
            model: self.model,
            windows: self.windows,
            scripts: self.scripts,
            solver: self.solver.clone(),
            solvers: resolve(&solvers, &self.solver)?.open(&solvers).describe(),
            time: self.trace_time,
            memory: self.trace_memory,
            out: self.out.clone(),
        })
    }
}

/// Writes the results in every form that was asked for.
fn report(config: &TriageConfig, results: &Results<'_>) -> anyhow::Result<Exit> {
    let page = config.out.join("index.html");
    if let Some(target) = &config.json {
        target.write(results)?;
    }
    if let Some(path) = &config.sarif {
        sarif::write(path, results)?;
    }
    page::write(&page, results)?;
    if !JsonTarget::takes_stdout(config.json.as_ref()) {
        console::report(&text::text(results, &page.display().to_string()))?;
    }
    Ok(results.exit())
}
