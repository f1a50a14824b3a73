//! Seats: events of one thread that are alike and never both executed have one place in time.
//!
//! A thread's tree branches, but an execution takes one path through it. Behind a branch the paths often do the same
//! again: the same read, the same write. So all paths of a tree are laid side by side, as a row of **seats**, such that
//! each path visits its seats from left to right and each seat is taken by one event at most. A comparison, a "reads
//! from" or a value that the formula has per seat then serves all paths: its size is that of the rows, not of the trees.
//!
//! A new path is laid along the row behind the event where it leaves the known ones, so that as many of its events as
//! possible find a seat of their kind (the longest common subsequence); the others get new seats in between. Seats and
//! their order never change as the forest grows, so what a solver has learned of them stays true.

use std::collections::HashMap;

use warpath_trace::event::{Datum, Op};

use super::forest::{Forest, Node, NodeId, TreeIx};

/// Beyond this many comparisons, a path is laid along the row by taking the next fitting seat.
const MOST_COMPARISONS: usize = 4_000_000;
/// How far ahead that looks.
const AHEAD: usize = 256;

/// The seats of a forest.
#[derive(Clone, Debug, Default)]
pub struct Seats {
    /// Per node, the first event that had its seat: the seat's name.
    first: Vec<NodeId>,
    /// Per node, the position of its seat in the row of its tree.
    position: Vec<u32>,
    /// Per tree, the seats from left to right.
    rows: Vec<Vec<NodeId>>,
    /// Is some seat shared?
    shared: bool,
}

impl Seats {
    /// Gives every event that has none a seat. Events that have one keep it.
    pub(super) fn grow(&mut self, forest: &Forest) {
        let seated = self.first.len();
        let nodes = forest.nodes().len();
        self.first.extend((seated..nodes).map(|n| NodeId(n as u32)));
        self.position.resize(nodes, 0);
        self.rows.resize(forest.keys().len(), Vec::new());
        let mut waiting = vec![true; nodes - seated];
        for id in (seated..nodes).map(|n| NodeId(n as u32)) {
            if waiting[id.index() - seated] {
                let path = first_way_down(forest, id);
                for event in &path {
                    waiting[event.index() - seated] = false;
                }
                self.lay(forest, &path);
            }
        }
    }

    /// How many events have a seat.
    pub(super) fn events(&self) -> usize {
        self.first.len()
    }

    /// The first event that had this event's seat.
    pub fn first(&self, id: NodeId) -> NodeId {
        self.first[id.index()]
    }

    /// Where in its thread's row the event's seat is.
    pub fn position(&self, id: NodeId) -> u32 {
        self.position[id.index()]
    }

    /// The seats of a thread, each by its first event.
    pub fn row(&self, tree: TreeIx) -> &[NodeId] {
        self.rows.get(tree.index()).map_or(&[], |row| &row[..])
    }

    /// Does any seat have several events?
    pub fn are_shared(&self) -> bool {
        self.shared
    }

    /// Lays a path along the row, behind its parent's seat.
    fn lay(&mut self, forest: &Forest, path: &[NodeId]) {
        let top = forest.node(path[0]);
        let behind = top.parent.map_or(0, |(parent, _)| self.position(parent) as usize + 1);
        let row = std::mem::take(&mut self.rows[top.tree.index()]);
        let fitting = fit(forest, path, &row[behind..]);
        let mut laid: Vec<NodeId> = row[..behind].to_vec();
        let mut rest = row[behind..].iter().copied().enumerate().peekable();
        for (&event, seat) in path.iter().zip(fitting) {
            match seat {
                Some(seat) => {
                    for (n, other) in rest.by_ref() {
                        laid.push(other);
                        if n == seat {
                            self.first[event.index()] = other;
                            self.shared = true;
                            break;
                        }
                    }
                }
                None => laid.push(event),
            }
        }
        laid.extend(rest.map(|(_, other)| other));
        let positions: HashMap<NodeId, u32> = laid[behind..].iter().copied().zip(behind as u32..).collect();
        for n in (0..self.first.len()).filter(|&n| forest.nodes()[n].tree == top.tree) {
            if let Some(&position) = positions.get(&self.first[n]) {
                self.position[n] = position;
            }
        }
        self.rows[top.tree.index()] = laid;
    }
}

/// The event, the first one seen behind it, and so on.
fn first_way_down(forest: &Forest, from: NodeId) -> Vec<NodeId> {
    std::iter::successors(Some(from), |&id| forest.node(id).children.first().map(|child| child.node))
        .collect()
}

/// For each event of a path, a seat of its kind among these, ascending.
fn fit(forest: &Forest, path: &[NodeId], seats: &[NodeId]) -> Vec<Option<usize>> {
    let mut fitting = vec![None; path.len()];
    // Only what others can notice has a time that matters.
    let visible = |ids: &[NodeId]| -> Vec<(usize, NodeId)> {
        ids.iter().copied().enumerate().filter(|&(_, id)| forest.node(id).op.is_visible()).collect()
    };
    let (path, seats) = (visible(path), visible(seats));
    let like = |a: NodeId, b: NodeId| likeness(forest.node(a), forest.node(b));
    if path.len().saturating_mul(seats.len()) > MOST_COMPARISONS {
        let mut next = 0;
        for &(n, event) in &path {
            let ahead = seats[next..].iter().take(AHEAD);
            if let Some(found) = ahead.into_iter().position(|&(_, seat)| like(event, seat) > 0) {
                fitting[n] = Some(seats[next + found].0);
                next += found + 1;
            }
        }
        return fitting;
    }
    // best[i][j]: how well the events from i on can be seated from j on.
    let width = seats.len() + 1;
    let mut best = vec![0u32; (path.len() + 1) * width];
    for i in (0..path.len()).rev() {
        for j in (0..seats.len()).rev() {
            let like = like(path[i].1, seats[j].1);
            let seated = if like > 0 { best[(i + 1) * width + j + 1] + like } else { 0 };
            best[i * width + j] = seated.max(best[(i + 1) * width + j]).max(best[i * width + j + 1]);
        }
    }
    let (mut i, mut j) = (0, 0);
    while i < path.len() && j < seats.len() {
        let like = like(path[i].1, seats[j].1);
        if like > 0 && best[i * width + j] == best[(i + 1) * width + j + 1] + like {
            fitting[path[i].0] = Some(seats[j].0);
            (i, j) = (i + 1, j + 1);
        } else if best[i * width + j] == best[(i + 1) * width + j] {
            i += 1;
        } else {
            j += 1;
        }
    }
    fitting
}

/// 0 if the two cannot have one seat; more if they are also at the same place of the program.
fn likeness(a: &Node, b: &Node) -> u32 {
    match a.pinned == b.pinned && kind(a) == kind(b) {
        true => 2 + u32::from(a.at == b.at),
        false => 0,
    }
}

/// What an event does, and to what, without values. A pinned update keeps them: other values are an alternative to it.
fn kind(node: &Node) -> Op {
    let any = Datum::concrete(0);
    match node.op {
        Op::Write { location, .. } => Op::Write { location, value: any },
        Op::AtomicWrite { location, order, .. } => Op::AtomicWrite { location, value: any, order },
        Op::Rmw { location, old, order, .. } if !node.pinned => Op::Rmw { location, old, new: any, order },
        op => op,
    }
}
