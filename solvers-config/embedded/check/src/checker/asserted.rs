//! Clauses of assertions: that the assertion implies them, and when they may be relied upon.
//!
//! A clause is accepted at once if it is one of those that our own translation of the assertion gives. Else our clauses
//! are put behind a variable that means "the assertion is alive", and the clause must follow by unit propagation.

use super::Checker;
use crate::error::Reason;
use crate::literal::Lit;
use crate::script::Life;
use rustc_hash::{FxHashMap, FxHashSet};

/// Clauses that stand behind the same activation variables.
#[derive(Debug)]
struct Group {
    /// Sorted.
    guards: Box<[u32]>,
    /// When all of them may be relied upon.
    life: Life,
    /// The assertions whose lives begin last and end first, for messages.
    youngest: usize,
    first_dead: usize,
}

#[derive(Debug, Default)]
pub(super) struct Asserted {
    groups: Vec<Group>,
    by_guards: FxHashMap<Box<[u32]>, usize>,
    /// By the first guard, or `None`.
    by_first: FxHashMap<Option<u32>, Vec<usize>>,
    /// By number: the variable behind which our clauses stand, or `None` if they were compared only.
    own: FxHashMap<usize, Option<Lit>>,
    /// The clauses of the assertion last met, each sorted.
    current: Option<(usize, FxHashSet<Vec<Lit>>)>,
}

impl Asserted {
    fn note(&mut self, guards: Vec<u32>, assertion: usize, life: Life) {
        match self.by_guards.get(guards.as_slice()) {
            Some(&at) => {
                let group = &mut self.groups[at];
                let both = group.life.and(life);
                if both.begins != group.life.begins {
                    group.youngest = assertion;
                }
                if both.ends != group.life.ends {
                    group.first_dead = assertion;
                }
                group.life = both;
            }
            None => {
                let at = self.groups.len();
                self.by_first.entry(guards.first().copied()).or_default().push(at);
                let guards = guards.into_boxed_slice();
                self.by_guards.insert(guards.clone(), at);
                self.groups.push(Group { guards, life, youngest: assertion, first_dead: assertion });
            }
        }
    }

    /// An assertion that is not alive at this position, although what the conclusion names relies on it.
    pub(super) fn dead(&self, named: &FxHashSet<u32>, position: usize) -> Option<usize> {
        let firsts = named.iter().copied().map(Some).chain([None]);
        let groups = firsts.filter_map(|first| self.by_first.get(&first)).flatten();
        let mut relied = groups
            .map(|&at| &self.groups[at])
            .filter(|group| group.guards.iter().all(|guard| named.contains(guard)));
        let group = relied.find(|group| !group.life.has(position))?;
        Some(if group.life.begins < position { group.first_dead } else { group.youngest })
    }
}

impl Checker<'_> {
    /// The clause at hand is implied by an assertion, or stands behind activation variables.
    pub(super) fn assert(&mut self, number: usize) -> Result<(), Reason> {
        let questions = self.questions;
        let place = number.checked_sub(1);
        let assertion = place.and_then(|at| questions.assertions.get(at));
        let assertion = assertion.ok_or(Reason::NoAssertion { number })?;
        let whole = std::mem::take(&mut self.clause);
        let (guards, mut rest): (Vec<Lit>, Vec<Lit>) =
            whole.iter().partition(|literal| self.numbers.is_free(literal.var()));
        if guards.iter().any(|guard| guard.is_positive()) {
            return Err(Reason::PositiveGuard);
        }
        rest.sort_unstable();
        rest.dedup();
        if !self.is_own(number, &rest)? {
            let alive = self.install(number)?;
            rest.push(!alive);
            if !self.translation.circuit.clauses.follows(&rest) {
                return Err(Reason::NotAsserted { assertion: number });
            }
        }
        let mut guards: Vec<u32> = guards.iter().map(|guard| guard.var()).collect();
        guards.sort_unstable();
        guards.dedup();
        self.asserted.note(guards, number, assertion.life);
        self.translation.circuit.clauses.add(&whole);
        self.clause = whole;
        Ok(())
    }

    fn own_clauses(&mut self, number: usize) -> Result<Vec<Vec<Lit>>, Reason> {
        let questions = self.questions;
        let clauses = self.translation.clauses(&questions.terms, questions.assertions[number - 1].term);
        clauses.map_err(|why| Reason::Untranslatable { why: why.0 })
    }

    /// Whether the clause is one of those that the assertion is. Each assertion is looked at once, while its clauses
    /// come one after the other, so that a proof that jumps between assertions costs no more.
    fn is_own(&mut self, number: usize, clause: &[Lit]) -> Result<bool, Reason> {
        if self.asserted.current.as_ref().is_none_or(|(current, _)| *current != number) {
            if self.asserted.own.contains_key(&number) {
                return Ok(false);
            }
            let clauses = self.own_clauses(number)?;
            let sorted = clauses.into_iter().map(|mut clause| {
                clause.sort_unstable();
                clause.dedup();
                clause
            });
            self.asserted.own.insert(number, None);
            self.asserted.current = Some((number, sorted.collect()));
        }
        Ok(self.asserted.current.as_ref().is_some_and(|(_, clauses)| clauses.contains(clause)))
    }

    /// The variable behind which our clauses of an assertion stand.
    fn install(&mut self, number: usize) -> Result<Lit, Reason> {
        if let Some(&Some(alive)) = self.asserted.own.get(&number) {
            return Ok(alive);
        }
        let mut clauses = self.own_clauses(number)?;
        // The gate of the whole would follow from its parts, but not always by unit propagation.
        let questions = self.questions;
        let whole = self.translation.literal(&questions.terms, questions.assertions[number - 1].term);
        clauses.push(vec![whole.map_err(|why| Reason::Untranslatable { why: why.0 })?]);
        let alive = self.translation.circuit.clauses.new_var();
        for mut clause in clauses {
            clause.push(!alive);
            self.translation.circuit.clauses.add(&clause);
        }
        self.asserted.own.insert(number, Some(alive));
        Ok(alive)
    }
}
