//! What each visible event does and how it is recorded.

use warpath_trace::event::{Attempt, OnceStep, Op, RwMode, WaitResult};
use warpath_trace::ids::ThreadIx;

use super::machine::Machine;
use super::sync::{Object, OnceState};
use super::thread::{Exit, Next};
use super::values::Value;
use crate::oracle::program::{Reg, Statement, ThreadNr, What};

/// `EPERM`: a lock was given back by a thread that does not hold it.
const NOT_OWNER: WaitResult = WaitResult::Failed(1);

/// `EDEADLK`: an error-checking mutex is locked by the thread that holds it.
const HELD_ALREADY: WaitResult = WaitResult::Failed(35);

/// Whether an event that may wait ends as it should, or by its deadline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timing {
    InTime,
    Late,
}

impl Timing {
    /// How a wait ends.
    fn result(self) -> WaitResult {
        match self {
            Timing::InTime => WaitResult::Done,
            Timing::Late => WaitResult::TimedOut,
        }
    }
}

impl<'p> Machine<'p> {
    /// The thread's next visible event and what is local behind it.
    pub fn step(&mut self, nr: ThreadNr, timing: Timing) {
        match self.threads[nr].next {
            Next::Begin => {
                self.recorder.event(nr, 0, Op::Begin);
                match nr {
                    0 => self.start_main(),
                    _ => self.go_on(nr),
                }
            }
            Next::Init(sync) => {
                let op =
                    Op::SyncInit { object: self.recorder.syncs[sync], kind: self.program.syncs[sync].kind };
                self.recorder.event(nr, 0, op);
                self.init_from(sync + 1);
            }
            Next::Fork(child) => {
                self.recorder.event(nr, 0, Op::Fork { child: ThreadIx::from(child) });
                self.threads[child].next = Next::Begin;
                self.fork_from(child + 1);
            }
            Next::Join(child) => {
                let (child_ix, attempt) = (ThreadIx::from(child), Attempt::Block);
                self.recorder.event(nr, 0, Op::Join { child: child_ix, attempt, result: WaitResult::Done });
                self.threads[nr].next = self.join_from(child + 1);
            }
            Next::End => {
                self.recorder.event(nr, 0, Op::End);
                self.threads[nr].next = Next::Ended;
            }
            Next::Finish { once, id } => {
                let op = Op::Once { once: self.recorder.syncs[once], step: OnceStep::Finish };
                self.recorder.event(nr, id, op);
                self.objects[once] = Object::Once(OnceState::Done);
                self.go_on(nr);
            }
            Next::AtomicEnd { id } => {
                self.recorder.event(nr, id, Op::AtomicEnd);
                self.region = None;
                self.go_on(nr);
            }
            Next::Wake { statement, wait, depth } => self.wake(nr, statement, wait, depth, timing),
            Next::Leave { statement, .. } => {
                self.record_second_half(nr, statement, WaitResult::Done);
                self.go_on(nr);
            }
            Next::Resume { statement, wait } => {
                let What::FutexWait { to, .. } = statement.what else {
                    unreachable!("only a futex wait is resumed")
                };
                let result = timing.result();
                self.record_second_half(nr, statement, result);
                match timing {
                    Timing::InTime => self.futexes.resume(wait),
                    Timing::Late => self.futexes.time_out(wait),
                }
                self.set(nr, to, result);
                self.go_on(nr);
            }
            Next::Statement(statement) => {
                if !self.statement(nr, statement, timing) {
                    self.go_on(nr);
                }
            }
            Next::NotForked | Next::Ended | Next::Stopped | Next::Failing { .. } => {
                unreachable!("a thread that is not ready takes no step")
            }
        }
    }

    fn start_main(&mut self) {
        for (storage, entry) in self.program.storages.iter().enumerate().filter(|(_, entry)| entry.heap) {
            let (object, size) = (self.recorder.storages[storage], entry.bytes.len() as u64);
            self.recorder.event(0, 0, Op::Alloc { object, size, address: 0 });
        }
        self.init_from(0);
    }

    fn init_from(&mut self, sync: usize) {
        match sync < self.objects.len() {
            true => self.threads[0].next = Next::Init(sync),
            false => self.fork_from(1),
        }
    }

    fn fork_from(&mut self, child: ThreadNr) {
        match child < self.threads.len() {
            true => self.threads[0].next = Next::Fork(child),
            false => self.go_on(0),
        }
    }

    /// Does a visible statement; true if the thread's next event is already known.
    fn statement(&mut self, nr: ThreadNr, statement: &'p Statement, timing: Timing) -> bool {
        let id = statement.id;
        match &statement.what {
            What::Load { .. }
            | What::Store { .. }
            | What::Rmw { .. }
            | What::Fence { .. }
            | What::Free { .. } => {
                self.access(nr, statement);
            }
            What::FutexWait { .. } | What::FutexWake { .. } | What::FutexRequeue { .. } => {
                return self.futex(nr, statement);
            }
            What::Atomic { body } => {
                self.recorder.event(nr, id, Op::AtomicBegin);
                self.region = Some(nr);
                self.threads[nr].enter(body, Exit::AtomicEnd { id });
            }
            What::Once { once, body } => {
                let run = matches!(self.objects[*once], Object::Once(OnceState::New));
                let step = if run { OnceStep::Run } else { OnceStep::Seen };
                self.recorder.event(nr, id, Op::Once { once: self.recorder.syncs[*once], step });
                if run {
                    self.objects[*once] = Object::Once(OnceState::RunBy(nr));
                    self.threads[nr].enter(body, Exit::Finish { once: *once, id });
                }
            }
            What::Lock { mutex, attempt: Attempt::Block | Attempt::Timed, to }
                if self.objects[*mutex].refuses(nr) =>
            {
                self.record_wait(nr, statement, HELD_ALREADY);
                self.set(nr, *to, HELD_ALREADY);
            }
            What::Lock { mutex, attempt, to } | What::SemWait { semaphore: mutex, attempt, to } => {
                let result = result(*attempt, self.objects[*mutex].is_available(nr), timing);
                self.record_wait(nr, statement, result);
                if result == WaitResult::Done {
                    self.objects[*mutex].acquire(nr, 1);
                }
                self.set(nr, *to, result);
            }
            What::RwLock { lock, mode, attempt, to } => {
                let result = result(*attempt, self.objects[*lock].is_open(*mode), timing);
                self.record_wait(nr, statement, result);
                if result == WaitResult::Done {
                    self.objects[*lock].enter(nr, *mode);
                }
                self.set(nr, *to, result);
            }
            What::Unlock { mutex } => {
                let result = if self.objects[*mutex].release(nr) { WaitResult::Done } else { NOT_OWNER };
                self.recorder.event(nr, id, Op::Unlock { mutex: self.recorder.syncs[*mutex], result });
            }
            What::RwUnlock { lock } => {
                let held = self.objects[*lock].leave(nr);
                let result = if held.is_some() { WaitResult::Done } else { NOT_OWNER };
                let (lock, mode) = (self.recorder.syncs[*lock], held.unwrap_or(RwMode::Read));
                self.recorder.event(nr, id, Op::RwUnlock { lock, mode, result });
            }
            What::CondWait { condition, mutex, attempt, .. } => {
                let (place, mutex_place) = (self.recorder.syncs[*condition], self.recorder.syncs[*mutex]);
                let op = Op::CondWait { condition: place, mutex: mutex_place, attempt: *attempt };
                self.recorder.event(nr, id, op);
                let depth = self.objects[*mutex].suspend(nr);
                let wait = self.objects[*condition].wakeups_mut().wait();
                self.threads[nr].next = Next::Wake { statement, wait, depth };
                return true;
            }
            What::Signal { condition } => {
                let op = Op::Signal { condition: self.recorder.syncs[*condition], woken: 0 };
                let event = self.recorder.event(nr, id, op);
                self.objects[*condition].wakeups_mut().wake(Some(1), (ThreadIx::from(nr), event));
            }
            What::Broadcast { condition } => {
                let op = Op::Broadcast { condition: self.recorder.syncs[*condition], woken: 0 };
                let event = self.recorder.event(nr, id, op);
                self.objects[*condition].wakeups_mut().wake(None, (ThreadIx::from(nr), event));
            }
            What::SemPost { semaphore } => {
                self.recorder.event(nr, id, Op::SemPost { semaphore: self.recorder.syncs[*semaphore] });
                let Object::Semaphore { count, maximum } = &mut self.objects[*semaphore] else {
                    panic!("{:?} is not a semaphore", self.objects[*semaphore])
                };
                if maximum.is_none_or(|maximum| *count < maximum) {
                    *count += 1;
                }
            }
            What::SemValue { semaphore, to } => {
                let Object::Semaphore { count: value, .. } = self.objects[*semaphore] else {
                    panic!("{:?} is not a semaphore", self.objects[*semaphore])
                };
                let op = Op::SemValue { semaphore: self.recorder.syncs[*semaphore], value };
                self.recorder.event(nr, id, op);
                self.threads[nr].registers[usize::from(*to)] = Value::concrete(value as u8);
            }
            What::Barrier { barrier } => {
                self.recorder.event(nr, id, Op::BarrierArrive { barrier: self.recorder.syncs[*barrier] });
                let Object::Barrier { arrived, parties } = &mut self.objects[*barrier] else {
                    panic!("{:?} is not a barrier", self.objects[*barrier])
                };
                let round = *arrived / *parties;
                *arrived += 1;
                self.threads[nr].next = Next::Leave { statement, round };
                return true;
            }
            local => unreachable!("{local:?} is local"),
        }
        false
    }

    fn wake(&mut self, nr: ThreadNr, statement: &'p Statement, wait: usize, depth: u32, timing: Timing) {
        let What::CondWait { condition, mutex, to, .. } = statement.what else {
            unreachable!("only a wait on a condition has a wake")
        };
        let result = timing.result();
        self.record_second_half(nr, statement, result);
        let wakeups = self.objects[condition].wakeups_mut();
        match timing {
            Timing::InTime => wakeups.resume(wait),
            Timing::Late => wakeups.time_out(wait),
        }
        self.objects[mutex].acquire(nr, depth.max(1));
        self.set(nr, to, result);
        self.go_on(nr);
    }

    /// Records an acquisition.
    pub fn record_wait(&mut self, nr: ThreadNr, statement: &Statement, result: WaitResult) {
        let syncs = &self.recorder.syncs;
        let op = match statement.what {
            What::Lock { mutex, attempt, .. } => Op::Lock { mutex: syncs[mutex], attempt, result },
            What::RwLock { lock, mode, attempt, .. } => {
                Op::RwLock { lock: syncs[lock], mode, attempt, result }
            }
            What::SemWait { semaphore, attempt, .. } => {
                Op::SemWait { semaphore: syncs[semaphore], attempt, result }
            }
            What::Once { once, .. } => Op::Once { once: syncs[once], step: OnceStep::Pending },
            _ => unreachable!("{:?} acquires nothing", statement.what),
        };
        self.recorder.event(nr, statement.id, op);
    }

    /// Records the second half of a wait that has two.
    pub fn record_second_half(&mut self, nr: ThreadNr, statement: &Statement, result: WaitResult) {
        let syncs = &self.recorder.syncs;
        let op = match statement.what {
            What::CondWait { condition, mutex, .. } => {
                Op::CondWake { condition: syncs[condition], mutex: syncs[mutex], result }
            }
            What::Barrier { barrier } => Op::BarrierLeave { barrier: syncs[barrier], serial: false, result },
            What::FutexWait { cell, .. } => Op::FutexResume { word: self.recorder.cells[cell], result },
            _ => unreachable!("{:?} has one half", statement.what),
        };
        self.recorder.event(nr, statement.id, op);
    }

    fn set(&mut self, nr: ThreadNr, to: Option<Reg>, result: WaitResult) {
        if let Some(to) = to {
            self.threads[nr].registers[usize::from(to)] =
                Value::concrete((result == WaitResult::Done).into());
        }
    }
}

/// How an acquisition ends.
fn result(attempt: Attempt, free: bool, timing: Timing) -> WaitResult {
    match (free, timing, attempt) {
        (true, Timing::InTime, _) => WaitResult::Done,
        (_, _, Attempt::Try) => WaitResult::Busy,
        _ => WaitResult::TimedOut,
    }
}
