//! The briefest forms of an access: what can be foretold of it is left out.
//!
//! A place in a program announces one kind of access, mostly near where it accessed before, and mostly finds what the thread
//! left there. So who writes and who reads keep, from the beginning of each segment on,
//!
//! - in one of [`PLACES`] slots, chosen by [`slot`] of a [`tag`]: the last tag (place and code) and its last address;
//! - a mirror of memory, byte `n` for all addresses that are `n` modulo [`MIRROR`]: what was last read or written there.
//!
//! Every access in one of the forms below, and in those of two and three words ([`crate::compact`]), changes both; those in
//! the long form change nothing. (Foretelling values by a table that both sides keep is how Burtscher and Sam compress
//! traces: "Automatic Generation of High-Performance Trace Compressors", CGO 2005. Here one table has room for all sizes.)
//!
//! | first byte | bytes | what |
//! |---|---|---|
//! | [`NEAR`] and more | 4 | bits 0–4 and 8–11 slot, 12–31 how far from the last address, signed; the mirror has the value |
//! | with [`VALUE`] | 8, 12 | the same, then the value: four bytes, or eight if the access has as many |
//! | [`FAR`] | 8 | bits 8–23 the slot as above with its marks, 24–63 how far; the mirror has the value |

use crate::access;

/// Slots of places.
pub const PLACES: usize = 512;
/// Bytes of the mirror.
pub const MIRROR: usize = 1 << 15;
/// Bits of a near distance.
pub const NEAR_BITS: u32 = 20;
/// Bits of a far one.
pub const FAR_BITS: u32 = 40;
/// First byte of a near access.
pub const NEAR: u8 = 0xc0;
/// In the first byte of a near access: its value follows.
pub const VALUE: u8 = 0x20;
/// First byte of a far access.
pub const FAR: u8 = 0xbf;
/// What a tag is multiplied by: the upper bits of the product are the slot.
pub const SPREAD: u32 = 0x9e37_79b1;

/// Does a record that begins with this byte have one of these forms?
pub const fn is_brief(first: u8) -> bool {
    first >= NEAR || first == FAR
}

/// Place and code in one.
pub const fn tag(code: u8, place: u64) -> u32 {
    place as u32 & 0x00ff_ffff | (code as u32) << 24
}

/// The slot of a tag.
pub const fn slot(tag: u32) -> usize {
    (tag.wrapping_mul(SPREAD) >> (32 - PLACES.trailing_zeros())) as usize
}

/// A slot as records have it.
pub const fn packed(slot: usize) -> u32 {
    NEAR as u32 | slot as u32 & 31 | (slot as u32 >> 5) << 8
}

/// The slot that a record has.
pub const fn unpacked(packed: u32) -> usize {
    (packed & 31 | (packed >> 8 & 15) << 5) as usize
}

/// How many bytes the value has that follows a near access with this code.
pub const fn value_size(code: u8) -> usize {
    if access::size(code) == 8 { 8 } else { 4 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_come_back() {
        for slot in 0..PLACES {
            let packed = packed(slot);
            assert_eq!(unpacked(packed), slot);
            assert_eq!(unpacked(packed | u32::from(VALUE)), slot);
            assert!(is_brief(packed as u8) && packed >> (32 - NEAR_BITS) == 0 && packed as u8 & VALUE == 0);
        }
    }

    #[test]
    fn no_other_record_begins_so() {
        for kind in crate::Kind::ALL {
            assert!(!is_brief(kind as u8) && !is_brief(kind as u8 | crate::compact::BIT));
        }
        assert!((access::FIRST..access::END).all(|code| !is_brief(code)));
    }
}
