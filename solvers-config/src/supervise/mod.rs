//! A process that stands between us and a solver.
//!
//! `rsmt2` starts the program it is told and talks to its pipes. The program it is told is this supervisor, which
//! starts the real solver behind it and guards it: own process group, death with the client, memory limit, deadline,
//! drained standard error, answers checked before they are passed on, and nothing left running at the end. The
//! protocol is SMT-LIB itself plus three commands that the supervisor keeps to itself (see the crate's README).
//!
//! ```text
//! client (rsmt2) ⇄ supervisor ⇄ exec stage → solver
//! ```

mod answers;
mod arguments;
mod commands;
mod failure;
mod itself;
mod memory;
mod probe;
mod reaper;
mod relay;
mod stage;
mod tail;

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use nix::sys::prctl::set_child_subreaper;
use nix::sys::signal::{SigSet, Signal};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::unistd::{Pid, setpgid};

pub(crate) use arguments::Guard;
use arguments::{Probe, Role, stage_arguments};
pub use arguments::{SupervisorCommand, SupervisorError};
pub use failure::{Ending, Failure};
pub use itself::{Answers, Commands, SelfGuard, guard_itself};
pub(crate) use itself::{DEADLINE, IDENTITY};
use relay::Relay;

/// Serves as a supervisor; returns the exit status.
///
/// `lead` are the arguments before ours on the command line, needed to start ourselves again: empty for the
/// `warpath-supervise` program, the hidden subcommand's name for `warpath`. Call it on the main thread, before any
/// other thread exists: the solver's life is tied to the thread that starts it.
pub fn main(lead: &[OsString], arguments: impl IntoIterator<Item = OsString>) -> i32 {
    match Role::parse(arguments) {
        Err(error) => {
            eprintln!("{error}");
            2
        }
        Ok(Role::Stage(stage)) => stage.run(),
        Ok(Role::Guard(guard)) => match guard_solver(lead, &guard) {
            Ok(relay) => relay.run(),
            Err(error) => {
                println!("{}", Failure::CannotStart { reason: error.to_string() }.to_line());
                1
            }
        },
        Ok(Role::Probe(probe)) => match spawn(lead, stage_arguments(0, &probe.command)) {
            Ok((program, signals)) => probe::run(program, &signals, probe.allowed),
            Err(error) => {
                eprintln!("{error}");
                1
            }
        },
    }
}

/// What a program printed, on either stream, and whether it ended well.
#[derive(Debug)]
pub(crate) struct Printed {
    pub(crate) text: String,
    pub(crate) success: bool,
}

/// Runs a program to its end under guard.
pub(crate) fn run_to_end(
    supervisor: &SupervisorCommand,
    program: &Path,
    arguments: &[String],
    allowed: Duration,
) -> io::Result<Printed> {
    let command = std::iter::once(program.into()).chain(arguments.iter().map(Into::into)).collect();
    let mut child = Command::new(&supervisor.program)
        .args(&supervisor.lead)
        .args(Probe { allowed, command }.arguments())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    // Held open until the end: its closing tells the supervisor that we are gone.
    let lifeline = child.stdin.take();
    let output = child.wait_with_output()?;
    drop(lifeline);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    match output.status.code() {
        Some(0) => Ok(Printed { text, success: true }),
        Some(probe::FAILED) => Ok(Printed { text, success: false }),
        Some(probe::TOO_SLOW) => Err(io::Error::new(
            io::ErrorKind::TimedOut,
            format!("it did not end within {} ms", allowed.as_millis()),
        )),
        _ => Err(io::Error::other(String::from_utf8_lossy(&output.stderr).trim().to_owned())),
    }
}

fn guard_solver(lead: &[OsString], guard: &Guard) -> io::Result<Relay> {
    let (solver, signals) = spawn(lead, stage_arguments(guard.memory_mb, &guard.command))?;
    Relay::new(solver, signals, guard.memory_mb, guard.answer_limit)
}

/// Blocks these signals; they are read from the result instead.
fn read_as_file(signals: &[Signal]) -> nix::Result<SignalFd> {
    let signals: SigSet = signals.iter().copied().collect();
    signals.thread_block()?;
    SignalFd::with_flags(&signals, SfdFlags::SFD_NONBLOCK | SfdFlags::SFD_CLOEXEC)
}

/// Starts a program through the exec stage, with this process as the one that cleans up after it.
fn spawn(lead: &[OsString], stage: Vec<OsString>) -> io::Result<(Child, SignalFd)> {
    // Out of the terminal's group: an interrupt is for the client, whose end we notice.
    setpgid(Pid::from_raw(0), Pid::from_raw(0))?;
    set_child_subreaper(true)?;
    let signals = read_as_file(&[Signal::SIGCHLD, Signal::SIGTERM, Signal::SIGINT, Signal::SIGHUP])?;
    // By this name also when the program's file has been replaced meanwhile.
    let solver = Command::new("/proc/self/exe")
        .args(lead)
        .args(stage)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    Ok((solver, signals))
}
