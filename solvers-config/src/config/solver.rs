//! What we know of a solver: how to find it, how to talk to it, what it can do.

use std::time::Duration;

use serde::Deserialize;

use super::error::ConfigError;
use super::file::{InstallFile, LogicFile, SolverFile};
use super::version::Version;

/// The complete description of one solver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SolverConfig {
    /// The name users call it by.
    pub name: String,
    /// One line about it.
    pub summary: String,
    /// How to find its program.
    pub find: Find,
    /// How to run it for a dialogue.
    pub run: Run,
    /// Which logic to name for which kind of formula.
    pub logic: Logics,
    /// What it can do.
    pub abilities: Abilities,
    /// What it may use up unless the caller says otherwise.
    pub limits: Limits,
    /// Which encoding of executions it likes best.
    pub encoding: Encoding,
    /// How to get it.
    pub install: Option<Install>,
}

/// How to find a solver's program and tell its version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Find {
    /// It comes with us: what [`Solvers::with_own`](crate::Solvers::with_own) names is one of its programs.
    pub own: bool,
    /// File names of the program, the preferred one first.
    pub names: Vec<String>,
    /// Arguments that make it print its version.
    pub version_args: Vec<String>,
    /// Text that precedes the version number.
    pub version_after: String,
    /// Oldest version that works.
    pub minimum: Version,
}

/// How to run a solver for a dialogue over its standard input and output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// Arguments.
    pub args: Vec<String>,
    /// The first question.
    pub greeting: Greeting,
    /// Options to set at the beginning: name with its colon, and value.
    pub options: Vec<[String; 2]>,
    /// Options to set as well when reasons for `unsat` will be asked for.
    pub core_options: Vec<[String; 2]>,
}

/// The first question to a new process, which shows that it listens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Greeting {
    /// `(get-info :name)`
    GetInfo,
    /// `(echo "…")`
    Echo,
}

/// The name of the logic to set, by what the formula holds; `None` where the solver cannot do that.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Logics {
    /// Differences of two integers compared with a constant.
    pub difference: Option<String>,
    /// Linear integer arithmetic.
    pub linear: Option<String>,
    /// Products of integers.
    pub nonlinear: Option<String>,
    /// Bit-vectors, and Booleans alone.
    pub bits: Option<String>,
    /// Integers and bit-vectors together.
    pub mixed: Option<String>,
}

/// What a solver can do beyond one `check-sat` per run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Abilities {
    /// `push`, `pop` and several checks in one run.
    pub incremental: bool,
    /// `check-sat-assuming`.
    pub assumptions: bool,
    /// Reasons for `unsat`.
    pub cores: Cores,
    /// Soft constraints.
    pub soft: Soft,
}

/// How a solver gives reasons for `unsat`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cores {
    /// `get-unsat-core` for named assertions and `get-unsat-assumptions`, both in one run.
    Named,
    /// `get-unsat-assumptions` only: named assertions are put behind assumptions.
    Assumptions,
    /// Not at all.
    None,
}

/// Who optimises soft constraints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Soft {
    /// The solver, by `assert-soft`.
    Native,
    /// We, by asking several times.
    Search,
}

/// Default limits of one query and its process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Time for one query.
    pub timeout: Duration,
    /// Address space of the process in MiB; 0 for no limit.
    pub memory_mb: u64,
}

/// The encoding of executions a solver handles best; see `docs/benchmarks.md`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Encoding {
    /// How the order of events is written.
    pub order: OrderEncoding,
    /// How values of the program are written.
    pub values: ValueEncoding,
    /// Up to how many comparisons of events it is told what follows for one from another. Without, for any number.
    pub lemmas_up_to: Option<usize>,
    /// From how many events on it is told of locks and reads as families (`orders.apart`, `orders.latest`), which only
    /// our own solver knows. Without, never.
    pub families_from: Option<usize>,
    /// From how many events on it is told in which range what a read finds is. Without, never.
    pub ranges_from: Option<usize>,
}

/// How the order of events is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OrderEncoding {
    /// One integer per event.
    Int,
    /// One bit-vector per event.
    Bits,
    /// One Boolean per pair of events.
    Pairs,
}

/// How values of the program are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ValueEncoding {
    /// Integers, where that is exact.
    Int,
    /// Bit-vectors.
    Bits,
}

/// How to get a solver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Install {
    /// Package of the Python package index.
    pub package: Option<String>,
    /// Script that makes a program out of a package holding only a library: one of ours by name, or a path.
    pub launcher: Option<String>,
    /// Name of the program.
    pub executable: String,
    /// Package of Debian and its descendants.
    pub debian: Option<String>,
}

impl SolverConfig {
    /// Completes a file; what is missing is named.
    pub(crate) fn from_file(file: SolverFile) -> Result<Self, ConfigError> {
        let name = file.name.clone();
        let missing = |key: &'static str| ConfigError::Missing { solver: name.clone(), key };
        let abilities = file.abilities;
        let config = Self {
            summary: file.summary.unwrap_or_else(|| file.name.clone()),
            find: Find {
                own: file.find.own.unwrap_or(false),
                names: file
                    .find
                    .names
                    .filter(|names| !names.is_empty())
                    .ok_or_else(|| missing("find.names"))?,
                version_args: file.find.version_args.ok_or_else(|| missing("find.version_args"))?,
                version_after: file.find.version_after.unwrap_or_default(),
                minimum: file.find.minimum.ok_or_else(|| missing("find.minimum"))?,
            },
            run: Run {
                args: file.run.args.ok_or_else(|| missing("run.args"))?,
                greeting: file.run.greeting.unwrap_or(Greeting::GetInfo),
                options: file.run.options.unwrap_or_default(),
                core_options: file.run.core_options.unwrap_or_default(),
            },
            logic: Logics::from_file(file.logic),
            abilities: Abilities {
                incremental: abilities.incremental.ok_or_else(|| missing("abilities.incremental"))?,
                assumptions: abilities.assumptions.ok_or_else(|| missing("abilities.assumptions"))?,
                cores: abilities.cores.ok_or_else(|| missing("abilities.cores"))?,
                soft: abilities.soft.unwrap_or(Soft::Search),
            },
            limits: Limits {
                timeout: Duration::from_millis(
                    file.limits.timeout_ms.ok_or_else(|| missing("limits.timeout_ms"))?,
                ),
                memory_mb: file.limits.memory_mb.ok_or_else(|| missing("limits.memory_mb"))?,
            },
            encoding: Encoding {
                order: file.encoding.order.ok_or_else(|| missing("encoding.order"))?,
                values: file.encoding.values.ok_or_else(|| missing("encoding.values"))?,
                lemmas_up_to: file.encoding.lemmas_up_to,
                ranges_from: file.encoding.ranges_from,
                families_from: file.encoding.families_from,
            },
            install: file.install.map(Install::from_file),
            name: file.name,
        };
        config.check()
    }

    fn check(self) -> Result<Self, ConfigError> {
        let wrong = |reason: &str| {
            Err(ConfigError::Contradiction { solver: self.name.clone(), reason: reason.to_owned() })
        };
        let plain =
            |name: &str| !name.is_empty() && !name.contains(['/', '\0']) && name != "." && name != "..";
        if !plain(&self.name) || !self.find.names.iter().all(|name| plain(name)) {
            return wrong("names are file names without folders");
        }
        if self.abilities.cores == Cores::Assumptions && !self.abilities.assumptions {
            return wrong("cores = \"assumptions\" needs assumptions = true");
        }
        if self.logic == Logics::default() {
            return wrong("[logic] names no logic at all");
        }
        if !self.run.options.iter().chain(&self.run.core_options).all(|[name, _]| name.starts_with(':')) {
            return wrong("the names of options begin with a colon");
        }
        Ok(self)
    }
}

impl Logics {
    fn from_file(file: LogicFile) -> Self {
        let LogicFile { difference, linear, nonlinear, bits, mixed } = file;
        Self { difference, linear, nonlinear, bits, mixed }
    }
}

impl Install {
    fn from_file(file: InstallFile) -> Self {
        let InstallFile { package, launcher, executable, debian } = file;
        Self { package, launcher, executable, debian }
    }
}
