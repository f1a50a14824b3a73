//! The briefest forms of what is done to a mutex: one word, if its place has done the like before.
//!
//! A place in a program takes, or releases, one mutex or several that lie near each other. So who writes and who reads keep,
//! from the beginning of each segment on, one of [`PLACES`] slots for a place, chosen by [`slot`]: the place itself, where it
//! mostly releases what it takes, and an address and a ticket that others are counted from. A slot changes where a record
//! says so ([`KNOWN`], five words in all), and nowhere else: so what a signal handler does in the middle of something, which
//! is recorded later, changes nothing.
//!
//! | bits | first word of [`KNOWN`] | the others |
//! |---|---|---|
//! | 0–7 | form | form |
//! | 8–15 | slot | slot |
//! | 16–37 | | how far the ticket is from the slot's |
//! | 38–63 | | how far the mutex is, in words of eight bytes |
//!
//! Whichever fits none of this is recorded in other forms ([`crate::compact`]).

use crate::Word;

/// Slots of places.
pub const PLACES: usize = 256;
/// Where the slot is.
pub const SLOT: u32 = 8;
/// Where the ticket is, and how many bits it has.
pub const TICKET: u32 = 16;
/// Bits of a ticket.
pub const TICKET_BITS: u32 = 22;
/// Where the address is.
pub const ADDRESS: u32 = 38;
/// Bits of an address.
pub const ADDRESS_BITS: u32 = 26;
/// Bits of an address that all mutexes have in common.
pub const ALIGNED: u32 = 3;

/// A slot is filled: the place, the place of the release or 0, and the address and the ticket that are counted from.
pub const KNOWN: u8 = 0xbb;
/// A mutex is taken.
pub const TAKEN: u8 = 0xbc;
/// A mutex is taken and, before the thread does anything else, released with the next ticket. Such a record was one of
/// [`TAKEN`] before.
pub const BOTH: u8 = 0xbd;
/// A mutex is released.
pub const RELEASED: u8 = 0xbe;

/// Words of a record that fills a slot.
pub const KNOWN_WORDS: usize = 5;

/// Does a record that begins with this byte have one of these forms?
pub const fn is_again(first: u8) -> bool {
    first >= KNOWN && first <= RELEASED
}

/// The slot of a place.
pub const fn slot(place: u64) -> usize {
    place as usize % PLACES
}

/// What a slot says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Place {
    /// The address that the call returns to; 0 if nothing is known.
    pub at: u64,
    /// The address that the release returns to; 0 if that is not known.
    pub release: u64,
    /// Addresses are counted from this.
    pub address: u64,
    /// Tickets are counted from this.
    pub ticket: u64,
}

impl Place {
    /// For a mutex at this address with this ticket, and what may come near it: addresses on both sides, and more tickets.
    pub const fn around(at: u64, release: u64, mutex: u64, ticket: u64) -> Place {
        let half = 1 << (ADDRESS_BITS + ALIGNED - 1);
        Place { at, release, address: mutex.wrapping_sub(half), ticket: ticket >> TICKET_BITS << TICKET_BITS }
    }

    /// The record that fills the slot.
    pub const fn words(&self) -> [Word; KNOWN_WORDS] {
        let first = KNOWN as u64 | (slot(self.at) as u64) << SLOT;
        [first, self.at, self.release, self.address, self.ticket]
    }

    /// A mutex and its ticket in a word, but for the form. None if they are not near.
    pub const fn word(&self, mutex: u64, ticket: u64) -> Option<Word> {
        let far = mutex.wrapping_sub(self.address).rotate_right(ALIGNED);
        let later = ticket.wrapping_sub(self.ticket);
        if far >> ADDRESS_BITS != 0 || later >> TICKET_BITS != 0 {
            return None;
        }
        Some((slot(self.at) as u64) << SLOT | later << TICKET | far << ADDRESS)
    }

    /// Mutex and ticket of such a word.
    pub const fn parts(&self, word: Word) -> (u64, u64) {
        let later = word >> TICKET & ((1 << TICKET_BITS) - 1);
        (self.address.wrapping_add(word >> ADDRESS << ALIGNED), self.ticket.wrapping_add(later))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_near_comes_back() {
        let (mutex, ticket) = (0x7fff_1234_5678, 0x1234_5678);
        let place = Place::around(0x5555_0000_1234, 0, mutex, ticket);
        let ends = [-(1i64 << 28), -8, 0, 8, (1 << 28) - 8];
        let later = (1 << TICKET_BITS) - 1 - (ticket & ((1 << TICKET_BITS) - 1));
        for (far, ticket) in ends.into_iter().flat_map(|far| [(far, ticket), (far, ticket + later)]) {
            let mutex = mutex.wrapping_add_signed(far);
            let word = place.word(mutex, ticket).expect("it is near");
            assert_eq!((word as u8, (word >> SLOT) as u8), (0, 0x34));
            assert_eq!(place.parts(word | u64::from(TAKEN)), (mutex, ticket));
        }
    }

    #[test]
    fn what_is_far_does_not_fit() {
        let (mutex, ticket) = (0x7fff_1234_5678, 0x1234_5678);
        let place = Place::around(0x5555_0000_1234, 0, mutex, ticket);
        for far in [-(1i64 << 28) - 8, 1, -4, 1 << 28, 1 << 40] {
            assert_eq!(place.word(mutex.wrapping_add_signed(far), ticket), None);
        }
        assert_eq!(place.word(mutex, ticket + (1 << TICKET_BITS)), None);
        assert_eq!(place.word(mutex, 1), None);
    }

    #[test]
    fn no_other_record_begins_so() {
        for kind in crate::Kind::ALL {
            assert!(!is_again(kind as u8) && !is_again(kind as u8 | crate::compact::BIT));
        }
        assert!((crate::access::FIRST..crate::access::END).all(|code| !is_again(code)));
        assert!((0..=u8::MAX).all(|first| !(is_again(first) && crate::brief::is_brief(first))));
    }
}
