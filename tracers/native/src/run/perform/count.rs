//! Semaphores and barriers.

use warpath_trace::event::{Attempt, Op, SyncKind, WaitResult};

use crate::run::action::{Action, Sync};
use crate::run::error::RunError;
use crate::run::kernel::Next;
use crate::run::machine::Machine;
use crate::run::sync::{Barrier, Object, bytes};

impl Machine {
    fn semaphore_at(&mut self, address: u64) -> &mut u32 {
        if !matches!(self.objects.get(address), Some(Object::Semaphore { .. })) {
            // Never initialised by a call (zeroed memory, or `sem_open`): the count is the low half of its first word.
            let initial = self.peek_word::<4>(address).unwrap_or(0) as u32;
            self.objects.insert(address, Object::new(SyncKind::Semaphore { initial, maximum: None }));
        }
        match self.objects.get_mut(address) {
            Some(Object::Semaphore { count }) => count,
            _ => unreachable!("the object was put there"),
        }
    }

    pub(super) fn can_take(&self, semaphore: u64) -> bool {
        !matches!(self.objects.get(semaphore), Some(Object::Semaphore { count: 0 }))
    }

    /// The functions of semaphores return -1 and set `errno`.
    fn semaphore_status(&mut self, t: usize, errno: i32) -> Next {
        if errno == 0 {
            return self.return_from(t, 0);
        }
        self.set_errno(t, errno);
        self.return_from(t, u64::from(u32::MAX))
    }

    pub(super) fn sem_wait(
        &mut self,
        t: usize,
        address: u64,
        attempt: Attempt,
        deadline: Option<u64>,
    ) -> Result<Next, RunError> {
        let count = self.semaphore_at(address);
        let (result, errno) = if *count > 0 {
            *count -= 1;
            (WaitResult::Done, 0)
        } else if attempt == Attempt::Try {
            (WaitResult::Busy, libc::EAGAIN)
        } else {
            self.time_is_up(deadline);
            (WaitResult::TimedOut, libc::ETIMEDOUT)
        };
        let semaphore = self.location(address, bytes::SEMAPHORE)?;
        self.record(t, Op::SemWait { semaphore, attempt, result })?;
        Ok(self.semaphore_status(t, errno))
    }

    pub(super) fn sem_post(&mut self, t: usize, address: u64) -> Result<Next, RunError> {
        let count = self.semaphore_at(address);
        *count = count.saturating_add(1);
        let semaphore = self.location(address, bytes::SEMAPHORE)?;
        self.record(t, Op::SemPost { semaphore })?;
        Ok(self.return_from(t, 0))
    }

    pub(super) fn sem_value(&mut self, t: usize, address: u64, into: u64) -> Result<Next, RunError> {
        let value = *self.semaphore_at(address);
        let semaphore = self.location(address, bytes::SEMAPHORE)?;
        self.record(t, Op::SemValue { semaphore, value })?;
        self.kernel_write(t, into, &value.to_le_bytes())?;
        Ok(self.return_from(t, 0))
    }

    pub(super) fn barrier_passed(&self, barrier: u64, round: u64) -> bool {
        matches!(self.objects.get(barrier), Some(Object::Barrier(barrier)) if barrier.round > round)
    }

    pub(super) fn barrier_arrive(&mut self, t: usize, address: u64) -> Result<Next, RunError> {
        let location = self.location(address, bytes::BARRIER)?;
        self.record(t, Op::BarrierArrive { barrier: location })?;
        let Some(Object::Barrier(Barrier { parties, arrived, round })) = self.objects.get_mut(address) else {
            return Ok(self.return_from(t, libc::EINVAL as u64));
        };
        let this = *round;
        *arrived += 1;
        let serial = *arrived >= *parties;
        if serial {
            *arrived = 0;
            *round += 1;
        }
        Ok(Next::Poise(Action::Sync(Sync::BarrierLeave { barrier: address, round: this, serial })))
    }

    pub(super) fn barrier_leave(&mut self, t: usize, address: u64, serial: bool) -> Result<Next, RunError> {
        let location = self.location(address, bytes::BARRIER)?;
        self.record(t, Op::BarrierLeave { barrier: location, serial, result: WaitResult::Done })?;
        // PTHREAD_BARRIER_SERIAL_THREAD is -1.
        Ok(self.return_from(t, if serial { u64::from(u32::MAX) } else { 0 }))
    }
}
