//! What is recorded, one file for each kind of object.

mod barrier;
mod c11;
mod condition;
pub(crate) mod failure;
mod futex;
mod mutex;
mod once;
mod rwlock;
mod semaphore;
mod spin;
mod thread;

use libc::c_int;
use warpath_light_format::kind::outcome;

/// What a function of the C library answered, as records have it.
pub(crate) fn result(answer: c_int) -> u16 {
    match answer {
        0 => outcome::DONE,
        libc::EBUSY | libc::EAGAIN => outcome::BUSY,
        libc::ETIMEDOUT => outcome::TIMED_OUT,
        libc::EDEADLK => outcome::WOULD_DEADLOCK,
        libc::EOWNERDEAD => outcome::OWNER_DIED,
        libc::EINTR => outcome::INTERRUPTED,
        _ => outcome::FAILED,
    }
}

/// Attempt and result together.
pub(crate) fn outcome(attempt: u16, answer: c_int) -> u16 {
    attempt * 16 + result(answer)
}

/// Does the caller hold now what it asked for?
pub(crate) fn holds(answer: c_int) -> bool {
    answer == 0 || answer == libc::EOWNERDEAD
}
