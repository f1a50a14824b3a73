//! Prefixes of whole-program paths: what the threads are to decide, as far as anybody says.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use warpath_trace::event::Op;
use warpath_trace::expr::Leaf;

use super::path::{Choice, ThreadPath, Way};
use crate::model::{Forest, NodeId, TreeIx};
use crate::queries::{OpenEnd, Want};

/// What one thread is to decide: as some run did for so many decisions, and then perhaps otherwise.
#[derive(Clone, Debug)]
pub(super) struct Part {
    choices: Arc<[Choice]>,
    pub(super) len: usize,
    pub(super) then: Option<OpenEnd>,
}

impl Part {
    pub(super) fn new(choices: &Arc<[Choice]>, len: usize, then: Option<OpenEnd>) -> Part {
        Part { choices: Arc::clone(choices), len, then }
    }

    /// The decisions as some run made them.
    pub(super) fn choices(&self) -> &[Choice] {
        &self.choices[..self.len]
    }

    /// Nothing is said about the thread.
    pub(super) fn is_empty(&self) -> bool {
        self.len == 0 && self.then.is_none()
    }

    /// Did a thread decide so?
    pub(super) fn is_followed(&self, forest: &Forest, path: &ThreadPath) -> bool {
        path.choices.starts_with(self.choices())
            && self.then.as_ref().is_none_or(|end| {
                path.choices.get(self.len).is_some_and(|choice| choice.answers(forest, end))
            })
    }

    /// Does whoever decides so also decide as the other says?
    fn includes(&self, forest: &Forest, other: &Part) -> bool {
        self.choices().starts_with(other.choices())
            && other.then.as_ref().is_none_or(|end| match self.choices().get(other.len) {
                Some(choice) => choice.answers(forest, end),
                None => self.then.as_ref() == Some(end),
            })
    }

    /// Do all its decisions rest on inputs alone, whatever other threads do?
    pub(super) fn rests_on_inputs(&self, forest: &Forest) -> bool {
        let by_value = |choice: &Choice| matches!(choice.way, Way::Outcome(_));
        let turn = self.then.iter().map(|end| end.node);
        let nodes = self.choices().iter().map(|choice| choice.node).chain(turn);
        self.choices().iter().all(by_value)
            && self.then.iter().all(|end| matches!(end.want, Want::Held(_) | Want::OtherThan(_)))
            && nodes.into_iter().all(|node| on_inputs(forest, node))
    }

    /// Its last decision, which takes all those before it, as a question asks for it.
    pub(super) fn end(&self, forest: &Forest) -> Option<OpenEnd> {
        match &self.then {
            // An ending of a wait that some run has shown is a node by now.
            Some(OpenEnd { node, want: Want::Ending { outcome, op } }) => {
                let children = &forest.node(*node).children;
                let seen = children
                    .iter()
                    .find(|child| child.outcome == *outcome && forest.node(child.node).op == *op);
                let seen = seen.map(|child| OpenEnd { node: child.node, want: Want::Executed });
                seen.or_else(|| self.then.clone())
            }
            Some(end) => Some(end.clone()),
            None => self.choices().last().map(|choice| choice.again()),
        }
    }
}

/// Does the condition of a decision have no reads in it?
fn on_inputs(forest: &Forest, node: NodeId) -> bool {
    let root = match forest.node(node).op {
        Op::Branch { condition: expr, .. }
        | Op::Switch { on: expr, .. }
        | Op::Concretise { expr, .. }
        | Op::Assume { condition: Some(expr), .. }
        | Op::Assert { condition: Some(expr), .. } => expr,
        _ => return false,
    };
    let mut seen = HashSet::new();
    let mut stack = vec![root];
    while let Some(id) = stack.pop() {
        if seen.insert(id) {
            let node = forest.exprs.node(id);
            if matches!(node.leaf(), Some(Leaf::Read(..))) {
                return false;
            }
            stack.extend(node.operands());
        }
    }
    true
}

impl PartialEq for Part {
    fn eq(&self, other: &Self) -> bool {
        self.choices() == other.choices() && self.then == other.then
    }
}

impl Eq for Part {}

impl Hash for Part {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.choices().hash(state);
        self.then.hash(state);
    }
}

/// A prefix of whole-program paths.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Prefix {
    /// Threads that anything is said about.
    pub(super) parts: BTreeMap<TreeIx, Part>,
}

impl Prefix {
    /// Says this about a thread.
    pub(super) fn set(&mut self, tree: TreeIx, part: Part) {
        match part.is_empty() {
            true => self.parts.remove(&tree),
            false => self.parts.insert(tree, part),
        };
    }

    /// The same with some threads as in another prefix.
    pub(super) fn with(&self, trees: impl IntoIterator<Item = TreeIx>, other: &Prefix) -> Prefix {
        let mut prefix = self.clone();
        for tree in trees {
            match other.parts.get(&tree) {
                Some(part) => prefix.parts.insert(tree, part.clone()),
                None => prefix.parts.remove(&tree),
            };
        }
        prefix
    }

    /// What it says about some threads alone.
    pub(super) fn only<'t>(&self, trees: impl IntoIterator<Item = &'t TreeIx>) -> Prefix {
        let part = |tree: &TreeIx| self.parts.get(tree).map(|part| (*tree, part.clone()));
        Prefix { parts: trees.into_iter().filter_map(part).collect() }
    }

    /// Does every path with this prefix have the other one, too?
    pub(super) fn includes(&self, forest: &Forest, other: &Prefix) -> bool {
        other
            .parts
            .iter()
            .all(|(tree, other)| self.parts.get(tree).is_some_and(|part| part.includes(forest, other)))
    }

    /// The threads it says anything about.
    pub(super) fn threads(&self) -> BTreeSet<TreeIx> {
        self.parts.keys().copied().collect()
    }

    /// The last decision of each thread, as a question asks for them.
    pub(super) fn ends(&self, forest: &Forest) -> Vec<OpenEnd> {
        self.parts.values().filter_map(|part| part.end(forest)).collect()
    }
}
