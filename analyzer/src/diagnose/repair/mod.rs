//! Repairs: changes of the program after which the failure cannot happen any more.
//!
//! Candidates come from the causes. Each failing execution is ruled out by some of them; a repair is a smallest set that
//! rules out all, found by implicit hitting sets: a failing execution that is left shows what is missing. What is handed
//! out has been verified: no failing execution is left, a passing one is, and threads cannot wait for ever because of
//! it. Repairs are about lines of the source, and so about every time that they are executed.

mod candidates;
mod rule;
mod safe;
mod section;
mod spot;
mod verify;

pub(super) use rule::term;
pub use spot::spot_of;
pub(super) use verify::Verifier;

use std::collections::BTreeMap;

use warpath_trace::repair::{Region, Rule};

use super::occurrence::Occurrences;
use super::result::Cause;
use crate::encode::Options;
use crate::model::{Forest, NodeId};
use crate::queries::survey::Survey;
use rule::{Kind, kind};
use safe::Safety;

/// A change that prevents the failure, verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repair {
    /// What to do, all of it.
    pub rules: Vec<Rule>,
}

/// A change that could be tried.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) rule: Rule,
    /// Threads do not wait for ever because of it if none comes to any of these events.
    pub(super) never: Vec<NodeId>,
}

/// What could be tried, without what threads might wait for ever for.
pub(super) fn candidates(
    forest: &Forest,
    options: &Options,
    occurrences: &Occurrences,
    causes: &[Cause],
) -> Vec<Candidate> {
    let survey = Survey::of(forest, options);
    let rules = candidates::candidates(&survey, occurrences, options.model, causes);
    let harmless = |rule: Rule| match safe::safety(&survey, &rule) {
        Safety::IfNever(never) => Some(Candidate { rule, never }),
        Safety::Danger(_) => None,
    };
    mixed(rules.into_iter().filter_map(harmless).collect())
}

/// The same, but some of each kind come first, so that a kind with many candidates that are hard to verify does not
/// keep the others waiting: of critical sections also the largest, which rule out the most.
fn mixed(all: Vec<Candidate>) -> Vec<Candidate> {
    let sections = all.iter().filter(|candidate| kind(&candidate.rule) == Kind::CriticalSections).count();
    let mut seen: BTreeMap<Kind, usize> = BTreeMap::new();
    let is_first = |candidate: &Candidate| {
        let kind = kind(&candidate.rule);
        let seen = seen.entry(kind).or_default();
        *seen += 1;
        match kind {
            Kind::CriticalSections => *seen <= 4 || *seen + 2 > sections,
            Kind::Fences | Kind::Wait => *seen <= 3,
            Kind::JoinAtOnce | Kind::OneByOne => *seen <= 1,
        }
    };
    let (first, others): (Vec<Candidate>, Vec<Candidate>) = all.into_iter().partition(is_first);
    first.into_iter().chain(others).collect()
}

/// Has one of the critical sections lines of another, or does somebody wait inside one?
pub(super) fn nested(rules: &[Rule]) -> bool {
    let regions: Vec<Vec<&Region>> = rules
        .iter()
        .map(|rule| match rule {
            Rule::CriticalSections { regions } => regions.iter().collect(),
            _ => Vec::new(),
        })
        .collect();
    let overlap = |a: &[&Region], b: &[&Region]| a.iter().any(|a| b.iter().any(|b| a.overlaps(b)));
    let locks = (0..regions.len()).any(|n| regions[n + 1..].iter().any(|other| overlap(&regions[n], other)));
    let waits = rules.iter().any(|rule| match rule {
        Rule::Wait { before: spot, .. } | Rule::JoinAtOnce { after: spot } => {
            regions.iter().flatten().any(|region| region.has(spot))
        }
        _ => false,
    });
    let orders = rules.iter().filter(|rule| matches!(rule, Rule::Wait { .. })).count();
    let joins = rules.iter().any(|rule| matches!(rule, Rule::JoinAtOnce { .. }));
    locks || waits || orders + usize::from(joins) > 1
}
