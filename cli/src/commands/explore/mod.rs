//! `warpath explore`: run, analyse, run again, until nothing is left to find.

mod bug;
mod files;
mod proof;
mod results;
mod state;
mod text;
mod watch;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use clap::{Args, ValueEnum};
use serde::Serialize;
use warpath_analyzer::explore::{self, ExploreError, ExploreOptions, Judgement, RunnerError, explore};
use warpath_analyzer::findings::MainEnd;
use warpath_native::run::RunOptions;
use warpath_solvers::{CancelToken, ResolvedChoice};
use warpath_trace::repair::Rule;
use warpath_trace::si::InputValue;

use super::replay::read;
use crate::app::Invocation;
use crate::console::Console;
use crate::exit::Exit;
use crate::failure::{Advised, advised};
use crate::interrupt::Interrupt;
use crate::json::JsonTarget;
use crate::options::{
    AssumeOption, Assumed, BoundOptions, Bounds, EmitOption, JsonOption, Loudness, LoudnessOptions,
    MemoryModel, MoreChecksOption, OutOption, Program, ProgramArgs, Property, SarifOption, SolverConfig,
    SolverOptions, SymbolicSource, parse_jobs,
};
use crate::runs::{Leftovers, TracedRunners, expect_java, is_java, sources_of};
use crate::solvers::{formula, resolve, resolve_proving, solvers};
use proof::Checked;
use state::State;
pub(super) use text::quoted;
use watch::Watch;

/// Find bugs: run the program, analyse, run again, until exhausted
///
/// Runs the program once, asks a solver for a schedule and inputs that reach code not yet seen, runs that, and goes
/// on. Each distinct bug is replayed, then printed with its interleaving and inputs, as soon as it is found. The
/// verdict is BUG, SAFE (nothing unexplored is reachable; the bounds are named) or UNKNOWN (with the reason).
#[derive(Args, Debug)]
#[command(
    override_usage = "warpath explore [OPTIONS] -- PROG [ARGS]...",
    after_long_help = "\
Examples:
  warpath explore -- ./account                   every input that the program names with <warpath.h>
  warpath explore --first --time 5m -- ./server --once
  warpath explore --symbolic arg:1 --symbolic stdin:16 -- ./parse x
  warpath explore --jvm --model pso -- java -cp target/classes Main
  warpath explore --json - -q -- ./account       the verdict for a build server
  warpath explore --inputs-of bug-1.si.toml -- ./account     is it gone for those inputs?
  warpath explore --assume-repair repair.toml -- ./account   would that repair do?

With --assume-repair the program runs as if it had been changed: locks, semaphores and fences are
added at the lines that the file names, and are events like the program's own. SAFE then means that
the repair does, BUG that it does not. SI files have the repair in them, and replay under it.

Files written into --out, if there is a bug:
  bug-N.si.toml   schedule and inputs of each bug, for `warpath replay` and `warpath diagnose`
  bug-N.wpt       its trace
  result.json     the result, as --json writes it: `warpath report` makes a page of the folder

With --proof only our own solver is asked. Each of its processes writes into DIR what it was told
(N.smt2) and why it said `unsat` (N.proof); when the search has ended, the checker of
`warpath smt-check` follows every proof. It trusts nothing of the solver. That the program was
understood, and that the formula describes its executions, is not among what is proved.

Exit codes:
  0  SAFE
  1  a bug was found
  2  wrong usage, or the program or a solver cannot be run
  3  UNKNOWN: a bound was hit, a solver gave up, or Ctrl-C (what is known by then is reported);
     or SAFE, but its proof could not be checked"
)]
pub(crate) struct ExploreArgs {
    /// How the next run is chosen
    #[arg(long, value_enum, value_name = "NAME", default_value_t = Strategy::Forest)]
    strategy: Strategy,
    /// Stop at the first bug
    #[arg(long)]
    first: bool,
    /// Data from outside that the solver may choose: `stdin[:N]`, `arg:K`, `env:NAME`, `file:PATH[:N]`, `rand`, `time`
    #[arg(long, value_name = "SOURCE")]
    symbolic: Vec<SymbolicSource>,
    /// Look only at runs with the inputs of this SI file; the solver chooses none
    #[arg(long, value_name = "BUG.si.toml", conflicts_with_all = ["symbolic", "state"])]
    inputs_of: Option<PathBuf>,
    #[command(flatten)]
    assume: AssumeOption,
    /// An exit code other than 0 is a failure too
    #[arg(long)]
    fail_on_exit: bool,
    /// Save the search in DIR as it goes, and take up the one that is there
    #[arg(long, value_name = "DIR")]
    state: Option<PathBuf>,
    /// Keep a proof of every `unsat` in DIR, and check them all: a SAFE that need not trust the solver
    #[arg(long, value_name = "DIR")]
    proof: Option<PathBuf>,
    /// The program runs on a Java virtual machine
    #[arg(long)]
    jvm: bool,
    #[command(flatten)]
    check: MoreChecksOption,
    /// Memory model
    #[arg(long, value_enum, value_name = "MODEL", default_value_t = MemoryModel::Sc)]
    model: MemoryModel,
    /// Workers that solve and run in parallel; 0 is one per core
    #[arg(long, value_name = "N", default_value = "0", value_parser = parse_jobs)]
    jobs: usize,
    /// Seed for everything random
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    json: JsonOption,
    #[command(flatten)]
    sarif: SarifOption,
    #[command(flatten)]
    emit: EmitOption,
    #[command(flatten)]
    out: OutOption,
    #[command(flatten)]
    loudness: LoudnessOptions,
    #[command(flatten)]
    program: ProgramArgs,
    #[command(flatten)]
    bounds: BoundOptions,
    #[command(flatten)]
    solver: SolverOptions,
}

#[derive(Clone, Copy, Debug, ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Strategy {
    /// Reach any outcome of any thread's branches that no run has shown
    Forest,
    /// Whole-program path prefixes, by combining suffixes (misses paths; kept for comparison)
    MpcS1,
    /// Whole-program path prefixes, with unsatisfiable cores
    MpcS2,
    /// A new value for one read at a time; inputs stay as they are
    Mcr,
    /// By ascending number of interferences between threads
    Con2colic,
    /// Random schedules, no solver
    Random,
    /// Random priorities with few changes, no solver
    Pct,
}

#[derive(Debug, Serialize)]
pub(crate) struct ExploreConfig {
    program: Program,
    jvm: bool,
    strategy: Strategy,
    stop_at_first: bool,
    symbolic: Vec<SymbolicSource>,
    inputs: Option<Vec<InputValue>>,
    assumed: Option<Assumed>,
    fail_on_exit: bool,
    checks: Vec<Property>,
    model: MemoryModel,
    bounds: Bounds,
    solver: SolverConfig,
    jobs: usize,
    seed: u64,
    state: Option<PathBuf>,
    proof: Option<PathBuf>,
    json: Option<JsonTarget>,
    sarif: Option<PathBuf>,
    emit: Option<PathBuf>,
    out: PathBuf,
}

impl Invocation for ExploreArgs {
    const NAME: &'static str = "explore";
    type Config = ExploreConfig;

    fn loudness(&self) -> Loudness {
        self.loudness.loudness()
    }

    fn json(&self) -> Option<&JsonTarget> {
        self.json.json.as_ref()
    }

    fn lower(self) -> anyhow::Result<ExploreConfig> {
        if self.state.is_some() && !matches!(self.strategy, Strategy::Forest | Strategy::Con2colic) {
            return Err(advised(
                "--state is for the strategies `forest` and `con2colic`, which go on from any set of runs",
                "leave --state out, or choose one of them",
            ));
        }
        let program = self.program.lower()?.ok_or_else(|| {
            advised("no program was named", "put it after `--`, as in `warpath explore -- ./prog`")
        })?;
        let solver = self.solver.lower()?;
        let solver = if self.proof.is_some() { solver.proving()? } else { solver };
        Ok(ExploreConfig {
            program,
            jvm: self.jvm,
            strategy: self.strategy,
            stop_at_first: self.first,
            symbolic: self.symbolic,
            inputs: self.inputs_of.map(|path| Ok::<_, anyhow::Error>(read(&path)?.inputs)).transpose()?,
            assumed: self.assume.lower()?,
            fail_on_exit: self.fail_on_exit,
            checks: self.check.lower(),
            model: self.model,
            bounds: self.bounds.lower(),
            solver,
            jobs: self.jobs,
            seed: self.seed,
            state: self.state,
            proof: self.proof,
            json: self.json.json,
            sarif: self.sarif.sarif,
            emit: self.emit.emit,
            out: self.out.out,
        })
    }

    fn run(config: ExploreConfig, console: &Console) -> anyhow::Result<Exit> {
        if config.jvm {
            expect_java(&config.program)?;
        }
        let cancel = CancelToken::default();
        let run = config.run_options();
        let (stop, halt) = (cancel.clone(), Arc::clone(&run.cancel));
        Interrupt::listen(move || {
            halt.store(true, Ordering::Relaxed);
            stop.cancel();
        })?;
        // Before the programs, so that it ends after them.
        let _leftovers = Leftovers::adopt();
        let solvers = solvers()?;
        let proofs = config.proof.as_deref().map(proof::open).transpose()?;
        let resolved = match &proofs {
            Some(proofs) => resolve_proving(&solvers, &config.solver, Arc::clone(proofs))?,
            None => resolve(&solvers, &config.solver)?,
        };
        let runners = TracedRunners::new(config.program.clone(), run);
        let began = Instant::now();
        let (state, earlier) = match &config.state {
            Some(folder) => State::open(folder, &config).map(|(state, earlier)| (Some(state), earlier))?,
            None => (None, None),
        };
        let runners = match &earlier {
            Some(earlier) => runners.remembering(&earlier.runs),
            None => runners,
        };
        let mut watch = Watch::new(&config, console, state, cancel.clone());
        let open = || Ok(resolved.open(&solvers));
        let options = ExploreOptions { earlier, ..config.explore_options(&resolved, cancel.clone()) };
        let explored = explore(&options, &runners, &open, &mut watch);
        let watched = watch.finish();
        let mut explored = explored.map_err(unwrapped)?;
        if let Ok(watched) = &watched {
            explored.reasons.extend(watched.unread.iter().cloned());
            // Other verdicts list their reasons.
            for unread in watched.unread.iter().filter(|_| explored.judgement == Judgement::Safe) {
                console.note(format_args!("note: {unread}"));
            }
        }
        if explored.solver.is_empty() {
            explored.solver = resolved.open(&solvers).describe();
        }
        let watched = watched?;
        let check = |proofs| proof::check_all(proofs, options.jobs, &cancel, console);
        let proof = proofs.as_deref().map(check).transpose()?;
        let exit = exit(explored.judgement, proof.as_ref());
        results::report(&config, &explored, &watched.bugs, proof.as_ref(), began.elapsed(), exit)?;
        Ok(exit)
    }
}

/// What the verdict comes to. Who asks for a proof of SAFE is not content without.
fn exit(judgement: Judgement, proof: Option<&Checked>) -> Exit {
    match judgement {
        Judgement::Bug => Exit::Found,
        Judgement::Safe if proof.is_none_or(Checked::is_proved) => Exit::Clean,
        Judgement::Safe | Judgement::Unknown => Exit::Unknown,
    }
}

impl ExploreConfig {
    /// What the program is taken to have been changed by.
    fn repair(&self) -> &[Rule] {
        self.assumed.as_ref().map_or(&[], Assumed::rules)
    }

    fn run_options(&self) -> RunOptions {
        RunOptions {
            symbolic: match &self.inputs {
                Some(inputs) => sources_of(inputs),
                None => self.symbolic.iter().map(Into::into).collect(),
            },
            inputs: self.inputs.clone().unwrap_or_default(),
            model: self.model.into(),
            repair: self.repair().to_vec(),
            max_events: self.bounds.events,
            fail_on_exit: self.fail_on_exit,
            ..RunOptions::default()
        }
    }

    fn explore_options(&self, solver: &ResolvedChoice, cancel: CancelToken) -> ExploreOptions {
        ExploreOptions {
            strategy: self.strategy.into(),
            formula: formula(self.model.into(), solver),
            main_end: match is_java(self.program.name()) {
                true => MainEnd::LeavesThreads,
                false => MainEnd::EndsProcess,
            },
            properties: self
                .checks
                .iter()
                // Assertions and crashes show by themselves: every run that fails is seen.
                .filter(|property| !matches!(property, Property::Assertion | Property::Crash))
                .flat_map(|property| property.checked())
                .collect(),
            bounds: explore::Bounds {
                executions: self.bounds.executions,
                time: self.bounds.time,
                interferences: self.bounds.interferences.map(|most| most as usize),
                preemptions: self.bounds.preemptions.map(|most| most as usize),
            },
            stop_at_first: self.stop_at_first,
            jobs: if self.jobs == 0 { cores() } else { self.jobs },
            seed: self.seed,
            timeout: Some(self.solver.timeout),
            scripts: self.emit.is_some(),
            inputs: self.inputs.clone(),
            cancel,
            ..ExploreOptions::default()
        }
    }
}

pub(super) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// An error of the runner is one of ours, with its advice: it comes out as it went in.
pub(super) fn unwrapped(error: ExploreError) -> anyhow::Error {
    match error {
        ExploreError::Runner(RunnerError(inner)) => match inner.downcast::<Advised>() {
            Ok(advised) => anyhow::Error::new(*advised),
            Err(other) => anyhow::Error::from_boxed(other),
        },
        other => other.into(),
    }
}

impl From<Strategy> for explore::Strategy {
    fn from(strategy: Strategy) -> Self {
        match strategy {
            Strategy::Forest => Self::Forest,
            Strategy::MpcS1 => Self::MpcS1,
            Strategy::MpcS2 => Self::MpcS2,
            Strategy::Mcr => Self::Mcr,
            Strategy::Con2colic => Self::Con2colic,
            Strategy::Random => Self::Random,
            Strategy::Pct => Self::Pct,
        }
    }
}
