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

pub(super) use rule::term;
pub use spot::spot_of;

use std::collections::BTreeSet;

use warpath_trace::repair::{Region, Rule};

use super::DiagnoseError;
use super::hitting::smallest;
use super::occurrence::Occurrences;
use super::result::Cause;
use super::session::{Assumed, Found, Session, Wanted};
use crate::encode::Options;
use crate::model::Forest;
use crate::queries::survey::Survey;

/// So many repairs are handed out.
const MOST: usize = 4;
/// So many failing executions are looked at for repairs that take several changes.
const MOST_FAILING: usize = 200;

/// A change that prevents the failure, verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repair {
    /// What to do, all of it.
    pub rules: Vec<Rule>,
}

/// What could be tried, without what threads might wait for ever for.
pub(super) fn rules(
    forest: &Forest,
    options: &Options,
    occurrences: &Occurrences,
    causes: &[Cause],
) -> Vec<Rule> {
    let survey = Survey::of(forest, options);
    let mut rules = candidates::candidates(&survey, occurrences, options.model, causes);
    rules.retain(|rule| safe::danger(&survey, rule).is_none());
    rules
}

/// Finds repairs among these changes, which the session knows.
pub(super) fn repairs(session: &mut Session<'_>, rules: &[Rule]) -> Result<Vec<Repair>, DiagnoseError> {
    let all: Vec<Assumed> = (0..rules.len()).map(Assumed::Rule).collect();
    // Which changes rule out each failing execution seen so far.
    let mut against: Vec<BTreeSet<usize>> = Vec::new();
    let mut good: Vec<usize> = Vec::new();
    let mut useful: Vec<usize> = Vec::new();
    for n in 0..rules.len() {
        if good.len() >= MOST {
            break;
        }
        // Something must be left that passes.
        if let Found::None(_) = session.find_beside(Wanted::Passing, &[Assumed::Rule(n)], &[])? {
            continue;
        }
        useful.push(n);
        if against.iter().any(|ruling_out| !ruling_out.contains(&n)) {
            continue;
        }
        match session.find_beside(Wanted::Failing, &[Assumed::Rule(n)], &[])? {
            Found::None(_) => good.push(n),
            Found::Some(model) => against.push(broken(session, &model, &all)),
        }
    }
    let mut found: Vec<Repair> = good.iter().map(|&n| Repair { rules: vec![rules[n].clone()] }).collect();
    if found.is_empty() {
        found.extend(several(session, rules, &useful, against)?);
    }
    Ok(found)
}

/// The changes that an execution breaks.
fn broken(session: &Session<'_>, model: &warpath_solvers::term::Model, all: &[Assumed]) -> BTreeSet<usize> {
    let so = session.is_so(model, all);
    so.iter().enumerate().filter(|(_, so)| !**so).map(|(n, _)| n).collect()
}

/// The smallest set of changes that does it together.
fn several(
    session: &mut Session<'_>,
    rules: &[Rule],
    useful: &[usize],
    mut against: Vec<BTreeSet<usize>>,
) -> Result<Option<Repair>, DiagnoseError> {
    let all: Vec<Assumed> = (0..rules.len()).map(Assumed::Rule).collect();
    while against.len() < MOST_FAILING {
        for ruling_out in &mut against {
            ruling_out.retain(|n| useful.contains(n));
        }
        let Some(chosen) = smallest(&against, 1) else { return Ok(None) };
        let assumed: Vec<Assumed> = chosen.iter().map(|&n| Assumed::Rule(n)).collect();
        if let Found::Some(model) = session.find_beside(Wanted::Failing, &assumed, &[])? {
            against.push(broken(session, &model, &all));
            continue;
        }
        let chosen: Vec<Rule> = chosen.iter().map(|&n| rules[n].clone()).collect();
        // Locks around each other could be taken in different orders.
        if nested(&chosen) {
            return Ok(None);
        }
        let passes = session.find_beside(Wanted::Passing, &assumed, &[])?;
        return Ok(matches!(passes, Found::Some(_)).then_some(Repair { rules: chosen }));
    }
    Ok(None)
}

/// Has one of the critical sections lines of another, or does somebody wait inside one?
fn nested(rules: &[Rule]) -> bool {
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
        Rule::Wait { before, .. } => regions.iter().flatten().any(|region| region.has(before)),
        _ => false,
    });
    let orders = rules.iter().filter(|rule| matches!(rule, Rule::Wait { .. })).count();
    locks || waits || orders > 1
}
