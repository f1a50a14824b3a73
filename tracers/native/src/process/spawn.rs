//! Starting a program so that it stops before its first instruction.

use std::ffi::{CString, OsString};
use std::os::fd::RawFd;
use std::os::unix::ffi::OsStringExt;

use nix::errno::Errno;
use nix::sys::ptrace::{self, Options};
use nix::sys::signal::Signal;
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{ForkResult, Pid};

use super::{Ended, ProcessError, Stopped};

/// What to start.
#[derive(Clone, Debug)]
pub struct Launch {
    /// Path of the executable.
    pub program: OsString,
    /// Arguments, the program's own name first.
    pub arguments: Vec<OsString>,
    /// The whole environment, `NAME=value`.
    pub environment: Vec<OsString>,
    /// Descriptors for standard input, output and error; `None` inherits.
    pub streams: [Option<RawFd>; 3],
    /// Working directory; `None` inherits.
    pub directory: Option<OsString>,
}

impl Launch {
    /// The program with these arguments in this process's environment.
    pub fn new(program: impl Into<OsString>, arguments: impl IntoIterator<Item = OsString>) -> Launch {
        let program = program.into();
        let environment = std::env::vars_os().map(|(mut name, value)| {
            name.push("=");
            name.push(value);
            name
        });
        Launch {
            arguments: std::iter::once(program.clone()).chain(arguments).collect(),
            environment: environment.collect(),
            program,
            streams: [None; 3],
            directory: None,
        }
    }
}

/// Starts the program with address randomisation off; it is stopped behind its `execve`, with nothing executed.
///
/// The process dies with its tracer, whatever happens to that.
pub fn spawn(launch: &Launch) -> Result<Stopped, ProcessError> {
    let start = |reason: String| ProcessError::Start { program: launch.program.clone(), reason };
    let c_string = |text: &OsString| {
        CString::new(text.clone().into_vec())
            .map_err(|_| start("a zero byte in its name, arguments or environment".into()))
    };
    let program = c_string(&launch.program)?;
    let arguments = launch.arguments.iter().map(c_string).collect::<Result<Vec<_>, _>>()?;
    let environment = launch.environment.iter().map(c_string).collect::<Result<Vec<_>, _>>()?;
    let directory = launch.directory.as_ref().map(c_string).transpose()?;
    let pointers = |strings: &[CString]| {
        strings.iter().map(|s| s.as_ptr()).chain(std::iter::once(std::ptr::null())).collect::<Vec<_>>()
    };
    let (argv, envp) = (pointers(&arguments), pointers(&environment));
    let streams = launch.streams;

    // SAFETY: between fork and exec the child only makes system calls that are safe there, on memory made before.
    let pid = match unsafe { nix::unistd::fork() }.map_err(|errno| start(errno.to_string()))? {
        ForkResult::Parent { child } => child,
        ForkResult::Child => {
            // SAFETY: plain system calls on valid arguments; `execve` gets null-terminated arrays of C strings that
            // live until it returns, and `_exit` ends the child without running anything of the parent's.
            unsafe {
                libc::personality(libc::ADDR_NO_RANDOMIZE as libc::c_ulong);
                libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
                for (target, source) in streams.into_iter().enumerate() {
                    if let Some(source) = source
                        && libc::dup2(source, target as RawFd) < 0
                    {
                        libc::_exit(126);
                    }
                }
                if let Some(directory) = &directory
                    && libc::chdir(directory.as_ptr()) != 0
                {
                    libc::_exit(126);
                }
                let mut none: libc::sigset_t = std::mem::zeroed();
                libc::sigemptyset(&raw mut none);
                libc::sigprocmask(libc::SIG_SETMASK, &raw const none, std::ptr::null_mut());
                // The standard library ignores it; programs expect what a shell gives them.
                libc::signal(libc::SIGPIPE, libc::SIG_DFL);
                libc::ptrace(libc::PTRACE_TRACEME, 0, 0, 0);
                libc::raise(libc::SIGSTOP);
                libc::execve(program.as_ptr(), argv.as_ptr(), envp.as_ptr());
                libc::_exit(*libc::__errno_location());
            }
        }
    };
    after_exec(pid).map_err(|errno| start(explain(errno)))
}

fn after_exec(pid: Pid) -> Result<Stopped, Errno> {
    let wait = || waitpid(pid, Some(WaitPidFlag::__WALL));
    if let WaitStatus::Exited(_, status) = wait()? {
        return Err(Errno::from_raw(status));
    }
    let options = Options::PTRACE_O_EXITKILL
        | Options::PTRACE_O_TRACESYSGOOD
        | Options::PTRACE_O_TRACEEXEC
        | Options::PTRACE_O_TRACEFORK
        | Options::PTRACE_O_TRACEVFORK
        | Options::PTRACE_O_TRACECLONE;
    ptrace::setoptions(pid, options)?;
    let mut deliver: Option<Signal> = None;
    loop {
        ptrace::cont(pid, deliver.take())?;
        match wait()? {
            WaitStatus::PtraceEvent(..) => {
                // Still within `execve`: to its end, where nothing of the program has been executed either.
                ptrace::syscall(pid, None)?;
                return match wait()? {
                    WaitStatus::Exited(_, status) => Err(Errno::from_raw(status)),
                    WaitStatus::Signaled(..) => Err(Errno::ENOEXEC),
                    _ => Ok(Stopped::new(pid)),
                };
            }
            WaitStatus::Exited(_, status) => return Err(Errno::from_raw(status)),
            WaitStatus::Signaled(..) => return Err(Errno::ENOEXEC),
            WaitStatus::Stopped(_, signal) => deliver = (signal != Signal::SIGSTOP).then_some(signal),
            _ => {}
        }
    }
}

fn explain(errno: Errno) -> String {
    match errno {
        Errno::ENOENT => "there is no such file (or its interpreter is missing)".into(),
        Errno::EACCES => "it is not executable by this user; `chmod +x` may help".into(),
        Errno::ENOEXEC => "it is not an executable file of this machine".into(),
        errno => errno.desc().to_owned(),
    }
}

impl Ended {
    pub(super) fn of(status: WaitStatus) -> Option<Ended> {
        match status {
            WaitStatus::Exited(_, status) => Some(Ended::Exited(status)),
            WaitStatus::Signaled(_, signal, _) => Some(Ended::Killed(signal as i32)),
            _ => None,
        }
    }
}
