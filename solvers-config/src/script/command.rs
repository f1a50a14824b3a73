//! The commands of a script.

use crate::term::TermId;

/// One command. Symbols are resolved: `let`, `define-fun` and nested `:named` are gone, their terms
/// stand in their places.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Command {
    /// `(set-logic …)`
    SetLogic {
        /// The logic's name.
        name: String,
    },
    /// `(set-option :keyword value)`
    SetOption {
        /// The keyword, without its colon.
        keyword: String,
        /// The value as written; empty if there is none.
        value: String,
    },
    /// `(set-info :keyword value)`
    SetInfo {
        /// The keyword, without its colon.
        keyword: String,
        /// The value as written; empty if there is none.
        value: String,
    },
    /// `(declare-const …)`, also written `(declare-fun … () …)`. Needed only for constants that
    /// nothing else mentions, or to fix where a constant is declared.
    Declare {
        /// The constant.
        constant: TermId,
    },
    /// `(assert …)`
    Assert {
        /// What is asserted.
        term: TermId,
        /// The name by which an unsat core speaks of it.
        name: Option<String>,
    },
    /// `(assert-soft …)`
    AssertSoft {
        /// What should be true.
        term: TermId,
        /// What it costs if it is not.
        soft: Soft,
    },
    /// `(push n)`
    Push {
        /// How many levels.
        levels: u32,
    },
    /// `(pop n)`
    Pop {
        /// How many levels.
        levels: u32,
    },
    /// `(check-sat)`
    CheckSat,
    /// `(check-sat-assuming (…))`
    CheckSatAssuming {
        /// What is assumed for this check alone.
        literals: Vec<Literal>,
    },
    /// `(get-value (…))`
    GetValue {
        /// The terms whose values are wanted.
        terms: Vec<TermId>,
    },
    /// `(get-unsat-core)`
    GetUnsatCore,
    /// `(get-unsat-assumptions)`
    GetUnsatAssumptions,
    /// `(get-model)`
    GetModel,
    /// `(get-info :keyword)`
    GetInfo {
        /// The keyword, without its colon.
        keyword: String,
    },
    /// `(reset)`
    Reset,
    /// `(reset-assertions)`
    ResetAssertions,
    /// `(echo "…")`
    Echo {
        /// The text.
        text: String,
    },
    /// `(exit)`
    Exit,
}

/// A Boolean constant or its negation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Literal {
    /// The constant.
    pub constant: TermId,
    /// Whether the constant itself is assumed, or its negation.
    pub positive: bool,
}

/// The price of a soft assertion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Soft {
    /// What it costs if it is false.
    pub weight: u64,
    /// The objective it belongs to; assertions of one objective are added up.
    pub id: Option<String>,
}

impl Default for Soft {
    fn default() -> Self {
        Soft { weight: 1, id: None }
    }
}

impl Command {
    /// The terms that the command speaks of.
    pub fn terms(&self) -> Vec<TermId> {
        match self {
            Command::Declare { constant: term }
            | Command::Assert { term, .. }
            | Command::AssertSoft { term, .. } => vec![*term],
            Command::CheckSatAssuming { literals } => {
                literals.iter().map(|literal| literal.constant).collect()
            }
            Command::GetValue { terms } => terms.clone(),
            _ => Vec::new(),
        }
    }
}

/// The terms that `commands` speak of.
pub(super) fn roots(commands: &[Command]) -> Vec<TermId> {
    commands.iter().flat_map(Command::terms).collect()
}
