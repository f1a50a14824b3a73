//! Events, written as records come.

use std::io::Write;

use rustc_hash::FxHashMap;

use warpath_light_format::Kind;
use warpath_light_format::kind::{mutex, object, outcome};
use warpath_trace::binary::TraceWriter;
use warpath_trace::event::{Attempt, Event, MutexKind, OnceStep, Op, RwMode, SyncKind, WaitResult};
use warpath_trace::header::Outcome;
use warpath_trace::ids::{LocationId, SourceId, ThreadIx};
use warpath_trace::thread::Thread;

use super::failure_of;
use super::foresee::Foreseen;
use super::memory::touches_memory;
use super::objects::{Objects, What};
use crate::error::LightError;
use crate::folder::Recording;
use crate::names::Names;
use crate::sharing::Shared;
use crate::space::Space;
use crate::thread::Record;

/// Numbers of children of the first thread that nobody was seen to create, from here on.
const STRANGERS: u32 = 1 << 20;

pub(super) struct Emitter<'a, W> {
    pub(super) recording: &'a Recording,
    pub(super) writer: TraceWriter<W>,
    pub(super) names: &'a mut Names,
    foreseen: &'a Foreseen,
    pub(super) shared: &'a Shared,
    pub(super) objects: Objects,
    /// The trace's thread of each recorded one.
    threads: FxHashMap<usize, ThreadIx>,
    begun: Vec<bool>,
    ended: Vec<bool>,
    events: u64,
    /// Futexes were waited for; what was done to their words is not known.
    futexes: u64,
    /// A mutex was taken that nobody was seen to release.
    releases: u64,
    /// What else is not as it was.
    approximations: Vec<(String, u64)>,
}

impl<'a, W: Write> Emitter<'a, W> {
    pub(super) fn new(
        recording: &'a Recording,
        writer: TraceWriter<W>,
        names: &'a mut Names,
        foreseen: &'a Foreseen,
        shared: &'a Shared,
    ) -> Result<Self, LightError> {
        let mut emitter = Emitter {
            recording,
            writer,
            names,
            foreseen,
            shared,
            objects: Objects::default(),
            threads: FxHashMap::default(),
            begun: Vec::new(),
            ended: Vec::new(),
            events: 0,
            futexes: 0,
            releases: 0,
            approximations: Vec::new(),
        };
        // Parents have lower numbers than their children, so each is there before it is needed.
        for thread in &recording.threads {
            emitter.thread(thread.number as usize)?;
        }
        Ok(emitter)
    }

    /// The trace's thread of a recorded one.
    pub(super) fn thread(&mut self, number: usize) -> Result<ThreadIx, LightError> {
        if let Some(&known) = self.threads.get(&number) {
            return Ok(known);
        }
        let file = self.recording.threads.iter().find(|thread| thread.number as usize == number);
        let parent = file.and_then(|file| Some((file.parent? as usize, file.nth as u32)));
        let parent = match parent {
            Some((parent, nth)) if parent < number => Some((self.thread(parent)?, nth)),
            _ if self.threads.is_empty() => None,
            _ => Some((ThreadIx(0), STRANGERS + number as u32)),
        };
        let start = file.map(|file| self.names.function(file.start)).unwrap_or_default();
        let tables = self.writer.tables();
        let start = tables.string(start)?;
        let name = tables.string("")?;
        let ix = tables.thread(Thread { parent, start, argument: None, name })?;
        self.threads.insert(number, ix);
        self.begun.push(false);
        self.ended.push(false);
        Ok(ix)
    }

    pub(super) fn put(&mut self, thread: ThreadIx, op: Op, at: SourceId) -> Result<(), LightError> {
        if self.ended[thread.index()] {
            return Ok(());
        }
        self.writer.event(thread, &Event { op, at })?;
        self.events += 1;
        self.ended[thread.index()] = op == Op::End;
        Ok(())
    }

    /// The first event of a thread, and what it held then, if its beginning was not recorded.
    fn begin(&mut self, number: usize, thread: ThreadIx, space: &mut Space) -> Result<(), LightError> {
        if std::mem::replace(&mut self.begun[thread.index()], true) {
            return Ok(());
        }
        self.put(thread, Op::Begin, SourceId::UNKNOWN)?;
        for (address, taken) in self.foreseen.held(number) {
            self.take(
                number,
                thread,
                *taken,
                *address,
                Attempt::Block,
                WaitResult::Done,
                0,
                SourceId::UNKNOWN,
                space,
            )?;
        }
        Ok(())
    }

    /// The location of an object, which is made if it is met for the first time.
    fn location(
        &mut self,
        thread: ThreadIx,
        address: u64,
        what: What,
        kind: SyncKind,
        at: SourceId,
        space: &mut Space,
    ) -> Result<LocationId, LightError> {
        if let Some(known) = self.objects.location(address, what) {
            return Ok(known);
        }
        let holder = self.holder(address, space)?;
        let location = self.objects.make(self.writer.tables(), self.names, address, what, thread, holder)?;
        // Who looks at the program in another way must find the same events: what was never made is not said to be,
        // unless it is not what everybody would think.
        let plain = SyncKind::Mutex { kind: MutexKind::Normal, robust: false };
        if kind != plain && !matches!(kind, SyncKind::RwLock | SyncKind::Condition | SyncKind::Once) {
            self.put(thread, Op::SyncInit { object: location, kind }, at)?;
        }
        Ok(location)
    }

    fn make(
        &mut self,
        thread: ThreadIx,
        address: u64,
        what: What,
        kind: SyncKind,
        at: SourceId,
        space: &mut Space,
    ) -> Result<LocationId, LightError> {
        let holder = self.holder(address, space)?;
        let location = self.objects.make(self.writer.tables(), self.names, address, what, thread, holder)?;
        self.put(thread, Op::SyncInit { object: location, kind }, at)?;
        Ok(location)
    }

    /// Writes what the record says.
    pub(super) fn record(
        &mut self,
        number: usize,
        record: &Record<'_>,
        space: &mut Space,
    ) -> Result<(), LightError> {
        if matches!(record.kind, Kind::Resume | Kind::Mark | Kind::Step | Kind::Renew) {
            // Nothing that the thread did: it may not even have begun.
            return Ok(());
        }
        let thread = self.thread(number)?;
        self.begin(number, thread, space)?;
        if touches_memory(record.kind) {
            return self.memory(thread, record, space);
        }
        let at = match record.kind {
            Kind::Begin | Kind::End | Kind::Resume | Kind::Mark => SourceId::UNKNOWN,
            _ => self.names.call(self.writer.tables(), record.word(1))?,
        };
        let address = record.word(2);
        let (attempt, result) = (attempt(record.a), result(record.a));
        match record.kind {
            Kind::Begin | Kind::Resume | Kind::Mark | Kind::Exit | Kind::Step | Kind::Renew => {}
            Kind::End => self.put(thread, Op::End, at)?,
            Kind::Fork => {
                let child = self.thread(record.b as usize)?;
                self.put(thread, Op::Fork { child }, at)?;
            }
            Kind::Join => {
                let child = self.thread(record.b as usize)?;
                self.put(thread, Op::Join { child, attempt, result }, at)?;
            }
            Kind::Detach => {
                let child = self.thread(record.b as usize)?;
                self.put(thread, Op::Detach { child }, at)?;
            }
            Kind::Init => {
                let (what, kind) = match record.a {
                    object::RWLOCK => (What::RwLock, SyncKind::RwLock),
                    object::CONDITION => (What::Condition, SyncKind::Condition),
                    object::SEMAPHORE => {
                        (What::Semaphore, SyncKind::Semaphore { initial: record.b, maximum: None })
                    }
                    object::BARRIER => (What::Barrier, SyncKind::Barrier { parties: record.b }),
                    _ => (What::Mutex, mutex_kind(record.b)),
                };
                self.make(thread, address, what, kind, at, space)?;
            }
            Kind::Destroy => {
                if let Some(known) = self.objects.get_mut(address) {
                    let object = known.location;
                    self.put(thread, Op::SyncDestroy { object }, at)?;
                }
            }
            Kind::Lock | Kind::RdLock | Kind::WrLock => {
                self.take(number, thread, record.kind, address, attempt, result, record.b, at, space)?;
            }
            Kind::Unlock => {
                let mutex = self.location(thread, address, What::Mutex, mutex_kind(0), at, space)?;
                self.give(number, address, result);
                self.put(thread, Op::Unlock { mutex, result }, at)?;
            }
            Kind::RwUnlock => {
                let lock = self.location(thread, address, What::RwLock, SyncKind::RwLock, at, space)?;
                let mode = if record.b == 0 { RwMode::Read } else { RwMode::Write };
                self.put(thread, Op::RwUnlock { lock, mode, result }, at)?;
            }
            Kind::CondWait => {
                let (condition, mutex) = self.condition(thread, record, at, space)?;
                self.give(number, record.word(4), WaitResult::Done);
                self.put(thread, Op::CondWait { condition, mutex, attempt }, at)?;
            }
            Kind::CondWake => {
                let (condition, mutex) = self.condition(thread, record, at, space)?;
                self.free(number, record.word(4), 0)?;
                let nth = self.objects.get_mut(address).map_or(0, |known| next(&mut known.wakes));
                let called = self.foreseen.called(address, nth);
                let result =
                    if result == WaitResult::Done && !called { WaitResult::Spurious } else { result };
                self.own(number, record.word(4));
                self.put(thread, Op::CondWake { condition, mutex, result }, at)?;
            }
            Kind::Signal | Kind::Broadcast => {
                let condition =
                    self.location(thread, address, What::Condition, SyncKind::Condition, at, space)?;
                let nth = self.objects.get_mut(address).map_or(0, |known| next(&mut known.signals));
                let woken = self.foreseen.woken(address, nth);
                let op = match record.kind {
                    Kind::Signal => Op::Signal { condition, woken },
                    _ => Op::Broadcast { condition, woken },
                };
                self.put(thread, op, at)?;
            }
            Kind::SemWait | Kind::SemPost | Kind::SemValue => {
                let initial = self.foreseen.units(address);
                let kind = SyncKind::Semaphore { initial, maximum: None };
                let semaphore = self.location(thread, address, What::Semaphore, kind, at, space)?;
                let op = match record.kind {
                    Kind::SemWait => Op::SemWait { semaphore, attempt, result },
                    Kind::SemPost => Op::SemPost { semaphore },
                    _ => Op::SemValue { semaphore, value: record.b },
                };
                self.put(thread, op, at)?;
            }
            Kind::BarrierArrive | Kind::BarrierLeave => {
                // A barrier that was made before the recording began has as many parties as nobody knows.
                let barrier = self.location(
                    thread,
                    address,
                    What::Barrier,
                    SyncKind::Barrier { parties: 1 },
                    at,
                    space,
                )?;
                let op = match record.kind {
                    Kind::BarrierArrive => Op::BarrierArrive { barrier },
                    _ => Op::BarrierLeave { barrier, serial: record.b == 1, result },
                };
                self.put(thread, op, at)?;
            }
            Kind::OnceRun | Kind::OnceFinish | Kind::OnceSeen => {
                let once = self.location(thread, address, What::Once, SyncKind::Once, at, space)?;
                let step = match record.kind {
                    Kind::OnceRun => OnceStep::Run,
                    Kind::OnceFinish => OnceStep::Finish,
                    _ => OnceStep::Seen,
                };
                self.put(thread, Op::Once { once, step }, at)?;
            }
            Kind::FutexWait | Kind::FutexWake => self.futexes += 1,
            Kind::Failure => {
                let text = record.text().to_vec();
                let message = self.writer.tables().string(&text)?;
                let kind = failure_of(record.a, address, &text);
                let address = (record.a != 0).then_some(address);
                self.put(thread, Op::Failure { kind, message, address }, at)?;
            }
            // Others are about memory, or were taken apart.
            _ => {}
        }
        Ok(())
    }

    fn condition(
        &mut self,
        thread: ThreadIx,
        record: &Record<'_>,
        at: SourceId,
        space: &mut Space,
    ) -> Result<(LocationId, LocationId), LightError> {
        let condition =
            self.location(thread, record.word(2), What::Condition, SyncKind::Condition, at, space)?;
        let mutex = self.location(thread, record.word(4), What::Mutex, mutex_kind(0), at, space)?;
        Ok((condition, mutex))
    }

    /// A lock is taken, or not.
    #[allow(clippy::too_many_arguments)]
    fn take(
        &mut self,
        number: usize,
        thread: ThreadIx,
        kind: Kind,
        address: u64,
        attempt: Attempt,
        result: WaitResult,
        mutex: u32,
        at: SourceId,
        space: &mut Space,
    ) -> Result<(), LightError> {
        if kind == Kind::Lock {
            let location = self.location(thread, address, What::Mutex, mutex_kind(mutex), at, space)?;
            if matches!(result, WaitResult::Done | WaitResult::OwnerDied) {
                self.free(number, address, mutex)?;
                self.own(number, address);
            }
            return self.put(thread, Op::Lock { mutex: location, attempt, result }, at);
        }
        let lock = self.location(thread, address, What::RwLock, SyncKind::RwLock, at, space)?;
        let mode = if kind == Kind::RdLock { RwMode::Read } else { RwMode::Write };
        self.put(thread, Op::RwLock { lock, mode, attempt, result }, at)
    }

    /// If somebody else still has the mutex, its release was lost: it is written now.
    fn free(&mut self, number: usize, address: u64, mutex: u32) -> Result<(), LightError> {
        let Some(known) = self.objects.get_mut(address) else { return Ok(()) };
        let Some((owner, levels)) = known.owner else { return Ok(()) };
        if owner == number && mutex % mutex::ROBUST == mutex::RECURSIVE {
            return Ok(());
        }
        known.owner = None;
        let location = known.location;
        let owner = self.thread(owner)?;
        for _ in 0..levels {
            self.releases += 1;
            self.put(owner, Op::Unlock { mutex: location, result: WaitResult::Done }, SourceId::UNKNOWN)?;
        }
        Ok(())
    }

    fn own(&mut self, number: usize, address: u64) {
        if let Some(known) = self.objects.get_mut(address) {
            known.owner = match known.owner {
                Some((owner, levels)) if owner == number => Some((owner, levels + 1)),
                _ => Some((number, 1)),
            };
        }
    }

    fn give(&mut self, number: usize, address: u64, result: WaitResult) {
        if let Some(known) = self.objects.get_mut(address)
            && result == WaitResult::Done
        {
            known.owner = match known.owner {
                Some((owner, levels)) if owner == number && levels > 1 => Some((owner, levels - 1)),
                _ => None,
            };
        }
    }

    /// What threads wait for at the end.
    pub(super) fn waiting(&mut self, space: &mut Space) -> Result<(), LightError> {
        for file in &self.recording.threads {
            let Some(waiting) = file.waiting else { continue };
            let [place, address, third] = waiting.words;
            let thread = self.thread(file.number as usize)?;
            if !self.begun[thread.index()] || self.ended[thread.index()] {
                continue;
            }
            let at = self.names.call(self.writer.tables(), place)?;
            let (attempt, result) = (attempt(waiting.a), WaitResult::Pending);
            let op = match waiting.kind {
                Kind::Lock => {
                    let mutex = self.location(thread, address, What::Mutex, mutex_kind(0), at, space)?;
                    Op::Lock { mutex, attempt, result }
                }
                Kind::RdLock | Kind::WrLock => {
                    let lock = self.location(thread, address, What::RwLock, SyncKind::RwLock, at, space)?;
                    let mode = if waiting.kind == Kind::RdLock { RwMode::Read } else { RwMode::Write };
                    Op::RwLock { lock, mode, attempt, result }
                }
                Kind::CondWake => {
                    let condition =
                        self.location(thread, address, What::Condition, SyncKind::Condition, at, space)?;
                    let mutex = self.location(thread, third, What::Mutex, mutex_kind(0), at, space)?;
                    Op::CondWake { condition, mutex, result }
                }
                Kind::SemWait => {
                    let initial = self.foreseen.units(address);
                    let kind = SyncKind::Semaphore { initial, maximum: None };
                    let semaphore = self.location(thread, address, What::Semaphore, kind, at, space)?;
                    Op::SemWait { semaphore, attempt, result }
                }
                Kind::BarrierLeave => {
                    let kind = SyncKind::Barrier { parties: 1 };
                    let barrier = self.location(thread, address, What::Barrier, kind, at, space)?;
                    Op::BarrierLeave { barrier, serial: false, result }
                }
                Kind::Join => {
                    let child = self.thread(address as usize)?;
                    Op::Join { child, attempt, result }
                }
                _ => continue,
            };
            self.put(thread, op, at)?;
        }
        Ok(())
    }

    /// Something is not as it was.
    pub(super) fn approximate(&mut self, what: &str, count: u64) {
        self.approximations.push((what.to_owned(), count));
    }

    /// Ends the trace: how many events and threads it has.
    pub(super) fn finish(
        mut self,
        outcome: Outcome,
        lost: u64,
        guessed: u64,
    ) -> Result<(u64, usize), LightError> {
        let counted = [
            ("events-lost", lost),
            ("futexes", self.futexes),
            ("releases-lost", self.releases),
            ("order-guessed", guessed),
        ];
        let mut approximations = Vec::new();
        for (name, count) in counted.into_iter().filter(|(_, count)| *count > 0) {
            approximations.push((self.writer.tables().string(name)?, count));
        }
        for (name, count) in std::mem::take(&mut self.approximations) {
            approximations.push((self.writer.tables().string(name)?, count));
        }
        let (events, threads) = (self.events, self.threads.len());
        self.writer.finish(outcome, &approximations)?;
        Ok((events, threads))
    }
}

/// Counts one more; the number before.
fn next(count: &mut usize) -> usize {
    *count += 1;
    *count - 1
}

fn attempt(a: u16) -> Attempt {
    match a / 16 {
        outcome::TRY => Attempt::Try,
        outcome::TIMED => Attempt::Timed,
        _ => Attempt::Block,
    }
}

fn result(a: u16) -> WaitResult {
    match a % 16 {
        outcome::DONE => WaitResult::Done,
        outcome::BUSY => WaitResult::Busy,
        outcome::TIMED_OUT => WaitResult::TimedOut,
        outcome::WOULD_DEADLOCK => WaitResult::WouldDeadlock,
        outcome::OWNER_DIED => WaitResult::OwnerDied,
        outcome::INTERRUPTED => WaitResult::Interrupted,
        outcome::PENDING => WaitResult::Pending,
        _ => WaitResult::Failed(0),
    }
}

fn mutex_kind(kind: u32) -> SyncKind {
    let robust = kind & mutex::ROBUST != 0;
    let kind = match kind % mutex::ROBUST {
        mutex::RECURSIVE => MutexKind::Recursive,
        mutex::ERROR_CHECK => MutexKind::ErrorCheck,
        _ => MutexKind::Normal,
    };
    SyncKind::Mutex { kind, robust }
}
