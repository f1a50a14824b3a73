//! Why a proof is not accepted.

use std::io;
use thiserror::Error;
use warpath_solvers::script::ScriptError;

/// What came in the way.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CheckError {
    /// The script cannot be read.
    #[error("the script cannot be read: {0}")]
    Script(#[from] ScriptError),
    /// The proof cannot be read.
    #[error("the proof cannot be read: {0}")]
    Proof(#[from] io::Error),
    /// The proof is not one, or of a version that is not known.
    #[error("the proof does not begin with the line `{expected}`")]
    Header {
        /// The line.
        expected: &'static str,
    },
    /// A line is no step.
    #[error("line {line} of the proof is no step: `{text}`")]
    Syntax {
        /// Counted from 1.
        line: u64,
        /// How it begins.
        text: String,
    },
    /// A step is wrong: the proof proves nothing.
    #[error("line {line} of the proof is wrong: {reason}")]
    Wrong {
        /// Counted from 1.
        line: u64,
        /// What is wrong.
        reason: Reason,
    },
}

/// What is wrong with a step.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
#[allow(missing_docs)] // The messages say it.
pub enum Reason {
    #[error("number {number} is not new")]
    NotNew { number: i64 },
    #[error("nothing introduced the variable of {literal}")]
    UnknownVar { literal: i64 },
    #[error("nothing introduced node {node}")]
    UnknownNode { node: i64 },
    #[error("the script has no declaration {number}")]
    NoConstant { number: usize },
    #[error("the script has no assertion {number}")]
    NoAssertion { number: usize },
    #[error("the script has no check {number}")]
    NoCheck { number: usize },
    #[error("the constant has been given a variable or node before")]
    KnownConstant,
    #[error("the constant has no such bit, or is no integer")]
    WrongSort,
    #[error("{var} is no activation variable")]
    NotFree { var: i64 },
    #[error("a definition is over the activation variable of {literal}")]
    OverFree { literal: i64 },
    #[error("an asserted clause has an activation variable that is not negated")]
    PositiveGuard,
    #[error("the clause is not implied by assertion {assertion}")]
    NotAsserted { assertion: usize },
    #[error("the formula cannot be checked: {why}")]
    Untranslatable { why: &'static str },
    #[error("the comparisons or equalities do not add up to a contradiction")]
    NoCircle,
    #[error("the clause does not follow by unit propagation")]
    NotImplied,
    #[error(
        "the clause has a literal that is no negated assumption of check {check} and no open activation variable"
    )]
    NotAssumed { check: usize },
    #[error("check {check} relies on assertion {assertion}, which does not stand there")]
    Dead { assertion: usize, check: usize },
}
