//! Visible steps: when they are possible, and what they do.

mod access;
mod condition;
mod count;
mod fork;
mod lock;
mod once;

use super::action::{Action, Sync, Wait};
use super::calls::Return;
use super::error::RunError;
use super::kernel::Next;
use super::machine::Machine;
use super::outcome::{End, Why};
use super::thread::State;
use warpath_trace::event::Op;

/// Can a thread do what it is about to do?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ability {
    /// Yes.
    Now,
    /// Only to find that its time is up, at this (virtual) time.
    AtDeadline(u64),
    /// Not before its buffered writes have reached memory.
    AfterCommits,
    /// Not before something happens outside the program.
    Outside,
    /// Not before another thread does something.
    No,
}

impl Machine {
    /// Can the thread do what it is about to do?
    pub(crate) fn ability(&mut self, t: usize) -> Ability {
        if let Some(Action::Blocked(Wait::Change(cells))) = self.threads[t].pending() {
            let cells = cells.clone();
            return if self.has_changed(t, &cells) { Ability::Now } else { Ability::No };
        }
        let thread = &self.threads[t];
        let State::Poised(action) = &thread.state else { return Ability::No };
        if self
            .threads
            .iter()
            .enumerate()
            .any(|(other, thread)| other != t && thread.atomic > 0 && thread.alive())
        {
            return Ability::No;
        }
        if !thread.buffer.is_empty() && drains(action) {
            return Ability::AfterCommits;
        }
        let unless = |possible: bool, deadline: Option<u64>| match (possible, deadline) {
            (true, _) => Ability::Now,
            (false, Some(deadline)) => Ability::AtDeadline(deadline),
            (false, None) => Ability::No,
        };
        match action {
            Action::FutexResume(wait) => unless(self.kernel.waiters.woken(wait.word, t), wait.deadline),
            Action::Blocked(wait) => match wait {
                Wait::Futex(wait) => unless(self.kernel.waiters.woken(wait.word, t), wait.deadline),
                Wait::Descriptor { .. } => Ability::Outside,
                Wait::Retry { deadline: Some(deadline) } if *deadline <= self.kernel.clock => Ability::Now,
                Wait::Retry { deadline } => deadline.map_or(Ability::Outside, Ability::AtDeadline),
                Wait::Signal | Wait::Change(_) => Ability::No,
                Wait::Turn => Ability::Now,
            },
            Action::Sync(sync) => self.sync_ability(t, sync),
            _ => Ability::Now,
        }
    }

    fn sync_ability(&self, t: usize, sync: &Sync) -> Ability {
        use warpath_trace::event::Attempt;
        let (possible, attempt, deadline) = match *sync {
            Sync::Lock { mutex, attempt, deadline, .. } => (self.can_lock(t, mutex), attempt, deadline),
            Sync::RwLock { lock, mode, attempt, deadline } => {
                (self.can_rw_lock(t, lock, mode), attempt, deadline)
            }
            Sync::CondWake { condition, mutex, deadline, .. } => {
                if !self.can_lock(t, mutex) {
                    return Ability::No;
                }
                let woken = self.signalled(t, condition);
                (woken, if deadline.is_some() { Attempt::Timed } else { Attempt::Block }, deadline)
            }
            Sync::SemWait { semaphore, attempt, deadline } => (self.can_take(semaphore), attempt, deadline),
            Sync::BarrierLeave { barrier, round, .. } => {
                (self.barrier_passed(barrier, round), Attempt::Block, None)
            }
            Sync::OnceEnter { once, .. } => (self.can_enter_once(once), Attempt::Block, None),
            Sync::Join { thread, attempt, deadline } => (self.has_ended(thread), attempt, deadline),
            _ => return Ability::Now,
        };
        match (possible, attempt, deadline) {
            (true, _, _) | (false, Attempt::Try, _) => Ability::Now,
            (false, Attempt::Timed, deadline) => Ability::AtDeadline(deadline.unwrap_or(0)),
            (false, Attempt::Block, _) => Ability::No,
        }
    }

    /// Does what the thread is about to do. A timed wait that is not possible yet ends because its time is up.
    pub(crate) fn perform(&mut self, t: usize) -> Result<Next, RunError> {
        let State::Poised(action) = std::mem::replace(&mut self.threads[t].state, State::Running) else {
            return Ok(Next::Go);
        };
        if self.threads[t].repairing.is_some() {
            self.threads[t].spin.break_off();
            return self.perform_added(t, &action);
        }
        // Only looking is idle.
        if !matches!(action, Action::Access(_) | Action::Blocked(_)) {
            self.threads[t].spin.break_off();
        }
        match action {
            Action::Begin => {
                let start = self.threads[t].start;
                self.record_at(t, Op::Begin, start)?;
                Ok(Next::Go)
            }
            Action::End => self.end_thread(t),
            Action::Exit(status) => self.exit_by(t, status),
            // It may have been freed while the thread stood before it.
            Action::Access(access) => match self.misuse(t, access) {
                Some(failure) => Ok(Next::End(End::Failed(failure))),
                None => self.perform_access(t, access),
            },
            Action::Fence(order) => {
                self.record(t, Op::Fence { order })?;
                self.threads[t].fenced = true;
                Ok(Next::Go)
            }
            Action::Fork(fork) => self.fork_thread(t, fork),
            Action::Sync(sync) => self.perform_sync(t, sync),
            Action::Output { fd, bytes } => {
                let result = self.perform_output(t, fd)?;
                let bytes = self.recorder.string(&bytes)?;
                self.record(t, Op::Output { stream: fd as u32, bytes })?;
                let given = self.give(t, result);
                Ok(self.too_much_output().map_or(given, |limit| Next::End(End::Stopped(Why::Output(limit)))))
            }
            Action::Free { address } => self.free_block(t, address),
            Action::Take(take) => self.take_now(t, &take),
            Action::GiveKey { into, key } => self.give_key(t, into, key),
            Action::Futex(futex) => self.perform_futex(t, futex),
            Action::FutexResume(wait) => self.resume_futex(t, &wait),
            Action::Blocked(Wait::Futex(wait)) => {
                self.resume_library_futex(t, &wait);
                Ok(Next::Go)
            }
            Action::Blocked(_) => Ok(Next::Go),
        }
    }

    fn perform_sync(&mut self, t: usize, sync: Sync) -> Result<Next, RunError> {
        match sync {
            Sync::Init { object, kind } => self.init_object(t, object, kind),
            Sync::Destroy { object } => self.destroy_object(t, object),
            Sync::Lock { mutex, attempt, deadline, api } => self.lock(t, mutex, attempt, deadline, api),
            Sync::Unlock { mutex, api } => self.unlock(t, mutex, api),
            Sync::RwLock { lock, mode, attempt, deadline } => self.rw_lock(t, lock, mode, attempt, deadline),
            Sync::RwUnlock { lock } => self.rw_unlock(t, lock),
            Sync::CondWait { condition, mutex, deadline, api } => {
                self.cond_wait(t, condition, mutex, deadline, api)
            }
            Sync::CondWake { condition, mutex, deadline, api, .. } => {
                self.cond_wake(t, condition, mutex, deadline, api)
            }
            Sync::Signal { condition } => self.signal(t, condition, false),
            Sync::Broadcast { condition } => self.signal(t, condition, true),
            Sync::SemWait { semaphore, attempt, deadline } => self.sem_wait(t, semaphore, attempt, deadline),
            Sync::SemPost { semaphore } => self.sem_post(t, semaphore),
            Sync::SemValue { semaphore, into } => self.sem_value(t, semaphore, into),
            Sync::BarrierArrive { barrier } => self.barrier_arrive(t, barrier),
            Sync::BarrierLeave { barrier, serial, .. } => self.barrier_leave(t, barrier, serial),
            Sync::OnceEnter { once, routine, .. } => self.once_enter(t, once, routine),
            Sync::OnceFinish { once } => self.once_finish(t, once),
            Sync::Join { thread, attempt, deadline } => self.join(t, thread, attempt, deadline),
            Sync::Detach { thread } => self.detach(t, thread),
            Sync::AtomicBegin { call } => {
                self.threads[t].atomic += 1;
                self.record(t, Op::AtomicBegin)?;
                if !call {
                    return Ok(self.return_from(t, 0));
                }
                self.catch_return(t, |to, sp| Return::Atomic { to, sp });
                self.pass(t)
            }
            Sync::AtomicEnd { call } => {
                self.threads[t].atomic = self.threads[t].atomic.saturating_sub(1);
                if !call {
                    self.record(t, Op::AtomicEnd)?;
                    return Ok(self.return_from(t, 0));
                }
                let Some(Return::Atomic { to, sp }) = self.threads[t].returns.pop() else {
                    return Ok(Next::Go);
                };
                self.record_at(t, Op::AtomicEnd, to.wrapping_sub(1))?;
                // What it returned is where it left it.
                Ok(self.land(t, to, sp, None))
            }
        }
    }

    /// A deadline has passed: so much for virtual time.
    fn time_is_up(&mut self, deadline: Option<u64>) {
        self.kernel.clock = self.kernel.clock.max(deadline.unwrap_or(0));
    }
}

/// Must the thread's writes be in memory before this?
fn drains(action: &Action) -> bool {
    use super::action::AccessKind;
    match action {
        Action::Access(access) => access.kind == AccessKind::Update,
        Action::Begin | Action::Blocked(_) => false,
        _ => true,
    }
}
