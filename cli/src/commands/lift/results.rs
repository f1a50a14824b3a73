//! What a lift came to, for people and for JSON.

use std::collections::BTreeMap;

use serde::Serialize;
use warpath_native::run::Guided;

use super::target::Recorded;
use crate::runs::Ended;

/// What a lift came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Verdict {
    /// A run along the recorded synchronisation ended as the recorded one did.
    Lifted,
    /// Another schedule was found that does.
    Searched,
    /// None was found.
    Unknown,
}

/// `warpath.lift/1`.
#[derive(Debug, Serialize)]
pub(super) struct Results<'a> {
    pub(super) format: &'static str,
    pub(super) light: String,
    pub(super) program: String,
    pub(super) arguments: Vec<String>,
    pub(super) trace: String,
    pub(super) si: Option<String>,
    pub(super) verdict: Verdict,
    pub(super) reasons: &'a [String],
    pub(super) recorded: Recorded,
    /// What the program was given of what was recorded.
    pub(super) given: Vec<GivenReport>,
    /// Runs along the recorded synchronisation.
    pub(super) attempts: u64,
    /// Runs of the search.
    pub(super) executions: u64,
    #[serde(flatten)]
    pub(super) along: Along,
    #[serde(flatten)]
    pub(super) ended: &'a Ended,
    pub(super) time_ms: u64,
}

/// An input that the program was given.
#[derive(Debug, Serialize)]
pub(super) struct GivenReport {
    pub(super) name: String,
    pub(super) bytes: usize,
    pub(super) whole: bool,
}

/// How the run along the recorded synchronisation went.
#[derive(Debug, Serialize)]
pub(super) struct Along {
    steps: usize,
    taken: usize,
    passed: BTreeMap<&'static str, u64>,
    unrecorded: BTreeMap<&'static str, u64>,
    parting: Option<PartingReport>,
}

#[derive(Debug, Serialize)]
struct PartingReport {
    step: usize,
    recorded: String,
    found: String,
}

impl From<&Guided> for Along {
    fn from(guided: &Guided) -> Along {
        let parting = guided.parting.as_ref().map(|parting| PartingReport {
            step: parting.step,
            recorded: parting.recorded.clone(),
            found: parting.found.clone(),
        });
        Along {
            steps: guided.steps,
            taken: guided.taken,
            passed: guided.passed.clone(),
            unrecorded: guided.unrecorded.clone(),
            parting,
        }
    }
}

/// How far the two went together, in lines.
pub(super) fn account(guided: &Guided) -> Vec<String> {
    let listed = |counts: &BTreeMap<&'static str, u64>| {
        counts.iter().map(|(verb, count)| format!("{count} {verb}")).collect::<Vec<_>>().join(", ")
    };
    let mut lines =
        vec![format!("{} of {} recorded steps were taken in their order", guided.taken, guided.steps)];
    if !guided.passed.is_empty() {
        lines.push(format!("recorded, but not met in the program: {}", listed(&guided.passed)));
    }
    if !guided.unrecorded.is_empty() {
        lines.push(format!("met in the program, but not recorded: {}", listed(&guided.unrecorded)));
    }
    if let Some(parting) = &guided.parting {
        lines.push(format!("the first difference: {parting}"));
    }
    lines
}
