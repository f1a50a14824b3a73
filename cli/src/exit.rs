//! What the exit code says. Scripts and build servers rely on it, so there is one list and no other number.

use std::process::ExitCode;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// 0: nothing found; the work is done.
    Clean,
    /// 1: a bug was found, or is predicted.
    Found,
    /// 2: wrong usage, or something around us is missing or broken.
    Trouble,
    /// 3: no definite answer (a solver gave up, the run was interrupted).
    Unknown,
}

impl Exit {
    /// The number.
    pub(crate) fn code(self) -> u8 {
        match self {
            Exit::Clean => 0,
            Exit::Found => 1,
            Exit::Trouble => 2,
            Exit::Unknown => 3,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit.code())
    }
}
