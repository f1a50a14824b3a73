//! Chunk after chunk from any reader, holding one at a time.

use std::io::{self, Read};

use super::chunk::{COMPRESSED, Chunk, HEAD, Head, MAX_PAYLOAD, PREAMBLE, TAIL, check_preamble};
use super::error::ReadError;

/// Reads chunks one after the other.
#[derive(Debug)]
pub struct ChunkReader<R> {
    input: R,
    offset: u64,
    number: u64,
    stored: Vec<u8>,
    unpacked: Vec<u8>,
    cut: bool,
}

impl<R: Read> ChunkReader<R> {
    /// Starts reading; checks magic and version.
    pub fn new(mut input: R) -> Result<Self, ReadError> {
        let mut preamble = [0; PREAMBLE];
        let got = read_up_to(&mut input, &mut preamble)?;
        if got < PREAMBLE {
            let known = got.min(super::MAGIC.len());
            return Err(if preamble[..known] == super::MAGIC[..known] {
                ReadError::TooShort(got as u64)
            } else {
                ReadError::Magic { found: preamble[..known].escape_ascii().to_string() }
            });
        }
        check_preamble(&preamble)?;
        Ok(ChunkReader {
            input,
            offset: PREAMBLE as u64,
            number: 0,
            stored: Vec::new(),
            unpacked: Vec::new(),
            cut: false,
        })
    }

    /// Does the file end within a chunk? Known when [`next_chunk`](Self::next_chunk) has answered `None`.
    pub fn is_cut(&self) -> bool {
        self.cut
    }

    /// How many bytes have been read.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// The next chunk; `None` at the end of the file, and where the file was cut.
    pub fn next_chunk(&mut self) -> Result<Option<Chunk<'_>>, ReadError> {
        let mut head = [0; HEAD];
        match read_up_to(&mut self.input, &mut head)? {
            0 => return Ok(None),
            HEAD => {}
            _ => {
                self.cut = true;
                return Ok(None);
            }
        }
        let Ok((_, head)) = Head::parse(&head) else { return Ok(None) };
        let (number, offset, kind) = (self.number, self.offset, head.kind);
        let length = head.length as usize;
        if length > MAX_PAYLOAD {
            return Err(ReadError::Oversized { chunk: number, kind, offset, length: length as u64 });
        }
        let wanted = length + TAIL;
        // Grows with what is there: a short file cannot make a large buffer.
        self.stored.clear();
        (&mut self.input).take(wanted as u64).read_to_end(&mut self.stored)?;
        if self.stored.len() < wanted {
            self.cut = true;
            return Ok(None);
        }
        let (payload, tail) = self.stored.split_at(length);
        let expected = tail.iter().rev().fold(0, |sum, &byte| sum << 8 | u32::from(byte));
        let found = head.checksum(payload);
        if found != expected {
            return Err(ReadError::Checksum { chunk: number, kind, offset, found, expected });
        }
        self.number += 1;
        self.offset += (HEAD + wanted) as u64;
        let payload = match head.flags {
            0 => payload,
            COMPRESSED => {
                unpack(payload, &mut self.unpacked).map_err(|reason| ReadError::Payload {
                    chunk: number,
                    kind,
                    offset,
                    reason: format!("cannot be decompressed: {reason}"),
                })?;
                &self.unpacked
            }
            flags => {
                let reason = format!("unknown flags {flags:#04x}");
                return Err(ReadError::Payload { chunk: number, kind, offset, reason });
            }
        };
        Ok(Some(Chunk { number, offset, kind, payload }))
    }
}

/// Fills the buffer as far as the input goes.
fn read_up_to(input: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut got = 0;
    while got < buffer.len() {
        match input.read(&mut buffer[got..]) {
            Ok(0) => break,
            Ok(more) => got += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(got)
}

fn unpack(packed: &[u8], into: &mut Vec<u8>) -> io::Result<()> {
    into.clear();
    let mut decoder = zstd::stream::read::Decoder::with_buffer(packed)?;
    // The window is what a decoder allocates before it has seen any data.
    decoder.window_log_max(MAX_PAYLOAD.ilog2())?;
    decoder.take(MAX_PAYLOAD as u64 + 1).read_to_end(into)?;
    if into.len() > MAX_PAYLOAD {
        return Err(io::Error::other(format!("more than {MAX_PAYLOAD} bytes")));
    }
    Ok(())
}
