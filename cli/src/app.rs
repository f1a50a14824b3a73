//! The command tree and what happens around every command: loudness, errors, `--json` on failure, exit codes.

use std::env;
use std::ffi::OsString;
use std::iter;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use serde::Serialize;
use warpath_solvers::supervise::{self, SupervisorCommand};

use crate::commands::{
    AnalyzeArgs, ApplyArgs, CcArgs, ConvertArgs, DiagnoseArgs, ExploreArgs, ExportTestArgs, LiftArgs,
    PackArgs, RecordArgs, ReplayArgs, ReportArgs, ShowArgs, SmtArgs, SmtCheckArgs, SolveArgs, SolversArgs,
    TRIAGE_WORKER, TriageArgs, serve_triage,
};
use crate::console::{Console, complain};
use crate::exit::Exit;
use crate::failure::{help_of, reader_left, sentence};
use crate::json::{ErrorReport, JsonTarget};
use crate::options::Loudness;

/// Finds, reproduces and explains concurrency bugs that need a schedule and an input together.
///
/// A tracer runs your program and writes a trace. The analyzer turns traces into SMT-LIB scripts, any solver answers
/// them, and each answer becomes a schedule+input file (an SI file) that `warpath replay` runs. `explore` turns that
/// circle until nothing is left to find; the other commands are its arcs, each usable alone and on another machine.
#[derive(Debug, Parser)]
#[command(
    name = "warpath",
    version,
    max_term_width = 100,
    disable_help_subcommand = true,
    after_long_help = "\
Start here:
  warpath cc -g -pthread prog.c -o prog   build a C program that names its inputs with <warpath.h>
  warpath explore -- ./prog               look for bugs in it
  warpath COMMAND --help                  what a command does, with examples

Exit codes, the same for every command:
  0  nothing found, or the work is done
  1  a bug was found, or a replay reproduced it
  2  wrong usage, or something is missing or broken around us
  3  no definite answer (UNKNOWN), interrupted, or a replay diverged",
    after_help = "Exit codes: 0 nothing found, 1 bug found, 2 usage or environment error, 3 unknown. More: --help"
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Explore(ExploreArgs),
    Record(RecordArgs),
    Lift(LiftArgs),
    Analyze(AnalyzeArgs),
    Solve(SolveArgs),
    Apply(ApplyArgs),
    Replay(ReplayArgs),
    Diagnose(DiagnoseArgs),
    Triage(TriageArgs),
    Report(ReportArgs),
    ExportTest(ExportTestArgs),
    Show(ShowArgs),
    Pack(PackArgs),
    Convert(ConvertArgs),
    Solvers(SolversArgs),
    Smt(SmtArgs),
    SmtCheck(SmtCheckArgs),
    Cc(CcArgs),
}

/// A parsed command line: it is lowered once into a configuration that needs no further checks, and that is run.
pub(crate) trait Invocation {
    /// The command's name, for messages.
    const NAME: &'static str;
    /// What the command does, with everything decided.
    type Config: Serialize;

    /// How loud to be.
    fn loudness(&self) -> Loudness;
    /// Where `--json` goes, also when the command fails.
    fn json(&self) -> Option<&JsonTarget>;
    /// Checks the arguments and decides what they leave open.
    fn lower(self) -> anyhow::Result<Self::Config>;
    /// Does the work.
    fn run(config: Self::Config, console: &Console) -> anyhow::Result<Exit>;
}

/// Parses the command line and runs it.
pub(crate) fn run() -> ExitCode {
    let mut words = env::args_os().skip(1);
    if words.next().is_some_and(|word| word == SupervisorCommand::SUBCOMMAND) {
        // Not a command for people, so not in the tree: we are the process that guards a solver.
        let status = supervise::main(&[SupervisorCommand::SUBCOMMAND.into()], words);
        return ExitCode::from(u8::try_from(status).unwrap_or(2));
    }
    let mut words = env::args_os().skip(1);
    if words.next().is_some_and(|word| word == TRIAGE_WORKER) {
        // Nor is this one: we are the process that analyses one trace of many.
        return serve_triage(words).into();
    }
    let mut words = env::args_os().skip(1);
    let parsed = if words.next().is_some_and(|word| word == SmtArgs::NAME) {
        // Started often, and for one question: the tree of all commands would cost more than that.
        alone::<SmtArgs>(words).map(Command::Smt)
    } else {
        Cli::try_parse().map(|cli| cli.command)
    };
    match parsed {
        Ok(command) => dispatch(command).into(),
        Err(usage) => {
            // A closed pipe (`warpath --help | head -1`) is no reason to complain.
            let _ = usage.print();
            if usage.use_stderr() { Exit::Trouble } else { Exit::Clean }.into()
        }
    }
}

/// Parses the words behind a command's name as the whole tree would.
fn alone<I: Invocation + clap::Args>(words: impl Iterator<Item = OsString>) -> Result<I, clap::Error> {
    let name = format!("warpath {}", I::NAME);
    let command = clap::Command::new(I::NAME).bin_name(&name).max_term_width(100);
    let mut command = I::augment_args(command);
    let matches = command.try_get_matches_from_mut(iter::once(name.into()).chain(words))?;
    I::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
}

fn dispatch(command: Command) -> Exit {
    match command {
        Command::Explore(args) => execute(args),
        Command::Record(args) => execute(args),
        Command::Lift(args) => execute(args),
        Command::Analyze(args) => execute(args),
        Command::Solve(args) => execute(args),
        Command::Apply(args) => execute(args),
        Command::Replay(args) => execute(args),
        Command::Diagnose(args) => execute(args),
        Command::Triage(args) => execute(args),
        Command::Report(args) => execute(args),
        Command::ExportTest(args) => execute(args),
        Command::Show(args) => execute(args),
        Command::Pack(args) => execute(args),
        Command::Convert(args) => execute(args),
        Command::Solvers(args) => execute(args),
        Command::Smt(args) => execute(args),
        Command::SmtCheck(args) => execute(args),
        Command::Cc(args) => execute(args),
    }
}

fn execute<I: Invocation>(args: I) -> Exit {
    let console = Console::new(args.loudness());
    let json = args.json().cloned();
    let ended = args.lower().and_then(|config| {
        console.configuration(I::NAME, &config);
        I::run(config, &console)
    });
    match ended {
        Ok(exit) => exit,
        Err(error) if reader_left(&error) => Exit::Clean,
        Err(error) => {
            complain(&format_args!("error: {}", sentence(&error)));
            if let Some(help) = help_of(&error) {
                complain(&format_args!("help: {help}"));
            }
            if let Some(target) = json
                && let Err(second) = target.write(&ErrorReport::new(I::NAME, &error))
                && !reader_left(&second)
            {
                complain(&format_args!("error: {}", sentence(&second)));
            }
            Exit::Trouble
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_tree_is_consistent() {
        Cli::command().debug_assert();
    }

    /// Every command and subcommand, with its full name.
    fn all(command: &clap::Command, prefix: &str) -> Vec<(String, clap::Command)> {
        let below = command.get_subcommands().flat_map(|below| {
            let name = format!("{prefix}{}", below.get_name());
            let mut found = all(below, &format!("{name} "));
            found.push((name, below.clone()));
            found
        });
        below.collect()
    }

    #[test]
    fn every_command_teaches() {
        for (name, command) in all(&Cli::command(), "") {
            assert!(command.get_about().is_some(), "{name} has no summary");
            let help = command.get_after_long_help().map(ToString::to_string).unwrap_or_default();
            assert!(help.contains("Examples:"), "{name} shows no example");
            assert!(help.contains("Exit codes:"), "{name} names no exit codes");
            for line in help.lines() {
                assert!(line.chars().count() <= 100, "{name}: this line would be wrapped: {line}");
            }
        }
    }
}
