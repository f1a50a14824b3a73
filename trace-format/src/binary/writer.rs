//! Writing a trace as it happens.

use std::io::Write;

use bincode::error::EncodeError;

use super::chunk::{COMPRESSED, ChunkKind, Head, MAX_PAYLOAD};
use super::error::WriteError;
use super::tables::Written;
use super::{EVENTS, MAGIC, MAJOR, MINOR};
use crate::event::Event;
use crate::header::{Footer, Header, OrderKind, Outcome, SharedRange};
use crate::ids::{StringId, ThreadIx};
use crate::order::{Order, Run, Ticket};
use crate::recorded::RecordedInput;
use crate::tables::{TableError, Tables};
use crate::trace::Trace;

/// How to write.
#[derive(Clone, Copy, Debug)]
pub struct WriterOptions {
    /// zstd level for chunks that it makes smaller; `None` for no compression.
    pub compression: Option<i32>,
    /// Bytes of events after which a segment is put out: what a crash can lose.
    pub segment_bytes: usize,
}

impl Default for WriterOptions {
    fn default() -> Self {
        WriterOptions { compression: None, segment_bytes: 1 << 16 }
    }
}

impl WriterOptions {
    /// A segment can never be so large that it does not fit a chunk.
    fn segment_limit(&self) -> usize {
        self.segment_bytes.clamp(1, MAX_PAYLOAD / 2)
    }
}

/// Events of one thread that are not in the file yet.
#[derive(Debug, Default)]
struct Pending {
    bytes: Buffer,
    first: u32,
    count: u32,
    tickets: Vec<Ticket>,
}

/// A growing byte buffer that the encoder writes into without going through `std::io`.
#[derive(Debug, Default)]
struct Buffer(Vec<u8>);

impl bincode::enc::write::Writer for &mut Buffer {
    #[inline]
    fn write(&mut self, bytes: &[u8]) -> Result<(), EncodeError> {
        self.0.extend_from_slice(bytes);
        Ok(())
    }
}

/// Writes a trace as a stream: fill the [`tables`](Self::tables), add events, then [`finish`](Self::finish).
#[derive(Debug)]
pub struct TraceWriter<W> {
    out: W,
    options: WriterOptions,
    order: OrderKind,
    tables: Tables,
    written: Written,
    pending: Vec<Pending>,
    runs: Vec<Run>,
    buffered: usize,
    events: u64,
}

impl<W: Write> TraceWriter<W> {
    /// Starts a file.
    pub fn new(out: W, header: &Header, options: WriterOptions) -> Result<Self, WriteError> {
        Self::with_tables(out, header, Tables::default(), options)
    }

    fn with_tables(
        mut out: W,
        header: &Header,
        tables: Tables,
        options: WriterOptions,
    ) -> Result<Self, WriteError> {
        out.write_all(MAGIC)?;
        out.write_all(&[MAJOR, MINOR])?;
        let mut writer = TraceWriter {
            out,
            options,
            order: header.order,
            tables,
            written: Written::default(),
            pending: Vec::new(),
            runs: Vec::new(),
            buffered: 0,
            events: 0,
        };
        let payload = bincode::encode_to_vec(header, EVENTS)?;
        put(&mut writer.out, options, ChunkKind::HEADER, &payload)?;
        Ok(writer)
    }

    /// The tables, to add what the next events refer to.
    pub fn tables(&mut self) -> &mut Tables {
        &mut self.tables
    }

    /// Adds the thread's next event; answers its index within the thread.
    #[inline]
    pub fn event(&mut self, thread: ThreadIx, event: &Event) -> Result<u32, WriteError> {
        self.tables.check_event(event)?;
        if thread.index() >= self.pending.len() {
            self.tables.check_thread(thread)?;
            self.pending.resize_with(self.tables.threads().len(), Pending::default);
        }
        let pending = &mut self.pending[thread.index()];
        let index = pending.first.checked_add(pending.count).ok_or(TableError::Full("events of a thread"))?;
        let before = pending.bytes.0.len();
        bincode::encode_into_writer(event, &mut pending.bytes, EVENTS)?;
        pending.count += 1;
        self.buffered += pending.bytes.0.len() - before;
        self.events += 1;
        if self.order == OrderKind::Total {
            Order::append(&mut self.runs, thread);
        }
        if self.buffered >= self.options.segment_limit() {
            self.flush()?;
        }
        Ok(index)
    }

    /// Adds an event that drew a ticket.
    pub fn event_with_ticket(
        &mut self,
        thread: ThreadIx,
        event: &Event,
        number: u64,
    ) -> Result<u32, WriteError> {
        if self.order != OrderKind::Tickets {
            return Err(WriteError::UnexpectedTicket);
        }
        let index = self.event(thread, event)?;
        self.pending[thread.index()].tickets.push(Ticket { event: index, number });
        // Counted like the event itself: a thread that only draws tickets must not buffer for ever.
        self.buffered += size_of::<Ticket>();
        Ok(index)
    }

    /// Puts everything so far into the file as one segment.
    pub fn flush(&mut self) -> Result<(), WriteError> {
        let (out, options) = (&mut self.out, self.options);
        self.written.catch_up(&self.tables, |kind, payload| put(out, options, kind, payload))?;
        let mut payload = Vec::new();
        for (thread, pending) in self.pending.iter_mut().enumerate() {
            let thread = ThreadIx::from(thread);
            if pending.count > 0 {
                payload.clear();
                let head = (thread, pending.first, u64::from(pending.count));
                bincode::encode_into_std_write(head, &mut payload, EVENTS)?;
                payload.extend_from_slice(&pending.bytes.0);
                put(&mut self.out, options, ChunkKind::EVENTS, &payload)?;
                pending.first += pending.count;
                pending.count = 0;
                pending.bytes.0.clear();
            }
            if !pending.tickets.is_empty() {
                let payload = bincode::encode_to_vec((thread, &pending.tickets), EVENTS)?;
                put(&mut self.out, options, ChunkKind::TICKETS, &payload)?;
                pending.tickets.clear();
            }
        }
        if !self.runs.is_empty() {
            let payload = bincode::encode_to_vec(&self.runs, EVENTS)?;
            put(&mut self.out, options, ChunkKind::ORDER, &payload)?;
            self.runs.clear();
        }
        self.buffered = 0;
        self.out.flush()?;
        Ok(())
    }

    /// Says which bytes were treated as shared.
    pub fn sharing(&mut self, ranges: &[SharedRange]) -> Result<(), WriteError> {
        self.flush()?;
        for ranges in ranges.chunks(1 << 16) {
            let payload = bincode::encode_to_vec(ranges, EVENTS)?;
            put(&mut self.out, self.options, ChunkKind::SHARING, &payload)?;
        }
        Ok(())
    }

    /// Says what came from outside. Each name is given once.
    pub fn recorded(&mut self, inputs: &[RecordedInput]) -> Result<(), WriteError> {
        for input in inputs {
            for piece in input.pieces() {
                let payload = bincode::encode_to_vec([piece].as_slice(), EVENTS)?;
                put(&mut self.out, self.options, ChunkKind::RECORDED, &payload)?;
            }
        }
        Ok(())
    }

    /// Ends the file. Without this the file reads as cut.
    pub fn finish(mut self, outcome: Outcome, approximations: &[(StringId, u64)]) -> Result<W, WriteError> {
        self.flush()?;
        for &(name, _) in approximations {
            self.tables.check_string(name)?;
        }
        let footer = Footer { outcome, events: self.events, approximations: approximations.to_vec() };
        let payload = bincode::encode_to_vec(&footer, EVENTS)?;
        put(&mut self.out, self.options, ChunkKind::FOOTER, &payload)?;
        self.out.flush()?;
        Ok(self.out)
    }
}

impl Trace {
    /// Writes the whole trace. The same trace and options give the same bytes. A trace without footer is
    /// written without one, and so reads back as cut.
    pub fn write<W: Write>(&self, out: W, options: WriterOptions) -> Result<W, WriteError> {
        let mut writer = TraceWriter::with_tables(out, &self.header, self.tables.clone(), options)?;
        writer.recorded(&self.recorded)?;
        let mut tickets: Vec<_> = match &self.order {
            Order::Total(_) => Vec::new(),
            Order::Tickets(tickets) => tickets.iter().map(|tickets| tickets.iter().peekable()).collect(),
        };
        for (thread, index, event) in self.listing() {
            let mine = tickets.get_mut(thread.index());
            match mine.and_then(|tickets| tickets.next_if(|ticket| ticket.event == index)) {
                Some(ticket) => writer.event_with_ticket(thread, event, ticket.number)?,
                None => writer.event(thread, event)?,
            };
        }
        if !self.sharing.is_empty() {
            writer.sharing(&self.sharing)?;
        }
        match &self.footer {
            Some(footer) => writer.finish(footer.outcome, &footer.approximations),
            None => {
                writer.flush()?;
                Ok(writer.out)
            }
        }
    }
}

fn put(
    out: &mut impl Write,
    options: WriterOptions,
    kind: ChunkKind,
    payload: &[u8],
) -> Result<(), WriteError> {
    if payload.len() > MAX_PAYLOAD {
        return Err(WriteError::Oversized(payload.len()));
    }
    let packed = match options.compression {
        Some(level) => {
            Some(zstd::bulk::compress(payload, level)?).filter(|packed| packed.len() < payload.len())
        }
        None => None,
    };
    let (flags, stored) = match &packed {
        Some(packed) => (COMPRESSED, &packed[..]),
        None => (0, payload),
    };
    let head = Head { kind, flags, length: stored.len() as u32 };
    out.write_all(&head.bytes())?;
    out.write_all(stored)?;
    out.write_all(&head.checksum(stored).to_le_bytes())?;
    Ok(())
}
