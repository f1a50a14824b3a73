//! Why a program could not be run, or its run could not be understood.

use std::path::PathBuf;

use crate::lift::{CheckError, LiftError};
use crate::stream::StreamError;

/// A run that could not be started or carried on. Failures of the program itself are results, not errors.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JvmError {
    /// There is no such command.
    #[error("there is no `{0}`, here or in PATH")]
    Java(String),
    /// Nothing to run.
    #[error("the command is empty; write it as for a shell: `java -cp classes Main`")]
    Empty,
    /// The agent was not built.
    #[error(
        "the agent is not at `{}`; build it with `mvn -q package` in tracers/jvm/agent, or name it in WARPATH_JVM_AGENT",
        .0.display()
    )]
    Agent(PathBuf),
    /// A file that is needed cannot be read or written.
    #[error("`{}`: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        error: std::io::Error,
    },
    /// The JVM could not be started.
    #[error("`{command}` cannot be started: {error}")]
    Start {
        /// The command.
        command: String,
        /// What is wrong.
        error: std::io::Error,
    },
    /// The JVM ended before the agent said how the program did.
    #[error("the JVM ended ({status}) before the program did{said}")]
    Died {
        /// How.
        status: String,
        /// The end of what it said on standard error, if that was kept.
        said: String,
    },
    /// What the agent wrote makes no sense.
    #[error(transparent)]
    Stream(#[from] StreamError),
    /// The trace could not be made.
    #[error(transparent)]
    Lift(#[from] LiftError),
    /// An expression and the concrete value disagree: a fault of the adapter.
    #[error("{0}; this is a fault of Warpath, please report it with the program")]
    Check(#[from] CheckError),
}
