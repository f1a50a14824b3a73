//! Which reads are the reason for a value that differs from the observed one: directly, or through what others
//! wrote after reading.

use std::collections::HashSet;

use warpath_trace::event::Op;
use warpath_trace::expr::Leaf;
use warpath_trace::ids::ExprId;

use super::values::{Values, World};
use crate::model::NodeId;

/// More reads than this are not looked at.
const MOST_READS: usize = 64;

/// The reads that an event's decision depends on and that found something else than in the run, the event itself if
/// it is one of them.
pub(super) fn blamed(
    world: World<'_>,
    values: &Values,
    observed: &[Option<u128>],
    id: NodeId,
) -> Vec<NodeId> {
    let mut blamed: Vec<NodeId> = Vec::new();
    let mut seen: HashSet<NodeId> = HashSet::new();
    let mut stack: Vec<NodeId> = vec![id];
    let op = &world.forest.node(id).op;
    stack.extend(decided_on(op).into_iter().flat_map(|expr| reads(world, expr)));
    while let Some(read) = stack.pop() {
        let found = values.found()[read.index()];
        if !seen.insert(read) || found.is_none() || found == observed[read.index()] {
            continue;
        }
        blamed.push(read);
        if blamed.len() >= MOST_READS {
            break;
        }
        let written = values.source(read).and_then(|write| world.forest.node(write).op.written());
        let expr = written.and_then(|(_, value)| value.expr);
        stack.extend(expr.into_iter().flat_map(|expr| reads(world, expr)));
    }
    blamed
}

fn decided_on(op: &Op) -> Option<ExprId> {
    match *op {
        Op::Branch { condition: expr, .. } | Op::Switch { on: expr, .. } | Op::Concretise { expr, .. } => {
            Some(expr)
        }
        Op::Assert { condition, .. } | Op::Assume { condition, .. } => condition,
        Op::FutexWait { expected, .. } => expected.expr,
        _ => None,
    }
}

/// The reads in an expression.
fn reads(world: World<'_>, root: ExprId) -> Vec<NodeId> {
    let mut reads = Vec::new();
    let mut seen = HashSet::from([root]);
    let mut stack = vec![root];
    while let Some(expr) = stack.pop() {
        let node = world.forest.exprs.node(expr);
        if let Some(Leaf::Read(_, event)) = node.leaf() {
            reads.push(NodeId(event));
        }
        stack.extend(node.operands().filter(|&operand| seen.insert(operand)));
    }
    reads
}
