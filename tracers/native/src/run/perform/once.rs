//! Once-only initialisation, joining and detaching.

use warpath_trace::event::{Attempt, OnceStep, Op, SyncKind, WaitResult};

use crate::run::calls::Return;
use crate::run::error::RunError;
use crate::run::kernel::Next;
use crate::run::machine::Machine;
use crate::run::sync::{Object, Once, bytes};

impl Machine {
    fn once_at(&mut self, address: u64) -> &mut Once {
        if !matches!(self.objects.get(address), Some(Object::Once(_))) {
            self.objects.insert(address, Object::new(SyncKind::Once));
        }
        match self.objects.get_mut(address) {
            Some(Object::Once(once)) => once,
            _ => unreachable!("the object was put there"),
        }
    }

    pub(super) fn can_enter_once(&self, once: u64) -> bool {
        !matches!(self.objects.get(once), Some(Object::Once(Once::Running(_))))
    }

    pub(super) fn once_enter(&mut self, t: usize, address: u64, routine: u64) -> Result<Next, RunError> {
        let location = self.location(address, bytes::ONCE)?;
        let once = self.once_at(address);
        if *once == Once::Done {
            self.record(t, Op::Once { once: location, step: OnceStep::Seen })?;
            return Ok(self.return_from(t, 0));
        }
        *once = Once::Running(t);
        self.record(t, Op::Once { once: location, step: OnceStep::Run })?;
        // The initialiser is called as the function itself would: it returns to an address of ours, where the second
        // half of the step waits.
        self.catch_return(t, |to, sp| Return::Once { once: address, to, sp });
        self.threads[t].registers.rip = routine;
        Ok(Next::Go)
    }

    pub(super) fn once_finish(&mut self, t: usize, address: u64) -> Result<Next, RunError> {
        let location = self.location(address, bytes::ONCE)?;
        *self.once_at(address) = Once::Done;
        let Some(Return::Once { to, sp, .. }) = self.threads[t].returns.pop() else { return Ok(Next::Go) };
        self.record_at(t, Op::Once { once: location, step: OnceStep::Finish }, to.wrapping_sub(1))?;
        Ok(self.land(t, to, sp, Some(0)))
    }

    /// The thread that the C library knows under this handle: the address of its control block.
    pub(crate) fn by_handle(&self, handle: u64) -> Option<usize> {
        self.threads.iter().rposition(|thread| thread.handle == handle)
    }

    pub(super) fn has_ended(&self, handle: u64) -> bool {
        self.by_handle(handle).is_none_or(|thread| !self.threads[thread].alive())
    }

    pub(super) fn join(
        &mut self,
        t: usize,
        handle: u64,
        attempt: Attempt,
        deadline: Option<u64>,
    ) -> Result<Next, RunError> {
        let Some(target) = self.by_handle(handle) else {
            // Not a thread of ours: whatever the C library thinks of it.
            return self.pass(t);
        };
        let child = self.threads[target].ix;
        if target == t {
            self.record(t, Op::Join { child, attempt, result: WaitResult::WouldDeadlock })?;
            return Ok(self.return_from(t, libc::EDEADLK as u64));
        }
        if self.threads[target].alive() {
            let (result, errno) = match attempt {
                Attempt::Try => (WaitResult::Busy, libc::EBUSY),
                _ => {
                    self.time_is_up(deadline);
                    (WaitResult::TimedOut, libc::ETIMEDOUT)
                }
            };
            self.record(t, Op::Join { child, attempt, result })?;
            return Ok(self.return_from(t, errno as u64));
        }
        self.record(t, Op::Join { child, attempt, result: WaitResult::Done })?;
        // It has ended, so the C library's own join does not wait; it fetches the result and frees the stack.
        self.pass(t)
    }

    pub(super) fn detach(&mut self, t: usize, handle: u64) -> Result<Next, RunError> {
        if let Some(target) = self.by_handle(handle) {
            let child = self.threads[target].ix;
            self.record(t, Op::Detach { child })?;
        }
        self.pass(t)
    }
}
