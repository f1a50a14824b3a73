//! `int` and `long`: exact, in every bit.

use warpath_trace::expr::{BinaryOp, UnaryOp};

use super::frame::{Frame, State};
use super::symbols;
use super::thread::{Done, Interpreter, Trouble};
use super::value::{Known, Slot};

impl Interpreter<'_> {
    /// Executes `iadd` to `lxor`, without those of floating point; whether control goes on behind it.
    pub(super) fn integer(&mut self, frame: &mut Frame, op: u8) -> Done<bool> {
        match op {
            0x74 | 0x75 => self.negate(frame)?,
            0x78..=0x7d => self.shift(frame, op)?,
            0x6c | 0x6d | 0x70 | 0x71 => return self.divide(frame, op),
            _ => {
                let operation = match op & 0xfc {
                    0x60 => BinaryOp::Add,
                    0x64 => BinaryOp::Sub,
                    0x68 => BinaryOp::Mul,
                    _ => match op {
                        0x7e | 0x7f => BinaryOp::BvAnd,
                        0x80 | 0x81 => BinaryOp::BvOr,
                        0x82 | 0x83 => BinaryOp::BvXor,
                        _ => return Err(Trouble::Astray),
                    },
                };
                let (b, a) = (frame.pop()?, frame.pop()?);
                let known = combine(a.known, b.known, operation)?;
                let expr = symbols::binary(self.pool, operation, &a, &b)?;
                frame.push(Slot::with(known, expr));
            }
        }
        Ok(true)
    }

    fn negate(&mut self, frame: &mut Frame) -> Done<()> {
        let slot = frame.pop()?;
        let known = match slot.known {
            Known::Int(value) => Known::Int(value.wrapping_neg()),
            Known::Long(value) => Known::Long(value.wrapping_neg()),
            _ => return Err(Trouble::Astray),
        };
        let expr = slot.expr.map(|expr| self.pool.unary(UnaryOp::Neg, expr)).transpose()?;
        frame.push(Slot::with(known, expr));
        Ok(())
    }

    /// Division: by zero it throws.
    fn divide(&mut self, frame: &mut Frame, op: u8) -> Done<bool> {
        let (b, a) = (frame.peek(0)?, frame.peek(1)?);
        let by_zero = match b.known {
            Known::Int(value) => value == 0,
            Known::Long(value) => value == 0,
            _ => return Err(Trouble::Astray),
        };
        if let Some(expr) = b.expr {
            let zero = self.pool.constant(b.known.width(), 0)?;
            let condition = self.pool.equal(expr, zero)?;
            self.thread.effects.branch(self.pool, frame.site(), condition, by_zero)?;
        }
        if by_zero {
            frame.state = State::Throwing;
            return Ok(false);
        }
        let operation = if op < 0x70 { BinaryOp::SDiv } else { BinaryOp::SRem };
        let known = combine(a.known, b.known, operation)?;
        let expr = symbols::binary(self.pool, operation, &a, &b)?;
        frame.pop()?;
        frame.pop()?;
        frame.push(Slot::with(known, expr));
        Ok(true)
    }

    /// Shifts: only the low five (of a long, six) bits of the distance count.
    fn shift(&mut self, frame: &mut Frame, op: u8) -> Done<()> {
        let (distance, by) = frame.pop_int()?;
        let of = frame.pop()?;
        let operation = match op {
            0x78 | 0x79 => BinaryOp::Shl,
            0x7a | 0x7b => BinaryOp::AShr,
            _ => BinaryOp::LShr,
        };
        let (known, mask) = match of.known {
            Known::Int(value) => {
                let distance = distance as u32 & 31;
                let value = match operation {
                    BinaryOp::Shl => value << distance,
                    BinaryOp::AShr => value >> distance,
                    _ => (value as u32 >> distance) as i32,
                };
                (Known::Int(value), 31)
            }
            Known::Long(value) => {
                let distance = distance as u32 & 63;
                let value = match operation {
                    BinaryOp::Shl => value << distance,
                    BinaryOp::AShr => value >> distance,
                    _ => (value as u64 >> distance) as i64,
                };
                (Known::Long(value), 63)
            }
            _ => return Err(Trouble::Astray),
        };
        let mut expr = None;
        if of.expr.is_some() || by.expr.is_some() {
            let by = symbols::operand(self.pool, &by)?.ok_or(Trouble::Astray)?;
            let mask = self.pool.constant(32, mask)?;
            let masked = self.pool.binary(BinaryOp::BvAnd, by, mask)?;
            let masked = self.pool.zero_extend(known.width(), masked)?;
            let of = symbols::operand(self.pool, &of)?.ok_or(Trouble::Astray)?;
            expr = symbols::symbolic(self.pool, |pool| pool.binary(operation, of, masked))?;
        }
        frame.push(Slot::with(known, expr));
        Ok(())
    }
}

fn combine(a: Known, b: Known, op: BinaryOp) -> Done<Known> {
    match (a, b) {
        (Known::Int(a), Known::Int(b)) => Ok(Known::Int(match op {
            BinaryOp::Add => a.wrapping_add(b),
            BinaryOp::Sub => a.wrapping_sub(b),
            BinaryOp::Mul => a.wrapping_mul(b),
            BinaryOp::SDiv => a.wrapping_div(b),
            BinaryOp::SRem => a.wrapping_rem(b),
            BinaryOp::BvAnd => a & b,
            BinaryOp::BvOr => a | b,
            _ => a ^ b,
        })),
        (Known::Long(a), Known::Long(b)) => Ok(Known::Long(match op {
            BinaryOp::Add => a.wrapping_add(b),
            BinaryOp::Sub => a.wrapping_sub(b),
            BinaryOp::Mul => a.wrapping_mul(b),
            BinaryOp::SDiv => a.wrapping_div(b),
            BinaryOp::SRem => a.wrapping_rem(b),
            BinaryOp::BvAnd => a & b,
            BinaryOp::BvOr => a | b,
            _ => a ^ b,
        })),
        _ => Err(Trouble::Astray),
    }
}
