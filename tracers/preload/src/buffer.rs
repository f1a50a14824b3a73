//! What one thread did, in a file of which one segment is mapped.

use core::cell::Cell;
use core::sync::atomic::{AtomicU64, Ordering, compiler_fence};

use warpath_light_format::header::{self, at};
use warpath_light_format::{Head, Kind, SEGMENT, Word};

use crate::again::Places;
use crate::files::{File, Path, keeping_errno};
use crate::foretold::Foretold;
use crate::here::Here;
use crate::settings::Settings;

/// Words of the longest record.
pub(crate) const LONGEST: usize = 24;

/// The file of a thread. Only that thread, and signal handlers on it, use it.
pub(crate) struct Buffer {
    path: Path,
    segments: u64,
    ring: bool,
    /// The first page, and behind it the segment that is written to.
    head: *mut AtomicU64,
    filled: Cell<u64>,
    /// Full segments for which there is room on the disk.
    reserved: Cell<u64>,
    /// What each segment begins with: its oldest records may belong to a later episode than the file's first.
    episode: Cell<u64>,
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
    /// Both ends of the thread's stack.
    pub(crate) stack: (u64, u64),
    /// Where places are counted from.
    pub(crate) base: u64,
}

impl Buffer {
    /// Makes the file. None if that is not possible.
    pub(crate) fn create(path: Path, settings: &Settings, origin: &Origin, here: &Here) -> Option<Buffer> {
        let file = File::open(path.as_c(), libc::O_RDWR | libc::O_CREAT | libc::O_EXCL)?;
        // With room on the disk, so that writing to the mapping cannot fail later.
        // SAFETY: an open file.
        if unsafe { libc::posix_fallocate(file.0, 0, header::FULL as i64) } != 0 {
            return None;
        }
        let head = map(&file)?;
        let buffer = Buffer {
            path,
            segments: settings.segments,
            ring: settings.ring,
            head,
            filled: Cell::new(0),
            reserved: Cell::new(0),
            episode: Cell::new(origin.episode),
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
            (at::STACK, origin.stack.0),
            (at::STACK_TOP, origin.stack.1),
            (at::BASE, origin.base),
        ] {
            buffer.head(place).store(value, Ordering::Relaxed);
        }
        buffer.resume(here);
        buffer.head(at::MAGIC).store(header::MAGIC, Ordering::Release);
        Some(buffer)
    }

    /// A word of the first page.
    pub(crate) fn head(&self, place: usize) -> &AtomicU64 {
        // SAFETY: the page is mapped as long as the buffer lives, and has room for more than `at::COUNT` words.
        unsafe { &*self.head.add(place) }
    }

    fn segment(&self) -> *mut Word {
        // SAFETY: within the mapping.
        unsafe { self.head.cast::<u8>().add(header::SIZE) }.cast()
    }

    /// Behind this no record may end.
    pub(crate) fn end(&self) -> *mut Word {
        // SAFETY: the end of the mapping.
        unsafe { self.segment().add(SEGMENT / size_of::<Word>()) }
    }

    /// The episode of what was written last.
    pub(crate) fn episode(&self) -> u64 {
        self.episode.get()
    }

    /// What comes now belongs to another episode; the caller writes so.
    pub(crate) fn set_episode(&self, episode: u64) {
        self.episode.set(episode);
    }

    /// Counts events that are not recorded.
    pub(crate) fn lose(&self, count: u64) {
        self.head(at::LOST).fetch_add(count, Ordering::Relaxed);
    }

    /// Says what the thread waits for, until it says that it waits no more.
    pub(crate) fn waits(&self, head: Head, words: &[Word]) {
        for (place, word) in words.iter().take(at::STACK - at::WAITING_WORDS).enumerate() {
            self.head(at::WAITING_WORDS + place).store(*word, Ordering::Relaxed);
        }
        self.head(at::WAITING).store(head.pack(), Ordering::Release);
    }

    pub(crate) fn waits_no_more(&self) {
        self.head(at::WAITING).store(0, Ordering::Release);
    }

    /// Writes words that fit behind the cursor, the first one last. Some records have half a word, so they may lie anywhere.
    #[inline(always)]
    pub(crate) fn put(here: &Here, words: &[Word]) {
        let place = here.cursor.get();
        // SAFETY: the caller has made room there, in the mapped segment that nobody else writes to.
        unsafe {
            for (offset, word) in words.iter().enumerate().skip(1) {
                place.add(offset).write_unaligned(*word);
            }
            // The processor keeps the order of stores.
            compiler_fence(Ordering::Release);
            place.write_unaligned(words[0]);
            here.cursor.set(place.add(words.len()));
        }
    }

    /// Is there room for so many words in the segment?
    pub(crate) fn has_room(&self, here: &Here, words: usize) -> bool {
        let used = here.cursor.get() as usize - self.segment() as usize;
        used + words * size_of::<Word>() <= SEGMENT
    }

    /// Copies the segment, which is full, behind the others, and begins it anew. False if there is no room for it: then
    /// nothing more can be recorded.
    pub(crate) fn next_segment(&self, here: &Here) -> bool {
        if self.full.get() {
            return false;
        }
        let number = self.filled.get();
        let room = self.ring || number < self.segments;
        if !room || !keeping_errno(|| self.copy(number)) {
            self.full.set(true);
            return false;
        }
        self.filled.set(number + 1);
        self.head(at::FILLED).store(number + 1, Ordering::Release);
        // From here on the segment is known to be a copy. The words up to the end are emptied, the first one first.
        let used = (here.cursor.get() as usize - self.segment() as usize).min(SEGMENT);
        // SAFETY: within the mapped segment, which nobody else writes to.
        unsafe {
            (*self.segment().cast::<AtomicU64>()).store(0, Ordering::Release);
            core::ptr::write_bytes(self.segment().cast::<u8>(), 0, used);
        }
        self.resume(here);
        true
    }

    fn copy(&self, number: u64) -> bool {
        let place = if self.ring { number % self.segments } else { number };
        let offset = header::FULL as u64 + place * SEGMENT as u64;
        let Some(file) = File::open(self.path.as_c(), libc::O_RDWR) else { return false };
        if place >= self.reserved.get() {
            self.reserve(&file, place);
        }
        let mut done = 0;
        while done < SEGMENT {
            // SAFETY: the bytes are those of the mapped segment.
            let written = unsafe {
                let from = self.segment().cast::<u8>().add(done);
                libc::pwrite(file.0, from.cast(), SEGMENT - done, (offset + done as u64) as i64)
            };
            match usize::try_from(written) {
                Ok(0) => return false,
                Ok(written) => done += written,
                Err(_) if crate::files::errno() == libc::EINTR => {}
                Err(_) => return false,
            }
        }
        true
    }

    /// Asks for room for many segments at once, which makes writing them several times faster. That there is less does not
    /// matter yet.
    fn reserve(&self, file: &File, place: u64) {
        const STEP: u64 = (16 << 20) / SEGMENT as u64;
        let step = STEP.min(self.segments.saturating_sub(place)).max(1);
        let offset = header::FULL as u64 + place * SEGMENT as u64;
        let size = (step * SEGMENT as u64) as i64;
        // SAFETY: an open file.
        unsafe { libc::fallocate(file.0, libc::FALLOC_FL_KEEP_SIZE, offset as i64, size) };
        self.reserved.set(place + step);
    }

    /// What a segment begins with.
    fn resume(&self, here: &Here) {
        here.cursor.set(self.segment());
        here.lock.set(core::ptr::null_mut());
        // SAFETY: the running thread's own, and set before its file is made.
        unsafe { Places::forget(here.places.get()) };
        if crate::memory::watched() {
            // SAFETY: as above.
            unsafe { Foretold::forget(here.foretold.get()) };
        }
        let head = Head { kind: Kind::Resume as u8, words: 3, a: 0, b: self.filled.get() as u32 };
        Self::put(here, &[head.pack(), self.episode.get(), here.blocks.get()]);
    }

    /// The thread is over: what it did not use of the file is given back.
    pub(crate) fn close(&self, here: &Here) {
        let used = (here.cursor.get() as usize - self.segment() as usize).min(SEGMENT);
        let full = self.filled.get().min(self.segments) as usize;
        let size = if full == 0 { header::SIZE + used } else { header::FULL + full * SEGMENT };
        // SAFETY: the path is terminated. If it fails, the file only takes more room.
        unsafe { libc::truncate(self.path.as_c().as_ptr(), size as i64) };
        // SAFETY: mapped by us; the thread is silent by now, so nobody looks at it any more.
        unsafe { libc::munmap(self.head.cast(), header::FULL) };
    }
}

fn map(file: &File) -> Option<*mut AtomicU64> {
    // SAFETY: a new mapping of a file of ours; nothing else is touched.
    let mapped = unsafe {
        libc::mmap(
            core::ptr::null_mut(),
            header::FULL,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_SHARED,
            file.0,
            0,
        )
    };
    (mapped != libc::MAP_FAILED).then_some(mapped.cast())
}
