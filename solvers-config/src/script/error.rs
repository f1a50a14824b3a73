//! Why a script could not be read or written.

use crate::smtlib::sexpr::Malformed;
use crate::term::{Sort, TermError};
use thiserror::Error;

/// A place in a text: line and column, both counted from 1, columns in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Location {
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
}

impl Location {
    /// The place of a byte offset in a text.
    pub(super) fn of(text: &[u8], offset: usize) -> Location {
        let before = &text[..offset.min(text.len())];
        let line_start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1);
        Location {
            line: 1 + before.iter().filter(|&&byte| byte == b'\n').count(),
            column: 1 + before.len() - line_start,
        }
    }
}

impl std::fmt::Display for Location {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

/// Why a text is not a script that Warpath can use. Errors inside a command name the place where
/// the command begins, unless the text itself is malformed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ScriptError {
    /// The file is larger than allowed.
    #[error("the script has {size} bytes, more than the {limit} allowed")]
    TooLarge {
        /// Its size.
        size: usize,
        /// The limit.
        limit: usize,
    },
    /// The text is not a sequence of s-expressions.
    #[error("{at}: {reason}")]
    Malformed {
        /// Where.
        at: Location,
        /// Why not.
        reason: Malformed,
    },
    /// Something other than a command stands between the commands.
    #[error("{at}: a command such as (assert …) is expected here")]
    NotACommand {
        /// Where.
        at: Location,
    },
    /// A command that Warpath does not know, or not in this form.
    #[error("{at}: the command `{command}` is not supported; {help}")]
    UnsupportedCommand {
        /// Where.
        at: Location,
        /// Its name.
        command: String,
        /// What to do instead.
        help: &'static str,
    },
    /// A literal or a number with absurdly many digits.
    #[error("{at}: this literal has {length} characters, more than the {limit} allowed")]
    LiteralTooLong {
        /// Where.
        at: Location,
        /// Its length.
        length: usize,
        /// The limit.
        limit: usize,
    },
    /// A numeral beyond what can be represented here.
    #[error("{at}: the number {text} is out of range here")]
    NumberOutOfRange {
        /// Where.
        at: Location,
        /// The number, shortened.
        text: String,
    },
    /// The grammar of SMT-LIB is violated.
    #[error("{at}: {message}")]
    Syntax {
        /// Where; the place behind the offending word.
        at: Location,
        /// What the parser says.
        message: String,
    },
    /// The parser failed in a way that is its own fault.
    #[error("{at}: the SMT-LIB parser failed on this command (a defect of Warpath; please report it)")]
    ParserFailed {
        /// Where the command begins.
        at: Location,
    },
    /// A part of the language outside the fragment.
    #[error("{at}: {what} is not supported (terms of Bool, Int and BitVec without quantifiers are)")]
    UnsupportedTerm {
        /// Where.
        at: Location,
        /// What it is.
        what: String,
    },
    /// A symbol that nothing declared.
    #[error("{at}: the symbol `{symbol}` is not declared")]
    UnknownSymbol {
        /// Where.
        at: Location,
        /// The symbol.
        symbol: String,
    },
    /// A symbol that means something already.
    #[error("{at}: the symbol `{symbol}` is already declared")]
    AlreadyDeclared {
        /// Where.
        at: Location,
        /// The symbol.
        symbol: String,
    },
    /// A term that no sort fits.
    #[error("{at}: {source}")]
    Term {
        /// Where.
        at: Location,
        /// Why.
        source: TermError,
    },
    /// A term of the wrong sort for its place.
    #[error("{at}: a term of sort {expected} is expected, this one is of sort {found}")]
    WrongSort {
        /// Where.
        at: Location,
        /// What is expected.
        expected: Sort,
        /// What it is.
        found: Sort,
    },
    /// A function applied to the wrong number of arguments.
    #[error("{at}: `{symbol}` takes {expected} arguments, not {found}")]
    WrongArity {
        /// Where.
        at: Location,
        /// The function.
        symbol: String,
        /// How many it takes.
        expected: usize,
        /// How many it was given.
        found: usize,
    },
    /// More levels popped than pushed, or absurdly many pushed.
    #[error("{at}: {levels} levels cannot be pushed or popped here ({open} are open)")]
    BadLevels {
        /// Where.
        at: Location,
        /// How many were asked for.
        levels: u64,
        /// How many are open.
        open: usize,
    },
    /// Expanding functions takes more work than allowed.
    #[error("{at}: expanding the functions of this script takes more than {limit} steps")]
    TooMuchWork {
        /// Where.
        at: Location,
        /// The limit.
        limit: u64,
    },
}

/// Why a script could not be written.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum EmitError {
    /// Two things of one name: two assertions, or an assertion and a constant.
    #[error("the name `{name}` stands for more than one assertion or constant; names must differ")]
    DuplicateName {
        /// The name.
        name: String,
    },
    /// An assertion or a soft assertion that is not Boolean, or an assumption that is not a Boolean
    /// constant.
    #[error("`{term}` of sort {sort} cannot be {role}")]
    NotBoolean {
        /// The term, shortened.
        term: String,
        /// Its sort.
        sort: Sort,
        /// What it should have been.
        role: &'static str,
    },
    /// A keyword, logic name or option value that would break the syntax of the file.
    #[error("`{text}` cannot be written as {role}")]
    Unwritable {
        /// The text.
        text: String,
        /// What it should have been.
        role: &'static str,
    },
    /// More levels popped than pushed.
    #[error("the script pops {levels} levels where only {open} are open")]
    BadLevels {
        /// How many are popped.
        levels: u32,
        /// How many are open.
        open: usize,
    },
}
