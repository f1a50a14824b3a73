//! The events that make up most of every trace, decoded without the general decoder.
//!
//! The bytes are the same, and whatever is not plain here (another kind, a rare form of a number, the end of the
//! bytes) is left to the general decoder, which also says what is wrong.

use crate::event::{Attempt, Datum, Event, Op, WaitResult};
use crate::ids::{ExprId, LocationId, SourceId};

/// The first event of the bytes and how many bytes it has, if it is one of the plain ones.
#[inline]
pub(super) fn decode(bytes: &[u8]) -> Option<(Event, usize)> {
    let (&kind, rest) = bytes.split_first()?;
    let mut rest = Rest(rest);
    let op = match kind {
        0 => Op::Read { location: LocationId(rest.id()?), value: rest.value()? },
        1 => {
            let location = LocationId(rest.id()?);
            let value = rest.value()?;
            Op::Write { location, value: Datum { value, expr: rest.id()?.checked_sub(1).map(ExprId) } }
        }
        14 => {
            let mutex = LocationId(rest.id()?);
            rest.zero()?;
            rest.zero()?;
            Op::Lock { mutex, attempt: Attempt::Block, result: WaitResult::Done }
        }
        15 => {
            let mutex = LocationId(rest.id()?);
            rest.zero()?;
            Op::Unlock { mutex, result: WaitResult::Done }
        }
        _ => return None,
    };
    let at = SourceId(rest.id()?);
    Some((Event { op, at }, bytes.len() - rest.0.len()))
}

/// Bytes that have not been looked at.
struct Rest<'a>(&'a [u8]);

impl Rest<'_> {
    #[inline]
    fn byte(&mut self) -> Option<u8> {
        let (&byte, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(byte)
    }

    #[inline]
    fn bytes<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (bytes, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*bytes)
    }

    #[inline]
    fn zero(&mut self) -> Option<()> {
        (self.byte()? == 0).then_some(())
    }

    #[inline]
    fn id(&mut self) -> Option<u32> {
        match self.byte()? {
            small @ 0..=250 => Some(small.into()),
            251 => Some(u16::from_le_bytes(self.bytes()?).into()),
            252 => Some(u32::from_le_bytes(self.bytes()?)),
            _ => None,
        }
    }

    #[inline]
    fn value(&mut self) -> Option<u128> {
        match self.byte()? {
            small @ 0..=250 => Some(small.into()),
            251 => Some(u16::from_le_bytes(self.bytes()?).into()),
            252 => Some(u32::from_le_bytes(self.bytes()?).into()),
            253 => Some(u64::from_le_bytes(self.bytes()?).into()),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::EVENTS;
    use super::*;

    /// Rows of bytes from a small generator, most of them beginning like a plain event: where this decoder has an
    /// answer, the general one has the same.
    #[test]
    fn it_agrees_with_the_general_decoder() {
        let mut state = 0x9E37_79B9_7F4A_7C15u64;
        let mut decoded = 0;
        for _ in 0..200_000 {
            let mut row = [0u8; 24];
            for byte in &mut row {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let random = (state >> 33) as u8;
                *byte = match random % 4 {
                    0 => 0,
                    1 => 248 + (random >> 5),
                    _ => random,
                };
            }
            row[0] = [0, 1, 14, 15, row[0]][(state >> 40) as usize % 5];
            let row = &row[..(state >> 50) as usize % 25];
            if let Some(fast) = decode(row) {
                let general = bincode::decode_from_slice::<Event, _>(row, EVENTS);
                assert_eq!(general.ok(), Some(fast), "{row:?}");
                decoded += 1;
            }
        }
        assert!(decoded > 10_000, "only {decoded} rows were events");
    }
}
