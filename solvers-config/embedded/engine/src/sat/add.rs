//! Adding clauses, also while assumptions of the last question still stand.

use super::clauses::{ClauseRef, Clauses, Kind};
use super::literal::Lit;
use super::{BINARY, Reason, Sat, Theory, Watch};
use crate::proof::Step;

impl<T: Theory> Sat<T> {
    /// Adds a clause of the question.
    pub(crate) fn add_clause(&mut self, clause: &[Lit]) {
        if !self.consistent {
            return;
        }
        let mut kept = std::mem::take(&mut self.conflict);
        kept.clear();
        let mut idle = false;
        for &literal in clause {
            match self.fixed(literal) {
                Some(true) => idle = true,
                Some(false) => {}
                None => kept.push(literal),
            }
        }
        kept.sort_unstable();
        kept.dedup();
        idle |= kept.windows(2).any(|pair| pair[0] == !pair[1]);
        if !idle {
            // What was left out is false for good.
            if kept.len() < clause.len() {
                self.note(Step::Learned(&kept));
            }
            self.add_unfixed(&mut kept);
        }
        self.conflict = kept;
    }

    /// Adds a clause none of whose literals is assigned for good.
    fn add_unfixed(&mut self, clause: &mut [Lit]) {
        match *clause {
            [] => self.consistent = false,
            [only] => {
                if self.values[only.index()] != 0 {
                    self.cancel_until(self.level(only) - 1);
                }
                self.enqueue_at(0, only, Reason::None);
            }
            _ => {
                // Two literals that are not false must watch, or those that are so last. If all are false, the level on
                // which the last one became so is given up.
                for place in 0..2 {
                    let freedom = |literal: Lit| match self.values[literal.index()] {
                        -1 => self.level(literal),
                        _ => u32::MAX,
                    };
                    let best = (place..clause.len()).max_by_key(|&at| freedom(clause[at])).unwrap_or(place);
                    clause.swap(place, best);
                }
                if self.values[clause[0].index()] < 0 {
                    self.cancel_until(self.level(clause[0]) - 1);
                }
                if let Some(at) = self.store(clause, Kind::Given, 0) {
                    self.given.push(at);
                    self.watch(at);
                    let [first, second] = [clause[0], clause[1]].map(|literal| self.values[literal.index()]);
                    if first == 0 && second < 0 {
                        self.enqueue_at(self.level(clause[1]), clause[0], Reason::Clause(at));
                    }
                }
            }
        }
    }

    /// `None` when there is no more room, which makes every later answer unknown.
    pub(super) fn store(&mut self, clause: &[Lit], kind: Kind, rank: u32) -> Option<ClauseRef> {
        if self.clauses.is_full(clause.len()) {
            self.pace.exhausted = true;
            return None;
        }
        debug_assert!(clause.len() < Clauses::LIMIT);
        Some(self.clauses.add(clause, kind, rank))
    }

    /// The first two literals of a clause watch.
    pub(super) fn watch(&mut self, at: ClauseRef) {
        let (first, second) = (self.clauses.literal(at, 0), self.clauses.literal(at, 1));
        let clause = if self.clauses.len(at) == 2 { at.0 | BINARY } else { at.0 };
        self.watches[first.index()].push(Watch { clause, blocker: second });
        self.watches[second.index()].push(Watch { clause, blocker: first });
    }
}
