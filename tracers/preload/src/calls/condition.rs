//! `pthread_cond_*`.

use libc::{c_int, clockid_t, pthread_cond_t, pthread_condattr_t, pthread_mutex_t, timespec};
use warpath_light_format::Kind;
use warpath_light_format::kind::{object, outcome as o};

use super::mutex::record_life;
use super::outcome;
use crate::interpose::interpose;
use crate::local;
use crate::real::real;
use crate::tickets::OBJECTS;

interpose! {
    pthread_cond_init "rdx" => init;
    pthread_cond_destroy "rsi" => destroy;
    pthread_cond_wait "rdx" => wait;
    pthread_cond_timedwait "rcx" => timedwait;
    pthread_cond_clockwait "r8" => clockwait;
    pthread_cond_signal "rsi" => signal;
    pthread_cond_broadcast "rsi" => broadcast;
}

mod real {
    use super::*;
    super::real! {
        #[version = c"GLIBC_2.3.2"]
        fn pthread_cond_init(condition: *mut pthread_cond_t, with: *const pthread_condattr_t) -> c_int;
        #[version = c"GLIBC_2.3.2"]
        fn pthread_cond_destroy(condition: *mut pthread_cond_t) -> c_int;
        #[version = c"GLIBC_2.3.2"]
        fn pthread_cond_wait(condition: *mut pthread_cond_t, mutex: *mut pthread_mutex_t) -> c_int;
        #[version = c"GLIBC_2.3.2"]
        fn pthread_cond_timedwait(
            condition: *mut pthread_cond_t, mutex: *mut pthread_mutex_t, until: *const timespec,
        ) -> c_int;
        fn pthread_cond_clockwait(
            condition: *mut pthread_cond_t, mutex: *mut pthread_mutex_t, clock: clockid_t, until: *const timespec,
        ) -> c_int;
        #[version = c"GLIBC_2.3.2"]
        fn pthread_cond_signal(condition: *mut pthread_cond_t) -> c_int;
        #[version = c"GLIBC_2.3.2"]
        fn pthread_cond_broadcast(condition: *mut pthread_cond_t) -> c_int;
    }
}

type Condition = *mut pthread_cond_t;
type Mutex = *mut pthread_mutex_t;

/// The first half of a wait, the wait itself, and the second half. The tickets of both objects are drawn while the
/// mutex is held.
///
/// `error` makes the number of an error of the answer.
pub(super) fn waiting(
    condition: u64,
    mutex: u64,
    attempt: u16,
    at: u64,
    error: fn(c_int) -> c_int,
    wait: impl FnOnce() -> c_int,
) -> c_int {
    if local::recording() {
        let (first, second) = (OBJECTS.draw(condition), OBJECTS.draw(mutex));
        local::record(Kind::CondWait, attempt * 16, 0, &[at, condition, first, mutex, second]);
        local::waits(Kind::CondWake, attempt * 16 + o::PENDING, &[at, condition, mutex]);
    }
    let answer = wait();
    local::waits_no_more();
    if local::recording() {
        let (first, second) = (OBJECTS.draw(condition), OBJECTS.draw(mutex));
        local::record(
            Kind::CondWake,
            outcome(attempt, error(answer)),
            0,
            &[at, condition, first, mutex, second],
        );
    }
    answer
}

/// A signal or a broadcast, before it is given.
pub(super) fn record_signal(kind: Kind, condition: u64, at: u64) {
    if local::recording() {
        local::record(kind, 0, 0, &[at, condition, OBJECTS.draw(condition)]);
    }
}

unsafe extern "C-unwind" fn init(condition: Condition, with: *const pthread_condattr_t, at: u64) -> c_int {
    // SAFETY: the arguments are the program's.
    let answer = unsafe { real::pthread_cond_init(condition, with) };
    if answer == 0 {
        record_life(Kind::Init, object::CONDITION, 0, condition as u64, at);
    }
    answer
}

unsafe extern "C-unwind" fn destroy(condition: Condition, at: u64) -> c_int {
    record_life(Kind::Destroy, object::CONDITION, 0, condition as u64, at);
    // SAFETY: the argument is the program's.
    unsafe { real::pthread_cond_destroy(condition) }
}

unsafe extern "C-unwind" fn wait(condition: Condition, mutex: Mutex, at: u64) -> c_int {
    // SAFETY: the arguments are the program's.
    let real = || unsafe { real::pthread_cond_wait(condition, mutex) };
    waiting(condition as u64, mutex as u64, o::BLOCK, at, |answer| answer, real)
}

unsafe extern "C-unwind" fn timedwait(
    condition: Condition,
    mutex: Mutex,
    until: *const timespec,
    at: u64,
) -> c_int {
    // SAFETY: the arguments are the program's.
    let real = || unsafe { real::pthread_cond_timedwait(condition, mutex, until) };
    waiting(condition as u64, mutex as u64, o::TIMED, at, |answer| answer, real)
}

unsafe extern "C-unwind" fn clockwait(
    condition: Condition,
    mutex: Mutex,
    clock: clockid_t,
    until: *const timespec,
    at: u64,
) -> c_int {
    // SAFETY: the arguments are the program's.
    let real = || unsafe { real::pthread_cond_clockwait(condition, mutex, clock, until) };
    waiting(condition as u64, mutex as u64, o::TIMED, at, |answer| answer, real)
}

unsafe extern "C-unwind" fn signal(condition: Condition, at: u64) -> c_int {
    record_signal(Kind::Signal, condition as u64, at);
    // SAFETY: the argument is the program's.
    unsafe { real::pthread_cond_signal(condition) }
}

unsafe extern "C-unwind" fn broadcast(condition: Condition, at: u64) -> c_int {
    record_signal(Kind::Broadcast, condition as u64, at);
    // SAFETY: the argument is the program's.
    unsafe { real::pthread_cond_broadcast(condition) }
}
