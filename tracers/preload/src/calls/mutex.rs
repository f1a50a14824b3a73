//! `pthread_mutex_*`. What happens most of the time is in [`super::quick`].

use libc::{c_int, clockid_t, pthread_mutex_t, pthread_mutexattr_t, timespec};
use warpath_light_format::kind::{mutex, object, outcome as o};
use warpath_light_format::plan::Act;
use warpath_light_format::{Kind, compact};

use super::{Asked, holds, outcome, result, ticket, timed};
use crate::again;
use crate::follow::{self, Turn};
use crate::here::here;
use crate::interpose::interpose;
use crate::local;
use crate::memory;
use crate::real::real;
use crate::tickets::OBJECTS;

interpose! {
    pthread_mutex_init "rdx" => init;
    pthread_mutex_destroy "rsi" => destroy;
    pthread_mutex_timedlock "rdx" => timedlock;
    pthread_mutex_clocklock "rcx" => clocklock;
}

pub(super) mod real {
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

/// A lock that was attempted; `draw` draws tickets of its kind of object.
#[inline(always)]
pub(super) fn record_lock(draw: ticket::Draw, mutex: u64, kind: u32, attempt: u16, answer: c_int, at: u64) {
    if local::recording() {
        // It is held, and so its ticket is nobody else's.
        // SAFETY: the program says that it is one.
        let ticket = if holds(answer) { unsafe { draw(mutex, at) } } else { 0 };
        let outcome = outcome(attempt, answer);
        if kind == mutex::NORMAL && outcome == o::BLOCK * 16 + o::DONE {
            local::lock(at, mutex, ticket);
        } else if kind == mutex::NORMAL && ticket >> compact::LOCK_TICKET == 0 {
            local::event(Kind::Lock, outcome as u8, at, mutex, ticket);
        } else {
            local::record(Kind::Lock, outcome, kind, &[at, mutex, ticket]);
        }
    }
}

/// A lock that is about to be given up, and surely will be.
#[inline(always)]
pub(super) fn record_unlock(draw: ticket::Draw, mutex: u64, at: u64) {
    if local::recording() {
        // SAFETY: the program says that it is one.
        local::unlock(at, mutex, unsafe { draw(mutex, at) });
    }
}

/// A mutex that is asked for: its third word has the kernel's number of the thread that has it.
pub(super) fn asked(mutex: u64, at: u64) -> Asked {
    Asked { kind: Kind::Lock, object: mutex, at, owner: mutex + 8 }
}

/// An object is destroyed, and before that it is said. Of one that nobody has ever used nothing is known.
pub(super) fn destroying<R>(what: u16, object: u64, at: u64, destroy: impl FnOnce() -> R) -> R {
    let turn = (OBJECTS.get(object) != 0).then(|| follow::turn(Act::Destroy, object, at));
    record_life(Kind::Destroy, what, 0, object, at);
    let answer = destroy();
    if let Some(turn) = turn {
        turn.done();
    }
    answer
}

/// # Safety
/// Points to a mutex, and `wait` waits for it.
unsafe fn timed_lock(mutex: *mut pthread_mutex_t, at: u64, wait: impl FnOnce() -> c_int) -> c_int {
    let turn = asked(mutex as u64, at).turn();
    // SAFETY: promised by the caller.
    let attempt = || unsafe { real::pthread_mutex_trylock(mutex) };
    let answer = timed(&turn, |answer| answer == libc::EBUSY, attempt, || libc::ETIMEDOUT, wait);
    // SAFETY: promised by the caller.
    record_lock(ticket::of_mutex, mutex as u64, unsafe { kind(mutex) }, o::TIMED, answer, at);
    turn.done();
    answer
}

/// Takes a mutex again behind a wait for a condition, and gives it up before one.
///
/// # Safety
/// Points to a mutex.
pub(super) unsafe fn take_again(mutex: *mut pthread_mutex_t, turn: &Turn, at: u64) -> c_int {
    // SAFETY: promised by the caller.
    let answer = unsafe { real::pthread_mutex_trylock(mutex) };
    if answer != libc::EBUSY {
        return answer;
    }
    turn.blocked(Act::CondWake, mutex as u64, at);
    // SAFETY: promised by the caller.
    unsafe { real::pthread_mutex_lock(mutex) }
}

/// # Safety
/// As above.
pub(super) unsafe fn give_up(mutex: *mut pthread_mutex_t) -> c_int {
    // SAFETY: promised by the caller.
    unsafe { real::pthread_mutex_unlock(mutex) }
}

/// An object that has come into being, or is about to go.
pub(super) fn record_life(kind: Kind, what: u16, number: u32, object: u64, at: u64) {
    if local::recording() {
        let ticket = match (what, kind) {
            // SAFETY: the program says that it is a mutex.
            (object::MUTEX, Kind::Init) => unsafe { ticket::draw_first(object as *mut _) },
            // SAFETY: as above.
            (object::MUTEX, _) => unsafe { ticket::of_mutex(object, at) },
            _ => OBJECTS.draw(object),
        };
        local::record(kind, what, number, &[at, object, ticket]);
    }
}

unsafe extern "C-unwind" fn init(
    mutex: *mut pthread_mutex_t,
    with: *const pthread_mutexattr_t,
    at: u64,
) -> c_int {
    let turn = follow::turn(Act::Init, mutex as u64, at);
    // SAFETY: the arguments are the program's.
    let answer = unsafe { real::pthread_mutex_init(mutex, with) };
    if answer != 0 {
        turn.give_back();
        return answer;
    }
    // SAFETY: it is a mutex now.
    record_life(Kind::Init, object::MUTEX, unsafe { kind(mutex) }, mutex as u64, at);
    turn.done();
    answer
}

unsafe extern "C-unwind" fn destroy(mutex: *mut pthread_mutex_t, at: u64) -> c_int {
    // SAFETY: the argument is the program's.
    destroying(object::MUTEX, mutex as u64, at, || unsafe { real::pthread_mutex_destroy(mutex) })
}

/// Would the running thread be told that it has the mutex already, instead of waiting for itself?
///
/// # Safety
/// Points to a mutex.
unsafe fn refuses(mutex: *const pthread_mutex_t) -> bool {
    // SAFETY: promised by the caller; the third word of a mutex is its owner.
    unsafe {
        kind(mutex) % mutex::ROBUST == mutex::ERROR_CHECK
            && mutex.cast::<i32>().add(2).read_volatile() == libc::gettid()
    }
}

/// A mutex that was taken by [`super::quick`] and could not be recorded there.
pub(super) unsafe extern "C-unwind" fn taken(mutex: *mut pthread_mutex_t, at: u64) -> c_int {
    // SAFETY: it is held.
    let ticket = unsafe { ticket::draw(mutex, at) };
    again::note(here(), at, mutex as u64, ticket);
    local::lock(at, mutex as u64, ticket);
    0
}

/// The same of one that was only tried.
pub(super) unsafe extern "C-unwind" fn taken_at_once(mutex: *mut pthread_mutex_t, at: u64) -> c_int {
    record_lock(ticket::of_mutex, mutex as u64, mutex::NORMAL, o::TRY, 0, at);
    0
}

/// Releases a mutex, which could not be recorded by [`super::quick`].
pub(super) unsafe extern "C-unwind" fn leave(mutex: *mut pthread_mutex_t, at: u64) -> c_int {
    // SAFETY: it is held.
    let ticket = unsafe { ticket::draw(mutex, at) };
    again::note_release(here(), at, mutex as u64);
    again::note(here(), at, mutex as u64, ticket);
    local::unlock(at, mutex as u64, ticket);
    // SAFETY: the argument is the program's.
    unsafe { release(mutex) }
}

/// Releases a mutex for which others wait; its record is written.
pub(super) unsafe extern "C-unwind" fn release(mutex: *mut pthread_mutex_t) -> c_int {
    // SAFETY: the argument is the program's.
    unsafe { real::pthread_mutex_unlock(mutex) }
}

pub(super) unsafe extern "C-unwind" fn lock(mutex: *mut pthread_mutex_t, at: u64) -> c_int {
    // SAFETY: the argument is the program's.
    unsafe { if local::is_idle() { real::pthread_mutex_lock(mutex) } else { lock_slowly(mutex, at) } }
}

#[inline(never)]
unsafe extern "C-unwind" fn lock_slowly(mutex: *mut pthread_mutex_t, at: u64) -> c_int {
    // SAFETY: the argument is the program's.
    let attempt = || unsafe {
        match real::pthread_mutex_trylock(mutex) {
            libc::EBUSY if refuses(mutex) => libc::EDEADLK,
            answer => answer,
        }
    };
    // SAFETY: as above.
    let wait = || unsafe { real::pthread_mutex_lock(mutex) };
    let asked = asked(mutex as u64, at);
    let turn = asked.turn();
    let answer = asked.block(&turn, |answer| answer == libc::EBUSY, attempt, wait);
    // SAFETY: the program says that it is a mutex.
    record_lock(ticket::of_mutex, mutex as u64, unsafe { kind(mutex) }, o::BLOCK, answer, at);
    turn.done();
    answer
}

pub(super) unsafe extern "C-unwind" fn trylock(mutex: *mut pthread_mutex_t, at: u64) -> c_int {
    let turn = asked(mutex as u64, at).turn();
    // SAFETY: the argument is the program's.
    let answer = unsafe { real::pthread_mutex_trylock(mutex) };
    // SAFETY: the program says that it is a mutex.
    record_lock(ticket::of_mutex, mutex as u64, unsafe { kind(mutex) }, o::TRY, answer, at);
    turn.done();
    answer
}

unsafe extern "C-unwind" fn timedlock(mutex: *mut pthread_mutex_t, until: *const timespec, at: u64) -> c_int {
    // SAFETY: the arguments are the program's.
    unsafe { timed_lock(mutex, at, || real::pthread_mutex_timedlock(mutex, until)) }
}

unsafe extern "C-unwind" fn clocklock(
    mutex: *mut pthread_mutex_t,
    clock: clockid_t,
    until: *const timespec,
    at: u64,
) -> c_int {
    // SAFETY: the arguments are the program's.
    unsafe { timed_lock(mutex, at, || real::pthread_mutex_clocklock(mutex, clock, until)) }
}

pub(super) unsafe extern "C-unwind" fn unlock(mutex: *mut pthread_mutex_t, at: u64) -> c_int {
    // SAFETY: the argument is the program's.
    unsafe { if local::is_idle() { real::pthread_mutex_unlock(mutex) } else { unlock_slowly(mutex, at) } }
}

#[inline(never)]
unsafe extern "C-unwind" fn unlock_slowly(mutex: *mut pthread_mutex_t, at: u64) -> c_int {
    let turn = follow::turn(Act::Unlock, mutex as u64, at);
    // SAFETY: the program says that it is a mutex.
    if unsafe { kind(mutex) } == mutex::NORMAL {
        record_unlock(ticket::of_mutex, mutex as u64, at);
        // SAFETY: the argument is the program's.
        let answer = unsafe { real::pthread_mutex_unlock(mutex) };
        turn.done();
        return answer;
    }
    // These may refuse, so their record comes behind; the ticket is drawn while the mutex is held.
    let recording = local::recording();
    memory::settle();
    // SAFETY: the program says that it is a mutex.
    let ticket = if recording { unsafe { ticket::draw(mutex, at) } } else { 0 };
    // SAFETY: the argument is the program's.
    let answer = unsafe { real::pthread_mutex_unlock(mutex) };
    if recording {
        local::record(Kind::Unlock, result(answer), 0, &[at, mutex as u64, ticket]);
    }
    turn.done();
    answer
}
