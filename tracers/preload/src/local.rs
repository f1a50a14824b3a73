//! The thread that is running, and its file.

use core::cell::Cell;

use warpath_light_format::header::NO_PARENT;
use warpath_light_format::{Head, Kind, Word};

use crate::buffer::{Buffer, Origin};
use crate::control;
use crate::files::keeping_errno;
use crate::process;
use crate::tickets::THREADS;

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
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// Has not been met.
    Stranger,
    /// Is recorded, if recording is on.
    Known,
    /// Is being met, or cannot be recorded, or is over.
    Silent,
}

thread_local! {
    // Plain memory of the thread: no destructor, nothing to initialise, so signal handlers may look, too.
    static STATE: Cell<State> = const { Cell::new(State::Stranger) };
    static THREAD: Cell<*mut Thread> = const { Cell::new(core::ptr::null_mut()) };
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
                size_of::<Thread>(),
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
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
        };
        // SAFETY: page-aligned, large enough, and ours.
        unsafe { thread.write(fresh) };
        Some(thread)
    }

    /// Gives the memory back.
    ///
    /// # Safety
    /// From [`Thread::allocate`], and not used any more.
    pub(crate) unsafe fn free(thread: *mut Thread) {
        // SAFETY: promised by the caller.
        unsafe { libc::munmap(thread.cast(), size_of::<Thread>()) };
    }
}

/// The running thread takes its place: its file is made, its number known by its `pthread_t`.
///
/// # Safety
/// `thread` is from [`Thread::allocate`], and this thread's alone from now on.
pub(crate) unsafe fn settle(thread: *mut Thread) {
    STATE.set(State::Silent);
    THREAD.set(thread);
    // SAFETY: promised by the caller.
    let this = unsafe { &mut *thread };
    let made = keeping_errno(|| {
        this.origin.episode = control::episode().unwrap_or(0);
        this.buffer = process::thread_file(&this.origin);
        this.buffer.is_some()
    });
    // SAFETY: always succeeds.
    THREADS.set(unsafe { libc::pthread_self() } as u64, this.origin.thread + 1);
    process::ask_for_farewell(thread);
    if made {
        STATE.set(State::Known);
    }
}

/// The running thread, met now if it was not before. None if it is not recorded.
#[inline]
pub(crate) fn current() -> Option<&'static Thread> {
    match STATE.get() {
        State::Known => {}
        State::Silent => return None,
        State::Stranger => meet()?,
    }
    // SAFETY: a known thread has its memory until it is silent again, for itself alone.
    Some(unsafe { &*THREAD.get() })
}

/// A thread that nobody was seen to create: the first one, or one that was made behind the C library's back.
#[cold]
fn meet() -> Option<()> {
    STATE.set(State::Silent);
    if !process::ready() {
        // Nothing is recorded before the process is set up; the thread may be met again.
        STATE.set(State::Stranger);
        return None;
    }
    let origin = Origin { thread: process::next_thread(), parent: NO_PARENT, nth: 0, start: 0, episode: 0 };
    let thread = Thread::allocate(origin)?;
    // SAFETY: just allocated.
    unsafe { settle(thread) };
    if STATE.get() != State::Known {
        return None;
    }
    record(Kind::Begin, 0, 0, &[]);
    Some(())
}

/// Nothing of this thread is recorded from now on.
pub(crate) fn be_silent() {
    STATE.set(State::Silent);
}

/// Forgets who this thread is: behind a fork it is the first one of another process.
pub(crate) fn forget() {
    STATE.set(State::Stranger);
    THREAD.set(core::ptr::null_mut());
}

/// Is anything of this thread recorded now?
#[inline]
pub(crate) fn recording() -> bool {
    control::episode().is_some() && current().is_some()
}

/// Writes a record of the running thread, if it is recorded.
#[inline]
pub(crate) fn record(kind: Kind, a: u16, b: u32, words: &[Word]) {
    let Some(episode) = control::episode() else { return };
    let Some(thread) = current() else { return };
    let Some(buffer) = &thread.buffer else { return };
    buffer.in_episode(episode);
    buffer.record(kind, a, b, words);
}

/// Says what the running thread is about to wait for.
pub(crate) fn waits(kind: Kind, a: u16, words: &[Word]) {
    if let Some(buffer) = current().and_then(|thread| thread.buffer.as_ref()) {
        buffer.waits(Head { kind: kind as u8, words: words.len() as u8 + 1, a, b: 0 }, words);
    }
}

/// It waits no more.
pub(crate) fn waits_no_more() {
    if let Some(buffer) = current().and_then(|thread| thread.buffer.as_ref()) {
        buffer.waits_no_more();
    }
}

/// The thread is over.
pub(crate) fn leave() {
    record(Kind::End, 0, 0, &[]);
    if let Some(buffer) = current().and_then(|thread| thread.buffer.as_ref()) {
        be_silent();
        keeping_errno(|| buffer.close());
    }
}
