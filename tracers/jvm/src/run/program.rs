//! A Java program that is run again and again.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use warpath_trace::header::{Clock, Header, OrderKind, Outcome, Values};
use warpath_trace::si::Si;
use warpath_trace::trace::Trace;

use super::accesses::Together;
use super::agent::{find_agent, find_command};
use super::error::JvmError;
use super::killed;
use super::launch::{self, OwnStdin, last_words};
use super::options::RunOptions;
use super::outcome::{End, Why};
use super::plan;
use super::schedule::{Follow, Policy};
use super::sharing::Sharing;
use crate::lift::{LiftOptions, Lifted, check_expressions, lift};

/// A program, and what is known of it from its runs so far.
pub struct JvmProgram {
    java: PathBuf,
    command: Vec<String>,
    agent: PathBuf,
    learnt: Knowledge,
    together: Together,
    stdin: OwnStdin,
    /// Does a schedule say what is shared? Then nothing else is.
    is_known: bool,
}

/// What runs of a program have taught about it. With other knowledge the same run has another trace.
#[derive(Clone, Debug, Default)]
pub struct Knowledge {
    sharing: Sharing,
}

impl Knowledge {
    /// Adds what another knows; whether that makes traces different.
    fn add(&mut self, other: &Knowledge) -> bool {
        self.sharing.add(&other.sharing)
    }
}

/// One run.
pub struct Run {
    /// What happened.
    pub trace: Trace,
    /// How it ended.
    pub end: End,
    /// Were locations found to be shared that were not known before? Accesses to them are missing from the trace.
    pub sharing_grew: bool,
    /// Where methods are that could not be followed to their end; they are counted among the trace's approximations, too.
    pub lost: Vec<String>,
    /// What it wrote to standard output (1) and error (2), if that was kept.
    pub output: Vec<(i32, Vec<u8>)>,
}

/// How to run a program once.
#[derive(Clone, Debug)]
pub struct Plan {
    /// What it may do.
    pub options: RunOptions,
    /// The schedule.
    pub follow: Follow,
    /// Who goes when the schedule does not say.
    pub policy: Policy,
}

impl Plan {
    /// One run by this policy.
    pub fn by_policy(options: RunOptions, policy: Policy) -> Plan {
        Plan { options, follow: Follow::nothing(), policy }
    }
}

/// Runs that a recording may take until no new shared locations are found.
const ROUNDS: usize = 12;
/// The file is longer than what was written; so many zeros in a row are its end.
const PIECE: usize = 1 << 20;

impl JvmProgram {
    /// A program by its command: `java -cp classes Main 5`.
    pub fn new(command: Vec<String>) -> Result<JvmProgram, JvmError> {
        let name = command.first().ok_or(JvmError::Empty)?;
        let java = find_command(name).ok_or_else(|| JvmError::Java(name.clone()))?;
        Ok(JvmProgram {
            java,
            agent: find_agent()?,
            command,
            learnt: Knowledge::default(),
            together: Together::default(),
            stdin: OwnStdin::open(),
            is_known: false,
        })
    }

    /// What is known to be shared.
    pub fn sharing(&self) -> &Sharing {
        &self.learnt.sharing
    }

    /// Adds what its runs access to what other instances of the same program do.
    pub fn run_with(&mut self, together: &Together) {
        self.together = together.clone();
    }

    /// What the runs so far have taught, for another instance of the same program.
    pub fn knowledge(&self) -> &Knowledge {
        &self.learnt
    }

    /// Takes over what runs of another instance have taught; whether runs are different from now on.
    pub fn learn(&mut self, other: &Knowledge) -> bool {
        self.learnt.add(other)
    }

    /// Takes from now on as shared what a schedule was made with, and nothing else.
    pub fn share(&mut self, si: &Si) {
        self.is_known = true;
        self.learnt.sharing = Sharing::default();
        for shared in &si.shared {
            self.learnt.sharing.insert(shared.object.clone());
        }
    }

    /// Runs it once.
    pub fn run(&mut self, plan: &Plan) -> Result<Run, JvmError> {
        let folder = tempfile::Builder::new().prefix("warpath-jvm").tempdir();
        let folder = folder.map_err(|error| file_error(&std::env::temp_dir(), error))?;
        let text = plan::text(&plan.options, &plan.follow, plan.policy, &self.learnt.sharing);
        let file = folder.path().join("plan");
        std::fs::write(&file, text).map_err(|error| file_error(&file, error))?;
        let mut arguments = vec![format!("-javaagent:{}={}", self.agent.display(), folder.path().display())];
        // What the program asserts is checked, unless its command says otherwise further on.
        arguments.push("-ea".to_owned());
        arguments.extend(self.command[1..].iter().cloned());
        let ended = launch::run(&self.java, &arguments, &mut self.stdin, &plan.options)?;
        let died = |ended: &launch::Ended| JvmError::Died {
            status: ended.status.to_string(),
            said: last_words(&ended.output),
        };
        let path = folder.path().join("stream");
        if !path.exists() && ended.stopped.is_none() {
            return Err(died(&ended));
        }
        let stream = read_stream(&path).unwrap_or_default();
        let options = LiftOptions {
            header: self.header(&plan.options),
            max_expressions: plan.options.max_expressions,
            fail_on_exit: plan.options.fail_on_exit,
        };
        let (mut lifted, error) = lift(&stream, &options)?;
        if let Some(error) = error
            && ended.stopped.is_none()
        {
            return Err(error.into());
        }
        if plan.options.check_expressions {
            check_expressions(&lifted.trace)?;
        }
        if ended.stopped.is_some()
            && let Some(footer) = &mut lifted.trace.footer
        {
            footer.outcome = Outcome::Stopped;
        }
        let end = match (&lifted.end, ended.stopped.clone()) {
            (_, Some(why)) => End::Stopped(why),
            (Some(End::Stopped(Why::Events(_))), None) => End::Stopped(Why::Events(plan.options.max_events)),
            (Some(end), None) => end.clone(),
            (None, None) => match killed::end(&mut lifted.trace, ended.status)? {
                Some(failure) => End::Failed(failure),
                None => return Err(died(&ended)),
            },
        };
        Ok(self.learn_from(plan, lifted, end, ended.output))
    }

    fn learn_from(&mut self, plan: &Plan, lifted: Lifted, end: End, output: Vec<(i32, Vec<u8>)>) -> Run {
        let mut found = lifted.shared;
        found.add(&self.together.add(lifted.usage));
        let mut sharing_grew = false;
        if !self.is_known {
            sharing_grew = self.learnt.sharing.add(&found);
        }
        let output = if plan.options.output == super::Output::Keep { output } else { Vec::new() };
        Run { trace: lifted.trace, end, sharing_grew, lost: lifted.lost, output }
    }

    /// Runs it until a run finds nothing new to be shared, so that the trace is complete.
    pub fn record(&mut self, plan: &Plan) -> Result<Run, JvmError> {
        let mut plan = plan.clone();
        for _ in 1..ROUNDS {
            let run = self.run(&plan)?;
            if matches!(run.end, End::Stopped(Why::Expressions(_))) {
                plan.options.values = Values::Pinned;
                continue;
            }
            if !run.sharing_grew || matches!(run.end, End::Stopped(Why::Interrupted)) {
                return Ok(run);
            }
        }
        self.run(&plan)
    }

    /// Runs it by a schedule. If that does not say which locations it takes as shared, they are looked for first: accesses
    /// to others are no steps.
    pub fn replay(&mut self, plan: &Plan) -> Result<Run, JvmError> {
        let mut plan = plan.clone();
        if !self.is_known {
            let search = Plan { follow: plan.follow.leniently(), ..plan.clone() };
            self.record(&search)?;
            plan.follow = plan.follow.passing_others();
        }
        let run = self.run(&plan)?;
        if !matches!(run.end, End::Stopped(Why::Expressions(_))) {
            return Ok(run);
        }
        plan.options.values = Values::Pinned;
        self.run(&plan)
    }

    fn header(&self, options: &RunOptions) -> Header {
        Header {
            program: self.command[0].clone(),
            arguments: self.command[1..].iter().map(|word| word.as_bytes().to_vec()).collect(),
            build_id: Vec::new(),
            tracer: "warpath-jvm".into(),
            tracer_version: env!("CARGO_PKG_VERSION").into(),
            clock: Clock::Virtual,
            order: OrderKind::Total,
            model: options.model,
            values: options.values,
        }
    }
}

fn file_error(path: &Path, error: std::io::Error) -> JvmError {
    JvmError::File { path: path.to_owned(), error }
}

/// What was written of a stream: the file may be much longer.
fn read_stream(path: &Path) -> Result<Vec<u8>, JvmError> {
    let read = || {
        let mut file = File::open(path)?;
        let mut stream = Vec::new();
        loop {
            let before = stream.len();
            let count = file.by_ref().take(PIECE as u64).read_to_end(&mut stream)?;
            if count < PIECE || stream[before..].iter().all(|&byte| byte == 0) {
                return Ok(stream);
            }
        }
    };
    read().map_err(|error| file_error(path, error))
}
