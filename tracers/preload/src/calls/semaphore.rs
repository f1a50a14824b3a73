//! `sem_*`.

use libc::{c_int, c_uint, clockid_t, sem_t, timespec};
use warpath_light_format::Kind;
use warpath_light_format::kind::{object, outcome as o};
use warpath_light_format::plan::Act;

use super::mutex::{destroying, record_life};
use super::{Asked, outcome, timed};
use crate::files::errno;
use crate::follow;
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
        local::event(Kind::SemWait, outcome(attempt, why) as u8, at, semaphore as u64, ticket);
    }
    answer
}

fn asked(semaphore: *mut sem_t, at: u64) -> Asked {
    Asked { kind: Kind::SemWait, object: semaphore as u64, at, owner: 0 }
}

fn is_empty(answer: c_int) -> bool {
    answer != 0 && errno() == libc::EAGAIN
}

/// # Safety
/// Points to a semaphore, and `wait` waits for it.
unsafe fn wait_some(semaphore: *mut sem_t, at: u64, wait: impl FnOnce() -> c_int) -> c_int {
    let turn = asked(semaphore, at).turn();
    // SAFETY: promised by the caller.
    let attempt = || unsafe { real::sem_trywait(semaphore) };
    let too_late = || {
        // SAFETY: always points to this thread's errno.
        unsafe { *libc::__errno_location() = libc::ETIMEDOUT };
        -1
    };
    let answer = timed(&turn, is_empty, attempt, too_late, wait);
    record_wait(semaphore, o::TIMED, answer, at);
    turn.done();
    answer
}

unsafe extern "C-unwind" fn init(semaphore: *mut sem_t, shared: c_int, value: c_uint, at: u64) -> c_int {
    let turn = follow::turn(Act::Init, semaphore as u64, at);
    // SAFETY: the arguments are the program's.
    let answer = unsafe { real::sem_init(semaphore, shared, value) };
    if answer != 0 {
        turn.give_back();
        return answer;
    }
    record_life(Kind::Init, object::SEMAPHORE, value, semaphore as u64, at);
    turn.done();
    answer
}

unsafe extern "C-unwind" fn destroy(semaphore: *mut sem_t, at: u64) -> c_int {
    // SAFETY: the argument is the program's.
    destroying(object::SEMAPHORE, semaphore as u64, at, || unsafe { real::sem_destroy(semaphore) })
}

unsafe extern "C-unwind" fn wait(semaphore: *mut sem_t, at: u64) -> c_int {
    let asked = asked(semaphore, at);
    let turn = asked.turn();
    let before = errno();
    // SAFETY: the argument is the program's.
    let attempt = || unsafe { real::sem_trywait(semaphore) };
    let wait = || {
        // SAFETY: always points to this thread's errno, which trying has changed.
        unsafe { *libc::__errno_location() = before };
        // SAFETY: the argument is the program's.
        unsafe { real::sem_wait(semaphore) }
    };
    let answer = asked.block(&turn, is_empty, attempt, wait);
    record_wait(semaphore, o::BLOCK, answer, at);
    turn.done();
    answer
}

unsafe extern "C-unwind" fn trywait(semaphore: *mut sem_t, at: u64) -> c_int {
    let turn = asked(semaphore, at).turn();
    // SAFETY: the argument is the program's.
    let answer = record_wait(semaphore, o::TRY, unsafe { real::sem_trywait(semaphore) }, at);
    turn.done();
    answer
}

unsafe extern "C-unwind" fn timedwait(semaphore: *mut sem_t, until: *const timespec, at: u64) -> c_int {
    // SAFETY: the arguments are the program's.
    unsafe { wait_some(semaphore, at, || real::sem_timedwait(semaphore, until)) }
}

unsafe extern "C-unwind" fn clockwait(
    semaphore: *mut sem_t,
    clock: clockid_t,
    until: *const timespec,
    at: u64,
) -> c_int {
    // SAFETY: the arguments are the program's.
    unsafe { wait_some(semaphore, at, || real::sem_clockwait(semaphore, clock, until)) }
}

/// Recorded before it is given: who takes the unit draws a later ticket. May be called by a signal handler.
unsafe extern "C-unwind" fn post(semaphore: *mut sem_t, at: u64) -> c_int {
    let turn = follow::turn(Act::SemPost, semaphore as u64, at);
    if local::recording() {
        local::event(Kind::SemPost, 0, at, semaphore as u64, OBJECTS.draw(semaphore as u64));
    }
    // SAFETY: the argument is the program's.
    let answer = unsafe { real::sem_post(semaphore) };
    turn.done();
    answer
}

unsafe extern "C-unwind" fn getvalue(semaphore: *mut sem_t, value: *mut c_int, at: u64) -> c_int {
    let turn = follow::turn(Act::SemValue, semaphore as u64, at);
    // SAFETY: the arguments are the program's.
    let answer = unsafe { real::sem_getvalue(semaphore, value) };
    if answer == 0 && local::recording() {
        // SAFETY: the C library has just written there.
        let found = unsafe { value.read() };
        local::record(Kind::SemValue, 0, found.max(0) as u32, &[at, semaphore as u64, 0]);
    }
    turn.done();
    answer
}
