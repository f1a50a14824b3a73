//! Condition variables of a process that follows a schedule.
//!
//! Whom a signal wakes is the C library's choice, and when the woken one has its mutex again is the system's. A schedule
//! has its own idea of both. So waiters stand in a queue of ours: as long as there are steps, the schedule says who goes
//! on, and afterwards signals wake in the order of the queue.

use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use super::futex;
pub(crate) use super::futex::Deadline;
use crate::tickets::Table;

/// Which conditions measure time by another clock than the usual one: the clock plus one.
static CLOCKS: Table = Table::new(5);

static WAITERS: Queue = Queue { busy: AtomicBool::new(false), first: UnsafeCell::new(core::ptr::null_mut()) };

/// A thread that waits, on its own stack.
pub(crate) struct Waiter {
    condition: u64,
    /// 1 when it has been woken.
    woken: AtomicU32,
    next: UnsafeCell<*mut Waiter>,
}

/// Those who wait for any condition, the first one first.
struct Queue {
    busy: AtomicBool,
    first: UnsafeCell<*mut Waiter>,
}

// SAFETY: what is in the queue is only looked at by who has made it busy.
unsafe impl Sync for Queue {}

impl Queue {
    /// Does something with the queue to itself. Nothing in there waits, so nobody waits for long.
    fn alone<R>(&self, work: impl FnOnce(&UnsafeCell<*mut Waiter>) -> R) -> R {
        while self.busy.swap(true, Ordering::Acquire) {
            core::hint::spin_loop();
        }
        let result = work(&self.first);
        self.busy.store(false, Ordering::Release);
        result
    }

    /// The first of the waiters that fits is marked; whether there was one.
    fn mark(&self, fits: impl Fn(&Waiter) -> bool, mark: u32) -> bool {
        self.alone(|first| {
            // SAFETY: a waiter is in the queue only as long as it lives, and the queue is ours now.
            let mut waiter = unsafe { (*first.get()).as_ref() };
            while let Some(this) = waiter {
                if fits(this) {
                    this.woken.store(mark, Ordering::Release);
                    futex::wake(&this.woken);
                    return true;
                }
                // SAFETY: as above.
                waiter = unsafe { (*this.next.get()).as_ref() };
            }
            false
        })
    }
}

impl Waiter {
    pub(crate) fn new(condition: u64) -> Waiter {
        Waiter { condition, woken: AtomicU32::new(0), next: UnsafeCell::new(core::ptr::null_mut()) }
    }

    /// Stands in the queue while something is done. It must not be moved meanwhile, which a reference sees to.
    pub(crate) fn queued<R>(&self, work: impl FnOnce() -> R) -> R {
        let this = core::ptr::from_ref(self).cast_mut();
        WAITERS.alone(|first| {
            let mut last = first;
            // SAFETY: waiters in the queue live, and the queue is ours now.
            unsafe {
                while !(*last.get()).is_null() {
                    last = &(**last.get()).next;
                }
                *last.get() = this;
            }
        });
        let result = work();
        WAITERS.alone(|first| {
            let mut before = first;
            // SAFETY: as above; this one is still among them, since only it takes itself out.
            unsafe {
                while !(*before.get()).is_null() && *before.get() != this {
                    before = &(**before.get()).next;
                }
                *before.get() = *self.next.get();
            }
        });
        result
    }

    /// It goes on, because the schedule says so: by its own signal or by that of another who waits for the same. False
    /// if there is none.
    pub(crate) fn takes_signal(&self) -> bool {
        if self.woken.load(Ordering::Acquire) == 1 {
            return true;
        }
        let other =
            |waiter: &Waiter| waiter.condition == self.condition && waiter.woken.load(Ordering::Acquire) == 1;
        WAITERS.mark(other, 0)
    }

    /// Waits for a signal; false if the time was over first.
    pub(crate) fn wait(&self, deadline: Option<&Deadline>) -> bool {
        while self.woken.load(Ordering::Acquire) == 0 {
            if !futex::wait(&self.woken, 0, deadline) {
                return self.woken.load(Ordering::Acquire) == 1;
            }
        }
        true
    }
}

/// Wakes one, or all, who wait for a condition.
pub(crate) fn wake(condition: u64, all: bool) {
    let waits = |waiter: &Waiter| waiter.condition == condition && waiter.woken.load(Ordering::Acquire) == 0;
    while WAITERS.mark(waits, 1) && all {}
}

/// The condition was made, with this clock.
pub(crate) fn made(condition: u64, clock: libc::clockid_t) {
    CLOCKS.set(condition, clock as u64 + 1);
}

/// The clock by which a condition measures time.
pub(crate) fn clock(condition: u64) -> libc::clockid_t {
    CLOCKS.get(condition).checked_sub(1).map_or(libc::CLOCK_REALTIME, |clock| clock as libc::clockid_t)
}
