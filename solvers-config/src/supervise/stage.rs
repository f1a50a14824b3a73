//! The step between the supervisor and the solver: a fresh process that ties itself to the supervisor's life, limits
//! itself, and then becomes the solver.
//!
//! A process of its own because these settings must be made *in* the solver's process, and without `unsafe` nothing
//! of ours can run between fork and exec.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::time::Duration;

use nix::sys::prctl::set_pdeathsig;
use nix::sys::resource::{Resource, setrlimit};
use nix::sys::signal::{SigSet, Signal};
use nix::unistd::{Pid, getppid, setpgid};

/// Exit status of a stage that could not become the solver.
pub(crate) const CANNOT_START: i32 = 127;
/// What the stage writes before the reason on its standard error in that case.
pub(crate) const CANNOT_START_MARK: &str = "warpath-cannot-start: ";

/// How often a program that is being written is tried again.
const BUSY_ATTEMPTS: u32 = 50;

/// What the stage is told on its command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stage {
    /// The supervisor; the stage gives up when that is no longer its parent.
    pub(crate) parent: i32,
    /// Limit of the address space in MiB; 0 for none.
    pub(crate) memory_mb: u64,
    /// The solver and its arguments.
    pub(crate) command: Vec<OsString>,
}

impl Stage {
    /// Becomes the solver. Returns only when that failed, with the exit status to use.
    pub(crate) fn run(&self) -> i32 {
        let reason = match self.prepare() {
            Err(error) => format!("its process could not be prepared: {error}"),
            Ok(()) => match self.command.split_first() {
                None => "no program was given".to_owned(),
                Some((program, arguments)) => {
                    let error = become_program(program, arguments);
                    format!("{}: {error}", program.to_string_lossy())
                }
            },
        };
        eprintln!("{CANNOT_START_MARK}{reason}");
        CANNOT_START
    }

    fn prepare(&self) -> nix::Result<()> {
        setpgid(Pid::from_raw(0), Pid::from_raw(0))?;
        set_pdeathsig(Signal::SIGKILL)?;
        // The supervisor may have died before the line above: then no signal will come any more.
        if getppid().as_raw() != self.parent {
            return Err(nix::Error::ESRCH);
        }
        // The supervisor blocks what it reads through a signal descriptor, and a mask outlives exec.
        SigSet::empty().thread_set_mask()?;
        limit_process(self.memory_mb)
    }
}

/// No core dumps, and this address space in MiB at most; 0 for no limit.
pub(super) fn limit_process(memory_mb: u64) -> nix::Result<()> {
    setrlimit(Resource::RLIMIT_CORE, 0, 0)?;
    if memory_mb > 0 {
        let bytes = memory_mb.saturating_mul(1 << 20);
        setrlimit(Resource::RLIMIT_AS, bytes, bytes)?;
    }
    Ok(())
}

/// Replaces this process; returns only the reason why not.
fn become_program(program: &OsString, arguments: &[OsString]) -> io::Error {
    for _ in 0..BUSY_ATTEMPTS {
        let error = Command::new(program).args(arguments).exec();
        if error.kind() != io::ErrorKind::ExecutableFileBusy {
            return error;
        }
        // Somebody who has just written the program still has it open, for example a process between fork and exec.
        std::thread::sleep(Duration::from_millis(10));
    }
    io::ErrorKind::ExecutableFileBusy.into()
}
