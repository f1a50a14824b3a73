//! What headers say, and what is refused.

use std::path::Path;
use std::process::Command;

use warpath_native::names::{Facts, Images, NamesError};

use crate::build::{build, run};

#[test]
fn kinds_of_executables_are_told_apart() {
    let facts = |command: &str| Facts::of(&build(command, "shapes.c").path).unwrap();
    let usual = facts("gcc -O1 -g -pthread -pie -fPIE -Wl,--build-id=sha1");
    assert!(usual.is_pie && !usual.is_static && usual.has_symbols && usual.has_debug_info);
    assert_eq!(usual.interpreter.as_deref(), Some(Path::new("/lib64/ld-linux-x86-64.so.2")));
    assert_eq!(usual.build_id.map(|id| id.len()), Some(20));
    assert!(usual.needed.iter().any(|library| library == "libc.so.6"), "{:?}", usual.needed);
    assert_eq!(usual.soname, None);

    let fixed = facts("gcc -O1 -no-pie -pthread -s -Wl,--build-id=none");
    assert!(!fixed.is_pie && !fixed.is_static && !fixed.has_symbols && !fixed.has_debug_info);
    assert_eq!(fixed.build_id, None);

    let alone = facts("gcc -O1 -static -pthread");
    assert!(alone.is_static && !alone.is_pie && alone.interpreter.is_none() && alone.needed.is_empty());

    let anywhere = facts("gcc -O1 -static-pie -pthread");
    assert!(anywhere.is_static && anywhere.is_pie && anywhere.interpreter.is_none());
}

#[test]
fn the_build_id_is_the_one_that_readelf_shows() {
    let built = build("gcc -O1 -pthread -Wl,--build-id=sha1", "shapes.c");
    let mut readelf = Command::new("readelf");
    readelf.arg("-n").arg(&built.path);
    let text = run(readelf, "readelf");
    let id = Facts::of(&built.path).unwrap().build_id.unwrap();
    let hex: String = id.iter().map(|byte| format!("{byte:02x}")).collect();
    assert!(text.contains(&hex), "{hex} is not in\n{text}");
}

#[test]
fn an_image_is_where_its_first_page_is() {
    for (command, base) in
        [("gcc -no-pie -pthread", 0x40_0000), ("gcc -pie -fPIE -pthread", 0x5555_5555_4000)]
    {
        let built = build(command, "shapes.c");
        let mut images = Images::new();
        let image = images.add(&built.path, base).unwrap();
        assert!(image.range().contains(&image.entry()), "{command}");
        assert!(image.code().iter().any(|code| code.contains(&image.entry())), "{command}");
        let start = images.symbol("_start").unwrap();
        assert_eq!(start.address, images.executable().unwrap().entry(), "{command}");
        assert_eq!(images.image_at(start.address).unwrap().base(), base);
        assert!(images.remove(base) && images.function(start.address).is_none());
    }
}

#[test]
fn what_cannot_be_traced_is_refused_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    };
    let program = std::fs::read(build("gcc -O1 -pthread", "shapes.c").path).unwrap();
    let changed = |at: usize, value: u8| {
        let mut bytes = program.clone();
        bytes[at] = value;
        bytes
    };
    let refusal = |path: &Path| Facts::of(path).expect_err("refused");
    assert!(matches!(refusal(&folder.path().join("absent")), NamesError::Unreadable { .. }));
    assert!(matches!(refusal(folder.path()), NamesError::NotElf { .. }));
    assert!(matches!(refusal(&file("empty", b"")), NamesError::NotElf { .. }));
    assert!(matches!(refusal(&file("script", b"#!/bin/sh\n")), NamesError::NotElf { .. }));
    assert!(matches!(refusal(&file("small", &changed(4, 1))), NamesError::ThirtyTwoBit { .. }));
    assert!(matches!(
        refusal(&file("arm", &changed(18, 183))),
        NamesError::OtherMachine { machine: 183, .. }
    ));
    assert!(matches!(refusal(&file("object", &changed(16, 1))), NamesError::NotLoadable { kind: 1, .. }));
    assert!(matches!(refusal(&file("cut", &program[..60])), NamesError::Damaged { .. }));
    assert!(matches!(refusal(&file("beheaded", &program[..80])), NamesError::Damaged { .. }));
    let sentence = refusal(&file("small", &changed(4, 1))).to_string();
    assert!(sentence.contains("32-bit") && sentence.contains("-m64"), "{sentence}");
}
