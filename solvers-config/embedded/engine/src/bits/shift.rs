//! Shifts by amounts that are not constants of the formula (those that are fold away).

use super::Circuit;
use crate::sat::Lit;

/// Where bits go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    Left,
    Right,
}

impl Circuit {
    /// Shifts by an unsigned amount, stage by stage; `fill` comes in.
    pub(crate) fn shift(&mut self, a: &[Lit], by: &[Lit], direction: Direction, fill: Lit) -> Vec<Lit> {
        let width = a.len();
        let mut shifted = a.to_vec();
        let mut beyond = Vec::new();
        for (stage, &bit) in by.iter().enumerate() {
            let distance = 1_usize.checked_shl(stage as u32).filter(|&distance| distance < width);
            let Some(distance) = distance else {
                beyond.push(bit);
                continue;
            };
            let moved: Vec<Lit> = (0..width)
                .map(|place| match direction {
                    Direction::Left => place.checked_sub(distance).map_or(fill, |from| shifted[from]),
                    Direction::Right => shifted.get(place + distance).copied().unwrap_or(fill),
                })
                .collect();
            shifted = self.choose(bit, &moved, &shifted);
        }
        let beyond = self.or_all(beyond);
        let filled = vec![fill; width];
        self.choose(beyond, &filled, &shifted)
    }
}
