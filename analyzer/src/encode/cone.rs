//! Cone of influence: what a target can depend on. Exact: what is left out can stay unexecuted, or its value
//! does not matter.
//!
//! From the targets: the paths to them; what their decisions depend on (reads, the writes to those cells,
//! what those writes depend on); what waits on these paths need (forks, ends, releases, signals, posts,
//! arrivals, wakes).

use std::collections::HashSet;
use std::hash::{Hash, Hasher};

use warpath_trace::event::{Op, WaitResult};
use warpath_trace::expr::Leaf;
use warpath_trace::ids::{ExprId, LocationId};

use super::accesses::{Accesses, sync_objects};
use super::object_tree::ObjectTrees;
use super::requeue::connected;
use super::waiting::repeated;
use crate::model::{Cells, Forest, NodeId, TreeIx};

/// A number for all that these targets depend on: as long as it stays the same, so does every answer about them.
pub(crate) fn cone_signature(forest: &Forest, targets: &[NodeId], values: &[NodeId]) -> u64 {
    let cone = Cone::of(forest, forest.cells(), targets, values, None);
    let mut hasher = std::hash::DefaultHasher::new();
    for id in forest.ids().filter(|id| cone.takes_part[id.index()]) {
        (id, cone.value_matters[id.index()]).hash(&mut hasher);
    }
    hasher.finish()
}

/// What these targets depend on, of a part of the forest.
pub(crate) fn cone_within(
    forest: &Forest,
    targets: &[NodeId],
    values: &[NodeId],
    part: &[bool],
) -> Vec<bool> {
    Cone::of(forest, forest.cells(), targets, values, Some(part)).takes_part
}

/// The reads whose value these targets depend on.
pub(crate) fn reads_behind(forest: &Forest, targets: &[NodeId]) -> Vec<NodeId> {
    let cone = Cone::of(forest, forest.cells(), targets, &[], None);
    let matters = |id: &NodeId| cone.takes_part[id.index()] && cone.value_matters[id.index()];
    forest.ids().filter(matters).collect()
}

/// What takes part.
#[derive(Clone, Debug)]
pub(super) struct Cone {
    /// Nodes that may have to be executed.
    pub(super) takes_part: Vec<bool>,
    /// Reads whose value something depends on.
    pub(super) value_matters: Vec<bool>,
}

impl Cone {
    /// How many nodes may have to be executed.
    pub(super) fn size(&self) -> usize {
        self.takes_part.iter().filter(|&&takes_part| takes_part).count()
    }

    /// Everything, for comparison; of a part of the forest, if one is given.
    pub(super) fn everything(forest: &Forest, part: Option<&[bool]>) -> Cone {
        let nodes = forest.nodes().len();
        let takes_part = part.map_or_else(|| vec![true; nodes], <[bool]>::to_vec);
        Cone { takes_part, value_matters: vec![true; nodes] }
    }

    /// What these targets can depend on. The decision of a target node counts, too, and so does what the reads of
    /// `values` find. If a part of the forest is given, nothing else happens.
    pub(super) fn of(
        forest: &Forest,
        cells: &Cells,
        targets: &[NodeId],
        values: &[NodeId],
        part: Option<&[bool]>,
    ) -> Cone {
        let mut walk = Walk {
            forest,
            cells,
            part,
            accesses: Accesses::of(forest, cells, |_| true),
            trees: ObjectTrees::of(forest, |_| true),
            cone: Cone {
                takes_part: forest.ids().map(|id| forest.is_settled(id)).collect(),
                value_matters: vec![false; forest.nodes().len()],
            },
            exprs: vec![false; forest.exprs.len()],
            cells_done: vec![false; cells.all().len()],
            locks_done: HashSet::new(),
            families_done: HashSet::new(),
            nodes: Vec::new(),
        };
        // A settled region keeps everybody else out until it ends.
        for id in forest.settled().filter(|&id| matches!(forest.node(id).op, Op::AtomicBegin)) {
            walk.region(id);
        }
        for &target in targets {
            walk.execute(target);
            walk.decide(target);
        }
        for &read in values {
            walk.execute(read);
            walk.value(read);
        }
        while let Some(id) = walk.nodes.pop() {
            walk.node(id);
        }
        walk.cone
    }
}

struct Walk<'f> {
    forest: &'f Forest,
    cells: &'f Cells,
    /// What may happen at all.
    part: Option<&'f [bool]>,
    accesses: Accesses,
    trees: ObjectTrees,
    cone: Cone,
    exprs: Vec<bool>,
    cells_done: Vec<bool>,
    /// Locks whose settled holders have been looked at.
    locks_done: HashSet<LocationId>,
    /// Futex words whose families take part.
    families_done: HashSet<LocationId>,
    nodes: Vec<NodeId>,
}

impl Walk<'_> {
    /// The node may have to be executed.
    fn execute(&mut self, id: NodeId) {
        if self.part.is_some_and(|part| !part[id.index()]) {
            return;
        }
        if !std::mem::replace(&mut self.cone.takes_part[id.index()], true) {
            self.nodes.push(id);
        }
    }

    fn execute_all(&mut self, ids: &[NodeId]) {
        for &id in ids {
            self.execute(id);
        }
    }

    /// How control goes on behind the node matters.
    fn decide(&mut self, id: NodeId) {
        if self.forest.is_settled(id) {
            return;
        }
        match self.forest.node(id).op {
            Op::Branch { condition: expr, .. }
            | Op::Switch { on: expr, .. }
            | Op::Concretise { expr, .. }
            | Op::Assert { condition: Some(expr), .. } => self.expr(expr),
            Op::FutexWait { expected, .. } => {
                if let Some(expr) = expected.expr {
                    self.expr(expr);
                }
                self.value(id);
            }
            Op::Read { .. } | Op::AtomicRead { .. } if self.forest.node(id).pinned => self.value(id),
            _ => {}
        }
    }

    /// The value of an expression matters.
    fn expr(&mut self, root: ExprId) {
        let mut stack = vec![root];
        while let Some(id) = stack.pop() {
            if std::mem::replace(&mut self.exprs[id.index()], true) {
                continue;
            }
            let node = self.forest.exprs.node(id);
            if let Some(Leaf::Read(_, event)) = node.leaf() {
                self.value(NodeId(event));
            }
            stack.extend(node.operands());
        }
    }

    /// The value that a read finds matters: so does every write to its cells.
    fn value(&mut self, read: NodeId) {
        if std::mem::replace(&mut self.cone.value_matters[read.index()], true) {
            return;
        }
        let Some(location) = self.forest.node(read).op.read_location() else { return };
        for &cell in self.cells.row(location) {
            if std::mem::replace(&mut self.cells_done[cell.0 as usize], true) {
                continue;
            }
            for write in self.accesses.writes(cell).to_vec() {
                self.execute(write);
                if let Some((_, datum)) = self.forest.node(write).op.written()
                    && let Some(expr) = datum.expr
                {
                    self.expr(expr);
                }
            }
        }
    }

    /// What it takes to execute a node.
    fn node(&mut self, id: NodeId) {
        let forest = self.forest;
        let node = forest.node(id);
        match node.parent {
            Some((parent, _)) => {
                self.execute(parent);
                self.decide(parent);
            }
            None => {
                self.execute_all(forest.forks(node.tree));
            }
        }
        for (before, now) in repeated(forest, id).into_iter().flat_map(|repeated| repeated.reads) {
            self.value(before);
            self.value(now);
        }
        match node.op {
            Op::Join { child, result: WaitResult::Done, .. } => {
                self.execute_all(forest.ends(TreeIx(child.0)));
            }
            Op::Assume { condition: Some(expr), .. } => self.expr(expr),
            Op::Rmw { .. } if node.pinned => self.value(id),
            Op::AtomicBegin => self.region(id),
            Op::CondWake { condition, mutex, .. } => {
                self.givers(condition);
                self.releases(mutex, id);
            }
            Op::Lock { mutex: lock, result, .. } | Op::RwLock { lock, result, .. } => match result {
                WaitResult::Busy | WaitResult::TimedOut => self.givers(lock),
                _ => self.releases(lock, id),
            },
            _ => {
                if matches!(
                    node.op,
                    Op::SemWait { .. }
                        | Op::SemValue { .. }
                        | Op::BarrierLeave { .. }
                        | Op::Once { .. }
                        | Op::FutexResume { .. }
                ) {
                    for object in sync_objects(&node.op) {
                        self.givers(object);
                    }
                }
            }
        }
    }

    /// Everything that happens to an object may be needed to go on.
    fn givers(&mut self, object: LocationId) {
        let nodes = self.accesses.sync(object).to_vec();
        self.execute_all(&nodes);
        // Between words among which waiters are moved, who waits where is followed: wakes, and what waits compare.
        if nodes.iter().any(|&id| matches!(self.forest.node(id).op, Op::FutexRequeue { .. }))
            && self.families_done.insert(object)
        {
            for word in connected(self.forest, object) {
                self.families_done.insert(word);
                for id in self.accesses.sync(word).to_vec() {
                    self.execute(id);
                    if matches!(self.forest.node(id).op, Op::FutexWait { .. }) {
                        self.decide(id);
                    }
                }
            }
        }
    }

    /// A lock that is taken must be able to be given back: everything that happens to it below, until it is
    /// free. What else is taken again in between is given back in between. So must be what settled acquisitions
    /// hold, which are there whether anything depends on them or not.
    fn releases(&mut self, lock: LocationId, id: NodeId) {
        let mut stack = vec![(id, 1u32)];
        if self.locks_done.insert(lock) {
            let forest = self.forest;
            let settled = self.accesses.sync(lock).iter().copied().take_while(|&id| forest.is_settled(id));
            let outermost = settled.filter(|&id| match forest.node(id).op {
                Op::Lock { .. } | Op::RwLock { .. } => self.trees.above(lock, id).is_none(),
                _ => false,
            });
            stack.extend(outermost.map(|id| (id, 1)));
        }
        while let Some((id, held)) = stack.pop() {
            for next in self.trees.below(lock, id).to_vec() {
                self.execute(next);
                let held = match self.forest.node(next).op {
                    Op::Lock { result, .. } | Op::RwLock { result, .. } if result.acquired() => held + 1,
                    Op::Unlock { result: WaitResult::Done, .. }
                    | Op::RwUnlock { result: WaitResult::Done, .. } => held - 1,
                    Op::CondWait { .. } => 0,
                    _ => held,
                };
                if held > 0 {
                    stack.push((next, held));
                }
            }
        }
    }

    /// A region that begins must be able to end.
    fn region(&mut self, begin: NodeId) {
        let mut stack: Vec<NodeId> = self.forest.node(begin).children.iter().map(|c| c.node).collect();
        while let Some(id) = stack.pop() {
            self.execute(id);
            if !matches!(self.forest.node(id).op, Op::AtomicEnd) {
                stack.extend(self.forest.node(id).children.iter().map(|child| child.node));
            }
        }
    }
}
