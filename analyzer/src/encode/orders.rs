//! When things happen: order variables, comparisons between them, and what program order and the memory
//! model say about them.
//!
//! TSO and PSO: a write has two points, issue and commit. Commits of one thread keep program order (TSO: all;
//! PSO: of one cell, and across release stores and fences); whatever drains the store buffer comes after the
//! commits of all earlier writes.

use std::collections::{BTreeMap, HashMap};

use warpath_solvers::term::{Op as TermOp, Sort, TermError, TermId};
use warpath_trace::header::MemoryModel;

use super::{About, Constraint, Encoding, Options, OrderSort, Point};
use super::{drains, is_buffered, is_release, separates_stores};
use crate::model::{Forest, NodeId};

/// The order variables that have been mentioned.
#[derive(Clone, Debug)]
pub(super) struct Orders {
    sort: Sort,
    variables: BTreeMap<Point, TermId>,
    atoms: HashMap<(Point, Point), TermId>,
}

impl Orders {
    pub(super) fn new(forest: &Forest, options: Options) -> Self {
        let sort = match options.orders {
            OrderSort::Int => Sort::Int,
            // Every point can have a moment of its own.
            OrderSort::Bits => {
                Sort::Bits((2 * forest.nodes().len().max(1)).next_power_of_two().trailing_zeros() + 1)
            }
        };
        Orders { sort, variables: BTreeMap::new(), atoms: HashMap::new() }
    }
}

impl Encoding<'_> {
    /// `o(p)`: when it happens.
    pub fn o(&mut self, point: Point) -> Result<TermId, TermError> {
        if let Some(&term) = self.orders.variables.get(&point) {
            return Ok(term);
        }
        let name = match point {
            Point::Issue(id) => format!("o({})", self.forest.name(id)),
            Point::Commit(id) => format!("c({})", self.forest.name(id)),
        };
        let term = self.terms.constant(&name, self.orders.sort)?;
        self.orders.variables.insert(point, term);
        Ok(term)
    }

    /// The order variables that have been mentioned.
    pub fn order_variables(&self) -> impl Iterator<Item = (Point, TermId)> + '_ {
        self.orders.variables.iter().map(|(&point, &term)| (point, term))
    }

    /// When a write takes effect for other threads.
    pub(super) fn effect(&self, write: NodeId) -> Point {
        match is_buffered(self.options.model, &self.op(write)) {
            true => Point::Commit(write),
            false => Point::Issue(write),
        }
    }

    /// `o(a) < o(b)`, for two points that are both executed.
    pub fn before(&mut self, a: Point, b: Point) -> Result<TermId, TermError> {
        if self.options.reductions.fold_must {
            if self.must_precede(a, b) {
                return Ok(self.terms.bool(true));
            }
            if a == b || self.must_precede(b, a) {
                return Ok(self.terms.bool(false));
            }
        }
        if self.options.reductions.phase && self.observed(a) < self.observed(b) {
            // Equal moments count as observed: nothing is lost, and the solver's first guess is the trace.
            let swapped = self.atom(b, a)?;
            return self.terms.not(swapped);
        }
        self.atom(a, b)
    }

    /// `o(a) < o(b)` as one comparison.
    fn atom(&mut self, a: Point, b: Point) -> Result<TermId, TermError> {
        if let Some(&term) = self.orders.atoms.get(&(a, b)) {
            return Ok(term);
        }
        let (first, second) = (self.o(a)?, self.o(b)?);
        let term = self.less(first, second)?;
        self.orders.atoms.insert((a, b), term);
        Ok(term)
    }

    fn less(&mut self, a: TermId, b: TermId) -> Result<TermId, TermError> {
        match self.orders.sort {
            Sort::Int => self.terms.lt(a, b),
            _ => self.terms.apply(TermOp::BvUlt, &[a, b]),
        }
    }

    /// Where a point stood in the observed order; ties of the solver's order are broken by it.
    pub fn observed(&self, point: Point) -> (u64, Point) {
        let position = u64::from(self.forest.node(point.node()).observed);
        match point {
            Point::Issue(_) => (2 * position, point),
            Point::Commit(_) => (2 * position + 1, point),
        }
    }

    /// Is the order of the two the same in every execution that has both?
    pub(crate) fn must_precede(&self, a: Point, b: Point) -> bool {
        match (a, b) {
            (Point::Issue(a), Point::Issue(b)) => self.must.before(a, b),
            (Point::Issue(a), Point::Commit(b)) => a == b || self.must.before(a, b),
            (Point::Commit(a), Point::Issue(b)) => self.drained_before(a, b),
            (Point::Commit(a), Point::Commit(b)) => self.commits_in_order(a, b) || self.drained_before(a, b),
        }
    }

    /// Is there something between the two that waits for the write's commit?
    fn drained_before(&self, write: NodeId, later: NodeId) -> bool {
        // The first drain below the write on the way to `later`, or to whatever of its thread must come
        // before `later`.
        let Some(last) = self.must.last_of(self.forest.node(write).tree, later) else { return false };
        if !self.must.is_above(write, last) {
            return false;
        }
        self.forest.path_up(last).take_while(|&id| id != write).any(|id| drains(&self.op(id)))
    }

    fn commits_in_order(&self, a: NodeId, b: NodeId) -> bool {
        if a == b || !self.must.is_above(a, b) {
            return false;
        }
        match self.options.model {
            MemoryModel::Pso => {
                self.share_cell(a, b)
                    || is_release(&self.op(b))
                    || self
                        .forest
                        .path_up(b)
                        .take_while(|&id| id != a)
                        .any(|id| separates_stores(&self.op(id)))
            }
            MemoryModel::Sc | MemoryModel::Tso => true,
        }
    }

    fn share_cell(&self, a: NodeId, b: NodeId) -> bool {
        let row = |id| self.op(id).written().map_or(&[][..], |(location, _)| self.cells.row(location));
        row(a).iter().any(|cell| row(b).contains(cell))
    }

    /// Program order and buffers, for the points that have been mentioned: each with the nearest mentioned
    /// ones before it.
    pub(super) fn program_order(&mut self) -> Result<Vec<Constraint>, TermError> {
        let mut constraints = Vec::new();
        let mut edges: Vec<(Point, Point)> = Vec::new();
        let points: Vec<Point> = self.orders.variables.keys().copied().collect();
        let mentioned = |encoding: &Self, point: Point| encoding.orders.variables.contains_key(&point);
        for &point in &points {
            let id = point.node();
            match point {
                Point::Issue(_) => self.nearest_before(id, &mut edges),
                Point::Commit(_) => {
                    // A commit comes after its write was issued, or, where that is not mentioned, after the
                    // nearest event before.
                    match mentioned(self, Point::Issue(id)) {
                        true => edges.push((Point::Issue(id), point)),
                        false => {
                            let mut before = Vec::new();
                            self.nearest_before(id, &mut before);
                            edges.extend(before.into_iter().map(|(from, _)| (from, point)));
                        }
                    }
                    self.commit_edges(id, &points, &mut edges);
                }
            }
        }
        edges.sort_unstable();
        edges.dedup();
        for (a, b) in edges {
            let (first, second) = (self.o(a)?, self.o(b)?);
            let term = self.less(first, second)?;
            constraints.push(Constraint { about: About::Order(b.node()), term });
        }
        Ok(constraints)
    }

    /// Edges from the nearest mentioned events that must come before this one: in its own thread, and behind
    /// fork and join.
    fn nearest_before(&self, id: NodeId, edges: &mut Vec<(Point, Point)>) {
        let to = Point::Issue(id);
        let mentioned = |id: NodeId| self.orders.variables.contains_key(&Point::Issue(id));
        let own = self.forest.path_up(id).skip(1).find(|&above| mentioned(above));
        edges.extend(own.map(|above| (Point::Issue(above), to)));
        for tree in self.forest.trees().filter(|&tree| tree != self.forest.node(id).tree) {
            // What another thread must have done is known from the nearest own event on that has the same
            // knowledge; only what is new since then needs an edge.
            let last = self.must.last_of(tree, id);
            let known = own.and_then(|own| self.must.last_of(tree, own));
            if last == known {
                continue;
            }
            let Some(last) = last else { continue };
            let nearest = self.forest.path_up(last).find(|&above| mentioned(above));
            edges.extend(nearest.map(|above| (Point::Issue(above), to)));
        }
    }

    /// Edges from and to the commit of a write.
    fn commit_edges(&self, write: NodeId, points: &[Point], edges: &mut Vec<(Point, Point)>) {
        let commit = Point::Commit(write);
        for &other in points {
            if other != commit && self.must_precede(commit, other) {
                edges.push((commit, other));
            }
        }
    }

    /// Is this write held in a store buffer under the formula's memory model?
    pub fn is_buffered(&self, write: NodeId) -> bool {
        is_buffered(self.options.model, &self.op(write))
    }
}
