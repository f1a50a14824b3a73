//! One trace, analysed by a process of its own: `warpath __triage trace` reads what to do from its arguments, and answers
//! with one line of JSON.
//!
//! Whatever a trace does to the analysis, a panic, no end, no memory left, it does to this process and to one trace.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process;
use std::thread;
use std::time::Duration;

use anyhow::Context;
use nix::sys::resource::{Resource, setrlimit};
use serde::{Deserialize, Serialize};
use tempfile::{Builder, TempDir};
use warpath_analyzer::effect::{Effect, effects};
use warpath_analyzer::findings::{Involved, Kind};
use warpath_solvers::CancelToken;
use warpath_trace::trace::Trace;

use super::super::analyze::{AnalyzeConfig, Asked, Kept, Outcome, examine};
use super::HIDDEN;
use super::entry::{Analysis, Answer, Class, Examined, Open, Part, Seen, Verdict};
use super::observed::Observed;
use super::position::position;
use super::task::Task;
use crate::console::{self, Console};
use crate::exit::Exit;
use crate::failure::sentence;
use crate::options::Loudness;
use crate::outputs::{make_folder, replace_file};
use crate::present::inputs;
use crate::solvers::{resolve, solvers};
use crate::traces::Source;

/// A script is a formula of the whole trace: for larger ones it takes far longer than the check itself.
const SCRIPTED: u64 = 500;

/// So many questions without an answer are kept of one trace.
const MOST_UNANSWERED: usize = 100;

/// The word on the command line of a worker.
pub(super) const TRACE: &str = "trace";

/// What a worker is told.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Order {
    pub(super) task: Task,
    pub(super) trace: PathBuf,
    /// The folder for its files, within the folder of the task.
    pub(super) files: PathBuf,
}

impl Order {
    /// What to start.
    pub(super) fn command(&self) -> anyhow::Result<process::Command> {
        let program = env::current_exe().context("cannot tell where this program is")?;
        let mut command = process::Command::new(program);
        command.args([HIDDEN, TRACE]).arg(serde_json::to_string(self).context("cannot pass on the task")?);
        Ok(command)
    }
}

/// Does what the argument says.
pub(super) fn main(word: &OsStr) -> anyhow::Result<()> {
    let word = word.to_str().context("the order of a worker is not text")?;
    let order: Order = serde_json::from_str(word).context("a worker does not understand its order")?;
    let memory = order.task.memory;
    setrlimit(Resource::RLIMIT_DATA, memory, memory).context("cannot limit the memory of a worker")?;
    setrlimit(Resource::RLIMIT_CORE, 0, 0).context("cannot switch off core files")?;
    // The other end of our standard input is held by whoever started us: when it closes, nobody wants an answer.
    thread::Builder::new().name("lifeline".into()).spawn(|| {
        let mut rest = Vec::new();
        let _ = io::stdin().take(1).read_to_end(&mut rest);
        process::exit(Exit::Unknown.code().into());
    })?;
    let cancel = CancelToken::default();
    let (stop, time) = (cancel.clone(), order.task.time);
    thread::Builder::new().name("deadline".into()).spawn(move || {
        thread::sleep(time);
        stop.cancel();
    })?;
    let examined = trace(&order, cancel)?;
    let answer = Answer { peak: peak(), examined };
    console::print(format_args!("{}\n", serde_json::to_string(&answer)?))
}

/// The most memory that this process has had.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.unwrap_or(0) << 10
}

/// Analyses the trace.
fn trace(order: &Order, cancel: CancelToken) -> anyhow::Result<Examined> {
    let path = &order.trace;
    let loaded = match (Source { path: path.clone(), form: None, salvage: false }).load() {
        Ok(loaded) => loaded,
        Err(error) => return Ok(Examined::Unreadable { reason: sentence(&error) }),
    };
    let remarks: Vec<String> = loaded.remark.iter().cloned().chain(loaded.left_out()).collect();
    let folder = order.task.out.join(&order.files);
    let started = Folder::begin(&folder)?;
    let traces = [(path.display().to_string(), loaded.trace)];
    let config = AnalyzeConfig {
        traces: vec![path.clone()],
        checks: order.task.checks.clone(),
        model: order.task.model,
        windows: order.task.windows,
        // One after the other: other workers have the other cores.
        jobs: 1,
        all: false,
        scripts: order.task.scripts,
        solver: order.task.solver.clone(),
        json: None,
        sarif: None,
        emit: None,
        out: started.partial.clone(),
    };
    let solvers = solvers()?;
    let resolved = resolve(&solvers, &config.solver)?;
    // What the run itself ended with is reported as observed.
    let asked = Asked {
        solvers: &solvers,
        resolved: &resolved,
        cancel: cancel.clone(),
        recorded: false,
        scripts: traces[0].1.len() <= SCRIPTED,
    };
    let outcome = examine(&config, &traces, &asked, &Console::new(Loudness::Quiet));
    let outcome = match outcome {
        Ok(outcome) => outcome,
        Err(error) => return Ok(Examined::Failed { reason: sentence(&error) }),
    };
    let (name, trace) = &traces[0];
    let mut analysis = Analysis {
        program: trace.header.program.clone(),
        events: trace.len(),
        threads: trace.threads.len(),
        windows: outcome.windows,
        remarks,
        findings: Vec::new(),
        unanswered: unanswered(&outcome, cancel.is_cancelled().then_some(order.task.time)),
    };
    analysis.findings.extend(observed(trace, name, &started, &order.files)?);
    analysis.findings.extend(predicted(trace, outcome.findings, &order.files));
    started.finish(&folder)?;
    Ok(Examined::Analysed(analysis))
}

/// The files of a trace appear together: a folder with a name that nobody else has is made beside, and renamed.
struct Folder {
    partial: PathBuf,
    /// Removes it unless it was renamed.
    _guard: TempDir,
}

impl Folder {
    fn begin(folder: &Path) -> anyhow::Result<Folder> {
        let parent = folder.parent().unwrap_or(Path::new("."));
        make_folder(parent)?;
        let guard = Builder::new().prefix(UNFINISHED).tempdir_in(parent);
        let guard = guard.with_context(|| format!("cannot make a folder in {}", parent.display()))?;
        let partial = guard.path().join("files");
        make_folder(&partial)?;
        Ok(Folder { partial, _guard: guard })
    }

    /// A cluster can lose sight of a task and start another one for the same trace: whoever is later wins.
    fn finish(&self, folder: &Path) -> anyhow::Result<()> {
        let mut renamed = Ok(());
        for _ in 0..10 {
            match fs::remove_dir_all(folder) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => renamed = Err(error),
                _ => renamed = fs::rename(&self.partial, folder),
            }
            if renamed.is_ok() {
                break;
            }
        }
        renamed.with_context(|| format!("cannot make {}", folder.display()))
    }
}

/// How folders begin that are being filled.
const UNFINISHED: &str = ".unfinished-";

/// Removes what workers have left that were killed; for when there is no worker.
pub(super) fn tidy(out: &Path) {
    for entry in fs::read_dir(out.join("traces")).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(UNFINISHED) {
            // What stays is in nobody's way.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

fn observed(trace: &Trace, name: &str, folder: &Folder, files: &Path) -> anyhow::Result<Option<Seen>> {
    let Some(observed) = Observed::of(trace) else { return Ok(None) };
    let mut si = observed.si(trace)?;
    si.origin.trace = name.to_owned();
    let text = si.print()?;
    replace_file(&folder.partial.join("observed.si.toml"), |out| Ok(out.write_all(text.as_bytes())?))?;
    Ok(Some(Seen {
        verdict: Verdict::Observed,
        class: observed.class,
        kind: observed.kind,
        storage: None,
        message: observed.message,
        reason: "the recorded run ended so".to_owned(),
        parts: observed.parts,
        effect: None,
        inputs: inputs::values(&si.inputs),
        steps: si.schedule.len(),
        si: files.join("observed.si.toml").display().to_string(),
        script: None,
    }))
}

fn predicted(trace: &Trace, kept: Vec<Kept>, files: &Path) -> Vec<Seen> {
    let races: Vec<&[Involved]> = kept
        .iter()
        .map(|kept| if is_race(kept.finding.kind) { &kept.finding.events[..] } else { &[] })
        .collect();
    let effects = effects(trace, &races);
    kept.iter().zip(effects).map(|(kept, effect)| seen(kept, effect, files)).collect()
}

fn is_race(kind: Kind) -> bool {
    matches!(kind, Kind::DataRace | Kind::AtomicityViolation | Kind::OrderViolation)
}

fn seen(kept: &Kept, effect: Option<Effect>, files: &Path) -> Seen {
    let Kept { finding, begin, si, script } = kept;
    let class = match finding.kind {
        Kind::Deadlock => Class::Deadlock,
        kind if is_race(kind) && effect.is_some() => Class::RaceThatChangesABranch,
        kind if is_race(kind) => Class::Race,
        _ => Class::Crash,
    };
    let storage = finding.storage.clone().unwrap_or_default();
    let part = |event: &Involved| {
        // `waits for b, which T0.1 has`: who has it differs from run to run.
        let verb = event.role.split([',', '`']).next().unwrap_or_default();
        let about = if verb.contains(&storage) { "" } else { &storage };
        Part {
            position: position(&event.place, verb, about).trim_end().to_owned(),
            place: event.place.clone(),
            thread: event.thread.clone(),
            role: event.role.clone(),
        }
    };
    let within = |path: &String| {
        let name = Path::new(path).file_name().unwrap_or_default();
        files.join(name).display().to_string()
    };
    Seen {
        verdict: Verdict::Predicted,
        class,
        kind: finding.kind.word(),
        storage: finding.storage.clone(),
        message: finding.summary.clone(),
        reason: finding.reason.clone(),
        parts: finding.events.iter().map(part).collect(),
        effect,
        inputs: inputs::values(&finding.si.inputs),
        steps: finding.si.schedule.len() + *begin as usize,
        si: within(si),
        script: script.as_ref().map(within),
    }
}

fn unanswered(outcome: &Outcome, late: Option<Duration>) -> Vec<Open> {
    let mut open: Vec<Open> = outcome
        .unanswered
        .iter()
        .take(MOST_UNANSWERED)
        .map(|unanswered| Open {
            property: unanswered.property.name().to_owned(),
            question: unanswered.question.clone(),
            reason: match late {
                Some(time) if unanswered.reason == "interrupted" => {
                    format!("the time for the trace was over ({} s)", time.as_secs_f64())
                }
                _ => unanswered.reason.clone(),
            },
        })
        .collect();
    let more = outcome.unanswered.len() - open.len();
    if more > 0 {
        open.push(Open {
            property: "all".to_owned(),
            question: format!("{more} more questions"),
            reason: "have no answer either".to_owned(),
        });
    }
    open
}
