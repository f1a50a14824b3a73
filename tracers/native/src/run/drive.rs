//! The run as a whole: one visible step after the other.

use std::sync::atomic::Ordering;

use warpath_trace::event::{FailureKind, Op, Verb, WaitResult};
use warpath_trace::header::MemoryModel;
use warpath_trace::si::{Expected, Visible};
use warpath_trace::thread::ThreadKey;

use super::action::{Action, Sync, Wait};
use super::calls::KEY_SIZE;
use super::error::RunError;
use super::kernel::Next;
use super::machine::Machine;
use super::outcome::{End, Failure, Why};
use super::perform::Ability;
use super::schedule::{Choice, Chooser, Follow, Turn, fits};
use super::sync::bytes;
use super::thread::State;

impl Machine {
    /// Runs until the end: by the schedule as far as it goes, then by the policy.
    pub(crate) fn drive(&mut self, follow: &mut Follow, chooser: &mut Chooser) -> Result<End, RunError> {
        loop {
            if let Some(end) = self.settle()? {
                return Ok(end);
            }
            if self.options.cancel.load(Ordering::Relaxed) {
                return Ok(End::Stopped(Why::Interrupted));
            }
            let planned = match follow.guide() {
                Some(guide) => self.guided(guide, chooser)?,
                None => self.scheduled(follow)?,
            };
            let turn = match planned {
                Planned::Turn(turn) => turn,
                Planned::End(end) => return Ok(end),
                Planned::Over => {
                    let then = follow.take_then();
                    if let Some(t) =
                        then.and_then(|key| self.threads.iter().position(|thread| thread.key == key))
                    {
                        chooser.go_on_with(t);
                    }
                    let choices = self.choices();
                    chooser.choose(&choices)
                }
            };
            match turn {
                Turn::Step(t) => {
                    if let Some(end) = self.step(t)? {
                        return Ok(end);
                    }
                }
                Turn::Commit(t, write) => {
                    let before = self.recorder.events(self.threads[t].ix);
                    self.commit(t, write)?;
                    self.account(t, before);
                }
                Turn::Again => {}
                Turn::Stuck => {
                    if !self.wait_outside()? {
                        return self.deadlock();
                    }
                }
            }
        }
    }

    /// One visible step of a thread, and what follows it invisibly.
    fn step(&mut self, t: usize) -> Result<Option<End>, RunError> {
        self.current = t;
        self.space.set_thread(t as u16 + 1);
        self.threads[t].yielded = false;
        self.threads[t].alone = 0;
        let children = self.threads.len();
        let before = self.recorder.events(self.threads[t].ix);
        let next = self.perform(t)?;
        self.account(t, before);
        match next {
            Next::Go => {}
            Next::Poise(action) => self.threads[t].state = State::Poised(action),
            Next::End(end) => return Ok(Some(end)),
        }
        let limit = self.options.max_events;
        if self.threads[t].visible >= limit {
            return Ok(Some(End::Stopped(Why::Events(limit))));
        }
        // A thread that was just created stands at its beginning; the others stand where they stood.
        debug_assert!(self.threads.len() - children <= 1);
        let end = self.poise(t)?;
        if end.is_none() {
            self.interpose(t);
        }
        Ok(end)
    }

    /// Threads that wait for something that is not an event go on as soon as it is there.
    fn settle(&mut self) -> Result<Option<End>, RunError> {
        let changed = std::mem::take(&mut self.outside_changed);
        for t in 0..self.threads.len() {
            let go = match self.threads[t].pending() {
                Some(Action::Blocked(Wait::Futex(_) | Wait::Change(_))) => self.ability(t) == Ability::Now,
                Some(&Action::Blocked(Wait::Descriptor { fd, events })) if changed => {
                    self.ready(fd, events)?
                }
                Some(Action::Blocked(Wait::Retry { .. })) => changed || self.ability(t) == Ability::Now,
                _ => false,
            };
            if go && let Some(end) = self.step(t)? {
                return Ok(Some(end));
            }
        }
        Ok(None)
    }

    pub(super) fn choices(&mut self) -> Vec<Choice> {
        let alive: Vec<usize> = (0..self.threads.len()).filter(|&t| self.threads[t].alive()).collect();
        alive
            .into_iter()
            .map(|t| Choice {
                thread: t,
                ability: self.ability(t),
                yielded: self.threads[t].yielded,
                commits: self.commits(t),
            })
            .collect()
    }

    /// Which buffered writes could reach memory next: under TSO the oldest, under PSO the oldest of each address.
    fn commits(&self, t: usize) -> Vec<usize> {
        let buffer = &self.threads[t].buffer;
        if self.options.model != MemoryModel::Pso {
            return if buffer.is_empty() { Vec::new() } else { vec![0] };
        }
        let overlaps = |a: usize, b: usize| {
            let end = |n: usize| buffer[n].address + buffer[n].bytes.len() as u64;
            buffer[a].address < end(b) && buffer[b].address < end(a)
        };
        (0..buffer.len()).filter(|&n| (0..n).all(|earlier| !overlaps(earlier, n))).collect()
    }

    fn scheduled(&mut self, follow: &mut Follow) -> Result<Planned, RunError> {
        while let Some(step) = follow.current().cloned() {
            let found = match self.threads.iter().position(|thread| thread.key == step.thread) {
                None => Err(format!("there is no thread {} yet", step.thread)),
                Some(t) => {
                    // Who waits for a change may look again before there is one, if the schedule says so.
                    while matches!(
                        self.threads[t].pending(),
                        Some(Action::Blocked(Wait::Turn | Wait::Change(_)))
                    ) {
                        if let Some(end) = self.step(t)? {
                            return Ok(Planned::End(end));
                        }
                    }
                    if let Some(done) = self.beside(t, follow, &step) {
                        if done {
                            follow.done();
                        }
                        continue;
                    }
                    self.fitting(t, &step)?
                }
            };
            match found {
                Ok(turn) => {
                    follow.done();
                    return Ok(Planned::Turn(turn));
                }
                Err(_) if let Some(turn) = self.on_the_way(follow, &step.thread)? => {
                    return Ok(Planned::Turn(turn));
                }
                Err(_) if follow.is_lenient() => {
                    self.skipped += 1;
                    follow.skip();
                }
                Err(found) => {
                    let divergence = Box::new(follow.divergence(found));
                    return Ok(Planned::End(End::Stopped(Why::Diverged(divergence))));
                }
            }
        }
        Ok(Planned::Over)
    }

    /// A turn has been taken: the first visible event since then is what it was for.
    fn account(&mut self, t: usize, before: usize) {
        let events = &self.recorder.trace.threads[self.threads[t].ix.index()][before..];
        if let Some(first) = events.iter().position(|event| event.op.is_visible()) {
            self.threads[t].accounted = before + first + 1;
        }
    }

    /// Some visible events happen beside the thread's turns: before `main`, or when the kernel writes to shared memory.
    /// Is the next of them what the step says? `None` if there is none.
    fn beside(&mut self, t: usize, follow: &Follow, step: &warpath_trace::si::Step) -> Option<bool> {
        let thread = &mut self.threads[t];
        let trace = &self.recorder.trace;
        let events = &trace.threads[thread.ix.index()];
        let next = (thread.accounted..events.len()).find(|&event| events[event].op.is_visible())?;
        let happened = Expected::of(&trace.tables, events, &events[next]);
        let fits = fits(step, &happened);
        // A schedule by hand need not name them.
        (fits || follow.passes_events()).then(|| {
            thread.accounted = next + 1;
            fits
        })
    }

    /// An access that the thread makes before what the schedule says, and that the schedule says nothing about.
    fn on_the_way(&mut self, follow: &Follow, thread: &ThreadKey) -> Result<Option<Turn>, RunError> {
        let Some(t) = self.threads.iter().position(|other| other.key == *thread) else { return Ok(None) };
        if !matches!(self.threads[t].pending(), Some(Action::Access(_))) || self.ability(t) != Ability::Now {
            return Ok(None);
        }
        let found = self.about_to(t)?.and_then(|found| found.location);
        Ok(found.filter(|location| follow.passes(location)).map(|_| Turn::Step(t)))
    }

    /// The turn that does what a step says, or what is in its way.
    fn fitting(
        &mut self,
        t: usize,
        step: &warpath_trace::si::Step,
    ) -> Result<Result<Turn, String>, RunError> {
        if let Visible::Event(expected) = &step.what
            && expected.verb == Verb::Commit
        {
            for write in self.commits(t) {
                let (address, size) = {
                    let write = &self.threads[t].buffer[write];
                    (write.address, write.bytes.len() as u32)
                };
                let location = self.location(address, size)?;
                let name = self.recorder.location_name(location);
                if expected.location.as_ref().is_none_or(|wanted| *wanted == name) {
                    return Ok(Ok(Turn::Commit(t, write)));
                }
            }
            return Ok(Err(format!("{} has no such write in its buffer", step.thread)));
        }
        let Some(found) = self.about_to(t)? else {
            return Ok(Err(match self.threads[t].alive() {
                true => format!("{} waits for something outside the program", step.thread),
                false => format!("{} has ended", step.thread),
            }));
        };
        if !fits(step, &found) {
            return Ok(Err(format!("{} is about to do `{found}`", step.thread)));
        }
        match self.ability(t) {
            Ability::Now | Ability::AtDeadline(_) => Ok(Ok(Turn::Step(t))),
            Ability::AfterCommits => {
                Ok(Err(format!("{} has writes in its buffer, which must reach memory first", step.thread)))
            }
            Ability::Outside => Ok(Err(format!("{} waits for something outside the program", step.thread))),
            Ability::No => Ok(Err(format!("{} cannot do `{found}` now: {}", step.thread, self.obstacle(t)))),
        }
    }

    /// What a thread is about to do, in the words of schedules.
    pub(crate) fn about_to(&mut self, t: usize) -> Result<Option<Expected>, RunError> {
        let Some(action) = self.threads[t].pending().cloned() else { return Ok(None) };
        let Some(verb) = action.verb() else { return Ok(None) };
        let address = match &action {
            Action::Access(access) => Some((access.address, access.size)),
            Action::Take(take) => Some((take.address, take.step().into())),
            Action::GiveKey { into, .. } => Some((*into, KEY_SIZE)),
            Action::Sync(sync) => sync.object().map(|object| (object, self.object_size(sync))),
            Action::Futex(super::action::Futex::Wait(wait)) | Action::FutexResume(wait) => {
                Some((wait.word, bytes::FUTEX))
            }
            Action::Futex(super::action::Futex::Wake { word, .. }) => Some((*word, bytes::FUTEX)),
            Action::Futex(super::action::Futex::Requeue { from, .. }) => Some((*from, bytes::FUTEX)),
            _ => None,
        };
        let location = match (&action, address) {
            (_, Some((address, size))) => {
                let location = self.location(address, size)?;
                Some(self.recorder.location_name(location))
            }
            (Action::Fork(_), _) => Some(self.threads[t].key.child(self.threads[t].forks).to_string()),
            (Action::Sync(Sync::Join { thread, .. } | Sync::Detach { thread }), _) => {
                self.by_handle(*thread).map(|target| self.threads[target].key.to_string())
            }
            _ => None,
        };
        let site = match (action, self.threads[t].starting) {
            (Action::Begin | Action::End | Action::Exit(_), _) => self.threads[t].start,
            (Action::Fork(_), Some(starting)) => starting.site,
            (Action::Sync(Sync::OnceFinish { .. }), _) => match self.threads[t].returns.last() {
                Some(super::calls::Return::Once { to, .. }) => to.wrapping_sub(1),
                _ => self.site(t),
            },
            _ => self.site(t),
        };
        let place = self.source_name(site)?;
        Ok(Some(Expected { verb, location, place: (!place.is_empty()).then_some(place) }))
    }

    /// Nobody in the program can go on: waits for the outside, if somebody waits for that.
    pub(super) fn wait_outside(&mut self) -> Result<bool, RunError> {
        let waits = (0..self.threads.len()).any(|t| self.ability(t) == Ability::Outside);
        if waits {
            std::thread::sleep(std::time::Duration::from_millis(1));
            self.outside_changed = true;
        }
        Ok(waits)
    }

    /// Nobody can ever go on.
    fn deadlock(&mut self) -> Result<End, RunError> {
        let mut sentences = Vec::new();
        for t in 0..self.threads.len() {
            if self.threads[t].alive() {
                let obstacle = self.obstacle(t);
                sentences.push(format!("{} {obstacle}", self.threads[t].key));
            }
        }
        for t in 0..self.threads.len() {
            self.record_pending(t)?;
        }
        let spins = |thread: &super::thread::Thread| {
            matches!(thread.pending(), Some(Action::Blocked(Wait::Change(_))))
        };
        let kind = if self.threads.iter().any(spins) { FailureKind::Livelock } else { FailureKind::Deadlock };
        Ok(End::Failed(Failure::new(kind, sentences.join("; "))))
    }

    /// A wait that never ended is an event with the result "pending".
    fn record_pending(&mut self, t: usize) -> Result<(), RunError> {
        let Some(Action::Sync(sync)) = self.threads[t].pending().cloned() else { return Ok(()) };
        let result = WaitResult::Pending;
        let size = self.object_size(&sync);
        let op = match sync {
            Sync::Lock { mutex, attempt, .. } => {
                Op::Lock { mutex: self.location(mutex, size)?, attempt, result }
            }
            Sync::RwLock { lock, mode, attempt, .. } => {
                Op::RwLock { lock: self.location(lock, size)?, mode, attempt, result }
            }
            Sync::CondWake { condition, mutex, .. } => Op::CondWake {
                condition: self.location(condition, size)?,
                mutex: self.location(mutex, bytes::MUTEX)?,
                result,
            },
            Sync::SemWait { semaphore, attempt, .. } => {
                Op::SemWait { semaphore: self.location(semaphore, size)?, attempt, result }
            }
            Sync::BarrierLeave { barrier, .. } => {
                Op::BarrierLeave { barrier: self.location(barrier, size)?, serial: false, result }
            }
            Sync::Join { thread, attempt, .. } => {
                let Some(target) = self.by_handle(thread) else { return Ok(()) };
                Op::Join { child: self.threads[target].ix, attempt, result }
            }
            Sync::OnceEnter { once, .. } => {
                Op::Once { once: self.location(once, size)?, step: warpath_trace::event::OnceStep::Pending }
            }
            _ => return Ok(()),
        };
        self.record(t, op)?;
        Ok(())
    }
}

/// What comes next by a schedule.
pub(super) enum Planned {
    /// Somebody's turn.
    Turn(Turn),
    /// The run is over.
    End(End),
    /// The schedule says nothing more.
    Over,
}
