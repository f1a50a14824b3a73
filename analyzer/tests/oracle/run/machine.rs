//! The whole program at run time: who can go on, and what happens then.

use std::collections::BTreeSet;

use warpath_trace::event::{Attempt, MemoryOrder, Op};
use warpath_trace::header::MemoryModel;
use warpath_trace::thread::ThreadKey;

use super::futexes::Futexes;
use super::memory::Memory;
use super::record::Recorder;
use super::step::Timing;
use super::sync::{Object, OnceState};
use super::thread::{Next, Thread};
use super::{Act, Choice};
use crate::oracle::program::{Program, ThreadNr, What, key};

/// Can a thread do its next visible event?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readiness {
    No,
    /// Only by letting its deadline pass.
    TimeOut,
    Yes,
}

#[derive(Clone)]
pub struct Machine<'p> {
    pub program: &'p Program,
    pub recorder: Recorder,
    pub threads: Vec<Thread<'p>>,
    pub memory: Memory,
    pub objects: Vec<Object>,
    pub futexes: Futexes,
    /// The thread in an atomic region.
    pub region: Option<ThreadNr>,
    pub uses_after_free: BTreeSet<(ThreadNr, u32)>,
    /// Domain and value of each input.
    domains: Vec<(u8, u8)>,
}

impl<'p> Machine<'p> {
    pub fn new(program: &'p Program, inputs: &[(String, u8)], model: MemoryModel) -> Machine<'p> {
        let given = |name: &String| inputs.iter().find(|(n, _)| n == name).map_or(0, |&(_, value)| value);
        Machine {
            program,
            recorder: Recorder::new(program, model),
            threads: program.blocks().enumerate().map(|(nr, body)| Thread::new(nr, body)).collect(),
            memory: Memory::new(program, model),
            objects: program.syncs.iter().map(|sync| Object::new(sync.kind)).collect(),
            futexes: Futexes::new(program.cells.len()),
            region: None,
            uses_after_free: BTreeSet::new(),
            domains: program.inputs.iter().map(|input| (input.domain, given(&input.name))).collect(),
        }
    }

    /// Threads that are about to fail.
    pub fn failing(&self) -> Vec<ThreadNr> {
        let fails = |nr: &ThreadNr| matches!(self.threads[*nr].next, Next::Failing { .. });
        (0..self.threads.len()).filter(fails).collect()
    }

    /// Is another thread in an atomic region?
    fn is_shut_out(&self, nr: ThreadNr) -> bool {
        self.region.is_some_and(|inside| inside != nr)
    }

    /// Can the thread do its next visible event?
    pub fn readiness(&self, nr: ThreadNr) -> Readiness {
        let thread = &self.threads[nr];
        let undrained = drains(&thread.next) && !thread.buffer.writes.is_empty();
        if self.is_shut_out(nr) || undrained {
            return Readiness::No;
        }
        let when = |ready: bool| if ready { Readiness::Yes } else { Readiness::No };
        match thread.next {
            Next::NotForked | Next::Ended | Next::Stopped | Next::Failing { .. } => Readiness::No,
            Next::Begin | Next::Init(_) | Next::Fork(_) | Next::End => Readiness::Yes,
            Next::Finish { .. } | Next::AtomicEnd { .. } => Readiness::Yes,
            Next::Join(child) => when(matches!(self.threads[child].next, Next::Ended)),
            Next::Wake { statement, wait, .. } => {
                let What::CondWait { condition, mutex, attempt, .. } = statement.what else {
                    unreachable!("only a wait on a condition has a wake")
                };
                let free = self.objects[mutex].holders().is_empty();
                match (free, self.objects[condition].wakeups().can_resume(wait), attempt) {
                    (true, true, _) => Readiness::Yes,
                    (true, false, Attempt::Timed) => Readiness::TimeOut,
                    _ => Readiness::No,
                }
            }
            Next::Leave { statement, round } => {
                let What::Barrier { barrier } = statement.what else {
                    unreachable!("only a barrier is left")
                };
                let Object::Barrier { arrived, parties } = self.objects[barrier] else {
                    panic!("{:?} is not a barrier", self.objects[barrier])
                };
                when(arrived >= (round + 1) * parties)
            }
            Next::Resume { wait, .. } => {
                match (self.futexes.can_resume(wait), self.futexes.can_time_out(wait)) {
                    (true, _) => Readiness::Yes,
                    (false, true) => Readiness::TimeOut,
                    (false, false) => Readiness::No,
                }
            }
            Next::Statement(statement) => self.statement_readiness(nr, &statement.what),
        }
    }

    fn statement_readiness(&self, nr: ThreadNr, what: &What) -> Readiness {
        let (attempt, free) = match *what {
            What::Lock { mutex, attempt: Attempt::Block | Attempt::Timed, .. }
                if self.objects[mutex].refuses(nr) =>
            {
                return Readiness::Yes;
            }
            What::Lock { mutex, attempt, .. } => (attempt, self.objects[mutex].is_available(nr)),
            What::RwLock { lock, mode, attempt, .. } => (attempt, self.objects[lock].is_open(mode)),
            What::SemWait { semaphore, attempt, .. } => (attempt, self.objects[semaphore].is_available(nr)),
            What::Once { once, .. } => {
                (Attempt::Block, !matches!(self.objects[once], Object::Once(OnceState::RunBy(_))))
            }
            _ => return Readiness::Yes,
        };
        match (attempt, free) {
            (_, true) | (Attempt::Try, _) => Readiness::Yes,
            (Attempt::Timed, false) => Readiness::TimeOut,
            (Attempt::Block, false) => Readiness::No,
        }
    }

    /// Can the thread's timed wait on a condition or futex time out, although it could also end by a wake?
    pub fn may_time_out_instead(&self, nr: ThreadNr) -> bool {
        let timed = match self.threads[nr].next {
            Next::Wake { statement, .. } => {
                matches!(statement.what, What::CondWait { attempt: Attempt::Timed, .. })
            }
            Next::Resume { wait, .. } => self.futexes.can_time_out(wait),
            _ => false,
        };
        timed && self.readiness(nr) == Readiness::Yes
    }

    /// The thread's buffered writes that may reach memory now, by position.
    pub fn committable(&self, nr: ThreadNr) -> Vec<usize> {
        if self.is_shut_out(nr) {
            return Vec::new();
        }
        self.memory.committable(self.program, &self.threads[nr].buffer)
    }

    /// The name of the location that a buffered write is to.
    pub fn committed_name(&self, nr: ThreadNr, nth: usize) -> &str {
        &self.program.cells[self.threads[nr].buffer.writes[nth].cell].name
    }

    /// Does what was chosen; false, and nothing happened, if it is not possible.
    pub fn perform(&mut self, choice: &Choice) -> bool {
        let Some(nr) = self.thread_of(&choice.thread) else { return false };
        match &choice.act {
            Act::Step => match self.readiness(nr) {
                Readiness::No => return false,
                Readiness::TimeOut => self.step(nr, Timing::Late),
                Readiness::Yes => self.step(nr, Timing::InTime),
            },
            Act::TimeOut => {
                if self.readiness(nr) != Readiness::TimeOut && !self.may_time_out_instead(nr) {
                    return false;
                }
                self.step(nr, Timing::Late);
            }
            Act::Commit(name) => {
                let chosen = self.committable(nr);
                let Some(&nth) = chosen.iter().find(|&&nth| self.committed_name(nr, nth) == name) else {
                    return false;
                };
                let write = self.threads[nr].buffer.writes.remove(nth);
                self.memory.write(&self.program.cells[write.cell], &write.bytes);
                self.recorder.event(nr, write.statement, Op::Commit { write: write.event });
            }
        }
        true
    }

    fn thread_of(&self, wanted: &ThreadKey) -> Option<ThreadNr> {
        (0..self.threads.len()).find(|&nr| key(nr) == *wanted)
    }

    /// Does what is local behind a visible event, and finds the next one.
    pub fn go_on(&mut self, nr: ThreadNr) {
        let next = self.threads[nr].advance(&mut self.recorder, &self.domains);
        self.threads[nr].next = next.unwrap_or(match nr {
            0 => self.join_from(1),
            _ => Next::End,
        });
    }

    /// The main thread's joins, from this thread on.
    pub fn join_from(&self, child: ThreadNr) -> Next<'p> {
        if child < self.threads.len() { Next::Join(child) } else { Next::End }
    }
}

/// Must the thread's store buffer be empty for this?
fn drains(next: &Next) -> bool {
    match next {
        Next::Begin => false,
        Next::Statement(statement) => match &statement.what {
            What::Load { .. } | What::Free { .. } => false,
            What::Store { order, .. } => *order == Some(MemoryOrder::SeqCst),
            What::Fence { order } => *order == MemoryOrder::SeqCst,
            _ => true,
        },
        _ => true,
    }
}
