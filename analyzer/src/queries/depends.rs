//! Which reads an expression depends on.

use std::collections::HashSet;

use warpath_trace::event::Op;
use warpath_trace::expr::Leaf;
use warpath_trace::ids::ExprId;

use crate::model::{Forest, NodeId};

/// Larger expressions are not searched: nothing is known to depend on the read then.
const MOST_PARTS: usize = 10_000;

/// Does the expression depend on what the read finds?
pub(super) fn depends_on(forest: &Forest, root: ExprId, read: NodeId) -> bool {
    let mut seen = HashSet::from([root]);
    let mut stack = vec![root];
    while let Some(id) = stack.pop() {
        let node = forest.exprs.node(id);
        if matches!(node.leaf(), Some(Leaf::Read(_, event)) if NodeId(event) == read) {
            return true;
        }
        if seen.len() > MOST_PARTS {
            return false;
        }
        stack.extend(node.operands().filter(|&operand| seen.insert(operand)));
    }
    false
}

/// The expression that an event decides on.
pub(super) fn decided_on(op: &Op) -> Option<ExprId> {
    match *op {
        Op::Branch { condition: expr, .. }
        | Op::Switch { on: expr, .. }
        | Op::Concretise { expr, .. }
        | Op::Assert { condition: Some(expr), .. } => Some(expr),
        _ => None,
    }
}
