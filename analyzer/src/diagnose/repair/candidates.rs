//! What could be tried, from what the causes are about.
//!
//! A cause is broken by any order that contradicts it, and by whatever keeps the events of one of its threads together:
//! so the lines of each thread's events are made exclusive, or one thread waits for another.

use std::collections::{BTreeMap, BTreeSet};

use warpath_trace::header::MemoryModel;

use super::rule::Rule;
use super::spot::{Region, Spot};
use crate::diagnose::occurrence::{OccurrenceId, Occurrences};
use crate::diagnose::result::Cause;
use crate::model::{Forest, TreeIx};

/// So many are tried at most.
const MOST: usize = 160;

/// What could be tried, the best first: few places, then critical sections before
/// fences before waits, then few lines.
pub(super) fn candidates(
    forest: &Forest,
    occurrences: &Occurrences,
    model: MemoryModel,
    causes: &[Cause],
) -> Vec<Rule> {
    let mut all: BTreeSet<Rule> = BTreeSet::new();
    let mut everywhere: BTreeMap<(String, String), Vec<Spot>> = BTreeMap::new();
    for cause in causes {
        let sides = spots(forest, occurrences, cause);
        for spot in sides.values().flatten() {
            everywhere.entry((spot.file.clone(), spot.function.clone())).or_default().push(spot.clone());
        }
        all.extend(critical_sections(sides.values().map(Vec::as_slice)));
        if model != MemoryModel::Sc {
            all.extend(fences(&sides));
        }
        all.extend(waits(forest, occurrences, cause, &sides));
    }
    // The lines of all causes together.
    all.extend(critical_sections(everywhere.values().map(Vec::as_slice)));
    let mut sorted: Vec<Rule> = all.into_iter().collect();
    let kind = |rule: &Rule| match rule {
        Rule::CriticalSections { .. } => 0,
        Rule::Fences { .. } => 1,
        Rule::Wait { .. } => 2,
    };
    sorted.sort_by_cached_key(|rule| (rule.places(), kind(rule), rule.lines(), rule.clone()));
    sorted.truncate(MOST);
    sorted
}

/// Where the events of a cause are, thread by thread.
fn spots(forest: &Forest, occurrences: &Occurrences, cause: &Cause) -> BTreeMap<TreeIx, Vec<Spot>> {
    let mut sides: BTreeMap<TreeIx, Vec<Spot>> = BTreeMap::new();
    for id in cause.orderings.iter().flat_map(|ordering| [ordering.first, ordering.second]) {
        if let Some(spot) = spot(forest, occurrences, id) {
            let known = sides.entry(occurrences.get(id).tree).or_default();
            if !known.contains(&spot) {
                known.push(spot);
            }
        }
    }
    sides
}

fn spot(forest: &Forest, occurrences: &Occurrences, id: OccurrenceId) -> Option<Spot> {
    Spot::of(forest, occurrences.get(id).nodes[0])
}

/// One lock around the lines of each thread. Regions that touch become one.
fn critical_sections<'s>(sides: impl Iterator<Item = &'s [Spot]>) -> Option<Rule> {
    let mut regions: Vec<Region> = Vec::new();
    for spots in sides {
        let mut region = Region::around(spots)?;
        while let Some(known) = regions.iter().position(|known| known.overlaps(&region)) {
            let known = regions.remove(known);
            region.from = region.from.min(known.from);
            region.to = region.to.max(known.to);
        }
        regions.push(region);
    }
    regions.sort();
    (!regions.is_empty()).then_some(Rule::CriticalSections { regions })
}

/// A fence in front of the last line of each thread; and of each thread alone.
fn fences(sides: &BTreeMap<TreeIx, Vec<Spot>>) -> Vec<Rule> {
    let last = |spots: &Vec<Spot>| spots.iter().max_by_key(|spot| spot.line).cloned();
    let mut lasts: Vec<Spot> = sides.values().filter_map(last).collect();
    lasts.sort();
    lasts.dedup();
    let single = lasts.iter().map(|spot| Rule::Fences { before: vec![spot.clone()] });
    let mut rules: Vec<Rule> = single.collect();
    if lasts.len() > 1 {
        rules.push(Rule::Fences { before: lasts });
    }
    rules
}

/// Orders that contradict the cause: the reverse of each of its orderings, and all that one thread does in it before
/// anything that another does.
fn waits(
    forest: &Forest,
    occurrences: &Occurrences,
    cause: &Cause,
    sides: &BTreeMap<TreeIx, Vec<Spot>>,
) -> Vec<Rule> {
    let mut pairs: Vec<(Spot, Spot)> = Vec::new();
    for ordering in &cause.orderings {
        let (first, second) =
            (spot(forest, occurrences, ordering.first), spot(forest, occurrences, ordering.second));
        pairs.extend(first.zip(second));
    }
    for (a, early) in sides {
        for (_, late) in sides.iter().filter(|(b, _)| *b != a) {
            let first = early.iter().min_by_key(|spot| spot.line);
            let last = late.iter().max_by_key(|spot| spot.line);
            pairs.extend(first.cloned().zip(last.cloned()));
        }
    }
    let different = pairs.into_iter().filter(|(before, until)| before != until);
    different.map(|(before, until)| Rule::Wait { before, until }).collect()
}
