//! Baselines without a solver: random schedules and random inputs, to measure the other strategies against. They find
//! bugs by luck and never know that nothing is left.

use warpath_trace::si::InputValue;

use super::ExploreError;
use super::explorer::Explorer;
use super::runner::{Free, Request};
use crate::model::InputVar;

/// Runs if nobody says how many.
const RUNS: u64 = 1000;
/// Runs that are made together. They know the same inputs, so that what is found does not depend on the number of
/// workers.
const TOGETHER: u64 = 8;
/// Orderings that a bug may need, for random priorities.
const DEPTH: u32 = 3;

/// How schedules are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Draw {
    /// Any thread at every step.
    Threads,
    /// Priorities that change at a few points.
    Priorities,
}

impl Explorer<'_, '_, '_> {
    /// As many runs as the bounds allow; it is never known that nothing is left.
    pub(super) fn explore_blindly(&mut self, draw: Draw) -> Result<bool, ExploreError> {
        self.first()?;
        // A plain run with a schedule of its own; all others have random ones.
        let steps = self.forest.run().map_or(1, |run| run.steps.len().max(1) as u64);
        let most = self.options.bounds.executions.unwrap_or(RUNS);
        let mut number = 0;
        while !self.is_over() {
            self.progress(0);
            let left = most.saturating_sub(self.statistics.executions);
            if left == 0 {
                self.bounds_hit.insert(format!("{most} executions (of this strategy; --max-executions)"));
                break;
            }
            let requests = (number..).take(left.min(TOGETHER) as usize);
            let requests: Vec<Request> = requests.map(|n| self.drawn(draw, n, steps)).collect();
            number += requests.len() as u64;
            self.run(requests)?;
        }
        self.doubts.insert("random schedules do not show that nothing is left".to_owned());
        Ok(false)
    }

    /// One of the random runs. The first have the inputs of a plain run.
    fn drawn(&self, draw: Draw, number: u64, steps: u64) -> Request {
        let seed = self.options.seed.wrapping_add(number);
        let free = match draw {
            Draw::Threads => Free::Random { seed },
            Draw::Priorities => Free::Pct { seed, depth: DEPTH, steps },
        };
        let mut random = Random(seed);
        let inputs = match number < TOGETHER {
            true => Vec::new(),
            false => self.forest.inputs().iter().map(|input| random.input(input)).collect(),
        };
        Request { inputs, ..Request::free(free, self.values) }
    }
}

/// Pseudo-random numbers: a counter, scrambled (SplitMix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let scrambled = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let scrambled = (scrambled ^ (scrambled >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        scrambled ^ (scrambled >> 31)
    }

    /// A value of an input: small ones and those at the borders of its type are more likely than others.
    fn input(&mut self, input: &InputVar) -> InputValue {
        let width = u32::from(input.width).clamp(1, 128);
        let mask = u128::MAX >> (128 - width);
        let sign = 1u128 << (width - 1);
        let near = u128::from(self.next() % 3);
        let value = match self.next() % 8 {
            0..=2 => u128::from(self.next() % 16),
            3 => u128::from(self.next() % 256),
            4 => near.wrapping_neg(),
            5 => sign.wrapping_add(near).wrapping_sub(1),
            6 => 1u128.wrapping_shl((self.next() % u64::from(width)) as u32),
            _ => u128::from(self.next()) << 64 | u128::from(self.next()),
        };
        InputValue { name: input.name.clone(), nth: input.nth, width: input.width, value: value & mask }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_fit_their_width_and_are_often_small() {
        for width in [1u8, 8, 32, 64, 128] {
            let input = InputVar { name: "i".to_owned(), nth: 0, width };
            let mut random = Random(u64::from(width));
            let drawn: Vec<u128> = (0..1000).map(|_| random.input(&input).value).collect();
            let largest = u128::MAX >> (128 - u32::from(width));
            assert!(drawn.iter().all(|&value| value <= largest), "{width} bits");
            assert!(drawn.contains(&0) && drawn.contains(&largest), "{width} bits");
            assert!(drawn.iter().filter(|&&value| value < 16).count() > 250, "{width} bits");
        }
    }
}
