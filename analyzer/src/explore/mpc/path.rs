//! The path of a run: what each thread decided, one decision after the other.
//!
//! A path of the whole program is one such sequence for every thread. It determines all events of the run but for
//! their values and their order across threads.

use std::collections::BTreeMap;
use std::sync::Arc;

use warpath_trace::event::Op;

use crate::explore::runner::{Ended, Observed};
use crate::model::{Forest, NodeId, Outcome, Reads, TreeIx, has_node, split};
use crate::queries::{OpenEnd, Want, endings};

/// How a decision went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Way {
    /// By the outcome of the node itself.
    Outcome(Outcome),
    /// By how the wait behind the node ended: this is it.
    Ending(NodeId),
}

/// A decision of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Choice {
    /// The decision, or the event before a wait.
    pub(super) node: NodeId,
    pub(super) way: Way,
}

/// What one thread decided.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct ThreadPath {
    pub(super) choices: Arc<[Choice]>,
    /// The assumption that did not hold, with which the run was over. It is no decision: nobody asks for it.
    pub(super) refused: Option<NodeId>,
}

/// The path of a run.
#[derive(Clone, Debug)]
pub(in crate::explore) struct RunPath {
    /// Threads that did anything.
    pub(super) threads: BTreeMap<TreeIx, ThreadPath>,
    /// The events of the run.
    pub(super) nodes: Vec<NodeId>,
    pub(super) ended: Ended,
}

/// Does control depend on a value here?
pub(super) fn decides(op: &Op) -> bool {
    match op {
        Op::Branch { .. } | Op::Switch { .. } | Op::Concretise { .. } | Op::FutexWait { .. } => true,
        Op::Assert { condition, .. } | Op::Assume { condition, .. } => condition.is_some(),
        _ => false,
    }
}

/// Does control depend on how this wait ended, or on what it counted?
pub(super) fn is_ending(forest: &Forest, id: NodeId) -> bool {
    matches!(forest.node(id).op, Op::SemValue { .. }) || endings(forest, id).len() > 1
}

impl RunPath {
    /// The path of a run that has been merged; `paths` are the nodes of its events.
    pub(in crate::explore) fn of(forest: &Forest, run: &Observed, paths: &[Vec<NodeId>]) -> RunPath {
        let mut threads = BTreeMap::new();
        let mut nodes = Vec::new();
        for (events, path) in run.trace.threads.iter().zip(paths) {
            let mut choices = Vec::new();
            let mut refused = None;
            let mut last: Option<NodeId> = None;
            let executed = events.iter().zip(path);
            for (event, &node) in executed.filter(|(event, _)| has_node(&event.op) && !event.op.is_pending())
            {
                nodes.push(node);
                if let Some(before) = last.filter(|_| is_ending(forest, node)) {
                    choices.push(Choice { node: before, way: Way::Ending(node) });
                }
                if decides(&event.op) {
                    match split(event.op, Reads::Free).1 {
                        Outcome::Held(false) if matches!(event.op, Op::Assume { .. }) => refused = Some(node),
                        outcome => choices.push(Choice { node, way: Way::Outcome(outcome) }),
                    }
                }
                last = Some(node);
            }
            if let Some(last) = last {
                threads.insert(forest.node(last).tree, ThreadPath { choices: choices.into(), refused });
            }
        }
        RunPath { threads, nodes, ended: run.ended.clone() }
    }

    /// Its events among all nodes.
    pub(super) fn events(&self, forest: &Forest) -> Arc<[bool]> {
        let mut events = vec![false; forest.nodes().len()];
        for id in &self.nodes {
            events[id.index()] = true;
        }
        events.into()
    }

    /// Is it a path of the program? A run that was stopped from outside, or by an assumption, is none.
    pub(super) fn counts(&self) -> bool {
        matches!(self.ended, Ended::Normally | Ended::Failed(_) | Ended::Cut(_))
    }
}

impl Choice {
    /// The same decision made, as a question asks for it.
    pub(super) fn again(self) -> OpenEnd {
        match self.way {
            Way::Outcome(outcome) => (self.node, outcome).into(),
            Way::Ending(node) => OpenEnd { node, want: Want::Executed },
        }
    }

    /// The other ways, each as a question asks for it; `after` is what this way was an answer to.
    pub(super) fn others(self, forest: &Forest, after: Option<&OpenEnd>) -> Vec<OpenEnd> {
        let node = self.node;
        let end = |want| OpenEnd { node, want };
        let ruled_out = after.map(|end| &end.want);
        match self.way {
            Way::Outcome(Outcome::Held(held)) => {
                // What an assumption rules out is not asked for.
                let two = ruled_out.is_none() && !matches!(forest.node(node).op, Op::Assume { .. });
                if two { vec![end(Want::Held(!held))] } else { Vec::new() }
            }
            Way::Outcome(Outcome::Value(value)) => {
                let mut values = match ruled_out {
                    Some(Want::OtherThan(values)) => values.clone(),
                    _ => Vec::new(),
                };
                values.push(value);
                vec![end(Want::OtherThan(values))]
            }
            Way::Outcome(Outcome::Next) => Vec::new(),
            Way::Ending(wait) => {
                let outcome = forest.node(wait).parent.map_or(Outcome::Next, |(_, outcome)| outcome);
                if let Op::SemValue { semaphore, value } = forest.node(wait).op {
                    let mut seen = match ruled_out {
                        Some(Want::OtherCount { seen, .. }) => seen.clone(),
                        _ => Vec::new(),
                    };
                    seen.push(value);
                    return vec![end(Want::OtherCount { outcome, semaphore, seen })];
                }
                if ruled_out.is_some() {
                    return Vec::new();
                }
                let own = forest.node(wait).op;
                let others = endings(forest, wait).into_iter().filter(|&op| op != own);
                others.map(|op| end(Want::Ending { outcome, op })).collect()
            }
        }
    }

    /// Is this what was asked for?
    pub(super) fn answers(self, forest: &Forest, asked: &OpenEnd) -> bool {
        if self.node != asked.node {
            return false;
        }
        match (&asked.want, self.way) {
            (Want::Held(held), Way::Outcome(outcome)) => outcome == Outcome::Held(*held),
            (Want::OtherThan(values), Way::Outcome(Outcome::Value(value))) => !values.contains(&value),
            (Want::Ending { outcome, op }, Way::Ending(wait)) => {
                let node = forest.node(wait);
                node.op == *op && node.parent.is_some_and(|(_, way)| way == *outcome)
            }
            (Want::OtherCount { outcome, seen, .. }, Way::Ending(wait)) => {
                let node = forest.node(wait);
                let value = match node.op {
                    Op::SemValue { value, .. } => Some(value),
                    _ => None,
                };
                value.is_some_and(|value| !seen.contains(&value))
                    && node.parent.is_some_and(|(_, way)| way == *outcome)
            }
            _ => false,
        }
    }
}
