//! What is wrong with a command, and where.

use std::fmt;
use thiserror::Error;
use warpath_solvers::term::{Sort, TermError};

/// A place in the input, counted from 1; columns count bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) line: u32,
    pub(crate) column: u32,
}

/// A complaint and its place. Boxed inside, so that results stay small on the way of every token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault(Box<(Place, Complaint)>);

impl Fault {
    pub(crate) fn new(at: Place, complaint: Complaint) -> Self {
        Fault(Box::new((at, complaint)))
    }

    pub(crate) fn complaint(&self) -> &Complaint {
        &self.0.1
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (at, complaint) = &*self.0;
        write!(f, "line {} column {}: {complaint}", at.line, at.column)
    }
}

/// Lets a complaint be put to its place.
pub(crate) trait At<T> {
    fn at(self, at: Place) -> Result<T, Fault>;
}

impl<T, E: Into<Complaint>> At<T> for Result<T, E> {
    fn at(self, at: Place) -> Result<T, Fault> {
        self.map_err(|error| Fault::new(at, error.into()))
    }
}

/// Why a command was not carried out.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(crate) enum Complaint {
    #[error("closing parenthesis without an opening one")]
    UnexpectedClose,
    #[error("byte 0x{byte:02x} is not allowed outside strings, |quoted symbols| and comments")]
    InvalidByte { byte: u8 },
    #[error("`{word}` is neither a symbol nor a literal")]
    NotAWord { word: String },
    #[error("a symbol is not UTF-8 text")]
    NotUtf8,
    #[error("the input ends inside a {kind}")]
    Unfinished { kind: &'static str },
    #[error("more than {limit} parentheses are open")]
    TooDeep { limit: usize },
    #[error("longer than {limit} bytes")]
    TooLong { limit: usize },
    #[error("the input cannot be read: {reason}")]
    Unreadable { reason: String },
    #[error("expected {expected}, found `{found}`")]
    Expected { expected: &'static str, found: String },
    #[error("`{symbol}` is not declared")]
    Unknown { symbol: String },
    #[error("`{symbol}` already has a meaning")]
    Redeclared { symbol: String },
    #[error("`{symbol}` has {expected} parameters, but {found} arguments are given")]
    WrongArity { symbol: String, expected: usize, found: usize },
    #[error("expected sort {expected}, found sort {found}")]
    WrongSort { expected: Sort, found: Sort },
    #[error(transparent)]
    Term(#[from] TermError),
    #[error("the number {number} is too large here")]
    TooLarge { number: String },
    #[error("{what} not supported")]
    Unsupported { what: String },
    #[error("{what}")]
    Engine { what: String },
    #[error("definitions expand to more than {limit} steps")]
    TooMuchWork { limit: u64 },
    #[error("there are {open} levels to pop, not {asked}")]
    NotSoManyLevels { open: usize, asked: String },
    #[error("{what}")]
    OutOfTurn { what: &'static str },
    #[error("internal error: {what}")]
    Internal { what: String },
}

impl Complaint {
    pub(crate) fn unsupported(what: impl Into<String>) -> Self {
        Complaint::Unsupported { what: what.into() }
    }
}

/// Keeps messages short whatever was typed.
pub(crate) fn shorten(text: &str) -> String {
    const KEEP: usize = 60;
    match text.char_indices().nth(KEEP) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}
