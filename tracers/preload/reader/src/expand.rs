//! The records of a segment, those of the briefest forms made ones of two or three words.
//!
//! So all others can read a thread's records from any of them on: the briefest forms depend on what came before.

use std::path::Path;

use warpath_light_format::again::{self, Place};
use warpath_light_format::{Head, Kind, SEGMENT, access, brief, compact};

use crate::error::LightError;
use crate::thread::word;

const WORD: usize = 8;

/// What both sides know of what came before.
struct Known {
    /// Of mutexes, and what their places are counted from.
    mutexes: Vec<Place>,
    base: u64,
    places: Vec<(u32, u64)>,
    mirror: Vec<u8>,
}

impl Known {
    fn new(base: u64) -> Known {
        Known {
            mutexes: vec![Place::default(); again::PLACES],
            base,
            places: vec![(0, 0); brief::PLACES],
            mirror: vec![0; brief::MIRROR + WORD],
        }
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

/// Appends the records of the segment that begins here to `to`: how many bytes they have in the file. `base` is what places
/// are counted from.
pub(crate) fn segment(
    path: &Path,
    bytes: &[u8],
    base: u64,
    from: usize,
    count: &mut usize,
    to: &mut Vec<u8>,
) -> Result<u64, LightError> {
    let end = bytes.len().min(from.saturating_add(SEGMENT));
    let mut known = Known::new(base);
    let mut at = from;
    while at < end && bytes[at] != 0 {
        let rest = &bytes[at..end];
        let read = match rest[0] {
            first if brief::is_brief(first) => expand(rest, &mut known, to),
            first if again::is_again(first) => mutex(rest, &mut known, to),
            _ => copy(rest, &mut known, to),
        };
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

/// A mutex that was taken or released, or what the next ones are foretold by.
fn mutex(rest: &[u8], known: &mut Known, to: &mut Vec<u8>) -> Result<usize, Flaw> {
    let at = |place| word(rest, place).ok_or(Flaw::Cut);
    let first = at(0)?;
    let slot = (first >> again::SLOT) as usize % again::PLACES;
    if first as u8 == again::KNOWN {
        known.mutexes[slot] = Place { at: at(1)?, release: at(2)?, address: at(3)?, ticket: at(4)? };
        return Ok(again::KNOWN_WORDS * WORD);
    }
    let place = known.mutexes[slot];
    if place.at == 0 {
        return Err(Flaw::Wrong("nothing was recorded of its place"));
    }
    let (mutex, ticket) = place.parts(first);
    match first as u8 {
        again::TAKEN => put_mutex(to, known.base, Kind::Lock, place.at, mutex, ticket),
        again::RELEASED => put_mutex(to, known.base, Kind::Unlock, place.at, mutex, ticket),
        _ => put_both(to, known.base, &place, mutex, ticket),
    }
    Ok(WORD)
}

fn put_mutex(to: &mut Vec<u8>, base: u64, kind: Kind, at: u64, mutex: u64, ticket: u64) {
    let place = at.wrapping_sub(base);
    let has_room = kind != Kind::Lock || ticket >> compact::LOCK_TICKET == 0;
    if has_room && compact::fits(place, mutex, ticket) {
        put(to, &compact::words(kind, 0, place, mutex, ticket));
    } else {
        let head = Head { kind: kind as u8, words: 4, a: 0, b: 0 };
        put(to, &[head.pack(), at, mutex, ticket]);
    }
}

/// Taken and released: one record, if both places are near each other.
fn put_both(to: &mut Vec<u8>, base: u64, place: &Place, mutex: u64, ticket: u64) {
    let lock = place.at.wrapping_sub(base);
    let distance = i16::try_from(place.release.wrapping_sub(place.at) as i64);
    match distance {
        Ok(distance) if compact::fits(lock, mutex, ticket) && ticket >> compact::LOCK_TICKET == 0 => {
            put(to, &compact::pair(compact::words(Kind::Lock, 0, lock, mutex, ticket), distance));
        }
        _ => {
            put_mutex(to, base, Kind::Lock, place.at, mutex, ticket);
            put_mutex(to, base, Kind::Unlock, place.release, mutex, ticket.wrapping_add(1));
        }
    }
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
