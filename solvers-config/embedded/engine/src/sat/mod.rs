//! The propositional core: conflict-driven clause learning with a theory beside it.
//!
//! After MiniSat (Eén & Sörensson, SAT 2003): two watched literals, VSIDS, first unique implication points,
//! recursive minimisation; after Glucose (Audemard & Simon, IJCAI 2009): ranks of learned clauses and restarts by
//! them. Deviations, all for the way Warpath asks: variables are first tried *false*; all assumptions that are not
//! shared with the question before stand on one decision level, and those that are shared stay where they are, so
//! hundreds of assumptions cost one propagation and not hundreds of levels at each restart; what the theory implies
//! is explained only when a conflict asks for it.
//!
//! After a conflict far up, one level is taken back and not all of them (Nadel & Ryvchin, SAT 2018; Möhle & Biere, "Backing
//! backtracking", SAT 2019): what is implied then comes *late*, on the trail above its level, and stays when levels
//! between are taken back. So the trail is in the order of reasons, but not of levels.

mod add;
mod analyze;
mod choices;
mod clauses;
mod heap;
mod literal;
mod propagate;
mod reduce;
mod search;
mod theory;

use crate::proof::{Proof, Step};
pub(crate) use clauses::Kind;
use clauses::{ClauseRef, Clauses};
use heap::Heap;
pub use literal::{Lit, Var};
pub(crate) use search::{Status, Until};
pub(crate) use theory::{Contradiction, Since, Theory};

/// A clause that waits for a literal to become false.
#[derive(Debug, Clone, Copy)]
struct Watch {
    /// The clause; the highest bit says that it has two literals.
    clause: u32,
    /// Another literal of the clause: if it is true, the clause need not be looked at.
    blocker: Lit,
}

const BINARY: u32 = 1 << 31;

/// Why a variable has its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reason {
    /// Decided, assumed, or not assigned.
    None,
    Clause(ClauseRef),
    /// The theory implied it and has not been asked why.
    Theory,
}

#[derive(Debug, Clone, Copy)]
struct Assignment {
    level: u32,
    reason: Reason,
}

/// Counts of what was done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Statistics {
    /// Contradictions met.
    pub conflicts: u64,
    /// Of those, contradictions of the theory of orders.
    pub circles: u64,
    /// Choices made.
    pub decisions: u64,
    /// Literals that became true.
    pub propagations: u64,
    /// Of those, implied by the theory of orders.
    pub implied: u64,
    /// Explanations that the theory was asked for.
    pub explained: u64,
    /// Times that the search began anew.
    pub restarts: u64,
}

#[derive(Debug)]
pub(crate) struct Sat<T> {
    pub(crate) theory: T,
    pub(crate) proof: Option<Box<dyn Proof>>,
    pub(crate) statistics: Statistics,
    /// Nothing contradicts itself yet without assumptions.
    consistent: bool,
    clauses: Clauses,
    given: Vec<ClauseRef>,
    learned: Vec<ClauseRef>,
    explanations: Vec<ClauseRef>,
    watches: Vec<Vec<Watch>>,
    /// By literal: 1 true, -1 false, 0 not assigned.
    values: Vec<i8>,
    assignments: Vec<Assignment>,
    /// The value a variable had last, which is tried first.
    phases: Vec<bool>,
    /// By variable: it is always tried with its first phase.
    steady: Vec<bool>,
    heap: Heap,
    choices: choices::Choices,
    trail: Vec<Lit>,
    /// Where on the trail each level begins.
    levels: Vec<usize>,
    /// Where on the trail the first literal may be that is of a lower level than the one it stands on.
    late_from: usize,
    /// What of the trail was propagated, and what of it the theory was told.
    propagated: usize,
    told: usize,
    assumptions: Vec<Lit>,
    /// So many of them, the first ones, are guards: what follows from these alone counts as certain, and what is learned
    /// with it says so by their negations.
    guards: usize,
    /// For each level of assumptions, the lowest ones: how many of the assumptions it and those below hold.
    covered: Vec<usize>,
    failed: Vec<Lit>,
    seen: Vec<u8>,
    /// What the theory implies and is not on the trail yet.
    implied: Vec<Lit>,
    /// Scratch memory.
    late: Vec<Lit>,
    explanation: Vec<Lit>,
    antecedent: Vec<Lit>,
    conflict: Vec<Lit>,
    scratch: analyze::Scratch,
    pace: search::Pace,
    tidied: reduce::Tidied,
    /// So many levels are taken back after a conflict without asking whether that is too many.
    far: u32,
}

impl<T: Theory> Sat<T> {
    pub(crate) fn new(theory: T, seed: u64) -> Sat<T> {
        let mut sat = Sat {
            theory,
            proof: None,
            statistics: Statistics::default(),
            consistent: true,
            clauses: Clauses::default(),
            given: Vec::new(),
            learned: Vec::new(),
            explanations: Vec::new(),
            watches: Vec::new(),
            values: Vec::new(),
            assignments: Vec::new(),
            phases: Vec::new(),
            steady: Vec::new(),
            heap: Heap::new(seed),
            choices: choices::Choices::default(),
            trail: Vec::new(),
            levels: Vec::new(),
            late_from: usize::MAX,
            propagated: 0,
            told: 0,
            assumptions: Vec::new(),
            guards: 0,
            covered: Vec::new(),
            failed: Vec::new(),
            seen: Vec::new(),
            implied: Vec::new(),
            late: Vec::new(),
            explanation: Vec::new(),
            antecedent: Vec::new(),
            conflict: Vec::new(),
            scratch: analyze::Scratch::default(),
            pace: search::Pace::new(),
            tidied: reduce::Tidied::default(),
            // Small searches have fewer levels; a seed makes them take back few as well.
            far: if seed == 0 { search::FAR } else { (seed % 4) as u32 },
        };
        let truth = sat.new_var();
        sat.enqueue(truth.positive(), Reason::None);
        sat
    }

    /// A new variable.
    pub(crate) fn new_var(&mut self) -> Var {
        let var = Var(self.assignments.len() as u32);
        self.assignments.push(Assignment { level: 0, reason: Reason::None });
        self.values.extend([0, 0]);
        self.watches.extend([Vec::new(), Vec::new()]);
        self.phases.push(false);
        self.steady.push(false);
        self.seen.push(0);
        self.heap.add();
        var
    }

    /// Lets a variable be decided before others, as long as no conflict says which.
    pub(crate) fn favour(&mut self, var: Var) {
        self.heap.bump(var);
        self.heap.insert(var);
    }

    /// Lets a variable be decided before all that this was not said of, and always tried with its first phase: where that
    /// is how things are known to be possible, what a search was driven to is no better guess.
    pub(crate) fn put_first(&mut self, var: Var) {
        self.favour(var);
        self.heap.put_first(var);
        self.steady[var.index()] = true;
    }

    /// How many variables there are.
    pub(crate) fn vars(&self) -> usize {
        self.assignments.len()
    }

    pub(crate) fn value(&self, literal: Lit) -> Option<bool> {
        match self.values[literal.index()] {
            0 => None,
            value => Some(value > 0),
        }
    }

    /// The value that cannot change any more.
    pub(crate) fn fixed(&self, literal: Lit) -> Option<bool> {
        self.value(literal).filter(|_| self.level(literal) == 0)
    }

    /// The values of all literals, by [`Lit::index`].
    pub(crate) fn values(&self) -> &[i8] {
        &self.values
    }

    pub(crate) fn set_phase(&mut self, var: Var, phase: bool) {
        self.phases[var.index()] = phase;
    }

    /// After an answer of unsatisfiable: assumptions that cannot all hold.
    pub(crate) fn failed(&self) -> &[Lit] {
        &self.failed
    }

    fn level(&self, literal: Lit) -> u32 {
        self.assignments[literal.var().index()].level
    }

    /// The topmost level on which nothing but guards was assumed.
    fn base(&self) -> u32 {
        self.covered.iter().take_while(|&&covered| covered <= self.guards).count() as u32
    }

    /// The guards that are assumed up to a level, which is not above the base.
    fn guards_below(&self, level: u32) -> &[Lit] {
        let count = level.checked_sub(1).map_or(0, |at| self.covered[at as usize]);
        &self.assumptions[..count]
    }

    fn decision_level(&self) -> u32 {
        self.levels.len() as u32
    }

    fn note(&mut self, step: Step<'_>) {
        if let Some(proof) = &mut self.proof {
            proof.step(step);
        }
    }

    fn enqueue(&mut self, literal: Lit, reason: Reason) {
        self.enqueue_at(self.decision_level(), literal, reason);
    }

    /// Makes a literal true as if it had followed on a level, below which its reason must not have any.
    fn enqueue_at(&mut self, level: u32, literal: Lit, reason: Reason) {
        debug_assert_eq!(self.values[literal.index()], 0);
        self.values[literal.index()] = 1;
        self.values[(!literal).index()] = -1;
        self.assignments[literal.var().index()] = Assignment { level, reason };
        if level < self.decision_level() {
            self.late_from = self.late_from.min(self.trail.len());
        }
        self.trail.push(literal);
    }

    /// The level on which a clause implies a literal, all others of it being false: the topmost, but where literals came
    /// late.
    fn level_implied(&self, clause: ClauseRef, implied: Lit) -> u32 {
        if self.late_from == usize::MAX {
            return self.decision_level();
        }
        let others = self.clauses.literals(clause).filter(|&literal| literal != implied);
        others.map(|literal| self.level(literal)).max().unwrap_or(0)
    }

    fn open_level(&mut self) {
        self.levels.push(self.trail.len());
    }

    /// Takes back all levels above this one. What came late, and is of this one or one below, stays.
    fn cancel_until(&mut self, level: u32) {
        if self.decision_level() <= level {
            return;
        }
        let start = self.levels[level as usize];
        self.implied.clear();
        let mut told = 0;
        for at in (start..self.trail.len()).rev() {
            let literal = self.trail[at];
            let var = literal.var();
            if at < self.told && self.theory.knows(var) {
                self.theory.retract();
            }
            if self.late_from <= at && self.level(literal) <= level {
                told += usize::from(at < self.told);
                self.late.push(literal);
                continue;
            }
            self.values[literal.index()] = 0;
            self.values[(!literal).index()] = 0;
            if !self.steady[var.index()] {
                self.phases[var.index()] = literal.is_positive();
            }
            self.heap.insert(var);
        }
        self.trail.truncate(start);
        self.levels.truncate(level as usize);
        self.covered.truncate(level as usize);
        self.propagated = self.propagated.min(start);
        self.told = self.told.min(start);
        if self.late_from >= start {
            self.late_from = usize::MAX;
        }
        if !self.late.is_empty() {
            self.put_back(told);
        }
    }

    /// Puts what came late back on the trail, and tells the theory again of the first so many: what follows from them
    /// may be asked why.
    fn put_back(&mut self, told: usize) {
        let start = self.trail.len();
        let decision_level = self.decision_level();
        while let Some(literal) = self.late.pop() {
            if self.level(literal) < decision_level {
                self.late_from = self.late_from.min(self.trail.len());
            }
            self.trail.push(literal);
        }
        self.told = self.told.max(start + told);
        for at in start..start + told {
            let literal = self.trail[at];
            if self.theory.knows(literal.var()) {
                let retold = self.theory.tell(literal, self.since(literal), &mut self.implied);
                debug_assert!(retold.is_ok(), "a part of what was possible is possible");
            }
        }
    }

    /// How a literal became true, for the theory.
    fn since(&self, literal: Lit) -> Since {
        let Assignment { level, reason } = self.assignments[literal.var().index()];
        Since { permanent: level <= self.base(), implied: matches!(reason, Reason::Theory) }
    }
}
