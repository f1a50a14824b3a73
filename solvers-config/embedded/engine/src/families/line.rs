//! Integers in a row: after all that must come before them, and as usual where there is a choice (Kahn, with the
//! usual place as priority).

use crate::order::{Node, Orders};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

#[derive(Debug, Default)]
pub(super) struct Line {
    moments: Vec<i64>,
    /// How many that come before it are not in the row yet.
    missing: Vec<u32>,
    ready: BinaryHeap<Reverse<(u32, u32)>>,
    /// It was no line: several may be at one moment.
    has_equals: bool,
}

impl Line {
    pub(super) fn moment(&self, node: Node) -> i64 {
        self.moments[node.index()]
    }

    pub(super) fn moments(&self) -> &[i64] {
        &self.moments
    }

    /// Is everything at a moment of its own?
    pub(super) fn is_strict(&self) -> bool {
        !self.has_equals
    }

    /// Lines up. Where comparisons speak of more than what comes first, or let several be equal that cannot be told
    /// apart, the integers that the theory keeps have to do.
    pub(super) fn up(&mut self, orders: &Orders, usual: &[u32]) {
        let count = orders.potentials().len();
        self.moments.clear();
        self.moments.resize(count, 0);
        self.missing.clear();
        self.missing.resize(count, 0);
        self.ready.clear();
        let mut plain = true;
        for from in 0..count {
            for (to, weight) in orders.after(Node(from as u32)) {
                plain &= (0..=1).contains(&weight);
                self.missing[to.index()] += 1;
            }
        }
        let place = |node: usize| usual.get(node).copied().unwrap_or(u32::MAX);
        let first = (0..count).filter(|&node| self.missing[node] == 0);
        self.ready.extend(first.map(|node| Reverse((place(node), node as u32))));
        let mut next = 0;
        while let Some(Reverse((_, node))) = self.ready.pop() {
            self.moments[node as usize] = next;
            next += 1;
            for (to, _) in orders.after(Node(node)) {
                let missing = &mut self.missing[to.index()];
                *missing -= 1;
                if *missing == 0 {
                    self.ready.push(Reverse((place(to.index()), to.0)));
                }
            }
        }
        self.has_equals = !plain || next < count as i64;
        if self.has_equals {
            self.moments.copy_from_slice(orders.potentials());
        }
    }
}
