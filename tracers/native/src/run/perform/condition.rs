//! Condition variables: a wait is two steps, the release and the return.

use warpath_trace::event::{Attempt, Op, WaitResult};

use super::lock::status;
use crate::run::action::{Action, Api, Sync};
use crate::run::error::RunError;
use crate::run::kernel::Next;
use crate::run::machine::Machine;
use crate::run::sync::{Condition, Object, bytes};

impl Machine {
    fn condition_at(&mut self, address: u64) -> &mut Condition {
        if self.objects.condition(address).is_none() {
            let clock = libc::CLOCK_REALTIME as u64;
            self.objects.insert(address, Object::Condition(Condition { clock, ..Condition::default() }));
        }
        match self.objects.condition(address) {
            Some(condition) => condition,
            None => unreachable!("the object was put there"),
        }
    }

    /// Is there a signal for the thread?
    pub(super) fn signalled(&self, t: usize, condition: u64) -> bool {
        matches!(self.objects.get(condition), Some(Object::Condition(condition)) if condition.queue.woken(t))
    }

    pub(super) fn cond_wait(
        &mut self,
        t: usize,
        condition: u64,
        mutex: u64,
        deadline: Option<u64>,
        api: Api,
    ) -> Result<Next, RunError> {
        let locations = (self.location(condition, bytes::CONDITION)?, self.location(mutex, bytes::MUTEX)?);
        let attempt = if deadline.is_some() { Attempt::Timed } else { Attempt::Block };
        self.record(t, Op::CondWait { condition: locations.0, mutex: locations.1, attempt })?;
        if let Some(mutex) = self.objects.mutex(mutex) {
            // However often it was locked: the wait gives it up as a whole.
            mutex.owner = None;
        }
        self.condition_at(condition).queue.enter(t);
        Ok(Next::Poise(Action::Sync(Sync::CondWake { condition, mutex, deadline, signalled: false, api })))
    }

    pub(super) fn cond_wake(
        &mut self,
        t: usize,
        condition: u64,
        mutex: u64,
        deadline: Option<u64>,
        api: Api,
    ) -> Result<Next, RunError> {
        let woken = self.condition_at(condition).queue.leave(t);
        let result = match (woken, deadline) {
            (true, _) => WaitResult::Done,
            (false, Some(_)) => {
                self.time_is_up(deadline);
                WaitResult::TimedOut
            }
            (false, None) => WaitResult::Spurious,
        };
        if let Some(mutex) = self.objects.mutex(mutex) {
            mutex.owner = Some((t, 1));
        }
        let locations = (self.location(condition, bytes::CONDITION)?, self.location(mutex, bytes::MUTEX)?);
        self.record(t, Op::CondWake { condition: locations.0, mutex: locations.1, result })?;
        Ok(self.return_from(t, status(result, api)))
    }

    pub(super) fn signal(&mut self, t: usize, condition: u64, all: bool) -> Result<Next, RunError> {
        let limit = if all { u32::MAX } else { 1 };
        let woken = self.condition_at(condition).queue.wake(limit, |_| true);
        let location = self.location(condition, bytes::CONDITION)?;
        let op = match all {
            true => Op::Broadcast { condition: location, woken },
            false => Op::Signal { condition: location, woken },
        };
        self.record(t, op)?;
        Ok(self.return_from(t, 0))
    }
}
