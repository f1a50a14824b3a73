//! Addresses by name, against `nm` and against the running program.

use std::collections::BTreeMap;
use std::process::Command;

use warpath_native::names::{Images, SymbolKind};

use crate::build::{ask, build, pointer, run};

#[test]
fn every_symbol_of_nm_is_found_by_name_and_functions_by_address() {
    for command in ["gcc -O2 -g -pthread -static", "g++ -O2 -pthread", "rustc --edition 2024"] {
        let program = match command.split(' ').next() {
            Some("g++") => "things.cc",
            Some("rustc") => "crate_.rs",
            _ => "shapes.c",
        };
        let built = build(command, program);
        let base = if command.contains("-static") { 0x40_0000 } else { 0 };
        let mut images = Images::new();
        images.add(&built.path, base).unwrap();
        let mut nm = Command::new("nm");
        nm.arg("--defined-only").arg(&built.path);
        let text = run(nm, "nm");
        let (mut names, mut by_address) = (0, BTreeMap::<u64, Vec<String>>::new());
        for line in text.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            let [address, letter, name] = words.as_slice() else { continue };
            let plain = name.split('@').next().unwrap();
            // Absolute symbols are numbers, not places; `nm` marks them so.
            if *letter == "A" || *letter == "a" || plain.is_empty() {
                continue;
            }
            let address = u64::from_str_radix(address, 16).unwrap();
            let found = images.symbols_named(&[plain]);
            assert!(
                found.iter().any(|symbol| symbol.address == address),
                "{command}: {line} is not in {found:?}"
            );
            names += 1;
            let is_code = |kind| matches!(kind, SymbolKind::Function | SymbolKind::IndirectFunction);
            if found.iter().any(|symbol| symbol.address == address && is_code(symbol.kind)) {
                by_address.entry(address).or_default().push(plain.to_owned());
            }
        }
        assert!(names > 40, "{command}: {names} symbols");
        for (address, names) in by_address {
            let found = images.function(address);
            let found = found.unwrap_or_else(|| panic!("{command}: {names:?} has no name"));
            assert!(!found.is_empty());
            if program == "shapes.c" {
                let is_one =
                    names.iter().any(|name| name == &*found || name.starts_with(&format!("{found}.")));
                assert!(is_one, "{command}: {found} is none of {names:?}");
            }
        }
    }
}

#[test]
fn the_default_version_of_a_symbol_is_what_programs_get() {
    let said = ask(&build("gcc -O1 -pthread", "shapes.c"));
    let versions = said.images.symbols_named(&["pthread_cond_wait"]);
    // The C library keeps the one of 1997 for old programs.
    assert!(versions.len() >= 2, "{versions:?}");
    assert_eq!(versions.iter().filter(|symbol| symbol.is_default).count(), 1);
    let default = said.images.symbol("pthread_cond_wait").unwrap();
    assert!(default.is_default && default.version.as_deref() == Some("GLIBC_2.3.2"), "{default:?}");
    assert_eq!(said.images.function(default.address).as_deref(), Some("pthread_cond_wait"));
    let lock = said.lines.iter().find_map(|line| line.strip_prefix("function pthread_mutex_lock ")).unwrap();
    assert_eq!(said.images.symbol("pthread_mutex_lock").unwrap().address, pointer(lock));
}

#[test]
fn functions_that_choose_themselves_are_marked() {
    let said = ask(&build("gcc -O1 -pthread", "shapes.c"));
    assert_eq!(said.images.symbol("memcpy").unwrap().kind, SymbolKind::IndirectFunction);
    assert_eq!(said.images.symbol("pthread_create").unwrap().kind, SymbolKind::Function);
    assert_eq!(said.images.symbol("table").unwrap().kind, SymbolKind::Object);
    assert_eq!(said.images.symbol("no_such_name"), None);
    assert_eq!(said.images.symbol(""), None);
}

#[test]
fn the_executable_comes_before_the_libraries() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("own.c");
    std::fs::write(&source, "#include \"say.h\"\nint rand(void) { return 4; }\nint main(void) { SAY_FUNCTION(rand); say_maps(); return 0; }\n")
        .unwrap();
    let path = folder.path().join("own");
    let mut compile = Command::new("gcc");
    let include = crate::build::source("say.h");
    compile.arg("-fno-builtin").arg("-I").arg(include.parent().unwrap()).arg(&source).arg("-o").arg(&path);
    run(compile, "gcc");
    let text = run(Command::new(&path), "the program");
    let (facts, maps) = text.split_once("maps\n").unwrap();
    let images = crate::build::mapped(maps);
    let own = pointer(facts.trim().rsplit(' ').next().unwrap());
    assert_eq!(images.symbol("rand").unwrap().address, own);
    let all = images.symbols_named(&["rand", "srand"]);
    assert_eq!(all.iter().filter(|symbol| symbol.name == "rand").count(), 2, "{all:?}");
    assert_eq!(all.iter().filter(|symbol| symbol.name == "srand").count(), 1, "{all:?}");
}
