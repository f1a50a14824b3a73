//! Atomic operations: `AtomicInteger` and its like, VarHandles, `Unsafe`.

use warpath_trace::event::{Concretised, Datum, MemoryOrder, Op};
use warpath_trace::expr::BinaryOp;
use warpath_trace::ids::{ExprId, ThreadIx};

use super::{LiftError, Lifter};
use crate::interpret::{Cell, Known, Slot, narrow, widen};
use crate::stream::{AtomicOp, AtomicRecord, Content, Definitions, Item, ObjectDef, Value};

/// The number of the strongest order in records.
pub(super) const VOLATILE: u64 = 4;

/// What an atomic operation found and left, in the width of the location.
struct Exchange {
    old: Option<ExprId>,
    new: Option<ExprId>,
    /// Of a comparison: did it succeed?
    success: Option<ExprId>,
}

impl Lifter {
    pub(super) fn atomic(
        &mut self,
        definitions: &Definitions,
        t: usize,
        item: &Item,
        atomic: &AtomicRecord,
    ) -> Result<(), LiftError> {
        let cell = self.atomic_cell(definitions, atomic);
        self.note_access(t, cell, atomic.op != AtomicOp::Get);
        let is_event = self.is_event(definitions, t, cell, item.step);
        if self.symbolic {
            self.interpreter(definitions, t).use_texts();
            self.flush(definitions, t)?;
        }
        let operands = self.operands(definitions, t, atomic)?;
        let at = self.here(definitions, t, atomic.pc)?;
        let kind = atomic.kind;
        let width = (kind.size() * 8) as u8;
        let event = self.next_event(t);
        let mut old = None;
        if self.symbolic {
            old = if is_event {
                Some(self.trace.tables.exprs.read(ThreadIx::from(t), event, width)?)
            } else {
                let slot = self.heap.get(&self.trace.tables.exprs, t, cell, Slot::of(atomic.old));
                narrow(&mut self.trace.tables.exprs, kind, 0, slot.expr)?.expr
            };
        }
        let reads = atomic.op != AtomicOp::Set;
        let exchange = self.exchange(definitions, atomic, old.filter(|_| reads), &operands)?;
        let new = Datum {
            value: self.value_bits(definitions, kind, atomic.new),
            expr: exchange.new.filter(|_| self.symbolic),
        };
        if is_event {
            let location = self.location(definitions, cell, kind, Some(atomic.old))?;
            let old = self.value_bits(definitions, kind, atomic.old);
            let mut ordering = order(atomic.order);
            if self.buffers_writes() && atomic.op == AtomicOp::Set && atomic.order < VOLATILE {
                // The agent buffers plain writes alone: this one was in effect at once.
                self.approximate("weakly ordered writes taken as volatile ones");
                ordering = Some(MemoryOrder::SeqCst);
            }
            let op = match (atomic.op, ordering) {
                (AtomicOp::Get, None) => Op::Read { location, value: old },
                (AtomicOp::Get, Some(order)) => Op::AtomicRead { location, value: old, order },
                (AtomicOp::Set, None) => Op::Write { location, value: new },
                (AtomicOp::Set, Some(order)) => Op::AtomicWrite { location, value: new, order },
                (_, ordering) => {
                    Op::Rmw { location, old, new, order: ordering.unwrap_or(MemoryOrder::Relaxed) }
                }
            };
            self.push(t, op, at)?;
        } else if self.symbolic && atomic.op != AtomicOp::Get {
            let expr = match new.expr {
                Some(expr) => Some(widen(&mut self.trace.tables.exprs, kind, expr)?),
                None => None,
            };
            self.heap.put(t, cell, Slot { expr, ..Slot::of(atomic.new) });
        }
        if self.symbolic {
            if atomic.op == AtomicOp::Update
                && let Some(expr) = exchange.old
            {
                // What code of the program made of it, it made of this value.
                let value = self.value_bits(definitions, kind, atomic.old);
                self.approximate("symbolic values used by their concrete value");
                self.push(t, Op::Concretise { expr, value, why: Concretised::Other }, at)?;
            }
            self.set_result(definitions, t, atomic, &exchange)?;
        }
        Ok(())
    }

    /// The location; an element of an array is the same one that other instructions access.
    pub(super) fn atomic_cell(&mut self, definitions: &Definitions, atomic: &AtomicRecord) -> Cell {
        let is_array = |known: &ObjectDef| matches!(known.content, Content::Array(_));
        let index = atomic.field.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')?.parse().ok());
        match index {
            Some(index) if definitions.object(atomic.object).is_some_and(is_array) => {
                self.fields.cell(atomic.object, "", index)
            }
            _ => self.fields.cell(atomic.object, &atomic.field, 0),
        }
    }

    /// The operands of the call, where they are what the record says.
    fn operands(
        &mut self,
        definitions: &Definitions,
        t: usize,
        atomic: &AtomicRecord,
    ) -> Result<Vec<Slot>, LiftError> {
        let plain: Vec<Slot> = atomic.operands.iter().copied().map(Slot::of).collect();
        if !self.symbolic {
            return Ok(plain);
        }
        let given = self.interpreter(definitions, t).last_operands(plain.len());
        let mut operands = Vec::with_capacity(plain.len());
        for ((given, plain), &value) in given.into_iter().zip(plain).zip(&atomic.operands) {
            let slot = given.and_then(|slot| self.interpreter(definitions, t).reconciled(slot, value));
            let slot = self.unboxed(definitions, t, atomic.pc, slot.unwrap_or(plain))?;
            operands.push(slot);
        }
        Ok(operands)
    }

    fn exchange(
        &mut self,
        definitions: &Definitions,
        atomic: &AtomicRecord,
        old: Option<ExprId>,
        operands: &[Slot],
    ) -> Result<Exchange, LiftError> {
        let mut exchange = Exchange { old, new: None, success: None };
        if !self.symbolic {
            return Ok(exchange);
        }
        let mut data = Vec::new();
        for (slot, &value) in operands.iter().zip(&atomic.operands) {
            data.push(self.datum(definitions, atomic.kind, value, slot)?);
        }
        let depends = old.is_some() || data.iter().any(|datum| datum.expr.is_some());
        if !depends {
            return Ok(exchange);
        }
        let width = (atomic.kind.size() * 8) as u8;
        let before = self.value_bits(definitions, atomic.kind, atomic.old);
        let pool = &mut self.trace.tables.exprs;
        let mut expr = Vec::new();
        for datum in &data {
            expr.push(match datum.expr {
                Some(expr) => expr,
                None => pool.constant(width, datum.value)?,
            });
        }
        let found = match old {
            Some(old) => old,
            None => pool.constant(width, before)?,
        };
        let new = match (atomic.op, &expr[..]) {
            (AtomicOp::Set | AtomicOp::GetAndSet, &[x]) => Some(x),
            (AtomicOp::CompareAndSet, &[expected, x]) => {
                let equal = pool.equal(found, expected)?;
                exchange.success = Some(equal);
                Some(pool.ite(equal, x, found)?)
            }
            (AtomicOp::GetAndAdd, &[x]) => Some(pool.binary(BinaryOp::Add, found, x)?),
            (AtomicOp::GetAndAnd, &[x]) => Some(pool.binary(BinaryOp::BvAnd, found, x)?),
            (AtomicOp::GetAndOr, &[x]) => Some(pool.binary(BinaryOp::BvOr, found, x)?),
            (AtomicOp::GetAndXor, &[x]) => Some(pool.binary(BinaryOp::BvXor, found, x)?),
            _ => None,
        };
        exchange.new = new.filter(|&new| pool.as_constant(new).is_none());
        Ok(exchange)
    }

    /// What the call will give back: what it found, what it left, or whether it did.
    fn set_result(
        &mut self,
        definitions: &Definitions,
        t: usize,
        atomic: &AtomicRecord,
        exchange: &Exchange,
    ) -> Result<(), LiftError> {
        let interpreter = self.interpreter(definitions, t);
        let name = interpreter.called_name();
        let gives_success = ["compareAndSet", "weakCompareAndSet", "compareAndSwap"]
            .iter()
            .any(|comparison| name.starts_with(comparison));
        let gives_new = name.ends_with("AndGet");
        let pool = interpreter.pool;
        let (value, expr) = if gives_success {
            let done = atomic.operands.first() == Some(&atomic.old);
            let expr = match exchange.success {
                Some(success) => {
                    let (one, zero) = (pool.constant(32, 1)?, pool.constant(32, 0)?);
                    Some(pool.ite(success, one, zero)?)
                }
                None => None,
            };
            (Value::Int(done.into()), expr.filter(|&expr| pool.as_constant(expr).is_none()))
        } else {
            let (value, expr) =
                if gives_new { (atomic.new, exchange.new) } else { (atomic.old, exchange.old) };
            let expr = match expr {
                Some(expr) => Some(widen(pool, atomic.kind, expr)?),
                None => None,
            };
            (value, expr)
        };
        interpreter.thread.result = Some(Slot::with(Known::from(value), expr));
        self.interpreter(definitions, t).mark_modelled();
        Ok(())
    }
}

/// The ordering of an atomic access; `None` for a plain one.
fn order(number: u64) -> Option<MemoryOrder> {
    match number {
        0 => None,
        1 => Some(MemoryOrder::Relaxed),
        2 => Some(MemoryOrder::Acquire),
        3 => Some(MemoryOrder::Release),
        _ => Some(MemoryOrder::SeqCst),
    }
}
