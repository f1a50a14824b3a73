//! Searching by degrees (Con2colic): what can be reached with few interferences is looked for before what needs more.
//!
//! An interference is a read that finds what another thread wrote. The paper enumerates the scenarios of a degree one
//! by one; here an open end of the forest is asked for with *at most* so many of them, which is all scenarios at once.
//! As there, the next degree waits until the one before has nothing left, and a run may have more interferences than
//! its schedule was asked for, behind the end of the schedule.

use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::sync::Arc;

use super::ExploreError;
use super::explorer::Explorer;
use super::forest::Answered;
use super::frontier::{Known, signature};
use super::lane::Aim;
use crate::model::Forest;
use crate::queries::{Interferences, OpenEnd, Wish};

/// What is known of an open end.
#[derive(Clone, Copy, Debug)]
struct Tried {
    /// Of what it depends on; if that has changed, only `possible` still holds.
    signature: u64,
    /// It is not reached with so many.
    not_with: Option<usize>,
    /// It is reached with more.
    possible: bool,
}

/// What is to be done next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turn {
    /// Asking whether degrees that have been searched are enough for what is new: mostly they are not, and one
    /// question tells so of all of them.
    Again,
    /// Looking for it with at most so many interferences.
    Degree(usize),
    /// Asking whether it can be reached at all, before the degree after this one.
    After(usize),
}

impl Turn {
    /// Small degrees first.
    fn rank(self) -> (usize, u8) {
        match self {
            Turn::Again => (0, 0),
            Turn::Degree(degree) => (degree, 1),
            Turn::After(degree) => (degree, 2),
        }
    }
}

/// A search by degrees.
struct Search {
    degrees: RangeInclusive<usize>,
    /// The highest degree so far.
    reached: usize,
    tried: HashMap<OpenEnd, Tried>,
}

impl Explorer<'_, '_, '_> {
    /// Until nothing unseen can be reached with so many interferences; whether that came to be.
    pub(super) fn explore_by_degree(&mut self, degrees: RangeInclusive<usize>) -> Result<bool, ExploreError> {
        self.interferences = Some(*degrees.start());
        self.first()?;
        let mut search = Search { reached: *degrees.start(), degrees, tried: HashMap::new() };
        while !self.is_over() {
            let candidates = self.frontier.candidates(&self.forest);
            self.progress(candidates.len());
            let Some((turn, wishes)) = search.next(&self.forest, candidates) else {
                self.interferences = None;
                if self.check_properties()? {
                    continue;
                }
                return Ok(!self.is_over());
            };
            let asked = Arc::clone(&self.forest);
            match turn {
                Turn::Again => {
                    let aim = Aim::Ask(Some(Interferences(search.reached)));
                    let Answered { impossible, possible } = self.reach(&wishes, aim)?;
                    search.not_with(&asked, impossible, Some(search.reached));
                    search.not_with(&asked, possible, None);
                }
                Turn::Degree(degree) if degree > *search.degrees.end() => {
                    for wish in wishes {
                        let bound = format!("{} interferences (--max-interferences)", search.degrees.end());
                        self.frontier.note(&asked, wish.end, Known::Bounded(bound));
                    }
                }
                Turn::Degree(degree) => {
                    self.interferences = Some(degree);
                    search.reached = search.reached.max(degree);
                    let answered = self.reach(&wishes, Aim::Within(Interferences(degree)))?;
                    search.not_with(&asked, answered.impossible, Some(degree));
                }
                Turn::After(_) => {
                    for end in self.reach(&wishes, Aim::Ask(None))?.possible {
                        search.tried.entry(end).and_modify(|known| known.possible = true);
                    }
                }
            }
        }
        self.interferences = None;
        self.check_what_is_known()?;
        Ok(false)
    }
}

impl Search {
    /// The wishes whose turn it is.
    fn next(&self, forest: &Forest, candidates: Vec<Wish>) -> Option<(Turn, Vec<Wish>)> {
        let first = *self.degrees.start();
        let turn = |wish: &Wish| match self.tried.get(&wish.end) {
            Some(known) if known.signature == signature(forest, &wish.end) => match known.not_with {
                Some(degree) if known.possible => Turn::Degree(degree + 1),
                Some(degree) => Turn::After(degree),
                None => Turn::Degree(first),
            },
            _ if self.reached > first => Turn::Again,
            _ => Turn::Degree(first),
        };
        let turns: Vec<(Turn, Wish)> = candidates.into_iter().map(|wish| (turn(&wish), wish)).collect();
        let now = turns.iter().map(|(turn, _)| *turn).min_by_key(|turn| turn.rank())?;
        let wishes = turns.into_iter().filter(|(turn, _)| *turn == now).map(|(_, wish)| wish);
        Some((now, wishes.collect()))
    }

    /// Notes what is known of ends now.
    fn not_with(&mut self, forest: &Forest, ends: Vec<OpenEnd>, not_with: Option<usize>) {
        for end in ends {
            // What can be reached stays so as the forest grows.
            let possible = self.tried.get(&end).is_some_and(|known| known.possible);
            self.tried.insert(end.clone(), Tried { signature: signature(forest, &end), not_with, possible });
        }
    }
}
