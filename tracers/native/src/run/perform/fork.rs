//! Threads beginning and ending.

use warpath_trace::event::Op;
use warpath_trace::ids::StringId;
use warpath_trace::thread::Thread as Entry;

use crate::cpu::Gpr;
use crate::run::action::Fork;
use crate::run::error::RunError;
use crate::run::kernel::{Next, PID};
use crate::run::machine::Machine;
use crate::run::outcome::End;
use crate::run::thread::{State, Thread};

/// Threads that a run may have, ended ones included.
const MOST: usize = 4000;

impl Machine {
    pub(super) fn fork_thread(&mut self, t: usize, fork: Fork) -> Result<Next, RunError> {
        if self.threads.len() >= MOST {
            return Err(RunError::Threads(MOST));
        }
        let parent = &mut self.threads[t];
        let nth = parent.forks;
        parent.forks += 1;
        let key = parent.key.child(nth);
        let starting = parent.starting.take();
        let mut registers = parent.registers.clone();
        let fpu = parent.fpu.clone();
        let (parent_ix, mask) = (parent.ix, parent.signal_mask);
        let Some(slot) = self.slots.take(&key) else { return Err(RunError::Threads(self.threads.len())) };
        let start = starting.and_then(|starting| self.images.function(starting.start)).unwrap_or_default();
        let start =
            if start.is_empty() { StringId::EMPTY } else { self.recorder.string(start.as_bytes())? };
        let entry = Entry {
            parent: Some((parent_ix, nth)),
            start,
            argument: starting.map(|starting| starting.argument),
            name: StringId::EMPTY,
        };
        let ix = self.recorder.add_thread(entry)?;
        let site = match starting {
            Some(starting) => starting.site,
            None => self.site(t),
        };
        self.record_at(t, Op::Fork { child: ix }, site)?;

        let tid = PID + slot.0 as i32;
        registers.set(Gpr::Rax, 0);
        if fork.stack != 0 {
            registers.set(Gpr::Rsp, fork.stack);
        }
        if fork.flags & libc::CLONE_SETTLS as u64 != 0 {
            registers.fs_base = fork.tls;
        }
        for (flag, address) in
            [(libc::CLONE_PARENT_SETTID, fork.parent_tid), (libc::CLONE_CHILD_SETTID, fork.child_tid)]
        {
            if fork.flags & flag as u64 != 0 {
                self.poke(address, &tid.to_le_bytes());
            }
        }
        let mut thread = Thread::new(key, ix, slot, tid, registers);
        thread.fpu = fpu;
        thread.start = starting.map_or(0, |starting| starting.start);
        thread.signal_mask = mask;
        thread.handle = fork.tls;
        // A stack of whose size nothing was said ends at its mapping.
        thread.stack = match fork.stack_size {
            0 => fork.stack.saturating_sub(8 << 20)..fork.stack,
            size => fork.stack - size..fork.stack,
        };
        if fork.flags & libc::CLONE_CHILD_CLEARTID as u64 != 0 {
            thread.clear_tid = fork.child_tid;
        }
        // What the parent wrote there to set it up is the C library's business.
        self.space.forget_tracking(thread.stack.clone());
        self.started_under_repair(t, thread.handle, site);
        self.threads.push(thread);
        self.meet_thread(self.threads.len() - 1);
        self.space.track(true);
        self.forked(t, tid);
        Ok(Next::Go)
    }

    /// A thread ends the program. If that is a failure, it is the last event; else the thread's end is.
    pub(super) fn exit_by(&mut self, t: usize, status: i32) -> Result<Next, RunError> {
        let next = self.exit(status);
        if matches!(next, Next::End(End::Exited(_))) {
            let start = self.threads[t].start;
            self.record_at(t, Op::End, start)?;
        }
        Ok(next)
    }

    pub(super) fn end_thread(&mut self, t: usize) -> Result<Next, RunError> {
        let start = self.threads[t].start;
        self.record_at(t, Op::End, start)?;
        let clear = self.threads[t].clear_tid;
        if clear != 0 {
            self.poke(clear, &[0; 4]);
            self.wake_all(clear);
        }
        self.threads[t].state = State::Ended;
        self.objects.thread_ended(t);
        if self.threads.iter().all(|thread| !thread.alive()) {
            return Ok(Next::End(End::Exited(0)));
        }
        Ok(Next::Go)
    }
}
