//! `warpath explore`: run, analyse, run again, until nothing is left to find.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde::Serialize;

use super::not_landed;
use crate::app::Invocation;
use crate::console::Console;
use crate::exit::Exit;
use crate::failure::advised;
use crate::json::JsonTarget;
use crate::options::{
    BoundOptions, Bounds, CheckOption, EmitOption, JsonOption, Loudness, LoudnessOptions, MemoryModel,
    OutOption, Program, ProgramArgs, Property, SarifOption, SolverConfig, SolverOptions, SymbolicSource,
    parse_jobs,
};

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

Files written into --out:
  bug-N.si.toml   schedule and inputs of each bug, for `warpath replay` and `warpath diagnose`
  bug-N.wpt       its trace

Exit codes:
  0  SAFE
  1  a bug was found
  2  wrong usage, or the program or a solver cannot be run
  3  UNKNOWN: a bound was hit, a solver gave up, or Ctrl-C (what is known by then is reported)"
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
    /// An exit code other than 0 is a failure too
    #[arg(long)]
    fail_on_exit: bool,
    /// Save the state of the search in DIR, and resume from it
    #[arg(long, value_name = "DIR")]
    state: Option<PathBuf>,
    /// The program runs on a Java virtual machine
    #[arg(long)]
    jvm: bool,
    #[command(flatten)]
    check: CheckOption,
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
    fail_on_exit: bool,
    checks: Vec<Property>,
    model: MemoryModel,
    bounds: Bounds,
    solver: SolverConfig,
    jobs: usize,
    seed: u64,
    state: Option<PathBuf>,
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
        let program = self.program.lower()?.ok_or_else(|| {
            advised("no program was named", "put it after `--`, as in `warpath explore -- ./prog`")
        })?;
        Ok(ExploreConfig {
            program,
            jvm: self.jvm,
            strategy: self.strategy,
            stop_at_first: self.first,
            symbolic: self.symbolic,
            fail_on_exit: self.fail_on_exit,
            checks: self.check.lower(),
            model: self.model,
            bounds: self.bounds.lower(),
            solver: self.solver.lower()?,
            jobs: self.jobs,
            seed: self.seed,
            state: self.state,
            json: self.json.json,
            sarif: self.sarif.sarif,
            emit: self.emit.emit,
            out: self.out.out,
        })
    }

    fn run(config: ExploreConfig, _: &Console) -> anyhow::Result<Exit> {
        Err(not_landed(Self::NAME, if config.jvm { "the JVM tracer" } else { "the native tracer" }))
    }
}
