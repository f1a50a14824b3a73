//! `warpath record --light`: the program at full speed, with a library preloaded.

use std::ffi::OsString;
use std::fs::File;
use std::io::BufReader;
use std::os::fd::AsFd;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::time::Instant;

use anyhow::Context;
use clap::{Args, ValueEnum};
use serde::Serialize;
use warpath_light::{Ended as HowItEnded, Recording, Written, processes};
use warpath_trace::binary::{self, WriterOptions};
use warpath_trace::header::Outcome;
use warpath_trace::trace::Trace;

use super::light_stdin::Passed;
use super::record::{RecordConfig, Results};
use crate::console::{Console, complain};
use crate::exit::Exit;
use crate::failure::advised;
use crate::interrupt::{Interrupt, spawn_unblocked};
use crate::json::JsonTarget;
use crate::options::parse_bytes;
use crate::outputs::replace_file;
use crate::runs::{Ended, FailureReport};
use crate::traces::TraceForm;

/// What only the light recorder knows.
#[derive(Args, Debug, Serialize, Default)]
#[command(next_help_heading = "With --light")]
pub(crate) struct LightOptions {
    /// Bytes that each thread may fill, such as 64M; 1G if nothing is said
    #[arg(long, value_name = "SIZE", requires = "light")]
    limit: Option<String>,
    /// Keep the newest part when the limit is reached, instead of stopping there
    #[arg(long, requires = "light")]
    ring: bool,
    /// Record so many milliseconds out of so many, such as 100/1000; each time is a trace of its own
    #[arg(long, value_name = "ON/ALL", requires = "light")]
    sample: Option<String>,
    /// This signal to the program (USR1, USR2 or a number) switches recording off and on
    #[arg(long, value_name = "SIGNAL", requires = "light")]
    switch: Option<String>,
    /// Begin switched off
    #[arg(long, requires_all = ["light", "switch"])]
    paused: bool,
    /// Also keep what comes from outside, in the trace: `args`, `env`, `stdin`, `files`, `sockets`, with commas, or `all`;
    /// `warpath lift` gives it to the program again. It may be secret
    #[arg(long, value_name = "WHAT", requires = "light", value_enum, value_delimiter = ',', num_args = 1)]
    inputs: Vec<InputSource>,
    /// Bytes to keep of each file and stream [default: 16M]
    #[arg(long, value_name = "SIZE", requires = "inputs", value_parser = parse_bytes)]
    input_limit: Option<u64>,
}

/// What comes from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
enum InputSource {
    /// Arguments of the command line
    Args,
    /// The environment
    Env,
    /// Standard input
    Stdin,
    /// Files, as they are when they are opened
    Files,
    /// What is read from sockets
    Sockets,
    /// All of these
    All,
}

/// Bytes kept of each file and stream if nothing is said.
const INPUT_LIMIT: u64 = 16 << 20;

impl LightOptions {
    /// Is this source to be kept?
    fn keeps(&self, source: InputSource) -> bool {
        self.inputs.contains(&source) || self.inputs.contains(&InputSource::All)
    }

    fn input_limit(&self) -> u64 {
        self.input_limit.unwrap_or(INPUT_LIMIT)
    }

    /// The sources that are kept, as the library reads them.
    fn input_words(&self) -> String {
        let words = self.inputs.iter().filter_map(ValueEnum::to_possible_value);
        words.map(|word| word.get_name().to_owned()).collect::<Vec<_>>().join(",")
    }

    /// As the library reads them.
    fn environment(&self) -> Vec<(&'static str, &str)> {
        let ring = if self.ring { "1" } else { "0" };
        let start = if self.paused { "off" } else { "on" };
        let mut set = vec![("WARPATH_LIGHT_RING", ring), ("WARPATH_LIGHT_START", start)];
        let named = [
            ("WARPATH_LIGHT_LIMIT", &self.limit),
            ("WARPATH_LIGHT_SAMPLE", &self.sample),
            ("WARPATH_LIGHT_SIGNAL", &self.switch),
        ];
        set.extend(named.into_iter().filter_map(|(name, value)| Some((name, value.as_deref()?))));
        set
    }
}

/// Runs the program and writes a trace for each process and each time that recording was on.
pub(super) fn record(config: &RecordConfig, console: &Console) -> anyhow::Result<Exit> {
    if config.si.is_some() {
        return Err(advised(
            "a run at full speed has no schedule that could be replayed",
            "leave out --si, or record without --light",
        ));
    }
    let library = find_library()?;
    let began = Instant::now();
    // The program gets Ctrl-C, too; we wait for it and write what it left.
    Interrupt::listen(|| {})?;
    let beside = config.output.path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = tempfile::Builder::new()
        .prefix(".warpath-light-")
        .tempdir_in(beside.unwrap_or(Path::new(".")))
        .context("cannot make a folder for what is recorded")?;
    let place = folder.path().canonicalize()?;
    let mut command = Command::new(config.program.path());
    command
        .args(config.program.arguments())
        .envs(config.light.environment())
        .env("WARPATH_LIGHT_INPUTS", config.light.input_words())
        .env("WARPATH_LIGHT_INPUT_LIMIT", config.light.input_limit().to_string())
        .env("WARPATH_LIGHT", &place)
        .env("LD_PRELOAD", preloaded(&library));
    if JsonTarget::takes_stdout(config.json.as_ref()) {
        command.stdout(std::io::stderr().as_fd().try_clone_to_owned()?);
    }
    let limit = usize::try_from(config.light.input_limit()).unwrap_or(usize::MAX);
    let keeps_stdin = config.light.keeps(InputSource::Stdin);
    let passed = keeps_stdin.then(|| Passed::through(&mut command, limit)).flatten();
    let mut child = spawn_unblocked(&mut command)
        .with_context(|| format!("cannot run {}", config.program.name().display()))?;
    if let (Some(passed), Some(stdin)) = (&passed, child.stdin.take()) {
        passed.begin(stdin);
    }
    let status = child.wait()?;
    let found = processes(&place).map_err(|error| {
        let help = "a statically linked program, or one that gets more rights than its user, cannot be recorded so; \
                    without --light it can be traced";
        crate::failure::advise(error, "nothing was recorded", help)
    })?;
    let mut written = Vec::new();
    for (nth, folder) in found.iter().enumerate() {
        let mut recording = Recording::open(folder)?;
        if let Some(passed) = passed.as_ref().filter(|_| nth == 0) {
            let (bytes, whole) = passed.kept();
            recording.inputs.set_stdin(bytes, whole);
        }
        for damaged in &recording.damaged {
            console.note(format_args!("note: left out: {damaged}"));
        }
        for (what, count) in &recording.inputs.missed {
            console.note(format_args!("note: not all that came from outside was kept: {count} {what}"));
        }
        let ended = if nth == 0 { how(status) } else { HowItEnded::Unknown };
        for &episode in recording.episodes() {
            if nth > 0 && recording.threads() < 2 {
                // A process with one thread, such as a shell's command, has nothing to say about schedules.
                continue;
            }
            let path = numbered(&config.output.path, written.len());
            written.push((write(&recording, episode, ended, &path)?, path.clone()));
            if !config.light.inputs.is_empty() {
                // What the program was given may not be for everybody.
                std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600))?;
            }
        }
    }
    let Some((first, path)) = written.first() else {
        return Err(advised("nothing was recorded", "was recording switched on while the program ran?"));
    };
    let trace = match first.outcome {
        Outcome::Failed(_) => Some(load(path)?),
        _ => None,
    };
    let ended = ended(first, trace.as_ref(), status);
    if config.output.form != TraceForm::Wpt {
        for (_, path) in &written {
            let trace = load(path)?;
            config.output.at(path.clone()).store(&trace)?;
        }
    }
    report(config, &ended, &written, console);
    if let Some(target) = &config.json {
        target.write(&Results {
            format: "warpath.record/1",
            program: config.program.name().display().to_string(),
            arguments: config.program.arguments().iter().map(|word| word.to_string_lossy().into()).collect(),
            trace: path.display().to_string(),
            si: None,
            model: config.model.name(),
            values: "pinned",
            ended: &ended,
            time_ms: u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
        })?;
    }
    Ok(if ended.failure.is_some() || status.signal().is_some() { Exit::Found } else { Exit::Clean })
}

/// What the library is called.
pub(super) const LIBRARY: &str = "libwarpath_preload.so";

/// The library: named in the environment, or beside the executable.
pub(super) fn find_library() -> anyhow::Result<PathBuf> {
    let named = std::env::var_os("WARPATH_PRELOAD").map(PathBuf::from);
    let beside = || std::env::current_exe().ok().and_then(|exe| Some(exe.parent()?.join(LIBRARY)));
    let path = named.or_else(beside).unwrap_or_else(|| PathBuf::from(LIBRARY));
    path.canonicalize().map_err(|error| {
        advised(
            format!("the recorder's library {} is not there: {error}", path.display()),
            "build it with `make build`, or name it in WARPATH_PRELOAD",
        )
    })
}

/// Ours in front of what the user preloads.
pub(super) fn preloaded(library: &Path) -> OsString {
    let mut all = library.as_os_str().to_owned();
    if let Some(more) = std::env::var_os("LD_PRELOAD").filter(|more| !more.is_empty()) {
        all.push(":");
        all.push(more);
    }
    all
}

fn how(status: ExitStatus) -> HowItEnded {
    match (status.code(), status.signal()) {
        (Some(code), _) => HowItEnded::Exited(code),
        (None, Some(signal)) => HowItEnded::Killed(signal),
        (None, None) => HowItEnded::Unknown,
    }
}

/// `run.wpt`, `run-2.wpt`, `run-3.wpt`.
fn numbered(path: &Path, nth: usize) -> PathBuf {
    if nth == 0 {
        return path.to_owned();
    }
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let name = match path.extension() {
        Some(extension) => format!("{stem}-{}.{}", nth + 1, extension.to_string_lossy()),
        None => format!("{stem}-{}", nth + 1),
    };
    path.with_file_name(name)
}

fn write(recording: &Recording, episode: u64, ended: HowItEnded, path: &Path) -> anyhow::Result<Written> {
    let mut written = None;
    replace_file(path, |out| {
        written = Some(recording.write(episode, ended, out, WriterOptions::default())?);
        Ok(())
    })?;
    written.context("nothing was written")
}

fn load(path: &Path) -> anyhow::Result<Trace> {
    let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(binary::read(BufReader::new(file))?.0)
}

fn ended(written: &Written, trace: Option<&Trace>, status: ExitStatus) -> Ended {
    let failure = trace.and_then(FailureReport::of);
    let (outcome, message) = match (&failure, status.code(), status.signal()) {
        (Some(failure), ..) => ("failed", format!("failed: {}", failure.message)),
        (None, Some(0), _) => ("exited", "ended normally".to_owned()),
        (None, Some(code), _) => ("exited", format!("ended with exit status {code}")),
        (None, None, Some(signal)) => ("stopped", format!("was ended by signal {signal}")),
        (None, None, None) => ("stopped", "ended".to_owned()),
    };
    let lost = (written.lost > 0).then(|| ("events-lost".to_owned(), written.lost));
    Ended {
        outcome,
        status: status.code(),
        failure,
        stopped: (outcome == "stopped").then_some("signal"),
        message,
        events: written.events,
        threads: written.threads,
        shared_bytes: 0,
        inputs: Vec::new(),
        approximations: lost.into_iter().collect(),
        instructions: 0,
    }
}

fn report(config: &RecordConfig, ended: &Ended, written: &[(Written, PathBuf)], console: &Console) {
    let program = config.program.name().display();
    match &ended.failure {
        Some(failure) => complain(&failure.text("FAILED").trim_end()),
        None => console.note(format_args!("warpath: {program} {}", ended.message)),
    }
    if let Some(lost) = ended.approximated() {
        console.note(format_args!("note: not all was recorded: {lost} (--limit gives more room)"));
    }
    for (written, path) in written {
        let threads = if written.threads == 1 { "thread" } else { "threads" };
        console.note(format_args!(
            "warpath: {} events of {} {threads}: {path}; next: warpath analyze {path}",
            written.events,
            written.threads,
            path = path.display()
        ));
    }
}
