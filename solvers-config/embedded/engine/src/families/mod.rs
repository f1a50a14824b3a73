//! Families of clauses about orders, said as one term (`orders.apart`, `orders.latest`; `warpath_solvers::term` says what
//! they mean), of which the search sees only what it runs into.
//!
//! Written out, a lock of a long trace is a clause for every two of its sections, and nearly none of them is ever of use:
//! the search begins with the order that was observed. So when everything else is satisfied, the integers are lined up,
//! as near to their usual order as the comparisons allow that are true ([`line`]), and the clauses that this line
//! violates are added, with the comparisons in them; then the search goes on from where it is. If none is violated, the
//! line is the model. Zord and Deagle (Sun et al., "Consistency-preserving propagation for SMT solving of concurrent
//! program verification", OOPSLA 2022) leave such clauses out as well, but derive their orders while the search runs;
//! here an order is chosen and corrected.
//!
//! What a read sees must be done and come before it: that is said at once, since it is what circles are made of.

mod apart;
mod latest;
mod line;

use crate::order::{Node, Orders};
use crate::sat::Lit;
pub(crate) use apart::{Apart, Section};
pub(crate) use latest::{Latest, Write};

/// One comparison, or a literal that is there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    Is(Lit),
    /// The first comes before the second.
    Before(Node, Node),
}

/// A clause of a family.
pub(crate) type Instance = Vec<Part>;

/// A family holds, or one of these literals: that of its level, and what it is asserted as an alternative to.
#[derive(Debug, Default)]
pub(crate) struct Guards(pub(crate) Vec<Lit>);

impl Guards {
    /// Must the family hold, as far as is known?
    fn are_down(&self, holds: &dyn Fn(Lit) -> bool) -> bool {
        !self.0.iter().any(|&guard| holds(guard))
    }

    fn clause<const N: usize>(&self, parts: [Part; N]) -> Instance {
        parts.into_iter().chain(self.0.iter().map(|&guard| Part::Is(guard))).collect()
    }
}

/// How many families there are of each kind.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Mark {
    apart: usize,
    latest: usize,
}

#[derive(Debug, Default)]
pub(crate) struct Families {
    apart: Vec<Apart>,
    latest: Vec<Latest>,
    /// Clauses that are to be said before the next search.
    pub(crate) at_once: Vec<Instance>,
    /// By integer: its place in the usual order.
    usual: Vec<u32>,
    /// How many have a place there.
    placed: u32,
    line: line::Line,
}

impl Families {
    pub(crate) fn is_empty(&self) -> bool {
        self.apart.is_empty() && self.latest.is_empty()
    }

    pub(crate) fn mark(&self) -> Mark {
        Mark { apart: self.apart.len(), latest: self.latest.len() }
    }

    /// Forgets what was added since.
    pub(crate) fn forget(&mut self, mark: Mark) {
        self.apart.truncate(mark.apart);
        self.latest.truncate(mark.latest);
        // What was not said yet of a family that is gone does no harm: it stands behind its level.
    }

    /// These come in this order if nothing else is known, and behind all that have been named before.
    pub(crate) fn usually(&mut self, nodes: impl Iterator<Item = Node>) {
        for node in nodes {
            if self.usual.len() <= node.index() {
                self.usual.resize(node.index() + 1, u32::MAX);
            }
            self.usual[node.index()] = self.placed;
            self.placed += 1;
        }
    }

    /// Does the first come before the second if nothing else is known? Not if there is no line to tell equal ones apart.
    pub(crate) fn is_usual(&self, first: Node, second: Node) -> bool {
        let place = |node: Node| self.usual.get(node.index()).copied().unwrap_or(u32::MAX);
        self.line.is_strict() && place(first) < place(second)
    }

    /// Lines the integers up and gives the clauses that are violated then; none if the line is a model.
    pub(crate) fn violated(&mut self, orders: &Orders, holds: &dyn Fn(Lit) -> bool) -> Vec<Instance> {
        self.line.up(orders, &self.usual);
        let moment = |node: Node| self.line.moment(node);
        let mut instances = Vec::new();
        for family in self.apart.iter_mut().filter(|family| family.guards.are_down(holds)) {
            family.violated(holds, &moment, &mut instances);
        }
        for family in self.latest.iter().filter(|family| family.guards.are_down(holds)) {
            family.violated(holds, &moment, &mut instances);
        }
        instances
    }

    /// All of them, in the line last made.
    pub(crate) fn moments(&self) -> &[i64] {
        self.line.moments()
    }

    pub(crate) fn add_apart(&mut self, family: Apart) {
        self.apart.push(family);
    }

    pub(crate) fn add_latest(&mut self, family: Latest) {
        family.at_once(&mut self.at_once);
        self.latest.push(family);
    }
}
