//! `sem_*`.

use libc::{c_int, c_uint, clockid_t, sem_t, timespec};
use warpath_light_format::Kind;
use warpath_light_format::kind::{object, outcome as o};

use super::mutex::record_life;
use super::outcome;
use crate::files::errno;
use crate::interpose::interpose;
use crate::local;
use crate::real::real;
use crate::tickets::OBJECTS;

interpose! {
    sem_init "rcx" => init;
    sem_destroy "rsi" => destroy;
    sem_wait "rsi" => wait;
    sem_trywait "rsi" => trywait;
    sem_timedwait "rdx" => timedwait;
    sem_clockwait "rcx" => clockwait;
    sem_post "rsi" => post;
    sem_getvalue "rdx" => getvalue;
}

mod real {
    use super::*;
    super::real! {
        fn sem_init(semaphore: *mut sem_t, shared: c_int, value: c_uint) -> c_int;
        fn sem_destroy(semaphore: *mut sem_t) -> c_int;
        fn sem_wait(semaphore: *mut sem_t) -> c_int;
        fn sem_trywait(semaphore: *mut sem_t) -> c_int;
        fn sem_timedwait(semaphore: *mut sem_t, until: *const timespec) -> c_int;
        fn sem_clockwait(semaphore: *mut sem_t, clock: clockid_t, until: *const timespec) -> c_int;
        fn sem_post(semaphore: *mut sem_t) -> c_int;
        fn sem_getvalue(semaphore: *mut sem_t, value: *mut c_int) -> c_int;
    }
}

/// Semaphores answer -1 and say why in `errno`, which must be the program's when we are done.
fn record_wait(semaphore: *mut sem_t, attempt: u16, answer: c_int, at: u64) -> c_int {
    if local::recording() {
        let why = if answer == 0 { 0 } else { errno() };
        let ticket = if answer == 0 { OBJECTS.draw(semaphore as u64) } else { 0 };
        local::record(Kind::SemWait, outcome(attempt, why), 0, &[at, semaphore as u64, ticket]);
    }
    answer
}

unsafe extern "C-unwind" fn init(semaphore: *mut sem_t, shared: c_int, value: c_uint, at: u64) -> c_int {
    // SAFETY: the arguments are the program's.
    let answer = unsafe { real::sem_init(semaphore, shared, value) };
    if answer == 0 {
        record_life(Kind::Init, object::SEMAPHORE, value, semaphore as u64, at);
    }
    answer
}

unsafe extern "C-unwind" fn destroy(semaphore: *mut sem_t, at: u64) -> c_int {
    record_life(Kind::Destroy, object::SEMAPHORE, 0, semaphore as u64, at);
    // SAFETY: the argument is the program's.
    unsafe { real::sem_destroy(semaphore) }
}

unsafe extern "C-unwind" fn wait(semaphore: *mut sem_t, at: u64) -> c_int {
    let before = errno();
    // SAFETY: the argument is the program's.
    let mut answer = unsafe { real::sem_trywait(semaphore) };
    if answer != 0 && errno() == libc::EAGAIN {
        // SAFETY: always points to this thread's errno, which trying has changed.
        unsafe { *libc::__errno_location() = before };
        local::waits(Kind::SemWait, o::BLOCK * 16 + o::PENDING, &[at, semaphore as u64, 0]);
        // SAFETY: the argument is the program's.
        answer = unsafe { real::sem_wait(semaphore) };
        local::waits_no_more();
    }
    record_wait(semaphore, o::BLOCK, answer, at)
}

unsafe extern "C-unwind" fn trywait(semaphore: *mut sem_t, at: u64) -> c_int {
    // SAFETY: the argument is the program's.
    record_wait(semaphore, o::TRY, unsafe { real::sem_trywait(semaphore) }, at)
}

unsafe extern "C-unwind" fn timedwait(semaphore: *mut sem_t, until: *const timespec, at: u64) -> c_int {
    // SAFETY: the arguments are the program's.
    record_wait(semaphore, o::TIMED, unsafe { real::sem_timedwait(semaphore, until) }, at)
}

unsafe extern "C-unwind" fn clockwait(
    semaphore: *mut sem_t,
    clock: clockid_t,
    until: *const timespec,
    at: u64,
) -> c_int {
    // SAFETY: the arguments are the program's.
    record_wait(semaphore, o::TIMED, unsafe { real::sem_clockwait(semaphore, clock, until) }, at)
}

/// Recorded before it is given: who takes the unit draws a later ticket. May be called by a signal handler.
unsafe extern "C-unwind" fn post(semaphore: *mut sem_t, at: u64) -> c_int {
    if local::recording() {
        local::record(Kind::SemPost, 0, 0, &[at, semaphore as u64, OBJECTS.draw(semaphore as u64)]);
    }
    // SAFETY: the argument is the program's.
    unsafe { real::sem_post(semaphore) }
}

unsafe extern "C-unwind" fn getvalue(semaphore: *mut sem_t, value: *mut c_int, at: u64) -> c_int {
    // SAFETY: the arguments are the program's.
    let answer = unsafe { real::sem_getvalue(semaphore, value) };
    if answer == 0 && local::recording() {
        // SAFETY: the C library has just written there.
        let found = unsafe { value.read() };
        local::record(Kind::SemValue, 0, found.max(0) as u32, &[at, semaphore as u64, 0]);
    }
    answer
}
