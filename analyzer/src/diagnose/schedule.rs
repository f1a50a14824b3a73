//! An execution as a list of what happened, with values, for those who show it.

use warpath_trace::event::{Op, Verb};

use super::occurrence::{OccurrenceId, Occurrences, object_name};
use crate::answer::{Execution, Reference};
use crate::encode::{Options, Point};
use crate::model::{Forest, NodeId, TreeIx};

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Happened {
    /// The event.
    pub node: NodeId,
    /// What it is when orderings speak of it.
    pub occurrence: Option<OccurrenceId>,
    /// The thread.
    pub tree: TreeIx,
    /// How many events of the thread came before it.
    pub position: u32,
    /// What was done; [`Verb::Commit`] where a buffered write reached memory.
    pub verb: Verb,
    /// The name of what it was done to; the other thread's key for forks and joins; may be empty.
    pub object: String,
    /// What a read found.
    pub found: Option<u128>,
    /// What a write left.
    pub written: Option<u128>,
    /// Bits of these values.
    pub width: Option<u8>,
    /// Where in the program; empty if not known.
    pub at: String,
    /// The function; empty if not known.
    pub function: String,
}

/// What happened in an execution that others can notice, and failures, one after the other. Values are missing if the
/// reference interpreter does not know what storage held at first.
pub fn schedule(
    forest: &Forest,
    options: &Options,
    occurrences: &Occurrences,
    execution: &Execution,
) -> Vec<Happened> {
    let end = Reference::run(forest, options, execution).ok();
    let happened = |&point: &Point| {
        let id = point.node();
        let node = forest.node(id);
        let shown = node.op.is_visible() || matches!(node.op, Op::Failure { .. });
        let is_commit = matches!(point, Point::Commit(_));
        let location = node.op.read_location().or(node.op.written().map(|(location, _)| location));
        let width =
            location.and_then(|location| u8::try_from(forest.places.location(location).size * 8).ok());
        let value = |values: fn(&crate::answer::Final) -> &std::collections::HashMap<NodeId, u128>| {
            end.as_ref().and_then(|end| values(end).get(&id).copied())
        };
        shown.then(|| Happened {
            node: id,
            occurrence: occurrences.of_node(id),
            tree: node.tree,
            position: node.depth,
            verb: if is_commit { Verb::Commit } else { node.op.verb() },
            object: match node.op {
                Op::Fork { child } | Op::Join { child, .. } | Op::Detach { child } => {
                    forest.key(TreeIx(child.0)).to_string()
                }
                _ => object_name(forest, id),
            },
            found: if is_commit { None } else { value(|end| &end.found) },
            written: value(|end| &end.written),
            width,
            at: node.at.clone(),
            function: node.function.clone(),
        })
    };
    execution.steps.iter().filter_map(happened).collect()
}
