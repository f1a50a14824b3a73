//! `warpath record`: one run, one trace.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde::Serialize;

use super::not_landed;
use crate::app::Invocation;
use crate::console::Console;
use crate::exit::Exit;
use crate::failure::advised;
use crate::json::JsonTarget;
use crate::options::{JsonOption, Loudness, LoudnessOptions, Program, ProgramArgs, SymbolicSource};

/// Run a program once and write its trace
///
/// The native tracer runs an unmodified x86-64 program one visible event at a time and records path conditions, so
/// that the trace can be analysed for other schedules and other inputs. With --light the program runs at nearly full
/// speed and only its synchronisation is recorded; with --jvm it is a Java program.
#[derive(Args, Debug)]
#[command(
    override_usage = "warpath record [OPTIONS] -o FILE.wpt -- PROG [ARGS]...",
    after_long_help = "\
Examples:
  warpath record -o run.wpt -- ./account
  warpath record -o run.wpt --symbolic stdin:8 --schedule random --seed 7 -- ./server
  warpath record -o run.wpt --light -- ./server --port 8080
  warpath record -o run.wpt --jvm -- java -cp target/classes Main

Files written: the trace named by -o, for `warpath show` and `warpath analyze`.

Exit codes:
  0  the trace is written
  1  the trace is written and the run failed
  2  wrong usage, or the program cannot be run
  3  the run was cut (Ctrl-C or a bound); the trace holds what happened until then"
)]
pub(crate) struct RecordArgs {
    /// Trace to write
    #[arg(short, long, value_name = "FILE.wpt")]
    output: PathBuf,
    /// The program runs on a Java virtual machine
    #[arg(long, conflicts_with = "light")]
    jvm: bool,
    /// Record in production: preload a small library instead of interpreting the program
    #[arg(long, conflicts_with_all = ["symbolic", "schedule"])]
    light: bool,
    /// Which thread goes on when several could
    #[arg(long, value_enum, value_name = "POLICY", default_value_t = Schedule::RunToBlock)]
    schedule: Schedule,
    /// Seed of the random policies
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Data from outside that the solver may choose later: `stdin[:N]`, `arg:K`, `env:NAME`, `file:PATH[:N]`, `rand`, `time`
    #[arg(long, value_name = "SOURCE")]
    symbolic: Vec<SymbolicSource>,
    /// Visible events per thread at most
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    max_events: Option<u64>,
    /// Check every interpreted instruction against the hardware (slow)
    #[arg(long)]
    verify: bool,
    #[command(flatten)]
    json: JsonOption,
    #[command(flatten)]
    loudness: LoudnessOptions,
    #[command(flatten)]
    program: ProgramArgs,
}

#[derive(Clone, Copy, Debug, ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Schedule {
    /// The same thread until it blocks
    RunToBlock,
    /// One visible event each
    RoundRobin,
    /// A random thread at each visible event
    Random,
    /// Random priorities with few changes
    Pct,
}

#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
enum Tracer {
    Native,
    Preload,
    Jvm,
}

#[derive(Debug, Serialize)]
pub(crate) struct RecordConfig {
    program: Program,
    tracer: Tracer,
    output: PathBuf,
    schedule: Schedule,
    seed: u64,
    symbolic: Vec<SymbolicSource>,
    max_events: Option<u64>,
    verify: bool,
    json: Option<JsonTarget>,
}

impl Invocation for RecordArgs {
    const NAME: &'static str = "record";
    type Config = RecordConfig;

    fn loudness(&self) -> Loudness {
        self.loudness.loudness()
    }

    fn json(&self) -> Option<&JsonTarget> {
        self.json.json.as_ref()
    }

    fn lower(self) -> anyhow::Result<RecordConfig> {
        let program = self.program.lower()?.ok_or_else(|| {
            advised("no program was named", "put it after `--`, as in `warpath record -o run.wpt -- ./prog`")
        })?;
        Ok(RecordConfig {
            program,
            tracer: match (self.jvm, self.light) {
                (true, _) => Tracer::Jvm,
                (false, true) => Tracer::Preload,
                (false, false) => Tracer::Native,
            },
            output: self.output,
            schedule: self.schedule,
            seed: self.seed,
            symbolic: self.symbolic,
            max_events: self.max_events,
            verify: self.verify,
            json: self.json.json,
        })
    }

    fn run(config: RecordConfig, _: &Console) -> anyhow::Result<Exit> {
        Err(not_landed(
            Self::NAME,
            match config.tracer {
                Tracer::Native => "the native tracer",
                Tracer::Preload => "the preload recorder",
                Tracer::Jvm => "the JVM tracer",
            },
        ))
    }
}
