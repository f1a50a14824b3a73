//! `pthread_rwlock_*`.

use libc::{c_int, clockid_t, pthread_rwlock_t, pthread_rwlockattr_t, timespec};
use warpath_light_format::Kind;
use warpath_light_format::kind::{object, outcome as o};
use warpath_light_format::plan::Act;

use super::mutex::{destroying, record_life};
use super::{Asked, holds, outcome, result, timed};
use crate::follow;
use crate::interpose::interpose;
use crate::local;
use crate::memory;
use crate::real::real;
use crate::tickets::OBJECTS;

interpose! {
    pthread_rwlock_init "rdx" => init;
    pthread_rwlock_destroy "rsi" => destroy;
    pthread_rwlock_rdlock "rsi" => rdlock;
    pthread_rwlock_wrlock "rsi" => wrlock;
    pthread_rwlock_tryrdlock "rsi" => tryrdlock;
    pthread_rwlock_trywrlock "rsi" => trywrlock;
    pthread_rwlock_timedrdlock "rdx" => timedrdlock;
    pthread_rwlock_timedwrlock "rdx" => timedwrlock;
    pthread_rwlock_clockrdlock "rcx" => clockrdlock;
    pthread_rwlock_clockwrlock "rcx" => clockwrlock;
    pthread_rwlock_unlock "rsi" => unlock;
}

mod real {
    use super::*;
    super::real! {
        fn pthread_rwlock_init(lock: *mut pthread_rwlock_t, with: *const pthread_rwlockattr_t) -> c_int;
        fn pthread_rwlock_destroy(lock: *mut pthread_rwlock_t) -> c_int;
        fn pthread_rwlock_rdlock(lock: *mut pthread_rwlock_t) -> c_int;
        fn pthread_rwlock_wrlock(lock: *mut pthread_rwlock_t) -> c_int;
        fn pthread_rwlock_tryrdlock(lock: *mut pthread_rwlock_t) -> c_int;
        fn pthread_rwlock_trywrlock(lock: *mut pthread_rwlock_t) -> c_int;
        fn pthread_rwlock_timedrdlock(lock: *mut pthread_rwlock_t, until: *const timespec) -> c_int;
        fn pthread_rwlock_timedwrlock(lock: *mut pthread_rwlock_t, until: *const timespec) -> c_int;
        fn pthread_rwlock_clockrdlock(lock: *mut pthread_rwlock_t, clock: clockid_t, until: *const timespec) -> c_int;
        fn pthread_rwlock_clockwrlock(lock: *mut pthread_rwlock_t, clock: clockid_t, until: *const timespec) -> c_int;
        fn pthread_rwlock_unlock(lock: *mut pthread_rwlock_t) -> c_int;
    }
}

type Lock = *mut pthread_rwlock_t;

fn record_lock(kind: Kind, lock: Lock, attempt: u16, answer: c_int, at: u64) -> c_int {
    if local::recording() {
        let ticket = if holds(answer) { OBJECTS.draw(lock as u64) } else { 0 };
        local::event(kind, outcome(attempt, answer) as u8, at, lock as u64, ticket);
    }
    answer
}

/// The seventh word of a lock has the kernel's number of the thread that writes.
fn asked(kind: Kind, lock: Lock, at: u64) -> Asked {
    Asked { kind, object: lock as u64, at, owner: lock as u64 + 24 }
}

fn block(
    kind: Kind,
    lock: Lock,
    at: u64,
    attempt: impl FnOnce() -> c_int,
    wait: impl FnOnce() -> c_int,
) -> c_int {
    let asked = asked(kind, lock, at);
    let turn = asked.turn();
    let answer = asked.block(&turn, |answer| answer == libc::EBUSY, attempt, wait);
    record_lock(kind, lock, o::BLOCK, answer, at);
    turn.done();
    answer
}

fn attempt(kind: Kind, lock: Lock, at: u64, attempt: impl FnOnce() -> c_int) -> c_int {
    let turn = asked(kind, lock, at).turn();
    let answer = record_lock(kind, lock, o::TRY, attempt(), at);
    turn.done();
    answer
}

/// # Safety
/// Points to a lock, and `wait` waits for it.
unsafe fn wait_some(kind: Kind, lock: Lock, at: u64, wait: impl FnOnce() -> c_int) -> c_int {
    let turn = asked(kind, lock, at).turn();
    let attempt = || match kind {
        // SAFETY: promised by the caller.
        Kind::RdLock => unsafe { real::pthread_rwlock_tryrdlock(lock) },
        // SAFETY: as above.
        _ => unsafe { real::pthread_rwlock_trywrlock(lock) },
    };
    let answer = timed(&turn, |answer| answer == libc::EBUSY, attempt, || libc::ETIMEDOUT, wait);
    record_lock(kind, lock, o::TIMED, answer, at);
    turn.done();
    answer
}

unsafe extern "C-unwind" fn init(lock: Lock, with: *const pthread_rwlockattr_t, at: u64) -> c_int {
    let turn = follow::turn(Act::Init, lock as u64, at);
    // SAFETY: the arguments are the program's.
    let answer = unsafe { real::pthread_rwlock_init(lock, with) };
    if answer != 0 {
        turn.give_back();
        return answer;
    }
    record_life(Kind::Init, object::RWLOCK, 0, lock as u64, at);
    turn.done();
    answer
}

unsafe extern "C-unwind" fn destroy(lock: Lock, at: u64) -> c_int {
    // SAFETY: the argument is the program's.
    destroying(object::RWLOCK, lock as u64, at, || unsafe { real::pthread_rwlock_destroy(lock) })
}

unsafe extern "C-unwind" fn rdlock(lock: Lock, at: u64) -> c_int {
    // SAFETY: the argument is the program's.
    let attempt = || unsafe { real::pthread_rwlock_tryrdlock(lock) };
    // SAFETY: as above.
    let wait = || unsafe { real::pthread_rwlock_rdlock(lock) };
    block(Kind::RdLock, lock, at, attempt, wait)
}

unsafe extern "C-unwind" fn wrlock(lock: Lock, at: u64) -> c_int {
    // SAFETY: the argument is the program's.
    let attempt = || unsafe { real::pthread_rwlock_trywrlock(lock) };
    // SAFETY: as above.
    let wait = || unsafe { real::pthread_rwlock_wrlock(lock) };
    block(Kind::WrLock, lock, at, attempt, wait)
}

unsafe extern "C-unwind" fn tryrdlock(lock: Lock, at: u64) -> c_int {
    // SAFETY: the argument is the program's.
    attempt(Kind::RdLock, lock, at, || unsafe { real::pthread_rwlock_tryrdlock(lock) })
}

unsafe extern "C-unwind" fn trywrlock(lock: Lock, at: u64) -> c_int {
    // SAFETY: the argument is the program's.
    attempt(Kind::WrLock, lock, at, || unsafe { real::pthread_rwlock_trywrlock(lock) })
}

unsafe extern "C-unwind" fn timedrdlock(lock: Lock, until: *const timespec, at: u64) -> c_int {
    // SAFETY: the arguments are the program's.
    unsafe { wait_some(Kind::RdLock, lock, at, || real::pthread_rwlock_timedrdlock(lock, until)) }
}

unsafe extern "C-unwind" fn timedwrlock(lock: Lock, until: *const timespec, at: u64) -> c_int {
    // SAFETY: the arguments are the program's.
    unsafe { wait_some(Kind::WrLock, lock, at, || real::pthread_rwlock_timedwrlock(lock, until)) }
}

unsafe extern "C-unwind" fn clockrdlock(
    lock: Lock,
    clock: clockid_t,
    until: *const timespec,
    at: u64,
) -> c_int {
    // SAFETY: the arguments are the program's.
    unsafe { wait_some(Kind::RdLock, lock, at, || real::pthread_rwlock_clockrdlock(lock, clock, until)) }
}

unsafe extern "C-unwind" fn clockwrlock(
    lock: Lock,
    clock: clockid_t,
    until: *const timespec,
    at: u64,
) -> c_int {
    // SAFETY: the arguments are the program's.
    unsafe { wait_some(Kind::WrLock, lock, at, || real::pthread_rwlock_clockwrlock(lock, clock, until)) }
}

unsafe extern "C-unwind" fn unlock(lock: Lock, at: u64) -> c_int {
    let turn = follow::turn(Act::RwUnlock, lock as u64, at);
    let recording = local::recording();
    memory::settle();
    // SAFETY: a `pthread_rwlock_t` has 56 bytes on x86-64; the seventh word is the writer's thread.
    let writer = unsafe { lock.cast::<u32>().add(6).read_volatile() };
    let ticket = if recording { OBJECTS.draw(lock as u64) } else { 0 };
    // SAFETY: the argument is the program's.
    let answer = unsafe { real::pthread_rwlock_unlock(lock) };
    if recording {
        local::record(Kind::RwUnlock, result(answer), u32::from(writer != 0), &[at, lock as u64, ticket]);
    }
    turn.done();
    answer
}
