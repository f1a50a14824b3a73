//! The supervisor's command line, written and read in one place.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use thiserror::Error;

use super::stage::Stage;

const STAGE: &str = "exec-stage";
const GUARD: &str = "guard";
const PROBE: &str = "probe";

/// What a supervisor is asked to guard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Guard {
    /// Limit of the solver's address space in MiB; 0 for none.
    pub(crate) memory_mb: u64,
    /// Largest answer in bytes.
    pub(crate) answer_limit: usize,
    /// The solver and its arguments.
    pub(crate) command: Vec<OsString>,
}

impl Guard {
    /// The arguments that make a supervisor take this role.
    pub(crate) fn arguments(&self) -> Vec<OsString> {
        let mut arguments: Vec<OsString> =
            vec![GUARD.into(), self.memory_mb.to_string().into(), self.answer_limit.to_string().into()];
        arguments.extend(self.command.iter().cloned());
        arguments
    }
}

/// A program to be run for what it prints.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Probe {
    pub(crate) allowed: Duration,
    /// The program and its arguments.
    pub(crate) command: Vec<OsString>,
}

impl Probe {
    /// The arguments that make a supervisor take this role.
    pub(crate) fn arguments(&self) -> Vec<OsString> {
        // The second number is not used; all roles read the same way.
        let mut arguments: Vec<OsString> =
            vec![PROBE.into(), self.allowed.as_millis().to_string().into(), "0".into()];
        arguments.extend(self.command.iter().cloned());
        arguments
    }
}

/// The arguments for the exec stage of this process.
pub(crate) fn stage_arguments(memory_mb: u64, command: &[OsString]) -> Vec<OsString> {
    let mut arguments: Vec<OsString> =
        vec![STAGE.into(), std::process::id().to_string().into(), memory_mb.to_string().into()];
    arguments.extend(command.iter().cloned());
    arguments
}

/// What a supervisor's process can be.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Guard(Guard),
    Probe(Probe),
    Stage(Stage),
}

impl Role {
    pub(crate) fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Self, SupervisorError> {
        let mut arguments = arguments.into_iter();
        let mut word =
            || arguments.next().and_then(|word| word.into_string().ok()).ok_or(SupervisorError::Usage);
        let (role, first, second) = (word()?, word()?, word()?);
        let command: Vec<OsString> = arguments.collect();
        if command.is_empty() {
            return Err(SupervisorError::Usage);
        }
        let number = |text: &str| text.parse::<u64>().map_err(|_| SupervisorError::Usage);
        match role.as_str() {
            GUARD => Ok(Self::Guard(Guard {
                memory_mb: number(&first)?,
                answer_limit: usize::try_from(number(&second)?).map_err(|_| SupervisorError::Usage)?,
                command,
            })),
            PROBE => Ok(Self::Probe(Probe { allowed: Duration::from_millis(number(&first)?), command })),
            STAGE => Ok(Self::Stage(Stage {
                parent: first.parse().map_err(|_| SupervisorError::Usage)?,
                memory_mb: number(&second)?,
                command,
            })),
            _ => Err(SupervisorError::Usage),
        }
    }
}

/// How to start a supervisor: a program and the arguments that make it one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SupervisorCommand {
    /// The program.
    pub program: PathBuf,
    /// Arguments before the supervisor's own.
    pub lead: Vec<OsString>,
}

impl SupervisorCommand {
    /// Name of the stand-alone program.
    pub const PROGRAM: &'static str = "warpath-supervise";
    /// Hidden subcommand by which the `warpath` command serves as a supervisor.
    pub const SUBCOMMAND: &'static str = "__supervise";

    /// A stand-alone supervisor at this path.
    pub fn at(program: impl Into<PathBuf>) -> Self {
        Self { program: program.into(), lead: Vec::new() }
    }

    /// The usual one: the running program if that is `warpath`, else `warpath-supervise` beside it or, for test
    /// programs, one folder above it.
    pub fn find() -> Result<Self, SupervisorError> {
        let own = std::env::current_exe()
            .map_err(|error| SupervisorError::NoOwnPath { reason: error.to_string() })?;
        if own.file_stem().is_some_and(|name| name == "warpath") {
            return Ok(Self { program: own, lead: vec![Self::SUBCOMMAND.into()] });
        }
        let folder = own.parent().unwrap_or(Path::new("."));
        [Some(folder), folder.parent()]
            .into_iter()
            .flatten()
            .map(|folder| folder.join(Self::PROGRAM))
            .find(|path| path.is_file())
            .map(Self::at)
            .ok_or_else(|| SupervisorError::NotFound { folder: folder.to_owned() })
    }
}

/// Why there is no supervisor.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SupervisorError {
    /// The supervisor was started by hand, or by a program of another version.
    #[error("this program guards solvers for warpath and is not for use by hand (see `warpath solvers`)")]
    Usage,
    /// The operating system does not say where the running program is.
    #[error("the path of the running program is unknown ({reason}): name the supervisor explicitly")]
    NoOwnPath {
        /// What the system said.
        reason: String,
    },
    /// Neither `warpath` itself nor the stand-alone supervisor is there.
    #[error("`warpath-supervise` is not in {}: install it beside the program that uses it", folder.display())]
    NotFound {
        /// Where it was looked for.
        folder: PathBuf,
    },
    /// A path that cannot be handed on to the supervisor.
    #[error("the path {} is not UTF-8 text, which the solver dialogue needs: move the program", path.display())]
    NotText {
        /// The path.
        path: PathBuf,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let guard =
            Guard { memory_mb: 7, answer_limit: 99, command: vec!["z3".into(), "-in".into(), "--".into()] };
        assert_eq!(Role::parse(guard.arguments()).unwrap(), Role::Guard(guard.clone()));
        let probe = Probe { allowed: Duration::from_millis(30), command: guard.command.clone() };
        assert_eq!(Role::parse(probe.arguments()).unwrap(), Role::Probe(probe));
        let parent = i32::try_from(std::process::id()).unwrap();
        let stage = Stage { parent, memory_mb: 7, command: guard.command.clone() };
        assert_eq!(Role::parse(stage_arguments(7, &guard.command)).unwrap(), Role::Stage(stage));
    }

    #[test]
    fn anything_else_is_refused() {
        for arguments in [
            vec![],
            vec!["guard", "1"],
            vec!["guard", "1", "2"],
            vec!["guard", "x", "2", "z3"],
            vec!["go", "1", "2", "z3"],
        ] {
            let arguments = arguments.into_iter().map(OsString::from);
            assert_eq!(Role::parse(arguments), Err(SupervisorError::Usage));
        }
    }
}
