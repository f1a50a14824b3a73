//! Who waits on conditions and futexes, and which wakes have been given that nobody has taken yet.
//!
//! Which wake a waiter took is not recorded. It is taken to be the earliest that it can have taken: whoever began to
//! wait later can only use later ones, so that leaves the most to the others.
//!
//! Where waiters are moved between futex words, who took what decides who is woken where. There everything is kept
//! from the moment on when nobody waited, and the formula finds out.

use std::collections::{BTreeMap, BTreeSet};

use warpath_trace::event::{Op, WaitResult};
use warpath_trace::ids::{LocationId, ThreadIx};

use super::Settled;

/// A wait that has begun and the wakes that it listens to.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    event: Settled,
    bitset: u32,
}

/// A wake that can still reach somebody.
#[derive(Clone, Copy, Debug)]
struct Given {
    event: Settled,
    /// How many it can still reach.
    left: u32,
    bitset: u32,
}

#[derive(Debug, Default)]
struct Queue {
    waits: Vec<Waiting>,
    given: Vec<Given>,
}

/// Words between which waiters are moved: everything since nobody waited, and who waits.
#[derive(Debug, Default)]
struct Family {
    events: Vec<Settled>,
    waiting: BTreeSet<ThreadIx>,
}

/// All queues that somebody waits in.
#[derive(Debug, Default)]
pub(in crate::window) struct Queues {
    queues: BTreeMap<LocationId, Queue>,
    families: BTreeMap<LocationId, Family>,
}

impl Queues {
    pub(super) fn wait(&mut self, queue: LocationId, event: Settled, bitset: u32) {
        let queue = self.queues.entry(queue).or_default();
        queue.waits.retain(|wait| wait.event.thread != event.thread);
        queue.waits.push(Waiting { event, bitset });
    }

    /// A wait is over: by a wake, or by itself.
    pub(super) fn end(&mut self, object: LocationId, thread: ThreadIx, result: WaitResult) {
        let Some(queue) = self.queues.get_mut(&object) else { return };
        let Some(at) = queue.waits.iter().position(|wait| wait.event.thread == thread) else { return };
        let wait = queue.waits.remove(at);
        if result == WaitResult::Done {
            queue.take(wait);
        }
        queue.forget_lost();
        if queue.waits.is_empty() {
            self.queues.remove(&object);
        }
    }

    pub(super) fn give(&mut self, queue: LocationId, event: Settled, limit: u32, bitset: u32) {
        // Nobody waits: it is lost.
        let Some(queue) = self.queues.get_mut(&queue) else { return };
        queue.given.push(Given { event, left: limit, bitset });
        queue.forget_lost();
    }

    /// An event on a word of a family.
    pub(super) fn family(&mut self, name: LocationId, event: Settled) {
        let family = self.families.entry(name).or_default();
        let waits = match event.op {
            Op::FutexWait { queued, .. } => queued && family.waiting.insert(event.thread),
            Op::FutexResume { .. } => family.waiting.remove(&event.thread),
            // Nobody waits: it is lost.
            _ => !family.waiting.is_empty(),
        };
        if waits {
            family.events.push(event);
        }
        if family.waiting.is_empty() {
            self.families.remove(&name);
        }
    }

    /// Waits that are under way, and what has been given to them.
    pub(in crate::window) fn all(&self) -> impl Iterator<Item = Settled> + '_ {
        let queues = self.queues.values().flat_map(|queue| {
            let waits = queue.waits.iter().map(|wait| wait.event);
            waits.chain(queue.given.iter().map(|given| given.event()))
        });
        queues.chain(self.families.values().flat_map(|family| family.events.iter().copied()))
    }
}

impl Queue {
    fn take(&mut self, wait: Waiting) {
        let fits = |given: &&mut Given| {
            given.event.position > wait.event.position && given.left > 0 && given.bitset & wait.bitset != 0
        };
        if let Some(given) = self.given.iter_mut().find(fits)
            && given.left != u32::MAX
        {
            given.left -= 1;
        }
    }

    /// Forgets wakes that reach nobody: none is left, all that it could reach are over, or earlier wakes are enough
    /// for them. Without that, one thread that waits to the end would keep every later signal.
    fn forget_lost(&mut self) {
        let waits = &self.waits;
        let mut enough: u64 = 0;
        self.given.retain(|given| {
            let older = waits.iter().filter(|wait| wait.event.position < given.event.position).count() as u64;
            let useful = given.left > 0 && older > 0 && enough < older;
            // One that reaches only some kinds of waits cannot stand for another.
            if useful && given.bitset == u32::MAX {
                enough += u64::from(given.left);
            }
            useful
        });
    }
}

impl Given {
    /// The wake, reaching only as many as it has not reached yet.
    fn event(&self) -> Settled {
        let op = match self.event.op {
            Op::FutexWake { word, bitset, woken, .. } => {
                Op::FutexWake { word, limit: self.left, bitset, woken }
            }
            op => op,
        };
        Settled { op, ..self.event }
    }
}
