//! What of the program was seen: branches of the source and nodes of the threads.

use std::collections::BTreeMap;

use serde::Serialize;
use warpath_trace::event::Op;

use super::frontier::{Frontier, Known};
use super::tree::{ThreadTree, trees};
use crate::model::{Forest, Outcome};
use crate::queries::{OpenEnd, Want, open_ends};

/// What of the program was seen.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Coverage {
    /// Outcomes of source branches that depend on inputs or on other threads.
    pub branches: Branches,
    /// Per thread, how many different events it was seen to have.
    pub threads: BTreeMap<String, usize>,
    /// Per thread, where its ways part, and what is known behind that.
    pub trees: Vec<ThreadTree>,
}

/// Outcomes of source branches. A branch counts once, however many threads and paths come to it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Branches {
    /// Seen.
    pub covered: usize,
    /// Not seen, and proved to be out of reach.
    pub unreachable: Vec<String>,
    /// Neither.
    pub unknown: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Seen {
    Unreachable,
    Unknown,
    Covered,
}

impl Coverage {
    pub(super) fn of(forest: &Forest, frontier: &Frontier) -> Coverage {
        let mut outcomes: BTreeMap<(String, bool), Seen> = BTreeMap::new();
        for id in forest.ids() {
            let node = forest.node(id);
            if !matches!(node.op, Op::Branch { .. } | Op::Assert { condition: Some(_), .. }) {
                continue;
            }
            let children = node.children.iter().map(|child| child.outcome);
            for outcome in children.chain(node.stops.iter().copied()) {
                if let Outcome::Held(held) = outcome {
                    outcomes.insert((forest.place(id), held), Seen::Covered);
                }
            }
        }
        for end in open_ends(forest) {
            let OpenEnd { node, want: Want::Held(held) } = end else { continue };
            if !matches!(forest.node(node).op, Op::Branch { .. } | Op::Assert { .. }) {
                continue;
            }
            let seen = match frontier.known(forest, &end) {
                Some(Known::Impossible) => Seen::Unreachable,
                _ => Seen::Unknown,
            };
            let known = outcomes.entry((forest.place(node), held)).or_insert(seen);
            *known = (*known).max(seen);
        }
        let mut branches = Branches::default();
        for ((place, held), seen) in outcomes {
            match seen {
                Seen::Covered => branches.covered += 1,
                Seen::Unreachable => branches.unreachable.push(format!("{place} {held}")),
                Seen::Unknown => branches.unknown.push(format!("{place} {held}")),
            }
        }
        let mut threads = BTreeMap::new();
        for node in forest.nodes() {
            *threads.entry(forest.key(node.tree).to_string()).or_insert(0) += 1;
        }
        Coverage { branches, threads, trees: trees(forest, frontier) }
    }
}
