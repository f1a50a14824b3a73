//! Policies: how to choose when no schedule says.

use super::pct::Priorities;
use super::{Choice, Turn};
use crate::run::perform::Ability;

/// How to choose among threads that can go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// The same thread until it cannot.
    RunToBlock,
    /// One visible step each.
    RoundRobin,
    /// Any thread at every step.
    Random {
        /// Decides which.
        seed: u64,
    },
    /// Probabilistic concurrency testing: random priorities that change at `depth - 1` random points (Burckhardt and
    /// others, ASPLOS 2010).
    Pct {
        /// Decides priorities and points.
        seed: u64,
        /// How many orderings a bug may need.
        depth: u32,
        /// About how many steps a run has.
        steps: u64,
    },
}

/// A policy at work.
#[derive(Clone, Debug)]
pub(crate) struct Chooser {
    policy: Policy,
    last: usize,
    random: Random,
    priorities: Priorities,
    /// Steps of the same thread in a row.
    streak: u64,
}

/// Steps in a row after which even run-to-block lets another thread go: who spins would spin for ever.
const PATIENCE: u64 = 20_000;

/// xorshift64*: small, and the same everywhere.
#[derive(Clone, Debug)]
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
    }

    pub(super) fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }
}

impl Chooser {
    pub(crate) fn new(policy: Policy) -> Chooser {
        let (seed, depth, steps) = match policy {
            Policy::Random { seed } => (seed, 0, 0),
            Policy::Pct { seed, depth, steps } => (seed, depth, steps),
            Policy::RunToBlock | Policy::RoundRobin => (0, 0, 0),
        };
        let mut random = Random::new(seed);
        let priorities = Priorities::new(&mut random, depth, steps);
        Chooser { policy, last: 0, random, priorities, streak: 0 }
    }

    pub(crate) fn policy(&self) -> Policy {
        self.policy
    }

    /// This thread had the last turn.
    pub(crate) fn go_on_with(&mut self, thread: usize) {
        (self.last, self.streak) = (thread, 0);
    }

    pub(crate) fn choose(&mut self, choices: &[Choice]) -> Turn {
        let turn = self.pick(choices);
        if let Turn::Step(thread) = turn {
            self.streak = if thread == self.last { self.streak + 1 } else { 0 };
            self.last = thread;
        }
        turn
    }

    fn pick(&mut self, choices: &[Choice]) -> Turn {
        let able: Vec<&Choice> = choices.iter().filter(|choice| choice.ability == Ability::Now).collect();
        if let Policy::Random { .. } = self.policy {
            // A commit is as good a step as any.
            let mut turns: Vec<Turn> = able.iter().map(|choice| Turn::Step(choice.thread)).collect();
            for choice in choices {
                turns.extend(choice.commits.iter().map(|&write| Turn::Commit(choice.thread, write)));
            }
            if !turns.is_empty() {
                return turns[self.random.below(turns.len())];
            }
        }
        if !able.is_empty() {
            return Turn::Step(self.prefer(&able));
        }
        // Writes reach memory at the latest when their thread has to wait for them.
        let commit =
            choices.iter().find_map(|choice| Some(Turn::Commit(choice.thread, *choice.commits.first()?)));
        if let Some(commit) = commit {
            return commit;
        }
        // Nobody can go on: the first deadline passes.
        let timed = choices.iter().filter_map(|choice| match choice.ability {
            Ability::AtDeadline(time) => Some((time, choice.thread)),
            _ => None,
        });
        timed.min().map_or(Turn::Stuck, |(_, thread)| Turn::Step(thread))
    }

    fn prefer(&mut self, able: &[&Choice]) -> usize {
        let after = |last: usize| {
            let next = able.iter().find(|choice| choice.thread > last).or(able.first());
            next.map_or(last, |choice| choice.thread)
        };
        match self.policy {
            Policy::RunToBlock => {
                let eager: Vec<&&Choice> = able.iter().filter(|choice| !choice.yielded).collect();
                let goes_on = eager.iter().any(|choice| choice.thread == self.last) && self.streak < PATIENCE;
                if goes_on {
                    return self.last;
                }
                let others: Vec<usize> =
                    eager.iter().map(|choice| choice.thread).filter(|&thread| thread != self.last).collect();
                let next = others.iter().find(|&&thread| thread > self.last).or(others.first());
                next.copied().unwrap_or_else(|| after(self.last))
            }
            Policy::RoundRobin | Policy::Random { .. } => after(self.last),
            Policy::Pct { .. } => self.priorities.choose(&mut self.random, able),
        }
    }
}
