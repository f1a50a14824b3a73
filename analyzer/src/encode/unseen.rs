//! **What was not recorded.** A trace of synchronisation alone does not say why a thread did what it did. Most of all it
//! does not say why a thread waited on a condition: it looked at something that the mutex protects, and what it found
//! depends on who had the mutex before. Taken as free, every wait could come behind every signal, and every program
//! with a condition variable would seem to lose one.
//!
//! So what a mutex protects on which conditions are waited for, or under which one is signalled, is taken to be another after each critical section.
//! A thread does in its section what it did only if the section before it was the observed one:
//! `en(a) → en(u) ∧ o(u) < o(a)`, with `u` the release observed before the acquisition `a`. One that takes another lock
//! at once is free to come to that lock, `en(next) → …`: so threads that wait for each other's locks are found
//! whichever came first.
//!
//! For other mutexes nothing is assumed: a lock order is a fact of the program more often than not.
//! What is predicted from such a trace can be impossible all the same; a replay tells.

use warpath_solvers::term::TermError;
use warpath_trace::event::Op;
use warpath_trace::ids::LocationId;

use super::lock::Holdings;
use super::object_tree::ObjectTrees;
use super::{About, Encoding};
use crate::model::{Forest, NodeId};

/// A critical section that depends on the one observed before it.
pub(super) struct Dependent {
    /// The event that acquires the mutex.
    pub(super) acquisition: NodeId,
    /// The events that happen only if the section before it is over: the acquisition itself, or what comes next.
    pub(super) decided: Vec<NodeId>,
    /// The releases of the section before it; one of them on every path.
    pub(super) releases: Vec<NodeId>,
}

/// The sections of this lock that depend on what was not recorded; `nodes` has the events of the lock, ascending.
pub(super) fn dependent(
    forest: &Forest,
    trees: &ObjectTrees,
    lock: LocationId,
    nodes: &[NodeId],
) -> Vec<Dependent> {
    if !forest.protects_unseen(lock) {
        return Vec::new();
    }
    let mut sections = Holdings::of(forest, trees, lock, nodes).acquisitions;
    sections.retain(|section| forest.node(section.node).observed != u32::MAX);
    sections.sort_by_key(|section| (forest.node(section.node).observed, section.node));
    let apart = |a: NodeId, b: NodeId| forest.node(a).tree != forest.node(b).tree;
    let pairs = sections.windows(2).filter(|pair| apart(pair[0].node, pair[1].node));
    pairs
        .map(|pair| Dependent {
            acquisition: pair[1].node,
            decided: decided(forest, pair[1].node),
            releases: pair[0].releases.clone(),
        })
        .collect()
}

fn decided(forest: &Forest, acquisition: NodeId) -> Vec<NodeId> {
    let node = forest.node(acquisition);
    let next: Vec<NodeId> = node.children.iter().map(|child| child.node).collect();
    let takes = |id: &NodeId| matches!(forest.node(*id).op, Op::Lock { .. } | Op::RwLock { .. });
    // Behind a wait the thread looks again.
    let at_once = !next.is_empty() && next.iter().all(takes) && !matches!(node.op, Op::CondWake { .. });
    if at_once { next } else { vec![acquisition] }
}

impl Encoding<'_> {
    pub(super) fn unseen_state(&mut self, lock: LocationId) -> Result<(), TermError> {
        let nodes = self.on(lock);
        for section in dependent(self.forest, &self.object_trees, lock, &nodes) {
            let mut ways = Vec::new();
            for &release in &section.releases {
                ways.push(self.done_before(release, section.acquisition)?);
            }
            let way = self.terms.or(&ways)?;
            for id in section.decided {
                let en = self.en(id)?;
                self.require(About::Unseen(id), en, way)?;
            }
        }
        Ok(())
    }
}
