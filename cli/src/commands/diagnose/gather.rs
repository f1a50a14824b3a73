//! What is known of the failing program: its forest, filled by running it again and again with the same inputs, or
//! made of the traces alone.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use anyhow::Context;
use warpath_analyzer::diagnose::{Failure, Scope};
use warpath_analyzer::encode::Options;
use warpath_analyzer::explore::{Bounds, Exploration, ExploreOptions, Observer, Standing, Strategy, explore};
use warpath_analyzer::model::{Forest, InputVar};
use warpath_native::run::RunOptions;
use warpath_solvers::{CancelToken, ResolvedChoice, Solvers};
use warpath_trace::header::MemoryModel;
use warpath_trace::si::{InputValue, Si};
use warpath_trace::trace::Trace;

use super::DiagnoseConfig;
use crate::commands::explore::{cores, unwrapped};
use crate::commands::replay::{program_of, read};
use crate::console::Console;
use crate::failure::advise;
use crate::options::Program;
use crate::runs::{NativeRunners, sources_of};
use crate::traces::Source;

/// Which part of the time is for running the program: the rest is for causes and repairs.
const EXPLORING: u32 = 3;

/// Everything there is to explain a failure with.
pub(super) struct Gathered {
    /// The runs, the one to be explained being the latest.
    pub(super) forest: Forest,
    /// The run to be explained.
    pub(super) trace: Trace,
    /// How it failed; `None` if it did not.
    pub(super) failure: Option<Failure>,
    pub(super) model: MemoryModel,
    pub(super) inputs: Vec<InputValue>,
    pub(super) scope: Scope,
    pub(super) executions: u64,
    /// Why the scope is not more.
    pub(super) reasons: Vec<String>,
    /// Other failures that runs have shown.
    pub(super) others: Vec<String>,
    /// The program, if it was run.
    pub(super) program: Option<PathBuf>,
    pub(super) exploring: Duration,
}

/// Is the file a schedule, and not a trace?
fn is_schedule(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "toml")
}

/// Gathers what the command was given.
pub(super) fn gather(
    config: &DiagnoseConfig,
    solvers: &Solvers,
    resolved: &ResolvedChoice,
    cancel: &CancelToken,
    run: &RunOptions,
    console: &Console,
) -> anyhow::Result<Gathered> {
    if let [schedule] = &config.runs[..]
        && is_schedule(schedule)
    {
        let si = read(schedule)?;
        let program = match &config.program {
            Some(program) => program.clone(),
            None => program_of(&si)?,
        };
        return fill(config, si, &program, solvers, resolved, cancel, run, console);
    }
    let mut traces = Vec::new();
    for path in &config.runs {
        let loaded = Source { path: path.clone(), form: None, salvage: false }.load()?;
        if let Some(remark) = loaded.remark {
            console.note(format_args!("note: {}: {remark}", path.display()));
        }
        traces.push(loaded.trace);
    }
    // The run to be explained comes last: a forest remembers the latest.
    let failing = traces.iter().position(|trace| trace.failed().is_some()).unwrap_or(0);
    let failing = traces.remove(failing);
    if let Some(program) = &config.program {
        let si = Si::of_run(&failing).context("the order of the trace's events is not known")?;
        return fill(config, si, program, solvers, resolved, cancel, run, console);
    }
    from_traces(config, traces, failing)
}

fn from_traces(config: &DiagnoseConfig, others: Vec<Trace>, failing: Trace) -> anyhow::Result<Gathered> {
    let mut forest = Forest::new();
    let inputs = Si::of_run(&failing).map(|si| si.inputs).unwrap_or_default();
    forest.fix_inputs(inputs.iter().cloned().map(fixed));
    let mut executions = 0;
    for trace in others.iter().chain([&failing]) {
        executions += 1;
        forest.merge(trace).map_err(|error| {
            advise(error, "the traces are not of one program", "give traces of one program, recorded alike")
        })?;
    }
    Ok(Gathered {
        forest,
        failure: Failure::of(&failing),
        model: config.model.map_or(failing.header.model, Into::into),
        inputs,
        scope: Scope::TraceOnly,
        executions,
        reasons: vec![
            "only what the traces show is known: where no trace has been counts as passing".to_owned(),
        ],
        others: Vec::new(),
        program: None,
        exploring: Duration::ZERO,
        trace: failing,
    })
}

fn fixed(input: InputValue) -> (InputVar, u128) {
    (InputVar { name: input.name, nth: input.nth, width: input.width }, input.value)
}

/// Runs the program with the inputs of the failing run until nothing new can happen, or a bound is hit.
#[allow(clippy::too_many_arguments, reason = "each is a thing of its own that the command has opened")]
fn fill(
    config: &DiagnoseConfig,
    si: Si,
    program: &Program,
    solvers: &Solvers,
    resolved: &ResolvedChoice,
    cancel: &CancelToken,
    run: &RunOptions,
    console: &Console,
) -> anyhow::Result<Gathered> {
    let model = config.model.map_or(si.model, Into::into);
    let run = RunOptions {
        model,
        symbolic: sources_of(&si.inputs),
        inputs: si.inputs.clone(),
        max_events: config.bounds.events,
        fail_on_exit: config.fail_on_exit || si.expect.outcome.starts_with("exit"),
        cancel: Arc::clone(&run.cancel),
        ..RunOptions::default()
    };
    let runners = NativeRunners::new(program.clone(), run);
    let options = ExploreOptions {
        strategy: Strategy::Forest,
        formula: Options { model, ..Options::default() },
        properties: Vec::new(),
        bounds: Bounds {
            executions: config.bounds.executions,
            time: config.bounds.time.map(|time| time / EXPLORING),
            ..Bounds::default()
        },
        jobs: jobs(config),
        timeout: Some(config.solver.timeout),
        begin: Some(si.clone()),
        inputs: Some(si.inputs.clone()),
        cancel: cancel.clone(),
        ..ExploreOptions::default()
    };
    let begun = Instant::now();
    let open = || Ok(resolved.open(solvers));
    let mut explored = explore(&options, &runners, &open, &mut Progress { console }).map_err(unwrapped)?;
    if explored.first.as_ref().is_some_and(|first| first.failed().is_none()) && !si.shared.is_empty() {
        // What is found to be shared by and by can make other events of the same run; what it was made with cannot.
        let runners = runners.knowing(&si);
        explored = explore(&options, &runners, &open, &mut Progress { console }).map_err(unwrapped)?;
    }
    gathered(si, explored, model, program, begun.elapsed())
}

/// Workers, none of them being one per core.
pub(super) fn jobs(config: &DiagnoseConfig) -> usize {
    if config.jobs == 0 { cores() } else { config.jobs }
}

fn gathered(
    si: Si,
    explored: Exploration,
    model: MemoryModel,
    program: &Program,
    exploring: Duration,
) -> anyhow::Result<Gathered> {
    let trace = explored.first.context("the program was not run")?;
    let mut forest = Forest::clone(&explored.forest);
    forest.merge(&trace).context("the failing run does not fit the others")?;
    let failure = Failure::of(&trace);
    let others = explored.bugs.iter().filter(|bug| Failure::of(&bug.trace) != failure);
    let others = others.map(|bug| format!("{} at {}: {}", bug.kind, bug.place, bug.message)).collect();
    let scope = if explored.exhausted { Scope::Exhausted } else { Scope::Bounded };
    Ok(Gathered {
        forest,
        failure,
        trace,
        model,
        inputs: si.inputs,
        scope,
        executions: explored.statistics.executions + explored.statistics.resumed,
        reasons: explored.bounds_hit.into_iter().chain(explored.reasons).collect(),
        others,
        program: Some(program.path().to_path_buf()),
        exploring,
    })
}

/// Asks the runs to stop.
pub(super) fn halt(run: &RunOptions, cancel: &CancelToken) -> impl Fn() + Send + Sync + use<> {
    let (halt, cancel) = (Arc::clone(&run.cancel), cancel.clone());
    move || {
        halt.store(true, Ordering::Relaxed);
        cancel.cancel();
    }
}

/// Says with `-v` how far the runs are.
struct Progress<'a> {
    console: &'a Console,
}

impl Observer for Progress<'_> {
    fn progress(&mut self, standing: &Standing) {
        let Standing { executions, open_ends, .. } = standing;
        self.console.detail(format_args!("{executions} executions, {open_ends} open ends"));
    }

    fn remark(&mut self, text: &str) {
        self.console.detail(text);
    }
}
