//! Framing: `kind, flags, length, payload, checksum`.

use std::fmt;

use nom::IResult;
use nom::Parser;
use nom::bytes::complete::tag;
use nom::number::complete::{le_u8, le_u32};

use super::{MAGIC, MAJOR, ReadError};

/// The largest payload, before and after compression. Writers keep far below; readers refuse more, so that
/// no file can make them allocate more.
pub const MAX_PAYLOAD: usize = 16 << 20;

/// Flag bit: the payload is compressed with zstd.
pub(super) const COMPRESSED: u8 = 1;

/// Bytes before the payload.
pub(super) const HEAD: usize = 6;
/// Bytes after the payload.
pub(super) const TAIL: usize = 4;
/// Bytes of the preamble: magic, major, minor.
pub(super) const PREAMBLE: usize = MAGIC.len() + 2;

/// What a chunk holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ChunkKind(pub u8);

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident = $number:literal $text:literal,)*) => {
        impl ChunkKind {
            $($(#[$doc])* pub const $name: ChunkKind = ChunkKind($number);)*

            fn name(self) -> Option<&'static str> {
                match self {
                    $(ChunkKind::$name => Some($text),)*
                    _ => None,
                }
            }
        }
    };
}

kinds! {
    /// Who recorded what, and how.
    HEADER = 1 "header",
    /// Strings.
    STRINGS = 2 "strings",
    /// Source positions.
    SOURCES = 3 "sources",
    /// Objects.
    OBJECTS = 4 "objects",
    /// Locations.
    LOCATIONS = 5 "locations",
    /// Inputs.
    INPUTS = 6 "inputs",
    /// Threads.
    THREADS = 7 "threads",
    /// Expressions.
    EXPRESSIONS = 8 "expressions",
    /// Events of one thread.
    EVENTS = 9 "events",
    /// Total order of events.
    ORDER = 10 "order",
    /// Tickets of one thread.
    TICKETS = 11 "tickets",
    /// Bytes treated as shared.
    SHARING = 12 "sharing",
    /// How the run ended.
    FOOTER = 13 "footer",
    /// What came from outside.
    RECORDED = 14 "recorded",
}

impl ChunkKind {
    /// Is it one that this version knows?
    pub fn is_known(self) -> bool {
        self.name().is_some()
    }
}

impl fmt::Display for ChunkKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "unknown kind {}", self.0),
        }
    }
}

/// One chunk, checked and unpacked.
#[derive(Clone, Copy, Debug)]
pub struct Chunk<'a> {
    /// Which chunk of the file, from 0.
    pub number: u64,
    /// Where in the file it begins.
    pub offset: u64,
    /// What it holds.
    pub kind: ChunkKind,
    /// The payload, not compressed.
    pub payload: &'a [u8],
}

impl Chunk<'_> {
    /// An error that names this chunk.
    pub(super) fn error(&self, reason: impl fmt::Display) -> ReadError {
        let Chunk { number, offset, kind, .. } = *self;
        ReadError::Payload { chunk: number, kind, offset, reason: reason.to_string() }
    }
}

/// The part of a chunk before its payload.
#[derive(Clone, Copy, Debug)]
pub(super) struct Head {
    pub(super) kind: ChunkKind,
    pub(super) flags: u8,
    pub(super) length: u32,
}

impl Head {
    pub(super) fn parse(bytes: &[u8]) -> IResult<&[u8], Head> {
        let (rest, (kind, flags, length)) = (le_u8, le_u8, le_u32).parse(bytes)?;
        Ok((rest, Head { kind: ChunkKind(kind), flags, length }))
    }

    pub(super) fn bytes(self) -> [u8; HEAD] {
        let [a, b, c, d] = self.length.to_le_bytes();
        [self.kind.0, self.flags, a, b, c, d]
    }

    /// The checksum over everything before it.
    pub(super) fn checksum(self, payload: &[u8]) -> u32 {
        let mut hasher = crc32fast::Hasher::new();
        hasher.update(&self.bytes());
        hasher.update(payload);
        hasher.finalize()
    }
}

/// Checks the preamble of a file.
pub(super) fn check_preamble(bytes: &[u8; PREAMBLE]) -> Result<(), ReadError> {
    let parsed: IResult<&[u8], _> = (tag(&MAGIC[..]), le_u8, le_u8).parse(&bytes[..]);
    match parsed {
        Ok((_, (_, MAJOR, _))) => Ok(()),
        Ok((_, (_, major, minor))) => Err(ReadError::Version { major, minor }),
        Err(_) => Err(ReadError::Magic { found: bytes[..MAGIC.len()].escape_ascii().to_string() }),
    }
}
