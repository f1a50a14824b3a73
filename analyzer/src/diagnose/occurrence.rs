//! Events as people speak of them: the n-th time that a thread does this, here, to that.
//!
//! A thread's tree has a node for an event on each of its paths. Whoever explains a failure wants to speak of "the
//! second read of `x` in line 7", whichever path led there; so the nodes of a thread that do the same thing at the same
//! place to the same object, for the same time on their path, are one occurrence. Never are two of them executed. The
//! definition does not depend on which runs were made first: two searches that have seen the same paths have the same
//! occurrences.

use std::collections::BTreeMap;

use warpath_trace::event::{Op, Verb};
use warpath_trace::ids::{LocationId, ObjectId};
use warpath_trace::order::ordered_location;

use super::conflict::acts;
use crate::model::{Forest, NodeId, TreeIx};

/// One occurrence, by position in [`Occurrences::all`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OccurrenceId(pub u32);

impl OccurrenceId {
    /// Position in [`Occurrences::all`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The n-th time that a thread does something to an object at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Occurrence {
    /// The thread.
    pub tree: TreeIx,
    /// What it does.
    pub verb: Verb,
    /// The name of what it does it to; empty if it has none.
    pub object: String,
    /// Where in the program; empty if not known.
    pub at: String,
    /// The function that it is in; empty if not known.
    pub function: String,
    /// For the how many-th time, from 0.
    pub nth: u32,
    /// Its events, one for each path.
    pub nodes: Vec<NodeId>,
}

/// What makes two events of one path the same thing done again.
type Doing = (TreeIx, Verb, Option<LocationId>, Option<ObjectId>, String);

/// Everything in a forest whose order between threads can matter.
#[derive(Clone, Debug, Default)]
pub struct Occurrences {
    /// In an order that depends on names alone: by thread, then by what they are called.
    pub all: Vec<Occurrence>,
    of: BTreeMap<NodeId, OccurrenceId>,
}

impl Occurrences {
    /// Finds them.
    pub fn of(forest: &Forest) -> Occurrences {
        let mut found: BTreeMap<(Doing, u32), Vec<NodeId>> = BTreeMap::new();
        let mut counted: Vec<Option<(Doing, u32)>> = vec![None; forest.nodes().len()];
        for id in forest.ids() {
            let node = forest.node(id);
            if acts(&node.op).is_empty() {
                continue;
            }
            let doing = doing(forest, id);
            let before = forest.path_up(id).skip(1).find_map(|above| {
                counted[above.index()].as_ref().filter(|(other, _)| *other == doing).map(|(_, nth)| *nth)
            });
            let nth = before.map_or(0, |nth| nth + 1);
            counted[id.index()] = Some((doing.clone(), nth));
            found.entry((doing, nth)).or_default().push(id);
        }
        let mut all: Vec<Occurrence> = found
            .into_iter()
            .map(|((doing, nth), nodes)| {
                let (tree, verb, _, _, at) = doing;
                let first = nodes[0];
                Occurrence {
                    tree,
                    verb,
                    object: object_name(forest, first),
                    at,
                    function: forest.node(first).function.clone(),
                    nth,
                    nodes,
                }
            })
            .collect();
        let key = |occurrence: &Occurrence| {
            let Occurrence { tree, verb, object, at, nth, .. } = occurrence;
            (forest.key(*tree).clone(), at.clone(), *verb, object.clone(), *nth)
        };
        all.sort_by_cached_key(key);
        let mut of = BTreeMap::new();
        for (occurrence, id) in all.iter().zip(0..) {
            of.extend(occurrence.nodes.iter().map(|&node| (node, OccurrenceId(id))));
        }
        Occurrences { all, of }
    }

    /// The occurrence that an event is.
    pub fn of_node(&self, id: NodeId) -> Option<OccurrenceId> {
        self.of.get(&id).copied()
    }

    /// An occurrence.
    pub fn get(&self, id: OccurrenceId) -> &Occurrence {
        &self.all[id.index()]
    }

    /// All ids.
    pub fn ids(&self) -> impl Iterator<Item = OccurrenceId> + use<> {
        (0..self.all.len() as u32).map(OccurrenceId)
    }
}

fn doing(forest: &Forest, id: NodeId) -> Doing {
    let node = forest.node(id);
    let object = match node.op {
        Op::Free { object } => Some(object),
        _ => None,
    };
    (node.tree, node.op.verb(), ordered_location(&node.op), object, node.at.clone())
}

/// The name of what an event does something to.
pub(super) fn object_name(forest: &Forest, id: NodeId) -> String {
    let op = &forest.node(id).op;
    match *op {
        Op::Free { object } => {
            forest.places.objects().get(object.index()).map_or_else(String::new, |object| object.name.clone())
        }
        _ => ordered_location(op)
            .map_or_else(String::new, |location| forest.places.location(location).name.clone()),
    }
}
