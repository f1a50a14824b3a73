//! What a random program may contain.

use std::fmt;

use super::super::rng::Rng;

/// A set of features. Leave some out to narrow a failure down.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Features(pub u32);

macro_rules! features {
    ($($(#[$doc:meta])* $name:ident = $bit:expr),* $(,)?) => {
        impl Features {
            $($(#[$doc])* pub const $name: Features = Features(1 << $bit);)*
            pub const ALL: Features = Features($(1 << $bit)|*);
            const NAMES: &[(&str, Features)] = &[$((stringify!($name), Features::$name)),*];
        }
    };
}

features! {
    BRANCH = 0,
    SWITCH = 1,
    REPEAT = 2,
    INPUT = 3,
    ASSERT = 4,
    ASSUME = 5,
    /// Cells of two bytes that overlap others.
    WIDE = 6,
    ATOMIC_ACCESS = 7,
    RMW = 8,
    FENCE = 9,
    MUTEX = 10,
    /// Try and timed acquisitions of whatever else there is.
    ATTEMPT = 11,
    RECURSIVE = 12,
    RWLOCK = 13,
    CONDITION = 14,
    TIMED_WAIT = 15,
    SEMAPHORE = 16,
    BARRIER = 17,
    ONCE = 18,
    REGION = 19,
    FUTEX = 20,
    HEAP = 21,
    /// The main thread works between its forks and its joins.
    MAIN = 22,
    /// A thread may lock a mutex that it cannot lock twice while it holds it.
    SELF_DEADLOCK = 23,
    /// A mutex that refuses its owner.
    ERROR_CHECK = 24,
    /// Moves waiters of a futex.
    REQUEUE = 25,
}

impl Features {
    /// What plain memory needs.
    pub const MEMORY: Features = Features(
        Features::BRANCH.0 | Features::INPUT.0 | Features::ASSERT.0 | Features::ASSUME.0 | Features::WIDE.0,
    );

    pub fn has(self, other: Features) -> bool {
        self.0 & other.0 == other.0
    }

    pub fn with(self, other: Features) -> Features {
        Features(self.0 | other.0)
    }

    pub fn without(self, other: Features) -> Features {
        Features(self.0 & !other.0)
    }

    /// Some of them: what programs are made of mostly, the more special kinds now and then, so that those that
    /// are there meet each other often.
    pub(super) fn sample(self, rng: &mut Rng) -> Features {
        let common =
            Features::MEMORY.with(Features::SWITCH).with(Features::ATTEMPT).with(Features::TIMED_WAIT);
        let mut chosen = Features(0);
        for &(_, feature) in Features::NAMES {
            let percent = match feature {
                Features::BRANCH => 95,
                Features::MUTEX => 50,
                Features::WIDE | Features::ASSUME => 30,
                Features::SELF_DEADLOCK => 5,
                // It has an effect only with a futex.
                Features::REQUEUE => 50,
                other if common.has(other) => 60,
                _ => 25,
            };
            if self.has(feature) && rng.percent(percent) {
                chosen = chosen.with(feature);
            }
        }
        chosen
    }
}

impl fmt::Debug for Features {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = Features::NAMES.iter().filter(|(_, feature)| self.has(*feature)).map(|(name, _)| name);
        f.debug_set().entries(names).finish()
    }
}
