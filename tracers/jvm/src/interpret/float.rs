//! Floating point: concrete only. Java's is IEEE 754 in every operation, as Rust's is.

use super::frame::{Astray, Frame};
use super::value::{Known, Slot};

/// Executes `fadd` to `dneg`.
pub(super) fn arithmetic(frame: &mut Frame, op: u8) -> Result<(), Astray> {
    let top = frame.pop()?.known;
    let known = match top {
        Known::Float(bits) if op == 0x76 => Known::Float(bits ^ 0x8000_0000),
        Known::Double(bits) if op == 0x77 => Known::Double(bits ^ 0x8000_0000_0000_0000),
        Known::Float(b) => {
            let Known::Float(a) = frame.pop()?.known else { return Err(Astray) };
            let (a, b) = (f32::from_bits(a), f32::from_bits(b));
            let result = match op {
                0x62 => a + b,
                0x66 => a - b,
                0x6a => a * b,
                0x6e => a / b,
                0x72 => a % b,
                _ => return Err(Astray),
            };
            Known::Float(result.to_bits())
        }
        Known::Double(b) => {
            let Known::Double(a) = frame.pop()?.known else { return Err(Astray) };
            let (a, b) = (f64::from_bits(a), f64::from_bits(b));
            let result = match op {
                0x63 => a + b,
                0x67 => a - b,
                0x6b => a * b,
                0x6f => a / b,
                0x73 => a % b,
                _ => return Err(Astray),
            };
            Known::Double(result.to_bits())
        }
        _ => return Err(Astray),
    };
    frame.push(Slot::concrete(known));
    Ok(())
}

/// Executes `fcmpl` to `dcmpg`: what an unordered pair gives is the difference between the two of a type.
pub(super) fn compare(frame: &mut Frame, op: u8) -> Result<(), Astray> {
    let (b, a) = (frame.pop()?.known, frame.pop()?.known);
    let (a, b) = match (a, b) {
        (Known::Float(a), Known::Float(b)) => (f64::from(f32::from_bits(a)), f64::from(f32::from_bits(b))),
        (Known::Double(a), Known::Double(b)) => (f64::from_bits(a), f64::from_bits(b)),
        _ => return Err(Astray),
    };
    let unordered = if op.is_multiple_of(2) { 1 } else { -1 };
    frame.push(Slot::int(a.partial_cmp(&b).map_or(unordered, |order| order as i32)));
    Ok(())
}
