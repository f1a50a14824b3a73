//! `pthread_barrier_*`.

use libc::{c_int, c_uint, pthread_barrier_t, pthread_barrierattr_t};
use warpath_light_format::Kind;
use warpath_light_format::kind::{object, outcome as o};
use warpath_light_format::plan::Act;

use super::mutex::{destroying, record_life};
use crate::follow;
use crate::interpose::interpose;
use crate::local;
use crate::real::real;
use crate::tickets::OBJECTS;

interpose! {
    pthread_barrier_init "rcx" => init;
    pthread_barrier_destroy "rsi" => destroy;
    pthread_barrier_wait "rsi" => wait;
}

mod real {
    use super::*;
    super::real! {
        fn pthread_barrier_init(
            barrier: *mut pthread_barrier_t, with: *const pthread_barrierattr_t, count: c_uint,
        ) -> c_int;
        fn pthread_barrier_destroy(barrier: *mut pthread_barrier_t) -> c_int;
        fn pthread_barrier_wait(barrier: *mut pthread_barrier_t) -> c_int;
    }
}

unsafe extern "C-unwind" fn init(
    barrier: *mut pthread_barrier_t,
    with: *const pthread_barrierattr_t,
    count: c_uint,
    at: u64,
) -> c_int {
    let turn = follow::turn(Act::Init, barrier as u64, at);
    // SAFETY: the arguments are the program's.
    let answer = unsafe { real::pthread_barrier_init(barrier, with, count) };
    if answer != 0 {
        turn.give_back();
        return answer;
    }
    if follow::engaged() {
        follow::barrier::made(barrier as u64, count);
    }
    record_life(Kind::Init, object::BARRIER, count, barrier as u64, at);
    turn.done();
    answer
}

unsafe extern "C-unwind" fn destroy(barrier: *mut pthread_barrier_t, at: u64) -> c_int {
    // SAFETY: the argument is the program's.
    destroying(object::BARRIER, barrier as u64, at, || unsafe { real::pthread_barrier_destroy(barrier) })
}

unsafe extern "C-unwind" fn wait(barrier: *mut pthread_barrier_t, at: u64) -> c_int {
    if follow::engaged() {
        return wait_by_schedule(barrier, at);
    }
    let object = barrier as u64;
    if local::recording() {
        local::event(Kind::BarrierArrive, 0, at, object, OBJECTS.draw(object));
        local::waits(Kind::BarrierLeave, o::BLOCK * 16 + o::PENDING, &[at, object, 0]);
    }
    // SAFETY: the argument is the program's.
    let answer = unsafe { real::pthread_barrier_wait(barrier) };
    local::waits_no_more();
    record_leave(object, answer, at);
    answer
}

fn record_leave(object: u64, answer: c_int, at: u64) {
    if local::recording() {
        let serial = u32::from(answer == libc::PTHREAD_BARRIER_SERIAL_THREAD);
        local::record(Kind::BarrierLeave, 0, serial, &[at, object, OBJECTS.draw(object)]);
    }
}

/// Arriving and leaving are steps of a schedule, and who arrives last is its choice.
fn wait_by_schedule(barrier: *mut pthread_barrier_t, at: u64) -> c_int {
    let object = barrier as u64;
    let turn = follow::turn(Act::BarrierArrive, object, at);
    if local::recording() {
        local::record(Kind::BarrierArrive, 0, 0, &[at, object, OBJECTS.draw(object)]);
    }
    let arrival = follow::barrier::arrive(object);
    turn.done();
    let pending = || local::waits(Kind::BarrierLeave, o::BLOCK * 16 + o::PENDING, &[at, object, 0]);
    let Some(arrival) = arrival else {
        // Made where nobody saw it: the C library has to know how many it waits for.
        pending();
        // SAFETY: the argument is the program's.
        let answer = unsafe { real::pthread_barrier_wait(barrier) };
        local::waits_no_more();
        let turn = follow::turn(Act::BarrierLeave, object, at);
        record_leave(object, answer, at);
        turn.done();
        return answer;
    };
    pending();
    let turn = follow::turn(Act::BarrierLeave, object, at);
    if !arrival.passed() {
        turn.blocked(Act::BarrierLeave, object, at);
        pending();
        arrival.wait();
    }
    local::waits_no_more();
    let answer = if arrival.last { libc::PTHREAD_BARRIER_SERIAL_THREAD } else { 0 };
    record_leave(object, answer, at);
    turn.done();
    answer
}
