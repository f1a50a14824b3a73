//! One order of the records of all threads, in which every object is used in the order of its tickets.
//!
//! Where tickets leave a choice, time decides: records of watched programs have marks of the processor's clock between
//! them. Without marks a thread goes on as long as it can.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::FxHashMap;

use warpath_light_format::Kind;
use warpath_light_format::kind::outcome;

use crate::memory::{Memory, Verdict};
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

/// What is known of tickets beforehand.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tickets {
    /// The first ticket of each object.
    pub(crate) first: FxHashMap<u64, u64>,
    /// How often each cell was loaded behind each of its tickets.
    pub(crate) loads: FxHashMap<(u64, u64), u32>,
    /// Where an object's tickets go on behind one that is not followed by the next, since its count was lost.
    pub(crate) renewed: FxHashMap<(u64, u64), u64>,
}

/// Records that are looked at in advance.
const AHEAD: usize = 192;

/// What passes between two records behind the last mark, by the processor's clock.
const SINCE_MARK: u64 = 100;

struct Cursor<'a> {
    records: Records<'a>,
    left: usize,
    next: Option<Record<'a>>,
    /// May not go on before it is forked.
    unborn: bool,
    /// The marks around the next record, how many records are between them, and how many of those are past.
    marks: (u64, u64),
    between: u64,
    past: u64,
    /// Its next record has waited long enough for a value.
    forced: bool,
}

impl<'a> Cursor<'a> {
    fn advance(&mut self) {
        self.forced = false;
        self.next = if self.left > 0 { self.records.next() } else { None };
        self.left = self.left.saturating_sub(1);
        self.past += 1;
        if let Some(time) = self.next.and_then(|record| record.time()) {
            self.marks.0 = time;
            self.past = 0;
            let mut between = 0;
            let next = self.records.clone().take(self.left).find_map(|record| {
                between += 1;
                record.time()
            });
            self.marks.1 = next.unwrap_or(time + between * SINCE_MARK).max(time);
            self.between = between.max(1);
        }
    }

    /// When the next record was, as far as one can tell.
    fn time(&self) -> u64 {
        let (from, to) = self.marks;
        from + (u128::from(to - from) * u128::from(self.past) / u128::from(self.between.max(1))) as u64
    }
}

/// What keeps a thread from going on.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Obstacle {
    /// The object's ticket is not up.
    Ticket(u64, u64),
    /// The cell is yet to be loaded as it is behind this ticket.
    Loads(u64, u64),
    /// It is not forked.
    Fork(usize),
    /// Who it joins has not ended.
    End(usize),
    /// Something else is in these eight bytes than it read.
    Value(u64),
}

/// Hands out records in such an order.
pub(crate) struct Merge<'a> {
    cursors: Vec<Cursor<'a>>,
    /// The next ticket of each object; of an object that is not there, the first that comes.
    next: FxHashMap<u64, u64>,
    loads: FxHashMap<(u64, u64), u32>,
    renewed: FxHashMap<(u64, u64), u64>,
    waiting: FxHashMap<Obstacle, Vec<usize>>,
    /// Threads that wait for a value, and until when.
    patient: Vec<(u64, usize)>,
    ended: Vec<bool>,
    ready: BinaryHeap<Reverse<(u64, usize)>>,
    current: Option<usize>,
    /// A thread that goes first, and how many records it may do so.
    urgent: Option<(usize, usize)>,
    /// Tickets that nobody has: events that were lost.
    pub(crate) gaps: u64,
}

impl<'a> Merge<'a> {
    /// Numbers of threads are places in `lanes`.
    pub(crate) fn new(lanes: Vec<Lane<'a>>, tickets: Tickets) -> Merge<'a> {
        let mut ended = vec![true; lanes.len()];
        let mut cursors = Vec::new();
        for (thread, lane) in lanes.into_iter().enumerate() {
            // Who has no end cannot be waited for.
            if lane.records.clone().take(lane.count).any(|record| record.kind == Kind::End) {
                ended[thread] = false;
            }
            let mut cursor = Cursor {
                records: lane.records,
                left: lane.count,
                next: None,
                unborn: lane.forked,
                marks: (0, 0),
                between: 1,
                past: 0,
                forced: false,
            };
            cursor.advance();
            cursors.push(cursor);
        }
        let ready =
            cursors.iter().enumerate().map(|(thread, cursor)| Reverse((cursor.time(), thread))).collect();
        Merge {
            cursors,
            next: tickets.first,
            loads: tickets.loads,
            renewed: tickets.renewed,
            waiting: FxHashMap::default(),
            patient: Vec::new(),
            ended,
            ready,
            current: None,
            urgent: None,
            gaps: 0,
        }
    }

    /// The next record, and its thread. With a memory, reads wait for their values.
    pub(crate) fn pop(&mut self, memory: Option<&mut Memory<'_>>) -> Option<(usize, Record<'a>)> {
        let mut memory = memory;
        loop {
            let Some(thread) = self.choose() else {
                if self.end_patience() || self.skip_gap() {
                    continue;
                }
                return None;
            };
            let Some(record) = self.cursors[thread].next else {
                self.current = None;
                continue;
            };
            if let Some(obstacle) = self.obstacle(thread, &record) {
                self.park(thread, obstacle);
                continue;
            }
            if let Some(memory) = memory.as_deref_mut()
                && !self.admits(thread, &record, memory)
            {
                continue;
            }
            self.current = Some(thread);
            self.cursors[thread].advance();
            self.pass(thread, &record);
            if let Some(memory) = memory.as_deref_mut() {
                memory.pass(thread, &record, |word| self.release(Obstacle::Value(word)));
            }
            return Some((thread, record));
        }
    }

    /// The thread whose next record was first, or which has its turn.
    fn choose(&mut self) -> Option<usize> {
        if let Some((thread, left)) = self.urgent {
            self.urgent = left.checked_sub(1).map(|left| (thread, left));
            if self.current != Some(thread) {
                let before = self.current.replace(thread);
                self.ready.retain(|Reverse((_, other))| *other != thread);
                self.ready.extend(before.map(|other| Reverse((self.cursors[other].time(), other))));
            }
            return Some(thread);
        }
        let first = self.ready.peek().map(|Reverse((time, _))| *time);
        let own = self.current.map(|thread| self.cursors[thread].time());
        let earliest = first.into_iter().chain(own).min();
        if self.patient.iter().any(|(until, _)| earliest.is_none_or(|earliest| *until < earliest)) {
            self.end_patience();
            return self.choose();
        }
        match (self.current, own, first) {
            (Some(thread), Some(own), Some(first)) if own > first => {
                self.ready.push(Reverse((own, thread)));
                self.current = self.ready.pop().map(|Reverse((_, thread))| thread);
            }
            (None, ..) => self.current = self.ready.pop().map(|Reverse((_, thread))| thread),
            _ => {}
        }
        self.current
    }

    fn park(&mut self, thread: usize, obstacle: Obstacle) {
        if self.current == Some(thread) {
            self.current = None;
        }
        if self.urgent.is_some_and(|(urgent, _)| urgent == thread) {
            self.urgent = None;
        }
        self.waiting.entry(obstacle).or_default().push(thread);
    }

    fn obstacle(&self, thread: usize, record: &Record<'_>) -> Option<Obstacle> {
        if self.cursors[thread].unborn {
            return Some(Obstacle::Fork(thread));
        }
        if record.is_plain() {
            return None;
        }
        if record.kind == Kind::Join && record.a % 16 == outcome::DONE {
            let child = record.b as usize;
            if self.ended.get(child) == Some(&false) {
                return Some(Obstacle::End(child));
            }
        }
        if record.kind == Kind::AtomicLoad {
            let (cell, ticket) = (record.word(2), record.word(3));
            let early = ticket > 0 && self.next.get(&cell).is_some_and(|next| *next <= ticket);
            return early.then_some(Obstacle::Ticket(cell, ticket + 1));
        }
        let late = |(object, ticket): &(u64, u64)| self.next.get(object).is_some_and(|next| next < ticket);
        if let Some((object, ticket)) = record.tickets().find(late) {
            return Some(Obstacle::Ticket(object, ticket));
        }
        if matches!(record.kind, Kind::AtomicStore | Kind::AtomicUpdate) {
            let before = (record.word(2), record.word(3).wrapping_sub(1));
            if self.loads.get(&before).is_some_and(|count| *count > 0) {
                return Some(Obstacle::Loads(before.0, before.1));
            }
        }
        None
    }

    /// May the record come now, as far as values go? If not, somebody else has been chosen.
    fn admits(&mut self, thread: usize, record: &Record<'_>, memory: &Memory<'_>) -> bool {
        if self.cursors[thread].forced {
            return true;
        }
        match memory.judge(thread, record) {
            Verdict::Fits => true,
            Verdict::Wait(word) => {
                if self.ready.is_empty() {
                    return true;
                }
                self.park(thread, Obstacle::Value(word));
                self.patient.push((self.cursors[thread].marks.1, thread));
                false
            }
            Verdict::Writes if self.urgent.is_none() => match self.reader_before(thread, record, memory) {
                Some((other, count)) => {
                    self.urgent = Some((other, count));
                    false
                }
                None => true,
            },
            Verdict::Writes => true,
        }
    }

    /// Another thread that is about to read what this record overwrites, and can: it comes first. How many records of it
    /// do.
    fn reader_before(
        &self,
        thread: usize,
        record: &Record<'_>,
        memory: &Memory<'_>,
    ) -> Option<(usize, usize)> {
        let until = self.cursors[thread].marks.1;
        self.ready.iter().filter(|Reverse((_, other))| *other != thread).find_map(|Reverse((_, other))| {
            let cursor = &self.cursors[*other];
            if cursor.unborn || cursor.marks.0 > until {
                return None;
            }
            let ahead = cursor.next.into_iter().chain(cursor.records.clone().take(cursor.left)).take(AHEAD);
            for (place, next) in ahead.enumerate() {
                if next.kind == Kind::Mark {
                    if next.word(1) > until {
                        return None;
                    }
                } else if !next.is_plain() {
                    return None;
                } else if let Some(wants) = memory.wants_before(*other, &next, thread, record) {
                    return wants.then_some((*other, place));
                }
            }
            None
        })
    }

    /// What others may do now that this has happened.
    fn pass(&mut self, thread: usize, record: &Record<'_>) {
        if record.is_plain() {
            return;
        }
        for (object, ticket) in record.tickets() {
            let next = match self.renewed.is_empty() {
                true => ticket + 1,
                false => self.renewed.get(&(object, ticket)).copied().unwrap_or(ticket + 1),
            };
            self.next.insert(object, next);
            self.release(Obstacle::Ticket(object, next));
        }
        match record.kind {
            Kind::AtomicLoad => {
                let at = (record.word(2), record.word(3));
                if let Some(count) = self.loads.get_mut(&at) {
                    *count = count.saturating_sub(1);
                    if *count == 0 {
                        self.loads.remove(&at);
                        self.release(Obstacle::Loads(at.0, at.1));
                    }
                }
            }
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
            if matches!(obstacle, Obstacle::Value(_)) {
                self.patient.retain(|(_, thread)| !threads.contains(thread));
            }
            let cursors = &self.cursors;
            self.ready.extend(threads.into_iter().map(|thread| Reverse((cursors[thread].time(), thread))));
        }
    }

    /// The thread that has waited longest for a value goes on without.
    fn end_patience(&mut self) -> bool {
        let Some(place) = (0..self.patient.len()).min_by_key(|place| self.patient[*place]) else {
            return false;
        };
        let (_, thread) = self.patient.swap_remove(place);
        self.cursors[thread].forced = true;
        for (obstacle, threads) in &mut self.waiting {
            if matches!(obstacle, Obstacle::Value(_)) {
                threads.retain(|other| *other != thread);
            }
        }
        self.waiting.retain(|_, threads| !threads.is_empty());
        self.ready.push(Reverse((0, thread)));
        true
    }

    /// Nobody can go on: events were lost. The ticket that the first thread waits for is taken to be up.
    fn skip_gap(&mut self) -> bool {
        let first = self
            .waiting
            .iter()
            .filter_map(|(obstacle, threads)| Some((threads.iter().min()?, obstacle)))
            .min_by_key(|(thread, obstacle)| {
                (**thread, matches!(obstacle, Obstacle::Ticket(..) | Obstacle::Loads(..)))
            });
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
            Obstacle::Loads(cell, ticket) => {
                self.loads.remove(&(cell, ticket));
                self.release(obstacle);
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
            Obstacle::Value(_) => self.release(obstacle),
        }
        true
    }
}
