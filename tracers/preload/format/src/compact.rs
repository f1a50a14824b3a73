//! The short form of records that happen often: two words, and of some kinds a fixed number more.
//!
//! | bits | word 0 | word 1 |
//! |---|---|---|
//! | 0–7 | kind with [`BIT`], or code of an access | 0–23: place, from [`crate::header::at::BASE`] |
//! | 8–55 | address | 24–63: lower 40 bits of a number |
//! | 56–63 | `a`, or of an access the upper 8 bits of the number | |
//!
//! The number is a ticket or the value of an access. What does not fit is written in the long form.

use crate::{Kind, Word};

/// Marks kinds in the short form.
pub const BIT: u8 = 128;

/// Bits of an address.
pub const ADDRESS: u32 = 48;
/// Bits of a place.
pub const PLACE: u32 = 24;
/// Bits of a ticket.
pub const TICKET: u32 = 40;
/// Bits of a value.
pub const VALUE: u32 = 48;

/// Words behind the first two.
pub const fn more(kind: Kind) -> usize {
    match kind {
        // An access whose value does not fit: its code is `a`, its value the third word.
        Kind::Access => 1,
        Kind::AtomicLoad | Kind::AtomicStore | Kind::Free => 1,
        Kind::AtomicUpdate | Kind::Alloc => 2,
        _ => 0,
    }
}

/// Do these fit?
#[inline(always)]
pub const fn fits(place: u64, address: u64, ticket: u64) -> bool {
    place >> PLACE | address >> ADDRESS | ticket >> TICKET == 0
}

/// The two words of a record, if it [`fits`].
#[inline(always)]
pub const fn words(kind: Kind, a: u8, place: u64, address: u64, ticket: u64) -> [Word; 2] {
    [(kind as u8 | BIT) as u64 | address << 8 | (a as u64) << 56, place | ticket << PLACE]
}

/// The two words of an access whose place, address and value fit.
#[inline(always)]
pub const fn access(code: u8, place: u64, address: u64, value: u64) -> [Word; 2] {
    [code as u64 | address << 8 | (value >> TICKET) << 56, place | value << PLACE]
}

/// Bits of the ticket of a lock in the short form: the upper eight are kept for its release.
pub const LOCK_TICKET: u32 = 32;

/// A lock's record made one of the lock and of its release, whose ticket is the next one, and whose place is so far behind
/// the lock's. The second word is to be written first: until the first one is, the record is that of the lock.
#[inline(always)]
pub const fn pair(lock: [Word; 2], distance: i16) -> [Word; 2] {
    let [low, high] = distance.to_le_bytes();
    let first = lock[0] << 8 >> 16 << 8 | (Kind::LockUnlock as u8 | BIT) as u64 | (high as u64) << 56;
    [first, lock[1] << 8 >> 8 | (low as u64) << 56]
}

/// How far the release is behind the lock.
pub const fn distance(pair: [Word; 2]) -> i16 {
    i16::from_le_bytes([(pair[1] >> 56) as u8, (pair[0] >> 56) as u8])
}

/// What the first byte of a record says of its form.
pub const fn is_compact(first: Word) -> bool {
    first as u8 & BIT != 0 || crate::access::is_code(first as u8)
}

/// Place, address and the lower bits of the number.
pub const fn parts(words: [Word; 2]) -> (u64, u64, u64) {
    (words[1] & ((1 << PLACE) - 1), words[0] << 8 >> 16, words[1] >> PLACE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_is_unpacked() {
        let words = words(Kind::Lock, 0x2f, 0x00ab_cdef, 0x7fff_1234_5678, 0xff_1234_5678);
        assert_eq!(parts(words), (0x00ab_cdef, 0x7fff_1234_5678, 0xff_1234_5678));
        assert_eq!((words[0] as u8, words[0] >> 56), (Kind::Lock as u8 | BIT, 0x2f));
        let value = 0x7fff_8765_4321;
        let words = access(crate::access::write(3), 5, 0x7fff_1234_5678, value);
        let (place, address, low) = parts(words);
        assert_eq!((place, address, low | words[0] >> 56 << TICKET), (5, 0x7fff_1234_5678, value));
    }

    #[test]
    fn a_lock_and_its_release_fit_one_record() {
        let lock = words(Kind::Lock, 0, 0x00ab_cdef, 0x7fff_1234_5678, 0x1234_5678);
        for distance in [1, -1, 300, i16::MIN, i16::MAX] {
            let both = pair(lock, distance);
            assert_eq!(super::distance(both), distance);
            let (place, address, ticket) = parts(both);
            assert_eq!((place, address), (0x00ab_cdef, 0x7fff_1234_5678));
            assert_eq!(ticket & ((1 << LOCK_TICKET) - 1), 0x1234_5678);
        }
    }

    #[test]
    fn no_kind_is_taken_for_an_access() {
        for kind in Kind::ALL {
            assert!(!is_compact(kind as u8 as u64) && is_compact((kind as u8 | BIT) as u64));
        }
    }
}
