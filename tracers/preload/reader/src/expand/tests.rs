//! Accesses, written in the forms that [`brief`] describes by what it says of them, come back as they were.

use std::collections::HashMap;
use std::path::Path;

use proptest::prelude::*;
use warpath_light_format::again::{self, Place};
use warpath_light_format::{Head, Kind, access, brief, compact};

use super::segment;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Access {
    code: u8,
    place: u64,
    address: u64,
    value: u64,
}

/// A form that an access was written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Form {
    Near,
    NearWithValue,
    Far,
    Whole,
}

/// Who writes. It keeps every byte of the mirror on its own, unlike the recorder and the reader.
#[derive(Default)]
struct Writer {
    bytes: Vec<u8>,
    places: HashMap<usize, (u32, u64)>,
    mirror: HashMap<usize, u8>,
}

impl Writer {
    fn word(&mut self, word: u64) {
        self.bytes.extend(word.to_le_bytes());
    }

    /// A byte of memory is mirrored from where the access begins: behind the mirror's end it has eight bytes more.
    fn mirrored(access: Access) -> impl Iterator<Item = (usize, u8)> {
        let from = access.address as usize % brief::MIRROR;
        let bytes = access.value.to_le_bytes();
        (0..usize::from(access::size(access.code))).map(move |nth| (from + nth, bytes[nth]))
    }

    fn access(&mut self, access: Access) -> Form {
        let Access { code, place, address, value } = access;
        let tag = brief::tag(code, place);
        let slot = brief::slot(tag);
        let last = self.places.insert(slot, (tag, address));
        let distance = last.filter(|last| last.0 == tag).map(|last| address as i64 - last.1 as i64);
        let fits = |bits: u32| distance.filter(|far| (-(1i64 << (bits - 1))..1 << (bits - 1)).contains(far));
        let is_known = Self::mirrored(access).all(|(at, byte)| self.mirror.get(&at).unwrap_or(&0) == &byte);
        self.mirror.extend(Self::mirrored(access));
        let packed = brief::packed(slot);
        if let Some(near) = fits(brief::NEAR_BITS) {
            let first = packed | (near as u32) << (32 - brief::NEAR_BITS);
            if is_known {
                self.bytes.extend(first.to_le_bytes());
                return Form::Near;
            }
            self.bytes.extend((first | u32::from(brief::VALUE)).to_le_bytes());
            self.bytes.extend(&value.to_le_bytes()[..if access::size(code) == 8 { 8 } else { 4 }]);
            return Form::NearWithValue;
        }
        if let Some(far) = fits(brief::FAR_BITS).filter(|_| is_known) {
            let slot = u64::from(packed) << 8;
            self.word(u64::from(brief::FAR) | slot | (far as u64) << (64 - brief::FAR_BITS));
            return Form::Far;
        }
        for word in expected(access) {
            self.word(word);
        }
        Form::Whole
    }
}

/// An access as all others read it.
fn expected(Access { code, place, address, value }: Access) -> Vec<u64> {
    if value >> compact::VALUE == 0 {
        return compact::access(code, place, address, value).to_vec();
    }
    let [first, second] = compact::words(Kind::Access, code, place, address, 0);
    vec![first, second, value]
}

/// What the reader makes of a segment: words, how many records, and how many bytes they had.
fn read(bytes: &[u8]) -> (Vec<u64>, usize, u64) {
    let (mut count, mut to) = (0, Vec::new());
    let size = segment(Path::new("a thread"), bytes, 0, 0, &mut count, &mut to).expect("all is well");
    let words = to.chunks(8).map(|word| u64::from_le_bytes(word.try_into().expect("whole words")));
    (words.collect(), count, size)
}

/// Accesses that programs make: few places, mostly near each other, often the same values; and any others.
fn accesses() -> impl Strategy<Value = Access> {
    let code = (0u8..4, 0u8..8).prop_map(|(log2, marks)| access::read(log2) | marks << 3);
    let place = prop_oneof![4 => 0x1000u64..0x1008, 1 => 0u64..1 << compact::PLACE];
    let address = prop_oneof![
        6 => 0x5555_0000_0000u64..0x5555_0000_0040,
        2 => 0x5555_0000_7ff0u64..0x5555_0000_8010,
        2 => 0x5555_0000_0000u64..0x5555_0040_0000,
        1 => 0x55aa_0000_0000u64..0x55aa_0000_0040,
        1 => 1u64..1 << 47,
    ];
    let value = prop_oneof![4 => 0u64..2, 1 => any::<u64>(), 1 => 0u64..1 << 49];
    (code, place, address, value).prop_map(|(code, place, address, value)| {
        let bits = 8 * u32::from(access::size(code));
        Access { code, place, address, value: value & (u64::MAX >> (64 - bits)) }
    })
}

proptest! {
    #[test]
    fn accesses_come_back_as_they_were(
        accesses in prop::collection::vec((accesses(), 0u8..16), 1..400),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut writer = Writer::default();
        let (mut words, mut ends) = (Vec::new(), vec![(0, 0)]);
        for (access, other) in accesses {
            // Records of other forms change nothing, wherever they come.
            let between = match other {
                0 => vec![Head { kind: Kind::Mark as u8, words: 2, a: 0, b: 0 }.pack(), access.value],
                1 => compact::words(Kind::Lock, 0, access.place, access.address, 7).to_vec(),
                _ => vec![],
            };
            if !between.is_empty() {
                between.iter().for_each(|word| writer.word(*word));
                words.extend(between);
                ends.push((writer.bytes.len(), words.len()));
            }
            writer.access(access);
            words.extend(expected(access));
            ends.push((writer.bytes.len(), words.len()));
        }
        let (found, count, size) = read(&writer.bytes);
        prop_assert_eq!(&found, &words);
        prop_assert_eq!((count, size), (ends.len() - 1, writer.bytes.len() as u64));
        // A file that ends anywhere has the records that are whole.
        let cut = cut.index(writer.bytes.len());
        let whole = ends.partition_point(|(end, _)| *end <= cut) - 1;
        let (found, count, size) = read(&writer.bytes[..cut]);
        prop_assert_eq!((&found[..], count, size), (&words[..ends[whole].1], whole, ends[whole].0 as u64));
    }
}

#[test]
fn each_form_has_its_length() {
    let code = access::write(3);
    let first = Access { code, place: 0x1234, address: 0x5555_0000_0100, value: 5 };
    let half = Access { code: access::read(1), place: 0x2000, address: 0x5555_0000_0100, value: 5 };
    let steps = [
        (first, Form::Whole, 16),
        (first, Form::Near, 4),
        (Access { value: u64::MAX, ..first }, Form::NearWithValue, 12),
        (Access { address: 0x55aa_0000_0108, value: 0, ..first }, Form::Far, 8),
        (Access { address: first.address - 8, value: 0, ..first }, Form::Far, 8),
        (Access { address: first.address - 0x10_0008, value: u64::MAX, ..first }, Form::Whole, 24),
        (Access { value: 0xffff, ..half }, Form::Whole, 16),
        (Access { value: 0xffff, ..half }, Form::Near, 4),
        (half, Form::NearWithValue, 8),
        (Access { address: half.address - 0x8_0000, ..half }, Form::Near, 4),
    ];
    let mut writer = Writer::default();
    let mut words = Vec::new();
    for (access, form, length) in steps {
        let before = writer.bytes.len();
        assert_eq!((writer.access(access), writer.bytes.len() - before), (form, length), "{access:x?}");
        words.extend(expected(access));
    }
    assert_eq!(read(&writer.bytes), (words, steps.len(), writer.bytes.len() as u64));
}

#[test]
fn a_place_of_which_nothing_is_known_is_an_error() {
    let bytes = brief::packed(3).to_le_bytes();
    let found = segment(Path::new("a thread"), &bytes, 0, 0, &mut 0, &mut Vec::new());
    assert!(found.expect_err("nothing is known").to_string().contains("nothing was recorded of its place"));
}

/// What the places of mutexes are counted from below.
const BASE: u64 = 0x5555_0000_0000;

/// Mutexes in the briefest forms, and as all others read them.
#[test]
fn mutexes_come_back_as_they_were() {
    let (mutex, ticket) = (0x7fff_0000_1000, 41);
    let near = Place::around(BASE + 0x1234, BASE + 0x1250, mutex, ticket);
    // In another library; and released far from where it is taken.
    let far = Place::around(BASE + 0x7000_0040, BASE + 0x9000_0000, mutex, ticket);
    let form = |place: &Place, form: u8, mutex, ticket| {
        vec![place.word(mutex, ticket).expect("it is near") | u64::from(form)]
    };
    let long = |kind: Kind, at, mutex, ticket| {
        vec![Head { kind: kind as u8, words: 4, a: 0, b: 0 }.pack(), at, mutex, ticket]
    };
    let short = |kind, place, mutex, ticket| compact::words(kind, 0, place, mutex, ticket).to_vec();
    let both = compact::pair(compact::words(Kind::Lock, 0, 0x1234, mutex + 8, ticket + 2), 0x1c).to_vec();
    let steps = [
        (near.words().to_vec(), vec![]),
        (form(&near, again::TAKEN, mutex, ticket), short(Kind::Lock, 0x1234, mutex, ticket)),
        (form(&near, again::RELEASED, mutex, ticket + 1), short(Kind::Unlock, 0x1234, mutex, ticket + 1)),
        (form(&near, again::BOTH, mutex + 8, ticket + 2), both),
        (far.words().to_vec(), vec![]),
        (form(&far, again::TAKEN, mutex, ticket), long(Kind::Lock, far.at, mutex, ticket)),
        (
            form(&far, again::BOTH, mutex, ticket),
            [long(Kind::Lock, far.at, mutex, ticket), long(Kind::Unlock, far.release, mutex, ticket + 1)]
                .concat(),
        ),
    ];
    let (mut bytes, mut words) = (Vec::new(), Vec::new());
    for (written, expected) in &steps {
        bytes.extend(written.iter().flat_map(|word| word.to_le_bytes()));
        words.extend(expected);
    }
    let (mut count, mut to) = (0, Vec::new());
    let size = segment(Path::new("a thread"), &bytes, BASE, 0, &mut count, &mut to).expect("all is well");
    let found: Vec<u64> =
        to.chunks(8).map(|word| u64::from_le_bytes(word.try_into().expect("whole"))).collect();
    assert_eq!(found, words);
    assert_eq!((count, size), (steps.len(), bytes.len() as u64));
    // A record that is cut is not there.
    let (mut count, mut to) = (0, Vec::new());
    let size = segment(Path::new("a thread"), &bytes[..36], BASE, 0, &mut count, &mut to);
    assert_eq!((size.expect("all is well"), count, to.len()), (0, 0, 0));
}

#[test]
fn a_mutex_of_which_nothing_is_known_is_an_error() {
    let bytes = u64::from(again::TAKEN).to_le_bytes();
    let found = segment(Path::new("a thread"), &bytes, BASE, 0, &mut 0, &mut Vec::new());
    assert!(found.expect_err("nothing is known").to_string().contains("nothing was recorded of its place"));
}
