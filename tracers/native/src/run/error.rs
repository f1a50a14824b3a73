//! Why a program could not be run, or its run could not be carried on.

use std::path::PathBuf;

use warpath_trace::repair::Region;
use warpath_trace::tables::TableError;

use crate::process::ProcessError;

/// A run that could not be started or carried on. Failures of the program itself are results, not errors.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The native process failed.
    #[error(transparent)]
    Process(#[from] ProcessError),
    /// The executable is not one that can be traced.
    #[error("`{}` cannot be traced: {reason}", program.display())]
    Program {
        /// The file.
        program: PathBuf,
        /// Why.
        reason: String,
    },
    /// What the program is to be given has no place.
    #[error("the program cannot be given its recorded input: {0}")]
    Given(#[source] std::io::Error),
    /// The trace's tables are full.
    #[error("the trace cannot hold more: {0}")]
    Table(#[from] TableError),
    /// An expression that makes no sense: a fault of the tracer.
    #[error(
        "the tracer built a wrong expression ({0}); this is a fault of Warpath, please report it with the program"
    )]
    Expression(#[from] warpath_trace::expr::ExprError),
    /// The interpreter and the hardware disagree: a fault of the tracer.
    #[error(
        "the interpreter and the hardware disagree at {place}: {difference}; this is a fault of Warpath, please report it"
    )]
    Verify {
        /// The instruction.
        place: String,
        /// What differs.
        difference: String,
    },
    /// An expression and the concrete value disagree: a fault of the tracer.
    #[error(
        "an expression has another value than the program at {place}: {difference}; this is a fault of Warpath, please report it"
    )]
    Check {
        /// The instruction.
        place: String,
        /// What differs.
        difference: String,
    },
    /// A repair about lines of a program of whose lines nothing is known.
    #[error("`{}` has no debug information: where the lines of the repair are in it cannot be told", program.display())]
    NoLines {
        /// The file.
        program: PathBuf,
    },
    /// A repair about a line that is not in the program.
    #[error(
        "{region}{} does not occur in the line table of `{}`",
        match region.function.as_str() { "" => String::new(), function => format!(" in `{function}`") },
        program.display()
    )]
    NoSuchLine {
        /// The lines.
        region: Box<Region>,
        /// The file.
        program: PathBuf,
    },
    /// Too many threads.
    #[error("the program started more than {0} threads")]
    Threads(usize),
}
