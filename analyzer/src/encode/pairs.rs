//! Orders without order variables: a Boolean for each pair that some constraint mentions. A model can then put
//! points into a circle; it is answered with clauses that forbid that circle and others like it, until there is
//! none.
//!
//! Circles of a single run have a comparison that is not as observed, because the observed order has no circle. So
//! the shortest one through each of these is looked for first, counting comparisons: program order costs nothing.
//! Where several runs were merged, positions of different runs are compared, and a circle may have none of them.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use warpath_solvers::term::{Evaluator, MissingConstant, Model, TermError, TermId};

use super::components::components;
use super::{Encoding, Point};

/// How many circles are answered at once.
const CIRCLES_PER_ROUND: usize = 4096;

/// What a model says about a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Choice {
    atom: TermId,
    holds: bool,
}

/// A step from one point to a later one.
#[derive(Clone, Copy, Debug)]
struct Way {
    to: usize,
    /// What the model says that makes it so; `None` if nothing has to.
    because: Option<Choice>,
    /// Is it a comparison? Program order costs nothing.
    compared: bool,
}

/// The order that a model gives, as a graph.
struct Graph {
    points: Vec<Point>,
    edges: Vec<Vec<Way>>,
    /// The choices, from, to, and which: those that are not as observed, and the others.
    swapped: Vec<(usize, usize, Choice)>,
    observed: Vec<(usize, usize, Choice)>,
}

impl Encoding<'_> {
    /// Clauses that forbid circles of this model; none if it has none. Only what is executed counts.
    pub(crate) fn circles(&mut self, model: &Model, executed: &[bool]) -> Result<Vec<TermId>, TermError> {
        let graph = self.graph(model, executed);
        let component = graph.components();
        let mut clauses = Vec::new();
        let mut seen: HashSet<Vec<Choice>> = HashSet::new();
        let mut search = Search::new(graph.points.len());
        for (n, &(from, to, choice)) in graph.swapped.iter().chain(&graph.observed).enumerate() {
            let is_observed = n >= graph.swapped.len();
            if clauses.len() >= CIRCLES_PER_ROUND || (is_observed && !clauses.is_empty()) {
                break;
            }
            if component[from] != component[to] {
                continue;
            }
            let mut circle = search.shortest(&graph, &component, to, from);
            circle.push(choice);
            circle.sort_unstable();
            circle.dedup();
            if seen.insert(circle.clone()) {
                clauses.push(self.one_is_otherwise(&circle)?);
            }
        }
        Ok(clauses)
    }

    fn one_is_otherwise(&mut self, choices: &[Choice]) -> Result<TermId, TermError> {
        let mut ways = Vec::new();
        for choice in choices {
            ways.push(match choice.holds {
                true => self.terms.not(choice.atom)?,
                false => choice.atom,
            });
        }
        self.terms.or(&ways)
    }

    /// The executed points in the order of a model that has no circle: as observed where it leaves a choice.
    pub(crate) fn lined_up(&self, model: &Model, executed: &[bool]) -> Vec<Point> {
        let graph = self.graph(model, executed);
        let mut missing = vec![0u32; graph.points.len()];
        for way in graph.edges.iter().flatten() {
            missing[way.to] += 1;
        }
        let mut ready: BTreeMap<(u64, Point), usize> = BTreeMap::new();
        for (n, _) in missing.iter().enumerate().filter(|&(_, &missing)| missing == 0) {
            ready.insert(self.observed(graph.points[n]), n);
        }
        let mut order = Vec::new();
        while let Some((_, n)) = ready.pop_first() {
            order.push(graph.points[n]);
            for &Way { to, .. } in &graph.edges[n] {
                missing[to] -= 1;
                if missing[to] == 0 {
                    ready.insert(self.observed(graph.points[to]), to);
                }
            }
        }
        order
    }

    fn graph(&self, model: &Model, executed: &[bool]) -> Graph {
        let here = self.forest.ids().filter(|id| executed[id.index()]);
        let points = here.flat_map(|id| [Point::Issue(id), Point::Commit(id)]);
        let points: Vec<Point> = points.filter(|&point| self.is_mentioned(point)).collect();
        let index: HashMap<Point, usize> = points.iter().copied().zip(0..).collect();
        // Of the events that share a seat, one is executed.
        let seats: HashMap<Point, usize> =
            points.iter().map(|&point| self.seat_point(point)).zip(0..).collect();
        let mut graph = Graph {
            edges: vec![Vec::new(); points.len()],
            points,
            swapped: Vec::new(),
            observed: Vec::new(),
        };
        for edge in self.edges(executed) {
            if let (Some(&from), Some(&to)) = (index.get(&edge.from), index.get(&edge.to)) {
                let because = edge.rests_on.and_then(|id| self.en[id.index()]);
                let because = because.map(|atom| Choice { atom, holds: true });
                graph.edges[from].push(Way { to, because, compared: false });
            }
        }
        let mut evaluator = Evaluator::new(&self.terms, model).missing(MissingConstant::Default);
        for ((a, b), atom) in self.orders.listed() {
            let (Some(&from), Some(&to)) = (seats.get(&a), seats.get(&b)) else { continue };
            let holds = evaluator.value(atom).ok().and_then(|value| value.as_bool()) == Some(true);
            let (from, to) = if holds { (from, to) } else { (to, from) };
            let choice = Choice { atom, holds };
            graph.edges[from].push(Way { to, because: Some(choice), compared: true });
            match self.observed(graph.points[to]) < self.observed(graph.points[from]) {
                true => graph.swapped.push((from, to, choice)),
                false => graph.observed.push((from, to, choice)),
            }
        }
        graph
    }
}

impl Graph {
    fn components(&self) -> Vec<u32> {
        components(self.points.len(), |at, nth| self.edges[at].get(nth).map(|way| way.to))
    }
}

/// Looks for ways through a graph; kept, so that many searches share the storage.
struct Search {
    stamp: u32,
    seen: Vec<u32>,
    cost: Vec<u32>,
    came: Vec<(usize, Option<Choice>)>,
}

impl Search {
    fn new(points: usize) -> Search {
        Search { stamp: 0, seen: vec![0; points], cost: vec![0; points], came: vec![(0, None); points] }
    }

    /// What makes the way from one point to another that has the fewest comparisons, within a component that
    /// has both.
    fn shortest(&mut self, graph: &Graph, component: &[u32], from: usize, to: usize) -> Vec<Choice> {
        self.stamp += 1;
        self.seen[from] = self.stamp;
        self.cost[from] = 0;
        let mut queue = VecDeque::from([(from, 0)]);
        while let Some((at, cost)) = queue.pop_front() {
            if at == to {
                break;
            }
            if cost > self.cost[at] {
                continue;
            }
            for &Way { to: next, because, compared } in &graph.edges[at] {
                if component[next] != component[from] {
                    continue;
                }
                let cost = cost + u32::from(compared);
                if self.seen[next] != self.stamp || cost < self.cost[next] {
                    (self.seen[next], self.cost[next], self.came[next]) = (self.stamp, cost, (at, because));
                    match compared {
                        false => queue.push_front((next, cost)),
                        true => queue.push_back((next, cost)),
                    }
                }
            }
        }
        let mut choices = Vec::new();
        let mut at = to;
        while at != from {
            let (before, choice) = self.came[at];
            choices.extend(choice);
            at = before;
        }
        choices
    }
}
