//! Interrupts.
//!
//! The flag of a thread is a location. Beside it there is a semaphore with one unit at most, which says the same: who
//! interrupts gives the unit, who clears the flag takes it, if it is there. A wait that an interrupt ends takes it, too, and
//! so cannot end before there is one.

use warpath_trace::event::{Attempt, Datum, MemoryOrder, Op, WaitResult};
use warpath_trace::ids::{LocationId, SourceId, ThreadIx};
use warpath_trace::place::{Location, Object, ObjectClass};

use super::{LiftError, Lifter};
use crate::interpret::{Known, Slot};
use crate::run::Sharing;
use crate::stream::{Definitions, SyncRecord};

const ORDER: MemoryOrder = MemoryOrder::SeqCst;

impl Lifter {
    /// The flag is set, tested, or tested and cleared; everything about it is atomic.
    pub(super) fn interrupt_flag(
        &mut self,
        definitions: &Definitions,
        t: usize,
        sync: &SyncRecord,
        at: SourceId,
    ) -> Result<(), LiftError> {
        let of = sync.a as u32;
        let location = self.flag(definitions, of)?;
        let semaphore = self.interrupt_unit(definitions, t, of, at)?;
        let found = u128::from(sync.b & 1);
        if sync.verb == 19 {
            self.interrupted.insert(of);
            let set = Op::AtomicWrite { location, value: Datum::concrete(1), order: ORDER };
            self.region(t, &[set, Op::SemPost { semaphore }], at)?;
            return Ok(());
        }
        let event = if sync.verb == 20 {
            let clear = Op::Rmw { location, old: found, new: Datum::concrete(0), order: ORDER };
            let result = if found == 1 { WaitResult::Done } else { WaitResult::Busy };
            self.region(t, &[clear, Op::SemWait { semaphore, attempt: Attempt::Try, result }], at)?
        } else {
            self.push(t, Op::AtomicRead { location, value: found, order: ORDER }, at)?
        };
        if !self.symbolic {
            return Ok(());
        }
        let pool = &mut self.trace.tables.exprs;
        let leaf = pool.read(ThreadIx::from(t), event, 8)?;
        let asks = ["interrupted", "isInterrupted"].contains(&self.interpreter(definitions, t).called_name());
        if asks {
            let expr = self.trace.tables.exprs.zero_extend(32, leaf)?;
            self.threads[t].result = Some(Slot::with(Known::Int(found as i32), Some(expr)));
            self.interpreter(definitions, t).mark_modelled();
        } else {
            // A wait looks at the flag before it begins.
            let pool = &mut self.trace.tables.exprs;
            let one = pool.constant(8, 1)?;
            let is_set = pool.equal(leaf, one)?;
            self.push(t, Op::Branch { condition: is_set, taken: found == 1 }, at)?;
        }
        Ok(())
    }

    /// A wait has ended: if by an interrupt, there was one.
    pub(super) fn interrupted(
        &mut self,
        definitions: &Definitions,
        t: usize,
        result: WaitResult,
        clears: bool,
        at: SourceId,
    ) -> Result<(), LiftError> {
        if result != WaitResult::Interrupted {
            return Ok(());
        }
        let of = t as u32 + 1;
        let semaphore = self.interrupt_unit(definitions, t, of, at)?;
        let take = Op::SemWait { semaphore, attempt: Attempt::Block, result: WaitResult::Done };
        let then = if clears {
            let location = self.flag(definitions, of)?;
            Op::Rmw { location, old: 1, new: Datum::concrete(0), order: ORDER }
        } else {
            Op::SemPost { semaphore }
        };
        self.region(t, &[take, then], at)?;
        Ok(())
    }

    /// Did waits look at every flag that is known to be shared by now?
    pub(super) fn are_flags_known(&self) -> bool {
        let shared = self.options.shared.iter().flat_map(Sharing::locations);
        shared
            .filter(|name| name.starts_with("interrupted("))
            .all(|name| self.options.flags.iter().any(|known| known == name))
    }

    /// The flags that waits looked at: whoever runs the schedule has to know.
    pub(super) fn known_flags(&mut self, definitions: &Definitions) -> Result<Vec<LocationId>, LiftError> {
        let mut known = Vec::new();
        for of in 1..=definitions.threads().len() as u32 {
            let name = format!("interrupted({})", self.names.thread(definitions, of));
            if self.options.flags.contains(&name) {
                known.push(self.flag(definitions, of)?);
            }
        }
        Ok(known)
    }

    /// Flags that waits have to look at in further runs.
    pub(super) fn share_flags(&mut self, definitions: &Definitions, shared: &mut Sharing) {
        for of in std::mem::take(&mut self.interrupted) {
            shared.insert(format!("interrupted({})", self.names.thread(definitions, of)));
        }
    }

    /// Operations that nobody interrupts; the number of the first.
    fn region(&mut self, t: usize, ops: &[Op], at: SourceId) -> Result<u32, LiftError> {
        let first = self.push(t, Op::AtomicBegin, at)? + 1;
        for &op in ops {
            self.push(t, op, at)?;
        }
        self.push(t, Op::AtomicEnd, at)?;
        Ok(first)
    }

    fn interrupt_unit(
        &mut self,
        definitions: &Definitions,
        t: usize,
        of: u32,
        at: SourceId,
    ) -> Result<LocationId, LiftError> {
        let name = format!("interrupt({})", self.names.thread(definitions, of));
        self.unit(t, name, at)
    }

    fn flag(&mut self, definitions: &Definitions, of: u32) -> Result<LocationId, LiftError> {
        let name = format!("interrupted({})", self.names.thread(definitions, of));
        if let Some(&known) = self.sync_objects.get(&name) {
            return Ok(known);
        }
        let text = self.trace.tables.string(&name)?;
        let object = Object { class: ObjectClass::Global, owner: None, nth: 0, size: 1, name: text };
        let object = self.trace.tables.object(object)?;
        let location = Location { object, offset: 0, size: 1, initial: Some(0), name: text };
        let id = self.trace.tables.location(location)?;
        self.sync_objects.insert(name, id);
        Ok(id)
    }
}
