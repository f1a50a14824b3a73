//! The end of a run: what is still pending, and how it failed.

use std::collections::BTreeSet;

use warpath_trace::event::{Attempt, FailureKind, Op, WaitResult};
use warpath_trace::header::Outcome;
use warpath_trace::ids::ThreadIx;

use super::machine::{Machine, Readiness};
use super::thread::Next;
use super::{Choice, Failure, Run};
use crate::oracle::program::{ThreadNr, What};

impl Machine<'_> {
    /// Ends the recording; if threads are about to fail, this one does.
    pub fn finish(mut self, choices: Vec<Choice>, followed: usize, failing: Option<ThreadNr>) -> Run {
        let ended = self.threads.iter().all(|thread| matches!(thread.next, Next::Ended));
        let mut failure = None;
        if let Some(nr) = failing
            && let Next::Failing { id, condition } = self.threads[nr].next
        {
            self.record_all_pending();
            let message = self.recorder.assertion(id);
            self.recorder.event(nr, id, Op::Assert { condition, holds: false, message });
            self.recorder.fail(nr, id, FailureKind::Assertion, "");
            failure = Some(Failure::Assertion { thread: nr, statement: id });
        } else if ended {
            self.recorder.trace.finish(Outcome::Exited(0));
        } else if self.is_stuck() {
            failure = self.stuck();
        } else {
            self.record_all_pending();
            self.recorder.trace.finish(Outcome::Stopped);
        }
        self.fill_in_woken();
        Run {
            choices,
            followed,
            failure,
            uses_after_free: self.uses_after_free,
            final_memory: ended.then(|| self.memory.all()),
            trace: self.recorder.trace,
        }
    }

    /// A tracer sees what threads wait for when something else ends the run.
    fn record_all_pending(&mut self) {
        for nr in 0..self.threads.len() {
            if self.readiness(nr) == Readiness::No {
                self.record_pending(nr);
            }
        }
    }

    fn is_stuck(&self) -> bool {
        (0..self.threads.len())
            .all(|nr| self.readiness(nr) == Readiness::No && self.committable(nr).is_empty())
    }

    /// Records what waits. It is a deadlock if nobody was stopped by an assumption, for whom the others could
    /// be waiting rightly, or if threads wait for each other in a circle.
    fn stuck(&mut self) -> Option<Failure> {
        let waits =
            |nr: &ThreadNr| !matches!(self.threads[*nr].next, Next::NotForked | Next::Ended | Next::Stopped);
        let blocked: BTreeSet<ThreadNr> = (0..self.threads.len()).filter(waits).collect();
        let stopped = self.threads.iter().any(|thread| matches!(thread.next, Next::Stopped));
        let deadlock = !stopped || blocked.iter().any(|&nr| self.waits_for_itself(nr));
        for &nr in &blocked {
            self.record_pending(nr);
        }
        match blocked.first() {
            Some(&nr) if deadlock => {
                self.recorder.fail(nr, 0, FailureKind::Deadlock, "");
                Some(Failure::Deadlock { blocked })
            }
            _ => {
                self.recorder.trace.finish(Outcome::Stopped);
                None
            }
        }
    }

    /// Threads that this one needs something of.
    fn waits_for(&self, nr: ThreadNr) -> Vec<ThreadNr> {
        match self.threads[nr].next {
            Next::Join(child) => vec![child],
            Next::Wake { statement, .. } => match statement.what {
                What::CondWait { mutex, .. } => self.objects[mutex].holders(),
                _ => Vec::new(),
            },
            Next::Statement(statement) => match statement.what {
                What::Lock { mutex: object, .. }
                | What::RwLock { lock: object, .. }
                | What::Once { once: object, .. } => self.objects[object].holders(),
                _ => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    fn waits_for_itself(&self, nr: ThreadNr) -> bool {
        let mut seen = BTreeSet::new();
        let mut stack = self.waits_for(nr);
        while let Some(other) = stack.pop() {
            if seen.insert(other) {
                stack.extend(self.waits_for(other));
            }
        }
        seen.contains(&nr)
    }

    fn record_pending(&mut self, nr: ThreadNr) {
        match self.threads[nr].next {
            Next::Join(child) => {
                let (child, result) = (ThreadIx::from(child), WaitResult::Pending);
                self.recorder.event(nr, 0, Op::Join { child, attempt: Attempt::Block, result });
            }
            Next::Wake { statement, .. } | Next::Leave { statement, .. } | Next::Resume { statement, .. } => {
                self.record_second_half(nr, statement, WaitResult::Pending);
            }
            Next::Statement(statement) => match statement.what {
                What::Lock { attempt: Attempt::Block, .. }
                | What::RwLock { attempt: Attempt::Block, .. }
                | What::SemWait { attempt: Attempt::Block, .. }
                | What::Once { .. } => self.record_wait(nr, statement, WaitResult::Pending),
                // Shut out by an atomic region that never ends: it waits for nothing of its own.
                _ => {}
            },
            _ => {}
        }
    }

    /// Now that it is known who went on, says of each wake how many it took out of the queue.
    fn fill_in_woken(&mut self) {
        let conditions = self.objects.iter().filter_map(|object| match object {
            super::sync::Object::Condition(wakeups) => Some(wakeups),
            _ => None,
        });
        let signals =
            conditions.flat_map(|wakeups| wakeups.counts()).map(|(event, woken)| (event, (woken, 0)));
        let counts: Vec<_> = signals.chain(self.futexes.counts()).collect();
        for ((thread, event), (count, others)) in counts {
            match &mut self.recorder.trace.threads[thread.index()][event as usize].op {
                Op::Signal { woken, .. } | Op::Broadcast { woken, .. } | Op::FutexWake { woken, .. } => {
                    *woken = count;
                }
                Op::FutexRequeue { woken, moved, .. } => (*woken, *moved) = (count, others),
                other => unreachable!("{other:?} wakes nobody"),
            }
        }
    }
}
