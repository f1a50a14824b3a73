//! Instruction after instruction, until one needs a record.

use warpath_trace::event::Concretised;
use warpath_trace::expr::BinaryOp;

use super::frame::{Astray, Frame, Site, State};
use super::thread::{Done, Interpreter, Trouble};
use super::value::{Known, Reference, Slot};
use super::{float, opcode, stack, symbols};
use crate::classfile::{Constant, JavaType, MethodDescriptor};
use crate::stream::Content;

/// Instructions that are executed before the record that shows that they were.
pub(crate) const EAGER: u64 = 1 << 20;
/// Instructions between two records; a frame that needs more is lost.
pub(crate) const MOST: u64 = 1 << 27;
/// Operands that a frame may have: no method has more.
const DEEPEST: usize = 1 << 16;

/// A method's instructions, as numbers.
pub(super) struct CodeBytes<'a>(pub &'a [u8]);

impl CodeBytes<'_> {
    pub(super) fn u8(&self, at: u32) -> Result<u8, Astray> {
        self.0.get(at as usize).copied().ok_or(Astray)
    }

    pub(super) fn u16(&self, at: u32) -> Result<u16, Astray> {
        Ok(u16::from_be_bytes([self.u8(at)?, self.u8(at.wrapping_add(1))?]))
    }

    pub(super) fn i32(&self, at: u32) -> Result<i32, Astray> {
        let byte = |n| self.u8(at.wrapping_add(n));
        Ok(i32::from_be_bytes([byte(0)?, byte(1)?, byte(2)?, byte(3)?]))
    }

    /// Where a jump from an instruction leads, 16 bits.
    pub(super) fn target(&self, pc: u32) -> Result<u32, Astray> {
        Ok(pc.wrapping_add_signed(i32::from(self.u16(pc + 1)? as i16)))
    }
}

impl Interpreter<'_> {
    /// Executes until a record is needed, or so many instructions; whether there is nothing more to do.
    pub(crate) fn advance(&mut self, most: u64) -> Done<bool> {
        let Some(mut frame) = self.thread.frames.pop_if(|frame| frame.state == State::Running) else {
            return Ok(true);
        };
        let done = self.go_on_with(&mut frame, most);
        self.thread.frames.push(frame);
        done
    }

    /// Nothing but records makes or ends frames: it is this one that executes.
    fn go_on_with(&mut self, frame: &mut Frame, most: u64) -> Done<bool> {
        for _ in 0..most {
            match self.step(frame) {
                Err(error @ Trouble::Expression(_)) => return Err(error),
                Err(Trouble::Astray) => self.lose(frame),
                Ok(()) if frame.stack.len() > DEEPEST => self.lose(frame),
                Ok(()) => {}
            }
            if frame.state != State::Running {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The frame is not where it should be: it is not followed any more.
    pub(crate) fn lose(&mut self, frame: &mut Frame) {
        if frame.state != State::Lost {
            frame.last_pc = frame.pc;
            frame.state = State::Lost;
            frame.stack.clear();
            self.thread.lost.push(Site { method: frame.method, pc: frame.pc });
        }
    }

    /// Executes one instruction.
    fn step(&mut self, frame: &mut Frame) -> Done<()> {
        let definition = self.definitions.method(frame.method);
        let code = CodeBytes(&definition.code().ok_or(Astray)?.bytes);
        let pc = frame.pc;
        let op = code.u8(pc)?;
        let mut length = 1;
        match op {
            0x00 => {}
            0x01 => frame.push(Slot::concrete(Known::Reference(Reference::NULL))),
            0x02..=0x08 => frame.push(Slot::int(i32::from(op) - 3)),
            0x09 | 0x0a => frame.push(Slot::concrete(Known::Long(i64::from(op) - 9))),
            0x0b..=0x0d => frame.push(Slot::concrete(Known::Float((f32::from(op - 0x0b)).to_bits()))),
            0x0e | 0x0f => frame.push(Slot::concrete(Known::Double((f64::from(op - 0x0e)).to_bits()))),
            0x10 => {
                frame.push(Slot::int((code.u8(pc + 1)? as i8).into()));
                length = 2;
            }
            0x11 => {
                frame.push(Slot::int((code.u16(pc + 1)? as i16).into()));
                length = 3;
            }
            0x12 => {
                self.constant(frame, code.u8(pc + 1)?.into())?;
                length = 2;
            }
            0x13 | 0x14 => {
                self.constant(frame, code.u16(pc + 1)?)?;
                length = 3;
            }
            0x15..=0x19 => {
                let slot = frame.local(code.u8(pc + 1)?.into())?;
                frame.push(slot);
                length = 2;
            }
            0x1a..=0x2d => {
                let slot = frame.local(usize::from(op - 0x1a) % 4)?;
                frame.push(slot);
            }
            0x36..=0x3a => {
                let slot = frame.pop()?;
                frame.set_local(code.u8(pc + 1)?.into(), slot)?;
                length = 2;
            }
            0x3b..=0x4e => {
                let slot = frame.pop()?;
                frame.set_local(usize::from(op - 0x3b) % 4, slot)?;
            }
            0x57..=0x5f => stack::shuffle(frame, op)?,
            0x60..=0x83 => {
                if !self.arithmetic(frame, op)? {
                    return Ok(());
                }
            }
            0x84 => {
                let by = i32::from(code.u8(pc + 2)? as i8);
                self.increment(frame, code.u8(pc + 1)?.into(), by)?;
                length = 3;
            }
            0x85..=0x93 => self.convert(frame, op)?,
            0x94..=0x98 => self.compare(frame, op)?,
            0x99..=0xab | 0xc6..=0xc9 => return self.jump(frame, &code, op),
            0xac..=0xb1 => {
                let slot = if op == 0xb1 { None } else { Some(frame.pop()?) };
                frame.state = State::Returning(slot);
                return Ok(());
            }
            0xbb => {
                let object = self.identities.new_object();
                frame.push(Slot::concrete(Known::Reference(object)));
                length = 3;
            }
            0xbe => {
                let array = frame.peek(0)?;
                if !self.dereference(frame, &array)? {
                    return Ok(());
                }
                let length = self.array_length(&array).ok_or(Astray)?;
                frame.pop()?;
                frame.push(Slot::int(length));
            }
            0xc0 | 0xc1 => return self.type_test(frame, &code, op),
            0xc4 => return self.wide(frame, &code),
            _ => return self.wait(frame, &code, op),
        }
        frame.pc = pc + length;
        Ok(())
    }

    /// The instruction needs a record: what can go wrong before it happens is decided now.
    fn wait(&mut self, frame: &mut Frame, code: &CodeBytes<'_>, op: u8) -> Done<()> {
        frame.state = State::Waiting;
        frame.modelled = false;
        match op {
            opcode::GETSTATIC | opcode::PUTSTATIC | opcode::INVOKESTATIC | opcode::INVOKEDYNAMIC => {}
            opcode::GETFIELD | opcode::MONITORENTER | opcode::MONITOREXIT => {
                let object = frame.peek(0)?;
                self.dereference(frame, &object)?;
            }
            opcode::PUTFIELD => {
                let object = frame.peek(1)?;
                self.dereference(frame, &object)?;
            }
            opcode::INVOKEVIRTUAL..=0xb9 => {
                let constants = &self.definitions.method(frame.method).file().constants;
                let member = constants.member(code.u16(frame.pc + 1)?).map_err(|_| Astray)?;
                let arguments = MethodDescriptor::parse(member.descriptor).map_err(|_| Astray)?.arguments;
                let receiver = frame.peek(arguments.len())?;
                self.dereference(frame, &receiver)?;
            }
            opcode::NEWARRAY | opcode::ANEWARRAY => self.size(frame, 0)?,
            opcode::MULTIANEWARRAY => {
                for below in (0..usize::from(code.u8(frame.pc + 3)?)).rev() {
                    self.size(frame, below)?;
                }
            }
            opcode::ATHROW => {
                let exception = frame.peek(0)?;
                self.dereference(frame, &exception)?;
                frame.state = State::Throwing;
            }
            _ => {
                opcode::element_type(op).ok_or(Astray)?;
                let below = usize::from(op >= 0x4f);
                let (array, index) = (frame.peek(below + 1)?, frame.peek(below)?);
                if self.dereference(frame, &array)? {
                    self.index(frame, &array, &index)?;
                }
            }
        }
        Ok(())
    }

    /// An object is used: whether there is one. Else an exception is thrown.
    pub(super) fn dereference(&mut self, frame: &mut Frame, slot: &Slot) -> Done<bool> {
        let Known::Reference(reference) = slot.known else { return Err(Trouble::Astray) };
        let is_null = self.resolve(reference) == Reference::NULL;
        let site = frame.site();
        if let Some(expr) = slot.expr {
            let null = self.pool.constant(64, 0)?;
            let condition = self.pool.equal(expr, null)?;
            self.thread.effects.branch(self.pool, site, condition, is_null)?;
            if !is_null {
                self.concretise(site, slot, Concretised::Address);
            }
        }
        if is_null {
            frame.state = State::Throwing;
        }
        Ok(!is_null)
    }

    fn index(&mut self, frame: &mut Frame, array: &Slot, index: &Slot) -> Done<()> {
        let Known::Int(number) = index.known else { return Err(Trouble::Astray) };
        let Some(length) = self.array_length(array) else { return Ok(()) };
        let within = (0..length).contains(&number);
        let site = frame.site();
        if let Some(expr) = index.expr {
            let length = self.pool.constant(32, length as u128)?;
            let condition = self.pool.binary(BinaryOp::Ult, expr, length)?;
            self.thread.effects.branch(self.pool, site, condition, within)?;
            if within {
                self.concretise(site, index, Concretised::Address);
            }
        }
        if !within {
            frame.state = State::Throwing;
        }
        Ok(())
    }

    fn size(&mut self, frame: &mut Frame, below: usize) -> Done<()> {
        let size = frame.peek(below)?;
        let Known::Int(number) = size.known else { return Err(Trouble::Astray) };
        let site = frame.site();
        let zero = Slot::int(0);
        if let Some(condition) = symbols::binary(self.pool, BinaryOp::Slt, &size, &zero)? {
            self.thread.effects.branch(self.pool, site, condition, number < 0)?;
        }
        if number < 0 {
            frame.state = State::Throwing;
        } else {
            self.concretise(site, &size, Concretised::Size);
        }
        Ok(())
    }

    /// The length of an array, if it is known.
    pub(super) fn array_length(&self, array: &Slot) -> Option<i32> {
        let Known::Reference(reference) = array.known else { return None };
        let Reference::Object(object) = self.resolve(reference) else { return None };
        match self.definitions.object(object)?.content {
            Content::Array(length) => i32::try_from(length).ok(),
            _ => None,
        }
    }

    fn constant(&mut self, frame: &mut Frame, index: u16) -> Done<()> {
        let constants = &self.definitions.method(frame.method).file().constants;
        let known = match constants.get(index) {
            Some(&Constant::Integer(value)) => Known::Int(value),
            Some(&Constant::Float(bits)) => Known::Float(bits),
            Some(&Constant::Long(value)) => Known::Long(value),
            Some(&Constant::Double(bits)) => Known::Double(bits),
            Some(&Constant::String(text)) => {
                let text = constants.text(text).map_err(|_| Astray)?;
                Known::Reference(self.identities.literal(format!("text {text}")))
            }
            Some(&Constant::Class(name)) => {
                let name = constants.text(name).map_err(|_| Astray)?;
                Known::Reference(self.identities.literal(format!("class {name}")))
            }
            Some(Constant::Other | Constant::Handle(_)) => Known::Reference(self.identities.new_object()),
            Some(Constant::Dynamic(..)) => {
                let member = constants.member(index).map_err(|_| Astray)?;
                match crate::classfile::parse_field_type(member.descriptor) {
                    Ok(JavaType::Reference) => {
                        let class = &self.definitions.method(frame.method).file().name;
                        Known::Reference(self.identities.literal(format!("dynamic {class} {index}")))
                    }
                    _ => return Err(Trouble::Astray),
                }
            }
            _ => return Err(Trouble::Astray),
        };
        frame.push(Slot::concrete(known));
        Ok(())
    }

    fn increment(&mut self, frame: &mut Frame, local: usize, by: i32) -> Done<()> {
        let slot = frame.local(local)?;
        let Known::Int(value) = slot.known else { return Err(Trouble::Astray) };
        let expr = symbols::binary(self.pool, BinaryOp::Add, &slot, &Slot::int(by))?;
        frame.set_local(local, Slot::with(Known::Int(value.wrapping_add(by)), expr))?;
        Ok(())
    }

    fn wide(&mut self, frame: &mut Frame, code: &CodeBytes<'_>) -> Done<()> {
        let pc = frame.pc;
        let local = usize::from(code.u16(pc + 2)?);
        match code.u8(pc + 1)? {
            0x15..=0x19 => {
                let slot = frame.local(local)?;
                frame.push(slot);
            }
            0x36..=0x3a => {
                let slot = frame.pop()?;
                frame.set_local(local, slot)?;
            }
            0x84 => {
                let by = i32::from(code.u16(pc + 4)? as i16);
                self.increment(frame, local, by)?;
                frame.pc = pc + 6;
                return Ok(());
            }
            0xa9 => {
                let Known::Address(address) = frame.local(local)?.known else { return Err(Trouble::Astray) };
                frame.pc = address;
                return Ok(());
            }
            _ => return Err(Trouble::Astray),
        }
        frame.pc = pc + 4;
        Ok(())
    }

    fn arithmetic(&mut self, frame: &mut Frame, op: u8) -> Done<bool> {
        match op {
            // Of each four the last two are for float and double, up to the negations.
            0x60..=0x77 if op & 2 != 0 => {
                let site = frame.site();
                let operands = if op >= 0x74 { 1 } else { 2 };
                for below in 0..operands {
                    let slot = frame.peek(below)?;
                    self.concretise(site, &slot, Concretised::Float);
                }
                float::arithmetic(frame, op)?;
                Ok(true)
            }
            _ => self.integer(frame, op),
        }
    }
}
