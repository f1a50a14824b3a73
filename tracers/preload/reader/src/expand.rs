//! The records of a segment, those of the briefest forms made ones of two or three words.
//!
//! So all others can read a thread's records from any of them on: the briefest forms depend on what came before.

use std::path::Path;

use warpath_light_format::{Head, Kind, SEGMENT, access, brief, compact};

use crate::error::LightError;
use crate::thread::word;

const WORD: usize = 8;

/// What both sides know of the accesses before.
struct Known {
    places: Vec<(u32, u64)>,
    mirror: Vec<u8>,
}

impl Known {
    fn new() -> Known {
        Known { places: vec![(0, 0); brief::PLACES], mirror: vec![0; brief::MIRROR + WORD] }
    }

    fn bytes(&mut self, code: u8, address: u64) -> &mut [u8] {
        let from = address as usize % brief::MIRROR;
        &mut self.mirror[from..from + usize::from(access::size(code)).min(WORD)]
    }

    fn value(&mut self, code: u8, address: u64) -> u64 {
        let mut value = [0; WORD];
        let bytes = self.bytes(code, address);
        value[..bytes.len()].copy_from_slice(bytes);
        u64::from_le_bytes(value)
    }

    fn note(&mut self, code: u8, place: u64, address: u64, value: u64) {
        let tag = brief::tag(code, place);
        self.places[brief::slot(tag)] = (tag, address);
        let bytes = self.bytes(code, address);
        bytes.copy_from_slice(&value.to_le_bytes()[..bytes.len()]);
    }
}

/// A record could not be read.
enum Flaw {
    /// It ends behind what is there.
    Cut,
    Wrong(&'static str),
}

/// Appends the records of the segment that begins here to `to`: how many bytes they have in the file.
pub(crate) fn segment(
    path: &Path,
    bytes: &[u8],
    from: usize,
    count: &mut usize,
    to: &mut Vec<u8>,
) -> Result<u64, LightError> {
    let end = bytes.len().min(from.saturating_add(SEGMENT));
    let mut known = Known::new();
    let mut at = from;
    while at < end && bytes[at] != 0 {
        let rest = &bytes[at..end];
        let read =
            if brief::is_brief(rest[0]) { expand(rest, &mut known, to) } else { copy(rest, &mut known, to) };
        match read {
            Ok(length) => at += length,
            // The file was cut in the middle of a record.
            Err(Flaw::Cut) if end < from + SEGMENT => break,
            Err(flaw) => {
                let what = match flaw {
                    Flaw::Cut => "it leaves its segment",
                    Flaw::Wrong(what) => what,
                };
                return Err(LightError::Record { path: path.to_owned(), record: *count, offset: at, what });
            }
        }
        *count += 1;
    }
    Ok((at - from) as u64)
}

/// A record of another form, as it is.
fn copy(rest: &[u8], known: &mut Known, to: &mut Vec<u8>) -> Result<usize, Flaw> {
    let first = word(rest, 0).ok_or(Flaw::Cut)?;
    let words = length(first).ok_or(Flaw::Wrong("no such kind"))?;
    if words == 0 {
        return Err(Flaw::Wrong("a length of 0"));
    }
    let record = rest.get(..words * WORD).ok_or(Flaw::Cut)?;
    let has_code = access::is_code(first as u8);
    if has_code || first as u8 == Kind::Access as u8 | compact::BIT {
        let (place, address, low) = compact::parts([first, word(record, 1).ok_or(Flaw::Cut)?]);
        let upper = first >> 56;
        if has_code {
            known.note(first as u8, place, address, low | upper << compact::TICKET);
        } else {
            known.note(upper as u8, place, address, word(record, 2).ok_or(Flaw::Cut)?);
        }
    }
    to.extend_from_slice(record);
    Ok(record.len())
}

fn expand(rest: &[u8], known: &mut Known, to: &mut Vec<u8>) -> Result<usize, Flaw> {
    let half = |place: usize| -> Result<u32, Flaw> {
        let bytes = rest.get(place * 4..place * 4 + 4).ok_or(Flaw::Cut)?;
        bytes.try_into().map(u32::from_le_bytes).map_err(|_| Flaw::Cut)
    };
    let first = half(0)?;
    let far = first as u8 == brief::FAR;
    let (packed, distance) = if far {
        let whole = word(rest, 0).ok_or(Flaw::Cut)?;
        ((whole >> 8) as u32 & 0xffff, whole as i64 >> (64 - brief::FAR_BITS))
    } else {
        (first, i64::from(first as i32 >> (32 - brief::NEAR_BITS)))
    };
    let (tag, last) = known.places[brief::unpacked(packed)];
    if tag == 0 {
        return Err(Flaw::Wrong("nothing was recorded of its place"));
    }
    let (code, place) = ((tag >> 24) as u8, u64::from(tag & 0x00ff_ffff));
    let address = last.wrapping_add_signed(distance) << 16 >> 16;
    let (value, length) = if far {
        (known.value(code, address), WORD)
    } else if first as u8 & brief::VALUE == 0 {
        (known.value(code, address), 4)
    } else if brief::value_size(code) == 8 {
        (u64::from(half(1)?) | u64::from(half(2)?) << 32, 12)
    } else {
        (half(1)?.into(), 8)
    };
    known.note(code, place, address, value);
    if value >> compact::VALUE == 0 {
        put(to, &compact::access(code, place, address, value));
    } else {
        let [first, second] = compact::words(Kind::Access, code, place, address, 0);
        put(to, &[first, second, value]);
    }
    Ok(length)
}

fn put(to: &mut Vec<u8>, words: &[u64]) {
    for word in words {
        to.extend_from_slice(&word.to_le_bytes());
    }
}

/// Words of the record that begins with this one; of one that was expanded, if it has a brief form.
pub(crate) fn length(first: u64) -> Option<usize> {
    if access::is_code(first as u8) {
        return Some(2);
    }
    if compact::is_compact(first) {
        return Kind::of(first as u8 & !compact::BIT).map(|kind| 2 + compact::more(kind));
    }
    let head = Head::unpack(first);
    Kind::of(head.kind).map(|_| usize::from(head.words))
}

#[cfg(test)]
mod tests;
