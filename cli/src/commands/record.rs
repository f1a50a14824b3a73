//! `warpath record`: one run, one trace.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use anyhow::Context;
use clap::{Args, ValueEnum};
use serde::Serialize;
use warpath_native::run::{End, Plan, Policy, Run, Why};

use super::record_light::{self, LightOptions};
use crate::app::Invocation;
use crate::console::{Console, complain};
use crate::exit::Exit;
use crate::failure::advised;
use crate::interrupt::Interrupt;
use crate::json::JsonTarget;
use crate::options::{
    GivenInput, JsonOption, Loudness, LoudnessOptions, MemoryModel, Program, ProgramArgs, RunArgs, RunConfig,
    SymbolicSource,
};
use crate::runs::{Ended, Leftovers, Subject, expect_java, is_java, show_output, write_si};
use crate::traces::{Destination, TraceForm};

/// Run a program and write its trace
///
/// The native tracer runs an unmodified x86-64 program one visible event at a time and records path conditions, so
/// that the trace can be analysed for other schedules and other inputs. With --light the program runs at nearly full
/// speed and only its synchronisation is recorded; with --jvm it is a Java program.
///
/// What threads share is found out by running: the program is run again, in the same way, until a run shows nothing
/// new. Standard input is the same each time; the output is kept and printed after the last run. What the program
/// does to files and to other programs happens each time; processes that it leaves behind are ended.
#[derive(Args, Debug)]
#[command(
    override_usage = "warpath record [OPTIONS] -o FILE.wpt -- PROG [ARGS]...",
    after_long_help = "\
Examples:
  warpath record -o run.wpt -- ./account
  warpath record -o run.wpt --symbolic stdin:8 --schedule random --seed 7 -- ./server
  warpath record -o run.wpt --input i=3 --input j=-2 -- ./m0
  warpath record -o run.wpt --light -- ./server --port 8080
  warpath record -o run.wpt --jvm -- java -cp target/classes Main

Files written: the trace named by -o, for `warpath show` and `warpath analyze`; the SI file of --si.

Standard output and error are the program's, except that with `--json -` both go to standard error.

Exit codes:
  0  the trace is written
  1  the trace is written and the run failed
  2  wrong usage, or the program cannot be run
  3  the run was cut (Ctrl-C, a bound, exec); the trace holds what happened until then"
)]
pub(crate) struct RecordArgs {
    /// Trace to write
    #[arg(short, long, value_name = "FILE.wpt")]
    output: PathBuf,
    /// Also write the run's own schedule and inputs, with which `warpath replay` makes it happen again
    #[arg(long, value_name = "FILE.si.toml")]
    si: Option<PathBuf>,
    /// The program runs on a Java virtual machine
    #[arg(long, conflicts_with = "light")]
    jvm: bool,
    /// Record in production: preload a small library instead of interpreting the program
    #[arg(long, conflicts_with_all = ["symbolic", "schedule", "input", "model"])]
    light: bool,
    /// Which thread goes on when several could
    #[arg(long, value_enum, value_name = "POLICY", default_value_t = Schedule::RunToBlock)]
    schedule: Schedule,
    /// Seed of the random policies
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// With --schedule pct: how many orderings between threads a bug may need
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=64))]
    depth: u32,
    /// Memory model: whether stores wait in buffers
    #[arg(long, value_enum, value_name = "MODEL", default_value_t = MemoryModel::Sc)]
    model: MemoryModel,
    /// Data from outside that the solver may choose later: `stdin[:N]`, `arg:K`, `env:NAME`, `file:PATH[:N]`, `rand`,
    /// `time`; of standard input and files the first N bytes, 64 if N is not given
    #[arg(long, value_name = "SOURCE")]
    symbolic: Vec<SymbolicSource>,
    /// Value of an input that the program names; `NAME#N` is the one after N others of that name
    #[arg(long, value_name = "NAME=VALUE")]
    input: Vec<GivenInput>,
    #[command(flatten)]
    json: JsonOption,
    #[command(flatten)]
    loudness: LoudnessOptions,
    #[command(flatten)]
    program: ProgramArgs,
    #[command(flatten)]
    run: RunArgs,
    #[command(flatten)]
    with_light: LightOptions,
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
    pub(super) program: Program,
    tracer: Tracer,
    pub(super) output: Destination,
    pub(super) si: Option<PathBuf>,
    schedule: Schedule,
    seed: u64,
    depth: u32,
    pub(super) model: MemoryModel,
    symbolic: Vec<SymbolicSource>,
    inputs: Vec<GivenInput>,
    run: RunConfig,
    pub(super) light: LightOptions,
    pub(super) json: Option<JsonTarget>,
}

/// `warpath.record/1`.
#[derive(Debug, Serialize)]
pub(super) struct Results<'a> {
    pub(super) format: &'static str,
    pub(super) program: String,
    pub(super) arguments: Vec<String>,
    pub(super) trace: String,
    pub(super) si: Option<String>,
    pub(super) model: &'static str,
    pub(super) values: &'static str,
    #[serde(flatten)]
    pub(super) ended: &'a Ended,
    pub(super) time_ms: u64,
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
        let form = TraceForm::of(&self.output).unwrap_or(TraceForm::Wpt);
        Ok(RecordConfig {
            tracer: match (self.light, self.jvm || is_java(program.name())) {
                (true, _) => Tracer::Preload,
                (false, true) => Tracer::Jvm,
                (false, false) => Tracer::Native,
            },
            program,
            output: Destination::new(self.output, Some(form), None)?,
            si: self.si,
            schedule: self.schedule,
            seed: self.seed,
            depth: self.depth,
            model: self.model,
            symbolic: self.symbolic,
            inputs: self.input,
            run: self.run.lower(),
            light: self.with_light,
            json: self.json.json,
        })
    }

    fn run(config: RecordConfig, console: &Console) -> anyhow::Result<Exit> {
        match config.tracer {
            Tracer::Native => {}
            Tracer::Preload => return record_light::record(&config, console),
            Tracer::Jvm => expect_java(&config.program)?,
        }
        let began = Instant::now();
        let mut plan = config.plan();
        let cancel = Arc::clone(&plan.options.cancel);
        Interrupt::listen(move || cancel.store(true, Ordering::Relaxed))?;
        // Before the program, so that it ends after it.
        let _leftovers = Leftovers::adopt();
        let mut program = Subject::open(&config.program)?;
        if let Schedule::Pct = config.schedule {
            // Points of change are drawn from a run's length, which one run shows.
            let first = program.record(&Plan { policy: Policy::RunToBlock, ..plan.clone() })?;
            plan.policy = Policy::Pct { seed: config.seed, depth: config.depth, steps: first.trace.len() };
        }
        let mut run = program.record(&plan)?;
        run.trace = run.trace.canonical().context("the trace cannot be numbered")?;
        show_output(&run.output, config.json.as_ref());
        let lost = config.output.store(&run.trace)?;
        let ended = Ended::of(&run);
        if let Some(path) = &config.si {
            write_si(path, &config.output.path, &run.trace, &ended)?;
        }
        report(&config, &ended, lost, console);
        if let Some(target) = &config.json {
            let header = &run.trace.header;
            target.write(&Results {
                format: "warpath.record/1",
                program: header.program.clone(),
                arguments: header.argument_texts(),
                trace: config.output.path.display().to_string(),
                si: config.si.as_ref().map(|path| path.display().to_string()),
                model: config.model.name(),
                values: match header.values {
                    warpath_trace::header::Values::Pinned => "pinned",
                    warpath_trace::header::Values::Symbolic => "symbolic",
                },
                ended: &ended,
                time_ms: u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
            })?;
        }
        Ok(exit(&run))
    }
}

impl RecordConfig {
    fn plan(&self) -> Plan {
        let mut options = self.run.options();
        options.model = self.model.into();
        options.symbolic = self.symbolic.iter().map(Into::into).collect();
        options.inputs = self.inputs.iter().flat_map(GivenInput::values).collect();
        let policy = match self.schedule {
            Schedule::RunToBlock | Schedule::Pct => Policy::RunToBlock,
            Schedule::RoundRobin => Policy::RoundRobin,
            Schedule::Random => Policy::Random { seed: self.seed },
        };
        Plan::by_policy(options, policy)
    }
}

fn exit(run: &Run) -> Exit {
    match &run.end {
        // The program says that it is of no interest; that is an end like another.
        End::Exited(_) | End::Stopped(Why::Assumption) => Exit::Clean,
        End::Failed(_) => Exit::Found,
        End::Stopped(_) => Exit::Unknown,
    }
}

/// What happened, where the trace is, what to do next. A failure is a result, which `-q` leaves.
fn report(config: &RecordConfig, ended: &Ended, lost: Option<String>, console: &Console) {
    let (program, trace) = (config.program.name().display(), config.output.path.display());
    match &ended.failure {
        Some(failure) => complain(&failure.text("FAILED").trim_end()),
        None => console.note(format_args!("warpath: {program} {}", ended.message)),
    }
    if let Some(lost) = lost {
        console.note(format_args!("note: {lost}"));
    }
    if let Some(approximated) = ended.approximated() {
        console.note(format_args!("note: not followed exactly: {approximated}"));
    }
    let next = match (&ended.failure, &config.si) {
        (Some(_), Some(si)) => format!("warpath replay {}", si.display()),
        _ => format!("warpath analyze {trace}"),
    };
    console.note(format_args!("warpath: {}: {trace}; next: {next}", ended.size()));
}
