//! What can go wrong with files.

use std::io;

use super::chunk::ChunkKind;
use crate::check::Inconsistency;
use crate::tables::TableError;

/// A file that cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The file could not be read at all.
    #[error("reading failed: {0}")]
    Io(#[from] io::Error),
    /// Something else than a trace.
    #[error("this is not a Warpath trace: it begins with {found:?} instead of \"WPTRACE\"")]
    Magic {
        /// The first bytes found.
        found: String,
    },
    /// The file ends within the first bytes.
    #[error("this is not a whole Warpath trace: it ends after {0} bytes, before its header is complete")]
    TooShort(
        /// Bytes in the file.
        u64,
    ),
    /// A format that this version does not know.
    #[error(
        "this trace has format version {major}.{minor}; this version of Warpath reads {}.x. Use the version that recorded it, or a newer one",
        super::MAJOR
    )]
    Version {
        /// Major version of the file.
        major: u8,
        /// Minor version of the file.
        minor: u8,
    },
    /// A recorded input that goes on where it did not stop.
    #[error("the chunk at byte {offset} makes no sense: {error}")]
    Recorded {
        /// Where the chunk begins.
        offset: u64,
        /// What is wrong.
        error: crate::recorded::PieceError,
    },
    /// A chunk whose checksum does not fit.
    #[error(
        "chunk {chunk} ({kind}) at byte {offset} is damaged: its checksum is {found:08x}, not {expected:08x}"
    )]
    Checksum {
        /// Number of the chunk, from 0.
        chunk: u64,
        /// Its kind.
        kind: ChunkKind,
        /// Where it begins.
        offset: u64,
        /// The checksum computed.
        found: u32,
        /// The checksum stored.
        expected: u32,
    },
    /// A chunk that claims to be larger than any chunk may be.
    #[error(
        "chunk {chunk} ({kind}) at byte {offset} claims {length} bytes; at most {} are possible",
        super::MAX_PAYLOAD
    )]
    Oversized {
        /// Number of the chunk, from 0.
        chunk: u64,
        /// Its kind.
        kind: ChunkKind,
        /// Where it begins.
        offset: u64,
        /// The length it claims.
        length: u64,
    },
    /// A chunk whose checksum fits but whose content does not make sense.
    #[error("chunk {chunk} ({kind}) at byte {offset}: {reason}")]
    Payload {
        /// Number of the chunk, from 0.
        chunk: u64,
        /// Its kind.
        kind: ChunkKind,
        /// Where it begins.
        offset: u64,
        /// What is wrong.
        reason: String,
    },
    /// A trace whose parts do not fit each other.
    #[error(transparent)]
    Inconsistent(#[from] Inconsistency),
}

impl ReadError {
    /// Is it the content that is wrong, so that what came before can still be used?
    pub fn is_damage(&self) -> bool {
        matches!(
            self,
            ReadError::Checksum { .. }
                | ReadError::Oversized { .. }
                | ReadError::Payload { .. }
                | ReadError::Recorded { .. }
        )
    }
}

/// A trace that cannot be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The file could not be written.
    #[error("writing failed: {0}")]
    Io(#[from] io::Error),
    /// An event or entry that does not make sense.
    #[error("the trace cannot be written: {0}")]
    Table(#[from] TableError),
    /// A value that the encoder refuses.
    #[error("the trace cannot be encoded: {0}")]
    Encode(#[from] bincode::error::EncodeError),
    /// Entries that do not fit a chunk.
    #[error("{0} bytes do not fit a chunk; at most {max} do", max = super::MAX_PAYLOAD)]
    Oversized(usize),
    /// A ticket in a trace of total order.
    #[error("an event with a ticket in a trace that records a total order")]
    UnexpectedTicket,
}
