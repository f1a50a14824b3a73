//! Chains: integers that asserted comparisons put in a row, as program order does with the events of a thread.
//!
//! A chain stays as long as its assertions do, however the search turns, and most comparisons are between two chains. So
//! what a new comparison implies can be looked up instead of searched for: if `a` comes before `b`, then so does everything
//! above `a`, before everything below `b`. The comparisons of two chains are points of a grid; each implies its nearest
//! neighbours, and these imply theirs.

use super::Comparisons;
use super::graph::{Edge, Graph, Node};
use crate::sat::Lit;
use std::ops::Range;

/// How many rows above are looked at for neighbours.
const ROWS: usize = 24;
/// How far is gone for them.
const REACH: usize = 96;

const NONE: u32 = u32::MAX;

#[derive(Debug, Clone, Copy)]
struct Place {
    /// The first of its chain.
    chain: u32,
    /// Where in it.
    position: u32,
    next: u32,
    previous: u32,
    /// Why `next` comes after it.
    link: Lit,
    /// When its chain was last numbered.
    numbered: u32,
}

/// A comparison as seen from one of its sides: the other one's chain and position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Seen {
    chain: u32,
    position: u32,
    number: u32,
}

/// The comparisons of one integer, in order.
#[derive(Debug, Default)]
struct Row {
    numbered: u32,
    seen: Vec<Seen>,
}

/// What is known of a whole chain, kept at its first.
#[derive(Debug, Clone, Copy, Default)]
struct Links {
    /// How many are not true now.
    missing: u32,
    /// How many may become false again.
    loose: u32,
}

#[derive(Debug, Default)]
pub(super) struct Chains {
    places: Vec<Place>,
    rows: Vec<Row>,
    links: Vec<Links>,
    /// By variable: the integer that it links to the next.
    linking: Vec<u32>,
    /// Which were linked to the next, the oldest first.
    linked: Vec<Node>,
    /// Whose chains must be numbered anew.
    touched: Vec<Node>,
    numbered: u32,
    /// What literals imply, one's after the other's.
    neighbours: Vec<Lit>,
    /// By literal: which of these are its.
    found: Vec<Found>,
    /// By variable: the literal that implied it as a neighbour.
    causes: Vec<Option<Lit>>,
}

/// The neighbours of a literal, and when they were looked for: the last numbering, and how many comparisons there were.
#[derive(Debug, Clone, Copy, Default)]
struct Found {
    start: u32,
    length: u32,
    numbered: u32,
    compared: u32,
}

impl Chains {
    pub(super) fn add_node(&mut self) {
        let number = self.places.len() as u32;
        self.places.push(Place {
            chain: number,
            position: 0,
            next: NONE,
            previous: NONE,
            link: Lit::TRUE,
            numbered: 0,
        });
        self.rows.push(Row::default());
        self.links.push(Links::default());
    }

    /// How many links there are.
    pub(super) fn len(&self) -> usize {
        self.linked.len()
    }

    /// Links two if neither is linked there already.
    pub(super) fn link(&mut self, from: Node, to: Node, literal: Lit) {
        let free = self.places[from.index()].next == NONE && self.places[to.index()].previous == NONE;
        if !free || self.linking(literal).is_some() {
            return;
        }
        self.places[from.index()].next = to.0;
        self.places[from.index()].link = literal;
        self.places[to.index()].previous = from.0;
        if self.linking.len() <= literal.var().index() {
            self.linking.resize(literal.var().index() + 1, NONE);
        }
        self.linking[literal.var().index()] = from.0;
        self.linked.push(from);
        self.touched.push(from);
    }

    /// Takes links back until there are so many.
    pub(super) fn unlink(&mut self, count: usize) {
        while self.linked.len() > count {
            if let Some(from) = self.linked.pop()
                && let Some(to) = self.cut(from)
            {
                self.touched.extend([from, to]);
            }
        }
    }

    fn linking(&self, literal: Lit) -> Option<Node> {
        let from = *self.linking.get(literal.var().index())?;
        (from != NONE && self.places[from as usize].link == literal).then_some(Node(from))
    }

    /// A literal became true.
    pub(super) fn told(&mut self, literal: Lit, permanent: bool) {
        if let Some(links) = self.links_of(literal) {
            links.missing = links.missing.wrapping_sub(1);
            links.loose = links.loose.wrapping_add(u32::from(!permanent));
        }
    }

    /// It is not true any more.
    pub(super) fn retracted(&mut self, literal: Lit, permanent: bool) {
        if let Some(links) = self.links_of(literal) {
            links.missing = links.missing.wrapping_add(1);
            links.loose = links.loose.wrapping_sub(u32::from(!permanent));
        }
    }

    /// What is known of the chain that a literal is a link of. Of a chain that is to be numbered it may be anything.
    fn links_of(&mut self, literal: Lit) -> Option<&mut Links> {
        let from = self.linking(literal)?;
        Some(&mut self.links[self.places[from.index()].chain as usize])
    }

    /// Numbers the chains that have changed.
    pub(super) fn number(&mut self, graph: &Graph) {
        if self.touched.is_empty() {
            return;
        }
        self.numbered += 1;
        self.neighbours.clear();
        for at in 0..self.touched.len() {
            let mut first = self.touched[at].0;
            let mut steps = 0;
            loop {
                let Place { previous, numbered, .. } = self.places[first as usize];
                if numbered == self.numbered {
                    break;
                }
                if steps == self.places.len() {
                    self.cut(Node(previous));
                }
                if previous == NONE || steps == self.places.len() {
                    self.number_from(first, graph);
                    break;
                }
                first = previous;
                steps += 1;
            }
        }
        self.touched.clear();
    }

    /// Takes back the link behind this one. A circle cannot be satisfied, but it can be asserted.
    fn cut(&mut self, from: Node) -> Option<Node> {
        let place = &mut self.places[from.index()];
        let to = std::mem::replace(&mut place.next, NONE);
        if to == NONE {
            return None;
        }
        self.linking[place.link.var().index()] = NONE;
        self.places[to as usize].previous = NONE;
        Some(Node(to))
    }

    fn number_from(&mut self, first: u32, graph: &Graph) {
        let mut links = Links::default();
        let (mut node, mut position) = (first, 0);
        while node != NONE {
            let place = &mut self.places[node as usize];
            place.chain = first;
            place.position = position;
            place.numbered = self.numbered;
            if place.next != NONE {
                match graph.edge_of(place.link) {
                    Some(edge) => links.loose += u32::from(!edge.permanent),
                    None => links.missing += 1,
                }
            }
            node = place.next;
            position += 1;
        }
        self.links[first as usize] = links;
    }

    /// Adds to `implied` what follows from a new edge of weight 0 or more, which a comparison is the reason for.
    pub(super) fn after(
        &mut self,
        graph: &Graph,
        known: &Comparisons,
        atoms: &[Vec<u32>],
        edge: &Edge,
        implied: &mut Vec<Lit>,
    ) {
        if !self.holds(edge.from) || !self.holds(edge.to) {
            return;
        }
        for at in self.neighbours(known, atoms, edge) {
            let literal = self.neighbours[at];
            if graph.position(literal).is_some() {
                continue;
            }
            let var = literal.var().index();
            if self.causes.len() <= var {
                self.causes.resize(var + 1, None);
            }
            self.causes[var] = Some(edge.literal);
            implied.push(literal);
        }
    }

    /// Where what an edge implies stands in the list of neighbours; it is looked for once.
    fn neighbours(&mut self, known: &Comparisons, atoms: &[Vec<u32>], edge: &Edge) -> Range<usize> {
        let at = edge.literal.index();
        if self.found.len() <= at {
            self.found.resize(at + 1, Found::default());
        }
        let Found { start, length, numbered, compared } = self.found[at];
        // A few more comparisons, as each question of a growing formula has them, can be done without.
        if numbered == self.numbered && known.atoms.len() - compared as usize <= compared as usize / 8 {
            return start as usize..(start + length) as usize;
        }
        let start = self.neighbours.len();
        self.find_neighbours(known, atoms, edge);
        self.found[at] = Found {
            start: start as u32,
            length: (self.neighbours.len() - start) as u32,
            numbered: self.numbered,
            compared: known.atoms.len() as u32,
        };
        start..self.neighbours.len()
    }

    fn find_neighbours(&mut self, known: &Comparisons, atoms: &[Vec<u32>], edge: &Edge) {
        let (start, end) = (self.places[edge.from.index()], self.places[edge.to.index()]);
        if start.chain == end.chain {
            return;
        }
        let beyond = |position| Seen { chain: end.chain, position, number: 0 };
        if let Some(seen) = self.next(known, atoms, edge.from, beyond(end.position + 1)) {
            self.neighbours.extend(known.decided(seen.number, edge.from, true));
        }
        let mut nearest = NONE;
        let mut rows = 0;
        let mut node = start.previous;
        for _ in 0..REACH {
            if node == NONE || rows == ROWS {
                return;
            }
            if let Some(seen) = self.next(known, atoms, Node(node), beyond(end.position)) {
                rows += 1;
                if seen.position < nearest {
                    nearest = seen.position;
                    self.neighbours.extend(known.decided(seen.number, Node(node), true));
                    if nearest == end.position {
                        return;
                    }
                }
            }
            node = self.places[node as usize].previous;
        }
    }

    /// Whether the first of two comes earlier in the chain that both are in.
    pub(super) fn in_order(&self, first: Node, second: Node) -> Option<bool> {
        let (first, second) = (self.places[first.index()], self.places[second.index()]);
        (first.chain == second.chain).then_some(first.position < second.position)
    }

    /// Are all links of the chain true?
    fn holds(&self, node: Node) -> bool {
        self.links[self.places[node.index()].chain as usize].missing == 0
    }

    /// The nearest comparison of an integer with one of a chain, from a position on.
    fn next(&mut self, known: &Comparisons, atoms: &[Vec<u32>], node: Node, from: Seen) -> Option<Seen> {
        let atoms = &atoms[node.index()];
        let row = &mut self.rows[node.index()];
        if row.numbered != self.numbered || row.seen.len() != atoms.len() {
            let places = &self.places;
            row.numbered = self.numbered;
            row.seen.clear();
            row.seen.extend(atoms.iter().map(|&number| {
                let Place { chain, position, .. } = places[known.atoms[number as usize].other(node).index()];
                Seen { chain, position, number }
            }));
            row.seen.sort_unstable();
        }
        let at = row.seen.partition_point(|seen| *seen < from);
        row.seen.get(at).copied().filter(|seen| seen.chain == from.chain)
    }

    /// Why a literal follows, if it is as a neighbour: a literal whose edge leads from one chain to the other, such
    /// that the links before and behind it and itself, all among the first `limit` edges, make a path.
    pub(super) fn cause(&self, graph: &Graph, literal: Lit, limit: u32) -> Option<Lit> {
        let cause = (*self.causes.get(literal.var().index())?)?;
        graph.has_before(cause, limit).then_some(cause)
    }

    /// Adds the links from one integer to another that comes later in its chain. `None` if it does not, or if one of
    /// them is not among the first `limit` edges. Unless `whole`, permanent ones are left out.
    pub(super) fn way(
        &self,
        graph: &Graph,
        (from, to): (Node, Node),
        limit: u32,
        whole: bool,
        way: &mut Vec<Lit>,
    ) -> Option<()> {
        let (start, end) = (self.places[from.index()], self.places[to.index()]);
        if start.chain != end.chain || start.position > end.position || !self.touched.is_empty() {
            return None;
        }
        let Links { missing, loose } = self.links[start.chain as usize];
        if missing == 0 && loose == 0 && !whole {
            return Some(());
        }
        let mut node = from;
        while node != to {
            let Place { next, link, .. } = self.places[node.index()];
            if !graph.has_before(link, limit) {
                return None;
            }
            way.push(link);
            node = Node(next);
        }
        Some(())
    }
}
