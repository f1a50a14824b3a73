//! `pthread_create`, `pthread_join` and their like.

use core::ffi::c_void;

use libc::{c_int, clockid_t, pthread_attr_t, pthread_t, timespec};
use warpath_light_format::Kind;
use warpath_light_format::kind::outcome as o;

use super::outcome;
use crate::buffer::Origin;
use crate::files::keeping_errno;
use crate::interpose::interpose;
use crate::local::{self, Thread};
use crate::process;
use crate::real::real;
use crate::tickets::THREADS;

interpose! {
    pthread_create "r8" => create;
    pthread_join "rdx" => join;
    pthread_tryjoin_np "rdx" => tryjoin;
    pthread_timedjoin_np "rcx" => timedjoin;
    pthread_clockjoin_np "r8" => clockjoin;
    pthread_detach "rsi" => detach;
}

pub(super) type Run = extern "C-unwind" fn(*mut c_void) -> *mut c_void;

mod real {
    use super::*;
    super::real! {
        fn pthread_create(
            thread: *mut pthread_t, with: *const pthread_attr_t, run: Run, argument: *mut c_void,
        ) -> c_int;
        fn pthread_join(thread: pthread_t, value: *mut *mut c_void) -> c_int;
        fn pthread_tryjoin_np(thread: pthread_t, value: *mut *mut c_void) -> c_int;
        fn pthread_timedjoin_np(thread: pthread_t, value: *mut *mut c_void, until: *const timespec) -> c_int;
        fn pthread_clockjoin_np(
            thread: pthread_t, value: *mut *mut c_void, clock: clockid_t, until: *const timespec,
        ) -> c_int;
        fn pthread_detach(thread: pthread_t) -> c_int;
    }
}

/// A child in the making: its memory, with what it will run.
pub(super) struct Child {
    pub(super) memory: *mut Thread,
    number: u64,
}

impl Child {
    /// Prepares one, unless nothing is recorded.
    pub(super) fn prepare(run: Run, start: u64, argument: *mut c_void) -> Option<Child> {
        let parent = local::current()?;
        let nth = parent.children.get();
        let number = process::next_thread();
        let origin = Origin { thread: number, parent: parent.origin.thread, nth, start, episode: 0 };
        let memory = Thread::allocate(origin)?;
        // SAFETY: just allocated, and nobody else's yet.
        unsafe {
            (*memory).run = run;
            (*memory).argument = argument;
        }
        parent.children.set(nth + 1);
        Some(Child { memory, number })
    }

    /// It has been created.
    pub(super) fn born(self, thread: pthread_t, at: u64) {
        THREADS.set(thread, self.number + 1);
        local::record(Kind::Fork, 0, self.number as u32, &[at]);
    }

    /// It could not be created.
    pub(super) fn stillborn(self) {
        if let Some(parent) = local::current() {
            parent.children.set(parent.children.get() - 1);
        }
        // SAFETY: allocated above, and no thread has got it.
        unsafe { Thread::free(self.memory) };
    }
}

/// What a new thread begins with.
pub(super) extern "C-unwind" fn begin(memory: *mut c_void) -> *mut c_void {
    let memory = memory.cast::<Thread>();
    // SAFETY: made for this thread by `Child::prepare`.
    let (run, argument) = unsafe { ((*memory).run, (*memory).argument) };
    // SAFETY: as above.
    unsafe { local::settle(memory) };
    local::record(Kind::Begin, 0, 0, &[]);
    keeping_errno(process::copy_maps_if_new);
    run(argument)
}

unsafe extern "C-unwind" fn create(
    thread: *mut pthread_t,
    with: *const pthread_attr_t,
    run: Run,
    argument: *mut c_void,
    at: u64,
) -> c_int {
    let Some(child) = Child::prepare(run, run as usize as u64, argument) else {
        // SAFETY: the arguments are the program's.
        return unsafe { real::pthread_create(thread, with, run, argument) };
    };
    // SAFETY: the first two are the program's; ours runs the program's function.
    let answer = unsafe { real::pthread_create(thread, with, begin, child.memory.cast()) };
    if answer == 0 {
        // SAFETY: the C library has just written there.
        child.born(unsafe { thread.read() }, at);
    } else {
        child.stillborn();
    }
    answer
}

/// A join, attempted or done. The number is looked up before: behind a join the `pthread_t` may be another thread's.
pub(super) fn joining(thread: pthread_t, attempt: u16, at: u64, join: impl FnOnce() -> c_int) -> c_int {
    let before = THREADS.get(thread);
    let pending = before.saturating_sub(1);
    if attempt == o::BLOCK {
        local::waits(Kind::Join, o::BLOCK * 16 + o::PENDING, &[at, pending]);
    }
    let answer = join();
    if attempt == o::BLOCK {
        local::waits_no_more();
    }
    let number = if before == 0 { THREADS.get(thread) } else { before };
    if number != 0 {
        local::record(Kind::Join, outcome(attempt, answer), (number - 1) as u32, &[at]);
    }
    answer
}

unsafe extern "C-unwind" fn join(thread: pthread_t, value: *mut *mut c_void, at: u64) -> c_int {
    // SAFETY: the arguments are the program's.
    joining(thread, o::BLOCK, at, || unsafe { real::pthread_join(thread, value) })
}

unsafe extern "C-unwind" fn tryjoin(thread: pthread_t, value: *mut *mut c_void, at: u64) -> c_int {
    // SAFETY: the arguments are the program's.
    joining(thread, o::TRY, at, || unsafe { real::pthread_tryjoin_np(thread, value) })
}

unsafe extern "C-unwind" fn timedjoin(
    thread: pthread_t,
    value: *mut *mut c_void,
    until: *const timespec,
    at: u64,
) -> c_int {
    // SAFETY: the arguments are the program's.
    joining(thread, o::TIMED, at, || unsafe { real::pthread_timedjoin_np(thread, value, until) })
}

unsafe extern "C-unwind" fn clockjoin(
    thread: pthread_t,
    value: *mut *mut c_void,
    clock: clockid_t,
    until: *const timespec,
    at: u64,
) -> c_int {
    // SAFETY: the arguments are the program's.
    joining(thread, o::TIMED, at, || unsafe { real::pthread_clockjoin_np(thread, value, clock, until) })
}

/// Detaches, and says so.
pub(super) fn detaching(thread: pthread_t, at: u64, detach: impl FnOnce() -> c_int) -> c_int {
    let number = THREADS.get(thread);
    let answer = detach();
    if answer == 0 && number != 0 {
        local::record(Kind::Detach, 0, (number - 1) as u32, &[at]);
    }
    answer
}

unsafe extern "C-unwind" fn detach(thread: pthread_t, at: u64) -> c_int {
    // SAFETY: the argument is the program's.
    detaching(thread, at, || unsafe { real::pthread_detach(thread) })
}
