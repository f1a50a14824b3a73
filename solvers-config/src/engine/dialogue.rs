//! One running solver process, spoken to through `rsmt2`.
//!
//! `rsmt2` writes the commands and reads the answers of those questions it knows. Its parser panics on text it does
//! not expect; the supervisor in between lets no such text through, and should it happen all the same the panic is
//! caught here and costs one query.

use std::ffi::OsString;
use std::fmt::{Display, Write as _};
use std::io::{self, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid};
use nix::unistd::Pid;
use rsmt2::parse::{ExprParser, SymParser, ValueParser};
use rsmt2::{SmtConf, SmtRes, Solver};

use crate::cancel::CancelToken;
use crate::config::Greeting;
use crate::smtlib::Introduction;
use crate::supervise::{DEADLINE, Ending, Failure, IDENTITY};

/// What a dialogue needs to know to begin.
#[derive(Debug)]
pub(crate) struct Opening<'a> {
    /// The program and the arguments that start it, guarded.
    pub(crate) command: Vec<OsString>,
    pub(crate) greeting: Greeting,
    pub(crate) options: Vec<[String; 2]>,
    pub(crate) logic: &'a str,
    /// Time for all of it.
    pub(crate) allowed: Duration,
    /// Switch that ends it.
    pub(crate) cancel: &'a CancelToken,
}

/// Hands the texts of symbols, expressions and values on as they are.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Verbatim;

impl<'a> SymParser<String, &'a str> for Verbatim {
    fn parse_sym(self, input: &'a str) -> SmtRes<String> {
        Ok(input.to_owned())
    }
}

impl<'a> ExprParser<String, (), &'a str> for Verbatim {
    fn parse_expr(self, input: &'a str, (): ()) -> SmtRes<String> {
        Ok(input.to_owned())
    }
}

impl<'a> ValueParser<String, &'a str> for Verbatim {
    fn parse_value(self, input: &'a str) -> SmtRes<String> {
        Ok(input.to_owned())
    }
}

/// A solver process that has greeted us. Dropping it ends it and everything it started.
pub(crate) struct Dialogue {
    solver: Solver<Verbatim>,
    supervisor: Option<Pid>,
    /// Commands without answers that are yet to be sent.
    unsent: String,
}

/// So much is sent at once: as much as a pipe holds.
const PARCEL: usize = 64 << 10;

impl Dialogue {
    /// Starts a supervised solver and waits for its greeting.
    pub(crate) fn open(opening: &Opening<'_>) -> Result<Self, Failure> {
        let mut words = opening.command.iter().map(|word| {
            word.to_str().ok_or_else(|| Failure::CannotStart {
                reason: format!("{} is not UTF-8 text", word.to_string_lossy()),
            })
        });
        let program = words.next().unwrap_or(Ok(""))?;
        // Of the styles that `rsmt2` knows this is the one that adds no arguments of its own.
        let mut conf = SmtConf::yices_2(program);
        for word in words {
            conf.option(word?);
        }
        let solver = Solver::new(conf, Verbatim)
            .map_err(|error| Failure::CannotStart { reason: error.to_ml_string().replace('\n', " ") })?;
        let mut dialogue = Self { solver, supervisor: None, unsent: String::new() };
        dialogue.greet(opening)?;
        Ok(dialogue)
    }

    fn greet(&mut self, opening: &Opening<'_>) -> Result<(), Failure> {
        let identity = self.ask(&format!("(get-info {IDENTITY})"))?;
        let pid = identity.trim_start_matches(&format!("({IDENTITY} ")).trim_end_matches(')').parse();
        let pid =
            pid.map_err(|_| Failure::CannotStart { reason: format!("the supervisor answers `{identity}`") })?;
        let pid = Pid::from_raw(pid);
        self.supervisor = Some(pid);
        let _attached = opening.cancel.attach(pid);
        self.set_deadline(opening.allowed)?;
        for [name, value] in &opening.options {
            self.tell(|solver| solver.set_option(name, value))?;
        }
        let greeting = match opening.greeting {
            Greeting::GetInfo => self.ask("(get-info :name)")?,
            Greeting::Echo => self.ask("(echo \"warpath\")")?,
        };
        // Anything else was said before we asked, and all answers after it would be off by one.
        if !greeting.starts_with("(:name ") && greeting.trim_matches('"') != "warpath" {
            return Err(malformed("it was asked for its name", &greeting));
        }
        self.tell(|solver| solver.set_custom_logic(opening.logic))
    }

    /// The supervisor's process, which a [`CancelToken`](crate::CancelToken) can signal.
    pub(crate) fn supervisor(&self) -> Option<Pid> {
        self.supervisor
    }

    /// Whether the supervisor, and so the solver, is still there.
    pub(crate) fn is_alive(&self) -> bool {
        let flags = WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT;
        // Only a look: waiting for it is the business of `rsmt2`.
        let state = self.supervisor.map(|pid| waitid(Id::Pid(pid), flags));
        matches!(state, Some(Ok(WaitStatus::StillAlive)))
    }

    /// All answers from here on must be there within this time.
    pub(crate) fn set_deadline(&mut self, allowed: Duration) -> Result<(), Failure> {
        let milliseconds = allowed.as_millis().max(1);
        self.say(format_args!("(set-info {DEADLINE} {milliseconds})"))
    }

    pub(crate) fn declare(&mut self, symbol: &str, sort: &str) -> Result<(), Failure> {
        self.say(format_args!("(declare-const {symbol} {sort})"))
    }

    /// Declares or defines what the next formulas need.
    pub(crate) fn introduce(&mut self, news: &Introduction) -> Result<(), Failure> {
        self.say(format_args!("{news}"))
    }

    pub(crate) fn assert(&mut self, formula: &str) -> Result<(), Failure> {
        self.say(format_args!("(assert {formula})"))
    }

    pub(crate) fn assert_named(&mut self, name: &str, formula: &str) -> Result<(), Failure> {
        self.say(format_args!("(assert (! {formula} :named {name}))"))
    }

    pub(crate) fn assert_soft(&mut self, formula: &str, weight: u64) -> Result<(), Failure> {
        self.say(format_args!("(assert-soft {formula} :weight {weight})"))
    }

    pub(crate) fn push(&mut self) -> Result<(), Failure> {
        self.say(format_args!("(push 1)"))
    }

    /// At once: a solver that ends over it does so before it is asked the next question.
    pub(crate) fn pop(&mut self) -> Result<(), Failure> {
        self.tell(|solver| solver.pop(1))
    }

    /// A command that has no answer, to be sent with others: `rsmt2`'s own methods flush after each, and a formula
    /// has thousands.
    fn say(&mut self, command: std::fmt::Arguments<'_>) -> Result<(), Failure> {
        writeln!(self.unsent, "{command}").map_err(|error| malformed(error, ""))?;
        if self.unsent.len() < PARCEL { Ok(()) } else { self.tell(|_| Ok(())) }
    }

    /// `check-sat`, with assumptions if there are any; `None` for `unknown`.
    pub(crate) fn check(&mut self, assumptions: &[String]) -> Result<Option<bool>, Failure> {
        self.tell(|solver| {
            if assumptions.is_empty() {
                solver.check_sat_or_unk()
            } else {
                solver.check_sat_assuming_or_unk::<String, _>([in_one(assumptions)])
            }
        })
    }

    /// Values of symbols, as pairs of text.
    pub(crate) fn values(&mut self, symbols: &[String]) -> Result<Vec<(String, String)>, Failure> {
        self.tell(|solver| solver.get_values([in_one(symbols)]))
    }

    pub(crate) fn unsat_core(&mut self) -> Result<Vec<String>, Failure> {
        self.tell(Solver::get_unsat_core)
    }

    /// The list of literals that `get-unsat-assumptions` gives, a question `rsmt2` has no method for.
    pub(crate) fn unsat_assumptions(&mut self) -> Result<String, Failure> {
        self.ask("(get-unsat-assumptions)")
    }

    /// Sends a question that `rsmt2` does not know and reads the one line that the supervisor makes of the answer.
    fn ask(&mut self, command: &str) -> Result<String, Failure> {
        self.tell(|solver| {
            writeln!(solver, "{command}")?;
            Ok(solver.flush()?)
        })?;
        let mut line = Vec::new();
        // Byte by byte (out of a buffer): what stands behind this line, such as the report of an end, is for `rsmt2`.
        let mut byte = [0];
        while line.last() != Some(&b'\n') {
            match self.solver.read(&mut byte) {
                Ok(0) => return Err(lost(&line)),
                Ok(_) => line.push(byte[0]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return Err(lost(&line)),
            }
        }
        let line = String::from_utf8_lossy(&line).trim().to_owned();
        match Failure::from_line(&line) {
            Some(failure) => Err(failure),
            None => Ok(line),
        }
    }

    /// Sends what is unsent, runs one call of `rsmt2` and says what its errors mean.
    fn tell<T>(&mut self, call: impl FnOnce(&mut Solver<Verbatim>) -> SmtRes<T>) -> Result<T, Failure> {
        let Self { solver, unsent, .. } = self;
        let result = catch_unwind(AssertUnwindSafe(|| {
            solver.write_all(unsent.as_bytes())?;
            unsent.clear();
            call(solver)
        }));
        let error = match result {
            Ok(Ok(value)) => return Ok(value),
            Ok(Err(error)) => error,
            Err(_) => return Err(malformed("the parser of answers panicked", "")),
        };
        // The cause may stand behind remarks that `rsmt2` puts in front of it.
        let report = error.iter().find_map(|cause| {
            let text = cause.to_string();
            Failure::from_error_text(text.strip_prefix("solver error: \"")?.strip_suffix('"')?)
        });
        // A supervisor that has gone leaves its report in the pipe.
        let report = report.or_else(|| self.last_words()).or_else(|| self.end_of_the_guard());
        Err(report.unwrap_or_else(|| malformed(error.to_ml_string(), "")))
    }

    fn last_words(&mut self) -> Option<Failure> {
        // Otherwise this could wait for a supervisor that has nothing to report.
        self.end_supervisor();
        let mut rest = Vec::new();
        self.solver.read_to_end(&mut rest).ok()?;
        // An answer may stand before the report, and without one of its own the end was ours.
        String::from_utf8_lossy(&rest)
            .lines()
            .filter_map(Failure::from_line)
            .find(|failure| *failure != Failure::Interrupted)
    }

    /// A guard that was itself ended by a signal had no last words.
    fn end_of_the_guard(&self) -> Option<Failure> {
        let flags = WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT;
        match waitid(Id::Pid(self.supervisor?), flags) {
            Ok(WaitStatus::Signaled(_, signal, _)) => {
                let ending = Ending::Signal(signal as i32);
                Some(Failure::Crash { ending, stderr_tail: String::new() })
            }
            _ => None,
        }
    }

    fn end_supervisor(&self) {
        if let Some(supervisor) = self.supervisor {
            // Ours until `solver` is dropped: an ended one is still there to be waited for.
            let _ = kill(supervisor, Signal::SIGTERM);
        }
    }
}

impl Drop for Dialogue {
    fn drop(&mut self) {
        // `rsmt2` would kill the supervisor at once, and what the solver started would be left to itself. So the
        // supervisor is asked to end, which it does after everything below it; its output ends with it.
        self.end_supervisor();
        let mut rest = [0; 4096];
        while self.supervisor.is_some() && matches!(self.solver.read(&mut rest), Ok(1..)) {}
        if let Some(supervisor) = self.supervisor {
            // `rsmt2` looks whether it has ended and, if not quite, sleeps longer than most questions take.
            let _ = waitid(Id::Pid(supervisor), WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT);
        }
    }
}

/// Several as if they were one: `rsmt2` flushes behind each, which is a system call, and a solver woken for a few bytes.
fn in_one(symbols: &[String]) -> String {
    symbols.join(" ")
}

fn malformed(reason: impl Display, excerpt: &str) -> Failure {
    Failure::Malformed { reason: reason.to_string(), excerpt: excerpt.to_owned() }
}

fn lost(partial: &[u8]) -> Failure {
    malformed("the supervisor is gone", &String::from_utf8_lossy(partial))
}
