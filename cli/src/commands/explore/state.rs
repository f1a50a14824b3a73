//! `--state DIR`: a search that can be left off and taken up again.
//!
//! The folder has the schedule and inputs of every run that the search has made, and an index with what was searched
//! and how. Taking up the search makes these runs again and goes on from there: what had been concluded from them is
//! concluded again, so that no conclusion is ever read from a file.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use anyhow::Context;
use serde::{Deserialize, Serialize};
use warpath_analyzer::explore::{Checkpoint, Earlier, Identity, Statistics};
use warpath_trace::repair::Rule;
use warpath_trace::si::Si;

use super::ExploreConfig;
use crate::failure::{advise, advised};
use crate::inputs::cannot_read;
use crate::json::JsonTarget;
use crate::outputs::replace_file;
use crate::runs::Subject;

const FORMAT: &str = "warpath.state/1";
const INDEX: &str = "state.json";
const ANEW: &str = "name another folder, or remove this one to begin anew";

/// The folder of a search.
pub(super) struct State {
    folder: PathBuf,
    index: Index,
    /// How many runs are written, and of which generation.
    written: (u64, usize),
}

#[derive(Serialize, Deserialize)]
struct Index {
    format: String,
    program: Program,
    options: Options,
    /// `run-1.si.toml` up to this one are the runs.
    runs: usize,
    statistics: Counters,
    /// In the order of their numbers.
    bugs: Vec<KnownBug>,
}

/// What is run.
#[derive(PartialEq, Eq, Serialize, Deserialize)]
struct Program {
    path: String,
    arguments: Vec<String>,
    /// Without one, size and time of the file say whether it is the same program.
    build_id: String,
    stamp: String,
}

/// What decides which runs there are.
#[derive(PartialEq, Eq, Serialize, Deserialize)]
struct Options {
    strategy: String,
    model: String,
    symbolic: Vec<String>,
    fail_on_exit: bool,
    max_events: u64,
    seed: u64,
    /// As JSON; absent for the program as it is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    repair: Vec<Rule>,
}

/// A bug that has a number.
#[derive(Serialize, Deserialize)]
struct KnownBug {
    identity: String,
    execution: u64,
}

#[derive(Clone, Copy, Default, Serialize, Deserialize)]
struct Counters {
    executions: u64,
    repeated: u64,
    resumed: u64,
    replays: u64,
    queries: u64,
    sat: u64,
    unsat: u64,
    unknown: u64,
    running_us: u64,
    solving_us: u64,
    encoding_us: u64,
}

impl State {
    /// The search in a folder, which is begun if there is none; and where it was left off.
    pub(super) fn open(folder: &Path, config: &ExploreConfig) -> anyhow::Result<(State, Option<Earlier>)> {
        let (program, options) = (Program::of(config)?, Options::of(config)?);
        let path = folder.join(INDEX);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let index = Index {
                    format: FORMAT.to_owned(),
                    program,
                    options,
                    runs: 0,
                    statistics: Counters::default(),
                    bugs: Vec::new(),
                };
                let state = State { folder: new_folder(folder)?, index, written: (0, 0) };
                state.write_index()?;
                return Ok((state, None));
            }
            Err(error) => return Err(cannot_read(&path, error)),
        };
        let shown = folder.display();
        let index: Index = serde_json::from_str(&text).map_err(|error| {
            advise(error, format!("{} is not the state of a search", path.display()), ANEW)
        })?;
        if index.format != FORMAT {
            let says = format!("{} says it is `{}`, not `{FORMAT}`", path.display(), index.format);
            return Err(advised(says, ANEW));
        }
        if let Some(difference) = program.differs(&index.program).or_else(|| options.differs(&index.options))
        {
            return Err(advised(format!("{shown} is the state of another search: {difference}"), ANEW));
        }
        let runs =
            (1..=index.runs).map(|number| read_run(folder, number)).collect::<anyhow::Result<Vec<Si>>>()?;
        let earlier = Earlier { statistics: index.statistics.into(), runs };
        // Whatever the runs are when they are made again, they are written again.
        Ok((State { folder: folder.to_path_buf(), index, written: (0, 0) }, Some(earlier)))
    }

    /// The number of a bug, and the run that first showed it.
    pub(super) fn number(&mut self, identity: &Identity, execution: u64) -> (usize, u64) {
        let identity = identity.to_string();
        let bugs = &mut self.index.bugs;
        let at = bugs.iter().position(|known| known.identity == identity).unwrap_or_else(|| {
            bugs.push(KnownBug { identity, execution });
            bugs.len() - 1
        });
        (at + 1, bugs[at].execution)
    }

    /// Writes what is new. The index comes last: what it speaks of is there.
    pub(super) fn save(&mut self, checkpoint: &Checkpoint<'_>) -> anyhow::Result<()> {
        let (generation, written) = self.written;
        let first = if generation == checkpoint.generation { written } else { 0 };
        for (n, run) in checkpoint.runs.iter().enumerate().skip(first) {
            let text = run.print()?;
            replace_file(&run_path(&self.folder, n + 1), |out| Ok(out.write_all(text.as_bytes())?))?;
        }
        self.written = (checkpoint.generation, checkpoint.runs.len());
        self.index.runs = checkpoint.runs.len();
        self.index.statistics = checkpoint.statistics.into();
        self.write_index()
    }

    fn write_index(&self) -> anyhow::Result<()> {
        JsonTarget::File(self.folder.join(INDEX)).write(&self.index)
    }
}

fn run_path(folder: &Path, number: usize) -> PathBuf {
    folder.join(format!("run-{number}.si.toml"))
}

fn read_run(folder: &Path, number: usize) -> anyhow::Result<Si> {
    let path = run_path(folder, number);
    let text = fs::read_to_string(&path).map_err(|error| cannot_read(&path, error));
    text.and_then(|text| Ok(Si::parse(&text)?)).map_err(|error| {
        advise(error, format!("the state in {} is damaged: {}", folder.display(), path.display()), ANEW)
    })
}

/// Makes the folder; one that has other things in it is left alone.
fn new_folder(folder: &Path) -> anyhow::Result<PathBuf> {
    let cannot = || format!("cannot make the folder {}", folder.display());
    fs::create_dir_all(folder).with_context(cannot)?;
    if fs::read_dir(folder).with_context(cannot)?.next().is_some() {
        let full = format!("{} has files, but not the state of a search", folder.display());
        return Err(advised(full, "name a folder that is empty or new"));
    }
    Ok(folder.to_path_buf())
}

impl Program {
    fn of(config: &ExploreConfig) -> anyhow::Result<Program> {
        let program = Subject::open(&config.program)?;
        let path = config.program.path();
        let path = fs::canonicalize(path).map_err(|error| cannot_read(path, error))?;
        let metadata = fs::metadata(&path).map_err(|error| cannot_read(&path, error))?;
        let changed = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        Ok(Program {
            arguments: config
                .program
                .arguments()
                .iter()
                .map(|word| word.to_string_lossy().into_owned())
                .collect(),
            build_id: program.build_id(),
            stamp: format!("{} bytes, {} ms", metadata.len(), changed.unwrap_or_default().as_millis()),
            path: path.display().to_string(),
        })
    }

    /// How another program differs from this one, if it does. One with the same build id may lie anywhere.
    fn differs(&self, other: &Program) -> Option<String> {
        let same_file = self.path == other.path && self.stamp == other.stamp;
        let same = if self.build_id.is_empty() { same_file } else { self.build_id == other.build_id };
        if !same {
            let build = |program: &Program| match program.build_id.as_str() {
                "" => program.stamp.clone(),
                id => format!("build id {id}"),
            };
            return Some(format!(
                "of {} ({}), not of {} ({})",
                other.path,
                build(other),
                self.path,
                build(self)
            ));
        }
        (self.arguments != other.arguments).then(|| {
            format!("with the arguments `{}`, not `{}`", other.arguments.join(" "), self.arguments.join(" "))
        })
    }
}

impl Options {
    fn of(config: &ExploreConfig) -> anyhow::Result<Options> {
        let word =
            |value: serde_json::Value| value.as_str().map(str::to_owned).unwrap_or_else(|| value.to_string());
        let symbolic = config.symbolic.iter().map(|source| Ok(word(serde_json::to_value(source)?)));
        Ok(Options {
            strategy: word(serde_json::to_value(config.strategy)?),
            model: config.model.name().to_owned(),
            symbolic: symbolic.collect::<anyhow::Result<_>>()?,
            fail_on_exit: config.fail_on_exit,
            max_events: config.bounds.events,
            seed: config.seed,
            repair: config.repair().to_vec(),
        })
    }

    /// The first option that another search had otherwise.
    fn differs(&self, other: &Options) -> Option<String> {
        let pairs = [
            ("--strategy", self.strategy.clone(), other.strategy.clone()),
            ("--model", self.model.clone(), other.model.clone()),
            ("--symbolic", self.symbolic.join(" "), other.symbolic.join(" ")),
            ("--fail-on-exit", self.fail_on_exit.to_string(), other.fail_on_exit.to_string()),
            ("--max-events", self.max_events.to_string(), other.max_events.to_string()),
            ("--seed", self.seed.to_string(), other.seed.to_string()),
        ];
        if self.repair != other.repair {
            let words = |rules: &[Rule]| if rules.is_empty() { "not given" } else { "another repair" };
            let (was, is) = (words(&other.repair), words(&self.repair));
            return Some(format!("--assume-repair was {was}, and is {is} now"));
        }
        let different = pairs.into_iter().find(|(_, own, other)| own != other);
        different.map(|(option, own, other)| format!("{option} was `{other}`, and is `{own}` now"))
    }
}

impl From<&Statistics> for Counters {
    fn from(statistics: &Statistics) -> Counters {
        let micros = |time: Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        Counters {
            executions: statistics.executions,
            repeated: statistics.repeated,
            resumed: statistics.resumed,
            replays: statistics.replays,
            queries: statistics.queries,
            sat: statistics.sat,
            unsat: statistics.unsat,
            unknown: statistics.unknown,
            running_us: micros(statistics.running),
            solving_us: micros(statistics.solving),
            encoding_us: micros(statistics.encoding),
        }
    }
}

impl From<Counters> for Statistics {
    fn from(counters: Counters) -> Statistics {
        Statistics {
            executions: counters.executions,
            repeated: counters.repeated,
            resumed: counters.resumed,
            replays: counters.replays,
            queries: counters.queries,
            sat: counters.sat,
            unsat: counters.unsat,
            unknown: counters.unknown,
            running: Duration::from_micros(counters.running_us),
            solving: Duration::from_micros(counters.solving_us),
            encoding: Duration::from_micros(counters.encoding_us),
        }
    }
}
