//! What variables hold before the program starts, from the files that were loaded.

use std::path::Path;

/// A part of a file that is loaded, and where.
#[derive(Debug)]
struct Segment {
    from: u64,
    /// Bytes of the file; behind them there are zeroes.
    bytes: Vec<u8>,
    size: u64,
}

/// The writable memory of a module as it is loaded.
#[derive(Debug, Default)]
pub(crate) struct ImageData {
    segments: Vec<Segment>,
}

const LOAD: u32 = 1;
const WRITABLE: u32 = 2;
const HEADER: usize = 56;

/// What a byte is before the program starts, of any of these modules.
pub(crate) fn byte(modules: &[ImageData], address: u64) -> Option<u8> {
    modules.iter().find_map(|module| module.byte(address))
}

impl ImageData {
    /// Reads the file that is loaded at `base`. Nothing if it cannot be read or is no such file.
    pub(crate) fn read(path: &Path, base: u64) -> ImageData {
        std::fs::read(path).ok().and_then(|file| Self::parse(&file, base)).unwrap_or_default()
    }

    fn parse(file: &[u8], base: u64) -> Option<ImageData> {
        let word = |at: usize| Some(u64::from_le_bytes(file.get(at..at.checked_add(8)?)?.try_into().ok()?));
        let half = |at: usize| Some(u32::from_le_bytes(file.get(at..at.checked_add(4)?)?.try_into().ok()?));
        let quarter =
            |at: usize| Some(u16::from_le_bytes(file.get(at..at.checked_add(2)?)?.try_into().ok()?));
        // 64 bits, little endian.
        file.starts_with(b"\x7fELF\x02\x01").then_some(())?;
        let (table, count) = (usize::try_from(word(32)?).ok()?, quarter(56)?);
        let mut segments = Vec::new();
        let mut lowest = u64::MAX;
        for nth in 0..usize::from(count) {
            let at = table.checked_add(nth.checked_mul(HEADER)?)?;
            if half(at)? != LOAD {
                continue;
            }
            let (flags, offset, address) = (half(at + 4)?, word(at + 8)?, word(at + 16)?);
            let (in_file, in_memory) = (word(at + 32)?, word(at + 40)?);
            lowest = lowest.min(address & !0xfff);
            if flags & WRITABLE != 0 {
                let from = usize::try_from(offset).ok()?;
                let bytes = file.get(from..from.checked_add(usize::try_from(in_file).ok()?)?)?.to_vec();
                segments.push(Segment { from: address, bytes, size: in_memory });
            }
        }
        for segment in &mut segments {
            segment.from = segment.from.checked_sub(lowest)?.checked_add(base)?;
        }
        Some(ImageData { segments })
    }

    /// The byte at an address. Words of the file that are all zeroes may be pointers that the loader fills in: of those
    /// nothing is known.
    fn byte(&self, address: u64) -> Option<u8> {
        let segment =
            self.segments.iter().find(|segment| address.wrapping_sub(segment.from) < segment.size)?;
        let at = (address - segment.from) as usize;
        let Some(&byte) = segment.bytes.get(at) else { return Some(0) };
        let word = ((address & !7).max(segment.from) - segment.from) as usize;
        let zero = segment.bytes.iter().skip(word).take(8).all(|byte| *byte == 0);
        (!zero).then_some(byte)
    }
}
