//! Why a term could not be built.

use super::op::{Arity, Op};
use super::sort::{MAX_WIDTH, Sort};
use super::store::TermId;
use thiserror::Error;

/// Why a term could not be built.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TermError {
    /// An operation was given too few or too many arguments.
    #[error("`{op}` takes {expected}, not {found}")]
    WrongArity {
        /// The operation.
        op: Op,
        /// What it takes.
        expected: Arity,
        /// What it was given.
        found: usize,
    },
    /// An argument has the wrong sort.
    #[error("argument {position} of `{op}` must be {expected}, but it is of sort {found}")]
    WrongSort {
        /// The operation.
        op: Op,
        /// Which argument, counted from 1.
        position: usize,
        /// What it should be.
        expected: ExpectedSort,
        /// What it is.
        found: Sort,
    },
    /// A bit-vector would be empty or too wide.
    #[error("a bit-vector of width {width} is not possible (1 to {MAX_WIDTH} bits are)")]
    WidthOutOfRange {
        /// The width.
        width: u64,
    },
    /// A literal does not fit its width.
    #[error("the value {value} does not fit into {width} bits")]
    ValueTooWide {
        /// The value.
        value: u128,
        /// The width.
        width: u32,
    },
    /// An extraction reaches outside its argument.
    #[error("cannot extract bits {high} down to {low} of a bit-vector of width {width}")]
    ExtractOutOfRange {
        /// Highest bit asked for.
        high: u16,
        /// Lowest bit asked for.
        low: u16,
        /// Width of the argument.
        width: u32,
    },
    /// One name, two sorts.
    #[error("the constant `{name}` has sort {declared} and cannot also have sort {requested}")]
    ConstantRedeclared {
        /// The name.
        name: String,
        /// Its sort.
        declared: Sort,
        /// The other sort.
        requested: Sort,
    },
    /// A term of another arena.
    #[error("term {id:?} does not belong to this arena")]
    UnknownTerm {
        /// The identifier.
        id: TermId,
    },
    /// The arena cannot number any more terms.
    #[error("more than {limit} terms in one arena")]
    Full {
        /// How many fit.
        limit: u32,
    },
}

/// What sort an argument should have had.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExpectedSort {
    /// This sort.
    Sort(Sort),
    /// A bit-vector of any width.
    AnyBits,
}

impl std::fmt::Display for ExpectedSort {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ExpectedSort::Sort(sort) => write!(f, "of sort {sort}"),
            ExpectedSort::AnyBits => f.write_str("a bit-vector"),
        }
    }
}
