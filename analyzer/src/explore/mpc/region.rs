//! The events of a path prefix: those up to its decisions, and what follows of itself until the next ones.
//!
//! Only they take part in the formula of the prefix, as in the paper: a write that the prefix does not lead to cannot
//! be read on it.

use std::collections::BTreeMap;
use std::sync::Arc;

use warpath_trace::event::Op;

use super::path::{Way, decides, is_ending};
use super::prefix::{Part, Prefix};
use crate::model::{Forest, NodeId, Outcome, TreeIx};
use crate::queries::Want;

/// What comes behind the events of a prefix in one thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Past {
    /// Nothing: the thread is over.
    Nothing,
    /// A decision.
    Decision,
    /// No run has shown it.
    Unknown,
}

/// The events of a prefix.
#[derive(Clone, Debug)]
pub(super) struct Region {
    pub(super) nodes: Arc<[bool]>,
    /// How many there are: as long as it stays the same, so does every answer about the prefix.
    pub(super) size: usize,
    pub(super) past: BTreeMap<TreeIx, Past>,
}

/// Where a walk down a tree stands.
#[derive(Clone, Copy)]
struct At {
    node: NodeId,
    /// Decisions passed, as some run made them.
    passed: usize,
    /// Has the decision been passed that is to go otherwise?
    turned: bool,
}

impl Region {
    /// The events of a prefix, as far as the forest shows them; with `seed`, only events among these.
    pub(super) fn of(forest: &Forest, prefix: &Prefix, seed: Option<&[bool]>) -> Region {
        let mut walk = Walk { forest, seed, nodes: vec![false; forest.nodes().len()], size: 0 };
        let mut past = BTreeMap::new();
        for tree in forest.trees() {
            let Some(root) = forest.root(tree).filter(|&root| walk.may(root)) else { continue };
            past.insert(tree, walk.tree(root, prefix.parts.get(&tree)));
        }
        Region { nodes: walk.nodes.into(), size: walk.size, past }
    }

    /// Is there, or may there be, anything behind the events of the prefix in this thread?
    pub(super) fn goes_on(&self, tree: TreeIx) -> bool {
        self.past.get(&tree).is_none_or(|&past| past != Past::Nothing)
    }
}

struct Walk<'a> {
    forest: &'a Forest,
    seed: Option<&'a [bool]>,
    nodes: Vec<bool>,
    size: usize,
}

impl Walk<'_> {
    fn may(&self, id: NodeId) -> bool {
        self.seed.is_none_or(|seed| seed.get(id.index()) == Some(&true))
    }

    fn tree(&mut self, root: NodeId, part: Option<&Part>) -> Past {
        let mut past = Past::Nothing;
        let mut stack = vec![At { node: root, passed: 0, turned: false }];
        while let Some(at) = stack.pop() {
            if !std::mem::replace(&mut self.nodes[at.node.index()], true) {
                self.size += 1;
            }
            match self.next(at, part) {
                Ok(next) => stack.extend(next),
                Err(here) => past = past.max(here),
            }
        }
        past
    }

    /// What comes next, or why nothing does.
    fn next(&self, mut at: At, part: Option<&Part>) -> Result<Vec<At>, Past> {
        let node = self.forest.node(at.node);
        let choices = part.map_or(&[][..], Part::choices);
        let turn = part.and_then(|part| part.then.as_ref()).filter(|end| end.node == at.node);
        // Where nothing is decided, there is one way on; an assertion that depends on nothing has an outcome as well.
        let mut outcome = None;
        if decides(&node.op) {
            let turn = turn.filter(|_| at.passed == choices.len() && !at.turned);
            outcome = match (choices.get(at.passed), turn.map(|end| &end.want)) {
                (Some(choice), _) => match choice.way {
                    Way::Outcome(outcome) if choice.node == at.node => {
                        at.passed += 1;
                        Some(outcome)
                    }
                    _ => return Err(Past::Decision),
                },
                (None, Some(Want::Held(held))) => {
                    at.turned = true;
                    Some(Outcome::Held(*held))
                }
                _ => return Err(Past::Decision),
            };
        }
        let children: Vec<NodeId> = node
            .children
            .iter()
            .filter(|child| outcome.is_none_or(|outcome| child.outcome == outcome) && self.may(child.node))
            .map(|child| child.node)
            .collect();
        if children.is_empty() {
            let over = match node.op {
                Op::End | Op::Failure { .. } => true,
                Op::Assert { .. } | Op::Assume { .. } => match outcome {
                    Some(outcome) => outcome == Outcome::Held(false),
                    None => node.stops.contains(&Outcome::Held(false)),
                },
                _ => false,
            };
            return Err(if over { Past::Nothing } else { Past::Unknown });
        }
        if !children.iter().any(|&child| is_ending(self.forest, child)) {
            return Ok(children.into_iter().map(|node| At { node, ..at }).collect());
        }
        let turn = turn.filter(|_| at.passed == choices.len() && !at.turned);
        match (choices.get(at.passed), turn.map(|end| &end.want)) {
            (Some(choice), _) => match choice.way {
                Way::Ending(wait) if children.contains(&wait) => {
                    Ok(vec![At { node: wait, passed: at.passed + 1, ..at }])
                }
                _ => Err(Past::Decision),
            },
            (None, Some(Want::Ending { op, .. })) => {
                let wait = children.into_iter().find(|&child| self.forest.node(child).op == *op);
                wait.map(|node| vec![At { node, turned: true, ..at }]).ok_or(Past::Unknown)
            }
            _ => Err(Past::Decision),
        }
    }
}
