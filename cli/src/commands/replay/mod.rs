//! `warpath replay`: reproduce a bug.

mod debugger;
mod judge;
mod player;
mod stopped;

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use anyhow::Context;
use clap::Args;
use serde::Serialize;
use warpath_native::run::{End, Follow, Plan, Policy, Run, Strictness, World};
use warpath_trace::si::Si;

use crate::app::Invocation;
use crate::console::{self, Console, complain};
use crate::exit::Exit;
use crate::failure::{advise, advised};
use crate::inputs::{cannot_read, readable_file};
use crate::interrupt::Interrupt;
use crate::json::JsonTarget;
use crate::options::{
    JsonOption, Loudness, LoudnessOptions, Program, ProgramArgs, RunArgs, RunConfig, parse_duration,
    whole_millis,
};
use crate::runs::{Ended, Given, Leftovers, show_output, sources_of};
use crate::traces::{Destination, TraceForm};
use judge::{Judgement, Verdict};
use player::{Player, When};

/// Reproduce a bug from its schedule+input file
///
/// Runs the program with the inputs and the schedule of the SI file, checking each step. A step that cannot be taken
/// is a divergence: where, what was expected and what was found is shown.
#[derive(Args, Debug)]
#[command(after_long_help = "\
Examples:
  warpath replay warpath-out/bug-1.si.toml
  warpath replay bug-1.si.toml --times 100       does it fail every time, in the same way?
  warpath replay bug-1.si.toml --gdb             stopped at the failure, for a debugger
  warpath replay bug-1.si.toml -- ./prog-fixed   another build of the program

With --gdb the process is left stopped where the run ended, with its memory and the registers of
the thread that failed. On a terminal gdb is started on it; elsewhere the command to attach is
shown. Where every thread stands is printed; in gdb, `warpath-threads` lists the others, which are
Warpath's alone, and `warpath-thread N` puts the registers of one of them in place. The process
cannot go on. It ends with gdb, with Ctrl-C here, and with warpath at the latest.

A program that was built with `warpath cc --instrument` follows the schedule by itself: the library
in it lets each thread take its next step when it is its turn, and threads run as they do without
Warpath in between, and behind the last step. `--in-process` does the same with any program whose
schedule has only synchronisation; `--in-process=never` leaves it to the tracer. With --times, the
steps of such runs are compared, and how they end. The schedule's model must be sc, without inputs.

An SI file that was made under a repair (`warpath explore --assume-repair`) has it in `[[repair]]`,
and is replayed under it. Without that part the program runs as it is.

Files written: only the trace of --trace.

Exit codes:
  0  the schedule was followed and the program did not fail
  1  the failure was reproduced; a race, an atomicity or order violation is, if its schedule was
     followed
  2  wrong usage, a broken SI file, or the program cannot be run
  3  the run diverged from the schedule, or was cut (Ctrl-C, a bound)")]
pub(crate) struct ReplayArgs {
    /// The schedule and inputs
    #[arg(value_name = "BUG.si.toml")]
    schedule: PathBuf,
    /// Replay that often; all traces must be the same, byte for byte
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    times: u64,
    /// Leave out steps that cannot be taken and go on
    #[arg(long)]
    lenient: bool,
    /// Stop gdb at the failure: the process is left there for it
    #[arg(long, conflicts_with = "times")]
    gdb: bool,
    /// Let the program follow the schedule by itself, at its own speed, instead of running it under a tracer
    #[arg(
        long,
        value_enum,
        value_name = "WHEN",
        default_value_t = When::Auto,
        default_missing_value = "always",
        num_args = 0..=1,
        require_equals = true
    )]
    in_process: When,
    /// How long a step may take in a program that follows by itself
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = parse_duration)]
    patience: Duration,
    /// Write the trace of the replay
    #[arg(long, value_name = "FILE.wpt")]
    trace: Option<PathBuf>,
    #[command(flatten)]
    json: JsonOption,
    #[command(flatten)]
    loudness: LoudnessOptions,
    #[command(flatten)]
    program: ProgramArgs,
    #[command(flatten)]
    run: RunArgs,
}

#[derive(Debug, Serialize)]
pub(crate) struct ReplayConfig {
    schedule: PathBuf,
    program: Option<Program>,
    times: u64,
    lenient: bool,
    gdb: bool,
    in_process: When,
    #[serde(serialize_with = "whole_millis")]
    patience: Duration,
    trace: Option<Destination>,
    run: RunConfig,
    json: Option<JsonTarget>,
}

/// `warpath.replay/1`.
#[derive(Debug, Serialize)]
struct Results<'a> {
    format: &'static str,
    si: String,
    program: String,
    #[serde(flatten)]
    judgement: &'a Judgement,
    times: u64,
    agreed: u64,
    skipped: u64,
    trace: Option<String>,
    #[serde(flatten)]
    ended: &'a Ended,
}

impl Invocation for ReplayArgs {
    const NAME: &'static str = "replay";
    type Config = ReplayConfig;

    fn loudness(&self) -> Loudness {
        self.loudness.loudness()
    }

    fn json(&self) -> Option<&JsonTarget> {
        self.json.json.as_ref()
    }

    fn lower(self) -> anyhow::Result<ReplayConfig> {
        let trace = self.trace.map(|path| {
            let form = TraceForm::of(&path).unwrap_or(TraceForm::Wpt);
            Destination::new(path, Some(form), None)
        });
        Ok(ReplayConfig {
            schedule: readable_file(self.schedule)?,
            program: self.program.lower()?,
            times: self.times,
            lenient: self.lenient,
            gdb: self.gdb,
            in_process: self.in_process,
            patience: self.patience,
            trace: trace.transpose()?,
            run: self.run.lower(),
            json: self.json.json,
        })
    }

    fn run(mut config: ReplayConfig, console: &Console) -> anyhow::Result<Exit> {
        let si = read(&config.schedule)?;
        let named = match config.program.take() {
            Some(program) => program,
            None => program_of(&si)?,
        };
        let named = in_recorded_world(named, &si);
        if *named.world() != World::default() {
            console.note(format_args!(
                "note: the program is given what {} has recorded of its inputs",
                si.origin.trace
            ));
        }
        let plan = plan(&config, &si);
        let cancel = Arc::clone(&plan.options.cancel);
        let interrupt = Interrupt::listen(move || cancel.store(true, Ordering::Relaxed))?;
        // Before the program, so that it ends after it.
        let _leftovers = Leftovers::adopt();
        let when =
            if config.gdb && config.in_process == When::Auto { When::Never } else { config.in_process };
        let mut player = Player::open(&named, &si, when, config.patience)?;
        if config.gdb && matches!(player, Player::InProcess(_)) {
            let help = "leave out --in-process: under the tracer the process is left stopped at the failure";
            return Err(advised("--gdb cannot stop a program that follows the schedule by itself", help));
        }
        warn_of_another_build(&si, &player, console);
        if let Player::Traced(program) = &mut player
            && !si.shared.is_empty()
        {
            program.share(&si);
        }
        let first = player.replay(&plan, &interrupt)?;
        show_output(&first.output, config.json.as_ref());
        let agreed = repeat(&config, &plan, &mut player, &first, &interrupt)?;
        if let Some(trace) = &config.trace {
            // In one numbering, whether the run was made by a policy or by a schedule.
            trace.store(&first.trace.canonical().context("the trace cannot be numbered")?)?;
        }
        let ended = Ended::of(&first);
        let mut judgement = Judgement::of(&si, &first, &ended);
        judgement.remark(player.remarks());
        if player.missed() {
            judgement.miss();
        }
        if agreed < config.times && !interrupt.asked() {
            judgement.disagree(agreed, config.times);
        }
        if let Some(target) = &config.json {
            target.write(&Results {
                format: "warpath.replay/1",
                si: config.schedule.display().to_string(),
                program: named.name().display().to_string(),
                judgement: &judgement,
                times: config.times,
                agreed,
                skipped: first.skipped,
                trace: config.trace.as_ref().map(|trace| trace.path.display().to_string()),
                ended: &ended,
            })?;
        }
        if !JsonTarget::takes_stdout(config.json.as_ref()) {
            console::report(&text(&config, &judgement, &ended, &first, agreed))?;
        }
        if config.gdb && matches!(first.end, End::Exited(_)) {
            complain(&"warpath: the program did not fail: there is nothing for a debugger to stop at");
        } else if config.gdb {
            let Player::Traced(program) = &mut player else { return Ok(Exit::Unknown) };
            let Some(program) = program.native() else {
                return Err(advised("gdb cannot look into a Java program", "leave --gdb out"));
            };
            stopped::wait(program, &named, &interrupt, console)?;
        }
        Ok(match judgement.verdict {
            Verdict::Reproduced | Verdict::Otherwise => Exit::Found,
            Verdict::NotReproduced => Exit::Clean,
            Verdict::Diverged | Verdict::Cut => Exit::Unknown,
        })
    }
}

pub(super) fn read(path: &std::path::Path) -> anyhow::Result<Si> {
    let text = fs::read_to_string(path).map_err(|error| cannot_read(path, error))?;
    Si::parse(&text).map_err(|error| {
        let help = "SI files come from `warpath analyze`, `apply` and `explore`, and may be edited";
        advise(error, format!("{} cannot be replayed", path.display()), help)
    })
}

/// The program that the schedule was made for.
pub(super) fn program_of(si: &Si) -> anyhow::Result<Program> {
    if si.program.path.is_empty() {
        return Err(advised(
            "the SI file names no program",
            "name it after `--`, as in `warpath replay bug.si.toml -- ./prog`",
        ));
    }
    let arguments =
        si.program.arguments.iter().map(|argument| OsString::from_vec(argument.0.clone())).collect();
    Program::new(PathBuf::from(&si.program.path), arguments)
        .context("the program of the SI file cannot be run")
}

/// The program, given what was recorded of its inputs in the trace that the schedule was made from, if it was.
pub(super) fn in_recorded_world(program: Program, si: &Si) -> Program {
    match Given::behind(si) {
        Some(given) => program.in_world(given.world),
        None => program,
    }
}

fn plan(config: &ReplayConfig, si: &Si) -> Plan {
    let mut options = config.run.options();
    options.model = si.model;
    options.symbolic = sources_of(&si.inputs);
    options.inputs = si.inputs.clone();
    options.repair = si.repair.clone();
    options.fail_on_exit |= si.expect.outcome.starts_with("exit");
    let strictness = if config.lenient { Strictness::Lenient } else { Strictness::Strict };
    let follow = Follow::new(si.schedule.clone(), strictness);
    Plan { options, follow, policy: Policy::RunToBlock }
}

fn warn_of_another_build(si: &Si, program: &Player, console: &Console) {
    let here = program.build_id();
    if !si.program.build_id.is_empty() && si.program.build_id != here {
        let here = if here.is_empty() { "none" } else { &here };
        console.note(format_args!(
            "note: the schedule was made with another build (build id {}, here {here}): it may not fit",
            si.program.build_id
        ));
    }
}

/// Runs it again as often as was asked; how many runs were like the first, which counts.
fn repeat(
    config: &ReplayConfig,
    plan: &Plan,
    program: &mut Player,
    first: &Run,
    interrupt: &Interrupt,
) -> anyhow::Result<u64> {
    let mut agreed = 1;
    for _ in 1..config.times {
        let again = program.replay(plan, interrupt)?;
        if interrupt.asked() {
            break;
        }
        if program.agree(&again, first) {
            agreed += 1;
        }
    }
    Ok(agreed)
}

fn text(config: &ReplayConfig, judgement: &Judgement, ended: &Ended, run: &Run, agreed: u64) -> String {
    let mut text = judgement.text(ended);
    if run.skipped > 0 {
        text.push_str(&format!("  {} steps could not be taken and were left out\n", run.skipped));
    }
    if config.times > 1 {
        text.push_str(&format!("  {agreed} of {} runs were the same, event by event\n", config.times));
    }
    text
}
