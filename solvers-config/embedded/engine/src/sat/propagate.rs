//! What follows from what was decided: by clauses until nothing more follows, then by the theory, literal by literal.

use super::clauses::ClauseRef;
use super::literal::Lit;
use super::{BINARY, Kind, Reason, Sat, Theory, Watch};
use crate::proof::Step;

impl<T: Theory> Sat<T> {
    /// Propagates everything. False if there is a conflict: a clause, now in `conflict`, whose literals are all false.
    pub(super) fn propagate(&mut self) -> bool {
        loop {
            if !self.take_implied() {
                return false;
            }
            if let Some(at) = self.propagate_clauses() {
                self.conflict.clear();
                self.conflict.extend(self.clauses.literals(at));
                self.of_use(at);
                return false;
            }
            let Some(&literal) = self.trail.get(self.told) else { return true };
            self.told += 1;
            self.ask(literal);
            if !self.theory.knows(literal.var()) {
                continue;
            }
            if self.theory.tell(literal, self.since(literal), &mut self.implied).is_err() {
                self.told -= 1;
                self.implied.clear();
                self.ask_theory(None);
                std::mem::swap(&mut self.conflict, &mut self.explanation);
                self.statistics.circles += 1;
                return false;
            }
        }
    }

    /// Puts what the theory implied on the trail. False if something of it is false already.
    fn take_implied(&mut self) -> bool {
        for at in 0..self.implied.len() {
            let implied = self.implied[at];
            match self.values[implied.index()] {
                0 => {
                    self.statistics.implied += 1;
                    self.enqueue(implied, Reason::Theory);
                    // Nobody asks why something is certain, but for a proof.
                    if self.proof.is_some() && self.decision_level() <= self.base() {
                        self.ask_theory(Some(implied));
                    }
                }
                1 => {}
                _ => {
                    self.ask_theory(Some(implied));
                    std::mem::swap(&mut self.conflict, &mut self.explanation);
                    self.statistics.circles += 1;
                    self.implied.clear();
                    return false;
                }
            }
        }
        self.implied.clear();
        true
    }

    /// Asks the theory for its clause about a literal that it implied, or about a contradiction, into `explanation`. What
    /// it left out as permanent, the guards stand for.
    fn ask_theory(&mut self, implied: Option<Lit>) {
        let mut clause = std::mem::take(&mut self.explanation);
        match implied {
            Some(literal) => self.theory.explain(literal, &mut clause),
            None => self.theory.conflict(&mut clause),
        }
        self.note_lemma();
        clause.extend(self.guards_below(self.base()).iter().map(|&guard| !guard));
        self.explanation = clause;
    }

    fn note_lemma(&mut self) {
        if let Some(proof) = &mut self.proof {
            proof.step(Step::Lemma(self.theory.whole()));
        }
    }

    /// The clause that implies the literal, which the theory is asked for if need be. `None` for decisions.
    pub(super) fn reason(&mut self, literal: Lit) -> Option<ClauseRef> {
        let var = literal.var().index();
        match self.assignments[var].reason {
            Reason::None => None,
            Reason::Clause(at) => Some(at),
            Reason::Theory => {
                self.ask_theory(Some(literal));
                let clause = std::mem::take(&mut self.explanation);
                self.statistics.explained += 1;
                debug_assert!(clause.iter().all(|&other| other == literal || self.values[other.index()] < 0));
                let at = self.clauses.add(&clause, Kind::Explanation, 0);
                self.explanation = clause;
                self.explanations.push(at);
                self.assignments[var].reason = Reason::Clause(at);
                Some(at)
            }
        }
    }

    fn propagate_clauses(&mut self) -> Option<ClauseRef> {
        while let Some(&literal) = self.trail.get(self.propagated) {
            self.propagated += 1;
            let false_literal = !literal;
            let mut watches = std::mem::take(&mut self.watches[false_literal.index()]);
            let conflict = self.visit(false_literal, &mut watches);
            self.watches[false_literal.index()] = watches;
            if conflict.is_some() {
                self.statistics.propagations += 1;
                return conflict;
            }
            self.statistics.propagations += 1;
        }
        None
    }

    /// Visits all clauses that wait for a literal that is false now. Those that wait for another afterwards leave
    /// `watches`.
    fn visit(&mut self, false_literal: Lit, watches: &mut Vec<Watch>) -> Option<ClauseRef> {
        let mut conflict = None;
        let (mut read, mut kept) = (0, 0);
        'watches: while read < watches.len() {
            let watch = watches[read];
            read += 1;
            let value = self.values[watch.blocker.index()];
            if value > 0 {
                watches[kept] = watch;
                kept += 1;
                continue;
            }
            if watch.clause & BINARY != 0 {
                watches[kept] = watch;
                kept += 1;
                let at = ClauseRef(watch.clause & !BINARY);
                if value < 0 {
                    conflict = Some(at);
                    break;
                }
                self.enqueue_at(self.level_implied(at, watch.blocker), watch.blocker, Reason::Clause(at));
                continue;
            }
            let at = ClauseRef(watch.clause);
            let words = self.clauses.words_mut(at);
            if words[0] == false_literal.0 {
                words.swap(0, 1);
            }
            let first = Lit(words[0]);
            let value = self.values[first.index()];
            if value > 0 {
                watches[kept] = Watch { clause: watch.clause, blocker: first };
                kept += 1;
                continue;
            }
            for place in 2..words.len() {
                let other = Lit(words[place]);
                if self.values[other.index()] >= 0 {
                    words.swap(1, place);
                    self.watches[other.index()].push(Watch { clause: watch.clause, blocker: first });
                    continue 'watches;
                }
            }
            watches[kept] = Watch { clause: watch.clause, blocker: first };
            kept += 1;
            if value < 0 {
                conflict = Some(at);
                break;
            }
            self.enqueue_at(self.level_implied(at, first), first, Reason::Clause(at));
        }
        if read > kept {
            watches.copy_within(read.., kept);
            watches.truncate(watches.len() - (read - kept));
        }
        conflict
    }
}
