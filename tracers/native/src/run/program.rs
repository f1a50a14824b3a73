//! A program that is run again and again.

use std::ffi::OsString;
use std::ops::Range;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use rustc_hash::FxHashSet;
use warpath_trace::header::{Clock, Header, OrderKind, Outcome, SharedRange, Values};
use warpath_trace::si::Si;
use warpath_trace::trace::Trace;

use super::accesses::Together;
use super::calls::Hooks;
use super::error::RunError;
use super::kernel::Since;
use super::known::Known;
use super::machine::Machine;
use super::options::{RunOptions, Source};
use super::outcome::{End, Why};
use super::schedule::{Chooser, Follow, Guided, Policy};
use super::sharing::Sharing;
use super::start::{self, Beginning, OwnStdin};
use super::steady::steady;
use super::template::Template;
use super::world::{GivenFiles, World};
use crate::names::{Facts, Images};
use crate::process::Launch;

/// A program, and what is known of it from its runs so far.
pub struct Program {
    launch: Launch,
    facts: Facts,
    learnt: Knowledge,
    together: Together,
    hottest: Vec<Range<u64>>,
    stdin: Option<Arc<Mutex<Vec<u8>>>>,
    /// When it was first spoken of: before all of its runs.
    since: Since,
    /// What its processes have as standard input, if not ours: open as long as they may be started.
    own_stdin: Option<OwnStdin>,
    /// Bytes that are shared by their names, if a schedule says so: then nothing else is.
    known: Option<Known>,
    /// Files as they are given to it, whatever there is on the disk.
    given: Arc<GivenFiles>,
    machine: Option<Machine>,
    template: Option<Template>,
}

/// What runs of a program have taught about it. With other knowledge the same run has another trace.
#[derive(Clone, Default)]
pub struct Knowledge {
    sharing: Sharing,
    /// Shared bytes that are accessed too often to be followed.
    hot: Sharing,
    /// Do runs have inputs?
    early: bool,
    spin_sites: FxHashSet<u64>,
}

impl Knowledge {
    /// Adds what another knows; whether that makes traces different.
    fn add(&mut self, other: &Knowledge) -> bool {
        let mut new = self.sharing.add(&other.sharing) | self.hot.add(&other.hot);
        new |= other.early && !self.early;
        self.early |= other.early;
        for &site in &other.spin_sites {
            new |= self.spin_sites.insert(site);
        }
        new
    }
}

/// One run.
pub struct Run {
    /// What happened.
    pub trace: Trace,
    /// How it ended.
    pub end: End,
    /// Were bytes found to be shared that were not known before? Accesses to them are missing from the trace.
    pub sharing_grew: bool,
    /// Instructions executed, in all.
    pub instructions: u64,
    /// Instructions that the hardware executed.
    pub hardware_steps: u64,
    /// Steps of the schedule that were left out.
    pub skipped: u64,
    /// Steps of the schedule that the run ended before.
    pub left: usize,
    /// How it went along a recorded run, if it was to.
    pub guided: Option<Guided>,
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

/// Runs that a recording may take until no new shared bytes are found.
const ROUNDS: usize = 12;

impl Program {
    /// A program to be run with these arguments in this process's environment.
    pub fn new(path: &Path, arguments: Vec<OsString>) -> Result<Program, RunError> {
        Program::in_world(path, arguments, World::default())
    }

    /// A program to be run with these arguments, that is given what `world` says instead of what there is.
    pub fn in_world(path: &Path, arguments: Vec<OsString>, world: World) -> Result<Program, RunError> {
        let refused = |reason: String| RunError::Program { program: path.to_owned(), reason };
        let found = find(path).ok_or_else(|| refused("there is no such file, here or in PATH".into()))?;
        let facts = Facts::of(&found).map_err(|error| refused(error.to_string()))?;
        let mut launch = Launch::new(found.into_os_string(), arguments);
        launch.arguments[0] = path.as_os_str().to_owned();
        let World { environment, stdin, files } = world;
        if let Some(environment) = environment {
            launch.environment = environment;
        }
        steady(&mut launch);
        let given = Arc::new(GivenFiles::new(&files)?);
        let is_given = stdin.is_some();
        let own_stdin = match stdin {
            Some(bytes) => Some(OwnStdin::of(&bytes)?),
            None => OwnStdin::open(),
        };
        launch.streams[0] = own_stdin.as_ref().map(|own| own.file.as_raw_fd());
        Ok(Program {
            launch,
            facts,
            learnt: Knowledge::default(),
            together: Together::default(),
            hottest: Vec::new(),
            stdin: if is_given { None } else { start::unseekable_stdin() },
            since: Since::now(),
            own_stdin,
            known: None,
            given,
            machine: None,
            template: None,
        })
    }

    /// What the executable says of itself.
    pub fn facts(&self) -> &Facts {
        &self.facts
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
        let new = self.learnt.add(other);
        if new {
            self.template = None;
        }
        new
    }

    /// Takes from now on as shared what a schedule was made with, and nothing else.
    pub fn share(&mut self, si: &Si) {
        self.known = Some(Known::new(si));
        self.learnt.sharing = Sharing::default();
        self.template = None;
    }

    /// Where the threads stood when the last run ended; empty if there was none.
    pub fn standing(&mut self) -> Vec<super::Standing> {
        self.machine.as_mut().map(Machine::standing).unwrap_or_default()
    }

    /// Leaves the process of the last run stopped where the run ended, for a debugger to attach to; its process id.
    ///
    /// It has the memory, and the registers of the thread that ran last; the program's other threads are ours alone.
    /// It ends with this program at the latest.
    pub fn leave_stopped(&mut self) -> Result<Option<i32>, RunError> {
        let Some(machine) = self.machine.take() else { return Ok(None) };
        machine.leave().map(Some)
    }

    /// Runs it once.
    pub fn run(&mut self, plan: &Plan) -> Result<Run, RunError> {
        self.given.renew()?;
        let mut machine = self.at_main(plan)?;
        match &self.known {
            Some(_) => machine.know_spins(),
            None => machine.spin_sites.clone_from(&self.learnt.spin_sites),
        }
        machine.assume_repair()?;
        machine.early = self.learnt.early;
        // Who spins on memory that is not known to be shared would spin for ever.
        machine.patience =
            if self.learnt.sharing.bytes() == 0 && self.known.is_none() { 1 << 20 } else { 1 << 28 };
        let mut follow = plan.follow.clone();
        let mut chooser = Chooser::new(plan.policy);
        let end = match machine.go(&mut follow, &mut chooser) {
            Ok(end) => end,
            Err(RunError::Process(error)) => match error.ended().or_else(|| machine.process.ended()) {
                Some(ended) => machine.ended_from_outside(ended),
                None => return Err(error.into()),
            },
            Err(error) => return Err(error),
        };
        machine.close(&end)?;
        let mut sharing_grew = machine.collect_sharing() | machine.compare_accesses(&self.together);
        if !self.learnt.early && !machine.recorder.trace.tables.inputs().is_empty() {
            // What is written before the first thread starts may depend on inputs.
            self.learnt.early = true;
            sharing_grew |= machine.threads.len() > 1;
        }
        self.learnt.spin_sites.clone_from(&machine.spin_sites);
        if sharing_grew && self.known.is_none() {
            self.learnt.sharing = machine.sharing.clone();
            // What happens before `main` may touch the new ones, too.
            self.template = None;
        }
        if matches!(end, End::Stopped(Why::Events(_))) {
            self.hottest = machine.recorder.hottest();
        }
        let run = Run {
            trace: std::mem::replace(&mut machine.recorder.trace, Trace::new(Header::default())),
            end,
            sharing_grew,
            instructions: machine.instructions,
            hardware_steps: machine.hardware_steps,
            skipped: machine.skipped,
            left: follow.left(),
            guided: follow.guided(),
            output: std::mem::take(&mut machine.output),
        };
        self.machine = Some(machine);
        Ok(run)
    }

    /// A machine that stands at `main`, or at the very beginning of a program whose `main` cannot be found.
    fn at_main(&mut self, plan: &Plan) -> Result<Machine, RunError> {
        let header = self.header(&plan.options);
        let known = self.known.clone().unwrap_or_default();
        let names = match (self.machine.take(), &mut self.template) {
            (Some(mut machine), Some(template)) => {
                machine.options = plan.options.clone();
                // Somebody may have ended the process that stands at `main`: then there is a new one.
                if template.restore(&mut machine).is_ok() {
                    machine.recorder.trace.header = header;
                    return Ok(machine);
                }
                Some((machine.images, machine.hooks))
            }
            (machine, _) => machine.map(|machine| (machine.images, machine.hooks)),
        };
        let mut machine = self.begin(&header, plan, &known, names)?;
        let mut chooser = Chooser::new(Policy::RunToBlock);
        let end = machine.drive(&mut Follow::nothing(), &mut chooser)?;
        machine.stop_at_main = false;
        if end == End::Stopped(Why::Main) && machine.threads.len() == 1 {
            self.template = Some(Template::of(&mut machine)?);
            return Ok(machine);
        }
        // It ended before `main`, or has none that we know: from the beginning, then, each time.
        let names = Some((machine.images, machine.hooks));
        let mut machine = self.begin(&header, plan, &known, names)?;
        machine.stop_at_main = false;
        Ok(machine)
    }

    fn begin(
        &self,
        header: &Header,
        plan: &Plan,
        known: &Known,
        names: Option<(Images, Hooks)>,
    ) -> Result<Machine, RunError> {
        if let Some(own) = &self.own_stdin {
            own.rewind();
        }
        start::machine(Beginning {
            launch: &self.launch,
            header,
            options: &plan.options,
            sharing: &self.learnt.sharing,
            hot: &self.learnt.hot,
            known,
            stdin: self.stdin.clone(),
            given: Arc::clone(&self.given),
            since: self.since,
            names,
        })
    }

    /// Runs it until a run finds no new shared bytes, so that the trace is complete.
    pub fn record(&mut self, plan: &Plan) -> Result<Run, RunError> {
        let mut plan = plan.clone();
        for _ in 1..ROUNDS {
            let run = self.run(&plan)?;
            if matches!(run.end, End::Stopped(Why::Events(_))) && self.forget_hottest() {
                continue;
            }
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

    /// Runs it by a schedule. If that does not say which bytes it takes as shared, they are looked for first: accesses to
    /// others are no steps.
    pub fn replay(&mut self, plan: &Plan) -> Result<Run, RunError> {
        let mut plan = plan.clone();
        if self.known.is_none() {
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

    /// The run had too many events: those of the bytes that most of them are about are not recorded any more.
    fn forget_hottest(&mut self) -> bool {
        let hottest = std::mem::take(&mut self.hottest);
        let grown = hottest
            .into_iter()
            .map(|range| self.learnt.hot.insert(range))
            .fold(false, |grown, new| grown | new);
        if grown {
            self.template = None;
            self.machine = None;
        }
        grown
    }

    fn header(&self, options: &RunOptions) -> Header {
        Header {
            program: self.launch.arguments[0].to_string_lossy().into_owned(),
            arguments: self.launch.arguments[1..]
                .iter()
                .map(|argument| argument.as_bytes().to_vec())
                .collect(),
            build_id: self.facts.build_id.clone().unwrap_or_default(),
            tracer: "warpath-native".into(),
            tracer_version: env!("CARGO_PKG_VERSION").into(),
            clock: Clock::Virtual,
            order: OrderKind::Total,
            model: options.model,
            values: options.values,
        }
    }
}

impl Machine {
    /// From `main` to the end.
    fn go(&mut self, follow: &mut Follow, chooser: &mut Chooser) -> Result<End, RunError> {
        for source in self.options.symbolic.clone() {
            if let Source::Stdin { bytes } = source {
                self.symbolic_stdin(bytes);
            }
        }
        self.symbolic_strings()?;
        self.space.track(self.early);
        // What happened before `main` was nobody's turn, and has steps in a schedule all the same.
        self.threads[0].accounted = 0;
        if let Some(end) = self.poise(0)? {
            return Ok(end);
        }
        self.interpose(0);
        self.drive(follow, chooser)
    }

    /// Completes the trace.
    fn close(&mut self, end: &End) -> Result<(), RunError> {
        let outcome = match end {
            End::Exited(status) => Outcome::Exited(*status),
            End::Failed(failure) => {
                let message = self.recorder.string(failure.message.as_bytes())?;
                let op = warpath_trace::event::Op::Failure {
                    kind: failure.kind,
                    message,
                    address: failure.address,
                };
                let t = self.current;
                if !self.recorder.trace.threads.is_empty() {
                    let site = failure.site.unwrap_or_else(|| self.site(t));
                    self.record_at(t, op, site)?;
                }
                Outcome::Failed(failure.kind)
            }
            End::Stopped(_) => Outcome::Stopped,
        };
        let counted = std::mem::take(&mut self.approximations);
        let mut approximations = Vec::new();
        for (what, count) in counted {
            approximations.push((self.recorder.string(what.as_bytes())?, count));
        }
        let ranges: Vec<_> = self.watched.ranges().collect();
        let mut sharing: Vec<SharedRange> = Vec::new();
        for range in ranges {
            sharing.extend(self.shared_range(range)?);
        }
        sharing.sort_unstable();
        sharing.dedup();
        std::mem::swap(self.shadow.pool_mut(), &mut self.recorder.trace.tables.exprs);
        self.recorder.finish(outcome, approximations, sharing);
        Ok(())
    }
}

/// A program named without a slash is looked up in PATH, as a shell would.
fn find(path: &Path) -> Option<PathBuf> {
    if path.as_os_str().as_bytes().contains(&b'/') {
        return path.exists().then(|| path.to_owned());
    }
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join(path)).find(|file| file.is_file())
}

impl Plan {
    /// One run by this policy.
    pub fn by_policy(options: RunOptions, policy: Policy) -> Plan {
        Plan { options, follow: Follow::nothing(), policy }
    }
}
