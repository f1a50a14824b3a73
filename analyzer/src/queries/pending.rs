//! Pending: an event is the next one of its thread.
//!
//! A solution of the formula is an execution prefix, so two events that are pending in it are both possible in
//! the same state: they can be made adjacent.

use warpath_solvers::term::{TermError, TermId};

use crate::answer::Final;
use crate::encode::Encoding;
use crate::model::{Forest, NodeId};

/// Is the event pending where an execution has ended?
pub(crate) fn is_pending(forest: &Forest, end: &Final, id: NodeId) -> bool {
    let node = forest.node(id);
    end.ends.get(&node.tree).copied() == node.parent
}

/// The nodes that [`pending`] speaks of.
pub(super) fn pending_cone(forest: &Forest, id: NodeId) -> Vec<NodeId> {
    match forest.node(id).parent {
        Some((parent, _)) => vec![parent],
        None => forest.forks(forest.node(id).tree).to_vec(),
    }
}

/// `en(parent(b)) ∧ outcome(parent, way to b) ∧ ¬en(b)`; the other ways in which a wait at `b` can end are not
/// executed either.
pub(super) fn pending(encoding: &mut Encoding<'_>, id: NodeId) -> Result<TermId, TermError> {
    let forest = encoding.forest;
    let mut parts = Vec::new();
    let mut next = Vec::new();
    match forest.node(id).parent {
        Some((parent, outcome)) => {
            parts.push(encoding.en(parent)?);
            parts.extend(encoding.outcome(parent, outcome)?);
            next.extend(forest.node(parent).children.iter().map(|child| child.node));
        }
        None => {
            let forks = forest.forks(forest.node(id).tree);
            if !forks.is_empty() {
                let started: Vec<TermId> =
                    forks.iter().map(|&fork| encoding.en(fork)).collect::<Result<_, _>>()?;
                parts.push(encoding.terms.or(&started)?);
            }
            next.push(id);
        }
    }
    for child in next.into_iter().filter(|&child| encoding.has(child)).collect::<Vec<_>>() {
        let en = encoding.en(child)?;
        parts.push(encoding.terms.not(en)?);
    }
    encoding.terms.and(&parts)
}
