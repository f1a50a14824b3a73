//! The cheapest way to violate soft assertions.
//!
//! Core-guided search by OLL (Andres, Kaufmann, Matheis, Schaub: Unsatisfiability-based optimization in clasp, 2012; in
//! the form of RC2: Ignatiev, Morgado, Marques-Silva, 2019): all soft assertions are assumed; a reason why they cannot
//! all hold costs its cheapest weight, and is replaced by counters that say how many of it may fail. Heavy ones come
//! first (stratification: Ansótegui, Bonet, Levy, 2012). Deviations: counters are terms of the arena, so they need no
//! fresh constants and stay shared between checks; reasons are not exhausted one by one.
//!
//! Several objectives are minimised one after the other (lexicographically), as z3 does.

use super::Decider;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use warpath_smt_engine::{Outcome, Unsupported};
use warpath_solvers::term::{TermError, TermId, Terms};

/// Soft assertions whose weights are added up.
#[derive(Debug, Clone, Default)]
pub(crate) struct Objective {
    pub(crate) softs: Vec<(TermId, u64)>,
}

/// What came of minimising.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Optimum {
    /// The engine's model is one of the cheapest; the costs are those of the objectives.
    Found(Vec<u128>),
    /// Not even without the soft assertions.
    Unsat,
    /// It was told to stop.
    Unknown,
}

/// A soft assertion, given or made.
#[derive(Debug, Clone)]
struct Item {
    term: TermId,
    weight: u128,
    /// If it is made: which terms it counts, and how many of them it lets be true.
    counter: Option<Counter>,
}

type Counter = (Rc<[TermId]>, usize);

/// Minimises the objectives under `hard`.
pub(crate) fn minimise<D: Decider>(
    engine: &mut D,
    terms: &mut Terms,
    hard: &[TermId],
    objectives: &[Objective],
    stop: &mut dyn FnMut() -> bool,
) -> Result<Optimum, Unsupported> {
    match engine.check(terms, hard, stop)? {
        Outcome::Sat => {}
        Outcome::Unsat => return Ok(Optimum::Unsat),
        Outcome::Unknown => return Ok(Optimum::Unknown),
    }
    let mut fixed = hard.to_vec();
    let mut costs = Vec::new();
    for objective in objectives {
        let mut search = Search::new(objective, &fixed);
        match search.run(engine, terms, &fixed, stop)? {
            Some(cost) => costs.push(cost),
            None => return Ok(Optimum::Unknown),
        }
        // Whatever is as cheap violates none of what is left.
        fixed.extend(search.items.iter().filter(|item| item.weight > 0).map(|item| item.term));
    }
    Ok(Optimum::Found(costs))
}

struct Search {
    items: Vec<Item>,
    /// Several items may have one term, if a counter happens to be what was given.
    by_term: FxHashMap<TermId, Vec<usize>>,
}

impl Search {
    fn new(objective: &Objective, fixed: &[TermId]) -> Self {
        let mut search = Search { items: Vec::new(), by_term: FxHashMap::default() };
        let fixed: FxHashSet<TermId> = fixed.iter().copied().collect();
        for &(term, weight) in &objective.softs {
            // What holds anyway costs nothing, and must not be taken for a soft one in a reason.
            if !fixed.contains(&term) {
                search.add(term, u128::from(weight), None);
            }
        }
        search
    }

    fn add(&mut self, term: TermId, weight: u128, counter: Option<Counter>) {
        self.by_term.entry(term).or_default().push(self.items.len());
        self.items.push(Item { term, weight, counter });
    }

    /// The least cost; `None` if it was told to stop. The last check before it returns a cost is satisfiable.
    fn run<D: Decider>(
        &mut self,
        engine: &mut D,
        terms: &mut Terms,
        fixed: &[TermId],
        stop: &mut dyn FnMut() -> bool,
    ) -> Result<Option<u128>, Unsupported> {
        let mut cost: u128 = 0;
        let Some(mut stratum) = self.next_stratum(u128::MAX) else {
            return Ok(Some(0));
        };
        loop {
            let mut assumptions = fixed.to_vec();
            let active = self.items.iter().filter(|item| item.weight >= stratum);
            assumptions.extend(active.map(|item| item.term));
            match engine.check(terms, &assumptions, stop)? {
                Outcome::Unknown => return Ok(None),
                Outcome::Sat => match self.next_stratum(stratum) {
                    Some(next) => stratum = next,
                    None => return Ok(Some(cost)),
                },
                Outcome::Unsat => {
                    let reason: Vec<usize> =
                        engine.failed().iter().filter_map(|term| self.active(*term, stratum)).collect();
                    if reason.is_empty() {
                        // The fixed ones hold together, or this would not have been reached.
                        let what = "the engine gave no reason among the soft assertions".to_owned();
                        return Err(Unsupported { what });
                    }
                    cost += self
                        .relax(terms, &reason)
                        .map_err(|error| Unsupported { what: error.to_string() })?;
                }
            }
        }
    }

    /// One item of this term that was assumed; the others pay when their turn comes.
    fn active(&self, term: TermId, stratum: u128) -> Option<usize> {
        self.by_term.get(&term)?.iter().copied().find(|&index| self.items[index].weight >= stratum)
    }

    /// The greatest weight below `above`.
    fn next_stratum(&self, above: u128) -> Option<u128> {
        self.items.iter().map(|item| item.weight).filter(|&weight| weight > 0 && weight < above).max()
    }

    /// Pays for a reason once, and lets that much of it fail.
    fn relax(&mut self, terms: &mut Terms, reason: &[usize]) -> Result<u128, TermError> {
        let price = reason.iter().map(|&index| self.items[index].weight).min().unwrap_or(0);
        let mut violations = Vec::with_capacity(reason.len());
        for &index in reason {
            self.items[index].weight -= price;
            let Item { term, counter, .. } = self.items[index].clone();
            violations.push(terms.not(term)?);
            if let Some((counted, bound)) = counter {
                self.count(terms, counted, bound + 1, price)?;
            }
        }
        self.count(terms, violations.into(), 1, price)?;
        Ok(price)
    }

    fn count(
        &mut self,
        terms: &mut Terms,
        counted: Rc<[TermId]>,
        bound: usize,
        weight: u128,
    ) -> Result<(), TermError> {
        if bound < counted.len() {
            let term = terms.at_most(bound, &counted)?;
            self.add(term, weight, Some((counted, bound)));
        }
        Ok(())
    }
}
