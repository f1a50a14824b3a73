//! Comparisons, jumps and switches.

use warpath_trace::event::Concretised;
use warpath_trace::expr::{BinaryOp, ExprError, ExprPool, Node, mask};
use warpath_trace::ids::ExprId;

use super::advance::CodeBytes;
use super::float;
use super::frame::Frame;
use super::symbols;
use super::thread::{Done, Interpreter, Trouble};
use super::value::{Known, Reference, Slot};
use crate::stream::Content;

impl Interpreter<'_> {
    /// Executes `lcmp` to `dcmpg`.
    pub(super) fn compare(&mut self, frame: &mut Frame, op: u8) -> Done<()> {
        if op != 0x94 {
            let site = frame.site();
            for below in 0..2 {
                let slot = frame.peek(below)?;
                self.concretise(site, &slot, Concretised::Float);
            }
            float::compare(frame, op)?;
            return Ok(());
        }
        let ((b, right), (a, left)) = (frame.pop_long()?, frame.pop_long()?);
        let expr = three_way(self.pool, &left, &right)?;
        frame.push(Slot::with(Known::Int(a.cmp(&b) as i32), expr));
        Ok(())
    }

    /// Executes everything that jumps.
    pub(super) fn jump(&mut self, frame: &mut Frame, code: &CodeBytes<'_>, op: u8) -> Done<()> {
        let pc = frame.pc;
        match op {
            0x99..=0x9e => {
                let taken = self.if_zero(frame, op - 0x99)?;
                frame.pc = if taken { code.target(pc)? } else { pc + 3 };
            }
            0x9f..=0xa4 => {
                let (b, a) = (frame.pop()?, frame.pop()?);
                let taken = self.if_int(frame, op - 0x9f, &a, &b)?;
                frame.pc = if taken { code.target(pc)? } else { pc + 3 };
            }
            0xa5 | 0xa6 => {
                let (b, a) = (frame.pop_reference()?, frame.pop_reference()?);
                let same = self.if_same(frame, a, b)?;
                frame.pc = if same == (op == 0xa5) { code.target(pc)? } else { pc + 3 };
            }
            0xa7 => frame.pc = code.target(pc)?,
            0xc6 | 0xc7 => {
                let a = frame.pop_reference()?;
                let null = (Reference::NULL, Slot::concrete(Known::Reference(Reference::NULL)));
                let same = self.if_same(frame, a, null)?;
                frame.pc = if same == (op == 0xc6) { code.target(pc)? } else { pc + 3 };
            }
            0xc8 => frame.pc = pc.wrapping_add_signed(code.i32(pc + 1)?),
            0xa8 => {
                frame.push(Slot::concrete(Known::Address(pc + 3)));
                frame.pc = code.target(pc)?;
            }
            0xc9 => {
                frame.push(Slot::concrete(Known::Address(pc + 5)));
                frame.pc = pc.wrapping_add_signed(code.i32(pc + 1)?);
            }
            0xa9 => {
                let local = frame.local(code.u8(pc + 1)?.into())?;
                let Known::Address(address) = local.known else { return Err(Trouble::Astray) };
                frame.pc = address;
            }
            _ => self.switch(frame, code, op)?,
        }
        if frame.pc <= pc {
            self.turn(frame);
        }
        Ok(())
    }

    fn if_zero(&mut self, frame: &mut Frame, condition: u8) -> Done<bool> {
        let (value, slot) = frame.pop_int()?;
        // What was compared before as longs, or by a method, is compared as what it was.
        if let Some(expr) = slot.expr
            && let Some((a, b)) = compared(self.pool, expr)?
        {
            let taken = holds(condition, value.cmp(&0));
            let expr = relation(self.pool, condition, a, b)?;
            self.thread.effects.branch(self.pool, frame.site(), expr, taken)?;
            return Ok(taken);
        }
        self.if_int(frame, condition, &slot, &Slot::int(0))
    }

    fn if_int(&mut self, frame: &mut Frame, condition: u8, a: &Slot, b: &Slot) -> Done<bool> {
        let (Known::Int(x), Known::Int(y)) = (a.known, b.known) else { return Err(Trouble::Astray) };
        let taken = holds(condition, x.cmp(&y));
        if a.expr.is_some() || b.expr.is_some() {
            let a = symbols::operand(self.pool, a)?.ok_or(Trouble::Astray)?;
            let b = symbols::operand(self.pool, b)?.ok_or(Trouble::Astray)?;
            let expr = relation(self.pool, condition, a, b)?;
            self.thread.effects.branch(self.pool, frame.site(), expr, taken)?;
        }
        Ok(taken)
    }

    fn if_same(&mut self, frame: &mut Frame, a: (Reference, Slot), b: (Reference, Slot)) -> Done<bool> {
        self.recognise_class(a.0, b.0);
        self.recognise_class(b.0, a.0);
        let (x, y) = (self.resolve(a.0), self.resolve(b.0));
        let same = x == y;
        let site = frame.site();
        for slot in [&a.1, &b.1] {
            // Which box it is depends on the value in it.
            if slot.boxed.is_some() && x != Reference::NULL && y != Reference::NULL {
                self.concretise(site, slot, Concretised::Other);
            }
        }
        if a.1.expr.is_none() && b.1.expr.is_none() {
            return Ok(same);
        }
        let side = |this: &mut Self, slot: &Slot| -> Done<Option<ExprId>> {
            match (slot.expr, this.bits(slot)) {
                (Some(expr), _) => Ok(Some(expr)),
                (None, Some(bits)) => Ok(Some(this.pool.constant(64, bits)?)),
                (None, None) => Ok(None),
            }
        };
        match (side(self, &a.1)?, side(self, &b.1)?) {
            (Some(left), Some(right)) => {
                let condition = self.pool.equal(left, right)?;
                self.thread.effects.branch(self.pool, site, condition, same)?;
            }
            _ => {
                for slot in [&a.1, &b.1] {
                    self.concretise(site, slot, Concretised::Other);
                }
            }
        }
        Ok(same)
    }

    /// A class that is a constant may be one that the stream has named already.
    fn recognise_class(&mut self, constant: Reference, other: Reference) {
        if let (Reference::Fresh(token), Reference::Object(object)) =
            (self.resolve(constant), self.resolve(other))
            && let Some(known) = self.definitions.object(object)
            && let Content::Class(name) = &known.content
            && self.identities.is_literal(token, &format!("class {}", internal_name(name)))
        {
            self.identities.identify(constant, object);
        }
    }

    fn switch(&mut self, frame: &mut Frame, code: &CodeBytes<'_>, op: u8) -> Done<()> {
        let pc = frame.pc;
        let (value, slot) = frame.pop_int()?;
        let table = (pc + 4) & !3;
        let default = code.i32(table)?;
        let offset = if op == 0xaa {
            let (low, high) = (code.i32(table + 4)?, code.i32(table + 8)?);
            if (low..=high).contains(&value) {
                code.i32(
                    table.wrapping_add(12).wrapping_add((value.wrapping_sub(low) as u32).wrapping_mul(4)),
                )?
            } else {
                default
            }
        } else {
            let pairs = code.i32(table + 4)?.max(0) as u32;
            // Ascending by key, as the JVM demands.
            let (mut first, mut behind, mut found) = (0, pairs, default);
            while first < behind {
                let middle = first + (behind - first) / 2;
                let at = middle.wrapping_mul(8).wrapping_add(table + 8);
                match code.i32(at)?.cmp(&value) {
                    std::cmp::Ordering::Less => first = middle + 1,
                    std::cmp::Ordering::Greater => behind = middle,
                    std::cmp::Ordering::Equal => {
                        found = code.i32(at + 4)?;
                        break;
                    }
                }
            }
            found
        };
        if let Some(expr) = slot.expr {
            self.thread.effects.switch(self.pool, frame.site(), expr, (value as u32).into());
        }
        frame.pc = pc.wrapping_add_signed(offset);
        Ok(())
    }
}

/// A class as constants name it: `[Ljava/lang/Object;` for `java.lang.Object[]`.
fn internal_name(name: &str) -> String {
    let element = name.trim_end_matches("[]");
    let dimensions = (name.len() - element.len()) / 2;
    let slashed = element.replace('.', "/");
    if dimensions == 0 {
        return slashed;
    }
    let kind = match element {
        "boolean" => "Z".to_owned(),
        "byte" => "B".to_owned(),
        "char" => "C".to_owned(),
        "short" => "S".to_owned(),
        "int" => "I".to_owned(),
        "long" => "J".to_owned(),
        "float" => "F".to_owned(),
        "double" => "D".to_owned(),
        _ => format!("L{slashed};"),
    };
    "[".repeat(dimensions) + &kind
}

/// Conditions in the order of the instructions: equal, not equal, less, not less, greater, not greater.
fn holds(condition: u8, order: std::cmp::Ordering) -> bool {
    match condition {
        0 => order.is_eq(),
        1 => order.is_ne(),
        2 => order.is_lt(),
        3 => order.is_ge(),
        4 => order.is_gt(),
        _ => order.is_le(),
    }
}

fn relation(pool: &mut ExprPool, condition: u8, a: ExprId, b: ExprId) -> Result<ExprId, ExprError> {
    match condition {
        0 => pool.equal(a, b),
        1 => {
            let equal = pool.equal(a, b)?;
            pool.not(equal)
        }
        2 => pool.binary(BinaryOp::Slt, a, b),
        3 => pool.binary(BinaryOp::Sle, b, a),
        4 => pool.binary(BinaryOp::Slt, b, a),
        _ => pool.binary(BinaryOp::Sle, a, b),
    }
}

/// -1, 0 or 1, as `lcmp` and `Integer.compare` give it.
pub(super) fn three_way(pool: &mut ExprPool, a: &Slot, b: &Slot) -> Result<Option<ExprId>, ExprError> {
    if a.expr.is_none() && b.expr.is_none() {
        return Ok(None);
    }
    let (Some(a), Some(b)) = (symbols::operand(pool, a)?, symbols::operand(pool, b)?) else {
        return Ok(None);
    };
    let less = pool.binary(BinaryOp::Slt, a, b)?;
    let equal = pool.equal(a, b)?;
    let (minus, zero, one) = (pool.constant(32, mask(32))?, pool.constant(32, 0)?, pool.constant(32, 1)?);
    let rest = pool.ite(equal, zero, one)?;
    symbols::symbolic(pool, |pool| pool.ite(less, minus, rest))
}

/// What a three-way comparison compared.
fn compared(pool: &mut ExprPool, expr: ExprId) -> Result<Option<(ExprId, ExprId)>, ExprError> {
    let Node::Ite { condition, then, otherwise } = pool.node(expr) else { return Ok(None) };
    let Node::Binary(BinaryOp::Slt, a, b) = pool.node(condition) else { return Ok(None) };
    let Node::Ite { condition: equal, then: zero, otherwise: one } = pool.node(otherwise) else {
        return Ok(None);
    };
    let constants = [then, zero, one].map(|expr| pool.as_constant(expr));
    let same = pool.equal(a, b)? == equal;
    Ok((same && constants == [Some(mask(32)), Some(0), Some(1)]).then_some((a, b)))
}
