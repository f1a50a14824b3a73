//! Calls: of methods that are instrumented, of those that are not, and out of those back into ours.

use warpath_trace::event::Concretised;
use warpath_trace::expr::BinaryOp;
use warpath_trace::ids::ExprId;

use super::advance::CodeBytes;
use super::frame::{Astray, Frame, State};
use super::opcode;
use super::thread::{Done, Interpreter};
use super::value::{Known, Reference, Slot};
use crate::classfile::{JavaType, Member, MethodDescriptor};
use crate::stream::{Content, Definitions, MethodIx, ObjectDef, ObjectRef, Value};

/// The call that a frame waits for.
pub(super) struct Call<'a> {
    pub member: Member<'a>,
    /// Operands, the receiver included.
    pub operands: usize,
    /// Bytes of the instruction.
    pub length: u32,
}

/// The call at the frame's instruction, if it is one.
pub(super) fn call_at<'a>(definitions: &'a Definitions, frame: &Frame) -> Option<Call<'a>> {
    let definition = definitions.method(frame.method);
    let code = CodeBytes(&definition.code()?.bytes);
    let op = code.u8(frame.pc).ok()?;
    if !(opcode::INVOKEVIRTUAL..=opcode::INVOKEDYNAMIC).contains(&op) {
        return None;
    }
    let member = definition.file().constants.member(code.u16(frame.pc + 1).ok()?).ok()?;
    let arguments = MethodDescriptor::parse(member.descriptor).ok()?.arguments.len();
    let receiver = usize::from(op != opcode::INVOKESTATIC && op != opcode::INVOKEDYNAMIC);
    let length = if op > opcode::INVOKESTATIC { 5 } else { 3 };
    Some(Call { member, operands: arguments + receiver, length })
}

/// Does the call do nothing to what it is given but what the stream says, or what never changes?
fn only_looks(call: &Call<'_>) -> bool {
    match call.member.class {
        "java/lang/Object" | "java/lang/Class" | "java/util/Objects" => true,
        "java/lang/System" => ["arraycopy", "identityHashCode"].contains(&call.member.name),
        "java/lang/reflect/Array" => call.member.name == "newInstance",
        _ => call.member.name == "getClass",
    }
}

impl Interpreter<'_> {
    /// A method begins.
    pub(crate) fn entered(&mut self, method: MethodIx, arguments: &[Value]) {
        let callee = self.definitions.method(method);
        let (name, descriptor) = (&callee.method().name, &callee.method().descriptor);
        let mut given = None;
        if let Some(mut caller) = self.thread.frames.pop() {
            if caller.state == State::Waiting
                && let Some(call) = call_at(self.definitions, &caller)
            {
                if call.member.name == name && call.member.descriptor == descriptor && !caller.modelled {
                    given = self.direct(&mut caller, &call, arguments);
                }
                if given.is_none() && !caller.modelled {
                    given = self.through_lambda(&mut caller, &call, method, arguments);
                }
                if given.is_none() && name != "<clinit>" {
                    self.outside(&mut caller, &call);
                }
            }
            self.thread.frames.push(caller);
        }
        let direct = given.is_some();
        let mut given = given.unwrap_or_else(|| self.as_captured(method, arguments));
        if !direct
            && name == "<init>"
            && let Some(receiver) = given.first_mut()
        {
            // The object has no number before the constructor has called that of the superclass.
            receiver.known = Known::Reference(self.identities.new_object());
        }
        let mut locals = Vec::new();
        for slot in given {
            locals.push(slot);
            if slot.is_wide() {
                locals.push(Slot::concrete(Known::Unknown));
            }
        }
        let room = callee.code().map_or(0, |code| usize::from(code.max_locals));
        if locals.len() < room {
            locals.resize(room, Slot::concrete(Known::Unknown));
        }
        self.thread.frames.push(Frame::new(method, locals, direct));
    }

    /// The operands of a call, if they are what a method was entered with.
    fn direct(&mut self, caller: &mut Frame, call: &Call<'_>, arguments: &[Value]) -> Option<Vec<Slot>> {
        let from = caller.stack.len().checked_sub(call.operands)?;
        let operands = caller.stack[from..].to_vec();
        if operands.len() != arguments.len() {
            return None;
        }
        let mut given = Vec::with_capacity(operands.len());
        for (nth, (&slot, &value)) in operands.iter().zip(arguments).enumerate() {
            // A constructor's receiver has no number before it has called that of its superclass.
            let is_new = nth == 0 && call.member.name == "<init>";
            match self.reconcile(slot, value) {
                Some(slot) => given.push(slot),
                None if is_new => given.push(slot),
                None => return None,
            }
        }
        caller.stack.truncate(from);
        Some(given)
    }

    /// Code that is not instrumented gets the operands of a call: what it does with them is not followed.
    pub(super) fn outside(&mut self, caller: &mut Frame, call: &Call<'_>) {
        if std::mem::replace(&mut caller.modelled, true) {
            return;
        }
        let Some(from) = caller.stack.len().checked_sub(call.operands) else { return };
        let site = caller.site();
        for slot in caller.stack[from..].iter().copied() {
            self.concretise(site, &slot, Concretised::Outside);
            self.concretise_text(site, &slot);
            if let Known::Reference(reference) = slot.known
                && let Reference::Object(object) = self.resolve(reference)
            {
                if !only_looks(call) {
                    self.thread.given_away.push(object);
                }
                // Only arrays have elements, and looking for them costs the whole heap.
                let is_array = |known: &ObjectDef| matches!(known.content, Content::Array(_));
                if self.definitions.object(object).is_some_and(is_array) {
                    for element in self.heap.elements(object) {
                        self.concretise(site, &element, Concretised::Outside);
                    }
                    // Strings in it may be found there.
                    self.concretise_texts(site, object);
                }
            }
        }
    }

    /// The method that the thread is in returns.
    pub(crate) fn exited(&mut self) -> Done<()> {
        let Some(frame) = self.thread.frames.pop() else { return Ok(()) };
        let result = match frame.state {
            State::Returning(slot) => slot,
            _ => {
                if frame.state != State::Lost {
                    self.thread.lost.push(frame.site());
                }
                let is_void = self.definitions.method(frame.method).method().signature.result
                    == crate::classfile::JavaType::Void;
                (!is_void).then_some(Slot::concrete(Known::Unknown))
            }
        };
        if !frame.direct {
            return Ok(());
        }
        if let Some(caller) = self.thread.frames.last_mut()
            && caller.state == State::Waiting
        {
            caller.state = State::Returned(result);
            let site = caller.site();
            if self.thread.sure.contains(&site) {
                self.finish_call(result)?;
            }
        }
        Ok(())
    }

    /// The call that the top frame waits for is over.
    pub(super) fn finish_call(&mut self, result: Option<Slot>) -> Done<()> {
        let Some(mut frame) = self.thread.frames.pop() else { return Ok(()) };
        match call_at(self.definitions, &frame) {
            Some(call) => {
                frame.stack.extend(result);
                frame.pc += call.length;
                frame.state = State::Running;
            }
            None => self.lose(&mut frame),
        }
        self.thread.frames.push(frame);
        Ok(())
    }

    /// A call came back with a value that the stream has.
    pub(crate) fn returned(&mut self, pc: u32, value: Option<Value>) -> Done<()> {
        let (input, result) = (self.thread.input.take(), self.thread.result.take());
        self.thread.copied.clear();
        if let Some(frame) = self.thread.frames.last()
            && let State::Returned(slot) = frame.state
            && frame.pc == pc
        {
            let result = match (slot, value) {
                (Some(slot), Some(value)) => Some(self.reconcile(slot, value).unwrap_or(Slot::of(value))),
                (_, value) => value.map(Slot::of),
            };
            return self.finish_call(result);
        }
        let invokes = |op| (opcode::INVOKEVIRTUAL..=opcode::INVOKEDYNAMIC).contains(&op);
        let Some(mut frame) = self.waiting(pc, invokes) else { return Ok(()) };
        let told = match (input, value) {
            (Some(input), Some(value)) => Some(self.input_given(&frame, input, value)?),
            _ => result,
        };
        let done = self.came_back(&mut frame, value, told);
        if matches!(done, Err(super::thread::Trouble::Astray)) {
            self.lose(&mut frame);
        }
        self.thread.frames.push(frame);
        match done {
            Err(error @ super::thread::Trouble::Expression(_)) => Err(error),
            _ => Ok(()),
        }
    }

    /// A number between two others: what is left of the input when it is divided by how many there are.
    fn number_below(&mut self, frame: &Frame, input: ExprId, bounds: &[Slot]) -> Done<Option<ExprId>> {
        let operand = |slot: &Slot| match slot.known {
            Known::Int(value) => Some((value, *slot)),
            _ => None,
        };
        let (from, to) = match bounds {
            [to] => (Some((0, Slot::int(0))), operand(to)),
            [from, to] => (operand(from), operand(to)),
            _ => return Ok(None),
        };
        let (Some((_, from)), Some((_, to))) = (from, to) else { return Ok(None) };
        for slot in [&from, &to] {
            self.concretise(frame.site(), slot, Concretised::Outside);
        }
        let (Known::Int(from), Known::Int(to)) = (from.known, to.known) else { return Ok(None) };
        let count = self.pool.constant(32, (to.wrapping_sub(from) as u32).into())?;
        let first = self.pool.constant(32, (from as u32).into())?;
        let rest = self.pool.binary(BinaryOp::URem, input, count)?;
        Ok(Some(self.pool.binary(BinaryOp::Add, first, rest)?))
    }

    /// An input as the program sees it: signed, unless its type has no sign or more bits than the input.
    fn input_given(&mut self, frame: &Frame, input: ExprId, value: Value) -> Done<Slot> {
        let call = call_at(self.definitions, frame).ok_or(Astray)?;
        let kind = MethodDescriptor::parse(call.member.descriptor).map_err(|_| Astray)?.result;
        let to = if kind.size() == 8 { 64 } else { 32 };
        let width = self.pool.width(input);
        let bounds = &frame.stack[frame.stack.len().saturating_sub(call.operands.saturating_sub(1))..];
        if call.member.class.ends_with("Random") && call.member.name == "nextInt" && !bounds.is_empty() {
            let expr = self.number_below(frame, input, bounds)?;
            return Ok(Slot { expr, ..Slot::of(value) });
        }
        let unsigned =
            matches!(kind, JavaType::Boolean | JavaType::Char) || u32::from(width) < kind.size() * 8;
        if width > to {
            return Ok(Slot::of(value));
        }
        let expr =
            if unsigned { self.pool.zero_extend(to, input)? } else { self.pool.sign_extend(to, input)? };
        Ok(Slot { expr: Some(expr), ..Slot::of(value) })
    }

    fn came_back(&mut self, frame: &mut Frame, value: Option<Value>, told: Option<Slot>) -> Done<()> {
        let call = call_at(self.definitions, frame).ok_or(Astray)?;
        let from = frame.stack.len().checked_sub(call.operands).ok_or(Astray)?;
        let mut result = value.map(Slot::of);
        if let (Some(told), Some(value)) = (told, value) {
            result = Some(self.reconcile(told, value).unwrap_or(Slot::of(value)));
        } else if !frame.modelled {
            let operands = frame.stack[from..].to_vec();
            let modelled = match value {
                Some(value) => {
                    let site = frame.site();
                    match self.model_text(site, &call.member, &operands, value)? {
                        Some(slot) => Some(slot),
                        None => match self.joined(frame, &operands, value)? {
                            Some(slot) => Some(slot),
                            None => self.model(site, &call.member, &operands, value)?,
                        },
                    }
                }
                None => None,
            };
            match modelled {
                Some(slot) => result = Some(slot),
                None if self.makes_lambda(frame, &operands, value) => {}
                None => self.outside(frame, &call),
            }
        }
        frame.stack.truncate(from);
        frame.stack.extend(result);
        frame.pc += call.length;
        frame.state = State::Running;
        Ok(())
    }

    /// The method that the thread is in is left by an exception.
    pub(crate) fn unwound(&mut self, exception: ObjectRef) {
        let Some(mut frame) = self.thread.frames.pop() else { return };
        self.threw(&mut frame, exception);
        if frame.direct
            && let Some(caller) = self.thread.frames.last_mut()
            && caller.state == State::Waiting
        {
            caller.modelled = true;
            caller.state = State::Throwing;
        }
    }

    /// Control comes to a handler.
    pub(crate) fn caught(&mut self, pc: u32, exception: ObjectRef) {
        let Some(mut frame) = self.thread.frames.pop() else { return };
        self.threw(&mut frame, exception);
        if frame.state != State::Lost {
            frame.stack.clear();
            frame.push(Slot::of(Value::Reference(exception)));
            frame.pc = pc;
            frame.state = State::Running;
        }
        frame.last_pc = pc;
        self.thread.frames.push(frame);
    }

    fn threw(&mut self, frame: &mut Frame, exception: ObjectRef) {
        self.thread.input = None;
        self.thread.result = None;
        // The JDK throws on the program's behalf: where the program called it is what its author can look at.
        let is_own = |frame: &&Frame| !self.definitions.method(frame.method).file().is_of_jdk();
        let callers = self.thread.frames.iter().rev();
        let site = std::iter::once(&*frame).chain(callers).find(is_own).unwrap_or(frame).site();
        self.thread.thrown.entry(exception).or_insert(site);
        // Whether code that is not instrumented throws depends on what it was given.
        if frame.state == State::Waiting
            && let Some(call) = call_at(self.definitions, frame)
        {
            // An expression that cannot be built has a table that is full, which others notice.
            let _ = self.no_number(frame, &call);
            self.outside(frame, &call);
        }
    }

    /// The object whose constructor a frame waits for.
    pub(super) fn constructed(&self, frame: &Frame) -> Option<Reference> {
        let call = call_at(self.definitions, frame).filter(|call| call.member.name == "<init>")?;
        let from = frame.stack.len().checked_sub(call.operands)?;
        match frame.stack.get(from)?.known {
            Known::Reference(reference) => Some(reference),
            _ => None,
        }
    }

    /// The last operands of the call that the top frame waits for.
    pub(crate) fn last_operands(&self, count: usize) -> Vec<Option<Slot>> {
        let found = self.thread.frames.last().and_then(|frame| {
            let call = call_at(self.definitions, frame).filter(|_| frame.state == State::Waiting)?;
            let own = call.operands.min(count);
            Some(frame.stack[frame.stack.len().checked_sub(own)?..].to_vec())
        });
        let found = found.unwrap_or_default();
        let missing = count - found.len();
        std::iter::repeat_n(None, missing).chain(found.into_iter().map(Some)).collect()
    }

    /// The name of the method that is being called.
    pub(crate) fn called_name(&self) -> &str {
        let frame = self.thread.frames.last();
        frame.and_then(|frame| call_at(self.definitions, frame)).map_or("", |call| call.member.name)
    }

    /// Which location the call under way is about depends on the strings that it is given, keys of maps say.
    pub(crate) fn use_texts(&mut self) {
        let Some(frame) = self.thread.frames.last().filter(|_| !self.texts.is_empty()) else { return };
        let site = frame.site();
        let Some(call) = call_at(self.definitions, frame).filter(|_| frame.state == State::Waiting) else {
            return;
        };
        for slot in self.last_operands(call.operands).into_iter().flatten() {
            self.concretise_text(site, &slot);
        }
    }

    /// What the call under way is given has been dealt with.
    pub(crate) fn mark_modelled(&mut self) {
        if let Some(frame) = self.thread.frames.last_mut() {
            frame.modelled = true;
        }
    }

    /// What the call under way is given is used by its numbers.
    pub(crate) fn give_outside(&mut self) {
        let Some(mut frame) = self.thread.frames.pop() else { return };
        if frame.state == State::Waiting
            && let Some(call) = call_at(self.definitions, &frame)
        {
            self.outside(&mut frame, &call);
        }
        self.thread.frames.push(frame);
    }
}
