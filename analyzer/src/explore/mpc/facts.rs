//! What has been found out to be impossible, for more prefixes than the one that was asked for.
//!
//! A core says which threads' decisions are impossible together, whatever the others are to decide. What is impossible
//! with some events is impossible with fewer, and only those count that the decisions depend on. So one answer settles
//! many prefixes: of the 256 in which some of eight threads do not add one to `x`, eight have to be asked for.

use std::collections::HashSet;
use std::sync::Arc;

use super::ask::Core;
use super::prefix::{Part, Prefix};
use crate::encode::cone_within;
use crate::model::{Forest, TreeIx};

/// Decisions that are impossible together.
#[derive(Debug)]
struct Impossible {
    decisions: Prefix,
    /// With these events.
    within: Vec<Arc<[bool]>>,
}

/// What has been found out to be impossible.
#[derive(Debug, Default)]
pub(super) struct Facts {
    impossible: Vec<Impossible>,
    /// What threads cannot decide, whatever the others do.
    hopeless: HashSet<(TreeIx, Part)>,
}

impl Facts {
    /// These decisions are impossible together with these events.
    pub(super) fn note(&mut self, decisions: Prefix, events: Arc<[bool]>) {
        match self.impossible.iter_mut().find(|known| known.decisions == decisions) {
            Some(known) => {
                known.within.retain(|within| !is_within(within, &events));
                known.within.push(events);
            }
            None => self.impossible.push(Impossible { decisions, within: vec![events] }),
        }
    }

    /// Remembers decisions of a thread that inputs alone rule out.
    pub(super) fn note_hopeless(&mut self, forest: &Forest, prefix: &Prefix, core: &Core) {
        let mut threads = core.threads.iter();
        if let (Some(&tree), None, true) = (threads.next(), threads.next(), core.deciding)
            && let Some(part) = prefix.parts.get(&tree)
            && part.rests_on_inputs(forest)
        {
            self.hopeless.insert((tree, part.clone()));
        }
    }

    /// Is it known that no run ever follows this prefix?
    pub(super) fn is_hopeless(&self, prefix: &Prefix) -> bool {
        prefix.parts.iter().any(|(&tree, part)| self.hopeless.contains(&(tree, part.clone())))
    }

    /// Decisions of the prefix that were impossible with other events.
    pub(super) fn suspects<'s>(
        &'s self,
        forest: &'s Forest,
        prefix: &'s Prefix,
    ) -> impl Iterator<Item = &'s Prefix> {
        let known = self.impossible.iter().map(|known| &known.decisions);
        known.filter(move |decisions| prefix.includes(forest, decisions))
    }

    /// Decisions that make the prefix impossible with these events.
    pub(super) fn refute(&self, forest: &Forest, prefix: &Prefix, events: &[bool]) -> Option<&Prefix> {
        let known = self.impossible.iter().filter(|known| prefix.includes(forest, &known.decisions));
        let mut refuting = known.filter(|known| {
            let needed = needed(forest, &known.decisions, events);
            known.within.iter().any(|within| is_within(&needed, within))
        });
        refuting.next().map(|known| &known.decisions)
    }
}

/// The events among these that the decisions depend on.
pub(super) fn needed(forest: &Forest, decisions: &Prefix, events: &[bool]) -> Vec<bool> {
    let ends = decisions.ends(forest);
    if !ends.iter().all(|end| end.is_in_forest()) {
        return events.to_vec();
    }
    let nodes: Vec<_> = ends.iter().map(|end| end.node).collect();
    cone_within(forest, &nodes, &[], events)
}

/// Are all of the first among the second? Those that the second does not know of are not.
pub(super) fn is_within(some: &[bool], all: &[bool]) -> bool {
    some.iter().enumerate().all(|(n, &some)| !some || all.get(n) == Some(&true))
}
