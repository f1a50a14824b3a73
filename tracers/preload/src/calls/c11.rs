//! `thrd_*`, `mtx_*`, `cnd_*`, `call_once`. The C library's are its pthread objects under other names, but its calls do
//! not go through names that can be stood in front of.

use core::ffi::c_void;

use libc::{c_int, pthread_mutex_t, pthread_t, timespec};
use warpath_light_format::Kind;
use warpath_light_format::kind::{object, outcome as o};
use warpath_light_format::plan::Act;

use super::condition::{Wait, signalling, waiting, waiting_by_schedule};
use super::mutex::{asked, destroying, kind, record_life, record_lock, record_unlock};
use super::once::{Pending, run_pending, through};
use super::thread::{Child, Run, begin, detaching, forking, joining};
use super::{ticket, timed};
use crate::follow;
use crate::interpose::interpose;
use crate::real::real;

interpose! {
    thrd_create "rcx" => create;
    thrd_join "rdx" => join;
    thrd_detach "rsi" => detach;
    mtx_init "rdx" => init;
    mtx_destroy "rsi" => destroy;
    mtx_lock "rsi" => lock;
    mtx_trylock "rsi" => trylock;
    mtx_timedlock "rdx" => timedlock;
    mtx_unlock "rsi" => unlock;
    cnd_init "rsi" => init_condition;
    cnd_destroy "rsi" => destroy_condition;
    cnd_wait "rdx" => wait;
    cnd_timedwait "rcx" => timedwait;
    cnd_signal "rsi" => signal;
    cnd_broadcast "rsi" => broadcast;
    call_once "rdx" => call_once_ours;
}

type RunC11 = extern "C-unwind" fn(*mut c_void) -> c_int;

mod real {
    use super::*;
    super::real! {
        fn thrd_create(thread: *mut pthread_t, run: RunC11, argument: *mut c_void) -> c_int;
        fn thrd_join(thread: pthread_t, value: *mut c_int) -> c_int;
        fn thrd_detach(thread: pthread_t) -> c_int;
        fn mtx_init(mutex: *mut c_void, kind: c_int) -> c_int;
        fn mtx_destroy(mutex: *mut c_void);
        fn mtx_lock(mutex: *mut c_void) -> c_int;
        fn mtx_trylock(mutex: *mut c_void) -> c_int;
        fn mtx_timedlock(mutex: *mut c_void, until: *const timespec) -> c_int;
        fn mtx_unlock(mutex: *mut c_void) -> c_int;
        fn cnd_init(condition: *mut c_void) -> c_int;
        fn cnd_destroy(condition: *mut c_void);
        fn cnd_wait(condition: *mut c_void, mutex: *mut c_void) -> c_int;
        fn cnd_timedwait(condition: *mut c_void, mutex: *mut c_void, until: *const timespec) -> c_int;
        fn cnd_signal(condition: *mut c_void) -> c_int;
        fn cnd_broadcast(condition: *mut c_void) -> c_int;
        fn call_once(flag: *mut c_void, run: extern "C-unwind" fn());
    }
}

/// C11's answers: the time was over, and anything else that is wrong.
const TIMED_OUT: c_int = 4;
const ERROR: c_int = 2;

/// A wait for a condition, by the C library or by a schedule.
fn either(wait: Wait, real: impl FnOnce() -> c_int) -> c_int {
    if !follow::engaged() {
        return waiting(wait, error, real);
    }
    match waiting_by_schedule(wait) {
        0 => 0,
        libc::ETIMEDOUT => TIMED_OUT,
        _ => ERROR,
    }
}

/// C11's answers as numbers of errors.
fn error(answer: c_int) -> c_int {
    match answer {
        0 => 0,
        1 => libc::EBUSY,
        4 => libc::ETIMEDOUT,
        _ => libc::EINVAL,
    }
}

/// Runs the program's function, whose answer is a number, as a thread of the other kind.
extern "C-unwind" fn run_number(memory: *mut c_void) -> c_int {
    begin(memory) as usize as c_int
}

unsafe extern "C-unwind" fn create(
    thread: *mut pthread_t,
    run: RunC11,
    argument: *mut c_void,
    at: u64,
) -> c_int {
    // SAFETY: both take a pointer and answer in the same register; of a number its lower half is used, which
    // `run_number` hands on.
    let as_pointer: Run = unsafe { core::mem::transmute::<RunC11, Run>(run) };
    let turn = forking(at);
    let Some(child) = Child::prepare(as_pointer, run as usize as u64, argument, 0) else {
        turn.give_back();
        // SAFETY: the arguments are the program's.
        return unsafe { real::thrd_create(thread, run, argument) };
    };
    // SAFETY: the first is the program's; ours runs the program's function.
    let answer = unsafe { real::thrd_create(thread, run_number, child.memory.cast()) };
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

unsafe extern "C-unwind" fn join(thread: pthread_t, value: *mut c_int, at: u64) -> c_int {
    // SAFETY: the arguments are the program's.
    let join = || unsafe { real::thrd_join(thread, value) };
    joining(thread, o::BLOCK, at, None::<fn() -> c_int>, join)
}

unsafe extern "C-unwind" fn detach(thread: pthread_t, at: u64) -> c_int {
    // SAFETY: the argument is the program's.
    detaching(thread, at, || unsafe { real::thrd_detach(thread) })
}

/// # Safety
/// Points to a mutex.
unsafe fn kind_of(mutex: *mut c_void) -> u32 {
    // SAFETY: promised by the caller; an `mtx_t` is a `pthread_mutex_t`.
    unsafe { kind(mutex.cast::<pthread_mutex_t>()) }
}

unsafe extern "C-unwind" fn init(mutex: *mut c_void, wanted: c_int, at: u64) -> c_int {
    let turn = follow::turn(Act::Init, mutex as u64, at);
    // SAFETY: the arguments are the program's.
    let answer = unsafe { real::mtx_init(mutex, wanted) };
    if answer != 0 {
        turn.give_back();
        return answer;
    }
    // SAFETY: it is a mutex now.
    record_life(Kind::Init, object::MUTEX, unsafe { kind_of(mutex) }, mutex as u64, at);
    turn.done();
    answer
}

unsafe extern "C-unwind" fn destroy(mutex: *mut c_void, at: u64) {
    // SAFETY: the argument is the program's.
    destroying(object::MUTEX, mutex as u64, at, || unsafe { real::mtx_destroy(mutex) })
}

unsafe extern "C-unwind" fn lock(mutex: *mut c_void, at: u64) -> c_int {
    // SAFETY: the argument is the program's.
    let attempt = || unsafe { real::mtx_trylock(mutex) };
    // SAFETY: as above.
    let wait = || unsafe { real::mtx_lock(mutex) };
    let asked = asked(mutex as u64, at);
    let turn = asked.turn();
    let answer = asked.block(&turn, |answer| error(answer) == libc::EBUSY, attempt, wait);
    // SAFETY: the program says that it is a mutex.
    record_lock(ticket::of_mutex, mutex as u64, unsafe { kind_of(mutex) }, o::BLOCK, error(answer), at);
    turn.done();
    answer
}

unsafe extern "C-unwind" fn trylock(mutex: *mut c_void, at: u64) -> c_int {
    let turn = asked(mutex as u64, at).turn();
    // SAFETY: the argument is the program's.
    let answer = unsafe { real::mtx_trylock(mutex) };
    // SAFETY: the program says that it is a mutex.
    record_lock(ticket::of_mutex, mutex as u64, unsafe { kind_of(mutex) }, o::TRY, error(answer), at);
    turn.done();
    answer
}

unsafe extern "C-unwind" fn timedlock(mutex: *mut c_void, until: *const timespec, at: u64) -> c_int {
    let turn = asked(mutex as u64, at).turn();
    // SAFETY: the argument is the program's.
    let attempt = || unsafe { real::mtx_trylock(mutex) };
    // SAFETY: the arguments are the program's.
    let wait = || unsafe { real::mtx_timedlock(mutex, until) };
    let answer = timed(&turn, |answer| error(answer) == libc::EBUSY, attempt, || TIMED_OUT, wait);
    // SAFETY: the program says that it is a mutex.
    record_lock(ticket::of_mutex, mutex as u64, unsafe { kind_of(mutex) }, o::TIMED, error(answer), at);
    turn.done();
    answer
}

unsafe extern "C-unwind" fn unlock(mutex: *mut c_void, at: u64) -> c_int {
    let turn = follow::turn(Act::Unlock, mutex as u64, at);
    record_unlock(ticket::of_mutex, mutex as u64, at);
    // SAFETY: the argument is the program's.
    let answer = unsafe { real::mtx_unlock(mutex) };
    turn.done();
    answer
}

unsafe extern "C-unwind" fn init_condition(condition: *mut c_void, at: u64) -> c_int {
    let turn = follow::turn(Act::Init, condition as u64, at);
    // SAFETY: the argument is the program's.
    let answer = unsafe { real::cnd_init(condition) };
    if answer != 0 {
        turn.give_back();
        return answer;
    }
    record_life(Kind::Init, object::CONDITION, 0, condition as u64, at);
    turn.done();
    answer
}

unsafe extern "C-unwind" fn destroy_condition(condition: *mut c_void, at: u64) {
    // SAFETY: the argument is the program's.
    destroying(object::CONDITION, condition as u64, at, || unsafe { real::cnd_destroy(condition) })
}

unsafe extern "C-unwind" fn wait(condition: *mut c_void, mutex: *mut c_void, at: u64) -> c_int {
    // SAFETY: the arguments are the program's.
    let real = || unsafe { real::cnd_wait(condition, mutex) };
    either(Wait { condition: condition as u64, mutex: mutex.cast(), at, until: None }, real)
}

unsafe extern "C-unwind" fn timedwait(
    condition: *mut c_void,
    mutex: *mut c_void,
    until: *const timespec,
    at: u64,
) -> c_int {
    // SAFETY: the arguments are the program's.
    let real = || unsafe { real::cnd_timedwait(condition, mutex, until) };
    let until = Some((libc::CLOCK_REALTIME, until));
    either(Wait { condition: condition as u64, mutex: mutex.cast(), at, until }, real)
}

unsafe extern "C-unwind" fn signal(condition: *mut c_void, at: u64) -> c_int {
    // SAFETY: the argument is the program's.
    signalling(Kind::Signal, condition as u64, at, || unsafe { real::cnd_signal(condition) })
}

unsafe extern "C-unwind" fn broadcast(condition: *mut c_void, at: u64) -> c_int {
    // SAFETY: the argument is the program's.
    signalling(Kind::Broadcast, condition as u64, at, || unsafe { real::cnd_broadcast(condition) })
}

unsafe extern "C-unwind" fn call_once_ours(flag: *mut c_void, run: extern "C-unwind" fn(), at: u64) {
    let pending = Pending { object: flag as u64, run: Some(run), at };
    // SAFETY: the flag is the program's; ours calls the program's function in its place.
    through(pending, || unsafe { real::call_once(flag, run_pending) });
}
