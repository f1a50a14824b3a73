//! Who is woken by whom, decided as late as possible.
//!
//! The program's semantics are: a wake takes some waiters out of the queue, at most as many as its limit, and
//! nobody knows which. A schedule names the waiters that go on, not the ones that a wake chose; so waiters and
//! wakes are kept, and a waiter may go on if *some* choice at each wake serves it and all that went on before.
//! Serving the waiters that went on earliest first finds such a choice if there is one (earliest deadline
//! first, which is optimal for jobs of one unit).
//!
//! A waiter that timed out is taken to have left the queue before any wake: its deadline may pass at any moment.

use warpath_trace::ids::ThreadIx;

/// How a wait stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Waiting,
    /// Went on at this moment.
    Woken(u64),
    TimedOut,
}

#[derive(Clone, Debug)]
struct Wait {
    since: u64,
    state: State,
}

/// A signal or broadcast.
#[derive(Clone, Debug)]
struct Wake {
    at: u64,
    /// `None` for all.
    limit: Option<u32>,
    event: (ThreadIx, u32),
}

/// The waits and wakes of one condition variable.
#[derive(Clone, Debug, Default)]
pub struct Wakeups {
    now: u64,
    waits: Vec<Wait>,
    wakes: Vec<Wake>,
}

impl Wakeups {
    fn tick(&mut self) -> u64 {
        self.now += 1;
        self.now
    }

    /// Somebody begins to wait. Answers which wait this is.
    pub fn wait(&mut self) -> usize {
        let since = self.tick();
        self.waits.push(Wait { since, state: State::Waiting });
        self.waits.len() - 1
    }

    /// Somebody wakes waiters; `event` is where that is recorded.
    pub fn wake(&mut self, limit: Option<u32>, event: (ThreadIx, u32)) {
        let at = self.tick();
        self.wakes.push(Wake { at, limit, event });
    }

    /// Can this wait end now because of a wake?
    pub fn can_resume(&self, wait: usize) -> bool {
        let mut assumed = self.clone();
        assumed.resume(wait);
        assumed.serve().is_some()
    }

    /// The wait ends because of a wake.
    pub fn resume(&mut self, wait: usize) {
        let now = self.tick();
        self.waits[wait].state = State::Woken(now);
    }

    /// The wait ends by its deadline.
    pub fn time_out(&mut self, wait: usize) {
        self.waits[wait].state = State::TimedOut;
    }

    /// How many waiters each wake took out of the queue.
    pub fn counts(&self) -> Vec<((ThreadIx, u32), u32)> {
        let counts = self.serve().expect("every wait that ended by a wake was checked before");
        self.wakes.iter().map(|wake| wake.event).zip(counts).collect()
    }

    /// Lets every wake in turn take out those that go on first; `None` if somebody went on unserved.
    fn serve(&self) -> Option<Vec<u32>> {
        let mut served = vec![false; self.waits.len()];
        let mut counts = Vec::new();
        for wake in &self.wakes {
            let queued = |wait: &Wait| match wait.state {
                State::Waiting => (wait.since < wake.at).then_some(u64::MAX),
                State::Woken(until) => (wait.since < wake.at && wake.at < until).then_some(until),
                State::TimedOut => None,
            };
            let mut queue: Vec<(u64, usize)> = self
                .waits
                .iter()
                .enumerate()
                .filter(|&(nth, _)| !served[nth])
                .filter_map(|(nth, wait)| queued(wait).map(|until| (until, nth)))
                .collect();
            queue.sort_unstable();
            queue.truncate(wake.limit.map_or(usize::MAX, |limit| limit as usize));
            counts.push(queue.len() as u32);
            for (_, nth) in queue {
                served[nth] = true;
            }
        }
        let unserved =
            self.waits.iter().zip(&served).any(|(wait, &ok)| matches!(wait.state, State::Woken(_)) && !ok);
        (!unserved).then_some(counts)
    }
}
