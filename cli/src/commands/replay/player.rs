//! Who replays: a tracer, or the program itself.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context;
use clap::ValueEnum;
use nix::sys::personality::{self, Persona};
use serde::Serialize;
use warpath_light::replay::{self as light, InProcess, ReplayError, Replayed};
use warpath_native::names::Facts;
use warpath_native::run::{Divergence, End, Failure, Plan, Run, Why};
use warpath_trace::event::FailureKind;
use warpath_trace::header::MemoryModel;
use warpath_trace::si::{Expected, Si};

use super::judge::is_shown_by_schedule;
use crate::commands::record_light::{LIBRARY, find_library, preloaded};
use crate::failure::{advise, advised};
use crate::interrupt::Interrupt;
use crate::options::Program;
use crate::runs::{FailureReport, Subject, is_java};

/// Whether the program follows the schedule by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum When {
    /// If it was built with `warpath cc --instrument`
    Auto,
    /// Whatever it is: steps that are not synchronisation need the instrumentation
    Always,
    /// No: the tracer runs it
    Never,
}

/// What makes the runs.
pub(super) enum Player {
    /// A tracer.
    Traced(Subject),
    /// The program itself.
    InProcess(Box<Follower>),
}

/// A program that follows a schedule by itself.
pub(super) struct Follower {
    path: PathBuf,
    arguments: Vec<OsString>,
    preload: OsString,
    si: Si,
    patience: Duration,
    /// What the plan could not name, of the last run.
    unknown: Vec<String>,
    /// Of a race: both threads stood before their accesses at the same time, in the last run.
    stood_together: bool,
}

/// Does the program bring the library with it?
fn is_linked(facts: &Facts) -> bool {
    facts.needed.iter().any(|needed| needed == LIBRARY)
}

impl Player {
    /// Chooses, and makes everything ready.
    pub(super) fn open(program: &Program, si: &Si, when: When, patience: Duration) -> anyhow::Result<Player> {
        let facts = || Facts::of(program.path()).ok();
        let linked = !is_java(program.name()) && facts().is_some_and(|facts| is_linked(&facts));
        let obstacle = obstacle(program, si);
        let chosen = match when {
            When::Never => false,
            When::Always => match obstacle {
                Some(obstacle) => return Err(advised(obstacle, "leave out --in-process")),
                None => true,
            },
            When::Auto => linked && obstacle.is_none(),
        };
        if !chosen {
            return Ok(Player::Traced(Subject::open(program)?));
        }
        let library = if linked { None } else { Some(find_library()?) };
        let more = || std::env::var_os("LD_PRELOAD").unwrap_or_default();
        Ok(Player::InProcess(Box::new(Follower {
            path: program.path().to_owned(),
            arguments: program.arguments().to_vec(),
            preload: library.map_or_else(more, |library| preloaded(&library)),
            si: si.clone(),
            patience,
            unknown: Vec::new(),
            stood_together: false,
        })))
    }

    /// Its build id in hexadecimal; empty if it has none.
    pub(super) fn build_id(&self) -> String {
        match self {
            Player::Traced(program) => program.build_id(),
            Player::InProcess(program) => program.build_id(),
        }
    }

    /// One run along the schedule.
    pub(super) fn replay(&mut self, plan: &Plan, interrupt: &Interrupt) -> anyhow::Result<Run> {
        match self {
            Player::Traced(program) => program.replay(plan),
            Player::InProcess(program) => program.replay(plan, interrupt),
        }
    }

    /// Were two runs the same? What a program does by itself behind the schedule it does in any order.
    pub(super) fn agree(&self, one: &Run, other: &Run) -> bool {
        match self {
            Player::Traced(program) => {
                one.trace == other.trace && one.end == other.end && program.wrote_alike(one, other)
            }
            Player::InProcess(program) => {
                one.end == other.end && one.left == other.left && program.steps(one) == program.steps(other)
            }
        }
    }

    /// Was there to be a race, and the two threads did not come to it at the same time?
    pub(super) fn missed(&self) -> bool {
        match self {
            Player::Traced(_) => false,
            Player::InProcess(program) => program.si.expect.outcome == "data-race" && !program.stood_together,
        }
    }

    /// What is worth knowing of the last run.
    pub(super) fn remarks(&self) -> Vec<String> {
        let Player::InProcess(program) = self else { return Vec::new() };
        let mut remarks = Vec::new();
        if program.stood_together {
            remarks.push("both threads stood before their accesses at the same time".to_owned());
        }
        if !program.unknown.is_empty() {
            let unknown = program.unknown.join(", ");
            remarks.push(format!("not found in the program, so accesses to it are no steps: {unknown}"));
        }
        remarks
    }
}

/// Why a program cannot follow this schedule by itself.
fn obstacle(program: &Program, si: &Si) -> Option<String> {
    if is_java(program.name()) {
        return Some("a Java program does not follow a schedule by itself".to_owned());
    }
    if si.model != MemoryModel::Sc {
        return Some("only a tracer can reorder writes, which the schedule's memory model does".to_owned());
    }
    if !si.repair.is_empty() {
        return Some("only a tracer can run a program under a repair".to_owned());
    }
    let input = si.inputs.first()?;
    Some(format!("only a tracer can give a program its inputs, such as `{}`", input.name))
}

/// As long as it lives, programs that we start find everything at the same addresses in every run, if the system lets us.
struct SteadyAddresses(Option<Persona>);

impl SteadyAddresses {
    fn begin() -> SteadyAddresses {
        let before = personality::get().ok();
        let steady = before.map(|before| before | Persona::ADDR_NO_RANDOMIZE);
        SteadyAddresses(before.filter(|_| steady.is_some_and(|steady| personality::set(steady).is_ok())))
    }
}

impl Drop for SteadyAddresses {
    fn drop(&mut self) {
        if let Some(before) = self.0 {
            // It was so before: it can be so again.
            let _ = personality::set(before);
        }
    }
}

impl Follower {
    fn build_id(&self) -> String {
        let facts = Facts::of(&self.path).ok();
        let bytes = facts.and_then(|facts| facts.build_id).unwrap_or_default();
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    fn replay(&mut self, plan: &Plan, interrupt: &Interrupt) -> anyhow::Result<Run> {
        let folder = tempfile::Builder::new()
            .prefix("warpath-replay-")
            .tempdir()
            .context("cannot make a folder for what is recorded")?;
        let this = InProcess {
            program: self.path.clone(),
            arguments: self.arguments.clone(),
            preload: self.preload.clone(),
            folder: folder.path().to_owned(),
            lenient: plan.follow.strictness() == warpath_native::run::Strictness::Lenient,
            patience: self.patience,
            enough: is_shown_by_schedule(&self.si.expect.outcome),
        };
        let steady = SteadyAddresses::begin();
        let replayed = this.run(&self.si, &|| interrupt.asked()).map_err(explained)?;
        drop(steady);
        (self.stood_together, self.unknown) = (replayed.stood_together, replayed.unknown.clone());
        Ok(self.run(replayed, plan.options.fail_on_exit))
    }

    /// In the words of the native tracer.
    fn run(&self, replayed: Replayed, fail_on_exit: bool) -> Run {
        let failure = FailureReport::of(&replayed.trace).zip(replayed.trace.failed());
        let end = match (replayed.end, failure) {
            (light::End::Diverged(step, found), _) => {
                let steps = self.si.schedule.len();
                let expected = self.si.schedule.get(step.saturating_sub(1)).map(ToString::to_string);
                let expected = expected.unwrap_or_default();
                End::Stopped(Why::Diverged(Box::new(Divergence { step, steps, expected, found })))
            }
            (light::End::Interrupted, _) => End::Stopped(Why::Interrupted),
            (light::End::Deadlock(message), _) => End::Failed(Failure::new(FailureKind::Deadlock, message)),
            (_, Some((report, failed))) => End::Failed(Failure::new(failed.kind, report.message)),
            (light::End::Exited(status), None) if status != 0 && fail_on_exit => {
                End::Failed(Failure::new(FailureKind::Exit(status), format!("exit status {status}")))
            }
            (light::End::Exited(status), None) => End::Exited(status),
            (light::End::Enough, None) => End::Stopped(Why::Time(self.patience.as_secs())),
            (light::End::Killed(signal), None) => {
                let kind = FailureKind::Killed(u32::try_from(signal).unwrap_or(0));
                End::Failed(Failure::new(kind, format!("ended by signal {signal}")))
            }
        };
        Run {
            trace: replayed.trace,
            end,
            sharing_grew: false,
            instructions: 0,
            hardware_steps: 0,
            skipped: replayed.skipped,
            left: replayed.left,
            guided: None,
            output: replayed.output,
        }
    }

    /// The steps of a run. Their values are no part of it: where addresses are not steady, neither are pointers.
    fn steps(&self, run: &Run) -> Vec<(String, Expected)> {
        let trace = &run.trace;
        let Ok(events) = trace.in_order() else { return Vec::new() };
        let visible = events.filter(|(_, _, event)| event.op.is_visible() && !event.op.is_pending());
        let step = |(thread, _, event): (warpath_trace::ids::ThreadIx, u32, &warpath_trace::event::Event)| {
            let key = trace.tables.key(thread).to_string();
            (key, Expected::of(&trace.tables, &trace.threads[thread.index()], event))
        };
        visible.take(self.si.schedule.len().saturating_sub(run.left)).map(step).collect()
    }
}

fn explained(error: ReplayError) -> anyhow::Error {
    let help = match &error {
        ReplayError::Program { .. } => {
            "name an x86-64 Linux executable; a script needs its interpreter in front"
        }
        ReplayError::Step(_) => "replay it with the tracer: --in-process=never",
        ReplayError::NotFollowed(_) => {
            "a statically linked program, and one that gets more rights than its user, cannot be replayed so: \
             --in-process=never"
        }
        ReplayError::System { .. } => "does the program run without Warpath?",
        _ => "please report it with the program, if you may share that",
    };
    let text = error.to_string();
    advise(error, text, help)
}
