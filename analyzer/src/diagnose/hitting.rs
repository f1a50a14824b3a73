//! The smallest set that has something of each of several sets; of several smallest ones, the first in order.
//!
//! Branch and bound: the sets are few and small, since each is what a passing execution had to change.

use std::collections::BTreeSet;

/// Steps of one search at most: beyond that the sets are too many to be worth it. A count and not a time, so that the
/// result does not depend on the machine.
const MOST_STEPS: u64 = 2_000_000;

/// The smallest set, ascending, that meets every one of `sets`: the first of several, compared element by element.
/// `None` if that takes too long to find out, or if one of the sets is empty.
pub(super) fn smallest(sets: &[BTreeSet<usize>], at_least: usize) -> Option<Vec<usize>> {
    let mut search = Search { sets, best: None, steps: 0 };
    for size in at_least.. {
        search.extend(&mut Vec::new(), &mut BTreeSet::new(), size);
        if search.steps > MOST_STEPS || sets.iter().any(BTreeSet::is_empty) {
            return None;
        }
        if search.best.is_some() {
            return search.best;
        }
    }
    None
}

struct Search<'a> {
    sets: &'a [BTreeSet<usize>],
    best: Option<Vec<usize>>,
    steps: u64,
}

impl Search<'_> {
    /// Looks for sets with `room` more elements, none of them among `without`.
    fn extend(&mut self, chosen: &mut Vec<usize>, without: &mut BTreeSet<usize>, room: usize) {
        self.steps += 1;
        if self.steps > MOST_STEPS {
            return;
        }
        let open: Vec<&BTreeSet<usize>> =
            self.sets.iter().filter(|set| !chosen.iter().any(|element| set.contains(element))).collect();
        let allowed = |set: &BTreeSet<usize>| set.iter().filter(|element| !without.contains(element)).count();
        let Some(narrowest) = open.iter().min_by_key(|set| allowed(set)) else {
            let mut found = chosen.clone();
            found.sort_unstable();
            if self.best.as_ref().is_none_or(|best| found < *best) {
                self.best = Some(found);
            }
            return;
        };
        if at_least(&open, without) > room {
            return;
        }
        let ways: Vec<usize> = narrowest.iter().copied().filter(|way| !without.contains(way)).collect();
        let mut left_out = Vec::new();
        for way in ways {
            chosen.push(way);
            self.extend(chosen, without, room - 1);
            chosen.pop();
            // What comes after has been tried with it.
            if without.insert(way) {
                left_out.push(way);
            }
        }
        for way in left_out {
            without.remove(&way);
        }
    }
}

/// How many elements it takes at least: sets that have nothing in common need one each.
fn at_least(open: &[&BTreeSet<usize>], without: &BTreeSet<usize>) -> usize {
    let mut used: BTreeSet<usize> = BTreeSet::new();
    let mut count = 0;
    for set in open {
        let elements = || set.iter().filter(|element| !without.contains(element));
        if elements().next().is_none() {
            return usize::MAX;
        }
        if elements().all(|element| !used.contains(element)) {
            used.extend(elements());
            count += 1;
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sets(sets: &[&[usize]]) -> Vec<BTreeSet<usize>> {
        sets.iter().map(|set| set.iter().copied().collect()).collect()
    }

    #[test]
    fn the_smallest_and_first() {
        assert_eq!(smallest(&[], 0), Some(vec![]));
        assert_eq!(smallest(&sets(&[&[3, 4], &[4, 5]]), 0), Some(vec![4]));
        assert_eq!(smallest(&sets(&[&[3, 4], &[1, 5]]), 0), Some(vec![1, 3]));
        assert_eq!(smallest(&sets(&[&[1, 2], &[2, 3], &[1, 3]]), 0), Some(vec![1, 2]));
        assert_eq!(smallest(&sets(&[&[]]), 0), None);
    }

    #[test]
    fn as_trying_everything_finds() {
        let mut seed = 7u64;
        let mut draw = |most: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % most
        };
        for _ in 0..200 {
            let family: Vec<BTreeSet<usize>> =
                (0..1 + draw(6)).map(|_| (0..1 + draw(3)).map(|_| draw(7) as usize).collect()).collect();
            let subsets =
                (0u32..1 << 7).map(|mask| (0..7).filter(|n| mask >> n & 1 == 1).collect::<Vec<_>>());
            let hits = |subset: &Vec<usize>| {
                family.iter().all(|set| subset.iter().any(|element| set.contains(element)))
            };
            let wanted = subsets.filter(hits).min_by_key(|subset| (subset.len(), subset.clone()));
            assert_eq!(smallest(&family, 0), wanted, "{family:?}");
        }
    }
}
