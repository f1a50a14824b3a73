//! What is learned from a conflict, and which assumptions are to blame for one.

use super::clauses::ClauseRef;
use super::literal::Lit;
use super::{Reason, Sat, Theory};

#[derive(Debug, Default)]
pub(super) struct Scratch {
    /// The clause that is being learned.
    pub(super) learned: Vec<Lit>,
    /// Variables whose `seen` must be cleared.
    marked: Vec<Lit>,
    /// The topmost level of what was left out as certain.
    certain: u32,
    stack: Vec<(Lit, usize)>,
    /// By level: when a literal of it was last counted.
    stamps: Vec<u64>,
    stamp: u64,
}

/// Of `seen`: met in the analysis; known to follow from the learned clause; known not to.
const SEEN: u8 = 1;
const REDUNDANT: u8 = 2;
const NEEDED: u8 = 4;

impl<T: Theory> Sat<T> {
    /// Learns from `conflict`, whose literals are all false and of which at least one is of the current level. The
    /// clause is left in `scratch.learned`, its first literal being the one to assert on the level that is returned.
    pub(super) fn analyze(&mut self) -> u32 {
        let mut learned = std::mem::take(&mut self.scratch.learned);
        let mut antecedent = std::mem::take(&mut self.conflict);
        learned.clear();
        learned.push(Lit::TRUE);
        let base = self.base();
        self.scratch.certain = 0;
        let mut open = 0;
        let mut at = self.trail.len();
        let mut resolved = None;
        loop {
            for &literal in &antecedent {
                let var = literal.var();
                if Some(var) == resolved || self.seen[var.index()] != 0 || self.is_certain(literal, base) {
                    continue;
                }
                self.heap.bump(var);
                self.seen[var.index()] = SEEN;
                self.scratch.marked.push(literal);
                if self.level(literal) >= self.decision_level() {
                    open += 1;
                } else {
                    learned.push(literal);
                }
            }
            loop {
                at -= 1;
                let literal = self.trail[at];
                // What came late may be of a lower level, and is learned then.
                if self.seen[literal.var().index()] != 0 && self.level(literal) >= self.decision_level() {
                    break;
                }
            }
            let literal = self.trail[at];
            open -= 1;
            if open == 0 {
                learned[0] = !literal;
                break;
            }
            let reason = self.reason(literal).expect("only the first of a level has no reason");
            self.of_use(reason);
            antecedent.clear();
            antecedent.extend(self.clauses.literals(reason));
            resolved = Some(literal.var());
        }
        self.conflict = antecedent;
        let mut kept = 1;
        for place in 1..learned.len() {
            if !self.is_redundant(learned[place], base) {
                learned[kept] = learned[place];
                kept += 1;
            }
        }
        learned.truncate(kept);
        for literal in self.scratch.marked.drain(..) {
            self.seen[literal.var().index()] = 0;
        }
        self.add_guards(&mut learned);
        let second = (1..learned.len()).max_by_key(|&place| self.level(learned[place]));
        let back = match second {
            None => 0,
            Some(place) => {
                learned.swap(1, place);
                self.level(learned[1])
            }
        };
        self.scratch.learned = learned;
        back
    }

    /// Whether a literal follows from guards, the base being the level of the last of them; if so, its level is noted.
    fn is_certain(&mut self, literal: Lit, base: u32) -> bool {
        let level = self.level(literal);
        if level <= base {
            self.scratch.certain = self.scratch.certain.max(level);
        }
        level <= base
    }

    /// Adds to a clause the negations of the guards that were met as far as what is certain was left out of it.
    fn add_guards(&self, clause: &mut Vec<Lit>) {
        clause.extend(self.guards_below(self.scratch.certain).iter().map(|&guard| !guard));
    }

    /// Whether a literal of the learned clause follows from its others. (Sörensson & Biere, SAT 2009; with a stack
    /// of our own. What the theory implied without having been asked why counts as needed.)
    fn is_redundant(&mut self, literal: Lit, base: u32) -> bool {
        if !matches!(self.assignments[literal.var().index()].reason, Reason::Clause(_)) {
            return false;
        }
        let mut stack = std::mem::take(&mut self.scratch.stack);
        stack.clear();
        stack.push((literal, 0));
        let mut redundant = true;
        'walk: while let Some((current, place)) = stack.pop() {
            let var = current.var().index();
            let Reason::Clause(reason) = self.assignments[var].reason else {
                redundant = false;
                break;
            };
            let length = self.clauses.len(reason);
            for next in place..length {
                let other = self.clauses.literal(reason, next);
                let index = other.var().index();
                let known = index == var || self.seen[index] & (SEEN | REDUNDANT) != 0;
                if known || self.is_certain(other, base) {
                    continue;
                }
                let explained = matches!(self.assignments[index].reason, Reason::Clause(_));
                if self.seen[index] & NEEDED != 0 || !explained {
                    redundant = false;
                    // Whatever rests on it is needed as well.
                    stack.push((current, next));
                    for &(on_path, _) in &stack[1..] {
                        let index = on_path.var().index();
                        if self.seen[index] == 0 {
                            self.seen[index] = NEEDED;
                            self.scratch.marked.push(on_path);
                        }
                    }
                    break 'walk;
                }
                stack.push((current, next + 1));
                stack.push((other, 0));
                continue 'walk;
            }
            if self.seen[var] == 0 {
                self.seen[var] = REDUNDANT;
                self.scratch.marked.push(current);
            }
        }
        self.scratch.stack = stack;
        redundant
    }

    /// The number of levels on which the literals stand that are not certain.
    pub(super) fn rank_of(&mut self, literals: impl Iterator<Item = Lit>) -> u32 {
        self.scratch.stamp += 1;
        self.scratch.stamps.resize(self.levels.len() + 1, 0);
        let base = self.base() as usize;
        let mut rank = 0;
        for literal in literals {
            let level = self.assignments[literal.var().index()].level as usize;
            if level > base && self.scratch.stamps[level] != self.scratch.stamp {
                self.scratch.stamps[level] = self.scratch.stamp;
                rank += 1;
            }
        }
        rank
    }

    /// A clause took part in a conflict.
    pub(super) fn of_use(&mut self, at: ClauseRef) {
        if !self.clauses.is_learned(at) {
            return;
        }
        let before = self.clauses.rank(at);
        if before > 2 {
            let mut words = std::mem::take(&mut self.scratch.stack);
            words.clear();
            words.extend(self.clauses.literals(at).map(|literal| (literal, 0)));
            let rank = self.rank_of(words.iter().map(|&(literal, _)| literal));
            self.scratch.stack = words;
            if rank < before {
                self.clauses.set_rank(at, rank);
            }
        }
        let spared = if self.clauses.rank(at) <= 6 { 2 } else { 1 };
        self.clauses.set_used(at, spared);
    }

    /// Puts into `failed` the assumptions that make all literals of `conflict` false.
    pub(super) fn blame(&mut self) {
        self.failed.clear();
        let base = self.base();
        self.scratch.certain = 0;
        let antecedent = std::mem::take(&mut self.conflict);
        self.mark(&antecedent, base);
        self.conflict = antecedent;
        let bottom = self.levels.get(base as usize).copied().unwrap_or(self.trail.len());
        for at in (bottom..self.trail.len()).rev() {
            let literal = self.trail[at];
            if self.seen[literal.var().index()] == 0 {
                continue;
            }
            match self.reason(literal) {
                None => self.failed.push(literal),
                Some(reason) => {
                    let mut antecedent = std::mem::take(&mut self.antecedent);
                    antecedent.clear();
                    antecedent.extend(self.clauses.literals(reason));
                    self.mark(&antecedent, base);
                    self.antecedent = antecedent;
                }
            }
        }
        for literal in self.scratch.marked.drain(..) {
            self.seen[literal.var().index()] = 0;
        }
        let guards = self.guards_below(self.scratch.certain).len();
        self.failed.extend_from_slice(&self.assumptions[..guards]);
    }

    fn mark(&mut self, literals: &[Lit], base: u32) {
        for &literal in literals {
            let var = literal.var().index();
            if self.seen[var] == 0 && !self.is_certain(literal, base) {
                self.seen[var] = SEEN;
                self.scratch.marked.push(literal);
            }
        }
    }
}
