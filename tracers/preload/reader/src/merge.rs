//! One order of the records of all threads, in which every object is used in the order of its tickets.

use rustc_hash::FxHashMap;

use warpath_light_format::Kind;
use warpath_light_format::kind::outcome;

use crate::thread::{Record, Records};

/// A thread's records of one episode, from where the recording is whole.
#[derive(Clone)]
pub(crate) struct Lane<'a> {
    pub(crate) records: Records<'a>,
    /// Its first event is its begin, and a fork of it is among the others' records.
    pub(crate) forked: bool,
    /// How many of the records belong to this.
    pub(crate) count: usize,
}

struct Cursor<'a> {
    records: Records<'a>,
    left: usize,
    next: Option<Record<'a>>,
    /// May not go on before it is forked.
    unborn: bool,
}

impl<'a> Cursor<'a> {
    fn advance(&mut self) {
        self.next = if self.left > 0 { self.records.next() } else { None };
        self.left = self.left.saturating_sub(1);
    }
}

/// What keeps a thread from going on.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Obstacle {
    /// The object's ticket is not up.
    Ticket(u64, u64),
    /// It is not forked.
    Fork(usize),
    /// Who it joins has not ended.
    End(usize),
}

/// Hands out records in such an order.
pub(crate) struct Merge<'a> {
    cursors: Vec<Cursor<'a>>,
    /// The next ticket of each object; of an object that is not there, the first that comes.
    next: FxHashMap<u64, u64>,
    waiting: FxHashMap<Obstacle, Vec<usize>>,
    ended: Vec<bool>,
    ready: Vec<usize>,
    /// Tickets that nobody has: events that were lost.
    pub(crate) gaps: u64,
}

impl<'a> Merge<'a> {
    /// Numbers of threads are places in `lanes`.
    pub(crate) fn new(lanes: Vec<Lane<'a>>, first: FxHashMap<u64, u64>) -> Merge<'a> {
        let mut ended = vec![true; lanes.len()];
        let mut cursors = Vec::new();
        for (thread, lane) in lanes.into_iter().enumerate() {
            // Who has no end cannot be waited for.
            if lane.records.clone().take(lane.count).any(|record| record.kind == Kind::End) {
                ended[thread] = false;
            }
            let mut cursor =
                Cursor { records: lane.records, left: lane.count, next: None, unborn: lane.forked };
            cursor.advance();
            cursors.push(cursor);
        }
        let ready = (0..cursors.len()).rev().collect();
        Merge { cursors, next: first, waiting: FxHashMap::default(), ended, ready, gaps: 0 }
    }

    /// The next record, and its thread.
    pub(crate) fn pop(&mut self) -> Option<(usize, Record<'a>)> {
        loop {
            let Some(&thread) = self.ready.last() else {
                if self.skip_gap() {
                    continue;
                }
                return None;
            };
            let Some(record) = self.cursors[thread].next else {
                self.ready.pop();
                continue;
            };
            if let Some(obstacle) = self.obstacle(thread, &record) {
                self.ready.pop();
                self.waiting.entry(obstacle).or_default().push(thread);
                continue;
            }
            self.cursors[thread].advance();
            self.pass(thread, &record);
            return Some((thread, record));
        }
    }

    fn obstacle(&self, thread: usize, record: &Record<'_>) -> Option<Obstacle> {
        if self.cursors[thread].unborn {
            return Some(Obstacle::Fork(thread));
        }
        if record.kind == Kind::Join && record.a % 16 == outcome::DONE {
            let child = record.b as usize;
            if self.ended.get(child) == Some(&false) {
                return Some(Obstacle::End(child));
            }
        }
        let late = |(object, ticket): &(u64, u64)| self.next.get(object).is_some_and(|next| next < ticket);
        record.tickets().find(late).map(|(object, ticket)| Obstacle::Ticket(object, ticket))
    }

    /// What others may do now that this has happened.
    fn pass(&mut self, thread: usize, record: &Record<'_>) {
        for (object, ticket) in record.tickets() {
            self.next.insert(object, ticket + 1);
            self.release(Obstacle::Ticket(object, ticket + 1));
        }
        match record.kind {
            Kind::Fork => {
                let child = record.b as usize;
                if let Some(cursor) = self.cursors.get_mut(child) {
                    cursor.unborn = false;
                }
                self.release(Obstacle::Fork(child));
            }
            Kind::End => {
                self.ended[thread] = true;
                self.release(Obstacle::End(thread));
            }
            _ => {}
        }
    }

    fn release(&mut self, obstacle: Obstacle) {
        if let Some(threads) = self.waiting.remove(&obstacle) {
            // Below the thread that goes on: it keeps its turn.
            let at = self.ready.len().saturating_sub(1);
            self.ready.splice(at..at, threads);
        }
    }

    /// Nobody can go on: events were lost. The ticket that the first thread waits for is taken to be up.
    fn skip_gap(&mut self) -> bool {
        let first = self
            .waiting
            .iter()
            .filter_map(|(obstacle, threads)| Some((threads.iter().min()?, obstacle)))
            .min_by_key(|(thread, obstacle)| (**thread, matches!(obstacle, Obstacle::Ticket(..))));
        let Some((_, &obstacle)) = first else { return false };
        self.gaps += 1;
        match obstacle {
            Obstacle::Ticket(object, _) => {
                // Of all that wait for this object the lowest ticket comes first.
                let lowest = self.waiting.keys().filter_map(|other| match other {
                    Obstacle::Ticket(of, ticket) if *of == object => Some(*ticket),
                    _ => None,
                });
                if let Some(lowest) = lowest.min() {
                    self.next.insert(object, lowest);
                    self.release(Obstacle::Ticket(object, lowest));
                }
            }
            Obstacle::Fork(child) => {
                if let Some(cursor) = self.cursors.get_mut(child) {
                    cursor.unborn = false;
                }
                self.release(obstacle);
            }
            Obstacle::End(child) => {
                if let Some(ended) = self.ended.get_mut(child) {
                    *ended = true;
                }
                self.release(obstacle);
            }
        }
        true
    }
}
