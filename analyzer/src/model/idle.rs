//! Turns of waiting loops: reads after which a thread was where it had been before.

use std::collections::BTreeMap;

use super::forest::{Forest, NodeId, Outcome};

/// An idle turn that a run had: the thread read these values, and nothing about it had changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Idle {
    /// The reads of the turn, in their order.
    pub(crate) reads: Vec<NodeId>,
    /// What they found.
    pub(crate) values: Vec<u128>,
}

/// Idle turns by the event that ends them and how control went on behind it.
#[derive(Clone, Debug, Default)]
pub(crate) struct IdleTurns(BTreeMap<(NodeId, Outcome), Vec<Idle>>);

impl IdleTurns {
    fn add(&mut self, end: NodeId, outcome: Outcome, idle: Idle) {
        let known = self.0.entry((end, outcome)).or_default();
        if !idle.reads.is_empty() && !known.contains(&idle) {
            known.push(idle);
        }
    }
}

impl Forest {
    /// A run had an idle turn.
    pub(crate) fn was_idle(&mut self, end: NodeId, outcome: Outcome, idle: Idle) {
        self.idle.add(end, outcome, idle);
    }

    /// The idle turns that end with this event and this outcome.
    pub(crate) fn idle_turns(&self, end: NodeId, outcome: Outcome) -> &[Idle] {
        self.idle.0.get(&(end, outcome)).map_or(&[], |turns| &turns[..])
    }

    /// Are there any?
    pub(crate) fn has_idle_turns(&self) -> bool {
        !self.idle.0.is_empty()
    }
}
