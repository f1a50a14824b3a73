//! Barriers of a process that follows a schedule: the last to arrive is the last by the schedule, and is told so.

use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use super::futex;
use crate::tickets::Table;

/// How many a barrier waits for.
static PARTIES: Table = Table::new(5);
/// Which round it is (low half), and how many have arrived for it (high half).
static ROUNDS: Table = Table::new(5);

const ARRIVAL: u64 = 1 << 32;

/// A barrier was made.
pub(crate) fn made(barrier: u64, parties: u32) {
    PARTIES.set(barrier, u64::from(parties));
    ROUNDS.set(barrier, 0);
}

/// A thread that has arrived.
pub(crate) struct Arrival {
    rounds: &'static AtomicU64,
    round: u32,
    /// It was the last one.
    pub(crate) last: bool,
}

/// Arrives; none if nobody knows how many the barrier waits for.
pub(crate) fn arrive(barrier: u64) -> Option<Arrival> {
    let parties = PARTIES.get(barrier);
    let rounds = ROUNDS.number(barrier).filter(|_| parties > 0)?;
    let mut now = rounds.load(Ordering::Acquire);
    loop {
        let last = (now >> 32) + 1 >= parties;
        let next = if last { u64::from((now as u32).wrapping_add(1)) } else { now + ARRIVAL };
        match rounds.compare_exchange(now, next, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => {
                let arrival = Arrival { rounds, round: now as u32, last };
                if last {
                    futex::wake(arrival.word());
                }
                return Some(arrival);
            }
            Err(other) => now = other,
        }
    }
}

impl Arrival {
    fn word(&self) -> &AtomicU32 {
        let word: *const AtomicU64 = self.rounds;
        // SAFETY: the low half of a word of a table, which is there for good; the machine is little endian.
        unsafe { &*word.cast::<AtomicU32>() }
    }

    /// Have all arrived?
    pub(crate) fn passed(&self) -> bool {
        self.word().load(Ordering::Acquire) != self.round
    }

    /// Waits until all have.
    pub(crate) fn wait(&self) {
        while !self.passed() {
            futex::wait(self.word(), self.round, None);
        }
    }
}
