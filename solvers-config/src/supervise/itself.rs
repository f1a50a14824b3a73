//! A solver that guards itself: what a supervisor does from outside, one thread of the solver's own process does.
//!
//! For a solver of ours only. It starts nothing, writes nothing but answers, and cannot be led astray in ways that only
//! another process could notice, so the supervisor and the exec stage in front of it would be two processes to start
//! and one pipe to copy for nothing: most questions take less time than that. The protocol is the supervisor's; see the
//! crate's README.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::Signal;
use nix::sys::signalfd::SignalFd;
use nix::unistd::{Pid, setpgid};

use super::answers::accept;
use super::commands::Awaited;
use super::failure::{Ending, Failure};
use super::memory::MemoryWatch;
use super::read_as_file;
use super::stage::limit_process;
use crate::lock::lock;

/// How often the guard looks at the clock and the memory. So it need not be woken when a deadline is set, which happens
/// for every question.
const TICK: Duration = Duration::from_millis(20);
/// How long a last report waits for an answer that is being written.
const REPORT_PATIENCE: Duration = Duration::from_secs(2);

/// Address space of the program itself and of its threads, used or not.
const RESERVED_MB: u64 = 256;

/// The keyword under which a client sets the time for what it asks next, in milliseconds.
pub(crate) const DEADLINE: &str = ":warpath-deadline-ms";
/// The keyword under which it asks for the process to signal.
pub(crate) const IDENTITY: &str = ":warpath-supervisor";

/// Holds a conversation under guard; the exit status of the process. Call it on the main thread, before any other thread
/// exists.
///
/// The conversation reads its commands and writes its answers where it is told, and tells the [`SelfGuard`] of
/// deadlines.
pub fn guard_itself(
    memory_mb: u64,
    converse: impl FnOnce(Commands, Answers, &SelfGuard) -> io::Result<()>,
) -> i32 {
    let guard = match SelfGuard::start(memory_mb) {
        Ok(guard) => guard,
        Err(error) => {
            println!("{}", Failure::CannotStart { reason: error.to_string() }.to_line());
            return 1;
        }
    };
    let commands = match guard.commands() {
        Ok(commands) => commands,
        Err(error) => {
            guard.shared.fail(&Failure::CannotStart { reason: error.to_string() });
            return 1;
        }
    };
    match catch_unwind(AssertUnwindSafe(|| converse(commands, guard.answers(), &guard))) {
        Ok(Ok(())) => 0,
        // Nobody listens any more.
        Ok(Err(_)) => 1,
        Err(panic) => {
            let said = panic.downcast_ref::<String>().map(String::as_str);
            let said = said.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic");
            let ending = Ending::Exit(PANICKED);
            guard.shared.fail(&Failure::Crash { ending, stderr_tail: said.to_owned() });
            PANICKED
        }
    }
}

/// Exit status of a Rust program that panicked.
const PANICKED: i32 = 101;

/// The guard of this process.
#[derive(Debug)]
pub struct SelfGuard {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    /// Locked while an answer is written, so that a report never stands inside of one.
    output: Mutex<File>,
}

#[derive(Debug, Default)]
struct State {
    deadline: Option<(Instant, Duration)>,
    /// Since when there is something to do; not at all while commands are waited for.
    busy: Option<Instant>,
}

impl SelfGuard {
    fn start(memory_mb: u64) -> io::Result<Self> {
        // Out of the terminal's group: an interrupt is for the client, whose end we notice.
        setpgid(Pid::from_raw(0), Pid::from_raw(0))?;
        // The last resort: an allocation beyond it ends the process without a word.
        limit_process(if memory_mb > 0 { memory_mb.saturating_add(RESERVED_MB) } else { 0 })?;
        let signals = read_as_file(&[Signal::SIGTERM, Signal::SIGINT, Signal::SIGHUP])?;
        let output = File::from(io::stdout().as_fd().try_clone_to_owned()?);
        let shared = Arc::new(Shared { state: Mutex::default(), output: Mutex::new(output) });
        let memory = MemoryWatch::of_this_process(memory_mb);
        let watched = Arc::clone(&shared);
        thread::Builder::new()
            .name("guard".to_owned())
            .stack_size(128 << 10)
            .spawn(move || watch(&watched, &signals, memory))?;
        Ok(Self { shared })
    }

    fn commands(&self) -> io::Result<Commands> {
        let input = File::from(io::stdin().as_fd().try_clone_to_owned()?);
        Ok(Commands { input, shared: Arc::clone(&self.shared) })
    }

    fn answers(&self) -> Answers {
        Answers { pending: Vec::new(), shared: Arc::clone(&self.shared) }
    }

    /// Takes note of an information that the client gives, if it is one for the guard.
    pub fn set_info(&self, keyword: &str, value: &str) {
        if keyword == DEADLINE {
            let allowed = value.parse().ok().filter(|allowed| *allowed > 0).map(Duration::from_millis);
            let deadline = allowed.and_then(|allowed| Some((Instant::now().checked_add(allowed)?, allowed)));
            lock(&self.shared.state).deadline = deadline;
        }
    }

    /// What the client wants to know, if it is the guard who knows it.
    pub fn info(&self, keyword: &str) -> Option<String> {
        (keyword == IDENTITY).then(|| format!("({IDENTITY} {})", std::process::id()))
    }
}

/// Where commands come from.
#[derive(Debug)]
pub struct Commands {
    input: File,
    shared: Arc<Shared>,
}

impl Read for Commands {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        lock(&self.shared.state).busy = None;
        let read = self.input.read(buffer);
        lock(&self.shared.state).busy = Some(Instant::now());
        read
    }
}

/// Where answers go. One is written when it is whole.
#[derive(Debug)]
pub struct Answers {
    pending: Vec<u8>,
    shared: Arc<Shared>,
}

impl Write for Answers {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.pending.extend_from_slice(buffer);
        Ok(buffer.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.pending.starts_with(b"(error ")
            && let Err(failure) = accept(&self.pending, Awaited::Any)
        {
            // In a form that no parser of answers stumbles over. What comes behind an error cannot be relied on.
            self.shared.fail(&failure);
            std::process::exit(1);
        }
        let written = lock(&self.shared.output).write_all(&self.pending);
        self.pending.clear();
        written
    }
}

impl Shared {
    /// Says why there will be no answer.
    fn fail(&self, failure: &Failure) {
        let until = Instant::now() + REPORT_PATIENCE;
        let line = failure.to_line() + "\n";
        loop {
            match self.output.try_lock() {
                Ok(mut output) => {
                    // Who does not take it does not want it.
                    let _ = output.write_all(line.as_bytes());
                    return;
                }
                Err(TryLockError::WouldBlock) if Instant::now() < until => {
                    thread::sleep(Duration::from_millis(1));
                }
                Err(_) => return,
            }
        }
    }

    /// What is wrong at this moment.
    fn trouble(&self, memory: &mut MemoryWatch) -> Option<Failure> {
        let (deadline, busy) = {
            let state = lock(&self.state);
            (state.deadline, state.busy?)
        };
        // A deadline that had passed before there was anything to do is that of a question long answered.
        if let Some((moment, allowed)) = deadline
            && busy < moment
            && Instant::now() >= moment
        {
            let allowed_ms = u64::try_from(allowed.as_millis()).unwrap_or(u64::MAX);
            return Some(Failure::Timeout { allowed_ms });
        }
        memory.look();
        let evidence = memory.is_near()?;
        Some(Failure::Memory { limit_mb: memory.limit_mb(), evidence })
    }
}

/// Ends the process when it is told to, when nobody listens any more, and when a limit is reached.
fn watch(shared: &Shared, signals: &SignalFd, mut memory: MemoryWatch) {
    let stdin = io::stdin();
    let tick = PollTimeout::try_from(TICK).unwrap_or(PollTimeout::ZERO);
    loop {
        let mut fds = [
            PollFd::new(signals.as_fd(), PollFlags::POLLIN),
            // Not for what can be read, only for the end.
            PollFd::new(stdin.as_fd(), PollFlags::empty()),
        ];
        // An interrupted wait is a short tick.
        let _ = poll(&mut fds, tick);
        let has = |at: usize, flags: PollFlags| fds[at].revents().is_some_and(|seen| seen.intersects(flags));
        let told = has(0, PollFlags::POLLIN);
        if has(1, PollFlags::POLLHUP | PollFlags::POLLERR) {
            std::process::exit(0);
        }
        let trouble = told.then_some(Failure::Interrupted).or_else(|| shared.trouble(&mut memory));
        if let Some(failure) = trouble {
            shared.fail(&failure);
            std::process::exit(1);
        }
    }
}
