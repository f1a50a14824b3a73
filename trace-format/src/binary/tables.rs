//! Table chunks: new entries at the end of each table.

use bincode::{Decode, Encode};

use super::chunk::{Chunk, ChunkKind};
use super::error::{ReadError, WriteError};
use super::{ENTRIES, EVENTS};
use crate::tables::{TableError, Tables};

/// How many entries of each table are in the file already.
#[derive(Clone, Debug)]
pub(super) struct Written {
    strings: usize,
    sources: usize,
    objects: usize,
    locations: usize,
    inputs: usize,
    threads: usize,
    exprs: usize,
}

impl Default for Written {
    fn default() -> Self {
        // The empty string and the unknown position are entry 0 of every trace and are not written.
        Written { strings: 1, sources: 1, objects: 0, locations: 0, inputs: 0, threads: 0, exprs: 0 }
    }
}

/// Payload bytes after which a table chunk is closed and another one begun.
const CHUNK_BYTES: usize = 1 << 18;

impl Written {
    /// Puts out everything that is in the tables and not yet in the file. Each table only refers to tables
    /// before it here.
    pub(super) fn catch_up(
        &mut self,
        tables: &Tables,
        mut put: impl FnMut(ChunkKind, &[u8]) -> Result<(), WriteError>,
    ) -> Result<(), WriteError> {
        entries(ChunkKind::STRINGS, tables.strings(), &mut self.strings, &mut put)?;
        entries(ChunkKind::SOURCES, tables.sources(), &mut self.sources, &mut put)?;
        entries(ChunkKind::THREADS, tables.threads(), &mut self.threads, &mut put)?;
        entries(ChunkKind::OBJECTS, tables.objects(), &mut self.objects, &mut put)?;
        entries(ChunkKind::LOCATIONS, tables.locations(), &mut self.locations, &mut put)?;
        entries(ChunkKind::INPUTS, tables.inputs(), &mut self.inputs, &mut put)?;
        entries(ChunkKind::EXPRESSIONS, tables.exprs.nodes(), &mut self.exprs, &mut put)
    }
}

fn entries<T: Encode>(
    kind: ChunkKind,
    table: &[T],
    written: &mut usize,
    put: &mut impl FnMut(ChunkKind, &[u8]) -> Result<(), WriteError>,
) -> Result<(), WriteError> {
    while *written < table.len() {
        let mut body = Vec::new();
        let mut count = 0u64;
        for entry in &table[*written..] {
            bincode::encode_into_std_write(entry, &mut body, EVENTS)?;
            count += 1;
            if body.len() >= CHUNK_BYTES {
                break;
            }
        }
        let mut payload = bincode::encode_to_vec((*written as u32, count), EVENTS)?;
        payload.append(&mut body);
        put(kind, &payload)?;
        *written += count as usize;
    }
    Ok(())
}

/// Adds the entries of a table chunk to the tables.
pub(super) fn read(chunk: Chunk<'_>, tables: &mut Tables) -> Result<(), ReadError> {
    match chunk.kind {
        ChunkKind::STRINGS => each(chunk, tables.strings().len(), |s| tables.push_string(s).map(drop)),
        ChunkKind::SOURCES => each(chunk, tables.sources().len(), |s| tables.push_source(s).map(drop)),
        ChunkKind::OBJECTS => each(chunk, tables.objects().len(), |o| tables.object(o).map(drop)),
        ChunkKind::LOCATIONS => each(chunk, tables.locations().len(), |l| tables.location(l).map(drop)),
        ChunkKind::INPUTS => each(chunk, tables.inputs().len(), |i| tables.input(i).map(drop)),
        ChunkKind::THREADS => each(chunk, tables.threads().len(), |t| tables.thread(t).map(drop)),
        ChunkKind::EXPRESSIONS => {
            each(chunk, tables.exprs.len(), |node| Ok(tables.exprs.push(node).map(drop)?))
        }
        _ => Ok(()),
    }
}

/// Decodes a list of entries one at a time, so that a false count cannot make us allocate.
fn each<T: Decode<()>>(
    chunk: Chunk<'_>,
    expected_first: usize,
    mut add: impl FnMut(T) -> Result<(), TableError>,
) -> Result<(), ReadError> {
    let mut rest = chunk.payload;
    let (first, count): (u32, u64) = take(&chunk, &mut rest)?;
    if first as usize != expected_first {
        return Err(chunk.error(format!("its first entry is {first}, but {expected_first} comes next")));
    }
    for index in 0..count {
        let entry = take(&chunk, &mut rest)?;
        add(entry).map_err(|error| chunk.error(format!("entry {}: {error}", u64::from(first) + index)))?;
    }
    finished(&chunk, rest)
}

/// Decodes one value from the front of the payload.
pub(super) fn take<T: Decode<()>>(chunk: &Chunk<'_>, rest: &mut &[u8]) -> Result<T, ReadError> {
    let (value, used) = bincode::decode_from_slice(rest, ENTRIES).map_err(|error| chunk.error(error))?;
    *rest = &rest[used..];
    Ok(value)
}

/// Is the whole payload used?
pub(super) fn finished(chunk: &Chunk<'_>, rest: &[u8]) -> Result<(), ReadError> {
    if rest.is_empty() { Ok(()) } else { Err(chunk.error(format!("{} bytes too many", rest.len()))) }
}
