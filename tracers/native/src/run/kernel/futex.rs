//! Futexes: words that threads wait on.

use rustc_hash::FxHashMap;
use warpath_trace::event::{Attempt, Datum, Op, WaitResult};

use super::{Call, Next, error};
use crate::run::action::{Action, Futex, FutexWait, Wait};
use crate::run::error::RunError;
use crate::run::machine::Machine;
use crate::run::queue::Queue;
use crate::run::sync::bytes;

/// Threads that wait on words, by the word's address.
#[derive(Clone, Debug, Default)]
pub(crate) struct Waiters {
    queues: FxHashMap<u64, Queue>,
    bitsets: FxHashMap<usize, u32>,
}

impl Waiters {
    fn wake(&mut self, word: u64, limit: u32, bitset: u32) -> u32 {
        let bitsets = &self.bitsets;
        let reaches = |thread: usize| bitsets.get(&thread).is_none_or(|listening| listening & bitset != 0);
        self.queues.get_mut(&word).map_or(0, |queue| queue.wake(limit, reaches))
    }

    fn enter(&mut self, word: u64, thread: usize, bitset: u32) {
        self.queues.entry(word).or_default().enter(thread);
        self.bitsets.insert(thread, bitset);
    }

    /// Has the thread been woken?
    pub(crate) fn woken(&self, word: u64, thread: usize) -> bool {
        self.queues.get(&word).is_some_and(|queue| queue.woken(thread))
    }

    fn leave(&mut self, word: u64, thread: usize) -> bool {
        self.bitsets.remove(&thread);
        let Some(queue) = self.queues.get_mut(&word) else { return false };
        let woken = queue.leave(thread);
        if queue.is_empty() {
            self.queues.remove(&word);
        }
        woken
    }
}

impl Machine {
    pub(super) fn futex_call(&mut self, t: usize, call: Call) -> Result<Next, RunError> {
        const ANY: u32 = u32::MAX;
        let [word, operation, value, fourth, second_word, last] = call.arguments;
        let operation = operation as i32;
        let realtime = operation & libc::FUTEX_CLOCK_REALTIME != 0;
        let clock = if realtime { libc::CLOCK_REALTIME } else { libc::CLOCK_MONOTONIC } as u64;
        let value = value as u32;
        let command = operation & !(libc::FUTEX_PRIVATE_FLAG | libc::FUTEX_CLOCK_REALTIME);
        let futex = match command {
            libc::FUTEX_WAIT | libc::FUTEX_WAIT_BITSET => {
                let deadline = match fourth {
                    0 => None,
                    address => {
                        let Some(time) = self.timespec(address) else {
                            return Ok(self.give(t, error(libc::EINVAL)));
                        };
                        Some(match command {
                            libc::FUTEX_WAIT => self.kernel.clock.saturating_add(time),
                            _ => self.deadline(clock, time),
                        })
                    }
                };
                let bitset = if command == libc::FUTEX_WAIT { ANY } else { last as u32 };
                Futex::Wait(FutexWait { word, expected: value, bitset, deadline, woken: false })
            }
            libc::FUTEX_WAKE => Futex::Wake { word, limit: value, bitset: ANY },
            libc::FUTEX_WAKE_BITSET => Futex::Wake { word, limit: value, bitset: last as u32 },
            libc::FUTEX_REQUEUE | libc::FUTEX_CMP_REQUEUE => Futex::Requeue {
                from: word,
                to: second_word,
                wake_limit: value,
                move_limit: fourth as u32,
                expected: (command == libc::FUTEX_CMP_REQUEUE).then_some(last as u32),
            },
            _ => {
                self.approximate("futex operations that are not modelled");
                return Ok(self.give(t, error(libc::ENOSYS)));
            }
        };
        // What the C library does with its own words is not the program's business.
        if self.own_of_library(word) {
            return self.library_futex(t, futex);
        }
        Ok(Next::Poise(Action::Futex(futex)))
    }

    fn library_futex(&mut self, t: usize, futex: Futex) -> Result<Next, RunError> {
        let result = match futex {
            Futex::Wait(wait) => match self.peek_word::<4>(wait.word) {
                Some(value) if value as u32 == wait.expected => {
                    self.kernel.waiters.enter(wait.word, t, wait.bitset);
                    return Ok(Next::Poise(Action::Blocked(Wait::Futex(wait))));
                }
                Some(_) => error(libc::EAGAIN),
                None => error(libc::EFAULT),
            },
            Futex::Wake { word, limit, bitset } => self.kernel.waiters.wake(word, limit, bitset).into(),
            Futex::Requeue { from, wake_limit, move_limit, .. } => {
                self.kernel.waiters.wake(from, wake_limit.saturating_add(move_limit), u32::MAX).into()
            }
        };
        Ok(self.give(t, result))
    }

    /// A wait within the C library is over.
    pub(crate) fn resume_library_futex(&mut self, t: usize, wait: &FutexWait) {
        let woken = self.kernel.waiters.leave(wait.word, t);
        if !woken && let Some(deadline) = wait.deadline {
            self.kernel.clock = self.kernel.clock.max(deadline);
        }
        let result = if woken { 0 } else { error(libc::ETIMEDOUT) };
        self.give(t, result);
    }

    /// Does a futex call as an event. A wait that is queued poises its second half.
    pub(crate) fn perform_futex(&mut self, t: usize, futex: Futex) -> Result<Next, RunError> {
        match futex {
            Futex::Wait(wait) => {
                let Some(value) = self.view(t, wait.word, 4) else {
                    return Ok(self.give(t, error(libc::EFAULT)));
                };
                let queued = value == u128::from(wait.expected);
                let word = self.location(wait.word, bytes::FUTEX)?;
                let attempt = if wait.deadline.is_some() { Attempt::Timed } else { Attempt::Block };
                self.record(
                    t,
                    Op::FutexWait {
                        word,
                        value,
                        expected: Datum::concrete(wait.expected.into()),
                        bitset: wait.bitset,
                        attempt,
                        queued,
                    },
                )?;
                if !queued {
                    return Ok(self.give(t, error(libc::EAGAIN)));
                }
                self.kernel.waiters.enter(wait.word, t, wait.bitset);
                Ok(Next::Poise(Action::FutexResume(wait)))
            }
            Futex::Wake { word, limit, bitset } => {
                let woken = self.kernel.waiters.wake(word, limit, bitset);
                let location = self.location(word, bytes::FUTEX)?;
                self.record(t, Op::FutexWake { word: location, limit, bitset, woken })?;
                Ok(self.give(t, woken.into()))
            }
            Futex::Requeue { from, to, wake_limit, move_limit, expected } => {
                if expected.is_some_and(|expected| self.view(t, from, 4) != Some(expected.into())) {
                    return Ok(self.give(t, error(libc::EAGAIN)));
                }
                let woken = self.kernel.waiters.wake(from, wake_limit, u32::MAX);
                let moved = self
                    .kernel
                    .waiters
                    .queues
                    .get_mut(&from)
                    .map_or(Vec::new(), |queue| queue.take(move_limit));
                for &thread in &moved {
                    self.kernel.waiters.queues.entry(to).or_default().enter(thread);
                    if let Some(Action::FutexResume(wait)) = self.threads[thread].pending_mut() {
                        wait.word = to;
                    }
                }
                let moved = moved.len() as u32;
                let (from, to) = (self.location(from, bytes::FUTEX)?, self.location(to, bytes::FUTEX)?);
                self.record(t, Op::FutexRequeue { from, to, wake_limit, move_limit, woken, moved })?;
                Ok(self.give(t, (woken + moved).into()))
            }
        }
    }

    /// The second half of a wait: the thread was woken, or its time is up.
    pub(crate) fn resume_futex(&mut self, t: usize, wait: &FutexWait) -> Result<Next, RunError> {
        let woken = self.kernel.waiters.leave(wait.word, t);
        let word = self.location(wait.word, bytes::FUTEX)?;
        let result = if woken { WaitResult::Done } else { WaitResult::TimedOut };
        self.record(t, Op::FutexResume { word, result })?;
        if !woken && let Some(deadline) = wait.deadline {
            self.kernel.clock = self.kernel.clock.max(deadline);
        }
        Ok(self.give(t, if woken { 0 } else { error(libc::ETIMEDOUT) }))
    }

    /// A word that the kernel clears when a thread ends wakes who waits for that.
    pub(crate) fn wake_all(&mut self, word: u64) -> u32 {
        self.kernel.waiters.wake(word, u32::MAX, u32::MAX)
    }
}
