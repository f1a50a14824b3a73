//! Accesses to fields and array elements.

use warpath_trace::event::{Datum, MemoryOrder, Op};
use warpath_trace::ids::ThreadIx;

use super::{LiftError, Lifter};
use crate::classfile::JavaType;
use crate::interpret::{Cell, EarlyWrite, Known, Reference, Site, Slot, narrow, widen};
use crate::stream::{Definitions, Item, ObjectRef, Record, Value};

/// An access to a location.
pub(super) struct Access {
    pub cell: Cell,
    pub kind: JavaType,
    pub is_volatile: bool,
    pub pc: u32,
    pub value: Value,
    pub writes: bool,
}

impl Lifter {
    /// What a record of an access is about.
    pub(super) fn access_of(
        &mut self,
        definitions: &Definitions,
        t: usize,
        record: &Record,
    ) -> Option<Access> {
        let method = self.threads[t].frames.last()?.method;
        let mut field =
            |pc: u32, is_static: bool| self.fields.at(definitions, Site { method, pc }, is_static);
        let access = |cell, kind, is_volatile, pc, value, writes| Access {
            cell,
            kind,
            is_volatile,
            pc,
            value,
            writes,
        };
        Some(match *record {
            Record::GetField { pc, object, value } => {
                let found = field(pc, false)?;
                access(Cell::Field(object, found.name), found.kind, found.is_volatile, pc, value, false)
            }
            Record::PutField { pc, object, value } => {
                let found = field(pc, false)?;
                access(Cell::Field(object, found.name), found.kind, found.is_volatile, pc, value, true)
            }
            Record::GetStatic { pc, value } => {
                let found = field(pc, true)?;
                access(Cell::Static(found.name), found.kind, found.is_volatile, pc, value, false)
            }
            Record::PutStatic { pc, value } => {
                let found = field(pc, true)?;
                access(Cell::Static(found.name), found.kind, found.is_volatile, pc, value, true)
            }
            Record::ArrayLoad { pc, array, index, value, kind } => {
                access(Cell::Element(array, index), kind, false, pc, value, false)
            }
            Record::ArrayStore { pc, array, index, value, kind } => {
                access(Cell::Element(array, index), kind, false, pc, value, true)
            }
            _ => return None,
        })
    }

    pub(super) fn access(
        &mut self,
        definitions: &Definitions,
        t: usize,
        item: &Item,
    ) -> Result<(), LiftError> {
        let Some(access) = self.access_of(definitions, t, &item.record) else { return Ok(()) };
        if let Cell::Field(ObjectRef::NULL, field) = access.cell {
            self.write_early(definitions, t, &item.record, field);
            return Ok(());
        }
        self.note_access(t, access.cell, access.writes);
        if access.writes {
            let slot = if self.symbolic {
                self.interpreter(definitions, t).stored(&item.record)
            } else {
                Slot::of(access.value)
            };
            let is_event = self.is_event(definitions, t, access.cell, item.step);
            self.write(definitions, t, &access, slot, is_event)
        } else {
            let is_event = self.is_event(definitions, t, access.cell, item.step);
            let found = self.read(definitions, t, &access, is_event)?;
            if self.symbolic {
                self.interpreter(definitions, t).loaded(&item.record, found);
            }
            Ok(())
        }
    }

    /// A constructor writes a field before it has called that of the superclass: its object has no number yet.
    fn write_early(&mut self, definitions: &Definitions, t: usize, record: &Record, field: u32) {
        if !self.symbolic {
            return;
        }
        let mut interpreter = self.interpreter(definitions, t);
        let object = interpreter.written_object();
        let site = interpreter.thread.frames.last().map(|frame| frame.site());
        let slot = interpreter.stored(record);
        if let Some(site) = site {
            interpreter.hand_over(site, &slot);
        }
        if let Some(object) = object {
            self.threads[t].early.push(EarlyWrite { object, field, slot });
        }
    }

    /// An object has got its number.
    pub(super) fn settle_early(&mut self, t: usize, object: ObjectRef) {
        let waiting = std::mem::take(&mut self.threads[t].early);
        for write in waiting {
            match self.identities.resolve(write.object) {
                Reference::Object(found) if found == object => {
                    // No step, and no access that another thread could see: nobody has the object yet.
                    self.heap.put(t, Cell::Field(object, write.field), write.slot);
                }
                Reference::Object(_) => {}
                Reference::Fresh(_) => self.threads[t].early.push(write),
            }
        }
    }

    fn read(
        &mut self,
        definitions: &Definitions,
        t: usize,
        access: &Access,
        is_step: bool,
    ) -> Result<Slot, LiftError> {
        let found = Slot::of(access.value);
        if !is_step {
            let pool = &self.trace.tables.exprs;
            return Ok(if self.symbolic { self.heap.get(pool, t, access.cell, found) } else { found });
        }
        let location = self.location(definitions, access.cell, access.kind, Some(access.value))?;
        let value = self.value_bits(definitions, access.kind, access.value);
        let at = self.here(definitions, t, access.pc)?;
        let op = if access.is_volatile {
            Op::AtomicRead { location, value, order: MemoryOrder::SeqCst }
        } else {
            Op::Read { location, value }
        };
        let event = self.push(t, op, at)?;
        if !self.symbolic {
            return Ok(found);
        }
        let pool = &mut self.trace.tables.exprs;
        let leaf = pool.read(ThreadIx::from(t), event, (access.kind.size() * 8) as u8)?;
        Ok(Slot { expr: Some(widen(pool, access.kind, leaf)?), ..found })
    }

    fn write(
        &mut self,
        definitions: &Definitions,
        t: usize,
        access: &Access,
        slot: Slot,
        is_step: bool,
    ) -> Result<(), LiftError> {
        if !is_step {
            if self.symbolic {
                self.heap.put(t, access.cell, slot);
            }
            return Ok(());
        }
        let at = self.here(definitions, t, access.pc)?;
        let slot = self.unboxed(definitions, t, access.pc, slot)?;
        let location = self.location(definitions, access.cell, access.kind, None)?;
        let value = self.datum(definitions, access.kind, access.value, &slot)?;
        // Which writes wait in a buffer is for the agent to say; one that does not is in effect at once, as a volatile one.
        let waits = self.waiting[t].take() == Some(access.pc);
        let is_atomic = access.is_volatile || self.buffers_writes() && !waits;
        if is_atomic && !access.is_volatile {
            self.approximate("plain writes that did not wait in a buffer");
        }
        let op = if is_atomic {
            Op::AtomicWrite { location, value, order: MemoryOrder::SeqCst }
        } else {
            Op::Write { location, value }
        };
        let event = self.push(t, op, at)?;
        if waits && !is_atomic && self.buffers_writes() {
            self.buffers[t].push((access.cell, event));
        }
        Ok(())
    }

    /// A box that others can see is what it is in this run: which one it is depends on the value in it.
    pub(super) fn unboxed(
        &mut self,
        definitions: &Definitions,
        t: usize,
        pc: u32,
        slot: Slot,
    ) -> Result<Slot, LiftError> {
        if slot.boxed.is_none() {
            return Ok(slot);
        }
        if let Some(method) = self.threads[t].frames.last().map(|frame| frame.method) {
            let site = Site { method, pc };
            let why = warpath_trace::event::Concretised::Other;
            self.interpreter(definitions, t).concretise(site, &slot, why);
            self.flush(definitions, t)?;
        }
        Ok(Slot { boxed: None, ..slot })
    }

    /// A value as it lies in a location.
    pub(super) fn datum(
        &mut self,
        definitions: &Definitions,
        kind: JavaType,
        value: Value,
        slot: &Slot,
    ) -> Result<Datum, LiftError> {
        let bits = self.value_bits(definitions, kind, value);
        let same = slot.known == Known::from(value);
        let expr = slot.expr.filter(|_| same && self.symbolic);
        let narrowed = narrow(&mut self.trace.tables.exprs, kind, bits, expr)?;
        Ok(Datum { value: narrowed.value, expr: narrowed.expr })
    }
}
