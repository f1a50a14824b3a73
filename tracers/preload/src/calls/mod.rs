//! What is recorded, one file for each kind of object.

mod barrier;
mod c11;
mod condition;
pub(crate) mod failure;
mod futex;
pub(crate) mod input;
mod mutex;
mod once;
pub(crate) mod quick;
mod rwlock;
mod semaphore;
mod spin;
mod thread;
mod ticket;
mod waits;

use libc::c_int;
use warpath_light_format::Kind;
use warpath_light_format::kind::outcome;
use warpath_light_format::plan::Act;

use crate::follow::{self, Turn};
use crate::local;

/// A lock that is asked for.
#[derive(Clone, Copy)]
pub(crate) struct Asked {
    pub(crate) kind: Kind,
    pub(crate) object: u64,
    /// Where the call returns to.
    pub(crate) at: u64,
    /// Where the C library keeps the kernel's number of the thread that has it; 0 if it does not.
    pub(crate) owner: u64,
}

impl Asked {
    fn act(self) -> Act {
        match self.kind {
            Kind::RdLock => Act::RdLock,
            Kind::WrLock => Act::WrLock,
            Kind::SemWait => Act::SemWait,
            _ => Act::Lock,
        }
    }

    /// Waits for the turn to take it.
    pub(crate) fn turn(self) -> Turn {
        follow::turn(self.act(), self.object, self.at)
    }

    /// Tries, then waits and says so in the thread's file: a deadlock shows there even if the process is killed.
    pub(crate) fn block(
        self,
        turn: &Turn,
        is_busy: impl FnOnce(c_int) -> bool,
        attempt: impl FnOnce() -> c_int,
        wait: impl FnOnce() -> c_int,
    ) -> c_int {
        let answer = attempt();
        if !is_busy(answer) {
            return answer;
        }
        turn.blocked(self.act(), self.object, self.at);
        local::waits(self.kind, outcome::BLOCK * 16 + outcome::PENDING, &[self.at, self.object, 0]);
        follow::held_at(self.owner);
        let answer = wait();
        local::waits_no_more();
        answer
    }
}

/// Waits for some time. In a step nobody else moves: what is not there now will not be there in time.
pub(crate) fn timed(
    turn: &Turn,
    is_busy: impl FnOnce(c_int) -> bool,
    attempt: impl FnOnce() -> c_int,
    too_late: impl FnOnce() -> c_int,
    wait: impl FnOnce() -> c_int,
) -> c_int {
    if !turn.is_step() {
        return wait();
    }
    let answer = attempt();
    if is_busy(answer) { too_late() } else { answer }
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
