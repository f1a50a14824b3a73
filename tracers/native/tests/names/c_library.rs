//! Which code is the C library's.

use warpath_native::names::{CLibrary, Images};

use crate::build::{ask, build};

#[test]
fn libraries_are_known_by_their_names() {
    let said = ask(&build("g++ -O1 -pthread", "things.cc"));
    let of = |name: &str| said.images.symbol(name).unwrap_or_else(|| panic!("{name} is in no image")).address;
    for own in ["main", "_ZN5store5Shelf3addEi"] {
        assert!(!said.images.is_c_library(of(own)), "{own}");
    }
    for foreign in ["pthread_mutex_lock", "malloc", "_dl_allocate_tls", "fopen"] {
        assert!(said.images.is_c_library(of(foreign)), "{foreign}");
    }
    // Waiting in the library of C++ is the program's doing.
    assert!(!said.images.is_c_library(of("_ZNSt6thread4joinEv")));
    assert!(!said.images.is_c_library(16));
    let code = said.images.c_library_code();
    assert!(code.iter().any(|range| range.contains(&of("malloc"))));
    assert!(!code.iter().any(|range| range.contains(&of("main"))));
}

fn alone(command: &str, program: &str) -> Images {
    let built = build(command, program);
    let mut images = Images::new();
    let base = if command.contains("static-pie") { 0x7f00_0000_0000 } else { 0x40_0000 };
    images.add(&built.path, base).unwrap();
    images
}

#[test]
fn a_static_program_is_divided_by_its_symbols() {
    for command in
        ["gcc -O2 -static -pthread", "gcc -O0 -g -static-pie -pthread", "clang -O2 -static -pthread"]
    {
        let images = alone(command, "shapes.c");
        assert!(matches!(images.executable().unwrap().c_library(), CLibrary::Parts(_)));
        let of = |name: &str| images.symbol(name).unwrap_or_else(|| panic!("{command}: no {name}")).address;
        for own in ["main", "worker", "count", "here", "say_maps"] {
            // What is inlined everywhere has no symbol.
            if images.symbol(own).is_some() {
                assert!(!images.is_c_library(of(own)), "{command}: {own}");
            }
        }
        for foreign in ["__libc_start_main", "malloc", "printf", "fopen", "abort", "pthread_mutex_lock"] {
            assert!(images.is_c_library(of(foreign)), "{command}: {foreign}");
        }
    }
}

#[test]
fn a_static_program_of_cpp_keeps_its_library() {
    let images = alone("g++ -O2 -static -pthread", "things.cc");
    let of = |name: &str| images.symbol(name).unwrap().address;
    assert!(!images.is_c_library(of("_ZNSt6thread4joinEv")));
    assert!(!images.is_c_library(of("_ZN5store5Shelf3addEi")));
    assert!(images.is_c_library(of("malloc")));
}

#[test]
fn a_stripped_static_program_tells_nothing() {
    let images = alone("gcc -O2 -static -pthread -s", "shapes.c");
    assert_eq!(images.executable().unwrap().c_library(), &CLibrary::Unknown);
    assert!(images.c_library_code().is_empty());
}
