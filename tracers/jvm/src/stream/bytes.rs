//! Numbers of the stream, one after the other.

/// What is left to be read of a stream. `None` everywhere means that it ends too early.
#[derive(Clone, Debug)]
pub(super) struct Bytes<'a> {
    all: &'a [u8],
    pub(super) at: usize,
}

impl<'a> Bytes<'a> {
    pub(super) fn new(all: &'a [u8]) -> Bytes<'a> {
        Bytes { all, at: 0 }
    }

    pub(super) fn take(&mut self, count: u64) -> Option<&'a [u8]> {
        let end = self.at.checked_add(usize::try_from(count).ok()?)?;
        let taken = self.all.get(self.at..end)?;
        self.at = end;
        Some(taken)
    }

    pub(super) fn byte(&mut self) -> Option<u8> {
        let byte = *self.all.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    /// An unsigned LEB128 number of up to 64 bits.
    pub(super) fn unsigned(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    /// A signed number in zigzag.
    pub(super) fn signed(&mut self) -> Option<i64> {
        let number = self.unsigned()?;
        Some((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    pub(super) fn u32_le(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(self.take(4)?.try_into().ok()?))
    }

    pub(super) fn u64_le(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.take(8)?.try_into().ok()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_they_are_written() {
        let mut bytes = Bytes::new(&[0x7f, 0x80, 0x01, 0x01, 0x02, 0xff]);
        assert_eq!(bytes.unsigned(), Some(127));
        assert_eq!(bytes.unsigned(), Some(128));
        assert_eq!(bytes.signed(), Some(-1));
        assert_eq!(bytes.signed(), Some(1));
        assert_eq!(bytes.unsigned(), None);
        let all = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01];
        assert_eq!(Bytes::new(&all).unsigned(), Some(u64::MAX));
        assert_eq!(Bytes::new(&all).signed(), Some(i64::MIN));
        assert_eq!(Bytes::new(&[0xff; 11]).unsigned(), None);
    }
}
