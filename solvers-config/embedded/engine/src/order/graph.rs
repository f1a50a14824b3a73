//! The graph of the comparisons that are true, and potentials that satisfy them all.

use crate::sat::{Contradiction, Lit};
use std::collections::BinaryHeap;

/// An integer of the question, or the number 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Node(pub(crate) u32);

impl Node {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// `to - from >= weight`, because `literal` is true.
#[derive(Debug, Clone, Copy)]
pub(super) struct Edge {
    pub(super) from: Node,
    pub(super) to: Node,
    pub(super) weight: i64,
    pub(super) literal: Lit,
    /// It will never be removed.
    pub(super) permanent: bool,
    /// It follows from edges before it.
    pub(super) follows: bool,
}

/// An edge as seen from one of its ends.
#[derive(Debug, Clone, Copy)]
pub(super) struct Half {
    pub(super) other: Node,
    /// Position among the edges, which come and go in order.
    pub(super) edge: u32,
    pub(super) weight: i64,
}

const NO_EDGE: u32 = u32::MAX;

#[derive(Debug, Default)]
pub(super) struct Graph {
    potentials: Vec<i64>,
    out: Vec<Vec<Half>>,
    into: Vec<Vec<Half>>,
    edges: Vec<Edge>,
    /// By variable: the edge of its literal.
    of_var: Vec<u32>,
    /// By node, while potentials are raised: by how much it must rise, and the edge that says so.
    gains: Vec<i64>,
    because: Vec<u32>,
    queue: BinaryHeap<(i64, std::cmp::Reverse<u32>)>,
    raised: Vec<(Node, i64)>,
}

impl Graph {
    pub(super) fn add_node(&mut self) -> Node {
        let node = Node(self.potentials.len() as u32);
        self.potentials.push(0);
        self.out.push(Vec::new());
        self.into.push(Vec::new());
        self.gains.push(0);
        self.because.push(NO_EDGE);
        node
    }

    pub(super) fn potentials(&self) -> &[i64] {
        &self.potentials
    }

    pub(super) fn potential(&self, node: Node) -> i64 {
        self.potentials[node.index()]
    }

    /// How many edges there are.
    pub(super) fn edges(&self) -> u32 {
        self.edges.len() as u32
    }

    pub(super) fn edge(&self, at: u32) -> &Edge {
        &self.edges[at as usize]
    }

    pub(super) fn out_of(&self, node: Node) -> &[Half] {
        &self.out[node.index()]
    }

    pub(super) fn into(&self, node: Node) -> &[Half] {
        &self.into[node.index()]
    }

    /// Where among the edges the one of a literal stands, if it is there.
    pub(super) fn position(&self, literal: Lit) -> Option<u32> {
        let at = *self.of_var.get(literal.var().index())?;
        (at != NO_EDGE).then_some(at)
    }

    /// The edge of this literal, if it is there; its negation has another.
    pub(super) fn edge_of(&self, literal: Lit) -> Option<&Edge> {
        self.position(literal).map(|at| self.edge(at)).filter(|edge| edge.literal == literal)
    }

    /// Is the edge of this literal there, and among the first `limit`?
    pub(super) fn has_before(&self, literal: Lit, limit: u32) -> bool {
        self.position(literal).is_some_and(|at| at < limit && self.edge(at).literal == literal)
    }

    pub(super) fn is_permanent(&self, literal: Lit) -> bool {
        self.position(literal).is_some_and(|at| self.edge(at).permanent)
    }

    /// Adds an edge. If it closes a circle that cannot be, nothing changes, and the literals of the circle are put
    /// into `circle`.
    pub(super) fn add(&mut self, edge: Edge, circle: &mut Vec<Lit>) -> Result<(), Contradiction> {
        let gain = self.potential(edge.from) + edge.weight - self.potential(edge.to);
        let at = self.edges.len() as u32;
        if gain > 0 {
            self.raise(edge, at, gain, circle)?;
        }
        let Edge { from, to, weight, literal, .. } = edge;
        if !edge.follows {
            self.out[from.index()].push(Half { other: to, edge: at, weight });
            self.into[to.index()].push(Half { other: from, edge: at, weight });
        }
        self.edges.push(edge);
        if self.of_var.len() <= literal.var().index() {
            self.of_var.resize(literal.var().index() + 1, NO_EDGE);
        }
        self.of_var[literal.var().index()] = at;
        Ok(())
    }

    pub(super) fn remove_last(&mut self) -> Option<Edge> {
        let edge = self.edges.pop()?;
        if !edge.follows {
            self.out[edge.from.index()].pop();
            self.into[edge.to.index()].pop();
        }
        self.of_var[edge.literal.var().index()] = NO_EDGE;
        Some(edge)
    }

    /// Raises the potential of the edge's end by `gain`, and of what must come after it: those that must rise most
    /// first, so that each rises once. If its beginning would have to rise as well, there is a circle.
    fn raise(&mut self, edge: Edge, at: u32, gain: i64, circle: &mut Vec<Lit>) -> Result<(), Contradiction> {
        self.raised.clear();
        self.queue.clear();
        self.gains[edge.to.index()] = gain;
        self.because[edge.to.index()] = at;
        self.queue.push((gain, std::cmp::Reverse(edge.to.0)));
        while let Some((gain, std::cmp::Reverse(number))) = self.queue.pop() {
            let node = Node(number);
            if self.gains[node.index()] != gain {
                continue;
            }
            self.gains[node.index()] = 0;
            self.raised.push((node, self.potentials[node.index()]));
            self.potentials[node.index()] += gain;
            let potential = self.potentials[node.index()];
            for half in &self.out[node.index()] {
                let next = half.other.index();
                let gain = potential + half.weight - self.potentials[next];
                if gain > self.gains[next] {
                    self.because[next] = half.edge;
                    if half.other == edge.from {
                        self.give_up(edge, at, circle);
                        return Err(Contradiction);
                    }
                    self.gains[next] = gain;
                    self.queue.push((gain, std::cmp::Reverse(half.other.0)));
                }
            }
        }
        Ok(())
    }

    /// Undoes what was raised, and reads the circle back.
    fn give_up(&mut self, edge: Edge, at: u32, circle: &mut Vec<Lit>) {
        for (node, before) in self.raised.drain(..) {
            self.potentials[node.index()] = before;
        }
        for (_, std::cmp::Reverse(number)) in self.queue.drain() {
            self.gains[number as usize] = 0;
        }
        circle.push(edge.literal);
        let mut node = edge.from;
        loop {
            let because = self.because[node.index()];
            if because == at {
                return;
            }
            let Edge { from, literal, .. } = self.edges[because as usize];
            circle.push(literal);
            node = from;
        }
    }
}
