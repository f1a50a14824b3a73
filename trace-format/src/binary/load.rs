//! A whole file into memory.

use std::io::Read;

use super::error::ReadError;
use super::stream::{Item, TraceStream};
use crate::event::Event;
use crate::header::{Footer, OrderKind, SharedRange};
use crate::ids::ThreadIx;
use crate::order::{Order, Run, Ticket};
use crate::recorded::RecordedInput;
use crate::trace::Trace;

/// Where a file ended.
#[derive(Debug)]
#[non_exhaustive]
pub enum Ending {
    /// With its footer.
    Complete,
    /// Before it: the writer was stopped. The trace holds everything up to the last segment that is whole.
    Cut {
        /// Bytes of whole chunks.
        offset: u64,
    },
    /// At damage; only with [`OnDamage::KeepBefore`].
    Damaged(ReadError),
}

/// What to do about damage in the middle of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnDamage {
    /// Answer with the error.
    Refuse,
    /// Answer with what came before it.
    KeepBefore,
}

/// Reads a whole trace and checks it. A file that was cut gives what is there.
pub fn read(input: impl Read) -> Result<(Trace, Ending), ReadError> {
    read_with(input, OnDamage::Refuse)
}

/// Reads a whole trace and checks it.
pub fn read_with(input: impl Read, on_damage: OnDamage) -> Result<(Trace, Ending), ReadError> {
    let mut stream = TraceStream::open(input)?;
    let mut parts = Parts::default();
    let ending = loop {
        match parts.next(&mut stream) {
            Ok(true) => {}
            Ok(false) if stream.is_complete() => break Ending::Complete,
            Ok(false) => break Ending::Cut { offset: stream.offset() },
            Err(error) if error.is_damage() && on_damage == OnDamage::KeepBefore => {
                break Ending::Damaged(error);
            }
            Err(error) => return Err(error),
        }
    };
    let mut trace = parts.into_trace(stream);
    if !matches!(ending, Ending::Complete) {
        trace.cut_to_order();
    }
    trace.check()?;
    Ok((trace, ending))
}

#[derive(Default)]
struct Parts {
    threads: Vec<Vec<Event>>,
    runs: Vec<Run>,
    tickets: Vec<Vec<Ticket>>,
    sharing: Vec<SharedRange>,
    recorded: Vec<RecordedInput>,
    footer: Option<Footer>,
}

impl Parts {
    /// Takes in the next piece of the file; `false` at its end.
    fn next(&mut self, stream: &mut TraceStream<impl Read>) -> Result<bool, ReadError> {
        let before = stream.offset();
        match stream.next_item()? {
            None => return Ok(false),
            Some(Item::Tables | Item::Unknown(_)) => {}
            Some(Item::Events(block)) => {
                let events = at(&mut self.threads, block.thread);
                if events.len() != block.first as usize {
                    return Err(block.out_of_place(events.len()));
                }
                let kept = events.len();
                for event in block.events() {
                    match event {
                        Ok(event) => events.push(event),
                        Err(error) => {
                            // Half a block is not something that happened.
                            events.truncate(kept);
                            return Err(error);
                        }
                    }
                }
            }
            Some(Item::Order(mut runs)) => self.runs.append(&mut runs),
            Some(Item::Tickets(thread, mut tickets)) => at(&mut self.tickets, thread).append(&mut tickets),
            Some(Item::Sharing(mut ranges)) => self.sharing.append(&mut ranges),
            Some(Item::Recorded(pieces)) => {
                for piece in pieces {
                    RecordedInput::add(&mut self.recorded, piece)
                        .map_err(|error| ReadError::Recorded { offset: before, error })?;
                }
            }
            Some(Item::Footer(footer)) => self.footer = Some(footer),
        }
        Ok(true)
    }

    fn into_trace(mut self, stream: TraceStream<impl Read>) -> Trace {
        let (header, tables) = stream.into_parts();
        let threads = tables.threads().len();
        self.threads.resize_with(threads, Vec::new);
        self.tickets.resize_with(threads, Vec::new);
        let order = match header.order {
            OrderKind::Total => Order::Total(self.runs),
            OrderKind::Tickets => Order::Tickets(self.tickets),
        };
        Trace {
            header,
            tables,
            threads: self.threads,
            order,
            sharing: self.sharing,
            recorded: self.recorded,
            footer: self.footer,
        }
    }
}

fn at<T>(lists: &mut Vec<Vec<T>>, thread: ThreadIx) -> &mut Vec<T> {
    if lists.len() <= thread.index() {
        lists.resize_with(thread.index() + 1, Vec::new);
    }
    &mut lists[thread.index()]
}

impl Trace {
    /// Drops events whose place in the observed order is lost, so that the rest is a prefix of the run.
    fn cut_to_order(&mut self) {
        match &mut self.order {
            Order::Total(runs) => {
                let mut done = vec![0usize; self.threads.len()];
                let mut kept = Vec::with_capacity(runs.len());
                for run in runs.iter() {
                    let Some(done) = done.get_mut(run.thread.index()) else { break };
                    let left = self.threads[run.thread.index()].len() - *done;
                    let count = run.count.min(u32::try_from(left).unwrap_or(u32::MAX));
                    *done += count as usize;
                    kept.push(Run { count, ..*run });
                    if count < run.count {
                        break;
                    }
                }
                *runs = kept;
                for (events, done) in self.threads.iter_mut().zip(done) {
                    events.truncate(done);
                }
            }
            Order::Tickets(tickets) => {
                for (tickets, events) in tickets.iter_mut().zip(&self.threads) {
                    tickets.retain(|ticket| (ticket.event as usize) < events.len());
                }
            }
        }
    }
}
