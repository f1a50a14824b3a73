//! `pthread_create`, `pthread_join` and their like.

use core::ffi::c_void;

use libc::{c_int, clockid_t, pthread_attr_t, pthread_t, timespec};
use warpath_light_format::Kind;
use warpath_light_format::kind::outcome as o;
use warpath_light_format::plan::Act;

use super::outcome;
use crate::buffer::Origin;
use crate::files::keeping_errno;
use crate::follow::{self, Turn};
use crate::interpose::interpose;
use crate::local::{self, Thread};
use crate::memory;
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
    pub(super) fn prepare(run: Run, start: u64, argument: *mut c_void, stack: usize) -> Option<Child> {
        memory::settle();
        let parent = local::current()?;
        let nth = parent.children.get();
        let number = process::next_thread();
        let origin = Origin {
            thread: number,
            parent: parent.origin.thread,
            nth,
            start,
            episode: 0,
            stack: (stack as u64, 0),
            base: 0,
        };
        let memory = Thread::allocate(origin)?;
        follow::reserve(&origin);
        // SAFETY: just allocated, and nobody else's yet.
        unsafe {
            (*memory).run = run;
            (*memory).argument = argument;
        }
        parent.children.set(nth + 1);
        process::expect_thread();
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
        process::meet_expected();
        // SAFETY: allocated above, and no thread has got it.
        unsafe { Thread::free(self.memory) };
    }
}

/// What a new thread begins with.
pub(super) extern "C-unwind" fn begin(pages: *mut c_void) -> *mut c_void {
    let pages = pages.cast::<Thread>();
    // SAFETY: made for this thread by `Child::prepare`.
    let (run, argument) = unsafe { ((*pages).run, (*pages).argument) };
    // SAFETY: as above.
    unsafe {
        (*pages).origin.stack = memory::own_stack((*pages).origin.stack.0 as usize);
        local::settle(pages);
    }
    process::meet_expected();
    local::begin();
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
    let mut stack = 0;
    if !with.is_null() {
        // SAFETY: the program says that these are attributes.
        unsafe { libc::pthread_attr_getstacksize(with, &mut stack) };
    }
    let turn = forking(at);
    let Some(child) = Child::prepare(run, run as usize as u64, argument, stack) else {
        turn.give_back();
        // SAFETY: the arguments are the program's.
        return unsafe { real::pthread_create(thread, with, run, argument) };
    };
    // SAFETY: the first two are the program's; ours runs the program's function.
    let answer = unsafe { real::pthread_create(thread, with, begin, child.memory.cast()) };
    if answer == 0 {
        // SAFETY: the C library has just written there.
        child.born(unsafe { thread.read() }, at);
        turn.done();
    } else {
        child.stillborn();
        turn.give_back();
    }
    answer
}

/// Waits for the turn to create the next child.
pub(super) fn forking(at: u64) -> Turn {
    let nth = local::current().map_or(0, |parent| parent.children.get());
    follow::turn(Act::Fork, follow::seat_of_child(nth), at)
}

/// A join, attempted or done. The number is looked up before: behind a join the `pthread_t` may be another thread's.
///
/// `surely` joins who has had its last event: it may not be quite gone yet, which nobody can have noticed who follows a
/// schedule.
pub(super) fn joining(
    thread: pthread_t,
    attempt: u16,
    at: u64,
    surely: Option<impl FnOnce() -> c_int>,
    join: impl FnOnce() -> c_int,
) -> c_int {
    let before = THREADS.get(thread);
    let pending = before.saturating_sub(1);
    let turn = (before != 0).then(|| follow::turn(Act::Join, follow::seat_of(pending), at));
    if attempt == o::BLOCK {
        local::waits(Kind::Join, o::BLOCK * 16 + o::PENDING, &[at, pending]);
    }
    let answer = match surely {
        Some(surely) if before != 0 && follow::has_ended(pending) => surely(),
        // In a step nobody else moves, so the time would pass.
        Some(_) if attempt == o::TIMED && turn.as_ref().is_some_and(Turn::is_step) => libc::ETIMEDOUT,
        _ => join(),
    };
    if attempt == o::BLOCK {
        local::waits_no_more();
    }
    let number = if before == 0 { THREADS.get(thread) } else { before };
    if number != 0 {
        local::record(Kind::Join, outcome(attempt, answer), (number - 1) as u32, &[at]);
    }
    if let Some(turn) = turn {
        turn.done();
    }
    answer
}

unsafe extern "C-unwind" fn join(thread: pthread_t, value: *mut *mut c_void, at: u64) -> c_int {
    // SAFETY: the arguments are the program's.
    let join = || unsafe { real::pthread_join(thread, value) };
    joining(thread, o::BLOCK, at, None::<fn() -> c_int>, join)
}

/// How to join for certain, and how to attempt it.
///
/// # Safety
/// The arguments are those of a join, which `attempt` attempts.
unsafe fn attempts<A: FnOnce() -> c_int>(
    thread: pthread_t,
    value: *mut *mut c_void,
    attempt: A,
) -> (impl FnOnce() -> c_int, A) {
    // SAFETY: promised by the caller.
    (move || unsafe { real::pthread_join(thread, value) }, attempt)
}

unsafe extern "C-unwind" fn tryjoin(thread: pthread_t, value: *mut *mut c_void, at: u64) -> c_int {
    // SAFETY: the arguments are the program's.
    let (surely, join) = unsafe { attempts(thread, value, || real::pthread_tryjoin_np(thread, value)) };
    joining(thread, o::TRY, at, Some(surely), join)
}

unsafe extern "C-unwind" fn timedjoin(
    thread: pthread_t,
    value: *mut *mut c_void,
    until: *const timespec,
    at: u64,
) -> c_int {
    // SAFETY: the arguments are the program's.
    let (surely, join) =
        unsafe { attempts(thread, value, || real::pthread_timedjoin_np(thread, value, until)) };
    joining(thread, o::TIMED, at, Some(surely), join)
}

unsafe extern "C-unwind" fn clockjoin(
    thread: pthread_t,
    value: *mut *mut c_void,
    clock: clockid_t,
    until: *const timespec,
    at: u64,
) -> c_int {
    // SAFETY: the arguments are the program's.
    let (surely, join) =
        unsafe { attempts(thread, value, || real::pthread_clockjoin_np(thread, value, clock, until)) };
    joining(thread, o::TIMED, at, Some(surely), join)
}

/// Detaches, and says so.
pub(super) fn detaching(thread: pthread_t, at: u64, detach: impl FnOnce() -> c_int) -> c_int {
    let number = THREADS.get(thread);
    let turn = (number != 0).then(|| follow::turn(Act::Detach, follow::seat_of(number - 1), at));
    let answer = detach();
    let detached = answer == 0 && number != 0;
    if detached {
        local::record(Kind::Detach, 0, (number - 1) as u32, &[at]);
    }
    match turn {
        Some(turn) if detached => turn.done(),
        Some(turn) => turn.give_back(),
        None => {}
    }
    answer
}

unsafe extern "C-unwind" fn detach(thread: pthread_t, at: u64) -> c_int {
    // SAFETY: the argument is the program's.
    detaching(thread, at, || unsafe { real::pthread_detach(thread) })
}
