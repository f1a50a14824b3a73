//! Whose turn it is.
//!
//! Only the thread whose step is the next one moves the schedule on, and it does so when its event has taken effect. It
//! then wakes the one whose step comes next, and nobody else.

use core::cell::Cell;
use core::sync::atomic::{AtomicU64, Ordering};

use warpath_light_format::Kind;
use warpath_light_format::plan::{Act, LENIENT, SCHEDULE, Step, TOGETHER, at, slot, state, why};

use super::futex::{self, Deadline};
use super::{FOLLOWING, FREE, Follow, MODE, OFF, SEAT, follow};
use crate::{local, memory};

/// Milliseconds for which threads are kept behind the schedule until two of them stand side by side.
const BESIDE: u32 = 2000;

thread_local! {
    /// The running thread has done something behind the schedule.
    static AFTER: Cell<bool> = const { Cell::new(false) };
}

/// An event that may take effect now.
#[must_use]
pub(crate) struct Turn {
    /// It is a step of the schedule that has not been counted yet.
    open: Cell<bool>,
}

/// Waits until it is the running thread's turn to do this; at once if nothing is followed.
#[inline]
pub(crate) fn turn(act: Act, object: u64, place: u64) -> Turn {
    turn_of_access(act, object, 0, place)
}

/// The same for an access to so many bytes.
#[inline]
pub(super) fn turn_of_access(act: Act, object: u64, size: u64, place: u64) -> Turn {
    // What the thread did to memory before this has happened.
    memory::settle();
    let open = match MODE.load(Ordering::Acquire) {
        OFF => false,
        FOLLOWING => enter(act, object, size, place),
        _ => {
            come_after();
            false
        }
    };
    Turn { open: Cell::new(open) }
}

/// What a thread does behind the schedule comes behind all of its steps, in the recording, too.
fn come_after() {
    if let Some(follow) = follow().filter(|_| !AFTER.replace(true)) {
        follow.count_event();
    }
}

impl Turn {
    /// Nobody's turn.
    pub(super) fn none() -> Turn {
        Turn { open: Cell::new(false) }
    }

    /// A turn that was given before.
    pub(super) fn open() -> Turn {
        Turn { open: Cell::new(true) }
    }

    /// Is it a step of the schedule? Then nobody else moves, and there is nothing to wait for.
    pub(crate) fn is_step(&self) -> bool {
        self.open.get()
    }

    /// The event has taken effect.
    #[inline]
    pub(crate) fn done(self) {
        if self.open.get()
            && let Some(follow) = follow()
        {
            follow.count_event();
            follow.advance();
        }
    }

    /// There was no event after all.
    pub(crate) fn give_back(self) {
        self.open.set(false);
    }

    /// The event would have to wait for something that nobody can do now: the schedule cannot be followed.
    #[cold]
    pub(crate) fn blocked(&self, act: Act, object: u64, place: u64) {
        if let Some(follow) = follow().filter(|_| self.open.replace(false)) {
            follow.misfit(act, object, place, why::BLOCKED);
        }
    }
}

/// The process ends. Others may have steps left.
pub(crate) fn leaves() {
    if MODE.load(Ordering::Acquire) != FOLLOWING {
        return;
    }
    let Some(follow) = follow() else { return };
    let me = SEAT.get();
    loop {
        let Some(word) = follow.turn_of(me) else { return };
        let seen = word.load(Ordering::Acquire);
        if MODE.load(Ordering::Acquire) != FOLLOWING {
            return;
        }
        let from = follow.cursor().0;
        if (from..follow.layout.steps).filter_map(|nth| follow.step(nth)).any(|step| step.thread == me) {
            follow.diverge(Act::End, 0, 0, why::ENDED);
            return;
        }
        follow.note(me, slot::AT_GATE, Act::End as u64, 0, 0);
        futex::wait(word, seen, None);
    }
}

#[inline(never)]
fn enter(act: Act, object: u64, size: u64, place: u64) -> bool {
    if local::current().is_none() {
        return false;
    }
    let Some(follow) = follow() else { return false };
    let me = SEAT.get();
    let Some(word) = follow.turn_of(me) else { return false };
    follow.note(me, slot::AT_GATE, act as u64 | size << 8, object, place);
    let mut kept = 0;
    let stepped = loop {
        let seen = word.load(Ordering::Acquire);
        if MODE.load(Ordering::Acquire) != FOLLOWING {
            break false;
        }
        let (nth, _) = follow.cursor();
        let Some(step) = follow.step(nth) else {
            // Behind the last step, and nobody has been let go yet.
            if follow.is_race(me, act, object, size) {
                follow.word(at::STOOD).store(1, Ordering::Release);
                follow.free(state::OVER);
            } else if kept == BESIDE {
                follow.free(state::OVER);
            } else {
                kept += 1;
                futex::wait(word, seen, Some(&Deadline::after(1)));
            }
            continue;
        };
        if step.thread != me {
            futex::wait(word, seen, None);
            continue;
        }
        match follow.fit(&step, act, object) {
            Fit::Yes => break true,
            // The reader says of some objects that they came into being where they were first used.
            Fit::Implied => follow.advance(),
            Fit::No(why) => follow.misfit(act, object, place, why),
        }
    };
    follow.note(me, slot::RUNS, 0, 0, 0);
    if stepped {
        follow.count_event();
    } else {
        come_after();
    }
    stepped
}

/// Is what a thread is about to do what the step says?
enum Fit {
    Yes,
    Implied,
    No(u64),
}

impl Follow {
    /// One more event in the order of the schedule.
    fn count_event(&self) {
        let event = self.events.fetch_add(1, Ordering::AcqRel) + 1;
        local::record(Kind::Step, 0, 0, &[0, SCHEDULE, event]);
    }

    fn cursor(&self) -> (usize, u32) {
        let cursor = self.word(at::CURSOR).load(Ordering::Acquire);
        (cursor as u32 as usize, (cursor >> 32) as u32)
    }

    fn fit(&self, step: &Step, act: Act, object: u64) -> Fit {
        if step.act == Act::Any {
            return Fit::Yes;
        }
        let same = |wanted: u32| match self.object(wanted) {
            Some(known) => known.load(Ordering::Relaxed) == 0 || known.load(Ordering::Relaxed) == object,
            None => false,
        };
        if step.act == Act::Init && act != Act::Init && !act.is_about_thread() {
            return if object != 0 && step.object.is_some_and(same) {
                Fit::Implied
            } else {
                Fit::No(why::ACT)
            };
        }
        if step.act != act {
            return Fit::No(why::ACT);
        }
        let Some(wanted) = step.object else { return Fit::Yes };
        if act.is_about_thread() {
            return if u64::from(wanted) == object { Fit::Yes } else { Fit::No(why::OBJECT) };
        }
        if !same(wanted) {
            return Fit::No(why::OBJECT);
        }
        // From here on the name in the schedule stands for this object.
        if let Some(known) = self.object(wanted) {
            known.store(object, Ordering::Relaxed);
        }
        Fit::Yes
    }

    /// The current step is done, or left out. The next one is woken.
    fn advance(&self) {
        let (nth, repeated) = self.cursor();
        let count = self.step(nth).map_or(1, |step| step.count);
        let next = if repeated + 1 < count { (nth, repeated + 1) } else { (nth + 1, 0) };
        let cursor = next.0 as u64 | u64::from(next.1) << 32;
        self.word(at::CURSOR).store(cursor, Ordering::Release);
        match self.step(next.0) {
            Some(step) if step.thread != SEAT.get() => self.wake(step.thread),
            Some(_) => {}
            None if self.word(at::FLAGS).load(Ordering::Relaxed) & TOGETHER == 0 => self.free(state::OVER),
            // The others wake by themselves.
            None => {}
        }
    }

    fn wake(&self, seat: u32) {
        if let Some(word) = self.turn_of(seat) {
            word.fetch_add(1, Ordering::AcqRel);
            futex::wake(word);
        }
    }

    /// Everybody runs from here on.
    fn free(&self, why: u64) {
        MODE.store(FREE, Ordering::Release);
        let state: &AtomicU64 = self.word(at::STATE);
        let _ = state.compare_exchange(state::FOLLOWING, why, Ordering::AcqRel, Ordering::Acquire);
        for seat in 0..self.layout.slots {
            self.wake(seat as u32);
        }
    }

    /// What the running thread does is not what the schedule says.
    fn misfit(&self, act: Act, object: u64, place: u64, why: u64) {
        if self.word(at::FLAGS).load(Ordering::Relaxed) & LENIENT == 0 {
            self.diverge(act, object, place, why);
        } else {
            self.word(at::SKIPPED).fetch_add(1, Ordering::AcqRel);
            self.advance();
        }
    }

    fn diverge(&self, act: Act, object: u64, place: u64, why: u64) {
        let found = [
            (at::FOUND_THREAD, u64::from(SEAT.get())),
            (at::FOUND_ACT, act as u64),
            (at::FOUND_OBJECT, object),
            (at::FOUND_PLACE, place),
            (at::FOUND_WHY, why),
        ];
        for (word, value) in found {
            self.word(word).store(value, Ordering::Release);
        }
        self.free(state::DIVERGED);
    }

    /// Does another thread stand before an access to the same bytes, and one of the two writes? Then nothing keeps the two
    /// apart.
    fn is_race(&self, me: u32, act: Act, address: u64, size: u64) -> bool {
        if !act.is_access() || size == 0 {
            return false;
        }
        (0..self.layout.slots as u32).filter(|seat| *seat != me).any(|seat| {
            let load = |what| self.slot(seat, what).map_or(0, |word| word.load(Ordering::Acquire));
            let (what, other) = (load(slot::WHAT), load(slot::OBJECT));
            let other_act = Act::of(what & 0xff).filter(|act| act.is_access());
            load(slot::STATE) == slot::AT_GATE
                && other_act.is_some_and(|other| other != Act::Read || act != Act::Read)
                && other < address.saturating_add(size)
                && address < other.saturating_add(what >> 8)
        })
    }
}
