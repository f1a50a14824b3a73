//! The events on one object, as a tree of their own: each with the nearest one above it.

use std::collections::{BTreeMap, HashMap};

use warpath_trace::ids::LocationId;

use super::accesses::sync_objects;
use crate::model::{Forest, NodeId};

/// Per object and event: the nearest event above it, in the same thread, that works on the same object.
#[derive(Clone, Debug, Default)]
pub(super) struct ObjectTrees {
    above: HashMap<(LocationId, NodeId), NodeId>,
    below: HashMap<(LocationId, NodeId), Vec<NodeId>>,
}

impl ObjectTrees {
    /// One walk through every tree.
    pub(super) fn of(forest: &Forest, takes_part: impl Fn(NodeId) -> bool) -> Self {
        let mut trees = ObjectTrees::default();
        for tree in forest.trees() {
            let mut latest: BTreeMap<LocationId, Vec<NodeId>> = BTreeMap::new();
            let root = forest.root(tree).filter(|&root| takes_part(root));
            let mut stack: Vec<(NodeId, bool)> = root.map(|root| (root, false)).into_iter().collect();
            while let Some((id, leaving)) = stack.pop() {
                for object in sync_objects(&forest.node(id).op) {
                    let latest = latest.entry(object).or_default();
                    if leaving {
                        latest.pop();
                    } else {
                        if let Some(&above) = latest.last() {
                            trees.above.insert((object, id), above);
                            trees.below.entry((object, above)).or_default().push(id);
                        }
                        latest.push(id);
                    }
                }
                if !leaving {
                    stack.push((id, true));
                    let children = forest.node(id).children.iter().map(|child| child.node);
                    stack.extend(children.filter(|&child| takes_part(child)).map(|child| (child, false)));
                }
            }
        }
        trees
    }

    /// The nearest event above that works on the object.
    pub(super) fn above(&self, object: LocationId, id: NodeId) -> Option<NodeId> {
        self.above.get(&(object, id)).copied()
    }

    /// The nearest events below that work on the object, one for each way control can go.
    pub(super) fn below(&self, object: LocationId, id: NodeId) -> &[NodeId] {
        self.below.get(&(object, id)).map_or(&[], |nodes| &nodes[..])
    }

    /// The nearest events below for which `wanted` holds, on every path.
    pub(super) fn first_below(
        &self,
        object: LocationId,
        id: NodeId,
        wanted: impl Fn(NodeId) -> bool,
    ) -> Vec<NodeId> {
        let mut found = Vec::new();
        let mut stack = self.below(object, id).to_vec();
        while let Some(id) = stack.pop() {
            if wanted(id) {
                found.push(id);
            } else {
                stack.extend(self.below(object, id));
            }
        }
        found.sort_unstable();
        found
    }

    /// The nearest event above for which `wanted` holds.
    pub(super) fn last_above(
        &self,
        object: LocationId,
        id: NodeId,
        wanted: impl Fn(NodeId) -> bool,
    ) -> Option<NodeId> {
        let mut above = self.above(object, id);
        while let Some(id) = above {
            if wanted(id) {
                return Some(id);
            }
            above = self.above(object, id);
        }
        None
    }
}
