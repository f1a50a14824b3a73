//! Damaged files: whatever the bytes, every question is answered or declined, and none takes forever.

use std::path::Path;
use std::sync::Arc;

use proptest::prelude::*;
use warpath_native::cpu::{Gpr, Registers};
use warpath_native::names::{Frame, Image, Images};

use crate::build::build;

const BASE: u64 = 0x5555_5555_4000;

/// Asks everything there is to ask about a few places in the image.
fn interrogate(bytes: Vec<u8>) {
    let Ok(image) = Image::from_bytes(Path::new("damaged"), bytes, BASE) else { return };
    let mut images = Images::new();
    let range = images.insert(image).range();
    let named = ["main", "inner", "middle", "places", "filled", "_start", "printf"];
    let symbols = images.symbols_named(&named);
    for name in named {
        let _ = images.symbol(name);
    }
    let _ = images.c_library_code();
    let image = images.executable().expect("it was just added");
    let _ = (image.facts(), image.code(), image.entry(), image.name());
    let spread = (range.end - range.start) / 24 + 1;
    let places = (0..24u64).map(|n| range.start.saturating_add(n.saturating_mul(spread)));
    let inside =
        symbols.iter().flat_map(|symbol| [0, 5, 17, 40].map(|offset| symbol.address.wrapping_add(offset)));
    for place in places.chain(inside).chain([image.entry(), 0, u64::MAX]) {
        let _ = images.function(place);
        let _ = images.source(place);
        let _ = images.is_c_library(place);
        for size in [1, 4, 8, 100, u64::MAX] {
            let _ = images.variable(place, size);
        }
        let mut registers = Registers { rip: place, ..Registers::default() };
        registers.set(Gpr::Rsp, 0x7fff_ffff_0000);
        registers.set(Gpr::Rbp, 0x7fff_ffff_0100);
        let mut read = |address: u64| Some(address.rotate_left(7) ^ place);
        let mut frame = Some(Frame::innermost(&registers));
        for _ in 0..4 {
            let Some(current) = frame else { break };
            for offset in [0, 24, 0x80] {
                let _ = images.local(&current, 0x7fff_ffff_0000 + offset, 8, &mut read);
            }
            frame = images.caller(&current, &mut read);
        }
    }
}

fn originals() -> Vec<Arc<[u8]>> {
    ["gcc -O1 -g", "clang -O1 -gdwarf-4", "gcc -O0 -g -gz=zlib"]
        .map(|command| std::fs::read(build(command, "frames.c").path).expect("the program is there").into())
        .into()
}

fn damage() -> impl Strategy<Value = Vec<(prop::sample::Index, u8)>> {
    let byte = prop_oneof![any::<u8>(), Just(0), Just(0xff), Just(0x7f), Just(0x80)];
    prop::collection::vec((any::<prop::sample::Index>(), byte), 1..40)
}

#[test]
fn changed_bytes_never_break_anything() {
    let originals = originals();
    let config = ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() };
    proptest!(config, |(which in 0..originals.len(), damage in damage())| {
        let mut bytes = originals[which].to_vec();
        for (at, value) in damage {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        interrogate(bytes);
    });
}

/// Most bytes of a small program are padding; here each change hits what describes the program.
#[test]
fn changed_tables_never_break_anything() {
    let originals = originals();
    let tables: Vec<Vec<std::ops::Range<usize>>> = originals.iter().map(|bytes| tables(bytes)).collect();
    let config = ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() };
    proptest!(config, |(which in 0..originals.len(), table in any::<prop::sample::Index>(), damage in damage())| {
        let mut bytes = originals[which].to_vec();
        let table = table.get(&tables[which]).clone();
        for (at, value) in damage {
            bytes[table.start + at.index(table.len())] = value;
        }
        interrogate(bytes);
    });
}

#[test]
fn a_file_cut_anywhere_never_breaks_anything() {
    let bytes = &originals()[0];
    for length in (0..bytes.len()).step_by(bytes.len() / 150) {
        interrogate(bytes[..length].to_vec());
    }
}

/// Where the headers and the sections with symbols, debug information and unwind tables are.
fn tables(bytes: &[u8]) -> Vec<std::ops::Range<usize>> {
    let number = |at: usize, size: usize| {
        bytes[at..at + size].iter().rev().fold(0usize, |sum, byte| sum << 8 | usize::from(*byte))
    };
    let (headers, count) = (number(40, 8), number(60, 2));
    let mut found = vec![0..64, headers..headers + 64 * count];
    for n in 0..count {
        let header = headers + 64 * n;
        let (kind, address) = (number(header + 4, 4), number(header + 16, 8));
        let (offset, size) = (number(header + 24, 8), number(header + 32, 8));
        let is_table = (kind == 1 && address == 0) || matches!(kind, 2 | 3 | 6 | 7 | 11);
        if is_table && size > 0 {
            found.push(offset..offset + size);
        }
    }
    assert!(found.len() > 10, "a program with debug information has many tables");
    found
}
