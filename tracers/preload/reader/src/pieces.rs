//! Accesses to memory as records have them, cut into pieces that fit one value.

use warpath_light_format::{Kind, access, atomic};

use crate::thread::Record;

/// What is done to a few bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) address: u64,
    /// 1 to 16.
    pub(crate) size: u32,
    pub(crate) value: u128,
    pub(crate) writes: bool,
}

impl Piece {
    /// The value's byte at an address within.
    pub(crate) fn byte(&self, address: u64) -> u8 {
        (self.value >> (8 * (address - self.address))) as u8
    }
}

/// Calls the function with each piece of a record. An update is a read, and then a write.
pub(crate) fn pieces(record: &Record<'_>, mut each: impl FnMut(Piece)) {
    let address = record.word(2);
    match record.kind {
        Kind::Access => {
            let code = record.a as u8;
            let size = access::size(code);
            let high = if size == 16 { u128::from(record.word(4)) << 64 } else { 0 };
            let value = u128::from(record.word(3)) | high;
            each(Piece { address, size: size.into(), value, writes: access::is_write(code) });
        }
        Kind::RangeRead | Kind::RangeWrite => {
            let bytes = record.data().get(..record.b as usize).unwrap_or(record.data());
            ranges(address, bytes.len() as u64, |at, size| {
                let from = (at - address) as usize;
                let mut value = [0; 16];
                value[..size as usize].copy_from_slice(&bytes[from..from + size as usize]);
                let writes = record.kind == Kind::RangeWrite;
                each(Piece { address: at, size, value: u128::from_le_bytes(value), writes });
            });
        }
        Kind::Fill => ranges(address, record.word(3), |at, size| {
            let value = u128::from_le_bytes([record.a as u8; 16]) & (u128::MAX >> (128 - 8 * size));
            each(Piece { address: at, size, value, writes: true });
        }),
        Kind::AtomicLoad | Kind::AtomicStore | Kind::AtomicUpdate => {
            let size = u32::from(atomic::size(record.a as u8));
            let wide = |word: usize| match size {
                16 => u128::from(record.word(word)) | u128::from(record.word(word + 1)) << 64,
                _ => u128::from(record.word(word)),
            };
            let writes = record.kind == Kind::AtomicStore;
            each(Piece { address, size, value: wide(4), writes });
            if record.kind == Kind::AtomicUpdate {
                let value = wide(if size == 16 { 6 } else { 5 });
                each(Piece { address, size, value, writes: true });
            }
        }
        _ => {}
    }
}

/// Pieces of a range: words, and what is left of them at both ends.
fn ranges(address: u64, size: u64, mut each: impl FnMut(u64, u32)) {
    let end = address.saturating_add(size);
    let mut at = address;
    while at < end {
        let next = ((at | 7).saturating_add(1)).min(end);
        each(at, (next - at) as u32);
        if next == at {
            return;
        }
        at = next;
    }
}

/// Calls the function with each of the eight-byte words that a piece touches, and which bytes of them.
pub(crate) fn words(address: u64, size: u32, mut each: impl FnMut(u64, u8)) {
    let end = address.saturating_add(size.into());
    let mut word = address & !7;
    while word < end {
        let from = address.max(word) - word;
        let to = end.min(word.saturating_add(8)) - word;
        each(word, ((0xffu16 << from) & (0xffu16 >> (8 - to))) as u8);
        let Some(next) = word.checked_add(8) else { return };
        word = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_access_touches_the_bytes_it_has() {
        let touched = |address, size| {
            let mut found = Vec::new();
            words(address, size, |word, mask| found.push((word, mask)));
            found
        };
        assert_eq!(touched(16, 8), [(16, 0xff)]);
        assert_eq!(touched(18, 2), [(16, 0b1100)]);
        assert_eq!(touched(22, 4), [(16, 0b1100_0000), (24, 0b11)]);
        assert_eq!(touched(9, 16), [(8, 0xfe), (16, 0xff), (24, 1)]);
    }
}
