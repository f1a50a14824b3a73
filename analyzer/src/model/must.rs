//! What must happen before what, in every execution that has both.
//!
//! Program order along each tree, a thread after the only node that forks it, a join after the only node
//! that ends the thread; settled nodes in their order, before all others. Per node and thread, the deepest node of that thread that must come before it; a
//! question is then answered by comparing two positions in one tree. What else follows from values and locks is worked
//! out in `encode/saturate.rs`.

use warpath_trace::event::{Op, WaitResult};

use super::forest::{Forest, NodeId, TreeIx};

/// The must-order of a forest as it stands.
#[derive(Clone, Debug)]
pub struct MustOrder {
    /// Interval of each node in a walk of its tree: a is above b iff a's interval holds b's.
    enter: Vec<u32>,
    leave: Vec<u32>,
    tree: Vec<TreeIx>,
    trees: usize,
    /// Row of a node: per tree, the deepest node that must come before it (or is it).
    clocks: Vec<Option<NodeId>>,
}

impl MustOrder {
    /// Computes it: linear in nodes × threads.
    pub fn of(forest: &Forest) -> MustOrder {
        let (enter, leave) = intervals(forest);
        let trees = forest.keys().len();
        let mut order = MustOrder {
            enter,
            leave,
            tree: forest.nodes().iter().map(|node| node.tree).collect(),
            trees,
            clocks: vec![None; forest.nodes().len() * trees],
        };
        // A node's clock needs those of its parent, its fork and the end it joins: the recursion is only as
        // deep as threads wait for each other, but a stack of our own costs nothing.
        let mut done = vec![false; forest.nodes().len()];
        let mut waiting = vec![false; forest.nodes().len()];
        let mut stack: Vec<NodeId> = Vec::new();
        for id in forest.ids() {
            stack.push(id);
            while let Some(&id) = stack.last() {
                if done[id.index()] {
                    stack.pop();
                    continue;
                }
                let before = directly_before(forest, id);
                let open: Vec<NodeId> = before
                    .iter()
                    .copied()
                    .filter(|before| !done[before.index()] && !waiting[before.index()])
                    .collect();
                if !open.is_empty() && !waiting[id.index()] {
                    waiting[id.index()] = true;
                    stack.extend(open);
                    continue;
                }
                for before in before {
                    order.join(id, before);
                }
                order.clocks[id.index() * trees + forest.node(id).tree.index()] = Some(id);
                done[id.index()] = true;
                stack.pop();
            }
        }
        order
    }

    /// Takes over what must come before `before`, which must come before `id`. Was something of it new?
    fn join(&mut self, id: NodeId, before: NodeId) -> bool {
        let mut grown = false;
        for tree in 0..self.trees {
            grown |= self.deepen(id, tree, self.clocks[before.index() * self.trees + tree]);
        }
        grown
    }

    /// Notes that a node of a tree must come before `id`. Is that new?
    fn deepen(&mut self, id: NodeId, tree: usize, before: Option<NodeId>) -> bool {
        let ours = self.clocks[id.index() * self.trees + tree];
        let deeper = match (ours, before) {
            (Some(ours), Some(before)) => ours != before && self.is_above(ours, before),
            (None, before) => before.is_some(),
            (Some(_), None) => false,
        };
        if deeper {
            self.clocks[id.index() * self.trees + tree] = before;
        }
        deeper
    }

    /// Per tree, the deepest node that must come before `id` or is it.
    pub(crate) fn row(&self, id: NodeId) -> &[Option<NodeId>] {
        &self.clocks[id.index() * self.trees..][..self.trees]
    }

    /// Takes over what comes directly before a node. Was something of it new?
    pub(crate) fn inherit(&mut self, forest: &Forest, id: NodeId) -> bool {
        let mut grown = false;
        for before in directly_before(forest, id) {
            grown |= self.join(id, before);
        }
        grown
    }

    /// Adds that the nodes of a row, and so all that must come before them, must come before `id`. Was something
    /// of it new?
    pub(crate) fn join_row(&mut self, id: NodeId, row: &[Option<NodeId>]) -> bool {
        let mut grown = false;
        for (tree, &before) in row.iter().enumerate() {
            grown |= self.deepen(id, tree, before);
        }
        grown
    }

    /// Reduces a row to what it has in common with another.
    pub(crate) fn meet(&self, forest: &Forest, row: &mut [Option<NodeId>], other: &[Option<NodeId>]) {
        for (ours, theirs) in row.iter_mut().zip(other) {
            *ours = match (*ours, *theirs) {
                (Some(ours), Some(theirs)) if self.is_above(theirs, ours) => Some(theirs),
                (Some(ours), Some(theirs)) => {
                    forest.path_up(ours).find(|&above| self.is_above(above, theirs))
                }
                _ => None,
            };
        }
    }

    /// Can what must come before the two be in one execution?
    pub(crate) fn agree(&self, a: NodeId, b: NodeId) -> bool {
        let rows = self.row(a).iter().zip(self.row(b));
        rows.flat_map(|(a, b)| a.zip(*b)).all(|(a, b)| self.compatible(a, b))
    }

    /// Makes the order transitive, after more was said about it; `false` if that puts a node before itself.
    pub(crate) fn close(&mut self, forest: &Forest) -> bool {
        let nodes = self.tree.len();
        let mut missing = vec![0u32; nodes];
        let mut behind: Vec<Vec<NodeId>> = vec![Vec::new(); nodes];
        for id in forest.ids() {
            let parent = forest.node(id).parent.map(|(parent, _)| parent);
            for before in self.row(id).iter().copied().flatten().filter(|&before| before != id).chain(parent)
            {
                behind[before.index()].push(id);
                missing[id.index()] += 1;
            }
        }
        let mut ready: Vec<NodeId> = forest.ids().filter(|id| missing[id.index()] == 0).collect();
        let mut closed = 0;
        while let Some(id) = ready.pop() {
            closed += 1;
            // What comes before `id` has been closed; what it adds has been, too.
            for tree in 0..self.trees {
                if let Some(before) =
                    self.clocks[id.index() * self.trees + tree].filter(|&before| before != id)
                {
                    self.join(id, before);
                }
            }
            for &next in &behind[id.index()] {
                missing[next.index()] -= 1;
                if missing[next.index()] == 0 {
                    ready.push(next);
                }
            }
        }
        closed == nodes
    }

    /// Is `a` on the path to `b`, or `b` itself?
    pub fn is_above(&self, a: NodeId, b: NodeId) -> bool {
        self.tree[a.index()] == self.tree[b.index()]
            && self.enter[a.index()] <= self.enter[b.index()]
            && self.leave[b.index()] <= self.leave[a.index()]
    }

    /// Must `a` come before `b` whenever `b` is executed? Not of a node and itself.
    pub fn before(&self, a: NodeId, b: NodeId) -> bool {
        if a == b {
            return false;
        }
        let deepest = self.clocks[b.index() * self.trees + self.tree[a.index()].index()];
        deepest.is_some_and(|deepest| self.is_above(a, deepest))
    }

    /// The deepest event of a thread that must come before `id`, or is it.
    pub fn last_of(&self, tree: TreeIx, id: NodeId) -> Option<NodeId> {
        self.clocks[id.index() * self.trees + tree.index()]
    }

    /// What must come before a node, but need not come before the one above it: of each other thread, the last.
    pub(crate) fn newly_before(&self, forest: &Forest, id: NodeId) -> Vec<NodeId> {
        let Some((parent, _)) = forest.node(id).parent else { return Vec::new() };
        let rows = self.row(id).iter().zip(self.row(parent));
        rows.filter(|(last, known)| last != known)
            .filter_map(|(&last, _)| last.filter(|&last| last != id))
            .collect()
    }

    /// Can the two be in one execution? Not if they are on different branches of one tree.
    pub fn compatible(&self, a: NodeId, b: NodeId) -> bool {
        self.tree[a.index()] != self.tree[b.index()] || self.is_above(a, b) || self.is_above(b, a)
    }
}

/// What a node comes directly behind in every execution.
fn directly_before(forest: &Forest, id: NodeId) -> Vec<NodeId> {
    let node = forest.node(id);
    let mut before: Vec<NodeId> = node.parent.iter().map(|&(parent, _)| parent).collect();
    if node.parent.is_none() {
        before.extend(only(forest.forks(node.tree)));
    }
    if let Op::Join { child, result: WaitResult::Done, .. } = node.op {
        before.extend(only(forest.ends(TreeIx(child.0))));
    }
    before.extend(settled_before(forest, id));
    before
}

/// The last settled node that comes directly before this one: for a settled node the one before it, for the first
/// node behind the settled ones of its thread the last of all.
fn settled_before(forest: &Forest, id: NodeId) -> Option<NodeId> {
    let node = forest.node(id);
    let last = match forest.is_settled(id) {
        true => id.0.checked_sub(1),
        false if node.parent.is_some_and(|(parent, _)| !forest.is_settled(parent)) => None,
        false => forest.settled.checked_sub(1),
    };
    last.map(NodeId)
}

fn only(nodes: &[NodeId]) -> Option<NodeId> {
    match nodes {
        [node] => Some(*node),
        _ => None,
    }
}

fn intervals(forest: &Forest) -> (Vec<u32>, Vec<u32>) {
    let mut enter = vec![0; forest.nodes().len()];
    let mut leave = vec![0; forest.nodes().len()];
    let mut clock = 0;
    for tree in forest.trees() {
        let mut stack: Vec<(NodeId, bool)> =
            forest.root(tree).map(|root| (root, false)).into_iter().collect();
        while let Some((id, leaving)) = stack.pop() {
            if leaving {
                leave[id.index()] = clock;
                continue;
            }
            clock += 1;
            enter[id.index()] = clock;
            stack.push((id, true));
            stack.extend(forest.node(id).children.iter().map(|child| (child.node, false)));
        }
    }
    (enter, leave)
}
