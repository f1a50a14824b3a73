//! A whole trace in memory.

use crate::event::Event;
use crate::header::{Footer, Header, OrderKind, Outcome, SharedRange};
use crate::ids::ThreadIx;
use crate::order::{Contradiction, Order, Run, Ticket};
use crate::recorded::RecordedInput;
use crate::tables::{TableError, Tables};
use crate::thread::Thread;

/// A recorded run: the tables, each thread's events, and the order in which they were observed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// Who recorded what, and how.
    pub header: Header,
    /// What events refer to.
    pub tables: Tables,
    /// The events of each thread; the index is the [`ThreadIx`].
    pub threads: Vec<Vec<Event>>,
    /// The order between threads.
    pub order: Order,
    /// Which bytes were treated as shared; empty if the tracer did not say.
    pub sharing: Vec<SharedRange>,
    /// What came from outside, if that was recorded; each name once.
    pub recorded: Vec<RecordedInput>,
    /// How it ended; `None` for a file that was cut.
    pub footer: Option<Footer>,
}

/// An event with its place: thread, index within the thread, the event.
pub type Step<'a> = (ThreadIx, u32, &'a Event);

/// What a tracer that records synchronisation but not what is read and written counts as approximated.
pub const MEMORY_UNSEEN: &str = "memory-unseen";

impl Trace {
    /// Did the tracer leave out what threads read and wrote? Then why a thread did what it did is not known.
    pub fn is_memory_unseen(&self) -> bool {
        let counted = self.footer.iter().flat_map(|footer| &footer.approximations);
        counted.into_iter().any(|&(what, count)| count > 0 && self.tables.text(what) == MEMORY_UNSEEN)
    }

    /// An empty trace with this header.
    pub fn new(header: Header) -> Self {
        let order = match header.order {
            OrderKind::Total => Order::Total(Vec::new()),
            OrderKind::Tickets => Order::Tickets(Vec::new()),
        };
        Trace {
            header,
            tables: Tables::default(),
            threads: Vec::new(),
            order,
            sharing: Vec::new(),
            recorded: Vec::new(),
            footer: None,
        }
    }

    /// Adds a thread.
    pub fn add_thread(&mut self, thread: Thread) -> Result<ThreadIx, TableError> {
        let ix = self.tables.thread(thread)?;
        self.threads.push(Vec::new());
        if let Order::Tickets(tickets) = &mut self.order {
            tickets.push(Vec::new());
        }
        Ok(ix)
    }

    /// Adds an event at the end of its thread and, in a total order, at the end of everything.
    /// Answers the event's index within its thread.
    pub fn push(&mut self, thread: ThreadIx, event: Event) -> Result<u32, TableError> {
        self.tables.check_thread(thread)?;
        self.tables.check_event(&event)?;
        let events = &mut self.threads[thread.index()];
        let index = u32::try_from(events.len()).map_err(|_| TableError::Full("events of a thread"))?;
        events.push(event);
        if let Order::Total(runs) = &mut self.order {
            Order::append(runs, thread);
        }
        Ok(index)
    }

    /// Adds an event that drew a ticket; in a total order the ticket says nothing new and is dropped.
    pub fn push_with_ticket(
        &mut self,
        thread: ThreadIx,
        event: Event,
        number: u64,
    ) -> Result<u32, TableError> {
        let index = self.push(thread, event)?;
        if let Order::Tickets(tickets) = &mut self.order {
            tickets[thread.index()].push(Ticket { event: index, number });
        }
        Ok(index)
    }

    /// Ends the trace.
    pub fn finish(&mut self, outcome: Outcome) {
        let events = self.len();
        self.footer = Some(Footer { outcome, events, approximations: Vec::new() });
    }

    /// How many events there are.
    pub fn len(&self) -> u64 {
        self.threads.iter().map(|events| events.len() as u64).sum()
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The event at a place, if there is one.
    pub fn event(&self, thread: ThreadIx, index: u32) -> Option<&Event> {
        self.threads.get(thread.index())?.get(index as usize)
    }

    /// All events in one order that was observed, or that fits what was observed.
    pub fn in_order(&self) -> Result<impl Iterator<Item = Step<'_>>, Contradiction> {
        let runs = match self.footer {
            Some(_) => self.order.linear(&self.threads)?,
            None => self.order.linear_prefix(&self.threads),
        };
        Ok(steps(&self.threads, runs.into_owned()))
    }

    /// All events as they are listed: in the observed total order, else thread by thread.
    pub fn listing(&self) -> impl Iterator<Item = Step<'_>> {
        let runs = match &self.order {
            Order::Total(runs) => runs.clone(),
            Order::Tickets(_) => {
                let whole = |(thread, events): (usize, &Vec<Event>)| Run {
                    thread: ThreadIx::from(thread),
                    count: events.len() as u32,
                };
                self.threads.iter().enumerate().map(whole).collect()
            }
        };
        steps(&self.threads, runs)
    }
}

fn steps(threads: &[Vec<Event>], runs: Vec<Run>) -> impl Iterator<Item = Step<'_>> {
    let mut next = vec![0u32; threads.len()];
    runs.into_iter().flat_map(move |run| {
        let first = next.get(run.thread.index()).copied().unwrap_or(0);
        let events = threads.get(run.thread.index()).map_or(&[][..], |events| &events[..]);
        let upto = (first as usize).saturating_add(run.count as usize).min(events.len());
        if let Some(next) = next.get_mut(run.thread.index()) {
            *next = upto as u32;
        }
        let range = &events[(first as usize).min(upto)..upto];
        range.iter().zip(first..).map(move |(event, index)| (run.thread, index, event))
    })
}
