//! Which solvers are on this machine.

use std::fmt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use thiserror::Error;

use crate::config::{Catalog, ConfigError, Places, SolverConfig, Version};
use crate::supervise::{self, SupervisorCommand, SupervisorError};

/// How long a program may take to say its version. Generous: a cold disk, a Python launcher.
const VERSION_PATIENCE: Duration = Duration::from_secs(5);

/// A solver that is here and new enough.
#[derive(Debug, Clone)]
pub struct FoundSolver {
    /// Its description.
    pub config: Arc<SolverConfig>,
    /// Its program.
    pub program: PathBuf,
    /// Arguments before those of its description: what makes a solver of a program that is more than one.
    pub lead: Vec<String>,
    /// Its version.
    pub version: Version,
    /// Where it was found.
    pub origin: Origin,
}

impl FoundSolver {
    /// With another limit of its address space.
    pub(crate) fn limit_memory(&mut self, memory_mb: u64) {
        let mut config = (*self.config).clone();
        config.limits.memory_mb = memory_mb;
        self.config = config.into();
    }
}

impl fmt::Display for FoundSolver {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} {}", self.config.name, self.version)
    }
}

/// Where a solver was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// It comes with us.
    Own,
    /// On the search path.
    Path,
    /// In the user's data folder, where `warpath solvers install` puts it.
    Installed,
}

/// A program of the right name, usable or not.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// The program.
    pub program: PathBuf,
    /// Arguments that make a solver of it.
    pub lead: Vec<String>,
    /// Where it was found.
    pub origin: Origin,
    /// Its version, or why it cannot be told.
    pub version: Result<Version, String>,
}

/// Why there is no such solver.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum FindError {
    /// No description has this name.
    #[error("no solver is called `{name}`; known are: {}", known.join(", "))]
    UnknownName {
        /// The name.
        name: String,
        /// All names.
        known: Vec<String>,
    },
    /// No program was found.
    #[error("solver {name} is not on PATH and not installed: run `warpath solvers install {name}`")]
    NotFound {
        /// The solver.
        name: String,
    },
    /// Programs were found, but none that can be used.
    #[error("solver {name} is here but cannot be used ({detail}): run `warpath solvers install {name}`")]
    Unusable {
        /// The solver.
        name: String,
        /// What is wrong with each program.
        detail: String,
    },
    /// No member of a portfolio is here.
    #[error("no member of portfolio {name} is here ({}): run `warpath solvers install NAME` for one of them", members.join(", "))]
    NoMember {
        /// The portfolio.
        name: String,
        /// Its members.
        members: Vec<String>,
    },
}

/// Why the solvers could not be looked for.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SetupError {
    /// The configuration is wrong.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// There is no supervisor.
    #[error(transparent)]
    Supervisor(#[from] SupervisorError),
}

/// The solvers of this machine: what is known of them, where they are, and who guards them.
#[derive(Debug, Clone)]
pub struct Solvers {
    catalog: Catalog,
    places: Places,
    supervisor: SupervisorCommand,
    own: Option<OwnSolver>,
}

impl OwnSolver {
    /// What its description calls it.
    pub const NAME: &'static str = "warpath";
    /// Name under which a program that is more than a solver is one.
    pub const SUBCOMMAND: &'static str = "smt";
    /// The option by which it guards itself, with the memory in MiB that it may use; see
    /// [`guard_itself`](crate::supervise::guard_itself).
    pub const GUARD_ITSELF: &'static str = "--guard-itself";

    /// The program of this version that answers as a solver when `smt` is its first argument.
    pub fn within(program: impl Into<PathBuf>, version: &str) -> Self {
        Self { program: program.into(), lead: vec![Self::SUBCOMMAND.to_owned()], version: version.to_owned() }
    }
}

/// How to start the solver that comes with us: a program and the arguments that make it one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnSolver {
    /// The program.
    pub program: PathBuf,
    /// Arguments before the solver's own.
    pub lead: Vec<String>,
    /// Its version.
    pub version: String,
}

impl Solvers {
    /// By the environment of this process.
    pub fn from_environment() -> Result<Self, SetupError> {
        Self::new(Places::from_environment(), SupervisorCommand::find()?)
    }

    /// By explicit places and supervisor.
    pub fn new(places: Places, supervisor: SupervisorCommand) -> Result<Self, SetupError> {
        Ok(Self { catalog: Catalog::load(&places)?, places, supervisor, own: None })
    }

    /// The same with the solver that comes with the program that we are part of.
    #[must_use]
    pub fn with_own(self, own: OwnSolver) -> Self {
        Self { own: Some(own), ..self }
    }

    /// The descriptions.
    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// Where things are.
    pub fn places(&self) -> &Places {
        &self.places
    }

    /// Who guards solver processes.
    pub fn supervisor(&self) -> &SupervisorCommand {
        &self.supervisor
    }

    /// The description of a solver.
    pub fn config(&self, name: &str) -> Result<&Arc<SolverConfig>, FindError> {
        self.catalog
            .solver(name)
            .ok_or_else(|| FindError::UnknownName { name: name.to_owned(), known: self.catalog.names() })
    }

    /// The newest usable program of a solver; of two equally new ones that on the search path.
    pub fn find(&self, name: &str) -> Result<FoundSolver, FindError> {
        let config = self.config(name)?;
        let candidates = self.candidates(config);
        let usable = candidates
            .iter()
            .filter_map(|candidate| Some((candidate, candidate.version.as_ref().ok()?)))
            .filter(|(_, version)| **version >= config.find.minimum)
            // The first of equal ones: `max_by` would take the last.
            .rev()
            .max_by(|(_, one), (_, other)| one.cmp(other));
        if let Some((candidate, version)) = usable {
            return Ok(FoundSolver {
                config: Arc::clone(config),
                program: candidate.program.clone(),
                lead: candidate.lead.clone(),
                version: version.clone(),
                origin: candidate.origin,
            });
        }
        if candidates.is_empty() {
            return Err(FindError::NotFound { name: name.to_owned() });
        }
        let details: Vec<String> = candidates
            .iter()
            .map(|Candidate { program, version, .. }| match version {
                Ok(version) => {
                    format!("{} has version {version}, needed is {}", program.display(), config.find.minimum)
                }
                Err(reason) => format!("{}: {reason}", program.display()),
            })
            .collect();
        Err(FindError::Unusable { name: name.to_owned(), detail: details.join("; ") })
    }

    /// The solver that comes with us, and no other program of its name.
    pub fn find_own(&self) -> Result<FoundSolver, FindError> {
        let missing = || FindError::NotFound { name: OwnSolver::NAME.to_owned() };
        let own = self.own.as_ref().ok_or_else(missing)?;
        let config = self.config(OwnSolver::NAME)?;
        let unusable = |detail| FindError::Unusable { name: config.name.clone(), detail };
        Ok(FoundSolver {
            config: Arc::clone(config),
            program: own.program.clone(),
            lead: own.lead.clone(),
            version: own.version.parse().map_err(unusable)?,
            origin: Origin::Own,
        })
    }

    /// All programs of a solver with their versions: our own first, then those of its names on the search path, then the
    /// installed one.
    pub fn candidates(&self, config: &SolverConfig) -> Vec<Candidate> {
        let on_path = self.places.path.iter().map(|folder| (folder.clone(), Origin::Path));
        let installed =
            self.places.installed(&config.name).map(|folder| (folder.join("bin"), Origin::Installed));
        let mut seen = Vec::new();
        let own = self.own.as_ref().filter(|_| config.find.own);
        let own = own.map(|OwnSolver { program, lead, version }| Candidate {
            program: program.clone(),
            lead: lead.clone(),
            origin: Origin::Own,
            version: version.parse(),
        });
        let mut candidates: Vec<Candidate> = own.into_iter().collect();
        for (folder, origin) in on_path.chain(installed) {
            for name in &config.find.names {
                let program = folder.join(name);
                if !is_executable(&program) {
                    continue;
                }
                // `/bin` and `/usr/bin` are often the same.
                let real = program.canonicalize().unwrap_or_else(|_| program.clone());
                if !seen.contains(&real) {
                    seen.push(real);
                    let version = self.version(config, &program);
                    candidates.push(Candidate { program, lead: Vec::new(), origin, version });
                }
            }
        }
        candidates
    }

    pub(crate) fn version(&self, config: &SolverConfig, program: &Path) -> Result<Version, String> {
        // Not whether it ended well, but what it printed decides.
        let printed =
            supervise::run_to_end(&self.supervisor, program, &config.find.version_args, VERSION_PATIENCE)
                .map_err(|error| format!("its version cannot be told: {error}"))?
                .text;
        Version::find(&printed, &config.find.version_after).ok_or_else(|| {
            let beginning: String = printed.trim().chars().take(80).collect();
            format!("its version cannot be read from `{beginning}`")
        })
    }
}

fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}
