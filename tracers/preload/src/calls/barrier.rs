//! `pthread_barrier_*`.

use libc::{c_int, c_uint, pthread_barrier_t, pthread_barrierattr_t};
use warpath_light_format::Kind;
use warpath_light_format::kind::{object, outcome as o};

use super::mutex::record_life;
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
    // SAFETY: the arguments are the program's.
    let answer = unsafe { real::pthread_barrier_init(barrier, with, count) };
    if answer == 0 {
        record_life(Kind::Init, object::BARRIER, count, barrier as u64, at);
    }
    answer
}

unsafe extern "C-unwind" fn destroy(barrier: *mut pthread_barrier_t, at: u64) -> c_int {
    record_life(Kind::Destroy, object::BARRIER, 0, barrier as u64, at);
    // SAFETY: the argument is the program's.
    unsafe { real::pthread_barrier_destroy(barrier) }
}

unsafe extern "C-unwind" fn wait(barrier: *mut pthread_barrier_t, at: u64) -> c_int {
    let object = barrier as u64;
    if local::recording() {
        local::record(Kind::BarrierArrive, 0, 0, &[at, object, OBJECTS.draw(object)]);
        local::waits(Kind::BarrierLeave, o::BLOCK * 16 + o::PENDING, &[at, object, 0]);
    }
    // SAFETY: the argument is the program's.
    let answer = unsafe { real::pthread_barrier_wait(barrier) };
    local::waits_no_more();
    if local::recording() {
        let serial = u32::from(answer == libc::PTHREAD_BARRIER_SERIAL_THREAD);
        local::record(Kind::BarrierLeave, 0, serial, &[at, object, OBJECTS.draw(object)]);
    }
    answer
}
