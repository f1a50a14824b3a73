//! Soft constraints: find a model that violates as little as possible.
//!
//! A solver that optimises by itself is asked once. For the others we search: assume all preferences, take away those
//! in each core until the rest can be had (every such core costs at least its lightest member, which is a lower
//! bound), then ask for ever lighter models until there is none. Whatever ends the search, the best model found so
//! far is the result, and it says whether it is known to be the best.

mod adder;

use std::time::{Duration, Instant};

use crate::answer::Answer;
use crate::smt::{Query, Smt};
use crate::term::{Evaluator, MissingConstant, Model, TermError, TermId, Terms, Value};
use adder::Sum;

/// A soft constraint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Preference {
    /// What should hold.
    pub term: TermId,
    /// What it costs if it does not.
    pub weight: u64,
}

/// The result of an optimisation.
#[derive(Debug, Clone, PartialEq)]
pub struct Optimum {
    /// The answer to the hard constraints, with the best model found.
    pub answer: Answer,
    /// Positions of the preferences that the model violates.
    pub violated: Vec<usize>,
    /// Their weight.
    pub cost: u128,
    /// No model costs less than this.
    pub lower_bound: u128,
    /// Whether no model is better: the cost equals the lower bound.
    pub proved: bool,
}

impl Optimum {
    fn none(answer: Answer) -> Self {
        Self { answer, violated: Vec::new(), cost: 0, lower_bound: 0, proved: false }
    }

    fn of(terms: &Terms, model: Model, preferences: &[Preference]) -> Self {
        let mut evaluator = Evaluator::new(terms, &model).missing(MissingConstant::Default);
        let violated: Vec<usize> = preferences
            .iter()
            .enumerate()
            .filter(|(_, preference)| evaluator.value(preference.term) != Ok(Value::Bool(true)))
            .map(|(position, _)| position)
            .collect();
        let cost = violated.iter().map(|position| u128::from(preferences[*position].weight)).sum();
        Self { answer: Answer::Sat(model), violated, cost, lower_bound: 0, proved: cost == 0 }
    }

    /// Takes over a model if it is better.
    fn improve(&mut self, other: Self) {
        if other.cost < self.cost {
            let lower_bound = self.lower_bound;
            *self = other;
            self.lower_bound = lower_bound;
        }
    }

    fn raise(&mut self, lower_bound: u128) {
        self.lower_bound = self.lower_bound.max(lower_bound).min(self.cost);
        self.proved = self.lower_bound == self.cost;
    }
}

/// The time that one optimisation has for all its questions.
struct Clock<'a> {
    query: &'a Query,
    until: Instant,
}

impl<'a> Clock<'a> {
    fn new(query: &'a Query, default: Duration) -> Self {
        Self { query, until: Instant::now() + query.timeout.unwrap_or(default) }
    }

    /// The query with further assumptions and the time that is left; `None` when that is up.
    fn next(&self, more: impl IntoIterator<Item = TermId>, core: bool) -> Option<Query> {
        let left = self.until.saturating_duration_since(Instant::now());
        let assumptions = self.query.assumptions.iter().copied().chain(more).collect();
        (!left.is_zero()).then(|| Query {
            assumptions,
            core,
            timeout: Some(left),
            cancel: self.query.cancel.clone(),
        })
    }
}

/// Lets the solver optimise: `ask` puts a query with preferences to it.
pub(crate) fn natively(
    ask: &mut dyn FnMut(&Query, &[Preference]) -> Answer,
    terms: &Terms,
    query: &Query,
    preferences: &[Preference],
    default: Duration,
) -> Optimum {
    let clock = Clock::new(query, default);
    let mut best = match ask(query, &[]) {
        Answer::Sat(model) => Optimum::of(terms, model, preferences),
        other => return Optimum::none(other),
    };
    if best.proved {
        return best;
    }
    if let Some(next) = clock.next([], false)
        && let Answer::Sat(model) = ask(&next, preferences)
    {
        let claimed = Optimum::of(terms, model, preferences);
        // A claimed optimum that is worse than what we have shows that the claim is wrong.
        let credible = claimed.cost <= best.cost;
        best.improve(claimed);
        if credible {
            best.raise(best.cost);
        }
    }
    best
}

/// Searches with anything that answers questions.
pub(crate) fn by_search<S: Smt + ?Sized>(
    smt: &mut S,
    terms: &mut Terms,
    query: &Query,
    preferences: &[Preference],
) -> Optimum {
    let clock = Clock::new(query, smt.default_timeout());
    let mut best = match smt.check(terms, query) {
        Answer::Sat(model) => Optimum::of(terms, model, preferences),
        other => return Optimum::none(other),
    };
    if !best.proved {
        by_cores(smt, terms, &clock, preferences, &mut best);
    }
    if !best.proved
        && let Err(error) = by_bounds(smt, terms, &clock, preferences, &mut best)
    {
        // Only an arena that is full can refuse these terms: the model found so far still stands.
        debug_assert!(matches!(error, TermError::Full { .. }), "{error}");
    }
    best
}

/// Takes away the preferences of disjoint cores until the rest can be had together.
fn by_cores<S: Smt + ?Sized>(
    smt: &mut S,
    terms: &Terms,
    clock: &Clock<'_>,
    preferences: &[Preference],
    best: &mut Optimum,
) {
    let mut wanted: Vec<Preference> =
        preferences.iter().filter(|preference| preference.weight > 0).copied().collect();
    let mut bound = 0u128;
    while let Some(query) = clock.next(wanted.iter().map(|preference| preference.term), true) {
        match smt.check(terms, &query) {
            Answer::Sat(model) => {
                best.improve(Optimum::of(terms, model, preferences));
                best.raise(bound);
                return;
            }
            Answer::Unsat { core: Some(core) } => {
                let (hit, rest): (Vec<_>, Vec<_>) =
                    wanted.iter().partition(|preference| core.assumptions.contains(&preference.term));
                // Without any of ours the core contradicts the model that we have: no ground for a bound.
                let Some(lightest) = hit.iter().map(|preference: &Preference| preference.weight).min() else {
                    return;
                };
                bound += u128::from(lightest);
                best.raise(bound);
                if best.proved {
                    return;
                }
                wanted = rest;
            }
            Answer::Unsat { core: None } | Answer::Unknown(_) => return,
        }
    }
}

/// Asks for a lighter model until there is none.
fn by_bounds<S: Smt + ?Sized>(
    smt: &mut S,
    terms: &mut Terms,
    clock: &Clock<'_>,
    preferences: &[Preference],
    best: &mut Optimum,
) -> Result<(), TermError> {
    let mut violations = Vec::with_capacity(preferences.len());
    for preference in preferences {
        violations.push((terms.not(preference.term)?, preference.weight));
    }
    let sum = Sum::new(terms, &violations)?;
    while !best.proved {
        let lighter = sum.at_most(terms, best.cost - 1)?;
        let Some(query) = clock.next([lighter], false) else { return Ok(()) };
        match smt.check(terms, &query) {
            Answer::Sat(model) => {
                let found = Optimum::of(terms, model, preferences);
                if found.cost >= best.cost {
                    return Ok(());
                }
                let bound = best.lower_bound;
                best.improve(found);
                best.raise(bound);
            }
            Answer::Unsat { .. } => best.raise(best.cost),
            Answer::Unknown(_) => return Ok(()),
        }
    }
    Ok(())
}
