//! Leaves out of a failing execution what the failure can do without, so that its path condition says no more than it
//! must: other threads stop at the earliest decision before which the rest can do without them.
//!
//! What is left is no guess: the reference interpreter has executed it.

use std::collections::BTreeSet;

use warpath_trace::event::Op;

use crate::answer::{Execution, Reference};
use crate::encode::Options;
use crate::model::{Forest, NodeId, TreeIx};

/// So often each thread is tried to be stopped earlier.
const TRIES: usize = 40;

/// Threads can need each other's events, and neither be needed: so often all of them are gone through.
const ROUNDS: usize = 3;

/// The execution without what its failure can do without.
pub(super) fn shortened(
    forest: &Forest,
    options: &Options,
    execution: Execution,
    failure: NodeId,
) -> Execution {
    let failing = forest.node(failure).tree;
    let mut execution = execution;
    for _ in 0..ROUNDS {
        let before = execution.steps.len();
        for tree in forest.trees().filter(|&tree| tree != failing) {
            if let Some(shorter) = stops(forest, &execution, tree).into_iter().find_map(|stop| {
                let shorter = without(forest, &execution, tree, stop);
                Reference::run(forest, options, &shorter).is_ok().then_some(shorter)
            }) {
                execution = shorter;
            }
        }
        if execution.steps.len() == before {
            break;
        }
    }
    execution
}

/// How many events of a thread could be kept: up to its first, its second … decision. Storage that it gives back may
/// be what the failure is about, so that stays.
fn stops(forest: &Forest, execution: &Execution, tree: TreeIx) -> Vec<u32> {
    let own = execution.steps.iter().map(|point| forest.node(point.node())).filter(|node| node.tree == tree);
    let kept = own.clone().filter(|node| matches!(node.op, Op::Free { .. })).map(|node| node.depth + 1).max();
    let decides = |op: &Op| {
        use Op::{Assert, Assume, Branch, Concretise, FutexWait, Switch};
        matches!(
            op,
            Branch { .. }
                | Switch { .. }
                | Concretise { .. }
                | Assert { .. }
                | Assume { .. }
                | FutexWait { .. }
        )
    };
    let decisions = own.filter(|node| decides(&node.op) || node.pinned).map(|node| node.depth);
    // Not at all comes first; if nobody needs the thread, it need not even begin.
    let all: BTreeSet<u32> = decisions.chain([0]).filter(|&stop| stop >= kept.unwrap_or(0)).collect();
    all.into_iter().take(TRIES).collect()
}

/// Without the events of a thread from that one on.
fn without(forest: &Forest, execution: &Execution, tree: TreeIx, stop: u32) -> Execution {
    let stays = |id: NodeId| {
        let node = forest.node(id);
        node.tree != tree || node.depth < stop
    };
    let steps = execution.steps.iter().copied().filter(|point| stays(point.node())).collect();
    Execution { steps, ..execution.clone() }
}
