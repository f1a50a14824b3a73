//! What can be wrong with a text trace, and where.

use std::io;

use crate::check::Inconsistency;
use crate::expr::ExprError;
use crate::tables::TableError;

/// A text that is not a trace: where, and what is wrong there.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {problem}")]
pub struct ParseError {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// What is wrong.
    pub problem: Problem,
}

/// What is wrong at a place of a text trace.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// Something else should be here.
    #[error("expected {expected}, found {found}")]
    Expected {
        /// What should be here.
        expected: String,
        /// What is here: a token between backquotes, or `the end of the line`.
        found: String,
    },
    /// A text of a later version of the form.
    #[error("this is version {found} of the text form; this program reads version {known}")]
    Version {
        /// The version named by the text.
        found: u128,
        /// The version that can be read.
        known: u128,
    },
    /// A name that nothing was given.
    #[error("there is no {what} `{name}`{hint}")]
    Unknown {
        /// What kind of thing was meant.
        what: &'static str,
        /// Its name as written.
        name: String,
        /// What to do about it.
        hint: String,
    },
    /// A name that several things have.
    #[error("more than one {what} is called `{name}`; write {instead} with its number instead")]
    Ambiguous {
        /// What kind of thing was meant.
        what: &'static str,
        /// Its name as written.
        name: String,
        /// How to refer to it by number.
        instead: &'static str,
    },
    /// A `$` name given twice.
    #[error("`${0}` has a meaning already; give this one another name")]
    NameTaken(
        /// The name, without `$`.
        String,
    ),
    /// A `$` name used as something it is not.
    #[error("`${name}` is {found}, but {wanted} is needed here")]
    WrongName {
        /// The name, without `$`.
        name: String,
        /// What it stands for.
        found: &'static str,
        /// What should be here.
        wanted: &'static str,
    },
    /// A value that does not fit.
    #[error("the value {value} does not fit {width} bits")]
    TooWide {
        /// The value as written.
        value: String,
        /// Bits that there are.
        width: u32,
    },
    /// A location that is too large or too small to be read or written.
    #[error("location `{name}` has {size} bytes; only 1 to 16 can be read or written at once")]
    NotAccessible {
        /// The location as written.
        name: String,
        /// Its size.
        size: u32,
    },
    /// An expression that does not make sense.
    #[error("{0}")]
    Expr(
        /// Why.
        ExprError,
    ),
    /// An expression of the wrong sort.
    #[error("this expression is {found}, but {wanted} is needed here")]
    Sort {
        /// What it is.
        found: String,
        /// What should be here.
        wanted: String,
    },
    /// A line that comes too late or too early.
    #[error("{what} {rule}")]
    Misplaced {
        /// The line's first word.
        what: String,
        /// Where it would be right.
        rule: &'static str,
    },
    /// A table entry that is not possible.
    #[error("{0}")]
    Table(
        /// Why.
        TableError,
    ),
    /// An event that does not fit the others.
    #[error("{0}")]
    Inconsistent(
        /// Why.
        Inconsistency,
    ),
}

/// Why a trace could not be written as text.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PrintError {
    /// The trace does not make sense, so no text would read back as it.
    #[error("the trace is inconsistent: {0}")]
    Inconsistent(#[from] Inconsistency),
    /// Writing failed.
    #[error("the text could not be written: {0}")]
    Io(#[from] io::Error),
}
