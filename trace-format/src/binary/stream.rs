//! A trace read piece by piece, with the tables kept and everything else handed on.

use std::io::Read;

use super::EVENTS;
use super::chunk::{Chunk, ChunkKind};
use super::error::ReadError;
use super::fast;
use super::reader::ChunkReader;
use super::tables::{finished, read, take};
use crate::event::Event;
use crate::header::{Footer, Header, SharedRange};
use crate::ids::ThreadIx;
use crate::order::{Run, Ticket};
use crate::recorded::Piece;
use crate::tables::Tables;

/// A piece of a trace.
#[derive(Debug)]
#[non_exhaustive]
pub enum Item<'a> {
    /// New entries are in [`TraceStream::tables`].
    Tables,
    /// The next events of one thread.
    Events(EventBlock<'a>),
    /// The order of the events since the last such piece.
    Order(Vec<Run>),
    /// Tickets of one thread's events.
    Tickets(ThreadIx, Vec<Ticket>),
    /// Bytes treated as shared.
    Sharing(Vec<SharedRange>),
    /// What came from outside.
    Recorded(Vec<Piece>),
    /// The run's end.
    Footer(Footer),
    /// A chunk of a kind that this version does not know, skipped.
    Unknown(ChunkKind),
}

/// Consecutive events of one thread, decoded as they are asked for.
#[derive(Clone, Copy, Debug)]
pub struct EventBlock<'a> {
    chunk: Chunk<'a>,
    tables: &'a Tables,
    bytes: &'a [u8],
    /// The thread.
    pub thread: ThreadIx,
    /// Index of the first event within the thread.
    pub first: u32,
    /// How many there are, as the file says.
    pub count: u64,
}

impl<'a> EventBlock<'a> {
    /// The events, each checked to refer only to what the tables have.
    pub fn events(&self) -> impl Iterator<Item = Result<Event, ReadError>> + use<'a> {
        let mut block = *self;
        std::iter::from_fn(move || block.next_event())
    }

    pub(super) fn out_of_place(&self, expected: usize) -> ReadError {
        self.chunk
            .error(format!("its first event is {} of the thread, but {expected} comes next", self.first))
    }

    #[inline]
    fn next_event(&mut self) -> Option<Result<Event, ReadError>> {
        if self.count == 0 {
            let rest = std::mem::take(&mut self.bytes);
            return finished(&self.chunk, rest).err().map(Err);
        }
        let decoded = match fast::decode(self.bytes) {
            Some(decoded) => Ok(decoded),
            None => bincode::decode_from_slice::<Event, _>(self.bytes, EVENTS),
        };
        let result = match decoded {
            Ok((event, used)) => {
                self.bytes = &self.bytes[used..];
                self.count -= 1;
                match self.tables.check_event(&event) {
                    Ok(()) => return Some(Ok(event)),
                    Err(error) => self.chunk.error(error),
                }
            }
            Err(error) => self.chunk.error(describe(error)),
        };
        // After an error there is nothing more to be had from this block.
        self.count = 0;
        self.bytes = &[];
        Some(Err(result))
    }
}

fn describe(error: bincode::error::DecodeError) -> String {
    match error {
        bincode::error::DecodeError::UnexpectedVariant { type_name, found, .. } => format!(
            "{found} is not a known {}; the trace may be from a newer version of Warpath",
            type_name.rsplit("::").next().unwrap_or(type_name)
        ),
        bincode::error::DecodeError::UnexpectedEnd { .. } => "it ends within an event".to_owned(),
        other => other.to_string(),
    }
}

/// Reads a trace piece by piece, in bounded memory but for the tables.
#[derive(Debug)]
pub struct TraceStream<R> {
    chunks: ChunkReader<R>,
    header: Header,
    tables: Tables,
    complete: bool,
}

impl<R: Read> TraceStream<R> {
    /// Starts reading; the header must be there.
    pub fn open(input: R) -> Result<Self, ReadError> {
        let mut chunks = ChunkReader::new(input)?;
        let header = match chunks.next_chunk()? {
            Some(chunk) if chunk.kind == ChunkKind::HEADER => {
                let mut rest = chunk.payload;
                let header = take(&chunk, &mut rest)?;
                finished(&chunk, rest)?;
                header
            }
            Some(chunk) => return Err(chunk.error("the first chunk must be the header")),
            None => return Err(ReadError::TooShort(chunks.offset())),
        };
        Ok(TraceStream { chunks, header, tables: Tables::default(), complete: false })
    }

    /// Who recorded what, and how.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// What events refer to, as far as the file has been read.
    pub fn tables(&self) -> &Tables {
        &self.tables
    }

    /// Has the footer been read?
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// How many bytes have been read.
    pub fn offset(&self) -> u64 {
        self.chunks.offset()
    }

    /// Gives up header and tables.
    pub fn into_parts(self) -> (Header, Tables) {
        (self.header, self.tables)
    }

    /// The next piece; `None` after the footer and where the file was cut.
    pub fn next_item(&mut self) -> Result<Option<Item<'_>>, ReadError> {
        if self.complete {
            return Ok(None);
        }
        let Some(chunk) = self.chunks.next_chunk()? else { return Ok(None) };
        let mut rest = chunk.payload;
        let item = match chunk.kind {
            ChunkKind::HEADER => return Err(chunk.error("a second header")),
            ChunkKind::EVENTS => {
                let (thread, first, count): (ThreadIx, u32, u64) = take(&chunk, &mut rest)?;
                self.tables.check_thread(thread).map_err(|error| chunk.error(error))?;
                let block = EventBlock { chunk, tables: &self.tables, bytes: rest, thread, first, count };
                return Ok(Some(Item::Events(block)));
            }
            ChunkKind::ORDER => Item::Order(take(&chunk, &mut rest)?),
            ChunkKind::TICKETS => {
                let (thread, tickets) = take(&chunk, &mut rest)?;
                self.tables.check_thread(thread).map_err(|error| chunk.error(error))?;
                Item::Tickets(thread, tickets)
            }
            ChunkKind::SHARING => Item::Sharing(take(&chunk, &mut rest)?),
            ChunkKind::RECORDED => Item::Recorded(take(&chunk, &mut rest)?),
            ChunkKind::FOOTER => {
                let footer = take(&chunk, &mut rest)?;
                self.complete = true;
                Item::Footer(footer)
            }
            kind if !kind.is_known() => return Ok(Some(Item::Unknown(kind))),
            _ => {
                read(chunk, &mut self.tables)?;
                return Ok(Some(Item::Tables));
            }
        };
        finished(&chunk, rest)?;
        Ok(Some(item))
    }
}
