//! `warpath diagnose`: why it failed, and what would prevent it.

mod describe;
mod gather;
mod inputs;
mod repairs;
mod text;
mod words;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::Args;
use serde::Serialize;
use warpath_analyzer::diagnose::{DiagnoseOptions, Verdict, diagnose};
use warpath_native::run::RunOptions;
use warpath_solvers::CancelToken;

use crate::app::Invocation;
use crate::console::{self, Console};
use crate::exit::Exit;
use crate::inputs::readable_file;
use crate::interrupt::Interrupt;
use crate::json::JsonTarget;
use crate::options::{
    BoundOptions, Bounds, JsonOption, Loudness, LoudnessOptions, MemoryModel, Program, ProgramArgs,
    SolverConfig, SolverOptions, parse_jobs,
};
use crate::present::Sources;
use crate::runs::Leftovers;
use crate::solvers::{formula, resolve, solvers};
use describe::Found;
use gather::Tools;

/// Without `--time` the program is run for that long at most: then what is known is explained.
const TIME: Duration = Duration::from_secs(60);

/// Explain a failure: its root causes and repairs that were verified
///
/// From a failing run, finds the few orderings between threads that together cause the failure, for every class of
/// failing schedules, and the orderings or critical sections that would prevent it. Each suggestion is verified: no
/// failing schedule is left, a passing one is, and no new deadlock.
///
/// An SI file is replayed, and the program is run again with the same inputs until everything that can happen with them
/// is known, or a bound is hit. A trace is explained by itself: what no trace has shown counts as passing. With the
/// program behind `--` it is run as for an SI file.
///
/// If the program has inputs, it is run once more with inputs of the solver's choice, to tell which of them the failure
/// needs: `i = 3 and j >= 2`, and others with which it passes under every schedule.
#[derive(Args, Debug)]
#[command(
    override_usage = "warpath diagnose [OPTIONS] BUG.si.toml|T.wpt... [-- PROG [ARGS]...]",
    after_long_help = "\
Examples:
  warpath diagnose warpath-out/bug-1.si.toml
  warpath diagnose warpath-out/bug-1.si.toml --json bug-1.json   for `warpath report`
  warpath diagnose failed.wpt passed-1.wpt passed-2.wpt          from traces alone
  warpath diagnose failed.wpt -- ./prog                          from a trace, and the program

How to read it: a cause is a set of orderings \"A before B\". No execution in which all of them hold
passes, and each is needed for that. \"A before B\" also holds where B never happens.

Files written: those of --json and --repair-out.

Exit codes:
  0  the run did not fail: nothing to explain
  1  a cause was found, or it fails under every schedule (with these inputs, or with all)
  2  wrong usage, a broken file
  3  UNKNOWN: a solver gave up, or Ctrl-C (the causes found by then are reported)"
)]
pub(crate) struct DiagnoseArgs {
    /// The failing run: an SI file, or a trace, and traces of other runs
    #[arg(value_name = "BUG.si.toml|T.wpt", required = true)]
    runs: Vec<PathBuf>,
    /// Stop after that many causes
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..))]
    max_causes: u32,
    /// Only causes, no repairs
    #[arg(long)]
    no_repairs: bool,
    /// Let a solver that has MaxSAT (z3) find the passing schedules nearest to a failing one by itself
    #[arg(long)]
    max_sat: bool,
    /// Do not look for the inputs that the failure needs
    #[arg(long)]
    no_inputs: bool,
    /// Write the best repair to FILE, in TOML, for `warpath explore --assume-repair`
    #[arg(long, value_name = "FILE", conflicts_with = "no_repairs")]
    repair_out: Option<PathBuf>,
    /// An exit code other than 0 is a failure too
    #[arg(long)]
    fail_on_exit: bool,
    /// Memory model; by default the one of the SI file or trace
    #[arg(long, value_enum, value_name = "MODEL")]
    model: Option<MemoryModel>,
    /// Workers that solve and run in parallel; 0 is one per core
    #[arg(long, value_name = "N", default_value = "0", value_parser = parse_jobs)]
    jobs: usize,
    #[command(flatten)]
    json: JsonOption,
    #[command(flatten)]
    loudness: LoudnessOptions,
    #[command(flatten)]
    program: ProgramArgs,
    #[command(flatten)]
    bounds: BoundOptions,
    #[command(flatten)]
    solver: SolverOptions,
}

#[derive(Debug, Serialize)]
pub(crate) struct DiagnoseConfig {
    runs: Vec<PathBuf>,
    program: Option<Program>,
    max_causes: u32,
    repairs: bool,
    inputs: bool,
    max_sat: bool,
    repair_out: Option<PathBuf>,
    fail_on_exit: bool,
    model: Option<MemoryModel>,
    jobs: usize,
    bounds: Bounds,
    solver: SolverConfig,
    json: Option<JsonTarget>,
}

impl Invocation for DiagnoseArgs {
    const NAME: &'static str = "diagnose";
    type Config = DiagnoseConfig;

    fn loudness(&self) -> Loudness {
        self.loudness.loudness()
    }

    fn json(&self) -> Option<&JsonTarget> {
        self.json.json.as_ref()
    }

    fn lower(self) -> anyhow::Result<DiagnoseConfig> {
        let mut bounds = self.bounds.lower();
        bounds.time.get_or_insert(TIME);
        Ok(DiagnoseConfig {
            runs: self.runs.into_iter().map(readable_file).collect::<anyhow::Result<_>>()?,
            program: self.program.lower()?,
            max_causes: self.max_causes,
            repairs: !self.no_repairs,
            inputs: !self.no_inputs,
            max_sat: self.max_sat,
            repair_out: self.repair_out,
            fail_on_exit: self.fail_on_exit,
            model: self.model,
            jobs: self.jobs,
            bounds,
            solver: self.solver.lower()?,
            json: self.json.json,
        })
    }

    fn run(config: DiagnoseConfig, console: &Console) -> anyhow::Result<Exit> {
        let began = Instant::now();
        let cancel = CancelToken::default();
        let run = RunOptions::default();
        Interrupt::listen(gather::halt(&run, &cancel))?;
        // Before the programs, so that it ends after them.
        let _leftovers = Leftovers::adopt();
        let solvers = solvers()?;
        let resolved = resolve(&solvers, &config.solver)?;
        let tools = Tools {
            config: &config,
            solvers: &solvers,
            resolved: &resolved,
            cancel: &cancel,
            run: &run,
            console,
        };
        let gathered = gather::gather(&tools)?;
        let options = DiagnoseOptions {
            formula: formula(gathered.model, &resolved),
            scope: gathered.scope,
            most_causes: config.max_causes as usize,
            repairs: config.repairs,
            max_sat: config.max_sat,
            timeout: Some(config.solver.timeout),
            time: config.bounds.time.map(|time| time.saturating_sub(began.elapsed())),
            spare: inputs::spare(&tools, &gathered),
            jobs: gather::jobs(&config),
            help_after: None,
            cancel: cancel.clone(),
        };
        let open = || Ok(resolved.open(&solvers));
        let diagnosis = match &gathered.failure {
            Some(failure) => Some(diagnose(&gathered.forest, failure, &options, &open)?),
            None => None,
        };
        let inputs = match &gathered.failure {
            Some(failure) => inputs::needed(&tools, &gathered, failure, &options, began)?,
            None => None,
        };
        let exit = match diagnosis.as_ref().map(|diagnosis| &diagnosis.verdict) {
            None => Exit::Clean,
            Some(Verdict::Explained | Verdict::EverySchedule) => Exit::Found,
            Some(Verdict::Unknown(_)) => Exit::Unknown,
        };
        let sources =
            gathered.again.as_ref().map(|again| Sources::of(again.program.path())).unwrap_or_default();
        let found = Found { gathered: &gathered, diagnosis: diagnosis.as_ref(), inputs };
        let document = describe::document(&config, found, &sources, began.elapsed());
        if let Some(target) = &config.json {
            target.write(&document)?;
        }
        if let Some(path) = &config.repair_out {
            repairs::write(path, &gathered, diagnosis.as_ref())?;
        }
        if !JsonTarget::takes_stdout(config.json.as_ref()) {
            console::report(&text::text(&config, &gathered, diagnosis.as_ref(), &document))?;
        }
        Ok(exit)
    }
}
