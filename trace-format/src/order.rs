//! In what order the events of different threads were observed.

use std::borrow::Cow;

use bincode::{Decode, Encode};
use rustc_hash::FxHashMap;

use crate::event::{Event, Op, WaitResult};
use crate::ids::{LocationId, ThreadIx};

/// So many consecutive events of one thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Encode, Decode)]
pub struct Run {
    /// The thread.
    pub thread: ThreadIx,
    /// Its next so many events.
    pub count: u32,
}

/// A ticket drawn by one event.
///
/// Tickets count per location from 1. An event that changes the object draws the next number; a plain
/// or atomic read carries the number of the last write it saw, 0 if there was none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Encode, Decode)]
pub struct Ticket {
    /// Index of the event among its thread's events.
    pub event: u32,
    /// The number.
    pub number: u64,
}

/// The observed order, as the tracer could see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Order {
    /// One event after the other.
    Total(Vec<Run>),
    /// Per thread, the tickets of its events, ascending by event.
    Tickets(Vec<Vec<Ticket>>),
}

/// Tickets that no order of the events satisfies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the tickets contradict each other: event {event} of thread {thread} has ticket {ticket} of location {location}, which stands at {reached} when nothing else can go on"
)]
pub struct Contradiction {
    /// The thread.
    pub thread: u32,
    /// Index of its event.
    pub event: u32,
    /// The location.
    pub location: u32,
    /// The event's ticket.
    pub ticket: u64,
    /// How far the location's tickets came.
    pub reached: u64,
}

impl Order {
    /// Notes one more event of this thread in a total order.
    pub(crate) fn append(runs: &mut Vec<Run>, thread: ThreadIx) {
        match runs.last_mut() {
            Some(run) if run.thread == thread && run.count < u32::MAX => run.count += 1,
            _ => runs.push(Run { thread, count: 1 }),
        }
    }

    /// A total order of the events: the observed one, or one that fits the tickets, forks and joins.
    pub fn linear(&self, threads: &[Vec<Event>]) -> Result<Cow<'_, [Run]>, Contradiction> {
        match self {
            Order::Total(runs) => Ok(Cow::Borrowed(runs)),
            Order::Tickets(tickets) => {
                let (runs, stuck) = Linearisation::new(threads, tickets).run();
                stuck.map_or(Ok(Cow::Owned(runs)), Err)
            }
        }
    }

    /// Like [`linear`](Self::linear), but tickets that never come up end the order instead of failing:
    /// for traces that were cut, where the events that drew them are lost.
    pub fn linear_prefix(&self, threads: &[Vec<Event>]) -> Cow<'_, [Run]> {
        match self {
            Order::Total(runs) => Cow::Borrowed(runs),
            Order::Tickets(tickets) => Cow::Owned(Linearisation::new(threads, tickets).run().0),
        }
    }
}

/// A run of all threads that lets each go on as far as the tickets allow, in turn.
struct Linearisation<'a> {
    threads: &'a [Vec<Event>],
    tickets: &'a [Vec<Ticket>],
    next_event: Vec<usize>,
    next_ticket: Vec<usize>,
    reached: FxHashMap<LocationId, u64>,
    /// Reads still to come of each version of a location: the next version must wait for them.
    readers: FxHashMap<(LocationId, u64), u32>,
    forked: Vec<bool>,
    ended: Vec<bool>,
}

impl<'a> Linearisation<'a> {
    fn new(threads: &'a [Vec<Event>], tickets: &'a [Vec<Ticket>]) -> Self {
        // A thread whose fork or end is not in the trace must not be waited for.
        let mut forked = vec![true; threads.len()];
        let mut ended = vec![true; threads.len()];
        for (thread, events) in threads.iter().enumerate() {
            for event in events {
                match event.op {
                    Op::Fork { child } if child.index() < forked.len() => forked[child.index()] = false,
                    Op::End => ended[thread] = false,
                    _ => {}
                }
            }
        }
        let mut readers = FxHashMap::default();
        for (events, tickets) in threads.iter().zip(tickets) {
            for ticket in tickets {
                let op = events.get(ticket.event as usize).map(|event| event.op);
                if let Some(op) = op.filter(|op| !changes(op))
                    && let Some(location) = ordered_location(&op)
                {
                    *readers.entry((location, ticket.number)).or_insert(0) += 1;
                }
            }
        }
        Linearisation {
            threads,
            tickets,
            readers,
            next_event: vec![0; threads.len()],
            next_ticket: vec![0; threads.len()],
            reached: FxHashMap::default(),
            forked,
            ended,
        }
    }

    fn run(mut self) -> (Vec<Run>, Option<Contradiction>) {
        let mut runs = Vec::new();
        let mut progress = true;
        while progress {
            progress = false;
            for thread in 0..self.threads.len() {
                while self.step(thread) {
                    Order::append(&mut runs, ThreadIx::from(thread));
                    progress = true;
                }
            }
        }
        let stuck = (0..self.threads.len()).find_map(|thread| self.stuck(thread));
        (runs, stuck)
    }

    fn ticket(&self, thread: usize) -> Option<u64> {
        let ticket = self.tickets.get(thread)?.get(self.next_ticket[thread])?;
        (ticket.event as usize == self.next_event[thread]).then_some(ticket.number)
    }

    /// Performs the thread's next event if it may happen now.
    fn step(&mut self, thread: usize) -> bool {
        let Some(event) = self.threads[thread].get(self.next_event[thread]) else { return false };
        let may_begin = self.next_event[thread] > 0 || self.forked[thread];
        let may_join = match event.op {
            Op::Join { child, result: WaitResult::Done, .. } => {
                self.ended.get(child.index()).copied().unwrap_or(true)
            }
            _ => true,
        };
        if !may_begin || !may_join {
            return false;
        }
        if let Some(number) = self.ticket(thread) {
            if let Some(location) = ordered_location(&event.op) {
                let reached = self.reached.entry(location).or_insert(0);
                let readers = self.readers.get_mut(&(location, *reached));
                if changes(&event.op) {
                    if number != reached.saturating_add(1) || readers.is_some_and(|left| *left > 0) {
                        return false;
                    }
                    *reached = number;
                } else if number != *reached {
                    return false;
                } else if let Some(left) = readers {
                    *left -= 1;
                }
            }
            self.next_ticket[thread] += 1;
        }
        match event.op {
            Op::Fork { child } if child.index() < self.forked.len() => self.forked[child.index()] = true,
            Op::End => self.ended[thread] = true,
            _ => {}
        }
        self.next_event[thread] += 1;
        true
    }

    fn stuck(&self, thread: usize) -> Option<Contradiction> {
        let event = self.threads[thread].get(self.next_event[thread])?;
        let location = ordered_location(&event.op);
        Some(Contradiction {
            thread: thread as u32,
            event: self.next_event[thread] as u32,
            location: location.map_or(0, |location| location.0),
            ticket: self.ticket(thread).unwrap_or(0),
            reached: location.and_then(|location| self.reached.get(&location).copied()).unwrap_or(0),
        })
    }
}

/// The location whose tickets an event draws.
pub fn ordered_location(op: &Op) -> Option<LocationId> {
    match *op {
        Op::Read { location, .. }
        | Op::Write { location, .. }
        | Op::AtomicRead { location, .. }
        | Op::AtomicWrite { location, .. }
        | Op::Rmw { location, .. } => Some(location),
        Op::SyncInit { object, .. } | Op::SyncDestroy { object } => Some(object),
        Op::Lock { mutex, .. } | Op::Unlock { mutex, .. } => Some(mutex),
        Op::RwLock { lock, .. } | Op::RwUnlock { lock, .. } => Some(lock),
        Op::CondWait { condition, .. }
        | Op::CondWake { condition, .. }
        | Op::Signal { condition, .. }
        | Op::Broadcast { condition, .. } => Some(condition),
        Op::SemWait { semaphore, .. } | Op::SemPost { semaphore } | Op::SemValue { semaphore, .. } => {
            Some(semaphore)
        }
        Op::BarrierArrive { barrier } | Op::BarrierLeave { barrier, .. } => Some(barrier),
        Op::Once { once, .. } => Some(once),
        Op::FutexWait { word, .. } | Op::FutexResume { word, .. } | Op::FutexWake { word, .. } => Some(word),
        Op::FutexRequeue { from, .. } => Some(from),
        _ => None,
    }
}

/// Does the event draw the next ticket, rather than carry the one it saw?
fn changes(op: &Op) -> bool {
    !matches!(op, Op::Read { .. } | Op::AtomicRead { .. })
}
