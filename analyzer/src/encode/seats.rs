//! **Seats**: what the formula says of a place in a thread's row instead of an event (see [`Seats`](crate::model::Seats)).
//!
//! Of the events that share a seat one at most is executed, so they can share the moment when that happens, who sees
//! them and what they see. For every execution the seats that nobody takes can be put somewhere among the others, such
//! that every row is in order: whatever follows from the order of a row holds, whether its events are executed or not.
//! What rests on one event alone (a fork, a join, a fence between two events) holds only if that event is executed.

use std::collections::HashMap;

use warpath_solvers::term::{Sort, TermError, TermId};
use warpath_trace::header::MemoryModel;

use super::{About, Encoding, Point};
use crate::model::{Forest, NodeId};

/// Who shares a seat with whom, of the events that take part.
#[derive(Clone, Debug, Default)]
pub(super) struct Sharing {
    /// By seat; ascending.
    events: HashMap<NodeId, Vec<NodeId>>,
    /// By seat: somebody is executed, where that has a name.
    taken: HashMap<NodeId, TermId>,
    /// Comparisons of seats that are decided, or are not.
    decided: HashMap<(Point, Point), Option<bool>>,
}

impl Sharing {
    pub(super) fn of(forest: &Forest, takes_part: &[bool]) -> Sharing {
        let mut sharing = Sharing::default();
        for id in forest.ids().filter(|id| takes_part[id.index()]) {
            sharing.events.entry(forest.seats().first(id)).or_default().push(id);
        }
        sharing
    }
}

impl Encoding<'_> {
    /// The seat of an event, by the first event that had it; without sharing, the event itself.
    pub(super) fn seat(&self, id: NodeId) -> NodeId {
        match self.options.reductions.share_seats {
            true => self.forest.seats().first(id),
            false => id,
        }
    }

    /// The point of the seat.
    pub(crate) fn seat_point(&self, point: Point) -> Point {
        match point {
            Point::Issue(id) => Point::Issue(self.seat(id)),
            Point::Commit(id) => Point::Commit(self.seat(id)),
        }
    }

    /// Are there seats that several events of the forest share?
    pub(super) fn shares_seats(&self) -> bool {
        self.options.reductions.share_seats && self.forest.seats().are_shared()
    }

    /// The events that take part and have this seat.
    pub(super) fn sharing(&self, seat: NodeId) -> Vec<NodeId> {
        match self.options.reductions.share_seats {
            true => self.sharing.events.get(&seat).cloned().unwrap_or_default(),
            false => vec![seat],
        }
    }

    /// Some of these events, which share a seat, is executed.
    pub(super) fn some_executed(&mut self, events: &[NodeId]) -> Result<TermId, TermError> {
        if let [only] = events {
            return self.en(*only);
        }
        let seat = self.seat(events[0]);
        let all = self.sharing(seat) == events;
        if let Some(&taken) = self.sharing.taken.get(&seat).filter(|_| all) {
            return Ok(taken);
        }
        let mut ways = Vec::new();
        for &event in events {
            ways.push(self.en(event)?);
        }
        let some = self.terms.or(&ways)?;
        if !all {
            return Ok(some);
        }
        // With a name of its own, what is said of the seat stays the same when more events come to share it.
        let taken = self.terms.constant(&format!("taken({})", self.forest.name(seat)), Sort::Bool)?;
        let defined = self.terms.eq(taken, some)?;
        self.constrain(About::Seat(seat), defined);
        self.sharing.taken.insert(seat, taken);
        Ok(taken)
    }

    /// Does the row of their thread put the first before the second, whoever takes the seats?
    pub(super) fn in_row(&self, a: Point, b: Point) -> bool {
        let (first, second) = (a.node(), b.node());
        if !self.options.reductions.share_seats
            || self.forest.node(first).tree != self.forest.node(second).tree
        {
            return false;
        }
        let seats = self.forest.seats();
        let (left, right) = (seats.position(first), seats.position(second));
        match (a, b) {
            (Point::Issue(_), Point::Issue(_)) => left < right,
            (Point::Issue(_), Point::Commit(_)) => left <= right,
            (Point::Commit(_), Point::Issue(_)) => false,
            (Point::Commit(_), Point::Commit(_)) => {
                left < right && (self.options.model != MemoryModel::Pso || self.share_cell(first, second))
            }
        }
    }

    /// `o(a) < o(b)` for two seats, whoever of those that take part has them.
    pub(super) fn seats_before(&mut self, a: Point, b: Point) -> Result<TermId, TermError> {
        let (a, b) = (self.seat_point(a), self.seat_point(b));
        if self.options.reductions.fold_must {
            let decided = match self.sharing.decided.get(&(a, b)) {
                Some(&decided) => decided,
                None => {
                    let decided = self.decided(a, b);
                    self.sharing.decided.insert((a, b), decided);
                    decided
                }
            };
            if let Some(decided) = decided {
                return Ok(self.terms.bool(decided));
            }
        }
        self.compared_seats(a, b)
    }

    /// What the must-order says of two seats, if it says the same of all events that may have them.
    fn decided(&self, a: Point, b: Point) -> Option<bool> {
        if a == b || self.in_row(b, a) {
            return Some(false);
        }
        if self.in_row(a, b) {
            return Some(true);
        }
        let at = |point: Point, id: NodeId| match point {
            Point::Issue(_) => Point::Issue(id),
            Point::Commit(_) => Point::Commit(id),
        };
        let (left, right) = (self.sharing(a.node()), self.sharing(b.node()));
        let all = |holds: &dyn Fn(Point, Point) -> bool| {
            let pairs = left.iter().flat_map(|&x| right.iter().map(move |&y| (x, y)));
            let mut pairs = pairs.filter(|&(x, y)| self.must.compatible(x, y)).peekable();
            pairs.peek().is_some() && pairs.all(|(x, y)| holds(at(a, x), at(b, y)))
        };
        if all(&|x, y| self.must_precede(x, y)) {
            Some(true)
        } else if all(&|x, y| self.must_precede(y, x)) {
            Some(false)
        } else {
            None
        }
    }
}
