//! `pthread_spin_*`: mutexes that do not sleep.

use libc::{c_int, pthread_spinlock_t};
use warpath_light_format::Kind;
use warpath_light_format::kind::{mutex, object, outcome as o};
use warpath_light_format::plan::Act;

use super::mutex::{destroying, record_life, record_lock, record_unlock};
use super::{Asked, ticket};
use crate::follow;
use crate::interpose::interpose;
use crate::real::real;

interpose! {
    pthread_spin_init "rdx" => init;
    pthread_spin_destroy "rsi" => destroy;
    pthread_spin_lock "rsi" => lock;
    pthread_spin_trylock "rsi" => trylock;
    pthread_spin_unlock "rsi" => unlock;
}

mod real {
    use super::*;
    super::real! {
        fn pthread_spin_init(lock: *mut pthread_spinlock_t, shared: c_int) -> c_int;
        fn pthread_spin_destroy(lock: *mut pthread_spinlock_t) -> c_int;
        fn pthread_spin_lock(lock: *mut pthread_spinlock_t) -> c_int;
        fn pthread_spin_trylock(lock: *mut pthread_spinlock_t) -> c_int;
        fn pthread_spin_unlock(lock: *mut pthread_spinlock_t) -> c_int;
    }
}

unsafe extern "C-unwind" fn init(lock: *mut pthread_spinlock_t, shared: c_int, at: u64) -> c_int {
    let turn = follow::turn(Act::Init, lock as u64, at);
    // SAFETY: the arguments are the program's.
    let answer = unsafe { real::pthread_spin_init(lock, shared) };
    if answer != 0 {
        turn.give_back();
        return answer;
    }
    record_life(Kind::Init, object::SPIN, mutex::NORMAL, lock as u64, at);
    turn.done();
    answer
}

unsafe extern "C-unwind" fn destroy(lock: *mut pthread_spinlock_t, at: u64) -> c_int {
    // SAFETY: the argument is the program's.
    destroying(object::SPIN, lock as u64, at, || unsafe { real::pthread_spin_destroy(lock) })
}

unsafe extern "C-unwind" fn lock(lock: *mut pthread_spinlock_t, at: u64) -> c_int {
    // SAFETY: the argument is the program's.
    let attempt = || unsafe { real::pthread_spin_trylock(lock) };
    // SAFETY: as above.
    let wait = || unsafe { real::pthread_spin_lock(lock) };
    let asked = Asked { kind: Kind::Lock, object: lock as u64, at, owner: 0 };
    let turn = asked.turn();
    let answer = asked.block(&turn, |answer| answer == libc::EBUSY, attempt, wait);
    record_lock(ticket::of_small, lock as u64, mutex::NORMAL, o::BLOCK, answer, at);
    turn.done();
    answer
}

unsafe extern "C-unwind" fn trylock(lock: *mut pthread_spinlock_t, at: u64) -> c_int {
    let turn = follow::turn(Act::Lock, lock as u64, at);
    // SAFETY: the argument is the program's.
    let answer = unsafe { real::pthread_spin_trylock(lock) };
    record_lock(ticket::of_small, lock as u64, mutex::NORMAL, o::TRY, answer, at);
    turn.done();
    answer
}

unsafe extern "C-unwind" fn unlock(lock: *mut pthread_spinlock_t, at: u64) -> c_int {
    let turn = follow::turn(Act::Unlock, lock as u64, at);
    record_unlock(ticket::of_small, lock as u64, at);
    // SAFETY: the argument is the program's.
    let answer = unsafe { real::pthread_spin_unlock(lock) };
    turn.done();
    answer
}
