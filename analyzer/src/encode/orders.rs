//! When things happen: order variables, comparisons between them, and what program order and the memory
//! model say about them.
//!
//! TSO and PSO: a write has two points, issue and commit. Commits of one thread keep program order (TSO: all;
//! PSO: of one cell, and across release stores and fences); whatever drains the store buffer comes after the
//! commits of all earlier writes.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use rustc_hash::FxHashMap;
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
    atoms: FxHashMap<(Point, Point), TermId>,
}

/// One point comes before another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub(super) from: Point,
    pub(super) to: Point,
    /// The event that must be executed for this to hold of the seats of both.
    pub(super) rests_on: Option<NodeId>,
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
            atoms: FxHashMap::default(),
        }
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
    pub(super) fn o(&mut self, point: Point) -> Result<TermId, TermError> {
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
        let (a, b) = (self.seat_point(a), self.seat_point(b));
        if self.options.reductions.fold_must && (self.in_row(a, b) || self.in_row(b, a)) {
            return Ok(self.terms.bool(self.in_row(a, b)));
        }
        self.compared_seats(a, b)
    }

    /// `o(a) < o(b)` for two seats that nothing is known of.
    pub(super) fn compared_seats(&mut self, a: Point, b: Point) -> Result<TermId, TermError> {
        if a == b {
            return Ok(self.terms.bool(false));
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
    pub(super) fn swapped(&mut self, a: Point, b: Point) -> Result<TermId, TermError> {
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

    pub(super) fn share_cell(&self, a: NodeId, b: NodeId) -> bool {
        let row = |id| self.op(id).written().map_or(&[][..], |(location, _)| self.cells.row(location));
        row(a).iter().any(|cell| row(b).contains(cell))
    }

    /// Program order and buffers, for the points that have been mentioned.
    pub(super) fn program_order(&mut self) -> Result<Vec<Constraint>, TermError> {
        let mut constraints = match self.orders.kind {
            OrderSort::Pairs => Vec::new(),
            OrderSort::Int | OrderSort::Bits => self.in_program_order()?,
        };
        let Options { reductions, lemmas_up_to, .. } = self.options;
        if reductions.lemmas && self.orders.atoms.len() <= lemmas_up_to {
            constraints.extend(self.comparison_lemmas()?);
        }
        Ok(constraints)
    }

    /// Program order with order variables.
    fn in_program_order(&mut self) -> Result<Vec<Constraint>, TermError> {
        let everybody = self.takes_part.clone();
        let mut constraints = Vec::new();
        let mut said = HashSet::new();
        for edge in self.edges(&everybody) {
            let (from, to) = (self.seat_point(edge.from), self.seat_point(edge.to));
            let guard = edge.rests_on.filter(|&id| !self.forest.is_settled(id));
            if from != to && said.insert((from, to, guard)) {
                let compared = self.compared(from, to)?;
                let term = match guard {
                    Some(id) => {
                        let en = self.en(id)?;
                        self.terms.implies(en, compared)?
                    }
                    None => compared,
                };
                constraints.push(Constraint { about: About::Order(to.node()), term });
            }
        }
        Ok(constraints)
    }

    /// What makes a formula complete for those who answer only once, and cannot refute circles one by one: an order
    /// variable for each point.
    pub fn order_ties(&mut self) -> Result<Vec<Constraint>, TermError> {
        let mut constraints = Vec::new();
        if self.orders.kind == OrderSort::Pairs {
            constraints = self.in_program_order()?;
            for ((a, b), atom) in self.orders.listed() {
                let compared = self.compared(a, b)?;
                let term = self.terms.eq(atom, compared)?;
                constraints.push(Constraint { about: About::Order(b.node()), term });
            }
        }
        constraints.extend(self.moments_of_events()?);
        Ok(constraints)
    }

    /// For those who read events off an answer: each event's moment is that of its seat.
    fn moments_of_events(&mut self) -> Result<Vec<Constraint>, TermError> {
        let mut constraints = Vec::new();
        let here = self.forest.ids().filter(|id| self.takes_part[id.index()]);
        let points: Vec<Point> = here.flat_map(|id| [Point::Issue(id), Point::Commit(id)]).collect();
        for point in points {
            let seat = self.seat_point(point);
            if let Some(&moment) = self.orders.variables.get(&seat).filter(|_| seat != point) {
                let own = self.terms.constant(&self.point_name(point), self.orders.sort)?;
                self.orders.variables.insert(point, own);
                let term = self.terms.eq(own, moment)?;
                constraints.push(Constraint { about: About::Order(point.node()), term });
            }
        }
        Ok(constraints)
    }

    /// The variable for when a point happens, if it has been mentioned.
    pub(crate) fn moment(&self, point: Point) -> Option<TermId> {
        self.orders.variables.get(&self.seat_point(point)).copied()
    }

    /// Has this point, or another one of its seat, been compared with something?
    pub(super) fn is_mentioned(&self, point: Point) -> bool {
        self.orders.mentioned.contains(&self.seat_point(point))
    }

    /// Program order and buffers between the mentioned points of these events: each with the nearest ones before it.
    pub(super) fn edges(&self, events: &[bool]) -> Vec<Edge> {
        let mut edges: Vec<Edge> = Vec::new();
        let here = self.forest.ids().filter(|id| events[id.index()]);
        let points = here.flat_map(|id| [Point::Issue(id), Point::Commit(id)]);
        let points: Vec<Point> = points.filter(|&point| self.is_mentioned(point)).collect();
        for &point in &points {
            let id = point.node();
            match point {
                Point::Issue(_) => self.nearest_before(id, point, &mut edges),
                Point::Commit(_) => {
                    // A commit comes after its write was issued, or, where that is not mentioned, after the
                    // nearest event before.
                    match self.is_mentioned(Point::Issue(id)) {
                        true => edges.push(self.edge(Point::Issue(id), point)),
                        false => self.nearest_before(id, point, &mut edges),
                    }
                    let later = points.iter().filter(|&&other| other != point);
                    let later = later.filter(|&&other| self.must_precede(point, other));
                    edges.extend(later.map(|&other| self.edge(point, other)));
                }
            }
        }
        edges
    }

    /// The first comes before the second; by their row alone, or because the second is executed.
    fn edge(&self, from: Point, to: Point) -> Edge {
        let rests_on = (self.shares_seats() && !self.in_row(from, to)).then(|| to.node());
        Edge { from, to, rests_on }
    }

    /// Edges from the nearest mentioned events that must come before this one: in its own thread, and behind
    /// fork and join.
    fn nearest_before(&self, id: NodeId, to: Point, edges: &mut Vec<Edge>) {
        let mentioned = |id: NodeId| self.is_mentioned(Point::Issue(id));
        let own = self.forest.path_up(id).skip(1).find(|&above| mentioned(above));
        edges.extend(own.map(|above| self.edge(Point::Issue(above), to)));
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
            edges.extend(nearest.map(|above| self.edge(Point::Issue(above), to)));
        }
    }

    /// Is this write held in a store buffer under the formula's memory model?
    pub fn is_buffered(&self, write: NodeId) -> bool {
        is_buffered(self.options.model, &self.op(write))
    }
}
