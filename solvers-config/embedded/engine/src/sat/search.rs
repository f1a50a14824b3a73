//! The search for a model under assumptions.

use super::clauses::Kind;
use super::literal::Lit;
use super::{Reason, Sat, Theory};
use crate::proof::Step;

/// What came of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    Satisfiable,
    Unsatisfiable,
    Stopped,
    /// All variables that come first have values.
    Paused,
}

/// How far a search goes if nothing contradicts it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Until {
    /// Until all variables that come first ([`Sat::put_first`]) have values.
    First,
    /// Until all variables have.
    All,
}

/// When to begin anew and when to forget.
#[derive(Debug)]
pub(super) struct Pace {
    /// Moving averages of the ranks of learned clauses: of late, and over long.
    late: f64,
    long: f64,
    since_restart: u64,
    /// Propagations until then.
    before_restart: u64,
    pub(super) until_reduction: u64,
    pub(super) reductions: u64,
    until_poll: u32,
    /// Memory for clauses has run out.
    pub(super) exhausted: bool,
}

/// Conflicts between two restarts at least.
const RESTART_INTERVAL: u64 = 10;
/// How many times what a restart takes back must have been propagated since the one before: in long traces that is
/// hundreds of conflicts' work.
const RESTART_COST: u64 = 2;
/// So many levels are taken back after a conflict without asking whether that is too many.
pub(super) const FAR: u32 = 20;
/// How much worse late clauses must be for a restart.
const RESTART_MARGIN: f64 = 1.15;
/// Conflicts and decisions between two questions whether to stop; a conflict counts for eight.
const POLL_INTERVAL: u32 = 1024;

impl Pace {
    pub(super) fn new() -> Pace {
        Pace {
            late: 0.0,
            long: 0.0,
            since_restart: 0,
            before_restart: 0,
            until_reduction: 2000,
            reductions: 0,
            until_poll: POLL_INTERVAL,
            exhausted: false,
        }
    }

    fn learned(&mut self, rank: u32) {
        self.late += (f64::from(rank) - self.late) / 32.0;
        self.long += (f64::from(rank) - self.long) / 4096.0_f64.min(self.since_restart as f64 + 256.0);
        self.since_restart += 1;
        self.until_reduction = self.until_reduction.saturating_sub(1);
    }

    fn poll(&mut self, cost: u32, stop: &mut dyn FnMut() -> bool) -> bool {
        match self.until_poll.checked_sub(cost) {
            Some(left) => {
                self.until_poll = left;
                false
            }
            None => {
                self.until_poll = POLL_INTERVAL;
                stop()
            }
        }
    }
}

impl<T: Theory> Sat<T> {
    /// Looks for a model in which all assumptions hold, of which so many, the first ones, are guards. If there is one, it
    /// stands until [`Sat::release`].
    pub(crate) fn solve(
        &mut self,
        assumptions: &[Lit],
        guards: usize,
        until: Until,
        stop: &mut dyn FnMut() -> bool,
    ) -> Status {
        self.failed.clear();
        self.release();
        self.keep_shared(assumptions);
        self.guards = guards;
        self.tidy();
        if stop() {
            return Status::Stopped;
        }
        self.resume(until, stop)
    }

    /// Goes on looking for a model under the same assumptions, from where the search is.
    pub(crate) fn resume(&mut self, until: Until, stop: &mut dyn FnMut() -> bool) -> Status {
        loop {
            if !self.consistent {
                return Status::Unsatisfiable;
            }
            if self.pace.exhausted {
                return Status::Stopped;
            }
            if !self.propagate() {
                self.statistics.conflicts += 1;
                if self.resolve_conflict() {
                    return Status::Unsatisfiable;
                }
                if self.pace.poll(8, stop) {
                    return Status::Stopped;
                }
                continue;
            }
            if self.covered.last().copied().unwrap_or(0) < self.assumptions.len() {
                if !self.assume() {
                    return Status::Unsatisfiable;
                }
                continue;
            }
            if self.is_time_to_restart() {
                self.restart();
            }
            if self.pace.until_reduction == 0 {
                self.reduce();
            }
            if let Some(status) = self.decide(until) {
                return status;
            }
            if self.pace.poll(1, stop) {
                return Status::Stopped;
            }
        }
    }

    /// Whether a search ended because there was no more room.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.pace.exhausted
    }

    /// Takes back all but assumptions.
    pub(crate) fn release(&mut self) {
        self.cancel_until(self.covered.len() as u32);
    }

    /// Keeps the levels that hold only assumptions with which the new ones begin as well.
    fn keep_shared(&mut self, assumptions: &[Lit]) {
        let shared = self.assumptions.iter().zip(assumptions).take_while(|(old, new)| old == new).count();
        let levels = self.covered.iter().take_while(|&&covered| covered <= shared).count();
        self.cancel_until(levels as u32);
        self.assumptions.clear();
        self.assumptions.extend_from_slice(assumptions);
    }

    /// Puts all assumptions that are missing on a level, or the first of them if it is a guard. False if one of them is
    /// false already.
    fn assume(&mut self) -> bool {
        let from = self.covered.last().copied().unwrap_or(0);
        let to = if from < self.guards { from + 1 } else { self.assumptions.len() };
        self.open_level();
        self.covered.push(to);
        for at in from..to {
            let literal = self.assumptions[at];
            match self.values[literal.index()] {
                0 => self.enqueue(literal, Reason::None),
                1 => {}
                _ => {
                    self.conflict.clear();
                    self.conflict.push(literal);
                    self.blame();
                    self.failed.push(literal);
                    self.note_failed();
                    self.cancel_until(self.decision_level() - 1);
                    return false;
                }
            }
        }
        true
    }

    /// Learns from a conflict. True if the assumptions, or the clauses alone, cannot hold.
    fn resolve_conflict(&mut self) -> bool {
        let level = self.conflict.iter().map(|&literal| self.level(literal)).max().unwrap_or(0);
        self.cancel_until(level);
        if level == 0 {
            self.consistent = false;
            self.note(Step::Learned(&[]));
            return true;
        }
        if level <= self.covered.len() as u32 {
            self.blame();
            self.note_failed();
            if self.failed.is_empty() {
                self.consistent = false;
            }
            self.cancel_until(level - 1);
            return true;
        }
        let back = self.analyze();
        let learned = std::mem::take(&mut self.scratch.learned);
        let rank = self.rank_of(learned.iter().copied());
        self.note(Step::Learned(&learned));
        self.take_back(back);
        match *learned {
            [only] => self.enqueue_at(0, only, Reason::None),
            _ => {
                if let Some(at) = self.store(&learned, Kind::Learned, rank) {
                    self.learned.push(at);
                    self.watch(at);
                    self.enqueue_at(back, learned[0], Reason::Clause(at));
                }
            }
        }
        self.scratch.learned = learned;
        self.pace.learned(rank);
        self.heap.decay();
        false
    }

    /// After a conflict: goes back to where the learned clause implies something, or, if that is far, one level only, and
    /// what it implies comes late (Nadel & Ryvchin, "Chronological backtracking", SAT 2018): in a long trace nearly all
    /// of what would be taken back would be decided once more.
    fn take_back(&mut self, back: u32) {
        let before = self.decision_level() - 1;
        let is_far = before - back > self.far && before >= self.covered.len() as u32;
        self.cancel_until(if is_far { before } else { back });
    }

    /// Are clauses of late bad, and was enough done since the last restart for what one takes back?
    fn is_time_to_restart(&self) -> bool {
        let Pace { since_restart, late, long, before_restart, .. } = self.pace;
        since_restart >= RESTART_INTERVAL
            && late > RESTART_MARGIN * long
            && self.statistics.propagations - before_restart >= RESTART_COST * self.trail.len() as u64
    }

    /// Begins anew, but keeps the decisions that would be made again (van der Tak, Ramos & Heule, "Reusing the
    /// assignment trail in CDCL solvers", 2011).
    fn restart(&mut self) {
        self.pace.since_restart = 0;
        self.pace.late = self.pace.long;
        self.pace.before_restart = self.statistics.propagations;
        self.statistics.restarts += 1;
        let bottom = self.covered.len();
        let next = loop {
            match self.heap.first() {
                Some(var) if self.values[var.positive().index()] != 0 || self.put_aside(var) => {
                    self.heap.pop()
                }
                first => break first,
            };
        };
        let kept = match next {
            None => self.levels.len(),
            Some(next) => {
                let decided = |&level: &usize| !self.heap.precedes(next, self.trail[level].var());
                bottom + self.levels[bottom..].iter().take_while(|level| decided(level)).count()
            }
        };
        self.cancel_until(kept as u32);
    }

    fn note_failed(&mut self) {
        if self.proof.is_some() {
            let clause: Vec<Lit> = self.failed.iter().map(|&literal| !literal).collect();
            self.note(Step::Learned(&clause));
        }
    }

    /// Decides upon a variable, or says what it is that all have values that are to.
    fn decide(&mut self, until: Until) -> Option<Status> {
        while let Some(var) = self.heap.pop() {
            let literal = var.positive().flipped(!self.phases[var.index()]);
            if self.values[literal.index()] != 0 {
                continue;
            }
            if self.put_aside(var) {
                continue;
            }
            if until == Until::First && !self.heap.is_first(var) {
                self.heap.insert(var);
                return Some(Status::Paused);
            }
            self.decide_upon(literal);
            return None;
        }
        match self.next_idle() {
            Some(literal) => {
                self.decide_upon(literal);
                None
            }
            None => Some(Status::Satisfiable),
        }
    }

    fn decide_upon(&mut self, literal: Lit) {
        self.statistics.decisions += 1;
        self.open_level();
        self.enqueue(literal, Reason::None);
    }
}
