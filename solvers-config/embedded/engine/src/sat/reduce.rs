//! Forgetting: learned clauses of little use, and clauses that are satisfied for good.

use super::clauses::{ClauseRef, Clauses};
use super::literal::Lit;
use super::{BINARY, Reason, Sat, Theory, Watch};
use crate::proof::Step;

/// When clauses were last looked through.
#[derive(Debug, Default)]
pub(super) struct Tidied {
    /// Literals that were true for good then.
    fixed: usize,
    propagations: u64,
}

/// Learned clauses of this rank or less are never forgotten.
const PRECIOUS: u32 = 2;

impl<T: Theory> Sat<T> {
    /// Forgets the worse half of the learned clauses that were of no use of late.
    pub(super) fn reduce(&mut self) {
        self.pace.reductions += 1;
        self.pace.until_reduction = 2000 + 300 * self.pace.reductions;
        let mut candidates = Vec::new();
        for at in 0..self.learned.len() {
            let clause = self.learned[at];
            if self.clauses.rank(clause) <= PRECIOUS || self.clauses.len(clause) == 2 {
                continue;
            }
            match self.clauses.used(clause) {
                0 if !self.is_reason(clause) => candidates.push(clause),
                0 => {}
                used => self.clauses.set_used(clause, used - 1),
            }
        }
        // The sort is stable and the list is by age: of equals, the older ones go.
        candidates.sort_by_key(|&at| std::cmp::Reverse((self.clauses.rank(at), self.clauses.len(at))));
        candidates.truncate(candidates.len() / 2);
        for clause in candidates {
            self.forget(clause);
        }
        self.compact();
    }

    /// Between questions: gives up clauses that are satisfied for good, if enough was done since that was last tried.
    pub(super) fn tidy(&mut self) {
        let fixed = self.levels.first().copied().unwrap_or(self.trail.len());
        let work = self.statistics.propagations - self.tidied.propagations;
        if fixed == self.tidied.fixed || work < self.clauses.len_words() as u64 / 4 {
            return;
        }
        self.tidied = Tidied { fixed, propagations: self.statistics.propagations };
        // Nobody asks why something is true for good.
        for at in 0..fixed {
            self.assignments[self.trail[at].var().index()].reason = Reason::None;
        }
        for at in 0..self.given.len() + self.learned.len() {
            let clause = match at.checked_sub(self.given.len()) {
                None => self.given[at],
                Some(at) => self.learned[at],
            };
            let satisfied = self.clauses.literals(clause).any(|literal| self.fixed(literal) == Some(true));
            if satisfied && !self.is_reason(clause) {
                self.forget(clause);
            }
        }
        self.compact();
    }

    fn is_reason(&self, clause: ClauseRef) -> bool {
        // Of a clause of two literals either may be the one that it implies.
        (0..2).any(|place| {
            let literal = self.clauses.literal(clause, place);
            self.values[literal.index()] > 0
                && self.assignments[literal.var().index()].reason == Reason::Clause(clause)
        })
    }

    fn forget(&mut self, clause: ClauseRef) {
        if self.proof.is_some() {
            let literals: Vec<Lit> = self.clauses.literals(clause).collect();
            self.note(Step::Deleted(&literals));
        }
        self.clauses.delete(clause);
    }

    /// Gives up the memory of clauses that were forgotten, and explanations that are no reasons.
    fn compact(&mut self) {
        for at in 0..self.explanations.len() {
            let clause = self.explanations[at];
            let implied = self.clauses.literal(clause, 0);
            let reason = self.assignments[implied.var().index()].reason;
            if self.values[implied.index()] <= 0 || reason != Reason::Clause(clause) {
                self.clauses.delete(clause);
            }
        }
        if self.clauses.wasted() == 0 {
            return;
        }
        let mut kept = Clauses::default();
        let mut old = std::mem::take(&mut self.clauses);
        // Reasons of variables that have no value any more may point at what is gone.
        for var in 0..self.assignments.len() {
            if self.values[2 * var] == 0 {
                self.assignments[var].reason = Reason::None;
            }
        }
        for list in [&mut self.given, &mut self.learned, &mut self.explanations] {
            list.retain_mut(|clause| {
                if old.is_deleted(*clause) {
                    return false;
                }
                *clause = old.relocate(*clause, &mut kept);
                true
            });
        }
        for watches in &mut self.watches {
            watches.retain_mut(|watch: &mut Watch| {
                let clause = ClauseRef(watch.clause & !BINARY);
                if old.is_deleted(clause) {
                    return false;
                }
                watch.clause = old.relocated(clause).0 | watch.clause & BINARY;
                true
            });
        }
        for var in 0..self.assignments.len() {
            if let Reason::Clause(clause) = self.assignments[var].reason {
                self.assignments[var].reason = Reason::Clause(old.relocated(clause));
            }
        }
        self.clauses = kept;
    }
}
