//! `pthread_cond_*`.

use libc::{c_int, clockid_t, pthread_cond_t, pthread_condattr_t, pthread_mutex_t, timespec};
use warpath_light_format::Kind;
use warpath_light_format::kind::{object, outcome as o};
use warpath_light_format::plan::Act;

use super::mutex::{destroying, give_up, record_life, take_again};
use super::{outcome, ticket};
use crate::follow;
use crate::follow::condition::{Deadline, Waiter};
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

/// A wait for a condition.
#[derive(Clone, Copy)]
pub(super) struct Wait {
    pub(super) condition: u64,
    pub(super) mutex: Mutex,
    pub(super) at: u64,
    /// The clock and the time until which it waits.
    pub(super) until: Option<(clockid_t, *const timespec)>,
}

/// The first half of a wait, the wait itself, and the second half. The tickets of both objects are drawn while the
/// mutex is held.
///
/// `error` makes the number of an error of the answer.
pub(super) fn waiting(this: Wait, error: fn(c_int) -> c_int, wait: impl FnOnce() -> c_int) -> c_int {
    let Wait { condition, mutex: held, at, until } = this;
    let mutex = held as u64;
    let attempt = if until.is_some() { o::TIMED } else { o::BLOCK };
    if local::recording() {
        // SAFETY: the program says that it is a mutex, and the thread holds it.
        let (first, second) = (OBJECTS.draw(condition), unsafe { ticket::draw(held, at) });
        local::record(Kind::CondWait, attempt * 16, 0, &[at, condition, first, mutex, second]);
        local::waits(Kind::CondWake, attempt * 16 + o::PENDING, &[at, condition, mutex]);
    }
    let answer = wait();
    local::waits_no_more();
    if local::recording() {
        // SAFETY: the program says that it is a mutex, and the thread holds it.
        let (first, second) = (OBJECTS.draw(condition), unsafe { ticket::draw(held, at) });
        local::record(
            Kind::CondWake,
            outcome(attempt, error(answer)),
            0,
            &[at, condition, first, mutex, second],
        );
    }
    answer
}

/// The same in a process that follows a schedule: the number of an error. Each half is a step.
pub(super) fn waiting_by_schedule(this: Wait) -> c_int {
    let Wait { condition, mutex, at, until } = this;
    let attempt = if until.is_some() { o::TIMED } else { o::BLOCK };
    // SAFETY: the time is the program's.
    let deadline = until.map(|(clock, until)| Deadline { clock, until: unsafe { until.read() } });
    let pending = || local::waits(Kind::CondWake, attempt * 16 + o::PENDING, &[at, condition, mutex as u64]);
    let turn = follow::turn(Act::CondWait, condition, at);
    let waiter = Waiter::new(condition);
    let woken = waiter.queued(|| {
        if local::recording() {
            // SAFETY: the program says that it is a mutex, and the thread holds it.
            let (first, second) = (OBJECTS.draw(condition), unsafe { ticket::draw(mutex, at) });
            local::record(Kind::CondWait, attempt * 16, 0, &[at, condition, first, mutex as u64, second]);
        }
        // SAFETY: the mutex is the program's.
        let answer = unsafe { give_up(mutex) };
        turn.done();
        if answer != 0 {
            return Err(answer);
        }
        if attempt == o::BLOCK {
            pending();
        }
        let turn = follow::turn(Act::CondWake, condition, at);
        let woken = if turn.is_step() {
            // Who waits as long as it takes may be woken without a reason.
            waiter.takes_signal() || deadline.is_none()
        } else {
            if attempt == o::BLOCK {
                pending();
            }
            waiter.wait(deadline.as_ref())
        };
        Ok((turn, woken))
    });
    let (turn, woken) = match woken {
        Ok(woken) => woken,
        Err(error) => return error,
    };
    // SAFETY: the mutex is the program's.
    let taken = unsafe { take_again(mutex, &turn, at) };
    local::waits_no_more();
    let answer = match taken {
        0 if !woken => libc::ETIMEDOUT,
        taken => taken,
    };
    if local::recording() {
        // SAFETY: the program says that it is a mutex, and the thread holds it.
        let (first, second) = (OBJECTS.draw(condition), unsafe { ticket::draw(mutex, at) });
        let words = [at, condition, first, mutex as u64, second];
        local::record(Kind::CondWake, outcome(attempt, answer), 0, &words);
    }
    turn.done();
    answer
}

/// A signal or a broadcast, which is written down before it is given.
pub(super) fn signalling(kind: Kind, condition: u64, at: u64, give: impl FnOnce() -> c_int) -> c_int {
    let act = if kind == Kind::Signal { Act::Signal } else { Act::Broadcast };
    let turn = follow::turn(act, condition, at);
    if local::recording() {
        local::event(kind, 0, at, condition, OBJECTS.draw(condition));
    }
    if follow::engaged() {
        follow::condition::wake(condition, kind == Kind::Broadcast);
        turn.done();
        return 0;
    }
    turn.done();
    give()
}

fn either(wait: Wait, real: impl FnOnce() -> c_int) -> c_int {
    if follow::engaged() { waiting_by_schedule(wait) } else { waiting(wait, |answer| answer, real) }
}

unsafe extern "C-unwind" fn init(condition: Condition, with: *const pthread_condattr_t, at: u64) -> c_int {
    let turn = follow::turn(Act::Init, condition as u64, at);
    // SAFETY: the arguments are the program's.
    let answer = unsafe { real::pthread_cond_init(condition, with) };
    if answer != 0 {
        turn.give_back();
        return answer;
    }
    if follow::engaged() && !with.is_null() {
        let mut clock = libc::CLOCK_REALTIME;
        // SAFETY: the first is the program's; the second points to a variable of ours.
        unsafe { libc::pthread_condattr_getclock(with, &mut clock) };
        follow::condition::made(condition as u64, clock);
    }
    record_life(Kind::Init, object::CONDITION, 0, condition as u64, at);
    turn.done();
    answer
}

unsafe extern "C-unwind" fn destroy(condition: Condition, at: u64) -> c_int {
    // SAFETY: the argument is the program's.
    destroying(object::CONDITION, condition as u64, at, || unsafe { real::pthread_cond_destroy(condition) })
}

unsafe extern "C-unwind" fn wait(condition: Condition, mutex: Mutex, at: u64) -> c_int {
    // SAFETY: the arguments are the program's.
    let real = || unsafe { real::pthread_cond_wait(condition, mutex) };
    either(Wait { condition: condition as u64, mutex, at, until: None }, real)
}

unsafe extern "C-unwind" fn timedwait(
    condition: Condition,
    mutex: Mutex,
    until: *const timespec,
    at: u64,
) -> c_int {
    // SAFETY: the arguments are the program's.
    let real = || unsafe { real::pthread_cond_timedwait(condition, mutex, until) };
    let clock = follow::condition::clock(condition as u64);
    either(Wait { condition: condition as u64, mutex, at, until: Some((clock, until)) }, real)
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
    either(Wait { condition: condition as u64, mutex, at, until: Some((clock, until)) }, real)
}

unsafe extern "C-unwind" fn signal(condition: Condition, at: u64) -> c_int {
    // SAFETY: the argument is the program's.
    signalling(Kind::Signal, condition as u64, at, || unsafe { real::pthread_cond_signal(condition) })
}

unsafe extern "C-unwind" fn broadcast(condition: Condition, at: u64) -> c_int {
    // SAFETY: the argument is the program's.
    signalling(Kind::Broadcast, condition as u64, at, || unsafe { real::pthread_cond_broadcast(condition) })
}
