//! The supervisor's loop: one thread that waits on every descriptor at once, so that no side can block another.
//!
//! Memory is bounded on every side: commands are read only while the solver keeps up, an answer has a largest size,
//! and of the standard error only the end is kept.

use std::collections::VecDeque;
use std::io::{self, Stdin, Stdout};
use std::os::fd::AsFd;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::Signal;
use nix::sys::signalfd::SignalFd;
use nix::unistd::{Pid, read, write};

use super::IDENTITY;
use super::answers::{accept, error_in_fragment, malformed};
use super::commands::{Awaited, Command, Cutter};
use super::failure::{Ending, Failure};
use super::memory::MemoryWatch;
use super::reaper::{end_all, reap};
use super::stage::{CANNOT_START, CANNOT_START_MARK};
use super::tail::Tail;
use crate::smtlib::sexpr::{Progress, SexprLimits, SexprScanner};

/// Commands waiting for a slow solver; when there are more the client waits too.
const BACKLOG: usize = 1 << 20;
const CHUNK: usize = 64 << 10;
const STDERR_KEPT: usize = 8 << 10;
/// How long we wait for the second sign of an end (exit status, end of output) after the first one.
const GRACE: Duration = Duration::from_millis(100);
/// How long the last report may take to be read.
const REPORT_PATIENCE: Duration = Duration::from_secs(2);

/// Why the loop ended.
enum End {
    /// Nobody listens any more, or asked to go.
    Quiet,
    Failed(Failure),
}

/// The state of one supervised solver.
pub(crate) struct Relay {
    client_in: Stdin,
    client_out: Stdout,
    solver: Pid,
    solver_in: Option<ChildStdin>,
    solver_out: Option<ChildStdout>,
    solver_err: Option<ChildStderr>,
    signals: SignalFd,
    cutter: Cutter,
    scanner: SexprScanner,
    to_solver: Vec<u8>,
    to_client: Vec<u8>,
    stderr: Tail,
    awaited: VecDeque<Awaited>,
    deadline: Option<(Instant, Duration)>,
    /// The first answer has come: from here on nothing may be said unasked.
    greeted: bool,
    memory: MemoryWatch,
    ended: Option<Ending>,
    /// When the first sign of an end was seen.
    ending_since: Option<Instant>,
}

impl Relay {
    pub(crate) fn new(
        mut solver: Child,
        signals: SignalFd,
        memory_mb: u64,
        answer_limit: usize,
    ) -> io::Result<Self> {
        let missing = || io::Error::other("the solver's pipes are missing");
        let solver_in = solver.stdin.take().ok_or_else(missing)?;
        let solver_out = solver.stdout.take().ok_or_else(missing)?;
        let solver_err = solver.stderr.take().ok_or_else(missing)?;
        let pid = Pid::from_raw(i32::try_from(solver.id()).map_err(io::Error::other)?);
        let client_out = io::stdout();
        set_nonblocking(&solver_in)?;
        set_nonblocking(&client_out)?;
        Ok(Self {
            client_in: io::stdin(),
            client_out,
            solver: pid,
            solver_in: Some(solver_in),
            solver_out: Some(solver_out),
            solver_err: Some(solver_err),
            signals,
            cutter: Cutter::default(),
            scanner: SexprScanner::new(SexprLimits {
                max_bytes: answer_limit,
                max_depth: SexprLimits::TREE_DEPTH,
            }),
            to_solver: Vec::new(),
            to_client: Vec::new(),
            stderr: Tail::new(STDERR_KEPT),
            awaited: VecDeque::new(),
            deadline: None,
            greeted: false,
            memory: MemoryWatch::new(pid, memory_mb),
            ended: None,
            ending_since: None,
        })
    }

    /// Runs until the client or the solver is gone; leaves no process behind.
    pub(crate) fn run(mut self) -> i32 {
        let end = loop {
            if let Err(end) = self.turn() {
                break end;
            }
        };
        let ending = end_all(self.solver);
        match end {
            End::Quiet => 0,
            End::Failed(failure) => {
                let failure = match failure {
                    // The status may have come only with the last look.
                    Failure::Crash { ending: Ending::OutputClosed, stderr_tail } if self.ended.is_none() => {
                        let own = ending.filter(|ending| *ending != Ending::Signal(Signal::SIGKILL as i32));
                        Failure::Crash { ending: own.unwrap_or(Ending::OutputClosed), stderr_tail }
                    }
                    other => other,
                };
                self.to_client.extend_from_slice(failure.to_line().as_bytes());
                self.to_client.push(b'\n');
                self.report();
                1
            }
        }
    }

    fn turn(&mut self) -> Result<(), End> {
        let ready = self.wait()?;
        if ready.signal {
            self.take_signals()?;
        }
        if ready.solver_err {
            self.take_stderr();
        }
        if ready.solver_out {
            self.take_answers()?;
        }
        if ready.client_gone {
            return Err(End::Quiet);
        }
        if ready.client_in {
            self.take_commands()?;
        }
        self.pass_on()?;
        self.look_at_clock()
    }

    fn wait(&self) -> Result<Ready, End> {
        let when = |wanted: bool, flag: PollFlags| if wanted { flag } else { PollFlags::empty() };
        let room = self.to_solver.len() < BACKLOG && self.to_client.len() < BACKLOG;
        let mut fds = vec![
            PollFd::new(self.signals.as_fd(), PollFlags::POLLIN),
            PollFd::new(self.client_in.as_fd(), when(room, PollFlags::POLLIN)),
            PollFd::new(self.client_out.as_fd(), when(!self.to_client.is_empty(), PollFlags::POLLOUT)),
        ];
        let mut place = |fd| {
            fds.push(fd);
            fds.len() - 1
        };
        let out = self.solver_out.as_ref().map(|pipe| place(PollFd::new(pipe.as_fd(), PollFlags::POLLIN)));
        let err = self.solver_err.as_ref().map(|pipe| place(PollFd::new(pipe.as_fd(), PollFlags::POLLIN)));
        if let (Some(pipe), false) = (&self.solver_in, self.to_solver.is_empty()) {
            place(PollFd::new(pipe.as_fd(), PollFlags::POLLOUT));
        }
        match poll(&mut fds, self.patience()) {
            Ok(_) | Err(Errno::EINTR) => {}
            Err(error) => return Err(End::Failed(malformed(format!("poll failed: {error}"), b""))),
        }
        let has = |at: usize, flags: PollFlags| fds[at].revents().is_some_and(|seen| seen.intersects(flags));
        let readable = PollFlags::POLLIN | PollFlags::POLLHUP | PollFlags::POLLERR;
        Ok(Ready {
            signal: has(0, PollFlags::POLLIN),
            client_in: has(1, PollFlags::POLLIN),
            client_gone: has(1, PollFlags::POLLHUP | PollFlags::POLLERR) || has(2, PollFlags::POLLERR),
            solver_out: out.is_some_and(|at| has(at, readable)),
            solver_err: err.is_some_and(|at| has(at, readable)),
        })
    }

    /// How long nothing needs to be looked at.
    fn patience(&self) -> PollTimeout {
        let now = Instant::now();
        let deadline = self.deadline.map(|(moment, _)| moment);
        let grace = self.ending_since.map(|since| since + GRACE);
        let sample = (!self.awaited.is_empty()).then(|| self.memory.next_look()).flatten();
        match [deadline, grace, sample].into_iter().flatten().min() {
            None => PollTimeout::NONE,
            Some(moment) => {
                // Rounded up, lest the last millisecond be spent spinning.
                let left = moment.saturating_duration_since(now) + Duration::from_micros(999);
                PollTimeout::try_from(left.min(Duration::from_secs(3600))).unwrap_or(PollTimeout::ZERO)
            }
        }
    }

    fn take_signals(&mut self) -> Result<(), End> {
        while let Ok(Some(info)) = self.signals.read_signal() {
            if i64::from(info.ssi_signo) != Signal::SIGCHLD as i64 {
                return Err(End::Failed(Failure::Interrupted));
            }
        }
        if let Some(ending) = reap(self.solver).watched {
            self.ended = Some(ending);
            self.ending_since.get_or_insert_with(Instant::now);
        }
        Ok(())
    }

    fn take_stderr(&mut self) {
        let Some(pipe) = &self.solver_err else { return };
        let mut chunk = [0; CHUNK];
        match read(pipe, &mut chunk) {
            Ok(0) => self.solver_err = None,
            Ok(count) => self.stderr.push(&chunk[..count]),
            Err(Errno::EINTR | Errno::EAGAIN) => {}
            Err(_) => self.solver_err = None,
        }
    }

    fn take_answers(&mut self) -> Result<(), End> {
        let Some(pipe) = &self.solver_out else { return Ok(()) };
        let mut chunk = [0; CHUNK];
        let count = match read(pipe, &mut chunk) {
            Ok(0) => {
                self.solver_out = None;
                self.ending_since.get_or_insert_with(Instant::now);
                if matches!(self.scanner.finish(), Ok(true)) {
                    let expression = self.scanner.expression().to_vec();
                    self.take_answer(&expression)?;
                }
                return Ok(());
            }
            Ok(count) => count,
            Err(Errno::EINTR | Errno::EAGAIN) => return Ok(()),
            Err(error) => {
                return Err(End::Failed(malformed(format!("its output cannot be read: {error}"), b"")));
            }
        };
        let mut rest = &chunk[..count];
        loop {
            match self.scanner.feed(rest) {
                Ok(Progress::NeedMore) => return Ok(()),
                Ok(Progress::Complete { consumed }) => {
                    rest = &rest[consumed..];
                    let expression = self.scanner.expression().to_vec();
                    self.take_answer(&expression)?;
                }
                Err(error) => {
                    let mut written = self.scanner.partial().to_vec();
                    if let Some(message) = error_in_fragment(&written) {
                        return Err(End::Failed(self.as_memory(Failure::SolverError { message })));
                    }
                    written.extend_from_slice(rest);
                    return Err(End::Failed(malformed(error.to_string(), &written)));
                }
            }
        }
    }

    fn take_answer(&mut self, expression: &[u8]) -> Result<(), End> {
        if !self.greeted && matches!(expression, b"success" | b"unsupported") {
            return Ok(());
        }
        let awaited = self.awaited.pop_front();
        match accept(expression, awaited.unwrap_or(Awaited::Any)) {
            Err(failure) => Err(End::Failed(self.as_memory(failure))),
            Ok(_) if awaited.is_none() => {
                Err(End::Failed(malformed("it spoke without being asked".to_owned(), expression)))
            }
            Ok(line) => {
                self.greeted = true;
                self.to_client.extend_from_slice(&line);
                Ok(())
            }
        }
    }

    /// A solver that says it ran out of memory is believed.
    fn as_memory(&self, failure: Failure) -> Failure {
        match failure {
            Failure::SolverError { message } => match self.memory.suspicion(&message, false) {
                Some(evidence) => Failure::Memory { limit_mb: self.memory.limit_mb(), evidence },
                None => Failure::SolverError { message },
            },
            other => other,
        }
    }

    fn take_commands(&mut self) -> Result<(), End> {
        let mut chunk = [0; CHUNK];
        let count = match read(&self.client_in, &mut chunk) {
            Ok(0) => return Err(End::Quiet),
            Ok(count) => count,
            Err(Errno::EINTR | Errno::EAGAIN) => return Ok(()),
            Err(_) => return Err(End::Quiet),
        };
        let mut done = Vec::new();
        self.cutter.feed(&chunk[..count], &mut self.to_solver, &mut done);
        for command in done {
            match command {
                Command::Silent => {}
                Command::Asking(awaited) => self.awaited.push_back(awaited),
                Command::Deadline(allowed) => {
                    self.deadline = allowed.map(|allowed| (Instant::now() + allowed, allowed));
                }
                Command::Identify => {
                    let line = format!("({IDENTITY} {})\n", std::process::id());
                    self.to_client.extend_from_slice(line.as_bytes());
                }
                Command::Exit => return Err(End::Quiet),
            }
        }
        Ok(())
    }

    fn pass_on(&mut self) -> Result<(), End> {
        if let Some(pipe) = &self.solver_in {
            match write_some(pipe, &mut self.to_solver) {
                Ok(()) => {}
                // It no longer listens: what it does next decides, or the deadline.
                Err(_) => self.solver_in = None,
            }
        }
        if self.solver_in.is_none() {
            self.to_solver.clear();
        }
        write_some(&self.client_out, &mut self.to_client).map_err(|_| End::Quiet)
    }

    fn look_at_clock(&mut self) -> Result<(), End> {
        self.memory.look();
        if let Some(since) = self.ending_since {
            let complete = self.ended.is_some() && self.solver_out.is_none() && self.solver_err.is_none();
            if complete || since.elapsed() >= GRACE {
                return Err(End::Failed(self.crash()));
            }
        }
        match self.deadline {
            Some((moment, allowed)) if Instant::now() >= moment && self.is_busy() => {
                let allowed_ms = u64::try_from(allowed.as_millis()).unwrap_or(u64::MAX);
                Err(End::Failed(match error_in_fragment(self.scanner.partial()) {
                    Some(message) => Failure::SolverError { message },
                    None => Failure::Timeout { allowed_ms },
                }))
            }
            // Nobody waits for anything: the deadline of the last question means nothing any more.
            Some((moment, _)) if Instant::now() >= moment => {
                self.deadline = None;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn is_busy(&self) -> bool {
        !self.awaited.is_empty() || !self.to_solver.is_empty()
    }

    fn crash(&self) -> Failure {
        let stderr_tail = self.stderr.text();
        let ending = self.ended.unwrap_or(Ending::OutputClosed);
        if let (Ending::Exit(CANNOT_START), Some(at)) = (ending, stderr_tail.find(CANNOT_START_MARK)) {
            let reason = stderr_tail[at + CANNOT_START_MARK.len()..].trim().to_owned();
            return Failure::CannotStart { reason };
        }
        if let Some(message) = error_in_fragment(self.scanner.partial()) {
            return self.as_memory(Failure::SolverError { message });
        }
        match self.memory.suspicion(&stderr_tail, true) {
            Some(evidence) => Failure::Memory { limit_mb: self.memory.limit_mb(), evidence },
            None => Failure::Crash { ending, stderr_tail },
        }
    }

    /// Writes what is left for the client, which may be slow but gets only so much time.
    fn report(&mut self) {
        let until = Instant::now() + REPORT_PATIENCE;
        while !self.to_client.is_empty() && Instant::now() < until {
            if write_some(&self.client_out, &mut self.to_client).is_err() {
                return;
            }
            let mut fds = [PollFd::new(self.client_out.as_fd(), PollFlags::POLLOUT)];
            let _ = poll(&mut fds, 100u8);
        }
    }
}

/// Which descriptors have something for us.
struct Ready {
    signal: bool,
    client_in: bool,
    client_gone: bool,
    solver_out: bool,
    solver_err: bool,
}

fn set_nonblocking(fd: &impl AsFd) -> io::Result<()> {
    let flags = OFlag::from_bits_retain(fcntl(fd, FcntlArg::F_GETFL)?);
    fcntl(fd, FcntlArg::F_SETFL(flags | OFlag::O_NONBLOCK))?;
    Ok(())
}

/// Writes as much as the pipe takes now.
fn write_some(fd: &impl AsFd, bytes: &mut Vec<u8>) -> nix::Result<()> {
    let mut written = 0;
    let result = loop {
        if written == bytes.len() {
            break Ok(());
        }
        match write(fd, &bytes[written..]) {
            Ok(count) => written += count,
            Err(Errno::EINTR) => {}
            Err(Errno::EAGAIN) => break Ok(()),
            Err(error) => break Err(error),
        }
    };
    bytes.drain(..written);
    result
}
