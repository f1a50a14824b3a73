//! Adding events; those of threads, of inputs and of what was decided on the way.

use warpath_trace::event::{Event, MemoryOrder, Op};
use warpath_trace::expr::{BinaryOp, Sort, Width, mask};
use warpath_trace::ids::{ExprId, SourceId, ThreadIx};
use warpath_trace::place::Input;

use super::atomic::VOLATILE;
use super::sync::{attempt, result};
use super::{LiftError, Lifter};
use crate::interpret::{Effect, Frame, Site, Text};
use crate::stream::{Content, Definitions, ObjectRef, Record};

impl Lifter {
    /// Adds an event; its index among those of its thread.
    pub(super) fn push(&mut self, t: usize, op: Op, at: SourceId) -> Result<u32, LiftError> {
        Ok(self.trace.push(ThreadIx::from(t), Event { op, at })?)
    }

    /// The index that the thread's next event will have.
    pub(super) fn next_event(&self, t: usize) -> u32 {
        self.trace.threads[t].len() as u32
    }

    /// Adds what was decided about symbolic values.
    pub(super) fn flush(&mut self, definitions: &Definitions, t: usize) -> Result<(), LiftError> {
        for (site, effect) in std::mem::take(&mut self.threads[t].effects.new) {
            let op = match effect {
                Effect::Branch { condition, taken } => Op::Branch { condition, taken },
                Effect::Switch { on, value } => Op::Switch { on, value },
                Effect::Concretise { expr, value, why } => {
                    self.approximate("symbolic values used by their concrete value");
                    Op::Concretise { expr, value, why }
                }
                Effect::Turn { having } => {
                    self.turn(definitions, t, site, having)?;
                    continue;
                }
            };
            let at = self.source(definitions, site)?;
            self.push(t, op, at)?;
        }
        Ok(())
    }

    /// Where the thread is, at an instruction that a record names.
    pub(super) fn here(
        &mut self,
        definitions: &Definitions,
        t: usize,
        pc: u32,
    ) -> Result<SourceId, LiftError> {
        match self.threads[t].frames.last() {
            Some(frame) => {
                let site = Site { method: frame.method, pc };
                self.source(definitions, site)
            }
            None => Ok(SourceId::UNKNOWN),
        }
    }

    /// Where the program waits for ever: in its own code, be it that the JDK does the waiting.
    pub(super) fn stuck(
        &mut self,
        definitions: &Definitions,
        t: usize,
        pc: u32,
    ) -> Result<SourceId, LiftError> {
        let frames = &self.threads[t].frames;
        let is_own = |frame: &&Frame| !definitions.method(frame.method).file().is_of_jdk();
        match frames.iter().rev().find(is_own) {
            Some(frame) if frames.last().is_some_and(|top| top.method != frame.method) => {
                let site = frame.site();
                self.source(definitions, site)
            }
            _ => self.here(definitions, t, pc),
        }
    }

    pub(super) fn thread_event(
        &mut self,
        definitions: &Definitions,
        t: usize,
        record: &Record,
    ) -> Result<(), LiftError> {
        let ix = |number: u32| ThreadIx::from(number as usize - 1);
        let (op, at) = match *record {
            Record::Fork { pc, child } => {
                self.forked = true;
                (Op::Fork { child: ix(child) }, self.here(definitions, t, pc)?)
            }
            Record::Join { pc, child, attempt: how, result: end } => {
                let op = Op::Join { child: ix(child), attempt: attempt(how), result: result(end) };
                (op, self.here(definitions, t, pc)?)
            }
            Record::End => (Op::End, SourceId::UNKNOWN),
            _ => (Op::Begin, SourceId::UNKNOWN),
        };
        self.push(t, op, at)?;
        match op {
            Op::Join { result, .. } => self.interrupted(definitions, t, result, true, at),
            _ => Ok(()),
        }
    }

    /// An input was taken: the call that gives it back comes next.
    pub(super) fn input(
        &mut self,
        definitions: &Definitions,
        t: usize,
        name: &str,
        nth: u64,
        width: u64,
        value: i64,
    ) -> Result<(), LiftError> {
        let width = Width::try_from(width).unwrap_or(0).clamp(1, Sort::MAX_WIDTH);
        let entry = Input { name: self.trace.tables.string(name)?, nth: nth as u32, width };
        let input = self.trace.tables.input(entry)?;
        let site = self.threads[t].frames.last().map(|frame| frame.site());
        let at = match site {
            Some(site) => self.source(definitions, site)?,
            None => SourceId::UNKNOWN,
        };
        self.push(t, Op::Input { input, value: value as i128 as u128 & mask(width) }, at)?;
        if !self.symbolic || width > 64 {
            return Ok(());
        }
        let expr = self.trace.tables.exprs.input(input, width)?;
        self.threads[t].input = Some(expr);
        self.interpreter(definitions, t).mark_modelled();
        Ok(())
    }

    /// The characters of a string are inputs, any that a text from outside can have.
    pub(super) fn text_input(
        &mut self,
        definitions: &Definitions,
        t: usize,
        object: ObjectRef,
        name: &str,
    ) -> Result<(), LiftError> {
        let Some(Content::Text(text)) = definitions.object(object).map(|object| &object.content) else {
            return Ok(());
        };
        let entry_name = self.trace.tables.string(name)?;
        let site = self.threads[t].frames.last().map(|frame| frame.site());
        let at = match site {
            Some(site) => self.source(definitions, site)?,
            None => SourceId::UNKNOWN,
        };
        let mut characters = Vec::new();
        for (nth, unit) in text.encode_utf16().enumerate() {
            let entry = Input { name: entry_name, nth: nth as u32, width: 16 };
            let input = self.trace.tables.input(entry)?;
            self.push(t, Op::Input { input, value: unit.into() }, at)?;
            if self.symbolic {
                let character = self.trace.tables.exprs.input(input, 16)?;
                let condition = Some(self.is_character(character)?);
                self.push(t, Op::Assume { condition, holds: true }, at)?;
                characters.push(character);
            }
        }
        self.names.call(object, definitions, name);
        if self.symbolic {
            self.texts.insert(object, Text { characters: characters.into(), origin: name.into() });
        }
        Ok(())
    }

    /// Neither zero, which ends texts outside, nor half of a pair of units.
    fn is_character(&mut self, character: ExprId) -> Result<ExprId, LiftError> {
        let pool = &mut self.trace.tables.exprs;
        let (one, first, last) =
            (pool.constant(16, 1)?, pool.constant(16, 0xd7ff)?, pool.constant(16, 0xdfff)?);
        let from_one = pool.binary(BinaryOp::Sub, character, one)?;
        let below = pool.binary(BinaryOp::Ult, from_one, first)?;
        let above = pool.binary(BinaryOp::Ult, last, character)?;
        Ok(pool.binary(BinaryOp::Or, below, above)?)
    }

    /// The run counts only if the argument of the call under way is true.
    pub(super) fn assume(
        &mut self,
        definitions: &Definitions,
        t: usize,
        holds: bool,
    ) -> Result<(), LiftError> {
        let mut condition = None;
        if self.symbolic {
            let interpreter = self.interpreter(definitions, t);
            let given = interpreter.last_operands(1).pop().flatten();
            if let Some(expr) = given.and_then(|slot| slot.expr) {
                let zero = interpreter.pool.constant(32, 0)?;
                let is_false = interpreter.pool.equal(expr, zero)?;
                let truth = interpreter.pool.not(is_false)?;
                condition = interpreter.pool.as_constant(truth).is_none().then_some(truth);
            }
            self.interpreter(definitions, t).mark_modelled();
        }
        let site = self.threads[t].frames.last().map(|frame| frame.site());
        let at = match site {
            Some(site) => self.source(definitions, site)?,
            None => SourceId::UNKNOWN,
        };
        self.push(t, Op::Assume { condition, holds }, at)?;
        Ok(())
    }

    /// Earlier writes of the thread take effect before it, or before its later ones.
    pub(super) fn fence(
        &mut self,
        definitions: &Definitions,
        t: usize,
        pc: u32,
        order: u64,
    ) -> Result<(), LiftError> {
        let at = self.here(definitions, t, pc)?;
        let order = if order == VOLATILE { MemoryOrder::SeqCst } else { MemoryOrder::Release };
        self.push(t, Op::Fence { order }, at)?;
        Ok(())
    }

    /// A buffered write takes effect.
    pub(super) fn commit(
        &mut self,
        definitions: &Definitions,
        t: usize,
        object: ObjectRef,
        field: &str,
        index: i64,
    ) -> Result<(), LiftError> {
        let cell = self.fields.cell(object, field, index);
        let buffer = &mut self.buffers[t];
        let Some(at) = buffer.iter().position(|(written, _)| *written == cell) else {
            let name = self.cell_name(definitions, cell);
            self.approximate(&format!("commits of `{name}` without a write"));
            return Ok(());
        };
        let (_, write) = buffer.remove(at);
        let source = self.trace.threads[t][write as usize].at;
        self.push(t, Op::Commit { write }, source)?;
        Ok(())
    }
}
