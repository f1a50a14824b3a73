//! What one thread did, in a mapped file.

use core::cell::Cell;
use core::sync::atomic::{AtomicU64, AtomicUsize, Ordering, compiler_fence};

use warpath_light_format::header::{self, at};
use warpath_light_format::{Head, Kind, SEGMENT, Word};

use crate::files::{File, Path};
use crate::settings::Settings;

/// Words of the longest record.
pub(crate) const LONGEST: usize = 24;

/// Events of signal handlers that can come while one event is being written.
const LATE: usize = 8;

#[derive(Clone, Copy)]
struct LateRecord {
    words: [Word; LONGEST],
    len: usize,
}

/// The file of a thread. Only that thread, and signal handlers on it, use it.
pub(crate) struct Buffer {
    path: Path,
    segments: u64,
    ring: bool,
    head: *mut AtomicU64,
    /// The segment mapped now, and where the next record goes; null if there is none.
    segment: Cell<*mut Word>,
    used: Cell<usize>,
    newest: Cell<u64>,
    /// What each segment begins with: its oldest records may belong to a later episode than the file's first.
    episode: Cell<u64>,
    /// A record is being written: what a signal handler does now is kept for a moment.
    busy: Cell<bool>,
    late: Cell<[LateRecord; LATE]>,
    late_count: AtomicUsize,
    full: Cell<bool>,
}

/// What is known of a thread when its file begins.
#[derive(Clone, Copy)]
pub(crate) struct Origin {
    pub(crate) thread: u64,
    pub(crate) parent: u64,
    pub(crate) nth: u64,
    pub(crate) start: u64,
    pub(crate) episode: u64,
}

impl Buffer {
    /// Makes the file. None if that is not possible.
    pub(crate) fn create(path: Path, settings: &Settings, origin: &Origin) -> Option<Buffer> {
        let file = File::open(path.as_c(), libc::O_RDWR | libc::O_CREAT | libc::O_EXCL)?;
        grow(&file, header::SIZE as i64)?;
        let head = map(&file, 0, header::SIZE)?.cast::<AtomicU64>();
        let buffer = Buffer {
            path,
            segments: settings.segments,
            ring: settings.ring,
            head,
            segment: Cell::new(core::ptr::null_mut()),
            used: Cell::new(0),
            newest: Cell::new(0),
            episode: Cell::new(origin.episode),
            busy: Cell::new(false),
            late: Cell::new([LateRecord { words: [0; LONGEST], len: 0 }; LATE]),
            late_count: AtomicUsize::new(0),
            full: Cell::new(false),
        };
        for (place, value) in [
            (at::THREAD, origin.thread),
            (at::PARENT, origin.parent),
            (at::NTH, origin.nth),
            (at::START, origin.start),
            // SAFETY: always succeeds.
            (at::TID, unsafe { libc::gettid() } as u64),
            (at::SEGMENTS, settings.segments),
        ] {
            buffer.head(place).store(value, Ordering::Relaxed);
        }
        drop(file);
        buffer.enter(0)?;
        buffer.head(at::MAGIC).store(header::MAGIC, Ordering::Release);
        Some(buffer)
    }

    /// A word of the first page.
    fn head(&self, place: usize) -> &AtomicU64 {
        // SAFETY: the page is mapped as long as the buffer lives, and has room for more than `at::COUNT` words.
        unsafe { &*self.head.add(place) }
    }

    /// What comes now belongs to this episode.
    #[inline]
    pub(crate) fn in_episode(&self, episode: u64) {
        if self.episode.get() != episode {
            self.episode.set(episode);
            self.record(Kind::Resume, 0, 0, &[episode]);
        }
    }

    /// Counts an event that is not recorded.
    pub(crate) fn lose(&self) {
        self.head(at::LOST).fetch_add(1, Ordering::Relaxed);
    }

    /// Says what the thread waits for, until it says that it waits no more.
    pub(crate) fn waits(&self, head: Head, words: &[Word]) {
        for (place, word) in words.iter().take(at::COUNT - at::WAITING_WORDS).enumerate() {
            self.head(at::WAITING_WORDS + place).store(*word, Ordering::Relaxed);
        }
        self.head(at::WAITING).store(head.pack(), Ordering::Release);
    }

    pub(crate) fn waits_no_more(&self) {
        self.head(at::WAITING).store(0, Ordering::Release);
    }

    /// Writes a record.
    #[inline]
    pub(crate) fn record(&self, kind: Kind, a: u16, b: u32, words: &[Word]) {
        let len = (words.len() + 1).min(LONGEST);
        let head = Head { kind: kind as u8, words: len as u8, a, b }.pack();
        if self.busy.replace(true) {
            self.keep(head, words);
            return;
        }
        compiler_fence(Ordering::SeqCst);
        self.put(head, words);
        compiler_fence(Ordering::SeqCst);
        self.busy.set(false);
        if self.late_count.load(Ordering::Relaxed) != 0 {
            self.put_late();
        }
    }

    /// A signal handler came in the middle of a record: its own is written behind that.
    #[cold]
    fn keep(&self, head: Word, words: &[Word]) {
        let place = self.late_count.fetch_add(1, Ordering::Relaxed);
        if place >= LATE {
            self.lose();
            return;
        }
        let mut record = LateRecord { words: [0; LONGEST], len: (words.len() + 1).min(LONGEST) };
        record.words[0] = head;
        record.words[1..record.len].copy_from_slice(&words[..record.len - 1]);
        // SAFETY: `place` is below the length, and no other handler has the same place.
        unsafe { self.late.as_ptr().cast::<LateRecord>().add(place).write(record) };
    }

    #[cold]
    fn put_late(&self) {
        self.busy.set(true);
        compiler_fence(Ordering::SeqCst);
        let count = self.late_count.swap(0, Ordering::Relaxed).min(LATE);
        let records = self.late.get();
        for record in &records[..count] {
            self.put(record.words[0], &record.words[1..record.len]);
        }
        compiler_fence(Ordering::SeqCst);
        self.busy.set(false);
    }

    #[inline]
    fn put(&self, head: Word, words: &[Word]) {
        let len = (words.len() + 1).min(LONGEST);
        // One word stays free, for the record that says that the rest is empty.
        if self.used.get() + len >= SEGMENT / size_of::<Word>() && !self.next_segment() {
            self.lose();
            return;
        }
        let segment = self.segment.get();
        if segment.is_null() {
            self.lose();
            return;
        }
        let used = self.used.get();
        // SAFETY: `used + len` is within the mapped segment, which nobody else writes.
        unsafe {
            let place = segment.add(used);
            for (offset, word) in words.iter().take(len - 1).enumerate() {
                place.add(offset + 1).write(*word);
            }
            (*place.cast::<AtomicU64>()).store(head, Ordering::Release);
        }
        self.used.set(used + len);
    }

    #[cold]
    fn next_segment(&self) -> bool {
        if self.full.get() {
            return false;
        }
        let segment = self.segment.get();
        if !segment.is_null() {
            let pad = Head { kind: Kind::Pad as u8, words: 1, a: 0, b: 0 }.pack();
            // SAFETY: `put` keeps a word free at the end.
            unsafe { (*segment.add(self.used.get()).cast::<AtomicU64>()).store(pad, Ordering::Release) };
        }
        let next = self.newest.get() + 1;
        let room = self.ring || next < self.segments;
        let entered = room && crate::files::keeping_errno(|| self.enter(next).is_some());
        self.full.set(!entered);
        entered
    }

    /// Goes to a segment: a new one, or the oldest one, emptied.
    fn enter(&self, number: u64) -> Option<()> {
        let place = if self.ring { number % self.segments } else { number };
        let offset = header::SIZE as u64 + place * SEGMENT as u64;
        let file = File::open(self.path.as_c(), libc::O_RDWR)?;
        grow(&file, (offset + SEGMENT as u64) as i64)?;
        let segment = map(&file, offset as i64, SEGMENT)?;
        if number >= self.segments {
            // SAFETY: the whole of the segment just mapped.
            unsafe { core::ptr::write_bytes(segment.cast::<u8>(), 0, SEGMENT) };
        }
        let resume = Head { kind: Kind::Resume as u8, words: 2, a: 0, b: 0 }.pack();
        // SAFETY: the first two words of the segment just mapped.
        unsafe {
            segment.add(1).write(self.episode.get());
            (*segment.cast::<AtomicU64>()).store(resume, Ordering::Release);
        }
        let before = self.segment.replace(segment);
        self.used.set(2);
        self.newest.set(number);
        self.head(at::NEWEST).store(number, Ordering::Release);
        if !before.is_null() {
            // SAFETY: mapped by us, and left for good.
            unsafe { libc::munmap(before.cast(), SEGMENT) };
        }
        Some(())
    }

    /// The thread is over: what it did not use of the file is given back.
    pub(crate) fn close(&self) {
        self.busy.set(true);
        let segment = self.segment.replace(core::ptr::null_mut());
        if !segment.is_null() {
            // SAFETY: mapped by us, and left for good.
            unsafe { libc::munmap(segment.cast(), SEGMENT) };
        }
        if !self.ring || self.newest.get() < self.segments {
            let used = self.newest.get() * SEGMENT as u64 + (self.used.get() * size_of::<Word>()) as u64;
            // SAFETY: the path is terminated. If it fails, the file is only longer.
            unsafe { libc::truncate(self.path.as_c().as_ptr(), (header::SIZE as u64 + used) as i64) };
        }
        // SAFETY: mapped by us; the thread is silent by now, so nobody looks at it any more.
        unsafe { libc::munmap(self.head.cast(), header::SIZE) };
    }
}

/// Makes the file so long, with room on the disk, so that writing to the mapping cannot fail later.
fn grow(file: &File, size: i64) -> Option<()> {
    // SAFETY: an open file.
    if unsafe { libc::posix_fallocate(file.0, 0, size) } == 0 {
        return Some(());
    }
    None
}

fn map(file: &File, offset: i64, size: usize) -> Option<*mut Word> {
    // SAFETY: a new mapping of a file of ours; nothing else is touched.
    let mapped = unsafe {
        libc::mmap(
            core::ptr::null_mut(),
            size,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_SHARED | libc::MAP_POPULATE,
            file.0,
            offset,
        )
    };
    (mapped != libc::MAP_FAILED).then_some(mapped.cast())
}
