//! `warpath lift`: from a recording at full speed to a full trace.

mod along;
mod results;
mod search;
mod target;

use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use anyhow::Context;
use clap::Args;
use serde::Serialize;
use warpath_light::BEGINNING_LOST;
use warpath_native::run::{End, Follow, Guide, Guided, Plan, Policy, Run, RunOptions, Strictness};
use warpath_solvers::CancelToken;
use warpath_trace::si::Si;
use warpath_trace::trace::Trace;

use crate::app::Invocation;
use crate::console::{Console, complain};
use crate::exit::Exit;
use crate::failure::advised;
use crate::inputs::readable_file;
use crate::interrupt::Interrupt;
use crate::json::JsonTarget;
use crate::options::{
    JsonOption, Loudness, LoudnessOptions, Program, ProgramArgs, RunArgs, RunConfig, SolverConfig,
    SolverOptions, SymbolicSource, parse_duration, whole_millis,
};
use crate::runs::{Ended, Given, Leftovers, Subject, is_java, show_output, write_si};
use crate::traces::{Destination, Source, TraceForm};
use along::Best;
use results::{Along, GivenReport, Results, Verdict, account};
use search::Search;
use target::Target;

/// Turn a recording at full speed into a full trace
///
/// Runs the program again under the native tracer, with the inputs that were recorded, along the recorded order of
/// synchronisation, until it ends as the recorded run did. The trace has every shared access, with path conditions.
///
/// What was not recorded is free: if a race was decided otherwise, the run may end differently. Then other schedules
/// along the same synchronisation are tried, and then the analyzer searches among all schedules for one that ends
/// as recorded.
#[derive(Args, Debug)]
#[command(
    override_usage = "warpath lift [OPTIONS] -o FULL.wpt LIGHT.wpt [-- PROG [ARGS]...]",
    after_long_help = "\
Examples:
  warpath record --light --inputs all -o light.wpt -- ./server --once < request
  warpath lift light.wpt -o full.wpt -- ./server
  warpath lift light.wpt -o full.wpt --symbolic stdin:16 --si bug.si.toml -- ./server
  warpath analyze full.wpt
  warpath diagnose full.wpt

Without PROG it is the program that was recorded; without ARGS, its arguments. What was recorded
with --inputs is given to the program: its environment, standard input, and files, as they were
then. What was not recorded is as it is now. Sockets cannot be given: the program talks to whoever
answers.

The trace keeps what was recorded, and replays of schedules that are made from it are given it too.

Files written: the trace named by -o, also if no run ends as recorded; the SI file of --si.

Standard output and error are the program's, except that with `--json -` both go to standard error.

Exit codes:
  0  lifted: a run ends as the recorded one did, and that did not fail
  1  lifted, and the run fails as the recorded one did
  2  wrong usage, a recording that cannot be lifted, or the program cannot be run
  3  UNKNOWN: no run was found that ends as recorded; the trace is of the one that came closest"
)]
pub(crate) struct LiftArgs {
    /// The recording
    #[arg(value_name = "LIGHT.wpt")]
    light: PathBuf,
    /// Trace to write
    #[arg(short, long, value_name = "FULL.wpt")]
    output: PathBuf,
    /// Also write the run's own schedule and inputs, with which `warpath replay` makes it happen again
    #[arg(long, value_name = "FILE.si.toml")]
    si: Option<PathBuf>,
    /// Data from outside that the solver may choose later: `stdin[:N]`, `arg:K`, `env:NAME`, `file:PATH[:N]`, `rand`,
    /// `time`; of standard input and files the first N bytes, 64 if N is not given
    #[arg(long, value_name = "SOURCE")]
    symbolic: Vec<SymbolicSource>,
    /// Do not search among other schedules
    #[arg(long)]
    no_search: bool,
    /// Runs of the program at most
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..))]
    max_executions: u64,
    /// Time for everything
    #[arg(long, value_name = "TIME", default_value = "5m", value_parser = parse_duration)]
    time: Duration,
    #[command(flatten)]
    json: JsonOption,
    #[command(flatten)]
    loudness: LoudnessOptions,
    #[command(flatten)]
    program: ProgramArgs,
    #[command(flatten)]
    run: RunArgs,
    #[command(flatten)]
    solver: SolverOptions,
}

#[derive(Debug, Serialize)]
pub(crate) struct LiftConfig {
    light: PathBuf,
    program: Option<Program>,
    output: Destination,
    si: Option<PathBuf>,
    symbolic: Vec<SymbolicSource>,
    search: bool,
    max_executions: u64,
    #[serde(serialize_with = "whole_millis")]
    time: Duration,
    run: RunConfig,
    solver: SolverConfig,
    json: Option<JsonTarget>,
}

impl Invocation for LiftArgs {
    const NAME: &'static str = "lift";
    type Config = LiftConfig;

    fn loudness(&self) -> Loudness {
        self.loudness.loudness()
    }

    fn json(&self) -> Option<&JsonTarget> {
        self.json.json.as_ref()
    }

    fn lower(self) -> anyhow::Result<LiftConfig> {
        let form = TraceForm::of(&self.output).unwrap_or(TraceForm::Wpt);
        Ok(LiftConfig {
            light: readable_file(self.light)?,
            program: self.program.lower()?,
            output: Destination::new(self.output, Some(form), None)?,
            si: self.si,
            symbolic: self.symbolic,
            search: !self.no_search,
            max_executions: self.max_executions,
            time: self.time,
            run: self.run.lower(),
            solver: self.solver.lower()?,
            json: self.json.json,
        })
    }

    fn run(config: LiftConfig, console: &Console) -> anyhow::Result<Exit> {
        let began = Instant::now();
        let light = load(&config.light, console)?;
        let given = Given::of(&light.recorded);
        let program = program(&config, &light, &given)?;
        warn(&light, &given, &config, console);
        let target = Target::of(&light);
        let guide = Guide::of(&light).context("the recording has no order")?;

        let options =
            RunOptions { symbolic: config.symbolic.iter().map(Into::into).collect(), ..config.run.options() };
        let options = RunOptions { fail_on_exit: options.fail_on_exit || target.fails_on_exit(), ..options };
        let cancel = CancelToken::default();
        let (stop, halt) = (cancel.clone(), Arc::clone(&options.cancel));
        let interrupt = Interrupt::listen(move || {
            halt.store(true, Ordering::Relaxed);
            stop.cancel();
        })?;
        // Before the program, so that it ends after it.
        let _leftovers = Leftovers::adopt();
        let mut subject = Subject::open(&program)?;
        warn_of_another_build(&light, &subject, console);
        let bounds =
            along::Bounds { until: began.checked_add(config.time), executions: Some(config.max_executions) };
        let best = along::runs(&mut subject, &guide, &options, &target, &bounds)?
            .context("the program was not run")?;
        let mut lifted = Lifted::of(best);
        if lifted.verdict == Verdict::Unknown && config.search && !interrupt.asked() && lifted.is_whole() {
            lifted.search(&config, &program, &options, &target, began, &cancel, console)?;
        }
        lifted.replayed(&program, &options, &target)?;
        lifted.run.trace.recorded.clone_from(&light.recorded);
        show_output(&lifted.run.output, config.json.as_ref());
        let ended = Ended::of(&lifted.run);
        let lost = config.output.store(&lifted.run.trace)?;
        if !light.recorded.is_empty() {
            private(&config.output.path)?;
        }
        if let Some(path) = &config.si {
            write_si(path, &config.output.path, &lifted.run.trace, &ended)?;
        }
        let report = Report { config: &config, program: &program, light: &light, target: &target };
        report.print(&lifted, &ended, lost, console);
        report.json(&lifted, &ended, began)?;
        Ok(match lifted.verdict {
            Verdict::Unknown => Exit::Unknown,
            _ if ended.failure.is_some() => Exit::Found,
            _ => Exit::Clean,
        })
    }
}

/// A run of the program, and how it was come by.
struct Lifted {
    verdict: Verdict,
    run: Run,
    guided: Guided,
    attempts: u64,
    executions: u64,
    reasons: Vec<String>,
}

impl Lifted {
    fn of(best: Best) -> Lifted {
        let Best { mut run, guided, met, attempts } = best;
        let mut reasons = Vec::new();
        if let End::Stopped(_) = run.end {
            reasons.push(format!("the run along the recording {}", Ended::of(&run).message));
        }
        run.trace = run.trace.canonical().unwrap_or(run.trace);
        let verdict = if met { Verdict::Lifted } else { Verdict::Unknown };
        Lifted { verdict, run, guided, attempts, executions: 0, reasons }
    }

    /// Did the run come to an end of its own? Else nothing can be built on it.
    fn is_whole(&self) -> bool {
        !matches!(self.run.end, End::Stopped(_))
    }

    #[allow(clippy::too_many_arguments)]
    fn search(
        &mut self,
        config: &LiftConfig,
        program: &Program,
        options: &RunOptions,
        target: &Target,
        began: Instant,
        cancel: &CancelToken,
        console: &Console,
    ) -> anyhow::Result<()> {
        console.note(format_args!(
            "warpath: {} runs along the recorded synchronisation did not end as recorded; searching among all schedules",
            self.attempts
        ));
        let Ok(begin) = Si::of_run(&self.run.trace) else { return Ok(()) };
        let searched = Search {
            program,
            options,
            target,
            begin: &begin,
            solver: &config.solver,
            time: Some(config.time.saturating_sub(began.elapsed())),
            executions: Some(config.max_executions.saturating_sub(self.attempts).max(1)),
            cancel,
        }
        .run(console)?;
        self.executions = searched.executions;
        match searched.found {
            Some(trace) => {
                self.run.trace = trace.canonical().unwrap_or(trace);
                self.verdict = Verdict::Searched;
            }
            None => {
                self.reasons.extend(searched.reasons);
                if searched.exhausted {
                    self.reasons.push("no schedule with these inputs ends as recorded".to_owned());
                }
            }
        }
        Ok(())
    }

    /// Makes the run once more by its own schedule: what is reported can be made to happen again.
    fn replayed(&mut self, program: &Program, options: &RunOptions, target: &Target) -> anyhow::Result<()> {
        if self.verdict == Verdict::Unknown {
            return Ok(());
        }
        let Ok(si) = Si::of_run(&self.run.trace) else { return Ok(()) };
        // The search has been ended by the run that it found.
        let options = RunOptions { inputs: si.inputs.clone(), cancel: Arc::default(), ..options.clone() };
        let mut again = Subject::open(program)?;
        if !si.shared.is_empty() {
            again.share(&si);
        }
        let follow = Follow::new(si.schedule, Strictness::Strict);
        let mut run = again.replay(&Plan { options, follow, policy: Policy::RunToBlock })?;
        if matches!(run.end, End::Stopped(_)) || !target.is_met(&run.trace) {
            self.reasons.push(format!(
                "a run ended as recorded, but not when its own schedule was replayed: it {}",
                Ended::of(&run).message
            ));
            self.verdict = Verdict::Unknown;
            return Ok(());
        }
        run.trace = run.trace.canonical().context("the trace cannot be numbered")?;
        self.run = run;
        Ok(())
    }
}

/// What the user is told.
struct Report<'a> {
    config: &'a LiftConfig,
    program: &'a Program,
    light: &'a Trace,
    target: &'a Target,
}

impl Report<'_> {
    fn print(&self, lifted: &Lifted, ended: &Ended, lost: Option<String>, console: &Console) {
        let trace = self.config.output.path.display();
        let recorded = self.target.sentence();
        let mut text = match lifted.verdict {
            Verdict::Lifted => format!("LIFTED: the recorded run {recorded}, and so did this one\n"),
            Verdict::Searched => format!(
                "LIFTED: the recorded run {recorded}; a schedule that does was found after {} runs\n",
                lifted.executions
            ),
            Verdict::Unknown => {
                format!("UNKNOWN: the recorded run {recorded}; the one that came closest {}\n", ended.message)
            }
        };
        for line in account(&lifted.guided) {
            text.push_str(&format!("  {line}\n"));
        }
        for reason in &lifted.reasons {
            text.push_str(&format!("  {reason}\n"));
        }
        // Standard output is the program's.
        complain(&text.trim_end());
        for note in
            lost.into_iter().chain(ended.approximated().map(|what| format!("not followed exactly: {what}")))
        {
            console.note(format_args!("note: {note}"));
        }
        let next = if ended.failure.is_some() { "diagnose" } else { "analyze" };
        console.note(format_args!("warpath: {}: {trace}; next: warpath {next} {trace}", ended.size()));
    }

    fn json(&self, lifted: &Lifted, ended: &Ended, began: Instant) -> anyhow::Result<()> {
        let Some(target) = &self.config.json else { return Ok(()) };
        let given = |input: &warpath_trace::recorded::RecordedInput| GivenReport {
            name: String::from_utf8_lossy(&input.name).into_owned(),
            bytes: input.bytes.len(),
            whole: input.whole,
        };
        let givable = self.light.recorded.iter().filter(|input| !input.name.starts_with(b"socket:"));
        target.write(&Results {
            format: "warpath.lift/1",
            light: self.config.light.display().to_string(),
            program: self.program.name().display().to_string(),
            arguments: self.program.arguments().iter().map(|word| word.to_string_lossy().into()).collect(),
            trace: self.config.output.path.display().to_string(),
            si: self.config.si.as_ref().map(|path| path.display().to_string()),
            verdict: lifted.verdict,
            reasons: &lifted.reasons,
            recorded: self.target.recorded(),
            given: givable.map(given).collect(),
            attempts: lifted.attempts,
            executions: lifted.executions,
            along: Along::from(&lifted.guided),
            ended,
            time_ms: u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
        })
    }
}

/// The recording, if it can be lifted.
fn load(path: &Path, console: &Console) -> anyhow::Result<Trace> {
    let loaded = Source { path: path.to_owned(), form: None, salvage: false }.load()?;
    if let Some(remark) = &loaded.remark {
        console.note(format_args!("note: {remark}"));
    }
    let trace = loaded.trace;
    if trace.header.tracer != "warpath-preload" {
        let tracer = if trace.header.tracer.is_empty() { "nobody known" } else { &trace.header.tracer };
        return Err(advised(
            format!(
                "{} was recorded by {tracer}, not at full speed: there is nothing to lift",
                path.display()
            ),
            "give a trace of `warpath record --light`; others can be analysed as they are",
        ));
    }
    let approximations = trace.footer.iter().flat_map(|footer| &footer.approximations);
    if approximations.into_iter().any(|&(what, _)| trace.tables.text(what) == BEGINNING_LOST) {
        return Err(advised(
            format!(
                "{} does not begin with the program: its beginning was overwritten or not recorded, or it is of a \
                 process that was forked. What happened until then is not known, so it cannot be run again",
                path.display()
            ),
            "record from the start: without --ring, --sample and --paused, and lift the first trace",
        ));
    }
    Ok(trace)
}

/// The program that is run, in the world of the recorded one.
fn program(config: &LiftConfig, light: &Trace, given: &Given) -> anyhow::Result<Program> {
    let recorded = || match &given.arguments {
        Some(arguments) => arguments.clone(),
        None => light.header.arguments.iter().cloned().map(OsStringExt::from_vec).collect(),
    };
    let program = match &config.program {
        Some(program) if program.arguments().is_empty() => {
            Program::new(program.name().to_owned(), recorded())?
        }
        Some(program) => program.clone(),
        None if light.header.program.is_empty() => {
            return Err(advised(
                "the recording names no program",
                "name it after `--`, as in `warpath lift light.wpt -o full.wpt -- ./prog`",
            ));
        }
        None => Program::new(PathBuf::from(&light.header.program), recorded())
            .context("the recorded program cannot be run")?,
    };
    if is_java(program.name()) {
        return Err(advised(
            "a Java program cannot be lifted: the native tracer does not run the JVM",
            "record it with `warpath record --jvm`",
        ));
    }
    Ok(program.in_world(given.world.clone()))
}

/// What the run may lack.
fn warn(light: &Trace, given: &Given, config: &LiftConfig, console: &Console) {
    if given.sockets > 0 {
        console.note(format_args!(
            "note: {} sockets were read from; what came from them cannot be given to the program, which talks to \
             whoever answers now",
            given.sockets
        ));
    }
    if !given.cut.is_empty() {
        console.note(format_args!(
            "note: only the beginning was recorded of {} (--input-limit gives more room)",
            given.cut.join(", ")
        ));
    }
    if light.recorded.is_empty() {
        console.note(format_args!(
            "note: no inputs were recorded (`record --light --inputs`): the program gets what is there now"
        ));
    }
    if let Some(program) = &config.program
        && !program.arguments().is_empty()
        && given.arguments.as_ref().is_some_and(|recorded| recorded != program.arguments())
    {
        console.note(format_args!("note: these are not the recorded arguments"));
    }
    for &(what, count) in light.footer.iter().flat_map(|footer| &footer.approximations) {
        console.note(format_args!("note: of the recording: {count} {}", light.tables.text(what)));
    }
}

fn warn_of_another_build(light: &Trace, program: &Subject, console: &Console) {
    let recorded: String = light.header.build_id.iter().map(|byte| format!("{byte:02x}")).collect();
    let here = program.build_id();
    if !recorded.is_empty() && recorded != here {
        let here = if here.is_empty() { "none" } else { &here };
        console.note(format_args!(
            "note: another build was recorded (build id {recorded}, here {here}): it may not fit"
        ));
    }
}

/// What the program was given may not be for everybody.
fn private(path: &Path) -> anyhow::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let is_file = std::fs::metadata(path).is_ok_and(|metadata| metadata.is_file());
    if is_file {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600))?;
    }
    Ok(())
}
