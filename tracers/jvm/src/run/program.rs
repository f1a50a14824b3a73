//! A Java program that is run again and again.

use std::cell::OnceCell;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use warpath_trace::header::{Clock, Header, OrderKind, Outcome, Values};
use warpath_trace::si::Si;
use warpath_trace::trace::Trace;

use super::accesses::Together;
use super::agent::{find_agent, find_command};
use super::classes;
use super::error::JvmError;
use super::kept::{KeptRun, Remains};
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
    /// Of its classes, as soon as somebody asks.
    build_id: OnceCell<Vec<u8>>,
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
    /// Were locations found to be shared that were not known before? Traces of earlier runs have no accesses to them.
    pub sharing_grew: bool,
    /// Has the trace all accesses to what is known to be shared by now?
    pub is_complete: bool,
    /// The run, if its trace can be made once more.
    pub kept: Option<KeptRun>,
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
            build_id: OnceCell::new(),
        })
    }

    /// A number of its classes: another one when they were compiled from another source.
    pub fn build_id(&self) -> &[u8] {
        self.build_id.get_or_init(|| classes::fingerprint(&self.command[1..]))
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

    /// Takes as shared what a schedule was made with; more may be found.
    pub fn expect(&mut self, si: &Si) {
        for shared in &si.shared {
            self.learnt.sharing.insert(shared.object.clone());
        }
    }

    /// Takes from now on as shared what a schedule was made with, and nothing else.
    pub fn share(&mut self, si: &Si) {
        self.is_known = true;
        self.learnt.sharing = Sharing::default();
        for shared in &si.shared {
            self.learnt.sharing.insert(shared.object.clone());
        }
    }

    /// Runs it once. What the run shows to be shared is in its trace, if the agent's stream tells enough.
    pub fn run(&mut self, plan: &Plan) -> Result<Run, JvmError> {
        let folder = tempfile::Builder::new().prefix("warpath-jvm").tempdir();
        let folder = folder.map_err(|error| file_error(&std::env::temp_dir(), error))?;
        let flags = self.learnt.sharing.locations().filter(|name| name.starts_with("interrupted("));
        let flags: Vec<String> = flags.map(str::to_owned).collect();
        let text = plan::text(&plan.options, &plan.follow, plan.policy, &self.learnt.sharing);
        let file = folder.path().join("plan");
        std::fs::write(&file, text).map_err(|error| file_error(&file, error))?;
        let mut arguments = vec![format!("-javaagent:{}={}", self.agent.display(), folder.path().display())];
        // What the program asserts is checked, unless its command says otherwise further on.
        arguments.push("-ea".to_owned());
        // A JVM that crashes says so at length where it was started, which is the user's folder.
        arguments.push(format!("-XX:ErrorFile={}", folder.path().join("crash.log").display()));
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
        let remains = Remains { stream, stopped: ended.stopped.clone(), status: ended.status, flags };
        let Some((lifted, end)) = self.understand(&plan.options, &remains, None)? else {
            return Err(died(&ended));
        };
        let mut run = self.learn_from(lifted, end);
        if plan.options.output == super::Output::Keep {
            run.output = ended.output;
        }
        if self.is_known {
            return Ok(run);
        }
        run.kept = self.together.keep(&remains);
        if run.sharing_grew {
            match self.once_more(&plan.options, &remains)? {
                Some(more) => (run.trace, run.end, run.lost) = (more.trace, more.end, more.lost),
                None => run.is_complete = false,
            }
        }
        Ok(run)
    }

    /// The trace of a run that was made before, with what is known to be shared by now; `None` if the run has to be made
    /// again for that.
    pub fn again(&mut self, run: KeptRun, options: &RunOptions) -> Result<Option<Run>, JvmError> {
        let Some(remains) = self.together.kept(run) else { return Ok(None) };
        let more = self.once_more(options, &remains)?;
        Ok(more.map(|more| Run { kept: Some(run), ..more }))
    }

    /// What is left of a run, lifted with what is known to be shared by now.
    fn once_more(&mut self, options: &RunOptions, remains: &Remains) -> Result<Option<Run>, JvmError> {
        let shared = self.learnt.sharing.clone();
        let Some((lifted, end)) = self.understand(options, remains, Some(shared))? else { return Ok(None) };
        // The agent stops a thread that makes too many steps; who looks again and again at what was not known to be
        // shared was not stopped.
        let longest = lifted.trace.threads.iter().map(Vec::len).max().unwrap_or(0) as u64;
        if !lifted.is_faithful || longest > options.max_events {
            return Ok(None);
        }
        Ok(Some(self.learn_from(lifted, end)))
    }

    /// What happened in a run, and how it ended; `None` if nobody knows. `shared`: what is visible besides the steps that
    /// the agent made.
    fn understand(
        &self,
        options: &RunOptions,
        remains: &Remains,
        shared: Option<Sharing>,
    ) -> Result<Option<(Lifted, End)>, JvmError> {
        let lifting = LiftOptions {
            header: self.header(options),
            max_expressions: options.max_expressions,
            fail_on_exit: options.fail_on_exit,
            shared,
            flags: remains.flags.clone(),
        };
        let (mut lifted, error) = lift(&remains.stream, &lifting)?;
        if let Some(error) = error
            && remains.stopped.is_none()
        {
            return Err(error.into());
        }
        if options.check_expressions {
            check_expressions(&lifted.trace)?;
        }
        if remains.stopped.is_some()
            && let Some(footer) = &mut lifted.trace.footer
        {
            footer.outcome = Outcome::Stopped;
        }
        let end = match (remains.stopped.clone(), &lifted.end) {
            (Some(why), _) => Some(End::Stopped(why)),
            (None, Some(End::Stopped(Why::Events(_)))) => Some(End::Stopped(Why::Events(options.max_events))),
            (None, Some(end)) => Some(end.clone()),
            (None, None) => killed::end(&mut lifted.trace, remains.status)?.map(End::Failed),
        };
        Ok(end.map(|end| (lifted, end)))
    }

    fn learn_from(&mut self, lifted: Lifted, end: End) -> Run {
        let mut found = lifted.shared;
        found.add(&self.together.add(lifted.usage));
        let sharing_grew = !self.is_known && self.learnt.sharing.add(&found);
        Run {
            trace: lifted.trace,
            end,
            sharing_grew,
            is_complete: true,
            kept: None,
            lost: lifted.lost,
            output: Vec::new(),
        }
    }

    /// Runs it until its trace is complete.
    pub fn record(&mut self, plan: &Plan) -> Result<Run, JvmError> {
        let mut plan = plan.clone();
        // Who follows steps or chooses at each of them makes another run when there are more.
        let is_indifferent = plan.policy == Policy::RunToBlock && plan.follow.steps.is_empty();
        for _ in 1..ROUNDS {
            let run = self.run(&plan)?;
            if matches!(run.end, End::Stopped(Why::Expressions(_))) {
                plan.options.values = Values::Pinned;
                continue;
            }
            let is_done = if is_indifferent { run.is_complete } else { !run.sharing_grew };
            if is_done || matches!(run.end, End::Stopped(Why::Interrupted)) {
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
            build_id: self.build_id().to_vec(),
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
