//! Events without what belongs to one run only.
//!
//! Two runs that come to the same node have the same operation there, but other values: what was read, what
//! an input was, how a branch went. [`split`] takes those out, so that what is left can be compared, and
//! says how control went on.

use warpath_trace::event::{Datum, FailureKind, Op, WaitResult};
use warpath_trace::ids::StringId;

use super::forest::Outcome;

/// Whether reads decide by their value, because the trace has no branch events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reads {
    /// Branch events say what control depended on.
    Free,
    /// Every read is a decision on its value.
    Pinned,
}

/// The operation without values of this run, and how control went on behind it.
pub(crate) fn split(op: Op, reads: Reads) -> (Op, Outcome) {
    let seen = |value| match reads {
        Reads::Free => Outcome::Next,
        Reads::Pinned => Outcome::Value(value),
    };
    match op {
        Op::Read { location, value } => (Op::Read { location, value: 0 }, seen(value)),
        Op::AtomicRead { location, value, order } => {
            (Op::AtomicRead { location, value: 0, order }, seen(value))
        }
        Op::Write { location, value } => (Op::Write { location, value: datum(value) }, Outcome::Next),
        Op::AtomicWrite { location, value, order } => {
            (Op::AtomicWrite { location, value: datum(value), order }, Outcome::Next)
        }
        Op::Rmw { location, old, new, order } => match reads {
            Reads::Free => (Op::Rmw { location, old: 0, new: datum(new), order }, Outcome::Next),
            // What it wrote depends on what it read, and no expression says how: each value read is an
            // alternative of its own.
            Reads::Pinned => {
                (Op::Rmw { location, old, new: Datum::concrete(new.value), order }, Outcome::Next)
            }
        },
        Op::FutexWait { word, expected, bitset, attempt, queued, .. } => (
            Op::FutexWait { word, value: 0, expected: datum(expected), bitset, attempt, queued: false },
            Outcome::Held(queued),
        ),
        Op::Branch { condition, taken } => (Op::Branch { condition, taken: false }, Outcome::Held(taken)),
        Op::Switch { on, value } => (Op::Switch { on, value: 0 }, Outcome::Value(value)),
        Op::Concretise { expr, value, why } => {
            (Op::Concretise { expr, value: 0, why }, Outcome::Value(value))
        }
        Op::Assert { condition, holds, message } => {
            (Op::Assert { condition, holds: false, message }, Outcome::Held(holds))
        }
        Op::Assume { condition, holds } => (Op::Assume { condition, holds: true }, Outcome::Held(holds)),
        Op::Input { input, .. } => (Op::Input { input, value: 0 }, Outcome::Next),
        Op::Alloc { object, size, .. } => (Op::Alloc { object, size, address: 0 }, Outcome::Next),
        Op::Signal { condition, .. } => (Op::Signal { condition, woken: 0 }, Outcome::Next),
        Op::Broadcast { condition, .. } => (Op::Broadcast { condition, woken: 0 }, Outcome::Next),
        Op::FutexWake { word, limit, bitset, .. } => {
            (Op::FutexWake { word, limit, bitset, woken: 0 }, Outcome::Next)
        }
        Op::FutexRequeue { from, to, wake_limit, move_limit, .. } => {
            (Op::FutexRequeue { from, to, wake_limit, move_limit, woken: 0, moved: 0 }, Outcome::Next)
        }
        Op::Output { stream, .. } => (Op::Output { stream, bytes: StringId::EMPTY }, Outcome::Next),
        Op::Failure { kind, .. } => {
            (Op::Failure { kind, message: StringId::EMPTY, address: None }, Outcome::Next)
        }
        // A wait that had not ended when the trace did is the same node as one that had: what it waits for
        // decides whether it can be executed.
        Op::Join { child, attempt, result } => {
            (Op::Join { child, attempt, result: ended(result) }, Outcome::Next)
        }
        Op::Lock { mutex, attempt, result } => {
            (Op::Lock { mutex, attempt, result: ended(result) }, Outcome::Next)
        }
        Op::RwLock { lock, mode, attempt, result } => {
            (Op::RwLock { lock, mode, attempt, result: ended(result) }, Outcome::Next)
        }
        Op::CondWake { condition, mutex, result } => {
            (Op::CondWake { condition, mutex, result: ended(result) }, Outcome::Next)
        }
        Op::SemWait { semaphore, attempt, result } => {
            (Op::SemWait { semaphore, attempt, result: ended(result) }, Outcome::Next)
        }
        Op::BarrierLeave { barrier, serial, result } => {
            (Op::BarrierLeave { barrier, serial, result: ended(result) }, Outcome::Next)
        }
        Op::FutexResume { word, result } => (Op::FutexResume { word, result: ended(result) }, Outcome::Next),
        other => (other, Outcome::Next),
    }
}

/// Is the event one of the tree? A commit belongs to the write it completes, that a turn was idle depends on what it
/// found, and that the run as a whole was stuck or was stopped is no event of its own.
pub(crate) fn has_node(op: &Op) -> bool {
    use FailureKind::{BoundReached, Deadlock, Killed, Livelock};
    !matches!(
        op,
        Op::Commit { .. }
            | Op::Await { .. }
            | Op::Failure { kind: Deadlock | Livelock | BoundReached | Killed(_), .. }
    )
}

fn datum(datum: Datum) -> Datum {
    match datum.expr {
        Some(_) => Datum { value: 0, ..datum },
        None => datum,
    }
}

fn ended(result: WaitResult) -> WaitResult {
    match result {
        WaitResult::Pending => WaitResult::Done,
        other => other,
    }
}

/// Can both follow the same decisions? They can if they differ only in how a wait ended; and whatever comes next may
/// fail instead, because others had freed what it uses, or because nobody could go on.
pub(super) fn are_alternatives(a: &Op, b: &Op) -> bool {
    if matches!(a, Op::Failure { .. }) != matches!(b, Op::Failure { .. }) {
        return true;
    }
    let without_result = |op: Op| match op {
        Op::Join { child, attempt, .. } => Op::Join { child, attempt, result: WaitResult::Done },
        Op::Lock { mutex, attempt, .. } => Op::Lock { mutex, attempt, result: WaitResult::Done },
        Op::Unlock { mutex, .. } => Op::Unlock { mutex, result: WaitResult::Done },
        Op::RwLock { lock, mode, attempt, .. } => {
            Op::RwLock { lock, mode, attempt, result: WaitResult::Done }
        }
        Op::RwUnlock { lock, mode, .. } => Op::RwUnlock { lock, mode, result: WaitResult::Done },
        Op::CondWake { condition, mutex, .. } => Op::CondWake { condition, mutex, result: WaitResult::Done },
        Op::SemWait { semaphore, attempt, .. } => {
            Op::SemWait { semaphore, attempt, result: WaitResult::Done }
        }
        Op::SemValue { semaphore, .. } => Op::SemValue { semaphore, value: 0 },
        Op::BarrierLeave { barrier, .. } => {
            Op::BarrierLeave { barrier, serial: false, result: WaitResult::Done }
        }
        Op::Once { once, .. } => Op::Once { once, step: warpath_trace::event::OnceStep::Seen },
        Op::FutexResume { word, .. } => Op::FutexResume { word, result: WaitResult::Done },
        Op::Rmw { location, order, new: Datum { expr: None, .. }, .. } => {
            Op::Rmw { location, old: 0, new: Datum::concrete(0), order }
        }
        other => other,
    };
    a != b && without_result(*a) == without_result(*b)
}
