//! The binary form, `.wpt`: `FORMAT.md` describes every byte of it.
//!
//! A file is a preamble and chunks. The writer puts them out in *segments*: new table entries, then the
//! events of each thread since the last segment, then the order of those events. So a file that was cut
//! loses at most one segment, and a reader can go through a file of any length in bounded memory.

mod chunk;
mod error;
mod fast;
mod load;
mod reader;
mod stream;
mod tables;
mod writer;

pub use chunk::{Chunk, ChunkKind, MAX_PAYLOAD};
pub use error::{ReadError, WriteError};
pub use load::{Ending, OnDamage, read, read_with};
pub use reader::ChunkReader;
pub use stream::{EventBlock, Item, TraceStream};
pub use writer::{TraceWriter, WriterOptions};

/// First bytes of every file.
pub const MAGIC: &[u8; 7] = b"WPTRACE";
/// A file of another major version cannot be read.
pub const MAJOR: u8 = 1;
/// A file of a higher minor version can be read, except for what is new in it.
pub const MINOR: u8 = 1;

/// Encoding of event payloads. Events hold no lists, so they need no bound on what they allocate.
const EVENTS: bincode::config::Configuration = bincode::config::standard();

/// Encoding of everything else: the same bytes, but an entry may not ask for more than a chunk can hold.
const ENTRIES: bincode::config::Configuration<
    bincode::config::LittleEndian,
    bincode::config::Varint,
    bincode::config::Limit<MAX_PAYLOAD>,
> = bincode::config::standard().with_limit::<MAX_PAYLOAD>();
