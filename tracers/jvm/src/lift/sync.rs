//! What synchronises.
//!
//! Everything but latches and whole sets of units has an operation of the trace that means the same. Those are written
//! with others, in a region that nobody interrupts: to take n units is to take one n times; and a latch of n is a semaphore
//! without units, to which each count-down gives one, and where waiting takes n units and gives them back.

use warpath_trace::event::{Attempt, MutexKind, Op, RwMode, SyncKind, WaitResult};
use warpath_trace::ids::{LocationId, SourceId};

use super::{LiftError, Lifter};
use crate::stream::{Definitions, Item, SyncRecord};

/// How patient an operation is.
pub(super) fn attempt(number: u64) -> Attempt {
    match number {
        0 => Attempt::Block,
        1 => Attempt::Try,
        _ => Attempt::Timed,
    }
}

/// How an operation ended.
pub(super) fn result(number: u64) -> WaitResult {
    match number {
        0 => WaitResult::Done,
        1 => WaitResult::Busy,
        2 => WaitResult::TimedOut,
        3 => WaitResult::Interrupted,
        4 => WaitResult::Spurious,
        5 => WaitResult::Pending,
        // EPERM: not the owner.
        _ => WaitResult::Failed(1),
    }
}

/// The most units or counts that are written one by one.
const MOST_UNITS: u64 = 256;

impl Lifter {
    pub(super) fn sync(
        &mut self,
        definitions: &Definitions,
        t: usize,
        item: &Item,
        sync: &SyncRecord,
    ) -> Result<(), LiftError> {
        if self.symbolic && sync.verb == 12 && sync.space == 4 {
            // Whose permit it is is decided before it is given: there may be nobody.
            self.interpreter(definitions, t).give_outside();
            self.flush(definitions, t)?;
        }
        if item.step {
            let at = match result(sync.result) {
                WaitResult::Pending => self.stuck(definitions, t, sync.pc)?,
                _ => self.here(definitions, t, sync.pc)?,
            };
            self.sync_event(definitions, t, sync, at)?;
        }
        if self.symbolic && !sync.is_of_method() {
            self.interpreter(definitions, t).monitored(sync.pc);
        }
        Ok(())
    }

    fn sync_event(
        &mut self,
        definitions: &Definitions,
        t: usize,
        sync: &SyncRecord,
        at: SourceId,
    ) -> Result<(), LiftError> {
        let (attempt, result) = (attempt(sync.a), result(sync.result));
        let op = match sync.verb {
            1 => Op::Lock { mutex: self.mutex(definitions, sync)?, attempt, result },
            2 => Op::Unlock { mutex: self.mutex(definitions, sync)?, result },
            3 => Op::RwLock { lock: self.whole(definitions, sync)?, mode: RwMode::Read, attempt, result },
            4 => Op::RwUnlock { lock: self.whole(definitions, sync)?, mode: RwMode::Read, result },
            5 => Op::RwLock { lock: self.whole(definitions, sync)?, mode: RwMode::Write, attempt, result },
            6 => Op::RwUnlock { lock: self.whole(definitions, sync)?, mode: RwMode::Write, result },
            7 if result != WaitResult::Done => {
                self.approximate("waits that were refused");
                return Ok(());
            }
            7 | 8 => {
                let condition = self.condition(definitions, sync)?;
                let mutex = self.mutex_of_condition(definitions, sync)?;
                if sync.verb == 7 {
                    Op::CondWait { condition, mutex, attempt }
                } else {
                    Op::CondWake { condition, mutex, result }
                }
            }
            9 | 10 if result != WaitResult::Done => {
                self.approximate("notifications that were refused");
                return Ok(());
            }
            9 => Op::Signal { condition: self.condition(definitions, sync)?, woken: sync.a as u32 },
            10 => Op::Broadcast { condition: self.condition(definitions, sync)?, woken: sync.a as u32 },
            11 | 12 => return self.units(definitions, t, sync, at),
            13 => Op::SemValue { semaphore: self.whole(definitions, sync)?, value: sync.a as u32 },
            14 => Op::BarrierArrive { barrier: self.whole(definitions, sync)? },
            15 => Op::BarrierLeave { barrier: self.whole(definitions, sync)?, serial: false, result },
            16 => return self.comes_into_being(definitions, t, sync, at),
            17 | 18 => return self.latch(definitions, t, sync, at),
            19..=21 => return self.interrupt_flag(definitions, t, sync, at),
            verb => {
                self.approximate(&format!("operations of the unknown kind {verb}"));
                return Ok(());
            }
        };
        self.push(t, op, at)?;
        self.interrupted(definitions, t, result, true, at)
    }

    /// The object itself, whichever of its parts a record names.
    fn whole(&mut self, definitions: &Definitions, sync: &SyncRecord) -> Result<LocationId, LiftError> {
        let name = self.object_name(definitions, sync.object);
        self.sync_object(name)
    }

    fn mutex(&mut self, definitions: &Definitions, sync: &SyncRecord) -> Result<LocationId, LiftError> {
        let object = self.object_name(definitions, sync.object);
        self.sync_object(match sync.space {
            0 => format!("monitor({object})"),
            2 => format!("{object}.read"),
            3 => format!("{object}.write"),
            _ => object,
        })
    }

    fn condition(&mut self, definitions: &Definitions, sync: &SyncRecord) -> Result<LocationId, LiftError> {
        let object = self.object_name(definitions, sync.object);
        self.sync_object(if sync.space == 0 { format!("waiters({object})") } else { object })
    }

    fn mutex_of_condition(
        &mut self,
        definitions: &Definitions,
        sync: &SyncRecord,
    ) -> Result<LocationId, LiftError> {
        if sync.space == 0 {
            return self.mutex(definitions, sync);
        }
        let mutex = crate::stream::ObjectRef(u32::try_from(sync.b).unwrap_or(0));
        let name = self.object_name(definitions, mutex);
        self.sync_object(name)
    }

    /// Units of a semaphore, or the permit of a thread.
    fn units(
        &mut self,
        definitions: &Definitions,
        t: usize,
        sync: &SyncRecord,
        at: SourceId,
    ) -> Result<(), LiftError> {
        let (semaphore, how, units) = if sync.space == 4 {
            (self.permit(definitions, t, sync.a as u32, at)?, attempt(sync.b), 1)
        } else {
            (self.whole(definitions, sync)?, attempt(sync.a), sync.b)
        };
        let end = result(sync.result);
        let op = if sync.verb == 11 {
            Op::SemWait { semaphore, attempt: how, result: end }
        } else {
            Op::SemPost { semaphore }
        };
        // Whether there were fewer units than asked for is known, but not how many: one at a time is all or nothing.
        if units > 1 && end != WaitResult::Done {
            self.approximate("attempts to take several units that failed");
        }
        let repeated = if end == WaitResult::Done { units } else { 1 };
        self.repeat(t, &[(op, repeated)], at)?;
        // Parking does not use the flag up.
        self.interrupted(definitions, t, end, sync.space != 4, at)
    }

    /// Several operations that nobody interrupts; a single one is itself.
    fn repeat(&mut self, t: usize, ops: &[(Op, u64)], at: SourceId) -> Result<(), LiftError> {
        let total = ops.iter().fold(0_u64, |total, (_, count)| total.saturating_add(*count));
        if total > MOST_UNITS {
            self.approximate("operations on more than 256 units at once, taken as one");
            if let Some(&(op, _)) = ops.first() {
                self.push(t, op, at)?;
            }
            return Ok(());
        }
        if total != 1 {
            self.push(t, Op::AtomicBegin, at)?;
        }
        for &(op, count) in ops {
            for _ in 0..count {
                self.push(t, op, at)?;
            }
        }
        let waits_for_ever = ops.iter().any(|(op, _)| op.is_pending());
        if total != 1 && !waits_for_ever {
            self.push(t, Op::AtomicEnd, at)?;
        }
        Ok(())
    }

    /// A thread's permit: a semaphore with one unit at most. Whoever speaks of it first says so, each thread for itself.
    fn permit(
        &mut self,
        definitions: &Definitions,
        t: usize,
        of: u32,
        at: SourceId,
    ) -> Result<LocationId, LiftError> {
        let name = format!("permit({})", self.names.thread(definitions, of));
        self.unit(t, name, at)
    }

    /// A semaphore with one unit at most, that nobody makes.
    pub(super) fn unit(&mut self, t: usize, name: String, at: SourceId) -> Result<LocationId, LiftError> {
        let object = self.sync_object(name)?;
        if self.permits.insert((t, object)) {
            let kind = SyncKind::Semaphore { initial: 0, maximum: Some(1) };
            self.push(t, Op::SyncInit { object, kind }, at)?;
        }
        Ok(object)
    }

    fn comes_into_being(
        &mut self,
        definitions: &Definitions,
        t: usize,
        sync: &SyncRecord,
        at: SourceId,
    ) -> Result<(), LiftError> {
        let number = u32::try_from(sync.b).unwrap_or(u32::MAX);
        let kind = match sync.a {
            0 => SyncKind::Mutex { kind: MutexKind::Recursive, robust: false },
            1 => SyncKind::RwLock,
            2 => SyncKind::Condition,
            3 => SyncKind::Semaphore { initial: number, maximum: None },
            4 => {
                self.latches.insert(sync.object, sync.b);
                SyncKind::Semaphore { initial: 0, maximum: None }
            }
            _ => SyncKind::Barrier { parties: number },
        };
        let object = self.whole(definitions, sync)?;
        self.push(t, Op::SyncInit { object, kind }, at)?;
        Ok(())
    }

    fn latch(
        &mut self,
        definitions: &Definitions,
        t: usize,
        sync: &SyncRecord,
        at: SourceId,
    ) -> Result<(), LiftError> {
        let semaphore = self.whole(definitions, sync)?;
        if sync.verb == 17 {
            self.push(t, Op::SemPost { semaphore }, at)?;
            return Ok(());
        }
        let Some(&count) = self.latches.get(&sync.object) else {
            self.approximate("latches whose count is not known");
            return Ok(());
        };
        let (how, end) = (attempt(sync.a), result(sync.result));
        let take = Op::SemWait { semaphore, attempt: how, result: end };
        if end != WaitResult::Done {
            self.repeat(t, &[(take, 1)], at)?;
            return self.interrupted(definitions, t, end, true, at);
        }
        self.repeat(t, &[(take, count), (Op::SemPost { semaphore }, count)], at)
    }
}
