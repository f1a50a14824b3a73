//! Conversions between numbers.

use warpath_trace::event::Concretised;

use super::frame::Frame;
use super::symbols;
use super::thread::{Done, Interpreter, Trouble};
use super::value::{Known, Slot};

impl Interpreter<'_> {
    /// Executes `i2l` to `i2s`.
    pub(super) fn convert(&mut self, frame: &mut Frame, op: u8) -> Done<()> {
        let slot = frame.pop()?;
        let known = converted(slot.known, op).ok_or(Trouble::Astray)?;
        let expr = match (slot.expr, op) {
            (None, _) => None,
            // i2l, l2i, i2b, i2c, i2s
            (Some(expr), 0x85) => Some(self.pool.sign_extend(64, expr)?),
            (Some(expr), 0x88) => symbols::symbolic(self.pool, |pool| pool.extract(31, 0, expr))?,
            (Some(expr), 0x91) => {
                let low = self.pool.extract(7, 0, expr)?;
                symbols::symbolic(self.pool, |pool| pool.sign_extend(32, low))?
            }
            (Some(expr), 0x92) => {
                let low = self.pool.extract(15, 0, expr)?;
                symbols::symbolic(self.pool, |pool| pool.zero_extend(32, low))?
            }
            (Some(expr), 0x93) => {
                let low = self.pool.extract(15, 0, expr)?;
                symbols::symbolic(self.pool, |pool| pool.sign_extend(32, low))?
            }
            (Some(_), _) => {
                self.concretise(frame.site(), &slot, Concretised::Float);
                None
            }
        };
        frame.push(Slot::with(known, expr));
        Ok(())
    }
}

fn converted(known: Known, op: u8) -> Option<Known> {
    let float = |value: f32| Known::Float(value.to_bits());
    let double = |value: f64| Known::Double(value.to_bits());
    // Rust's casts from floating point are Java's: towards zero, at most to the bounds, NaN to zero.
    Some(match (op, known) {
        (0x85, Known::Int(value)) => Known::Long(value.into()),
        (0x86, Known::Int(value)) => float(value as f32),
        (0x87, Known::Int(value)) => double(value.into()),
        (0x88, Known::Long(value)) => Known::Int(value as i32),
        (0x89, Known::Long(value)) => float(value as f32),
        (0x8a, Known::Long(value)) => double(value as f64),
        (0x8b, Known::Float(bits)) => Known::Int(f32::from_bits(bits) as i32),
        (0x8c, Known::Float(bits)) => Known::Long(f32::from_bits(bits) as i64),
        (0x8d, Known::Float(bits)) => double(f32::from_bits(bits).into()),
        (0x8e, Known::Double(bits)) => Known::Int(f64::from_bits(bits) as i32),
        (0x8f, Known::Double(bits)) => Known::Long(f64::from_bits(bits) as i64),
        (0x90, Known::Double(bits)) => float(f64::from_bits(bits) as f32),
        (0x91, Known::Int(value)) => Known::Int((value as i8).into()),
        (0x92, Known::Int(value)) => Known::Int((value as u16).into()),
        (0x93, Known::Int(value)) => Known::Int((value as i16).into()),
        _ => return None,
    })
}
