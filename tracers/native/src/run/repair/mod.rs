//! Running a program as if it had been repaired.
//!
//! A repair is about lines of the source. When a thread is about to take a visible step at one of them, or elsewhere
//! after having been at one, steps are put in front of it: a lock or an unlock of a mutex that the program does not
//! have, a semaphore, a fence. They are chosen by the scheduler and recorded like all others, so that whoever reads the
//! trace sees a program that was repaired.

mod inlined;
mod lines;
mod plan;
mod progress;

pub(crate) use plan::Plan;
pub(crate) use progress::{At, Progress};

use std::collections::VecDeque;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use warpath_trace::event::{Attempt, MemoryOrder, MutexKind, Op, SyncKind, WaitResult};
use warpath_trace::ids::StringId;
use warpath_trace::place::{Object, ObjectClass};

use super::action::{Action, Api, Sync, Wait};
use super::calls::Return;
use super::error::RunError;
use super::kernel::Next;
use super::machine::{Machine, word_at};
use super::place::Place;
use super::record::is_own;
use super::sync::{self, bytes};
use super::thread::State;
use crate::cpu::Gpr;
use crate::names::Frame;
use plan::PlaceIx;
use progress::{Added, Inside, Kind, Stand};

/// Frames that are searched for a place.
const FRAMES: usize = 64;

/// The repair of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Repair {
    plan: Plan,
    /// The places that an instruction belongs to.
    at: FxHashMap<u64, Arc<[PlaceIx]>>,
    /// Where statements of places begin; hooked.
    markers: FxHashMap<u64, Vec<PlaceIx>>,
}

/// Steps that a thread takes before what it is about to do.
#[derive(Clone, Debug)]
pub(crate) struct Repairing {
    /// The one that it is about to take.
    site: u64,
    rest: VecDeque<At>,
    then: Then,
}

/// What comes behind added steps.
#[derive(Clone, Debug)]
enum Then {
    /// What the thread was about to do.
    Do(Action),
    /// The instruction at which it stands.
    GoOn,
}

impl Repairing {
    /// Where the step that is about to be taken belongs.
    pub(crate) fn site(&self) -> u64 {
        self.site
    }
}

impl Machine {
    /// Makes the repair of the options ready; fails if it is about lines that the program does not have.
    pub(crate) fn assume_repair(&mut self) -> Result<(), RunError> {
        if self.repair.plan.rules == self.options.repair {
            return Ok(());
        }
        let plan = Plan::new(&self.options.repair);
        let markers = lines::markers(&self.images, &plan)?;
        for &address in markers.keys() {
            self.code.hook(address);
        }
        self.repair = Repair { plan, at: FxHashMap::default(), markers };
        Ok(())
    }

    /// The thread has come to its next step: puts those of the repair in front of it.
    pub(crate) fn interpose(&mut self, t: usize) {
        let thread = &mut self.threads[t];
        let seen_to = thread.repairing.is_some() || std::mem::take(&mut thread.repaired);
        if seen_to || self.repair.plan.is_empty() {
            return;
        }
        let Some(kind) = self.threads[t].pending().and_then(|action| self.kind_of(t, action)) else { return };
        let stand = self.stand(t, kind);
        let thread = &mut self.threads[t];
        let steps = thread.progress.arrive(&self.repair.plan, &thread.key, &stand);
        if steps.is_empty() {
            return;
        }
        let State::Poised(then) = std::mem::replace(&mut self.threads[t].state, State::Running) else {
            return;
        };
        self.threads[t].repairing = Some(Repairing { site: 0, rest: steps.into(), then: Then::Do(then) });
        if let Next::Poise(next) = self.next_added(t) {
            self.threads[t].state = State::Poised(next);
        }
    }

    /// The thread stands where statements of places begin, if it does: the first of the steps to take there.
    pub(crate) fn pass_marker(&mut self, t: usize) -> Option<Next> {
        let address = self.threads[t].registers.rip;
        let places = self.repair.markers.get(&address)?;
        let frame = Frame::innermost(&self.threads[t].registers);
        let (images, space) = (&self.images, &mut self.space);
        let begins = images.frame_address(&frame, &mut |address| word_at(space, address));
        let frame = begins.or(frame.stack_pointer()).unwrap_or(0);
        let inside = places.iter().map(|&place| Inside { place, frame, pc: address, is_innermost: true });
        let stand = Stand { kind: Kind::Passage { address }, inside: inside.collect(), site: address };
        let thread = &mut self.threads[t];
        let steps = thread.progress.arrive(&self.repair.plan, &thread.key, &stand);
        thread.repairing = Some(Repairing { site: 0, rest: steps.into(), then: Then::GoOn });
        Some(self.next_added(t))
    }

    /// The thread has started another one, of this handle, by the call at a site.
    pub(crate) fn started_under_repair(&mut self, t: usize, handle: u64, site: u64) {
        if !self.repair.plan.is_empty() {
            // The C library starts threads from where there is no way back on the stack.
            let here = self.places_at(site);
            self.threads[t].progress.has_started(&self.repair.plan, &here, (handle, site));
        }
    }

    /// What an action is to a repair; `None` for the second half of a step that has begun.
    fn kind_of(&self, t: usize, action: &Action) -> Option<Kind> {
        match action {
            Action::Begin
            | Action::FutexResume(_)
            | Action::Sync(Sync::CondWake { .. } | Sync::BarrierLeave { .. })
            | Action::Blocked(Wait::Change(_)) => None,
            Action::End => Some(Kind::End),
            Action::Blocked(_) => Some(Kind::Aside),
            _ if !self.threads[t].held.is_empty() => None,
            other => Some(Kind::Event { verb: other.verb()?, at: None }),
        }
    }

    /// Where the thread stands.
    fn stand(&mut self, t: usize, kind: Kind) -> Stand {
        let mut frame = self.first_frame(t);
        // Behind a function that the tracer called there is no way back on the stack.
        let site = match self.threads[t].registers.rip == self.native.landing {
            true => frame.lookup(),
            false => self.site(t),
        };
        let kind = match kind {
            Kind::Event { verb, .. } => {
                let source = self.images.source(site);
                Kind::Event { verb, at: source.map(|source| (source.file, source.line, source.column)) }
            }
            other => other,
        };
        let mut stand = Stand { kind, inside: Vec::new(), site };
        if stand.kind == Kind::End {
            return stand;
        }
        for depth in 0..FRAMES {
            let places = self.places_at(frame.lookup());
            let (images, space) = (&self.images, &mut self.space);
            let mut read = |address: u64| word_at(space, address);
            if !places.is_empty() {
                let begins = images.frame_address(&frame, &mut read).or(frame.stack_pointer());
                stand.inside.extend(places.iter().map(|&place| Inside {
                    place,
                    frame: begins.unwrap_or(0),
                    pc: frame.pc,
                    is_innermost: depth == 0,
                }));
            }
            match images.caller(&frame, &mut read) {
                Some(caller) => frame = caller,
                None => break,
            }
        }
        if matches!(self.threads[t].pending(), Some(Action::Access(_))) {
            self.add_inlined(t, &mut stand);
        }
        stand
    }

    /// The innermost call of the program itself: a modelled function is a part of who calls it.
    fn first_frame(&mut self, t: usize) -> Frame {
        let registers = &self.threads[t].registers;
        let (rip, sp) = (registers.rip, registers.get(Gpr::Rsp));
        let modelled = self.hooks.get(rip).is_some_and(|function| !function.is_program_code());
        let caller = match self.threads[t].returns.last() {
            Some(&(Return::Atomic { to, sp } | Return::Once { to, sp, .. }))
                if rip == self.native.landing =>
            {
                Some((to, sp))
            }
            _ if modelled => self.peek_word::<8>(sp).map(|to| (to, sp)),
            _ => None,
        };
        let mut registers = self.threads[t].registers.clone();
        let Some((to, sp)) = caller.filter(|&(to, _)| is_own(&self.images, to)) else {
            return Frame::innermost(&registers);
        };
        registers.rip = to;
        registers.set(Gpr::Rsp, sp + 8);
        let mut frame = Frame::innermost(&registers);
        frame.is_return = true;
        frame
    }

    fn places_at(&mut self, address: u64) -> Arc<[PlaceIx]> {
        if let Some(known) = self.repair.at.get(&address) {
            return Arc::clone(known);
        }
        // The C library is not the program's, and its debug information is large.
        let frames = match self.images.is_c_library(address) {
            true => Vec::new(),
            false => self.images.frames(address),
        };
        let places = &self.repair.plan.places;
        let within = |place: &PlaceIx| frames.iter().any(|source| lines::is_in(&places[*place], source));
        let found: Arc<[PlaceIx]> = (0..places.len()).filter(within).collect();
        self.repair.at.insert(address, Arc::clone(&found));
        found
    }

    /// The next of the added steps, or what they were added to.
    fn next_added(&mut self, t: usize) -> Next {
        let thread = &mut self.threads[t];
        let Some(mut repairing) = thread.repairing.take() else { return Next::Go };
        let Some((added, site)) = repairing.rest.pop_front() else {
            return match repairing.then {
                Then::Do(action) => {
                    thread.repaired = true;
                    Next::Poise(action)
                }
                Then::GoOn => {
                    thread.pass = true;
                    Next::Go
                }
            };
        };
        repairing.site = site;
        thread.repairing = Some(repairing);
        let (object, kind) = match added {
            Added::Lock(mutex) | Added::Unlock(mutex) => {
                (mutex, SyncKind::Mutex { kind: MutexKind::Normal, robust: false })
            }
            Added::Wait(semaphore) | Added::Post(semaphore) => {
                (semaphore, SyncKind::Semaphore { initial: 0, maximum: None })
            }
            Added::Fence => return Next::Poise(Action::Fence(MemoryOrder::SeqCst)),
            Added::Join(thread) => {
                let (attempt, deadline) = (Attempt::Block, None);
                return Next::Poise(Action::Sync(Sync::Join { thread, attempt, deadline }));
            }
        };
        if self.objects.get(object).is_none() {
            self.objects.insert(object, sync::Object::new(kind));
        }
        Next::Poise(Action::Sync(match added {
            Added::Lock(mutex) => {
                Sync::Lock { mutex, attempt: Attempt::Block, deadline: None, api: Api::Posix }
            }
            Added::Unlock(mutex) => Sync::Unlock { mutex, api: Api::Posix },
            Added::Wait(semaphore) => Sync::SemWait { semaphore, attempt: Attempt::Block, deadline: None },
            Added::Post(semaphore) => Sync::SemPost { semaphore },
            Added::Fence | Added::Join(_) => unreachable!("it has been returned"),
        }))
    }

    /// Takes an added step.
    pub(crate) fn perform_added(&mut self, t: usize, action: &Action) -> Result<Next, RunError> {
        let (attempt, result) = (Attempt::Block, WaitResult::Done);
        let op = match *action {
            Action::Sync(Sync::Lock { mutex, .. }) => {
                if let Some(mutex) = self.objects.mutex(mutex) {
                    mutex.owner = Some((t, 1));
                }
                Op::Lock { mutex: self.location(mutex, bytes::MUTEX)?, attempt, result }
            }
            Action::Sync(Sync::Unlock { mutex, .. }) => {
                if let Some(mutex) = self.objects.mutex(mutex) {
                    mutex.owner = None;
                }
                Op::Unlock { mutex: self.location(mutex, bytes::MUTEX)?, result }
            }
            Action::Sync(Sync::SemWait { semaphore, .. }) => {
                if let Some(sync::Object::Semaphore { count }) = self.objects.get_mut(semaphore) {
                    *count = count.saturating_sub(1);
                }
                Op::SemWait { semaphore: self.location(semaphore, bytes::SEMAPHORE)?, attempt, result }
            }
            Action::Sync(Sync::SemPost { semaphore }) => {
                if let Some(sync::Object::Semaphore { count }) = self.objects.get_mut(semaphore) {
                    *count = count.saturating_add(1);
                }
                Op::SemPost { semaphore: self.location(semaphore, bytes::SEMAPHORE)? }
            }
            Action::Sync(Sync::Join { thread, .. }) => match self.by_handle(thread) {
                Some(target) => Op::Join { child: self.threads[target].ix, attempt, result },
                None => return Ok(self.next_added(t)),
            },
            _ => Op::Fence { order: MemoryOrder::SeqCst },
        };
        self.record(t, op)?;
        Ok(self.next_added(t))
    }

    /// An object that the repair adds, as storage.
    pub(crate) fn added_place(&self, address: u64, size: u32) -> Option<Place> {
        let name = self.repair.plan.name(address)?;
        let object = Object {
            class: ObjectClass::Sync,
            owner: None,
            nth: address,
            size: size.into(),
            name: StringId::EMPTY,
        };
        Some(Place { start: address, object, path: name.clone(), name })
    }
}
