//! The records of one thread.

use std::path::{Path, PathBuf};

use warpath_light_format::header::{self, at};
use warpath_light_format::{Head, Kind, SEGMENT};

use crate::error::LightError;

const WORD: usize = 8;

/// One record.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record<'a> {
    pub(crate) kind: Kind,
    pub(crate) a: u16,
    pub(crate) b: u32,
    words: &'a [u8],
}

impl Record<'_> {
    /// A word behind the head, counted from 1; 0 if the record is shorter.
    pub(crate) fn word(&self, place: usize) -> u64 {
        word(self.words, place.wrapping_sub(1)).unwrap_or(0)
    }

    /// The bytes from this word on, without the zeroes at the end.
    pub(crate) fn text(&self, from: usize) -> &[u8] {
        let bytes = self.words.get((from - 1) * WORD..).unwrap_or(&[]);
        let end = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
        &bytes[..end]
    }

    /// The objects that it is about, each with the ticket that it drew; a ticket of 0 says nothing of the order.
    pub(crate) fn tickets(&self) -> impl Iterator<Item = (u64, u64)> + use<> {
        let first = (self.word(2), self.word(3));
        let second = (self.word(4), self.word(5));
        let (first, second) = match self.kind {
            Kind::CondWait | Kind::CondWake => (Some(first), Some(second)),
            Kind::Pad | Kind::Begin | Kind::End | Kind::Fork | Kind::Join | Kind::Detach => (None, None),
            Kind::Resume | Kind::Failure | Kind::Exit => (None, None),
            _ => (Some(first), None),
        };
        first.into_iter().chain(second).filter(|(_, ticket)| *ticket != 0)
    }
}

/// What a thread was waiting for when the recording ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waiting {
    pub(crate) kind: Kind,
    pub(crate) a: u16,
    /// The record's words from the first on: place, then object, then mutex; of a join the place and the child.
    pub(crate) words: [u64; 3],
}

/// A thread's file, checked.
#[derive(Debug)]
pub(crate) struct ThreadFile {
    pub(crate) number: u64,
    pub(crate) parent: Option<u64>,
    pub(crate) nth: u64,
    pub(crate) start: u64,
    /// Events that were not recorded.
    pub(crate) lost: u64,
    /// The oldest segments were overwritten.
    pub(crate) headless: bool,
    pub(crate) waiting: Option<Waiting>,
    bytes: Vec<u8>,
    /// Where each segment with records begins and where its records end, the oldest first.
    segments: Vec<(usize, usize)>,
}

fn word(bytes: &[u8], place: usize) -> Option<u64> {
    let from = place.checked_mul(WORD)?;
    bytes.get(from..from.checked_add(WORD)?)?.try_into().ok().map(u64::from_le_bytes)
}

impl ThreadFile {
    pub(crate) fn open(path: &Path, number: u64, ring: bool) -> Result<ThreadFile, LightError> {
        let bytes = std::fs::read(path).map_err(|error| LightError::File { path: path.to_owned(), error })?;
        Self::read(path, bytes, number, ring)
    }

    fn read(path: &Path, bytes: Vec<u8>, number: u64, ring: bool) -> Result<ThreadFile, LightError> {
        let head = |place| word(&bytes, place).unwrap_or(0);
        if bytes.len() < header::SIZE || head(at::MAGIC) != header::MAGIC || head(at::THREAD) != number {
            return Err(LightError::NotAThread(path.to_owned()));
        }
        let (newest, places) = (head(at::NEWEST), head(at::SEGMENTS).max(1));
        let in_file = (bytes.len() - header::SIZE).div_ceil(SEGMENT) as u64;
        let oldest = if ring { (newest + 1).saturating_sub(places) } else { 0 };
        let mut segments = Vec::new();
        let mut count = 0;
        for number in oldest..=newest.min(oldest.saturating_add(in_file)) {
            let place = if ring { number % places } else { number };
            let Some(from) = usize::try_from(place).ok().and_then(|place| place.checked_mul(SEGMENT)) else {
                break;
            };
            let from = header::SIZE.saturating_add(from);
            if from >= bytes.len() {
                break;
            }
            let (end, padded) = scan(path, &bytes, from, &mut count)?;
            segments.push((from, end));
            if !padded {
                // What follows was never reached.
                break;
            }
        }
        let waiting = Head::unpack(head(at::WAITING));
        let waiting = Kind::of(waiting.kind).filter(|_| head(at::WAITING) != 0).map(|kind| Waiting {
            kind,
            a: waiting.a,
            words: [0, 1, 2].map(|place| head(at::WAITING_WORDS + place)),
        });
        let parent = head(at::PARENT);
        Ok(ThreadFile {
            number,
            parent: (parent != header::NO_PARENT).then_some(parent),
            nth: head(at::NTH),
            start: head(at::START),
            lost: head(at::LOST),
            headless: oldest > 0,
            waiting,
            bytes,
            segments,
        })
    }

    /// All records, without those that only order the file.
    pub(crate) fn records(&self) -> Records<'_> {
        Records { file: self, segment: 0, at: self.segments.first().map_or(0, |(from, _)| *from) }
    }
}

/// Checks the records of a segment: where they end, and whether the segment says that it is over.
fn scan(path: &Path, bytes: &[u8], from: usize, count: &mut usize) -> Result<(usize, bool), LightError> {
    let end = bytes.len().min(from.saturating_add(SEGMENT));
    let mut at = from;
    while at + WORD <= end {
        let first = word(&bytes[at..], 0).unwrap_or(0);
        if first == 0 {
            return Ok((at, false));
        }
        let wrong = |what| LightError::Record { path: path.to_owned(), record: *count, offset: at, what };
        let head = Head::unpack(first);
        let kind = Kind::of(head.kind).ok_or_else(|| wrong("no such kind"))?;
        if kind == Kind::Pad {
            return Ok((at, true));
        }
        if head.words == 0 {
            return Err(wrong("a length of 0"));
        }
        let next = at + usize::from(head.words) * WORD;
        if next > end {
            // The file was cut in the middle of a record.
            return if end < from + SEGMENT { Ok((at, false)) } else { Err(wrong("it leaves its segment")) };
        }
        *count += 1;
        at = next;
    }
    Ok((at, false))
}

/// The records of a thread in its order.
#[derive(Clone)]
pub(crate) struct Records<'a> {
    file: &'a ThreadFile,
    segment: usize,
    at: usize,
}

impl<'a> Iterator for Records<'a> {
    type Item = Record<'a>;

    fn next(&mut self) -> Option<Record<'a>> {
        loop {
            let (_, end) = *self.file.segments.get(self.segment)?;
            if self.at >= end {
                self.segment += 1;
                self.at = self.file.segments.get(self.segment)?.0;
                continue;
            }
            let head = Head::unpack(word(&self.file.bytes[self.at..], 0)?);
            let from = self.at + WORD;
            self.at += usize::from(head.words) * WORD;
            let words = self.file.bytes.get(from..self.at)?;
            return Some(Record { kind: Kind::of(head.kind)?, a: head.a, b: head.b, words });
        }
    }
}

/// A process with more threads than this was not recorded by us.
const MOST: u64 = 1 << 20;

/// The files of threads in a folder, with their numbers.
pub(crate) fn files(folder: &Path) -> Result<Vec<(u64, PathBuf)>, LightError> {
    let wrong = |error| LightError::File { path: folder.to_owned(), error };
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(wrong)? {
        let path = entry.map_err(wrong)?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or("");
        let number = name.strip_prefix("thread-").and_then(|number| number.parse::<u64>().ok());
        if let Some(number) = number.filter(|number| *number < MOST) {
            found.push((number, path));
        }
    }
    found.sort();
    Ok(found)
}
