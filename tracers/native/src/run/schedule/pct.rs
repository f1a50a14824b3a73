//! Random priorities with few changes.

use std::collections::BTreeMap;

use super::Choice;
use super::policy::Random;

/// Priorities of threads: higher goes first.
#[derive(Clone, Debug, Default)]
pub(super) struct Priorities {
    of: BTreeMap<usize, u64>,
    changes: Vec<u64>,
    step: u64,
}

impl Priorities {
    pub(super) fn new(random: &mut Random, depth: u32, steps: u64) -> Priorities {
        let changes = (1..depth).map(|_| random.next() % steps.max(1)).collect();
        Priorities { of: BTreeMap::new(), changes, step: 0 }
    }

    pub(super) fn choose(&mut self, random: &mut Random, able: &[&Choice]) -> usize {
        for choice in able {
            // New threads come in anywhere above the priorities that changes give.
            let drawn = random.next() % (1 << 32) + u64::from(u32::MAX);
            self.of.entry(choice.thread).or_insert(drawn);
        }
        let priority = |of: &BTreeMap<usize, u64>, thread| of.get(&thread).copied().unwrap_or(0);
        let best = |of: &BTreeMap<usize, u64>| {
            let eager = able.iter().filter(|choice| !choice.yielded).map(|choice| choice.thread);
            let all = able.iter().map(|choice| choice.thread);
            eager
                .max_by_key(|&thread| (priority(of, thread), thread))
                .or_else(|| all.max_by_key(|&thread| (priority(of, thread), thread)))
                .unwrap_or(0)
        };
        let chosen = best(&self.of);
        let change = self.changes.iter().position(|&change| change == self.step);
        self.step += 1;
        match change {
            Some(n) => {
                self.of.insert(chosen, n as u64);
                best(&self.of)
            }
            None => chosen,
        }
    }
}
