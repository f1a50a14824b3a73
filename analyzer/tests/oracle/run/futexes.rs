//! Waiters of all futex words, who is woken and moved decided as late as possible.
//!
//! The program's semantics are: a wake takes some waiters out of the queue of its word, as many as its limit allows;
//! a requeue takes some out and moves some of the rest to the queue of another word. Nobody knows which. A waiter
//! with a deadline may leave at any moment. A schedule names the waiters that go on, not the ones that were chosen;
//! so everything that happened is kept, with all the states that the queues can be in by now.

use std::collections::BTreeMap;

use warpath_trace::ids::ThreadIx;

/// A set of waits, one bit each.
type Waits = u32;

/// Where a wake or requeue is recorded.
pub type Recorded = (ThreadIx, u32);

/// One state that the queues can be in.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Queues {
    /// Per word.
    queued: Vec<Waits>,
    /// Taken out by a wake, and not gone on yet.
    woken: Waits,
}

/// How many each wake woke and moved, in order.
type Counts = Vec<(u32, u32)>;

#[derive(Clone, Debug)]
pub struct Futexes {
    /// What is possible, with one way to get there.
    states: BTreeMap<Queues, Counts>,
    /// Waits with a deadline.
    timed: Waits,
    waits: usize,
    wakes: Vec<Recorded>,
}

impl Futexes {
    pub fn new(words: usize) -> Futexes {
        let empty = Queues { queued: vec![0; words], woken: 0 };
        Futexes { states: BTreeMap::from([(empty, Vec::new())]), timed: 0, waits: 0, wakes: Vec::new() }
    }

    /// Somebody begins to wait. Answers which wait this is.
    pub fn wait(&mut self, word: usize, timed: bool) -> usize {
        let wait = self.waits;
        assert!(wait < 32, "small programs wait a few times");
        self.waits += 1;
        self.timed |= Waits::from(timed) << wait;
        self.each(|queues, counts, next| {
            let mut queues = queues.clone();
            queues.queued[word] |= 1 << wait;
            next.insert(queues, counts.clone());
        });
        wait
    }

    /// Somebody wakes waiters.
    pub fn wake(&mut self, word: usize, limit: u32, event: Recorded) {
        self.requeue((word, word), limit, 0, event);
    }

    /// Somebody wakes waiters and moves others.
    pub fn requeue(&mut self, (from, to): (usize, usize), wake: u32, moves: u32, event: Recorded) {
        self.wakes.push(event);
        let timed = self.timed;
        self.each(|queues, counts, next| {
            let here = queues.queued[from];
            for gone in subsets(here & timed) {
                let left = here & !gone;
                for woken in subsets(left).filter(|set| set.count_ones() == wake.min(left.count_ones())) {
                    let rest = left & !woken;
                    let most = moves.min(rest.count_ones());
                    for moved in subsets(rest).filter(|set| set.count_ones() == most) {
                        let mut queues = queues.clone();
                        queues.woken |= woken;
                        queues.queued[from] = rest & !moved;
                        queues.queued[to] |= moved;
                        let mut counts = counts.clone();
                        counts.push((woken.count_ones(), moved.count_ones()));
                        next.entry(queues).or_insert(counts);
                    }
                }
            }
        });
    }

    /// Can this wait end now because of a wake?
    pub fn can_resume(&self, wait: usize) -> bool {
        self.states.keys().any(|queues| queues.woken >> wait & 1 == 1)
    }

    /// Can it end by its deadline, not having been woken?
    pub fn can_time_out(&self, wait: usize) -> bool {
        self.timed >> wait & 1 == 1 && self.states.keys().any(|queues| queues.woken >> wait & 1 == 0)
    }

    /// The wait ends because of a wake.
    pub fn resume(&mut self, wait: usize) {
        self.each(|queues, counts, next| {
            if queues.woken >> wait & 1 == 1 {
                let woken = queues.woken & !(1 << wait);
                next.insert(Queues { woken, ..queues.clone() }, counts.clone());
            }
        });
    }

    /// The wait ends by its deadline.
    pub fn time_out(&mut self, wait: usize) {
        self.each(|queues, counts, next| {
            if queues.woken >> wait & 1 == 0 {
                let mut queues = queues.clone();
                queues.queued.iter_mut().for_each(|queue| *queue &= !(1 << wait));
                next.insert(queues, counts.clone());
            }
        });
    }

    /// How many waiters each wake and requeue woke and moved, in one of the ways in which it can have been.
    pub fn counts(&self) -> Vec<(Recorded, (u32, u32))> {
        let counts = self.states.values().next().expect("what happened was possible");
        self.wakes.iter().copied().zip(counts.iter().copied()).collect()
    }

    fn each(&mut self, step: impl Fn(&Queues, &Counts, &mut BTreeMap<Queues, Counts>)) {
        let mut next = BTreeMap::new();
        for (queues, counts) in &self.states {
            step(queues, counts, &mut next);
        }
        self.states = next;
    }
}

/// All subsets of a set.
fn subsets(set: Waits) -> impl Iterator<Item = Waits> {
    // Counts down through the bits of the set alone.
    let mut next = Some(set);
    std::iter::from_fn(move || {
        let current = next?;
        next = (current != 0).then(|| (current - 1) & set);
        Some(current)
    })
}
