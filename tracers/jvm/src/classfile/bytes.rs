//! Big-endian numbers, one after the other.

use super::error::ClassError;

/// What is left to be read of a class file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bytes<'a> {
    all: &'a [u8],
    at: usize,
}

impl<'a> Bytes<'a> {
    pub(super) fn new(all: &'a [u8]) -> Bytes<'a> {
        Bytes { all, at: 0 }
    }

    pub(super) fn take(&mut self, count: usize) -> Result<&'a [u8], ClassError> {
        let end = self.at.checked_add(count).filter(|&end| end <= self.all.len());
        let end = end.ok_or(ClassError::Truncated(self.all.len()))?;
        let taken = &self.all[self.at..end];
        self.at = end;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], ClassError> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    pub(super) fn u8(&mut self) -> Result<u8, ClassError> {
        self.array().map(u8::from_be_bytes)
    }

    pub(super) fn u16(&mut self) -> Result<u16, ClassError> {
        self.array().map(u16::from_be_bytes)
    }

    pub(super) fn u32(&mut self) -> Result<u32, ClassError> {
        self.array().map(u32::from_be_bytes)
    }

    pub(super) fn u64(&mut self) -> Result<u64, ClassError> {
        self.array().map(u64::from_be_bytes)
    }

    /// A block whose length stands in front of it.
    pub(super) fn block(&mut self) -> Result<&'a [u8], ClassError> {
        let length = self.u32()?;
        self.take(length as usize)
    }
}
