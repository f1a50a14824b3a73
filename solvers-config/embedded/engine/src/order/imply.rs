//! Which comparisons follow from a new one, as far as a bounded search sees.
//!
//! After an edge from `a` to `b`: whatever comes before `a` comes before whatever comes after `b`. Both sides are
//! walked outwards up to a bound (Cotton & Maler's relevant sets, cut short), and comparisons between them that have
//! no value yet follow.

use super::Comparisons;
use super::graph::{Edge, Graph, Node};
use crate::sat::Lit;

/// Nodes from which either side is walked on.
const REACH: usize = 6;
/// Nodes that are reached on either side at most.
const REACHED: usize = 16;
/// How many comparisons can be looked at for the cost of looking one up by its sides.
const LOOKUP_COSTS: usize = 4;

#[derive(Debug, Default)]
pub(super) struct Imply {
    /// By node: the comparisons it takes part in.
    atoms: Vec<Vec<u32>>,
    /// By node: when it was last reached, and how strictly, going forward and backward.
    forward: Vec<(u32, bool)>,
    backward: Vec<(u32, bool)>,
    stamp: u32,
    after: Vec<Node>,
    before: Vec<Node>,
}

impl Imply {
    pub(super) fn add_node(&mut self) {
        self.atoms.push(Vec::new());
        self.forward.push((0, false));
        self.backward.push((0, false));
    }

    pub(super) fn add_atom(&mut self, number: u32, from: Node, to: Node) {
        self.atoms[from.index()].push(number);
        self.atoms[to.index()].push(number);
    }

    /// By node: the comparisons it takes part in.
    pub(super) fn atoms(&self) -> &[Vec<u32>] {
        &self.atoms
    }

    /// Adds to `implied` what follows from a new edge.
    pub(super) fn after(&mut self, graph: &Graph, edge: Edge, known: &Comparisons, implied: &mut Vec<Lit>) {
        if edge.weight < 0 {
            return;
        }
        self.stamp = match self.stamp.checked_add(1) {
            Some(stamp) => stamp,
            None => {
                self.forward.fill((0, false));
                self.backward.fill((0, false));
                1
            }
        };
        walk(edge.to, self.stamp, &mut self.forward, &mut self.after, |node| graph.out_of(node));
        walk(edge.from, self.stamp, &mut self.backward, &mut self.before, |node| graph.into(node));
        for &node in &self.before {
            let strict = edge.weight > 0 || self.backward[node.index()].1;
            let of_node = &self.atoms[node.index()];
            let mut follow = |number, strict| {
                let literal = known.decided(number, node, strict);
                implied.extend(literal.filter(|&literal| graph.position(literal).is_none()));
            };
            // In a long trace an event is compared with thousands of others, few of which were reached.
            if of_node.len() <= LOOKUP_COSTS * self.after.len() {
                for &number in of_node {
                    let other = known.atoms[number as usize].other(node);
                    let (stamp, strict_after) = self.forward[other.index()];
                    if stamp == self.stamp {
                        follow(number, strict || strict_after);
                    }
                }
            } else {
                for &other in &self.after {
                    let strict = strict || self.forward[other.index()].1;
                    for number in known.between(node, other) {
                        follow(number, strict);
                    }
                }
            }
        }
    }
}

/// Walks from a node, nearest first, over edges that are not negative.
fn walk<'a>(
    start: Node,
    stamp: u32,
    marks: &mut [(u32, bool)],
    reached: &mut Vec<Node>,
    next: impl Fn(Node) -> &'a [super::graph::Half],
) {
    reached.clear();
    reached.push(start);
    marks[start.index()] = (stamp, false);
    let mut at = 0;
    while at < reached.len() && reached.len() < REACH {
        let node = reached[at];
        let strict = marks[node.index()].1;
        at += 1;
        for half in next(node) {
            if reached.len() == REACHED {
                return;
            }
            if half.weight >= 0 && marks[half.other.index()].0 != stamp {
                marks[half.other.index()] = (stamp, strict || half.weight > 0);
                reached.push(half.other);
            }
        }
    }
}
