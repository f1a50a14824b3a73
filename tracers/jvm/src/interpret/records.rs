//! What records say of the instruction that a frame waits at.

use super::advance::MOST;
use super::frame::{Astray, Frame, State};
use super::opcode;
use super::thread::{Done, Interpreter};
use super::value::{Known, Reference, Slot};
use crate::stream::{ObjectRef, Record, Value};

impl Interpreter<'_> {
    /// Brings the thread to where a record finds it.
    pub(crate) fn settle(&mut self, record: &Record) -> Done<()> {
        loop {
            if !self.advance(MOST)? {
                let Some(mut frame) = self.thread.frames.pop() else { return Ok(()) };
                self.lose(&mut frame);
                self.thread.frames.push(frame);
            }
            let Some(frame) = self.thread.frames.last() else { return Ok(()) };
            match frame.state {
                State::Returned(slot) => {
                    let repeats = matches!(*record, Record::Return { pc, .. } if pc == frame.pc);
                    if repeats {
                        return Ok(());
                    }
                    let site = frame.site();
                    self.thread.sure.insert(site);
                    self.finish_call(slot)?;
                }
                State::Doubtful => self.resolve_doubt(record)?,
                _ => return Ok(()),
            }
        }
    }

    /// The top frame, if it waits at this instruction; else it is lost.
    pub(super) fn waiting(&mut self, pc: u32, fits: impl Fn(u8) -> bool) -> Option<Frame> {
        let mut frame = self.thread.frames.pop()?;
        if frame.state != State::Lost {
            let code = self.definitions.method(frame.method).code().map_or(&[][..], |code| &code.bytes);
            let there = frame.state == State::Waiting && frame.pc == pc;
            if there && code.get(pc as usize).is_some_and(|&op| fits(op)) {
                return Some(frame);
            }
            self.lose(&mut frame);
        }
        frame.last_pc = pc;
        self.thread.frames.push(frame);
        None
    }

    /// Puts a frame back that goes on behind its instruction, or is lost.
    fn go_on(&mut self, mut frame: Frame, length: u32, done: Result<(), Astray>) {
        match done {
            Ok(()) => {
                frame.pc += length;
                frame.state = State::Running;
            }
            Err(Astray) => self.lose(&mut frame),
        }
        self.thread.frames.push(frame);
    }

    /// A value was read from a field or an array element.
    pub(crate) fn loaded(&mut self, record: &Record, found: Slot) {
        let (pc, object) = match *record {
            Record::GetField { pc, object, .. } => (pc, Some(object)),
            Record::GetStatic { pc, .. } => (pc, None),
            Record::ArrayLoad { pc, array, .. } => (pc, Some(array)),
            _ => return,
        };
        if self.is_copying(pc) {
            self.thread.copied.push_back(found);
            return;
        }
        let fits = |op: u8| match record {
            Record::GetField { .. } => op == opcode::GETFIELD,
            Record::GetStatic { .. } => op == opcode::GETSTATIC,
            _ => (0x2e..=0x35).contains(&op),
        };
        let Some(mut frame) = self.waiting(pc, fits) else { return };
        let length = if matches!(record, Record::ArrayLoad { .. }) { 1 } else { 3 };
        let mut operands = || {
            if let Record::ArrayLoad { index, .. } = *record
                && frame.pop_int()?.0 != index
            {
                return Err(Astray);
            }
            if let Some(object) = object {
                let (reference, _) = frame.pop_reference()?;
                if !self.identities.identify(reference, object) {
                    return Err(Astray);
                }
            }
            frame.push(found);
            Ok(())
        };
        let done = operands();
        self.go_on(frame, length, done);
    }

    /// The object whose field the top frame is about to write.
    pub(crate) fn written_object(&self) -> Option<Reference> {
        let frame = self.thread.frames.last().filter(|frame| frame.state == State::Waiting)?;
        match frame.peek(1).ok()?.known {
            Known::Reference(reference) => Some(reference),
            _ => None,
        }
    }

    /// A value was written to a field or an array element: the value with what it depends on.
    pub(crate) fn stored(&mut self, record: &Record) -> Slot {
        let (pc, object, value) = match *record {
            Record::PutField { pc, object, value } => (pc, Some(object), value),
            Record::PutStatic { pc, value } => (pc, None, value),
            Record::ArrayStore { pc, array, value, .. } => (pc, Some(array), value),
            _ => return Slot::concrete(Known::Unknown),
        };
        if self.is_copying(pc) {
            let read = self.thread.input.take();
            let copied = match (self.thread.copied.pop_front(), read) {
                (Some(copied), _) => copied,
                // A byte that was read into an array.
                (None, Some(input)) => {
                    let expr = self.pool.sign_extend(32, input).ok();
                    Slot { expr, ..Slot::of(value) }
                }
                (None, None) => Slot::of(value),
            };
            return self.reconcile(copied, value).unwrap_or(Slot::of(value));
        }
        let fits = |op: u8| match record {
            Record::PutField { .. } => op == opcode::PUTFIELD,
            Record::PutStatic { .. } => op == opcode::PUTSTATIC,
            _ => (0x4f..=0x56).contains(&op),
        };
        let Some(mut frame) = self.waiting(pc, fits) else { return Slot::of(value) };
        let length = if matches!(record, Record::ArrayStore { .. }) { 1 } else { 3 };
        let mut operands = || {
            let slot = frame.pop()?;
            let slot = self.reconcile(slot, value).ok_or(Astray)?;
            if let Record::ArrayStore { index, .. } = *record
                && frame.pop_int()?.0 != index
            {
                return Err(Astray);
            }
            if let Some(object) = object {
                let (reference, _) = frame.pop_reference()?;
                // Before its constructor has called that of its superclass an object has no number.
                if !object.is_null() && !self.identities.identify(reference, object) {
                    return Err(Astray);
                }
            }
            Ok(slot)
        };
        let slot = operands();
        let done = slot.map(|_| ());
        self.go_on(frame, length, done);
        slot.unwrap_or(Slot::of(value))
    }

    /// Elements are copied by a call.
    fn is_copying(&self, pc: u32) -> bool {
        let Some(frame) = self.thread.frames.last() else { return false };
        let code = self.definitions.method(frame.method).code().map_or(&[][..], |code| &code.bytes);
        let invokes = |op: &u8| (opcode::INVOKEVIRTUAL..=opcode::INVOKEDYNAMIC).contains(op);
        code.get(pc as usize).is_some_and(invokes)
    }

    /// An object or array came into being.
    pub(crate) fn allocated(&mut self, pc: u32, object: ObjectRef) -> Done<()> {
        let Some(mut frame) = self.thread.frames.pop() else { return Ok(()) };
        let definition = self.definitions.method(frame.method);
        let code = definition.code().map_or(&[][..], |code| &code.bytes);
        let op = code.get(pc as usize).copied().unwrap_or(0);
        let at = frame.state == State::Waiting && frame.pc == pc;
        match op {
            _ if frame.state == State::Lost => {}
            opcode::NEWARRAY | opcode::ANEWARRAY | opcode::MULTIANEWARRAY if at => {
                let (length, dimensions) = match op {
                    opcode::NEWARRAY => (2, 1),
                    opcode::ANEWARRAY => (3, 1),
                    _ => (4, usize::from(code.get(pc as usize + 3).copied().unwrap_or(1))),
                };
                for _ in 0..dimensions {
                    frame.pop()?;
                }
                let array = Known::Reference(Reference::Object(object));
                frame.push(Slot::concrete(array));
                frame.pc += length;
                frame.state = State::Running;
            }
            _ => {
                if let Some(reference) = self.constructed(&frame) {
                    self.identities.identify(reference, object);
                }
            }
        }
        self.thread.frames.push(frame);
        Ok(())
    }

    /// The slot with the number that a record has for it; `None` if it cannot be the same value.
    pub(super) fn reconcile(&mut self, slot: Slot, value: Value) -> Option<Slot> {
        let known = Known::from(value);
        match (slot.known, value) {
            (Known::Unknown, _) => Some(Slot::of(value)),
            (Known::Reference(reference), Value::Reference(object)) => {
                self.identities.identify(reference, object).then_some(Slot { known, ..slot })
            }
            (Known::Float(bits), Value::Float(other)) if f32::from_bits(bits).is_nan() => {
                f32::from_bits(other).is_nan().then_some(Slot::of(value))
            }
            (Known::Double(bits), Value::Double(other)) if f64::from_bits(bits).is_nan() => {
                f64::from_bits(other).is_nan().then_some(Slot::of(value))
            }
            _ => (slot.known == known).then_some(slot),
        }
    }

    /// Like [`reconcile`](Self::reconcile), for the operands of a call.
    pub(crate) fn reconciled(&mut self, slot: Slot, value: Value) -> Option<Slot> {
        self.reconcile(slot, value)
    }

    /// A monitor was entered or left by the instruction that the frame waits at.
    pub(crate) fn monitored(&mut self, pc: u32) {
        let Some(frame) = self.thread.frames.last() else { return };
        let code = self.definitions.method(frame.method).code().map_or(&[][..], |code| &code.bytes);
        let is_monitor = matches!(code.get(pc as usize), Some(&(opcode::MONITORENTER | opcode::MONITOREXIT)));
        if is_monitor && frame.state == State::Waiting && frame.pc == pc {
            let Some(mut frame) = self.thread.frames.pop() else { return };
            let done = frame.pop().map(|_| ());
            self.go_on(frame, 1, done);
        }
    }
}
