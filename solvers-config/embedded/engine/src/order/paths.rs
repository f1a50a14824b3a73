//! Short paths: few literals that say that one integer is before another.

use super::graph::{Graph, Node};
use crate::sat::Lit;
use std::collections::VecDeque;

/// A place of the search: a node, and whether the way there is strict already.
type Place = u32;

#[derive(Debug, Default)]
pub(super) struct Paths {
    found: Vec<Lit>,
    /// By place: when it was last reached, how, and at which cost.
    stamps: Vec<u32>,
    stamp: u32,
    from: Vec<(Place, u32)>,
    costs: Vec<u32>,
    queue: VecDeque<(u32, Place)>,
}

/// A path.
#[derive(Debug, Clone, Copy)]
pub(super) struct Found {
    /// Literals that may become false again.
    pub(super) cost: usize,
}

impl Paths {
    /// The literals of the path last found.
    pub(super) fn found(&self) -> &[Lit] {
        &self.found
    }

    /// A path `from` one node `to` another with a weight of at least `want` (0 or 1, else there is none), of the
    /// first `limit` edges and of none with a negative weight: one with the fewest literals that are not permanent.
    pub(super) fn shortest(
        &mut self,
        graph: &Graph,
        from: Node,
        to: Node,
        want: i64,
        limit: u32,
    ) -> Option<Found> {
        if want > 1 {
            return None;
        }
        self.begin(graph.potentials().len() * 2);
        // Wanting less than nothing is wanting nothing: such a path is not sought, but one of weight 0 will do.
        let strict_enough = want < 1;
        let goal = to.0 * 2 + 1;
        let highest = graph.potential(to);
        self.reach(from.0 * 2 + u32::from(strict_enough), (u32::MAX, u32::MAX), 0, true);
        while let Some((cost, place)) = self.queue.pop_front() {
            if self.costs[place as usize] != cost {
                continue;
            }
            if place == goal {
                self.read_back(graph, place);
                return Some(Found { cost: cost as usize });
            }
            let strict = place & 1;
            for half in graph.out_of(Node(place >> 1)) {
                // Potentials never fall along a path: what is above the goal does not lead there.
                if half.edge >= limit || half.weight < 0 || graph.potential(half.other) > highest {
                    continue;
                }
                let next = half.other.0 * 2 + (strict | u32::from(half.weight > 0));
                let free = graph.edge(half.edge).permanent;
                self.reach(next, (place, half.edge), cost + u32::from(!free), free);
            }
        }
        None
    }

    fn begin(&mut self, places: usize) {
        self.found.clear();
        self.queue.clear();
        self.stamp = self.stamp.wrapping_add(1);
        if self.stamp == 0 {
            self.stamps.fill(0);
            self.stamp = 1;
        }
        if self.stamps.len() < places {
            self.stamps.resize(places, 0);
            self.from.resize(places, (0, 0));
            self.costs.resize(places, 0);
        }
    }

    fn reach(&mut self, place: Place, from: (Place, u32), cost: u32, free: bool) {
        let at = place as usize;
        if self.stamps[at] == self.stamp && self.costs[at] <= cost {
            return;
        }
        self.stamps[at] = self.stamp;
        self.costs[at] = cost;
        self.from[at] = from;
        if free {
            self.queue.push_front((cost, place));
        } else {
            self.queue.push_back((cost, place));
        }
    }

    fn read_back(&mut self, graph: &Graph, goal: Place) {
        let mut place = goal;
        loop {
            let (before, edge) = self.from[place as usize];
            if edge == u32::MAX {
                return;
            }
            self.found.push(graph.edge(edge).literal);
            place = before;
        }
    }
}
