//! `warpath solve`: stored scripts, answered by any solver.

mod results;

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Context;
use clap::Args;
use rayon::ThreadPoolBuilder;
use rayon::prelude::*;
use serde::Serialize;
use warpath_solvers::solve::{SolveOptions, scripts_in, solve_file};
use warpath_solvers::{CancelToken, ResolvedChoice, Solvers};

use self::results::{Results, Solved};
use crate::app::Invocation;
use crate::console::{self, Console};
use crate::exit::Exit;
use crate::failure::advised;
use crate::inputs::readable;
use crate::interrupt::Interrupt;
use crate::json::JsonTarget;
use crate::options::{JsonOption, Loudness, LoudnessOptions, SolverConfig, SolverOptions, parse_jobs};
use crate::progress::Progress;
use crate::solvers::{resolve, solvers};

/// Run stored scripts on any solver
///
/// Scripts come from --emit of other commands, or are any SMT-LIB 2.6 file over Booleans, integers and bit-vectors.
/// Each is read, put to the solver under guard (deadline, memory limit), every model is checked against the formula,
/// and the answers are written beside the script. Only `sat` and `unsat` are facts; everything else is `unknown`,
/// with the reason.
#[derive(Args, Debug)]
#[command(after_long_help = "\
Examples:
  warpath solve queries                          all *.smt2 files of a folder, with the portfolio
  warpath solve query.smt2 --solver cvc5 --show  one script; values and cores are printed too
  warpath solve queries --solver z3 --cross-check yices --solver-timeout 2m --json result.json

Files written: NAME.answer beside each NAME.smt2: what the solver answered, with comments that say
who it was. `warpath apply` reads it.

Exit codes:
  0  every check has a definite answer
  2  wrong usage, no such solver, or a script that cannot be read (the others are solved)
  3  some check is unknown, or Ctrl-C: the answers so far are written")]
pub(crate) struct SolveArgs {
    /// Scripts, and folders with scripts
    #[arg(value_name = "DIR|FILE.smt2", required = true)]
    scripts: Vec<PathBuf>,
    /// Print the answers too, as the answer files have them
    #[arg(long)]
    show: bool,
    /// Scripts solved in parallel; 0 is one per core
    #[arg(long, value_name = "N", default_value = "0", value_parser = parse_jobs)]
    jobs: usize,
    #[command(flatten)]
    json: JsonOption,
    #[command(flatten)]
    loudness: LoudnessOptions,
    #[command(flatten)]
    solver: SolverOptions,
}

#[derive(Debug, Serialize)]
pub(crate) struct SolveConfig {
    scripts: Vec<PathBuf>,
    show: bool,
    jobs: usize,
    solver: SolverConfig,
    json: Option<JsonTarget>,
}

impl Invocation for SolveArgs {
    const NAME: &'static str = "solve";
    type Config = SolveConfig;

    fn loudness(&self) -> Loudness {
        self.loudness.loudness()
    }

    fn json(&self) -> Option<&JsonTarget> {
        self.json.json.as_ref()
    }

    fn lower(self) -> anyhow::Result<SolveConfig> {
        let mut scripts = Vec::new();
        for path in self.scripts {
            let mut found = scripts_in(&readable(path.clone())?)?;
            if found.is_empty() {
                return Err(advised(
                    format!("{} has no script", path.display()),
                    "scripts end in .smt2; `warpath analyze T.wpt --emit DIR` writes some",
                ));
            }
            scripts.append(&mut found);
        }
        Ok(SolveConfig {
            scripts,
            show: self.show,
            jobs: self.jobs,
            solver: self.solver.lower()?,
            json: self.json.json,
        })
    }

    fn run(config: SolveConfig, console: &Console) -> anyhow::Result<Exit> {
        let cancel = CancelToken::new();
        let interrupt = Interrupt::listen({
            let cancel = cancel.clone();
            move || cancel.cancel()
        })?;
        let solvers = solvers()?;
        let choice = resolve(&solvers, &config.solver)?;
        let options = SolveOptions { timeout: Some(config.solver.timeout), cancel };
        let work = Work { solvers: &solvers, choice: &choice, options: &options, console };

        let begun = Instant::now();
        let solved = work.solve_all(&config)?;
        let results = Results::new(&config.solver, solved, begun.elapsed(), interrupt.asked());
        if let Some(target) = &config.json {
            target.write(&results)?;
        }
        if !JsonTarget::takes_stdout(config.json.as_ref()) {
            console::print(results.text(config.show))?;
        }
        if let Some(complaint) = results.complaint() {
            console::complain(&format_args!("error: {complaint}"));
        }
        Ok(results.exit())
    }
}

/// Everything that each script needs.
struct Work<'a> {
    solvers: &'a Solvers,
    choice: &'a ResolvedChoice,
    options: &'a SolveOptions,
    console: &'a Console,
}

impl Work<'_> {
    /// Solves the scripts in parallel; results in the order of the scripts.
    fn solve_all(&self, config: &SolveConfig) -> anyhow::Result<Vec<Solved>> {
        let pool = ThreadPoolBuilder::new()
            .num_threads(config.jobs)
            .build()
            .context("cannot start the threads that solve")?;
        let progress = Progress::start(self.console, "scripts", config.scripts.len() as u64);
        let solve = |script: &PathBuf| {
            let solved = self.solve(script);
            progress.step(&solved.line());
            solved
        };
        Ok(pool.install(|| config.scripts.par_iter().map(solve).collect()))
    }

    fn solve(&self, script: &Path) -> Solved {
        // A script that has not been begun keeps the answers it may have from an earlier run.
        if self.options.cancel.is_cancelled() {
            return Solved::skipped(script);
        }
        self.console.detail(format_args!("solving {}", script.display()));
        match solve_file(script, self.choice, self.solvers, self.options) {
            Ok(file) => Solved::done(&file),
            Err(error) => Solved::failed(script, &error),
        }
    }
}
