//! Clauses, and whether another one follows from them by unit propagation.
//!
//! The "RUP" part of DRAT (Wetzler, Heule & Hunt, SAT 2014), checked forward, with two watched literals. Definitions are
//! steps of their own and not the "RAT" part. Deleting forgets a clause, but nothing that already followed from it.

use crate::literal::Lit;
use rustc_hash::FxHashMap;

#[derive(Debug, Clone, Copy)]
struct Watch {
    clause: u32,
    /// Another literal of the clause: if it is true, the clause need not be looked at.
    blocker: Lit,
}

const NONE: u32 = u32::MAX;

#[derive(Debug)]
pub(crate) struct Clauses {
    /// Empty ones are deleted.
    clauses: Vec<Box<[Lit]>>,
    /// By hash: a clause, and by clause the next one of the same hash.
    by_hash: FxHashMap<u64, u32>,
    next: Vec<u32>,
    watches: Vec<Vec<Watch>>,
    /// By literal: 1 true, -1 false, 0 not assigned.
    values: Vec<i8>,
    trail: Vec<Lit>,
    propagated: usize,
    /// The empty clause follows.
    refuted: bool,
}

impl Clauses {
    /// None, over the variable that is true.
    pub(crate) fn new() -> Self {
        let mut clauses = Clauses {
            clauses: Vec::new(),
            by_hash: FxHashMap::default(),
            next: Vec::new(),
            watches: Vec::new(),
            values: Vec::new(),
            trail: Vec::new(),
            propagated: 0,
            refuted: false,
        };
        clauses.new_var();
        clauses.assign(Lit::TRUE);
        clauses
    }

    pub(crate) fn new_var(&mut self) -> Lit {
        let literal = Lit(self.values.len() as u32);
        self.values.extend([0, 0]);
        self.watches.extend([Vec::new(), Vec::new()]);
        literal
    }

    fn value(&self, literal: Lit) -> i8 {
        self.values[literal.index()]
    }

    fn assign(&mut self, literal: Lit) {
        self.values[literal.index()] = 1;
        self.values[(!literal).index()] = -1;
        self.trail.push(literal);
    }

    /// Adds a clause, which the caller vouches for.
    pub(crate) fn add(&mut self, clause: &[Lit]) {
        let mut literals = clause.to_vec();
        literals.sort_unstable();
        literals.dedup();
        // What is not false for good comes first, and watches.
        literals.sort_by_key(|&literal| self.value(literal) < 0);
        let open = literals.iter().filter(|&&literal| self.value(literal) >= 0).count();
        match (open, literals.as_slice()) {
            (0, _) => self.refuted = true,
            (1, &[only, ..]) if self.value(only) == 0 => {
                self.assign(only);
                self.refuted |= !self.propagate();
            }
            _ => {}
        }
        if let [first, second, ..] = *literals {
            let number = self.clauses.len() as u32;
            self.watches[first.index()].push(Watch { clause: number, blocker: second });
            self.watches[second.index()].push(Watch { clause: number, blocker: first });
            let chain = self.by_hash.insert(hash(&literals), number).unwrap_or(NONE);
            self.next.push(chain);
            self.clauses.push(literals.into_boxed_slice());
        }
    }

    /// Forgets a clause. One that is not there is no loss.
    pub(crate) fn delete(&mut self, clause: &[Lit]) {
        let mut wanted = clause.to_vec();
        wanted.sort_unstable();
        wanted.dedup();
        let key = hash(&wanted);
        let mut before = NONE;
        let mut at = self.by_hash.get(&key).copied().unwrap_or(NONE);
        while at != NONE {
            let mut literals = self.clauses[at as usize].to_vec();
            literals.sort_unstable();
            let after = self.next[at as usize];
            if literals == wanted {
                match (before, after) {
                    (NONE, NONE) => {
                        self.by_hash.remove(&key);
                    }
                    (NONE, _) => {
                        self.by_hash.insert(key, after);
                    }
                    _ => self.next[before as usize] = after,
                }
                self.clauses[at as usize] = Box::default();
                return;
            }
            before = at;
            at = after;
        }
    }

    /// Whether the clause follows by unit propagation.
    pub(crate) fn follows(&mut self, clause: &[Lit]) -> bool {
        if self.refuted {
            return true;
        }
        let fixed = self.trail.len();
        let mut follows = false;
        for &literal in clause {
            match self.value(literal) {
                0 => self.assign(!literal),
                -1 => {}
                _ => {
                    follows = true;
                    break;
                }
            }
        }
        follows = follows || !self.propagate();
        for literal in self.trail.drain(fixed..) {
            self.values[literal.index()] = 0;
            self.values[(!literal).index()] = 0;
        }
        self.propagated = fixed;
        follows
    }

    /// False if there is a contradiction.
    fn propagate(&mut self) -> bool {
        while let Some(&literal) = self.trail.get(self.propagated) {
            self.propagated += 1;
            if !self.wake(!literal) {
                return false;
            }
        }
        true
    }

    /// Looks at the clauses that wait for this literal, which is false now.
    fn wake(&mut self, falsified: Lit) -> bool {
        let mut watches = std::mem::take(&mut self.watches[falsified.index()]);
        let mut kept = 0;
        let mut consistent = true;
        let mut at = 0;
        'watches: while at < watches.len() {
            let watch = watches[at];
            at += 1;
            if self.value(watch.blocker) > 0 {
                watches[kept] = watch;
                kept += 1;
                continue;
            }
            let clause = &mut self.clauses[watch.clause as usize];
            if clause.is_empty() {
                continue;
            }
            if clause[0] == falsified {
                clause.swap(0, 1);
            }
            let first = clause[0];
            if self.values[first.index()] <= 0 {
                for place in 2..clause.len() {
                    if self.values[clause[place].index()] >= 0 {
                        clause.swap(1, place);
                        let other = clause[1];
                        self.watches[other.index()].push(Watch { clause: watch.clause, blocker: first });
                        continue 'watches;
                    }
                }
            }
            watches[kept] = Watch { clause: watch.clause, blocker: first };
            kept += 1;
            match self.value(first) {
                0 => self.assign(first),
                1 => {}
                _ => {
                    consistent = false;
                    break;
                }
            }
        }
        watches.copy_within(at.., kept);
        watches.truncate(kept + watches.len() - at);
        self.watches[falsified.index()] = watches;
        consistent
    }
}

/// Of a set of literals, in whatever order.
fn hash(literals: &[Lit]) -> u64 {
    literals.iter().fold(literals.len() as u64, |sum, literal| {
        let mixed = u64::from(literal.0 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        sum.wrapping_add((mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clause_that_is_deleted_is_of_no_use() {
        let mut clauses = Clauses::new();
        let [a, b, c] = [(); 3].map(|()| clauses.new_var());
        clauses.add(&[!a, b]);
        clauses.add(&[!b, c]);
        assert!(clauses.follows(&[!a, c]));
        assert!(!clauses.follows(&[c]));
        clauses.delete(&[b, !a]);
        assert!(!clauses.follows(&[!a, c]));
        clauses.add(&[!c]);
        assert!(clauses.follows(&[!b]));
    }

    #[test]
    fn units_contradict() {
        let mut clauses = Clauses::new();
        let a = clauses.new_var();
        clauses.add(&[a]);
        assert!(!clauses.follows(&[]));
        clauses.add(&[!a]);
        assert!(clauses.follows(&[]));
    }
}
