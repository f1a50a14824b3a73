//! In-process replay: a program that follows a schedule by itself, at native speed, and is recorded while it does.
//!
//! The library in the program reads a plan ([`warpath_light_format::plan`]), lets threads take their steps one after the
//! other, and records as always. Here the plan is made, the process is watched until it ends, has parted from the
//! schedule or can never go on, and what it recorded is read back and compared with the schedule, step by step.

mod deadlock;
mod plan;
mod watch;

use std::fs::File;
use std::io::{BufReader, Seek};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use warpath_light_format::plan::state;
use warpath_native::names::Image;
use warpath_trace::binary::{self, WriterOptions};
use warpath_trace::si::{Expected, Si, Step, Visible};
use warpath_trace::trace::Trace;

use crate::error::LightError;
use crate::folder::{Recording, processes};
use crate::lift::Ended;
use crate::names::Names;
use plan::Plan;
use watch::{Status, Stuck};

/// A program that cannot be replayed in its own process.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReplayError {
    /// The program's file.
    #[error("{}: {why}", path.display())]
    Program {
        /// Which.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// A step that only other tracers can take.
    #[error("the step `{0}` cannot be taken by the program itself")]
    Step(String),
    /// The library was not loaded, or does not follow.
    #[error("the program does not follow the schedule: {0}")]
    NotFollowed(&'static str),
    /// A file of ours, or the process.
    #[error("{what}: {error}")]
    System {
        /// What was tried.
        what: &'static str,
        /// Why it failed.
        error: std::io::Error,
    },
    /// What was recorded.
    #[error(transparent)]
    Recording(#[from] LightError),
    /// The trace of it.
    #[error("the trace of the replay: {0}")]
    Trace(#[from] binary::ReadError),
}

/// What to run, and how long to wait.
#[derive(Debug)]
pub struct InProcess {
    /// The executable.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<std::ffi::OsString>,
    /// `LD_PRELOAD` of the program: the library, and what else is preloaded.
    pub preload: std::ffi::OsString,
    /// A folder for files that are needed meanwhile.
    pub folder: PathBuf,
    /// Leave out steps that do not fit.
    pub lenient: bool,
    /// How long a step may take.
    pub patience: Duration,
    /// Behind the schedule nothing more is expected: the program is ended if it does not end by itself in that time.
    pub enough: bool,
}

/// How a replay ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// By itself, with a status.
    Exited(i32),
    /// By a signal, or otherwise by itself.
    Killed(i32),
    /// Threads waited for each other.
    Deadlock(String),
    /// Program and schedule parted: at this step, from 1, this was found.
    Diverged(usize, String),
    /// The schedule was done, nothing more was expected, and the program was ended.
    Enough,
    /// The user did not want to wait.
    Interrupted,
}

/// A replay.
#[derive(Debug)]
pub struct Replayed {
    /// What happened.
    pub trace: Trace,
    /// How it ended.
    pub end: End,
    /// Steps that were not taken.
    pub left: usize,
    /// Steps that were left out.
    pub skipped: u64,
    /// Of a race: both threads stood before their accesses at the same time.
    pub stood_together: bool,
    /// What the program wrote, to standard output (1) and error (2).
    pub output: Vec<(i32, Vec<u8>)>,
    /// Storage that the schedule names and the library does not find.
    pub unknown: Vec<String>,
}

/// How often the process is looked at: quickly at first, since most replays are short.
const QUICK: Duration = Duration::from_millis(1);
const SLOW: Duration = Duration::from_millis(20);
/// Who waits for so long without any change does not go on by itself.
const STILL: Duration = Duration::from_millis(100);

fn system(what: &'static str) -> impl Fn(std::io::Error) -> ReplayError {
    move |error| ReplayError::System { what, error }
}

impl InProcess {
    /// Runs the program along the schedule. `cancelled` is asked now and then whether to stop.
    pub fn run(&self, si: &Si, cancelled: &dyn Fn() -> bool) -> Result<Replayed, ReplayError> {
        let image = Image::open(&self.program, 0)
            .map_err(|error| ReplayError::Program { path: self.program.clone(), why: error.to_string() })?;
        let plan = Plan::new(si, &image, self.lenient)?;
        let path = self.folder.join("plan");
        std::fs::write(&path, plan.bytes()).map_err(system("the plan cannot be written"))?;
        let recordings = self.folder.join("recording");
        let (mut output, mut errors) = (self.scratch()?, self.scratch()?);
        let hand = |file: &File| file.try_clone().map_err(system("a file cannot be handed on"));
        let child = Command::new(&self.program)
            .args(&self.arguments)
            .env("LD_PRELOAD", &self.preload)
            .env("WARPATH_LIGHT", &recordings)
            .env("WARPATH_FOLLOW", &path)
            .stdout(Stdio::from(hand(&output)?))
            .stderr(Stdio::from(hand(&errors)?))
            .spawn()
            .map_err(system("the program cannot be started"))?;
        let file = File::open(&path).map_err(system("the plan cannot be read"))?;
        let mut status = Status::new(&plan, file);
        let end = self.watch(si, child, &mut status, cancelled)?;
        status.look().map_err(system("the plan cannot be read"))?;
        let written = |stream, file: &mut File| Ok((stream, read(file)?));
        let output = vec![
            written(1, &mut output).map_err(system("the output cannot be read"))?,
            written(2, &mut errors).map_err(system("the output cannot be read"))?,
        ];
        match status.state() {
            state::UNTOUCHED => {
                return Err(ReplayError::NotFollowed("the library was not loaded into it"));
            }
            state::REFUSED => return Err(ReplayError::NotFollowed("the library did not take the plan")),
            _ => {}
        }
        self.read_back(si, &plan, &status, end, output, &recordings)
    }

    /// What was recorded, compared with the schedule.
    fn read_back(
        &self,
        si: &Si,
        plan: &Plan,
        status: &Status<'_>,
        mut end: End,
        output: Vec<(i32, Vec<u8>)>,
        recordings: &Path,
    ) -> Result<Replayed, ReplayError> {
        let first = processes(recordings)?.into_iter().next();
        let recording = Recording::open(&first.unwrap_or_else(|| recordings.to_owned()))?;
        let ended = match &end {
            End::Exited(status) => Ended::Exited(*status),
            End::Killed(signal) => Ended::Killed(*signal),
            _ => Ended::Unknown,
        };
        let mut bytes = Vec::new();
        let episode = recording.episodes().first().copied().unwrap_or(0);
        recording.write_with(episode, ended, &mut bytes, WriterOptions::default(), Some(&si.shared))?;
        let mut trace = binary::read(BufReader::new(bytes.as_slice()))?.0;
        if let End::Diverged(_, found) = &mut end
            && let Some(line) = Names::of(&recording).line(status.found_place())
        {
            found.push_str(&format!(" at {line}"));
        }
        if let End::Deadlock(sentence) = &mut end {
            *sentence = deadlock::explain(&mut trace)?;
        }
        let taken = status.steps();
        if !self.lenient
            && !matches!(end, End::Diverged(..))
            && let Some(parting) = first_difference(&si.schedule[..taken], &trace)
        {
            end = parting;
        }
        Ok(Replayed {
            trace,
            end,
            left: si.schedule.len().saturating_sub(taken),
            skipped: status.skipped(),
            stood_together: status.stood_together(),
            output,
            unknown: plan.unknown.clone(),
        })
    }

    fn scratch(&self) -> Result<File, ReplayError> {
        tempfile::tempfile_in(&self.folder).map_err(system("there is no place for the program's output"))
    }

    fn watch(
        &self,
        si: &Si,
        mut child: Child,
        status: &mut Status<'_>,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<End, ReplayError> {
        let began = Instant::now();
        let mut moved = (u64::MAX, began);
        let mut still: Option<(Stuck, Instant)> = None;
        let end = loop {
            let exit = child.try_wait().map_err(system("the program cannot be waited for"))?;
            let now = Instant::now();
            status.look().map_err(system("the plan cannot be read"))?;
            // Behind a divergence it runs freely, and may have ended before anybody looked.
            if let Some(exit) = exit.filter(|_| status.state() != state::DIVERGED) {
                return Ok(ended(exit));
            }
            if moved.0 != status.cursor() {
                moved = (status.cursor(), now);
            }
            let waited = now - moved.1;
            if status.state() == state::DIVERGED {
                break End::Diverged(status.steps() + 1, status.found());
            }
            if cancelled() {
                break End::Interrupted;
            }
            let over = status.is_over();
            if !over && waited >= self.patience {
                let thread = si.schedule.get(status.steps()).map(|step| step.thread.clone());
                let found = status.missing(thread.as_ref(), self.patience.as_secs());
                break End::Diverged(status.steps() + 1, found);
            }
            if over && self.enough && waited >= self.patience {
                break End::Enough;
            }
            let stuck = if over { status.stuck(child.id()) } else { None };
            match (stuck, &still) {
                (Some(stuck), Some((before, since))) if stuck == *before => {
                    if now - *since >= STILL {
                        break End::Deadlock(String::new());
                    }
                }
                (stuck, _) => still = stuck.map(|stuck| (stuck, now)),
            }
            std::thread::sleep(if now - began < STILL { QUICK } else { SLOW });
        };
        // It may have ended meanwhile; that is no error.
        let _ = child.kill();
        child.wait().map_err(system("the program cannot be waited for"))?;
        Ok(end)
    }
}

fn read(file: &mut File) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.rewind()?;
    std::io::Read::read_to_end(file, &mut bytes)?;
    Ok(bytes)
}

fn ended(exit: ExitStatus) -> End {
    match (exit.code(), exit.signal()) {
        (Some(code), _) => End::Exited(code),
        (None, signal) => End::Killed(signal.unwrap_or(0)),
    }
}

/// The library knows operations and objects; only the recording has names and places.
fn first_difference(steps: &[Step], trace: &Trace) -> Option<End> {
    let events = trace.in_order().ok()?;
    let mut events = events.filter(|(_, _, event)| event.op.is_visible() && !event.op.is_pending());
    for (nth, step) in steps.iter().enumerate() {
        let count = if let Visible::Any(count) = &step.what { *count } else { 1 };
        for _ in 0..count {
            let Some((thread, _, event)) = events.next() else {
                return Some(End::Diverged(nth + 1, "nothing like it was recorded".to_owned()));
            };
            let found = Expected::of(&trace.tables, &trace.threads[thread.index()], event);
            let key = trace.tables.key(thread);
            let good = *key == step.thread && fits(step, &found);
            if !good {
                return Some(End::Diverged(nth + 1, format!("{key} does `{found}`")));
            }
        }
    }
    None
}

fn fits(step: &Step, found: &Expected) -> bool {
    match &step.what {
        Visible::Any(_) => true,
        Visible::Event(expected) => expected.fits(found),
    }
}
