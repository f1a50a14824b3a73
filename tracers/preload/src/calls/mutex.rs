//! `pthread_mutex_*`.

use libc::{c_int, clockid_t, pthread_mutex_t, pthread_mutexattr_t, timespec};
use warpath_light_format::Kind;
use warpath_light_format::kind::{mutex, object, outcome as o};

use super::{block, holds, outcome, result};
use crate::interpose::interpose;
use crate::local;
use crate::real::real;
use crate::tickets::OBJECTS;

interpose! {
    pthread_mutex_init "rdx" => init;
    pthread_mutex_destroy "rsi" => destroy;
    pthread_mutex_lock "rsi" => lock;
    pthread_mutex_trylock "rsi" => trylock;
    pthread_mutex_timedlock "rdx" => timedlock;
    pthread_mutex_clocklock "rcx" => clocklock;
    pthread_mutex_unlock "rsi" => unlock;
}

mod real {
    use super::*;
    super::real! {
        fn pthread_mutex_init(mutex: *mut pthread_mutex_t, with: *const pthread_mutexattr_t) -> c_int;
        fn pthread_mutex_destroy(mutex: *mut pthread_mutex_t) -> c_int;
        fn pthread_mutex_lock(mutex: *mut pthread_mutex_t) -> c_int;
        fn pthread_mutex_trylock(mutex: *mut pthread_mutex_t) -> c_int;
        fn pthread_mutex_timedlock(mutex: *mut pthread_mutex_t, until: *const timespec) -> c_int;
        fn pthread_mutex_clocklock(mutex: *mut pthread_mutex_t, clock: clockid_t, until: *const timespec) -> c_int;
        fn pthread_mutex_unlock(mutex: *mut pthread_mutex_t) -> c_int;
    }
}

/// What kind of mutex this is: the C library keeps it in the fifth word of the mutex, whichever way it was made.
///
/// # Safety
/// Points to a mutex.
pub(super) unsafe fn kind(mutex: *const pthread_mutex_t) -> u32 {
    // SAFETY: a `pthread_mutex_t` has 40 bytes on x86-64.
    let word = unsafe { mutex.cast::<u32>().add(4).read_volatile() };
    let robust = if word & 16 != 0 { mutex::ROBUST } else { 0 };
    robust
        + match word & 3 {
            1 => mutex::RECURSIVE,
            2 => mutex::ERROR_CHECK,
            _ => mutex::NORMAL,
        }
}

/// A lock that was attempted.
pub(super) fn record_lock(mutex: u64, kind: u32, attempt: u16, answer: c_int, at: u64) {
    if local::recording() {
        let ticket = if holds(answer) { OBJECTS.draw(mutex) } else { 0 };
        local::record(Kind::Lock, outcome(attempt, answer), kind, &[at, mutex, ticket]);
    }
}

/// A lock that is about to be given up, and surely will be.
pub(super) fn record_unlock(mutex: u64, at: u64) {
    if local::recording() {
        local::record(Kind::Unlock, o::DONE, 0, &[at, mutex, OBJECTS.draw(mutex)]);
    }
}

/// An object that has come into being, or is about to go.
pub(super) fn record_life(kind: Kind, what: u16, number: u32, object: u64, at: u64) {
    if local::recording() {
        local::record(kind, what, number, &[at, object, OBJECTS.draw(object)]);
    }
}

unsafe extern "C-unwind" fn init(
    mutex: *mut pthread_mutex_t,
    with: *const pthread_mutexattr_t,
    at: u64,
) -> c_int {
    // SAFETY: the arguments are the program's.
    let answer = unsafe { real::pthread_mutex_init(mutex, with) };
    if answer == 0 {
        // SAFETY: it is a mutex now.
        record_life(Kind::Init, object::MUTEX, unsafe { kind(mutex) }, mutex as u64, at);
    }
    answer
}

unsafe extern "C-unwind" fn destroy(mutex: *mut pthread_mutex_t, at: u64) -> c_int {
    record_life(Kind::Destroy, object::MUTEX, 0, mutex as u64, at);
    // SAFETY: the argument is the program's.
    unsafe { real::pthread_mutex_destroy(mutex) }
}

unsafe extern "C-unwind" fn lock(mutex: *mut pthread_mutex_t, at: u64) -> c_int {
    // SAFETY: the argument is the program's.
    let attempt = || unsafe { real::pthread_mutex_trylock(mutex) };
    // SAFETY: as above.
    let wait = || unsafe { real::pthread_mutex_lock(mutex) };
    let answer = block(Kind::Lock, mutex as u64, at, |answer| answer == libc::EBUSY, attempt, wait);
    // SAFETY: the program says that it is a mutex.
    record_lock(mutex as u64, unsafe { kind(mutex) }, o::BLOCK, answer, at);
    answer
}

unsafe extern "C-unwind" fn trylock(mutex: *mut pthread_mutex_t, at: u64) -> c_int {
    // SAFETY: the argument is the program's.
    let answer = unsafe { real::pthread_mutex_trylock(mutex) };
    // SAFETY: the program says that it is a mutex.
    record_lock(mutex as u64, unsafe { kind(mutex) }, o::TRY, answer, at);
    answer
}

unsafe extern "C-unwind" fn timedlock(mutex: *mut pthread_mutex_t, until: *const timespec, at: u64) -> c_int {
    // SAFETY: the arguments are the program's.
    let answer = unsafe { real::pthread_mutex_timedlock(mutex, until) };
    // SAFETY: the program says that it is a mutex.
    record_lock(mutex as u64, unsafe { kind(mutex) }, o::TIMED, answer, at);
    answer
}

unsafe extern "C-unwind" fn clocklock(
    mutex: *mut pthread_mutex_t,
    clock: clockid_t,
    until: *const timespec,
    at: u64,
) -> c_int {
    // SAFETY: the arguments are the program's.
    let answer = unsafe { real::pthread_mutex_clocklock(mutex, clock, until) };
    // SAFETY: the program says that it is a mutex.
    record_lock(mutex as u64, unsafe { kind(mutex) }, o::TIMED, answer, at);
    answer
}

unsafe extern "C-unwind" fn unlock(mutex: *mut pthread_mutex_t, at: u64) -> c_int {
    // SAFETY: the program says that it is a mutex.
    if unsafe { kind(mutex) } == mutex::NORMAL {
        record_unlock(mutex as u64, at);
        // SAFETY: the argument is the program's.
        return unsafe { real::pthread_mutex_unlock(mutex) };
    }
    // These may refuse, so their record comes behind; the ticket is drawn while the mutex is held.
    let recording = local::recording();
    let ticket = if recording { OBJECTS.draw(mutex as u64) } else { 0 };
    // SAFETY: the argument is the program's.
    let answer = unsafe { real::pthread_mutex_unlock(mutex) };
    if recording {
        local::record(Kind::Unlock, result(answer), 0, &[at, mutex as u64, ticket]);
    }
    answer
}
