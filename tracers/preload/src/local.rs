//! The thread that is running, and its file.

use core::cell::{Cell, UnsafeCell};
use core::sync::atomic::{AtomicUsize, Ordering, compiler_fence};

use warpath_light_format::header::NO_PARENT;
use warpath_light_format::plan::Act;
use warpath_light_format::{Head, Kind, Word, compact};

use crate::again::Places;
use crate::buffer::{Buffer, LONGEST, Origin};
use crate::calls;
use crate::control::{self, STAMP};
use crate::files::keeping_errno;
use crate::follow;
use crate::foretold::Foretold;
use crate::here::{Here, here};
use crate::memory;
use crate::process;
use crate::tickets::THREADS;

/// The stamp of a thread that is writing a record: no episode has this number.
pub(crate) const BUSY: u64 = u64::MAX - 2;

/// Words of records that signal handlers write while another is being written.
const LATE: usize = 4096;

/// Records of a watched program between two marks of the time, in words.
const BETWEEN_MARKS: usize = 64;

/// What a thread needs of us; in pages of its own, since nothing is allocated with `malloc`.
pub(crate) struct Thread {
    pub(crate) origin: Origin,
    /// Threads that it has created.
    pub(crate) children: Cell<u64>,
    /// The function that it runs, and its argument.
    pub(crate) run: extern "C-unwind" fn(*mut libc::c_void) -> *mut libc::c_void,
    pub(crate) argument: *mut libc::c_void,
    /// How often the C library has asked us to clean up behind it.
    pub(crate) farewells: Cell<u32>,
    buffer: Option<Buffer>,
    late_used: AtomicUsize,
}

/// A thread's memory: behind what it needs, room for what comes in the middle of something else. Pages that nobody
/// touches take no memory.
#[repr(C)]
struct Pages {
    thread: Thread,
    places: UnsafeCell<Places>,
    foretold: UnsafeCell<Foretold>,
    late: UnsafeCell<[Word; LATE]>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum State {
    /// Has not been met.
    Stranger = 0,
    /// Is recorded, if recording is on.
    Known,
    /// Is being met, or cannot be recorded, or is over.
    Silent,
}

extern "C-unwind" fn nothing(_: *mut libc::c_void) -> *mut libc::c_void {
    core::ptr::null_mut()
}

impl Thread {
    /// Memory for a thread that will have this origin.
    pub(crate) fn allocate(origin: Origin) -> Option<*mut Thread> {
        // SAFETY: a new anonymous mapping; nothing else is touched.
        let page = unsafe {
            libc::mmap(
                core::ptr::null_mut(),
                size_of::<Pages>(),
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
                -1,
                0,
            )
        };
        if page == libc::MAP_FAILED {
            return None;
        }
        let thread = page.cast::<Thread>();
        let fresh = Thread {
            origin,
            children: Cell::new(0),
            run: nothing,
            argument: core::ptr::null_mut(),
            farewells: Cell::new(0),
            buffer: None,
            late_used: AtomicUsize::new(0),
        };
        // SAFETY: page-aligned, large enough, and ours; it is the first field of `Pages`.
        unsafe { thread.write(fresh) };
        Some(thread)
    }

    /// Gives the memory back.
    ///
    /// # Safety
    /// From [`Thread::allocate`], and not used any more.
    pub(crate) unsafe fn free(thread: *mut Thread) {
        // SAFETY: promised by the caller.
        unsafe { libc::munmap(thread.cast(), size_of::<Pages>()) };
    }

    fn places(&self) -> *mut Places {
        // SAFETY: as below.
        unsafe { (*(&raw const *self).cast::<Pages>()).places.get() }
    }

    fn foretold(&self) -> *mut Foretold {
        // SAFETY: as below.
        unsafe { (*(&raw const *self).cast::<Pages>()).foretold.get() }
    }

    fn late(&self) -> *mut Word {
        // SAFETY: every `Thread` is the first field of a `Pages`.
        unsafe { (*(&raw const *self).cast::<Pages>()).late.get().cast() }
    }
}

/// The running thread takes its place: its file is made, its number known by its `pthread_t`.
///
/// # Safety
/// `thread` is from [`Thread::allocate`], and this thread's alone from now on.
pub(crate) unsafe fn settle(thread: *mut Thread) {
    let here = here();
    be_silent();
    here.thread.set(thread);
    here.soft.set(core::ptr::null_mut());
    // SAFETY: promised by the caller.
    let this = unsafe { &mut *thread };
    here.places.set(this.places());
    here.foretold.set(this.foretold());
    // SAFETY: always succeeds.
    let tid = unsafe { libc::gettid() } as u32;
    here.tid.set(if calls::quick::is_as_known() { tid } else { 0 });
    let made = keeping_errno(|| {
        this.origin.episode = control::episode().unwrap_or(0);
        this.origin.base = process::base();
        this.buffer = process::thread_file(&this.origin, here);
        this.buffer.is_some()
    });
    // SAFETY: always succeeds.
    THREADS.set(unsafe { libc::pthread_self() } as u64, this.origin.thread + 1);
    process::ask_for_farewell(thread);
    follow::settle(&this.origin);
    if this.origin.parent != NO_PARENT {
        follow::memory::stack(this.origin.stack.1);
    }
    if made {
        here.state.set(State::Known);
    }
}

/// The running thread, met now if it was not before. None if it is not recorded.
#[inline]
pub(crate) fn current() -> Option<&'static Thread> {
    let here = here();
    match here.state.get() {
        State::Known => {}
        State::Silent => return None,
        State::Stranger => meet(here)?,
    }
    // SAFETY: a known thread has its memory until it is silent again, for itself alone.
    Some(unsafe { &*here.thread.get() })
}

/// A thread that nobody was seen to create: the first one, or one that was made behind the C library's back.
#[cold]
fn meet(here: &Here) -> Option<()> {
    here.state.set(State::Silent);
    if !process::ready() {
        // Nothing is recorded before the process is set up; the thread may be met again.
        here.state.set(State::Stranger);
        return None;
    }
    if process::expects_thread() {
        // It may be a child that has not begun, interrupted by a signal handler: it will be met.
        here.state.set(State::Stranger);
        return None;
    }
    let origin = Origin {
        thread: process::next_thread(),
        parent: NO_PARENT,
        nth: 0,
        start: 0,
        episode: 0,
        stack: memory::first_stack(),
        base: 0,
    };
    let thread = Thread::allocate(origin)?;
    follow::reserve(&origin);
    // SAFETY: just allocated.
    unsafe { settle(thread) };
    if here.state.get() != State::Known {
        return None;
    }
    begin();
    Some(())
}

/// The thread's first event.
pub(crate) fn begin() {
    let turn = follow::turn(Act::Begin, 0, 0);
    record(Kind::Begin, 0, 0, &[]);
    turn.done();
}

/// Nothing of this thread is recorded from now on.
pub(crate) fn be_silent() {
    let here = here();
    here.state.set(State::Silent);
    here.stamp.set(0);
    here.pending.set(0);
}

/// Forgets who this thread is: behind a fork it is the first one of another process.
pub(crate) fn forget() {
    be_silent();
    let here = here();
    here.state.set(State::Stranger);
    here.thread.set(core::ptr::null_mut());
}

/// Is there nothing to do but what the program asked for?
#[inline(always)]
pub(crate) fn is_idle() -> bool {
    STAMP.load(Ordering::Relaxed) == control::OFF && !follow::engaged()
}

/// Is anything of this thread recorded now?
#[inline(always)]
pub(crate) fn recording() -> bool {
    let here = here();
    here.stamp.get() == STAMP.load(Ordering::Relaxed) || enter(here)
}

/// May the thread write? Called where its stamp is another than the program's: something has changed, or it is in the
/// middle of a record, or each event has to be looked at.
#[cold]
pub(crate) fn enter(here: &Here) -> bool {
    let program = STAMP.load(Ordering::Acquire);
    if program == control::OFF {
        here.pending.set(0);
        return false;
    }
    if here.stamp.get() == BUSY {
        return true;
    }
    let Some(thread) = current() else { return false };
    let Some(buffer) = &thread.buffer else { return false };
    let Some(episode) = control::episode() else {
        here.pending.set(0);
        return false;
    };
    if buffer.episode() != episode {
        here.pending.set(0);
        buffer.set_episode(episode);
        let head = Head { kind: Kind::Resume as u8, words: 3, a: 0, b: 0 };
        write(here, &[head.pack(), episode, here.blocks.get()]);
    }
    if program != control::UNUSUAL {
        here.stamp.set(program);
    }
    true
}

/// Notes how many blocks the running thread has allocated: they are recorded from now on.
pub(crate) fn recount() {
    if recording()
        && let Some(buffer) = current().and_then(|thread| thread.buffer.as_ref())
    {
        record(Kind::Resume, 0, 0, &[buffer.episode(), here().blocks.get()]);
    }
}

/// Writes a record of a thread that may.
#[inline(always)]
pub(crate) fn write<const N: usize>(here: &Here, words: &[Word; N]) {
    let stamp = here.stamp.replace(BUSY);
    compiler_fence(Ordering::SeqCst);
    // Addresses, not pointers: nothing is read or written through them here.
    if stamp != BUSY && here.cursor.get() as usize + N * size_of::<Word>() <= here.soft.get() as usize {
        Buffer::put(here, words);
        compiler_fence(Ordering::SeqCst);
        here.stamp.set(stamp);
    } else {
        write_slowly(here, stamp, words);
    }
}

/// The same, of any length, and where there may be no room.
#[inline(never)]
fn write_slowly(here: &Here, stamp: u64, words: &[Word]) {
    // SAFETY: who writes has its memory.
    let thread = unsafe { &*here.thread.get() };
    let Some(buffer) = &thread.buffer else {
        here.stamp.set(stamp);
        return;
    };
    if stamp == BUSY {
        keep(here, thread, buffer, words);
        return;
    }
    put_late(here, thread, buffer);
    put_slowly(here, buffer, words);
    // What came in the meantime: it found room that was made behind its back.
    put_late(here, thread, buffer);
    compiler_fence(Ordering::SeqCst);
    here.stamp.set(stamp);
}

/// Makes room, marks the time where that is wanted, and writes.
fn put_slowly(here: &Here, buffer: &Buffer, words: &[Word]) {
    const MARK: usize = 2;
    if !buffer.has_room(here, words.len() + MARK) && !buffer.next_segment(here) {
        buffer.lose(1);
        here.soft.set(core::ptr::null_mut());
        return;
    }
    let end = buffer.end();
    if memory::watched() {
        let head = Head { kind: Kind::Mark as u8, words: MARK as u8, a: 0, b: 0 };
        Buffer::put(here, &[head.pack(), memory::time()]);
        let next = here.cursor.get().wrapping_add(BETWEEN_MARKS);
        here.soft.set(if next < end { next } else { end });
    } else {
        here.soft.set(end);
    }
    Buffer::put(here, words);
}

/// A signal handler came in the middle of a record: its own is written behind that.
#[cold]
fn keep(here: &Here, thread: &Thread, buffer: &Buffer, words: &[Word]) {
    let place = thread.late_used.fetch_add(words.len() + 1, Ordering::Relaxed);
    if place + words.len() + 1 > LATE {
        thread.late_used.fetch_sub(words.len() + 1, Ordering::Relaxed);
        buffer.lose(1);
        return;
    }
    // SAFETY: within the memory, and no other handler has the same place.
    unsafe {
        let to = thread.late().add(place);
        to.write(words.len() as Word);
        core::ptr::copy_nonoverlapping(words.as_ptr(), to.add(1), words.len());
    }
    // The next record finds no room, and so finds this.
    here.soft.set(core::ptr::null_mut());
}

fn put_late(here: &Here, thread: &Thread, buffer: &Buffer) {
    let mut done = 0;
    loop {
        let used = thread.late_used.load(Ordering::Relaxed);
        if done == used {
            let emptied = thread.late_used.compare_exchange(used, 0, Ordering::Relaxed, Ordering::Relaxed);
            if emptied.is_ok() {
                return;
            }
            continue;
        }
        // SAFETY: written by `keep`, whole, since handlers end before we go on.
        let words = unsafe {
            let from = thread.late().add(done);
            core::slice::from_raw_parts(from.add(1), from.read() as usize)
        };
        put_slowly(here, buffer, words);
        done += words.len() + 1;
    }
}

/// The next record is preceded by a mark of the time, if the program is watched.
pub(crate) fn mark_soon() {
    if memory::watched() {
        here().soft.set(core::ptr::null_mut());
    }
}

/// Marks the time now, if the program is watched.
pub(crate) fn mark() {
    if memory::watched() && recording() {
        let here = here();
        memory::finish(here);
        let head = Head { kind: Kind::Mark as u8, words: 2, a: 0, b: 0 };
        write(here, &[head.pack(), memory::time()]);
    }
}

/// Writes a record of the running thread, if it is recorded.
pub(crate) fn record(kind: Kind, a: u16, b: u32, words: &[Word]) {
    if !recording() {
        return;
    }
    let here = here();
    memory::finish(here);
    let mut all = [0; LONGEST];
    let count = words.len().min(LONGEST - 1);
    all[0] = Head { kind: kind as u8, words: count as u8 + 1, a, b }.pack();
    all[1..=count].copy_from_slice(&words[..count]);
    write_any(here, &all[..=count]);
}

/// As [`write`], for lengths that are only known now.
pub(crate) fn write_any(here: &Here, words: &[Word]) {
    let stamp = here.stamp.replace(BUSY);
    compiler_fence(Ordering::SeqCst);
    let size = size_of_val(words);
    if stamp != BUSY && here.cursor.get() as usize + size <= here.soft.get() as usize {
        Buffer::put(here, words);
        compiler_fence(Ordering::SeqCst);
        here.stamp.set(stamp);
    } else {
        write_slowly(here, stamp, words);
    }
}

/// Writes what was done to an object, by a thread that is [`recording`]: in the short form if it fits.
#[inline(always)]
pub(crate) fn event(kind: Kind, a: u8, at: u64, object: u64, ticket: u64) {
    let here = here();
    memory::finish(here);
    let place = at.wrapping_sub(process::base());
    if compact::fits(place, object, ticket) {
        write(here, &compact::words(kind, a, place, object, ticket));
    } else {
        record(kind, a.into(), 0, &[at, object, ticket]);
    }
}

/// The same for a mutex that was taken.
#[inline(always)]
pub(crate) fn lock(at: u64, mutex: u64, ticket: u64) {
    let here = here();
    memory::finish(here);
    let place = at.wrapping_sub(process::base());
    if compact::fits(place, mutex, ticket) && ticket >> compact::LOCK_TICKET == 0 {
        here.held.set(0);
        here.lock.set(here.cursor.get().wrapping_add(2));
        write(here, &compact::words(Kind::Lock, 0, place, mutex, ticket));
    } else {
        record(Kind::Lock, 0, 0, &[at, mutex, ticket]);
    }
}

/// The same for a mutex that is about to be released. If nothing was recorded since it was taken, the record of that
/// becomes one of both.
#[inline(always)]
pub(crate) fn unlock(at: u64, mutex: u64, ticket: u64) {
    let here = here();
    memory::finish(here);
    if here.cursor.get() == here.lock.get() && here.held.get() == 0 {
        let stamp = here.stamp.replace(BUSY);
        compiler_fence(Ordering::SeqCst);
        // Once more: a signal handler may have come in between.
        if stamp != BUSY && here.cursor.get() == here.lock.get() && here.held.get() == 0 {
            let taken = here.lock.get().wrapping_sub(2);
            // SAFETY: the record before the cursor, in the segment that only this thread writes to.
            let before = unsafe { [taken.read_unaligned(), taken.add(1).read_unaligned()] };
            let (place, object, number) = compact::parts(before);
            let distance = at.wrapping_sub(process::base()).wrapping_sub(place) as i64;
            let is_lock = before[0] as u8 == Kind::Lock as u8 | compact::BIT;
            if is_lock && object == mutex && number + 1 == ticket && distance == i64::from(distance as i16) {
                let both = compact::pair(before, distance as i16);
                // SAFETY: as above.
                unsafe {
                    taken.add(1).write_unaligned(both[1]);
                    compiler_fence(Ordering::Release);
                    taken.write_unaligned(both[0]);
                }
                compiler_fence(Ordering::SeqCst);
                here.stamp.set(stamp);
                return;
            }
        }
        here.stamp.set(stamp);
    }
    event(Kind::Unlock, 0, at, mutex, ticket);
}

/// Says what the running thread is about to wait for.
pub(crate) fn waits(kind: Kind, a: u16, words: &[Word]) {
    if let Some(buffer) = current().and_then(|thread| thread.buffer.as_ref()) {
        mark();
        buffer.waits(Head { kind: kind as u8, words: words.len() as u8 + 1, a, b: 0 }, words);
        follow::waits(kind, words);
    }
}

/// It waits no more.
pub(crate) fn waits_no_more() {
    if let Some(buffer) = current().and_then(|thread| thread.buffer.as_ref()) {
        buffer.waits_no_more();
        follow::waits_no_more();
        mark_soon();
    }
}

/// Where the stack of the running thread begins for the purpose of names.
pub(crate) fn set_stack_top(top: u64) {
    if let Some(buffer) = current().and_then(|thread| thread.buffer.as_ref()) {
        buffer.head(warpath_light_format::header::at::STACK_TOP).store(top, Ordering::Relaxed);
        follow::memory::stack(top);
    }
}

/// The thread is over.
pub(crate) fn leave() {
    let turn = follow::turn(Act::End, 0, 0);
    record(Kind::End, 0, 0, &[]);
    follow::ended();
    turn.done();
    let here = here();
    if let Some(thread) = current()
        && let Some(buffer) = &thread.buffer
    {
        here.stamp.set(BUSY);
        put_late(here, thread, buffer);
        be_silent();
        keeping_errno(|| buffer.close(here));
    }
}
