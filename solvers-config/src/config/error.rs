//! What can be wrong with configuration files.

use std::path::PathBuf;

use thiserror::Error;

/// Why the solvers' configuration could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// A file or folder could not be read.
    #[error("{} cannot be read: {reason}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// A file is not TOML, or holds a key or value that is not known.
    #[error("{}:{line}: {reason}; see solvers-config/README.md for the fields", path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
    /// A file for a new solver leaves something out.
    #[error(
        "the configuration of solver `{solver}` lacks `{key}`; see solvers-config/README.md for the fields"
    )]
    Missing {
        /// The solver.
        solver: String,
        /// The key, with its section.
        key: &'static str,
    },
    /// The parts of a file do not fit together.
    #[error("the configuration of solver `{solver}` contradicts itself: {reason}")]
    Contradiction {
        /// The solver.
        solver: String,
        /// What does not fit.
        reason: String,
    },
    /// A portfolio names a solver that has no file.
    #[error("portfolio `{portfolio}` names `{member}`, which is no configured solver; known are: {}", known.join(", "))]
    UnknownMember {
        /// The portfolio.
        portfolio: String,
        /// The name it uses.
        member: String,
        /// The solvers there are.
        known: Vec<String>,
    },
}
