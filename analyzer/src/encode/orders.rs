//! When things happen: order variables, comparisons between them, and what program order and the memory
//! model say about them.
//!
//! TSO and PSO: a write has two points, issue and commit. Commits of one thread keep program order (TSO: all;
//! PSO: of one cell, and across release stores and fences); whatever drains the store buffer comes after the
//! commits of all earlier writes.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use warpath_solvers::term::{Op as TermOp, Sort, TermError, TermId};
use warpath_trace::header::MemoryModel;

use super::{About, Constraint, Encoding, Options, OrderSort, Point};
use super::{drains, is_buffered, is_release, separates_stores};
use crate::model::{Forest, NodeId};

/// What has been said about when things happen.
#[derive(Clone, Debug)]
pub(super) struct Orders {
    kind: OrderSort,
    /// Of order variables.
    sort: Sort,
    mentioned: BTreeSet<Point>,
    variables: BTreeMap<Point, TermId>,
    atoms: HashMap<(Point, Point), TermId>,
    /// Program order between the mentioned points, once it has been asked for.
    program_order: Vec<(Point, Point)>,
}

/// The sort of order variables for this forest.
pub(crate) fn order_sort(forest: &Forest, options: Options) -> Sort {
    match options.orders {
        OrderSort::Int => Sort::Int,
        // Every point can have a moment of its own.
        OrderSort::Bits | OrderSort::Pairs => {
            Sort::Bits((2 * forest.nodes().len().max(1)).next_power_of_two().trailing_zeros() + 1)
        }
    }
}

impl Orders {
    pub(super) fn new(forest: &Forest, options: Options) -> Self {
        let sort = order_sort(forest, options);
        Orders {
            kind: options.orders,
            sort,
            mentioned: BTreeSet::new(),
            variables: BTreeMap::new(),
            atoms: HashMap::new(),
            program_order: Vec::new(),
        }
    }

    /// The points that have been mentioned.
    pub(super) fn mentioned(&self) -> impl Iterator<Item = Point> + '_ {
        self.mentioned.iter().copied()
    }

    /// Program order between the mentioned points: nearest neighbours.
    pub(super) fn program_order(&self) -> impl Iterator<Item = (Point, Point)> + '_ {
        self.program_order.iter().copied()
    }

    /// The comparisons that have been mentioned, in an order that does not depend on chance.
    pub(super) fn listed(&self) -> Vec<((Point, Point), TermId)> {
        let mut atoms: Vec<_> = self.atoms.iter().map(|(&pair, &term)| (pair, term)).collect();
        atoms.sort_unstable();
        atoms
    }
}

impl Encoding<'_> {
    /// `o(p)`: when it happens.
    fn o(&mut self, point: Point) -> Result<TermId, TermError> {
        if let Some(&term) = self.orders.variables.get(&point) {
            return Ok(term);
        }
        let name = self.point_name(point);
        let term = self.terms.constant(&name, self.orders.sort)?;
        self.orders.mentioned.insert(point);
        self.orders.variables.insert(point, term);
        Ok(term)
    }

    fn point_name(&self, point: Point) -> String {
        match point {
            Point::Issue(id) => format!("o({})", self.forest.name(id)),
            Point::Commit(id) => format!("c({})", self.forest.name(id)),
        }
    }

    /// How "when" is written.
    pub(crate) fn order_sort(&self) -> OrderSort {
        self.orders.kind
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
        // One comparison for each pair, and equal moments count as observed: nothing is lost.
        match self.observed(a) < self.observed(b) {
            true => {
                let swapped = self.swapped(b, a)?;
                self.terms.not(swapped)
            }
            false => self.swapped(a, b),
        }
    }

    /// `o(a) < o(b)`, where b was observed first.
    fn swapped(&mut self, a: Point, b: Point) -> Result<TermId, TermError> {
        if let Some(&term) = self.orders.atoms.get(&(a, b)) {
            return Ok(term);
        }
        self.orders.mentioned.extend([a, b]);
        // The solver's first guess for what is written as one thing is false: the trace.
        let phase = self.options.reductions.phase;
        let term = match (self.orders.kind, phase) {
            (OrderSort::Pairs, true) => self.pair(a, b)?,
            (OrderSort::Pairs, false) => {
                let observed = self.pair(b, a)?;
                self.terms.not(observed)?
            }
            (OrderSort::Int | OrderSort::Bits, true) => self.compared(a, b)?,
            (OrderSort::Int | OrderSort::Bits, false) => {
                let (first, second) = (self.o(b)?, self.o(a)?);
                let observed = match self.orders.sort {
                    Sort::Int => self.terms.apply(TermOp::Le, &[first, second])?,
                    _ => self.terms.apply(TermOp::BvUle, &[first, second])?,
                };
                self.terms.not(observed)?
            }
        };
        self.orders.atoms.insert((a, b), term);
        Ok(term)
    }

    fn pair(&mut self, a: Point, b: Point) -> Result<TermId, TermError> {
        let name = format!("{}<{}", self.point_name(a), self.point_name(b));
        self.terms.constant(&name, Sort::Bool)
    }

    /// `o(a) < o(b)`, with order variables.
    fn compared(&mut self, a: Point, b: Point) -> Result<TermId, TermError> {
        let (first, second) = (self.o(a)?, self.o(b)?);
        self.less(first, second)
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
        let mut edges: Vec<(Point, Point)> = Vec::new();
        let points: Vec<Point> = self.orders.mentioned().collect();
        let mentioned = |encoding: &Self, point: Point| encoding.orders.mentioned.contains(&point);
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
        self.orders.program_order = edges;
        let mut constraints = match self.orders.kind {
            OrderSort::Pairs => Vec::new(),
            OrderSort::Int | OrderSort::Bits => self.in_program_order()?,
        };
        if self.options.reductions.lemmas {
            constraints.extend(self.comparison_lemmas()?);
        }
        Ok(constraints)
    }

    /// Program order with order variables.
    fn in_program_order(&mut self) -> Result<Vec<Constraint>, TermError> {
        let mut constraints = Vec::new();
        for (a, b) in self.orders.program_order.clone() {
            constraints.push(Constraint { about: About::Order(b.node()), term: self.compared(a, b)? });
        }
        Ok(constraints)
    }

    /// What makes the Booleans of pairs an order, for those who cannot refute circles one by one: an order
    /// variable for each point. Nothing, if the formula has them anyway.
    pub fn order_ties(&mut self) -> Result<Vec<Constraint>, TermError> {
        if self.orders.kind != OrderSort::Pairs {
            return Ok(Vec::new());
        }
        let mut constraints = self.in_program_order()?;
        for ((a, b), atom) in self.orders.listed() {
            let compared = self.compared(a, b)?;
            let term = self.terms.eq(atom, compared)?;
            constraints.push(Constraint { about: About::Order(b.node()), term });
        }
        Ok(constraints)
    }

    /// Edges from the nearest mentioned events that must come before this one: in its own thread, and behind
    /// fork and join.
    fn nearest_before(&self, id: NodeId, edges: &mut Vec<(Point, Point)>) {
        let to = Point::Issue(id);
        let mentioned = |id: NodeId| self.orders.mentioned.contains(&Point::Issue(id));
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
