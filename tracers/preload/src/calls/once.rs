//! `pthread_once`.

use core::cell::Cell;

use libc::{c_int, pthread_once_t};
use warpath_light_format::Kind;
use warpath_light_format::plan::Act;

use crate::follow;
use crate::interpose::interpose;
use crate::local;
use crate::memory;
use crate::real::real;
use crate::tickets::OBJECTS;

interpose! {
    pthread_once "rdx" => once;
}

mod real {
    use super::*;
    super::real! {
        fn pthread_once(control: *mut pthread_once_t, run: extern "C-unwind" fn()) -> c_int;
    }
}

#[derive(Clone, Copy)]
pub(super) struct Pending {
    pub(super) object: u64,
    pub(super) run: Option<extern "C-unwind" fn()>,
    pub(super) at: u64,
}

thread_local! {
    /// What the C library is to run for this thread, if it does.
    static PENDING: Cell<Pending> = const { Cell::new(Pending { object: 0, run: None, at: 0 }) };
    /// Its turn to find out whether it does.
    static TURN: Cell<Option<follow::Turn>> = const { Cell::new(None) };
}

fn record(kind: Kind, object: u64, at: u64) {
    if local::recording() {
        local::event(kind, 0, at, object, OBJECTS.draw(object));
    }
}

/// What the C library calls instead of the program's function. The function may end by an exception; then nothing is
/// written behind it, and the next one to come runs it again.
pub(super) extern "C-unwind" fn run_pending() {
    let pending = PENDING.replace(Pending { object: 0, run: None, at: 0 });
    record(Kind::OnceRun, pending.object, pending.at);
    if let Some(turn) = TURN.take() {
        turn.done();
    }
    if let Some(run) = pending.run {
        run();
    }
    let turn = follow::turn(Act::Once, pending.object, pending.at);
    record(Kind::OnceFinish, pending.object, pending.at);
    turn.done();
}

/// Calls `real`, which calls [`run_pending`] if it is the first to.
pub(super) fn through<R>(pending: Pending, real: impl FnOnce() -> R) -> R {
    memory::settle();
    let outer = PENDING.replace(pending);
    TURN.set(Some(follow::turn(Act::Once, pending.object, pending.at)));
    let answer = real();
    let ran = PENDING.replace(outer).run.is_none();
    if !ran {
        record(Kind::OnceSeen, pending.object, pending.at);
    }
    if let Some(turn) = TURN.take() {
        turn.done();
    }
    answer
}

unsafe extern "C-unwind" fn once(
    control: *mut pthread_once_t,
    run: extern "C-unwind" fn(),
    at: u64,
) -> c_int {
    let pending = Pending { object: control as u64, run: Some(run), at };
    // SAFETY: the control is the program's; ours calls the program's function in its place.
    through(pending, || unsafe { real::pthread_once(control, run_pending) })
}
