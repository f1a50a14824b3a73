//! What the program takes from outside, written down if that was asked for.
//!
//! Nothing of it is on unless the environment says so: what programs read may be secret. The functions that see the
//! program read are in `calls/input.rs`; here is what becomes of it. The C library's own reading (`stdio` fills its
//! buffers without calling a function that we could stand in front of) is not seen: files are copied when they are
//! opened, and standard input that is a file when the program starts. What is missed all the same is said.

use core::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use libc::{c_int, iovec};
use warpath_light_format::inputs::{CONTENT, FILE, InputHead, InputKind};

use crate::files::{File, Path};
use crate::process;
use crate::settings::{Settings, variable};

/// Arguments.
pub(crate) const ARGUMENTS: u32 = 1;
/// The environment.
pub(crate) const ENVIRONMENT: u32 = 2;
/// Standard input.
pub(crate) const STDIN: u32 = 4;
/// Files that are opened.
pub(crate) const FILES: u32 = 8;
/// What sockets give.
pub(crate) const SOCKETS: u32 = 16;

/// What is recorded now.
static WANTED: AtomicU32 = AtomicU32::new(0);
static LIMIT: AtomicU64 = AtomicU64::new(0);
/// Numbers of files with content.
static CONTENTS: AtomicU64 = AtomicU64::new(0);
/// Standard input, if its reads are looked at: what tells it from other files. 0 if not.
static STDIN_IS: AtomicU64 = AtomicU64::new(0);
/// Bytes kept of standard input, and of all sockets.
static KEPT: [AtomicU64; 2] = [AtomicU64::new(0), AtomicU64::new(0)];
static CUT: [AtomicBool; 2] = [AtomicBool::new(false), AtomicBool::new(false)];
static SAID_STDIO: AtomicBool = AtomicBool::new(false);

/// Is any of these recorded?
#[inline]
pub(crate) fn wants(any: u32) -> bool {
    WANTED.load(Ordering::Relaxed) & any != 0
}

/// The process begins, or goes on behind a fork: what there was before is its parent's.
pub(crate) fn begin(settings: &Settings, forked: bool) {
    LIMIT.store(settings.input_limit, Ordering::Relaxed);
    if forked {
        SEEN.forget();
    }
    let wanted = settings.inputs;
    if wanted != 0 && !forked {
        if wanted & ARGUMENTS != 0 {
            copy(c"/proc/self/cmdline", InputKind::Arguments);
        }
        if wanted & ENVIRONMENT != 0 {
            copy(c"/proc/self/environ", InputKind::Environment);
        }
        if wanted & STDIN != 0 && variable(c"WARPATH_LIGHT_STDIN").is_none_or(|value| value != b"outside") {
            begin_stdin();
        }
    }
    WANTED.store(wanted, Ordering::Release);
}

/// A small file of the kernel's becomes a record.
fn copy(path: &core::ffi::CStr, kind: InputKind) {
    let Some(from) = File::open(path, libc::O_RDONLY) else { return };
    let number = CONTENTS.fetch_add(1, Ordering::Relaxed);
    // Through a content file, since it may be larger than anything we have room for.
    if let Some(cut) = store(number, from.0, 0) {
        append(kind, number, b"", &[]);
        said_cut(number, cut);
    }
}

fn begin_stdin() {
    let Some(stat) = status(0) else { return };
    if stat.st_mode & libc::S_IFMT != libc::S_IFREG {
        STDIN_IS.store(identity(&stat), Ordering::Relaxed);
        return;
    }
    // SAFETY: nothing to promise; the position stays where it is.
    let position = unsafe { libc::lseek(0, 0, libc::SEEK_CUR) };
    let number = CONTENTS.fetch_add(1, Ordering::Relaxed);
    if let Some(cut) = store(number, 0, position.max(0)) {
        append(InputKind::StdinFile, number, b"", &[]);
        said_cut(number, cut);
    }
}

/// The program ends, or is about to: standard input that `stdio` has read from a pipe was not seen.
pub(crate) fn end() {
    /// Where the stream's buffer is noted in the C library's `FILE`, in words.
    const BUFFER: usize = 7;
    unsafe extern "C" {
        static stdin: *const usize;
    }
    if STDIN_IS.load(Ordering::Relaxed) == 0 {
        return;
    }
    // SAFETY: the C library's variable, which points to a `FILE` or, if the program says so, nowhere.
    let used = unsafe { !stdin.is_null() && *stdin.add(BUFFER) != 0 };
    if used && !SAID_STDIO.swap(true, Ordering::Relaxed) {
        append(InputKind::Missed, 0, b"stdin-through-stdio", &[]);
    }
}

/// What opening a file may have done to it.
#[derive(Clone, Copy)]
pub(crate) struct Opened {
    /// What was there is gone.
    pub(crate) truncated: bool,
    /// It may not have been there before.
    pub(crate) created: bool,
}

/// A file was opened, by this name.
pub(crate) fn opened(fd: c_int, path: &[u8], how: Opened) {
    let Some(stat) = status(fd) else { return };
    // What is in /proc is about the process itself, which is another one when this is used.
    if stat.st_mode & libc::S_IFMT != libc::S_IFREG || path.starts_with(b"/proc/") {
        return;
    }
    // SAFETY: nothing to promise.
    let flags = unsafe { libc::fcntl(fd, libc::F_GETFL) };
    let writes = flags & libc::O_ACCMODE == libc::O_WRONLY;
    let entry = SEEN.of(identity(&stat));
    if how.truncated || writes || (how.created && stat.st_size == 0) {
        // What the program writes itself is not from outside, whoever reads it later.
        if let Some(entry) = entry {
            let _ = entry.content.compare_exchange(0, OWN, Ordering::Relaxed, Ordering::Relaxed);
        }
        return;
    }
    let stamp = mix(stat.st_mtime as u64, stat.st_mtime_nsec as u64 ^ (stat.st_size as u64) << 32) | 1;
    let known = entry.map_or(0, |entry| entry.content.load(Ordering::Relaxed));
    if known == OWN {
        return;
    }
    if known != 0 {
        let before = entry.map_or(stamp, |entry| entry.stamp.load(Ordering::Relaxed));
        let was_written = entry.is_some_and(|entry| entry.written.load(Ordering::Relaxed));
        if before != stamp && !was_written {
            append(InputKind::Missed, 0, b"files-changed", &[]);
        }
        // Under this name, too.
        append(InputKind::File, known - 1, path, &[]);
        return;
    }
    let number = CONTENTS.fetch_add(1, Ordering::Relaxed);
    let Some(cut) = store(number, fd, 0) else {
        append(InputKind::Missed, 0, b"files-unreadable", &[]);
        return;
    };
    append(InputKind::File, number, path, &[]);
    said_cut(number, cut);
    if let Some(entry) = entry {
        entry.stamp.store(stamp, Ordering::Relaxed);
        entry.written.store(flags & libc::O_ACCMODE == libc::O_RDWR, Ordering::Relaxed);
        entry.content.store(number + 1, Ordering::Relaxed);
    }
}

/// A stream of the C library was made over a descriptor: what it reads is not seen.
pub(crate) fn streamed(fd: c_int) {
    let socket = status(fd).is_some_and(|stat| stat.st_mode & libc::S_IFMT == libc::S_IFSOCK);
    if socket && wants(SOCKETS) {
        append(InputKind::Missed, 0, b"sockets-through-stdio", &[]);
    }
}

/// The program has read this many bytes into these places.
pub(crate) fn took(fd: c_int, places: &[iovec], bytes: usize) {
    let Some(stat) = status(fd) else { return };
    let is_stdin = wants(STDIN) && STDIN_IS.load(Ordering::Relaxed) == identity(&stat);
    let is_socket = wants(SOCKETS) && stat.st_mode & libc::S_IFMT == libc::S_IFSOCK;
    let (kind, extra, stream) = match (is_stdin, is_socket) {
        (true, _) => (InputKind::Stdin, 0, 0),
        (false, true) => (InputKind::Socket, stat.st_ino, 1),
        (false, false) => return,
    };
    let before = KEPT[stream].fetch_add(bytes as u64, Ordering::Relaxed);
    let room = LIMIT.load(Ordering::Relaxed).saturating_sub(before).min(bytes as u64) as usize;
    if room > 0 {
        append_vectored(kind, extra, places, room);
    }
    if room < bytes && !CUT[stream].swap(true, Ordering::Relaxed) {
        append(InputKind::StreamCut, stream as u64, b"", &[]);
    }
}

fn status(fd: c_int) -> Option<libc::stat> {
    // SAFETY: zeroes are a valid `stat`, and the pointer is to a variable of ours.
    unsafe {
        let mut stat: libc::stat = core::mem::zeroed();
        (libc::fstat(fd, &mut stat) == 0).then_some(stat)
    }
}

/// What tells a file from others; never 0.
fn identity(stat: &libc::stat) -> u64 {
    mix(stat.st_dev, stat.st_ino) | 1
}

fn mix(a: u64, b: u64) -> u64 {
    (a.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ b).wrapping_mul(0xff51_afd7_ed55_8ccd).rotate_left(29)
}

/// Copies what a descriptor has from a position on into a content file, whose number is said later: whether some of it
/// did not fit. None if it cannot be read.
fn store(number: u64, fd: c_int, mut position: i64) -> Option<bool> {
    let folder = process::folder()?;
    let path = folder.and(b"/").and(CONTENT.as_bytes()).number(number);
    let to = File::open(path.as_c(), libc::O_WRONLY | libc::O_CREAT | libc::O_EXCL)?;
    let mut left = LIMIT.load(Ordering::Relaxed);
    let mut block = [0u8; 4096];
    loop {
        // SAFETY: the pointer and length are those of the array; the descriptor's own position is not moved.
        let read = unsafe { libc::pread(fd, block.as_mut_ptr().cast(), block.len(), position) };
        let read = match usize::try_from(read) {
            Ok(0) => return Some(false),
            Ok(read) => read,
            Err(_) if crate::files::errno() == libc::EINTR => continue,
            Err(_) => return None,
        };
        let kept = (read as u64).min(left) as usize;
        if !to.write(&block[..kept]) || kept < read {
            return Some(true);
        }
        left -= kept as u64;
        position += read as i64;
    }
}

fn said_cut(number: u64, cut: bool) {
    if cut {
        append(InputKind::Cut, number, b"", &[]);
    }
}

fn append(kind: InputKind, extra: u64, name: &[u8], bytes: &[u8]) {
    let place = iovec { iov_base: bytes.as_ptr().cast_mut().cast(), iov_len: bytes.len() };
    write(kind, extra, name, &[place], bytes.len());
}

fn append_vectored(kind: InputKind, extra: u64, places: &[iovec], bytes: usize) {
    write(kind, extra, b"", places, bytes);
}

/// One record, by one system call, so that records of different threads do not mix.
fn write(kind: InputKind, extra: u64, name: &[u8], places: &[iovec], bytes: usize) {
    /// Places at most that one call fills; a program that uses more loses what is in the others.
    const PLACES: usize = 66;
    let Some(folder) = process::folder() else { return };
    let path: Path = folder.and(b"/").and(FILE.as_bytes());
    let Some(file) = File::open(path.as_c(), libc::O_WRONLY | libc::O_CREAT | libc::O_APPEND) else { return };
    let mut all = [iovec { iov_base: core::ptr::null_mut(), iov_len: 0 }; PLACES];
    let mut left = bytes;
    let mut used = 2;
    for (into, place) in all[2..].iter_mut().zip(places) {
        *into = iovec { iov_base: place.iov_base, iov_len: place.iov_len.min(left) };
        left -= into.iov_len;
        used += 1;
    }
    let head = InputHead { kind, extra, name: name.len() as u64, bytes: (bytes - left) as u64 };
    let head = head.pack();
    all[0] = iovec { iov_base: head.as_ptr().cast_mut().cast(), iov_len: head.len() };
    all[1] = iovec { iov_base: name.as_ptr().cast_mut().cast(), iov_len: name.len() };
    // SAFETY: the first two are ours, the others the program's, which the kernel has just written to.
    unsafe { libc::writev(file.0, all.as_ptr(), used as c_int) };
}

/// What a file is known as that the program itself has written.
const OWN: u64 = u64::MAX;

/// A file that was opened.
struct Entry {
    key: AtomicU64,
    /// The number of its content and one, or [`OWN`]; 0 while that is not known.
    content: AtomicU64,
    /// What tells whether it has changed.
    stamp: AtomicU64,
    /// May the program have changed it?
    written: AtomicBool,
}

/// Files that were opened, by what tells them from each other.
struct Seen([Entry; 1024]);

static SEEN: Seen = Seen(
    [const {
        Entry {
            key: AtomicU64::new(0),
            content: AtomicU64::new(0),
            stamp: AtomicU64::new(0),
            written: AtomicBool::new(false),
        }
    }; 1024],
);

impl Seen {
    /// Contents are in another folder from now on.
    fn forget(&self) {
        for entry in &self.0 {
            entry.content.store(0, Ordering::Relaxed);
            entry.key.store(0, Ordering::Relaxed);
        }
    }

    /// The entry of a file; none if there is no room, and then it is copied each time.
    fn of(&self, key: u64) -> Option<&Entry> {
        let start = key as usize % self.0.len();
        let (before, from) = self.0.split_at(start);
        from.iter().chain(before).find(|entry| {
            let free = entry.key.compare_exchange(0, key, Ordering::AcqRel, Ordering::Acquire);
            free.is_ok() || free == Err(key)
        })
    }
}
