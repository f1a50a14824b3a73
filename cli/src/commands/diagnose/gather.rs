//! What is known of the failing program: its forest, filled by running it again and again with the same inputs, or
//! made of the traces alone.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use anyhow::Context;
use warpath_analyzer::diagnose::{Failure, Scope};
use warpath_analyzer::explore::{Bounds, Exploration, ExploreOptions, Observer, Standing, Strategy, explore};
use warpath_analyzer::findings::Property;
use warpath_analyzer::model::{Forest, InputVar};
use warpath_native::run::RunOptions;
use warpath_solvers::{CancelToken, ResolvedChoice, Solvers};
use warpath_trace::header::MemoryModel;
use warpath_trace::repair::Rule;
use warpath_trace::si::{InputValue, Si};
use warpath_trace::trace::Trace;

use super::DiagnoseConfig;
use crate::commands::explore::{cores, unwrapped};
use crate::commands::replay::{in_recorded_world, program_of, read};
use crate::console::Console;
use crate::failure::advise;
use crate::options::Program;
use crate::runs::{Given, TracedRunners, sources_of};
use crate::solvers::formula;
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
    /// What the program was already taken to have been changed by.
    pub(super) repair: Vec<Rule>,
    pub(super) scope: Scope,
    pub(super) executions: u64,
    /// Why the scope is not more.
    pub(super) reasons: Vec<String>,
    /// Other failures that runs have shown.
    pub(super) others: Vec<String>,
    /// The failing run and its program, if that was run.
    pub(super) again: Option<Again>,
    /// The same traces without their inputs being fixed, if there is no program.
    pub(super) free: Option<Forest>,
    pub(super) exploring: Duration,
}

/// Is the file a schedule, and not a trace?
fn is_schedule(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "toml")
}

/// What the command has opened.
pub(super) struct Tools<'a> {
    pub(super) config: &'a DiagnoseConfig,
    pub(super) solvers: &'a Solvers,
    pub(super) resolved: &'a ResolvedChoice,
    pub(super) cancel: &'a CancelToken,
    pub(super) run: &'a RunOptions,
    pub(super) console: &'a Console,
}

/// What can be run again.
pub(super) struct Again {
    pub(super) si: Si,
    pub(super) program: Program,
}

/// Gathers what the command was given.
pub(super) fn gather(tools: &Tools<'_>) -> anyhow::Result<Gathered> {
    let config = tools.config;
    if let [schedule] = &config.runs[..]
        && is_schedule(schedule)
    {
        let si = read(schedule)?;
        let program = match &config.program {
            Some(program) => program.clone(),
            None => program_of(&si)?,
        };
        let program = in_recorded_world(program, &si);
        return fill(tools, Again { si, program });
    }
    let mut traces = Vec::new();
    for path in &config.runs {
        let loaded = Source { path: path.clone(), form: None, salvage: false }.load()?;
        if let Some(remark) = loaded.remark {
            tools.console.note(format_args!("note: {}: {remark}", path.display()));
        }
        traces.push(loaded.trace);
    }
    // The run to be explained comes last: a forest remembers the latest.
    let failing = traces.iter().position(|trace| trace.failed().is_some()).unwrap_or(0);
    let failing = traces.remove(failing);
    if let Some(program) = &config.program {
        let si = Si::of_run(&failing).context("the order of the trace's events is not known")?;
        let program = program.clone().in_world(Given::of(&failing.recorded).world);
        return fill(tools, Again { si, program });
    }
    from_traces(config, traces, failing)
}

fn from_traces(config: &DiagnoseConfig, others: Vec<Trace>, failing: Trace) -> anyhow::Result<Gathered> {
    let inputs = Si::of_run(&failing).map(|si| si.inputs).unwrap_or_default();
    let mut free = Forest::new();
    let mut executions = 0;
    for trace in others.iter().chain([&failing]) {
        executions += 1;
        free.merge(trace).map_err(|error| {
            advise(error, "the traces are not of one program", "give traces of one program, recorded alike")
        })?;
    }
    let mut forest = free.clone();
    forest.fix_inputs(inputs.iter().cloned().map(fixed));
    Ok(Gathered {
        forest,
        failure: Failure::of(&failing),
        model: config.model.map_or(failing.header.model, Into::into),
        inputs,
        repair: Vec::new(),
        scope: Scope::TraceOnly,
        executions,
        reasons: vec![
            "only what the traces show is known: where no trace has been counts as passing".to_owned(),
        ],
        others: Vec::new(),
        again: None,
        free: Some(free),
        exploring: Duration::ZERO,
        trace: failing,
    })
}

fn fixed(input: InputValue) -> (InputVar, u128) {
    (InputVar { name: input.name, nth: input.nth, width: input.width }, input.value)
}

/// Which executions a search looks at.
pub(super) struct Wanted {
    /// The inputs of all of them; `None`: the solver chooses them, those of the failing run first.
    pub(super) inputs: Option<Vec<InputValue>>,
    /// Begin with the failing run?
    pub(super) from_failure: bool,
    /// What is checked besides failures of runs; the search is over when something is found.
    pub(super) until_found: Vec<Property>,
    pub(super) time: Option<Duration>,
}

/// Runs the program until nothing new can happen, or a bound is hit.
pub(super) fn explored(tools: &Tools<'_>, again: &Again, wanted: Wanted) -> anyhow::Result<Exploration> {
    let (config, si) = (tools.config, &again.si);
    let model = model(config, si);
    let run = RunOptions {
        model,
        repair: si.repair.clone(),
        symbolic: sources_of(&si.inputs),
        inputs: wanted.inputs.as_ref().unwrap_or(&si.inputs).clone(),
        max_events: config.bounds.events,
        fail_on_exit: config.fail_on_exit || si.expect.outcome.starts_with("exit"),
        cancel: Arc::clone(&tools.run.cancel),
        ..RunOptions::default()
    };
    let runners = TracedRunners::new(again.program.clone(), run);
    let options = ExploreOptions {
        strategy: Strategy::Forest,
        formula: formula(model, tools.resolved),
        stop_at_first: !wanted.until_found.is_empty(),
        properties: wanted.until_found,
        bounds: Bounds { executions: config.bounds.executions, time: wanted.time, ..Bounds::default() },
        jobs: jobs(config),
        timeout: Some(config.solver.timeout),
        begin: wanted.from_failure.then(|| si.clone()),
        inputs: wanted.inputs,
        cancel: tools.cancel.clone(),
        ..ExploreOptions::default()
    };
    let open = || Ok(tools.resolved.open(tools.solvers));
    let mut progress = Progress { console: tools.console };
    let explored = explore(&options, &runners, &open, &mut progress).map_err(unwrapped)?;
    let passed = explored.first.as_ref().is_some_and(|first| first.failed().is_none());
    if wanted.from_failure && passed && !si.shared.is_empty() {
        // What is found to be shared by and by can make other events of the same run; what it was made with cannot.
        return explore(&options, &runners.knowing(si), &open, &mut progress).map_err(unwrapped);
    }
    Ok(explored)
}

/// Workers, none of them being one per core.
pub(super) fn jobs(config: &DiagnoseConfig) -> usize {
    if config.jobs == 0 { cores() } else { config.jobs }
}

fn model(config: &DiagnoseConfig, si: &Si) -> MemoryModel {
    config.model.map_or(si.model, Into::into)
}

/// How far an exploration went.
pub(super) fn scope_of(explored: &Exploration) -> Scope {
    if explored.exhausted { Scope::Exhausted } else { Scope::Bounded }
}

/// What the runs have shown, the failing one being the latest.
pub(super) fn forest_of(explored: &Exploration) -> anyhow::Result<(Forest, Trace)> {
    let trace = explored.first.clone().context("the program was not run")?;
    let mut forest = Forest::clone(&explored.forest);
    forest.merge(&trace).context("the failing run does not fit the others")?;
    Ok((forest, trace))
}

/// Fills a forest with what can happen with the inputs of the failing run.
fn fill(tools: &Tools<'_>, again: Again) -> anyhow::Result<Gathered> {
    let begun = Instant::now();
    let wanted = Wanted {
        inputs: Some(again.si.inputs.clone()),
        from_failure: true,
        until_found: Vec::new(),
        time: tools.config.bounds.time.map(|time| time / EXPLORING),
    };
    let explored = explored(tools, &again, wanted)?;
    let (forest, trace) = forest_of(&explored)?;
    let failure = Failure::of(&trace);
    let others = explored.bugs.iter().filter(|bug| Failure::of(&bug.trace) != failure);
    let others = others.map(|bug| format!("{} at {}: {}", bug.kind, bug.place, bug.message)).collect();
    Ok(Gathered {
        forest,
        failure,
        trace,
        model: model(tools.config, &again.si),
        inputs: again.si.inputs.clone(),
        repair: again.si.repair.clone(),
        scope: scope_of(&explored),
        executions: explored.statistics.executions + explored.statistics.resumed,
        reasons: explored.bounds_hit.into_iter().chain(explored.reasons).collect(),
        others,
        again: Some(again),
        free: None,
        exploring: begun.elapsed(),
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
