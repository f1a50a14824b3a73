//! Deadlocks as sets of waiting positions, by brute force and by the analyzer.

use std::collections::BTreeSet;

use crate::oracle::brute::{Stuck, Truth};
use crate::oracle::program::ThreadNr;

/// Statements at which threads wait; 0 is a join.
pub type Positions = BTreeSet<u32>;

/// The threads that wait for ever, even if those that were stopped could go on.
fn for_ever(stuck: &Stuck) -> BTreeSet<ThreadNr> {
    let mut waiting: BTreeSet<ThreadNr> = stuck.threads();
    let others: Vec<ThreadNr> = stuck.blocked.keys().chain(&stuck.stopped).copied().collect();
    loop {
        let stays = |thread: &ThreadNr| {
            let held = holders(stuck, *thread).iter().any(|holder| {
                waiting.contains(holder) || (has_ended(stuck, *holder) && stuck.blocked[thread].statement > 0)
            });
            held || others.iter().all(|other| other == thread || waiting.contains(other))
        };
        let next: BTreeSet<ThreadNr> = waiting.iter().copied().filter(stays).collect();
        if next == waiting {
            return waiting;
        }
        waiting = next;
    }
}

fn holders(stuck: &Stuck, thread: ThreadNr) -> &BTreeSet<ThreadNr> {
    &stuck.blocked[&thread].holders
}

fn has_ended(stuck: &Stuck, thread: ThreadNr) -> bool {
    !stuck.stopped.contains(&thread) && !stuck.blocked.contains_key(&thread)
}

/// What is wrong with the sets of positions that were found, each said to be the heart of a deadlock.
///
/// Each must be one: threads that wait for each other in a circle, or one that waits for nobody in particular
/// when nobody is left. And no deadlock is without one: every circle has a set of those found within it, and
/// so has every set of threads that wait for ever.
pub fn differences(truth: &Truth, found: &BTreeSet<Positions>) -> Vec<String> {
    let mut hearts: BTreeSet<Positions> = BTreeSet::new();
    let mut differences = Vec::new();
    let mut needed: BTreeSet<Positions> = BTreeSet::new();
    for stuck in &truth.stuck {
        let waiting = for_ever(stuck);
        let positions = |threads: &BTreeSet<ThreadNr>| -> Positions {
            threads.iter().map(|thread| stuck.blocked[thread].statement).collect()
        };
        let circles: BTreeSet<BTreeSet<ThreadNr>> =
            stuck.circles().into_iter().filter(|circle| circle.is_subset(&waiting)).collect();
        hearts.extend(circles.iter().map(positions));
        needed.extend(circles.iter().map(positions));
        for &thread in &waiting {
            if !holders(stuck, thread).iter().any(|holder| waiting.contains(holder)) {
                hearts.insert(positions(&BTreeSet::from([thread])));
            }
        }
        if !waiting.is_empty() {
            needed.insert(positions(&waiting));
        }
    }
    for set in found.difference(&hearts) {
        differences.push(format!("deadlock: found {set:?}, possible {hearts:?}"));
    }
    for set in needed {
        if !found.iter().any(|heart| heart.is_subset(&set)) {
            differences.push(format!("deadlock: {set:?} is possible, found only {found:?}"));
        }
    }
    differences
}
