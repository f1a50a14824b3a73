//! A window onto a stream of bytes: it holds what is being looked at and little more.

use std::io::{self, ErrorKind, Read};

/// How much is asked for at once: what a pipe holds. More would only be zeroed for nothing.
const CHUNK: usize = 64 << 10;

/// Longest token or captured text. What is longer is read past, never held.
pub(crate) const MAX_HELD: usize = 64 << 20;

/// Bytes are known by their place in the whole stream, so that places stay valid when the window moves.
pub(crate) struct Source<R> {
    input: R,
    window: Vec<u8>,
    /// Place of the first byte of the window.
    base: usize,
    ended: bool,
    /// Where a captured text begins: it must stay in the window.
    captured: Option<usize>,
}

/// What came of asking for more bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum More {
    /// There are some.
    Here,
    /// There are some, but what should have been held is too long and is gone.
    Overflow,
    /// The stream has ended.
    End,
}

impl<R: Read> Source<R> {
    pub(super) fn new(input: R) -> Self {
        Source { input, window: Vec::new(), base: 0, ended: false, captured: None }
    }

    /// The bytes from `place` to the end of the window.
    pub(super) fn from(&self, place: usize) -> &[u8] {
        &self.window[place - self.base..]
    }

    /// The bytes of a token or captured text that is still held.
    pub(super) fn slice(&self, start: usize, end: usize) -> &[u8] {
        &self.window[start - self.base..end - self.base]
    }

    /// Holds everything from `place` on until [`Source::captured`] takes it.
    pub(super) fn capture(&mut self, place: usize) {
        self.captured = Some(place);
    }

    /// Gives up a captured text.
    pub(super) fn release(&mut self) {
        self.captured = None;
    }

    /// The text captured up to `end`; `None` if it was too long.
    pub(super) fn captured(&mut self, end: usize) -> Option<&[u8]> {
        let start = self.captured.take()?;
        Some(self.slice(start, end))
    }

    /// Reads on. Bytes before `keep` may go, but for captured text.
    pub(super) fn more(&mut self, keep: usize) -> io::Result<More> {
        if self.ended {
            return Ok(More::End);
        }
        let end = self.base + self.window.len();
        let mut overflow = false;
        let mut keep = keep;
        if end - keep > MAX_HELD {
            overflow = true;
            keep = end;
        }
        if let Some(captured) = self.captured {
            if end - captured > MAX_HELD {
                self.captured = None;
            } else {
                keep = keep.min(captured);
            }
        }
        self.window.drain(..keep - self.base);
        self.base = keep;
        let held = self.window.len();
        self.window.resize(held + CHUNK, 0);
        let read = loop {
            match self.input.read(&mut self.window[held..]) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                other => break other,
            }
        };
        self.window.truncate(held + *read.as_ref().unwrap_or(&0));
        match read {
            Err(error) => Err(error),
            Ok(0) => {
                self.ended = true;
                Ok(More::End)
            }
            Ok(_) if overflow => Ok(More::Overflow),
            Ok(_) => Ok(More::Here),
        }
    }
}
