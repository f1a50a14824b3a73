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
use warpath_light_format::Kind;
use warpath_light_format::kind::outcome;

use crate::local;

/// Tries, then waits and says so in the thread's file: a deadlock shows there even if the process is killed.
pub(crate) fn block(
    kind: Kind,
    object: u64,
    at: u64,
    is_busy: impl FnOnce(c_int) -> bool,
    attempt: impl FnOnce() -> c_int,
    wait: impl FnOnce() -> c_int,
) -> c_int {
    let answer = attempt();
    if !is_busy(answer) {
        return answer;
    }
    local::waits(kind, outcome::BLOCK * 16 + outcome::PENDING, &[at, object, 0]);
    let answer = wait();
    local::waits_no_more();
    answer
}

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
