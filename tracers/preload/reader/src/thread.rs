//! The records of one thread.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use warpath_light_format::header::{self, at};
use warpath_light_format::{Head, Kind, SEGMENT, access, compact};

use crate::error::LightError;
use crate::expand::{self, length};

const WORD: usize = 8;

/// One record, in whichever form it was written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record<'a> {
    pub(crate) kind: Kind,
    pub(crate) a: u16,
    pub(crate) b: u32,
    /// The first three words behind the head: in most records place, address, and ticket or value.
    first: [u64; 3],
    /// Bytes from the third word on, of the long form; from the fourth on, of the short one.
    rest: &'a [u8],
    is_short: bool,
}

impl<'a> Record<'a> {
    /// A word behind the head, counted from 1; 0 if the record is shorter.
    pub(crate) fn word(&self, place: usize) -> u64 {
        match place {
            1..=3 => self.first[place - 1],
            _ => word(self.rest, place.wrapping_sub(if self.is_short { 4 } else { 3 })).unwrap_or(0),
        }
    }

    /// The bytes from the third word on.
    pub(crate) fn data(&self) -> &'a [u8] {
        self.rest
    }

    /// The same, without the zeroes at the end.
    pub(crate) fn text(&self) -> &'a [u8] {
        let end = self.rest.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
        &self.rest[..end]
    }

    /// The objects that it is about, each with the ticket that it drew; a ticket of 0 says nothing of the order.
    pub(crate) fn tickets(&self) -> impl Iterator<Item = (u64, u64)> + use<> {
        let first = (self.word(2), self.word(3));
        let (first, second) = match self.kind {
            Kind::CondWait | Kind::CondWake => (Some(first), Some((self.word(4), self.word(5)))),
            kind if has_ticket(kind) => (Some(first), None),
            _ => (None, None),
        };
        first.into_iter().chain(second).filter(|(_, ticket)| *ticket != 0)
    }

    /// The release of the mutex that this one takes, so far behind it.
    fn release(&self, distance: i16) -> Record<'a> {
        let [place, mutex, ticket] = self.first;
        let first = [place.wrapping_add_signed(distance.into()), mutex, ticket + 1];
        Record { kind: Kind::Unlock, a: 0, first, ..*self }
    }

    /// Was it announced before the read that precedes it?
    fn is_earlier(&self) -> bool {
        match self.kind {
            Kind::Access => access::is_earlier(self.a as u8),
            Kind::RangeWrite => self.a == 1,
            _ => false,
        }
    }

    /// Does it only say when things were, or where a segment begins?
    fn is_only_order(&self) -> bool {
        matches!(self.kind, Kind::Mark | Kind::Resume)
    }

    /// Is it another piece of the same range?
    fn continues(&self, first: &Record<'_>) -> bool {
        self.kind == Kind::RangeRead && first.kind == Kind::RangeRead && self.word(1) == first.word(1)
    }

    /// Is this about memory, and nothing else?
    pub(crate) fn is_plain(&self) -> bool {
        matches!(self.kind, Kind::Access | Kind::RangeRead | Kind::RangeWrite | Kind::Fill)
    }

    /// When it was, if it says so: by the processor's counter.
    pub(crate) fn time(&self) -> Option<u64> {
        match self.kind {
            Kind::Mark => Some(self.word(1)),
            Kind::Alloc => Some(self.word(5)),
            Kind::Free => Some(self.word(4)),
            _ => None,
        }
    }
}

fn has_ticket(kind: Kind) -> bool {
    match kind {
        Kind::Begin | Kind::End | Kind::Fork | Kind::Join | Kind::Detach => false,
        Kind::Resume | Kind::Failure | Kind::Exit | Kind::Mark | Kind::Fence => false,
        Kind::Access | Kind::RangeRead | Kind::RangeWrite | Kind::Fill | Kind::Alloc | Kind::Free => false,
        // A load draws none: it has the ticket of the store before.
        Kind::AtomicLoad => false,
        _ => true,
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
    /// Both ends of its stack.
    pub(crate) stack: (u64, u64),
    /// What places in short records are counted from.
    base: u64,
    /// Its records, without those of the briefest forms.
    bytes: Vec<u8>,
    /// Bytes that they have in the file.
    recorded: u64,
    /// Where each segment with records begins and where its records end, the oldest first.
    segments: Vec<(usize, usize)>,
}

pub(crate) fn word(bytes: &[u8], place: usize) -> Option<u64> {
    let from = place.checked_mul(WORD)?;
    bytes.get(from..from.checked_add(WORD)?)?.try_into().ok().map(u64::from_le_bytes)
}

impl ThreadFile {
    /// Reads a file; nothing if its thread had not begun.
    pub(crate) fn open(path: &Path, number: u64, ring: bool) -> Result<Option<ThreadFile>, LightError> {
        let bytes = std::fs::read(path).map_err(|error| LightError::File { path: path.to_owned(), error })?;
        if word(&bytes, at::MAGIC).unwrap_or(0) == 0 {
            return Ok(None);
        }
        Self::read(path, bytes, number, ring).map(Some)
    }

    fn read(path: &Path, bytes: Vec<u8>, number: u64, ring: bool) -> Result<ThreadFile, LightError> {
        let head = |place| word(&bytes, place).unwrap_or(0);
        if bytes.len() < header::SIZE || head(at::MAGIC) != header::MAGIC || head(at::THREAD) != number {
            return Err(LightError::NotAThread(path.to_owned()));
        }
        let (filled, places) = (head(at::FILLED), head(at::SEGMENTS).max(1));
        let in_file = bytes.len().saturating_sub(header::FULL).div_ceil(SEGMENT) as u64;
        let oldest = if ring { filled.saturating_sub(places) } else { 0 };
        let mut segments = Vec::new();
        let (mut count, mut recorded, mut expanded) = (0, 0, Vec::with_capacity(bytes.len()));
        let mut add = |from| -> Result<(), LightError> {
            let start = expanded.len();
            recorded += expand::segment(path, &bytes, head(at::BASE), from, &mut count, &mut expanded)?;
            segments.push((start, expanded.len()));
            Ok(())
        };
        for number in oldest..filled.min(oldest.saturating_add(in_file)) {
            let place = if ring { number % places } else { number };
            let from = usize::try_from(place).ok().and_then(|place| place.checked_mul(SEGMENT));
            let Some(from) = from.and_then(|from| from.checked_add(header::FULL)) else { break };
            if from >= bytes.len() {
                break;
            }
            add(from)?;
        }
        // The one that is written to, unless it was copied and not begun anew when everything ended.
        let first = Head::unpack(word(&bytes[header::SIZE..], 0).unwrap_or(0));
        if first.kind == Kind::Resume as u8 && first.b == filled as u32 {
            add(header::SIZE)?;
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
            stack: (head(at::STACK), head(at::STACK_TOP)),
            base: head(at::BASE),
            bytes: expanded,
            recorded,
            segments,
        })
    }

    /// How many records it has, and bytes of them.
    pub(crate) fn volume(&self) -> (u64, u64) {
        (self.records().count() as u64, self.recorded)
    }

    /// All records, without those that only order the file.
    pub(crate) fn records(&self) -> Records<'_> {
        let at = self.segments.first().map_or(0, |(from, _)| *from);
        Records { file: self, segment: 0, at, release: None, ready: VecDeque::new() }
    }
}

/// The records of a thread in its order.
#[derive(Clone)]
pub(crate) struct Records<'a> {
    file: &'a ThreadFile,
    segment: usize,
    at: usize,
    /// The second half of a record of two.
    release: Option<Record<'a>>,
    /// Records that were read in advance.
    ready: VecDeque<Record<'a>>,
}

impl<'a> Records<'a> {
    /// The next record as it was written, but for those of two.
    fn read(&mut self) -> Option<Record<'a>> {
        if let Some(release) = self.release.take() {
            return Some(release);
        }
        loop {
            let (_, end) = *self.file.segments.get(self.segment)?;
            if self.at >= end {
                self.segment += 1;
                self.at = self.file.segments.get(self.segment)?.0;
                continue;
            }
            let from = self.at;
            let first = word(&self.file.bytes[from..], 0)?;
            self.at += length(first)?.max(1) * WORD;
            let bytes = self.file.bytes.get(from..self.at)?;
            let record = self.file.decode(first, bytes)?;
            if first as u8 == Kind::LockUnlock as u8 | compact::BIT {
                self.release = Some(record.release(compact::distance([first, word(bytes, 1)?])));
            }
            return Some(record);
        }
    }

    /// Does the byte behind this read say that a write may have come before it? Looked at so that most reads need no more.
    fn may_turn(&self, read: &Record<'_>) -> bool {
        let ends = self.file.segments.get(self.segment).is_none_or(|(_, end)| self.at >= *end);
        let Some(&next) = self.file.bytes.get(self.at).filter(|_| !ends) else { return true };
        let order = next == Kind::Mark as u8 || next == Kind::Resume as u8;
        let range = next == Kind::RangeWrite as u8 || next == Kind::RangeRead as u8;
        let long = next & !compact::BIT == Kind::Access as u8;
        order
            || long
            || (range && read.kind == Kind::RangeRead)
            || access::is_code(next) && access::is_earlier(next)
    }

    /// A read has come: if a write follows that was announced before, that comes first. The record to hand out.
    fn turned(&mut self, read: Record<'a>) -> Record<'a> {
        let mut ahead = self.clone();
        let mut group = VecDeque::from([read]);
        let mut writes = Vec::new();
        while let Some(next) = ahead.read() {
            if next.is_earlier() {
                writes.push(next);
            } else if writes.is_empty() && (next.is_only_order() || next.continues(&read)) {
                group.push_back(next);
            } else {
                break;
            }
            self.segment = ahead.segment;
            self.at = ahead.at;
        }
        if writes.is_empty() {
            // Nothing to turn: what was read in advance is handed out as it came.
            self.ready = group;
        } else {
            self.ready = writes.into_iter().chain(group).collect();
        }
        self.ready.pop_front().unwrap_or(read)
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = Record<'a>;

    fn next(&mut self) -> Option<Record<'a>> {
        if let Some(ready) = self.ready.pop_front() {
            return Some(ready);
        }
        let record = self.read()?;
        let reads = match record.kind {
            Kind::Access => !access::is_write(record.a as u8),
            kind => kind == Kind::RangeRead,
        };
        if reads && self.may_turn(&record) { Some(self.turned(record)) } else { Some(record) }
    }
}

impl ThreadFile {
    fn decode<'a>(&self, first: u64, bytes: &'a [u8]) -> Option<Record<'a>> {
        if !compact::is_compact(first) {
            let head = Head::unpack(first);
            let words = [1, 2, 3].map(|place| word(bytes, place).unwrap_or(0));
            let rest = bytes.get(3 * WORD..).unwrap_or(&[]);
            let kind = Kind::of(head.kind)?;
            return Some(Record { kind, a: head.a, b: head.b, first: words, rest, is_short: false });
        }
        let both = [first, word(bytes, 1)?];
        let (place, address, number) = compact::parts(both);
        let upper = first >> 56;
        let (kind, a, number) = if access::is_code(first as u8) {
            (Kind::Access, first as u8, number | upper << compact::TICKET)
        } else {
            (Kind::of(first as u8 & !compact::BIT)?, upper as u8, number)
        };
        let words = [place.wrapping_add(self.base), address, number];
        let rest = bytes.get(2 * WORD..).unwrap_or(&[]);
        let mut record = Record { kind, a: a.into(), b: 0, first: words, rest, is_short: true };
        if matches!(kind, Kind::Lock | Kind::LockUnlock) {
            // The rest is about the release.
            record.first[2] = number & ((1 << compact::LOCK_TICKET) - 1);
        }
        if kind == Kind::Access && !access::is_code(first as u8) {
            record.first[2] = word(rest, 0)?;
        }
        if kind == Kind::LockUnlock {
            record.kind = Kind::Lock;
            record.a = 0;
        }
        Some(record)
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
