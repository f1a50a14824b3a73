//! What could be tried, from what the causes are about.
//!
//! A cause is broken by any order that contradicts it, and by whatever keeps the events of one of its threads together:
//! so the lines of each thread's events are made exclusive, or one thread waits for another.

use std::collections::{BTreeMap, BTreeSet};

use warpath_trace::event::Op;
use warpath_trace::header::MemoryModel;
use warpath_trace::repair::{How, Region, Rule, Spot};

use super::rule::{Kind, Time, is_last_resort, kind, times};
use super::spot::spot_of;
use crate::diagnose::occurrence::{OccurrenceId, Occurrences};
use crate::diagnose::ordering::Ordering;
use crate::diagnose::result::Cause;
use crate::encode::sync_objects;
use crate::model::{Forest, NodeId, TreeIx};
use crate::queries::survey::Survey;

/// So many of each kind are tried at most: waits come in great numbers, and would leave no room for the others.
const MOST_OF_A_KIND: usize = 60;

/// So many causes are looked at: those that come later are about the same lines.
const MOST_CAUSES: usize = 24;

/// What could be tried, the best first: few places, then critical sections before fences before waits before whole
/// threads, then few lines; at last, to join threads at once.
pub(super) fn candidates(
    survey: &Survey<'_>,
    occurrences: &Occurrences,
    model: MemoryModel,
    causes: &[Cause],
) -> Vec<Rule> {
    let forest = survey.forest;
    let mut all: BTreeSet<Rule> = BTreeSet::new();
    let mut everywhere: BTreeMap<(String, String), Vec<Spot>> = BTreeMap::new();
    let mut widely = everywhere.clone();
    let add = |all: &mut BTreeMap<(String, String), Vec<Spot>>, sides: &Sides| {
        for spot in sides.values().flatten() {
            all.entry((spot.file.clone(), spot.function.clone())).or_default().push(spot.clone());
        }
    };
    for cause in causes.iter().take(MOST_CAUSES) {
        let sides = spots(forest, occurrences, cause);
        let wide = with_locks(survey, occurrences, cause);
        let bodies = whole_functions(forest, &sides);
        all.extend(critical_sections(bodies.iter().map(Vec::as_slice)));
        let started = started(forest, occurrences, cause);
        if started.len() > 1 {
            let threads = started.iter().map(|&tree| forest.key(tree).to_string()).collect();
            all.insert(Rule::OneByOne { threads });
        }
        let forks = started.iter().flat_map(|&tree| forest.forks(tree));
        all.extend(forks.filter_map(|&fork| Some(Rule::JoinAtOnce { after: own_spot(forest, fork)? })));
        add(&mut everywhere, &sides);
        add(&mut widely, &wide);
        for sides in [&sides, &wide] {
            all.extend(critical_sections(sides.values().map(Vec::as_slice)));
            all.extend(waits(forest, sides));
        }
        if model != MemoryModel::Sc {
            all.extend(fences(&sides));
        }
        all.extend(reversed(forest, occurrences, cause));
    }
    // The lines of all causes together.
    all.extend(critical_sections(everywhere.values().map(Vec::as_slice)));
    all.extend(critical_sections(widely.values().map(Vec::as_slice)));
    let mut sorted: Vec<Rule> = all.into_iter().collect();
    // Threads that are joined at once have nobody beside them: few places, but a last resort.
    sorted.sort_by_cached_key(|rule| {
        (is_last_resort(rule), rule.places(), kind(rule), rule.lines(), rule.clone())
    });
    let mut count: BTreeMap<Kind, usize> = BTreeMap::new();
    sorted.retain(|rule| {
        let count = count.entry(kind(rule)).or_default();
        *count += 1;
        *count <= MOST_OF_A_KIND
    });
    sorted
}

/// The threads of a cause that somebody starts.
fn started(forest: &Forest, occurrences: &Occurrences, cause: &Cause) -> BTreeSet<TreeIx> {
    let events = cause.orderings.iter().flat_map(|ordering| [ordering.first, ordering.second]);
    let trees = events.map(|id| occurrences.get(id).tree);
    trees.filter(|&tree| !forest.forks(tree).is_empty()).collect()
}

/// Where an event is, unless that is in a library: nobody changes that.
fn own_spot(forest: &Forest, id: NodeId) -> Option<Spot> {
    spot_of(forest, id).filter(|_| !forest.node(id).standard)
}

/// Lines, thread by thread.
type Sides = BTreeMap<TreeIx, Vec<Spot>>;

/// Where the events of a cause are, and where the locks that are held there are taken and given back: a new lock goes
/// around those, or they would be taken in both orders, and who waits should not hold them.
fn with_locks(survey: &Survey<'_>, occurrences: &Occurrences, cause: &Cause) -> Sides {
    let forest = survey.forest;
    let mut sides = spots(forest, occurrences, cause);
    for id in cause.orderings.iter().flat_map(|ordering| [ordering.first, ordering.second]) {
        let node = occurrences.get(id).nodes[0];
        let Some(own) = own_spot(forest, node) else { continue };
        let known = sides.entry(occurrences.get(id).tree).or_default();
        let mut include = |id: NodeId| {
            let spot =
                spot_of(forest, id).filter(|spot| spot.function == own.function && spot.file == own.file);
            known.extend(spot.filter(|spot| !known.contains(spot)));
        };
        for held in survey.held(node) {
            let of_lock =
                |id: &NodeId| sync_objects(&forest.node(*id).op).any(|object| object == held.object);
            forest.path_up(node).skip(1).find(of_lock).into_iter().for_each(&mut include);
            below(forest, node).into_iter().find(of_lock).into_iter().for_each(&mut include);
        }
    }
    sides
}

/// All lines of the functions that have lines of a cause; none if a thread has lines of several.
fn whole_functions(forest: &Forest, sides: &Sides) -> Vec<Vec<Spot>> {
    let mut bodies = Vec::new();
    for (&tree, spots) in sides {
        let Some(region) = Region::around(spots) else { return Vec::new() };
        let own = forest.ids().filter(|&id| forest.node(id).tree == tree && forest.node(id).op.is_visible());
        let own = own.filter(|&id| !matches!(forest.node(id).op, Op::Begin | Op::End));
        let body = own.filter_map(|id| spot_of(forest, id)).filter(|spot| region.is_beside(spot));
        bodies.push(body.collect());
    }
    bodies
}

/// What comes behind an event, along the first path that was seen.
fn below(forest: &Forest, id: NodeId) -> Vec<NodeId> {
    let next = |id: &NodeId| forest.node(*id).children.first().map(|child| child.node);
    std::iter::successors(next(&id), next).collect()
}

/// Where the events of a cause are, thread by thread.
fn spots(forest: &Forest, occurrences: &Occurrences, cause: &Cause) -> Sides {
    let mut sides: Sides = BTreeMap::new();
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
    own_spot(forest, occurrences.get(id).nodes[0])
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
fn fences(sides: &Sides) -> Vec<Rule> {
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

/// All that one thread does in a cause before anything that another does.
fn waits(forest: &Forest, sides: &Sides) -> Vec<Rule> {
    let mut rules = Vec::new();
    for (a, early) in sides {
        for (_, late) in sides.iter().filter(|(b, _)| *b != a) {
            let first = early.iter().min_by_key(|spot| spot.line);
            let last = late.iter().max_by_key(|spot| spot.line);
            rules.extend(
                first.zip(last).map(|(before, until)| wait(forest, before, until)).unwrap_or_default(),
            );
            // The other's line itself may do, where it is the last thing that the other does.
            let others = late
                .iter()
                .flat_map(|until| first.map(|before| wait(forest, before, until)).unwrap_or_default());
            rules.extend(others);
        }
    }
    rules
}

/// The reverse of each ordering.
fn reversed(forest: &Forest, occurrences: &Occurrences, cause: &Cause) -> Vec<Rule> {
    let reverse = |ordering: &Ordering| {
        let first = spot(forest, occurrences, ordering.first);
        let both = first.zip(spot(forest, occurrences, ordering.second));
        both.map(|(first, second)| wait(forest, &first, &second)).unwrap_or_default()
    };
    cause.orderings.iter().flat_map(reverse).collect()
}

/// Every way to wait that makes a difference: where each line is come to once, all are the same.
fn wait(forest: &Forest, before: &Spot, until: &Spot) -> Vec<Rule> {
    if before == until {
        return Vec::new();
    }
    let (here, there) = (times(forest, before), times(forest, until));
    let comes_again = |times: &[Time]| times.iter().any(|time| time.nth > 0);
    let trees: BTreeSet<TreeIx> = there.iter().map(|time| forest.node(time.first).tree).collect();
    let mut ways = vec![How::Once];
    if comes_again(&here) && comes_again(&there) {
        ways.push(How::Each);
    }
    if trees.len() > 1 {
        ways.push(How::All);
    }
    let rule = |how| Rule::Wait {
        before: before.clone(),
        until: until.clone(),
        how,
        threads: match how {
            How::All => trees.iter().map(|&tree| forest.key(tree).to_string()).collect(),
            How::Once | How::Each => Vec::new(),
        },
    };
    ways.into_iter().map(rule).collect()
}
