//! What became of one trace: what a worker answers, and a line of the journal.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use warpath_analyzer::effect::Effect;

use super::super::analyze::Used;

/// How bad a finding is; the worst comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Class {
    /// The program fails: an assertion, a crash, memory used after it was given back.
    Crash,
    /// Threads wait for ever.
    Deadlock,
    /// A race, an interrupted pair of accesses or a wrong order, after which some branch goes the other way.
    RaceThatChangesABranch,
    /// One of which that is not known.
    Race,
}

impl Class {
    /// In words, for people.
    pub(super) fn name(self) -> &'static str {
        match self {
            Class::Crash => "crash",
            Class::Deadlock => "deadlock",
            Class::RaceThatChangesABranch => "race that changes a branch",
            Class::Race => "race",
        }
    }
}

/// How a finding is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub(super) enum Verdict {
    /// The recorded run ended so.
    Observed,
    /// Another schedule of the recorded run, or other inputs, lead there.
    Predicted,
}

impl Verdict {
    /// As reports write it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Verdict::Observed => "OBSERVED",
            Verdict::Predicted => "PREDICTED",
        }
    }
}

/// One of the events that a finding is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Part {
    #[serde(rename = "where")]
    pub(super) place: String,
    pub(super) thread: String,
    pub(super) role: String,
    /// What it does where: two findings with the same positions are one cause.
    pub(super) position: String,
}

/// A finding of one trace.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Seen {
    pub(super) verdict: Verdict,
    pub(super) class: Class,
    /// In one word: `data-race`.
    pub(super) kind: String,
    pub(super) storage: Option<String>,
    pub(super) message: String,
    pub(super) reason: String,
    pub(super) parts: Vec<Part>,
    /// What the race changes, if it is known to change something.
    pub(super) effect: Option<Effect>,
    pub(super) inputs: Map<String, Value>,
    /// Steps of its schedule: of two the shorter one is easier to understand.
    pub(super) steps: usize,
    /// Files, within `--out`.
    pub(super) si: String,
    pub(super) script: Option<String>,
}

/// A question without an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Open {
    pub(super) property: String,
    pub(super) question: String,
    pub(super) reason: String,
}

/// A trace that was analysed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Analysis {
    pub(super) program: String,
    pub(super) events: u64,
    pub(super) threads: usize,
    pub(super) windows: Option<Used>,
    /// What its reader should know: that it was cut, what it leaves out.
    pub(super) remarks: Vec<String>,
    pub(super) findings: Vec<Seen>,
    pub(super) unanswered: Vec<Open>,
}

/// What became of a trace.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "status")]
pub(super) enum Examined {
    /// It was analysed; some questions may have no answer.
    Analysed(Analysis),
    /// It is not a trace, or a damaged one.
    Unreadable {
        /// What is wrong with it.
        reason: String,
    },
    /// The analysis did not come to its end.
    Failed {
        /// Why.
        reason: String,
    },
}

impl Examined {
    /// Would more time or memory, or another attempt, be worth it?
    pub(super) fn is_definite(&self) -> bool {
        match self {
            Examined::Analysed(analysis) => analysis.unanswered.is_empty(),
            Examined::Unreadable { .. } => true,
            Examined::Failed { .. } => false,
        }
    }
}

/// What a worker answers.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Answer {
    /// The most memory that it had, in bytes.
    pub(super) peak: u64,
    pub(super) examined: Examined,
}

impl From<Examined> for Answer {
    fn from(examined: Examined) -> Answer {
        Answer { peak: 0, examined }
    }
}
