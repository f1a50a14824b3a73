//! What comes of a query.

use std::time::Duration;

use crate::supervise::{Ending, Failure};
use crate::term::{Model, TermId};

/// The result of one query. Only the first two are facts.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// There is a model; it was evaluated against every live assertion and assumption.
    Sat(Model),
    /// There is none.
    Unsat {
        /// A part of the assertions and assumptions that is enough, if it was asked for and the solver gives one.
        core: Option<Core>,
    },
    /// Nobody knows.
    Unknown(Reason),
}

impl Answer {
    /// Whether the answer is a fact.
    pub fn is_definite(&self) -> bool {
        !matches!(self, Self::Unknown(_))
    }

    /// `sat`, `unsat` or `unknown`.
    pub fn verdict(&self) -> &'static str {
        match self {
            Self::Sat(_) => "sat",
            Self::Unsat { .. } => "unsat",
            Self::Unknown(_) => "unknown",
        }
    }

    /// The model, if there is one.
    pub fn model(&self) -> Option<&Model> {
        match self {
            Self::Sat(model) => Some(model),
            _ => None,
        }
    }
}

/// A reason for `unsat`: with the unnamed assertions, these suffice.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Core {
    /// Names of assertions.
    pub names: Vec<String>,
    /// Assumptions of the query.
    pub assumptions: Vec<TermId>,
}

/// Why a query has no definite answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Reason {
    /// The deadline came first.
    #[error("no answer within {} ms", allowed.as_millis())]
    Timeout {
        /// The time that was allowed.
        allowed: Duration,
    },
    /// The solver ran out of memory.
    #[error("out of memory at a limit of {limit_mb} MiB ({evidence})")]
    Memory {
        /// The limit; 0 for none.
        limit_mb: u64,
        /// What points to it.
        evidence: String,
    },
    /// The solver ended by itself.
    #[error("the solver {ending}{}", tail(stderr_tail))]
    Crash {
        /// How.
        ending: Ending,
        /// The end of its standard error.
        stderr_tail: String,
    },
    /// The solver's answer cannot be understood.
    #[error("the answer is malformed: {reason}; it begins `{excerpt}`")]
    Malformed {
        /// What is wrong.
        reason: String,
        /// How the answer begins.
        excerpt: String,
    },
    /// The solver answered with an error.
    #[error("the solver says: {message}")]
    SolverError {
        /// Its words.
        message: String,
    },
    /// The solver cannot do what is asked.
    #[error("{what}")]
    Unsupported {
        /// What it cannot do.
        what: String,
    },
    /// The solver answered `unknown`.
    #[error("the solver answers `unknown`")]
    SolverSaidUnknown,
    /// The solver's model does not satisfy the formula.
    #[error("the solver's model is wrong: {detail}")]
    WrongModel {
        /// Which assertion it violates, or why it cannot be checked.
        detail: String,
    },
    /// Two solvers contradict each other.
    #[error("the solvers contradict each other: {} answers {}, {} answers {}", first.0, first.1, second.0, second.1)]
    Disagreement {
        /// A solver and its answer.
        first: (String, String),
        /// The other solver and its answer.
        second: (String, String),
    },
    /// The query was cancelled.
    #[error("interrupted")]
    Interrupted,
    /// The solver could not be started.
    #[error("the solver cannot be started: {reason}")]
    CannotStart {
        /// Why.
        reason: String,
    },
    /// Several solvers were asked and none knew.
    #[error("{}", each(reasons))]
    NoneKnew {
        /// Each solver and its reason.
        reasons: Vec<(String, Reason)>,
    },
}

fn tail(stderr: &str) -> String {
    match stderr.trim() {
        "" => String::new(),
        text => format!("; its last words: {text}"),
    }
}

fn each(reasons: &[(String, Reason)]) -> String {
    let parts: Vec<String> = reasons.iter().map(|(name, reason)| format!("{name}: {reason}")).collect();
    parts.join("; ")
}

impl From<Failure> for Reason {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Timeout { allowed_ms } => Self::Timeout { allowed: Duration::from_millis(allowed_ms) },
            Failure::Memory { limit_mb, evidence } => Self::Memory { limit_mb, evidence },
            Failure::Crash { ending, stderr_tail } => Self::Crash { ending, stderr_tail },
            Failure::Malformed { reason, excerpt } => Self::Malformed { reason, excerpt },
            Failure::SolverError { message } => Self::SolverError { message },
            Failure::Interrupted => Self::Interrupted,
            Failure::CannotStart { reason } => Self::CannotStart { reason },
        }
    }
}
