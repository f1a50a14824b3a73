//! Global variables and functions: the program prints where they are, the images say what is there.

use crate::build::{Said, ask, build, pointer, run};

/// Compares every `variable` and `function` line; how many there were.
fn check(said: &Said, command: &str) -> usize {
    let mut count = 0;
    for line in &said.lines {
        let words: Vec<&str> = line.split(' ').collect();
        match words.as_slice() {
            ["variable", name @ .., address, size] => {
                let (name, address, size) = (name.join(" "), pointer(address), size.parse().unwrap());
                let found = said
                    .images
                    .variable(address, size)
                    .unwrap_or_else(|| panic!("{command}: {name} is nowhere"));
                assert_eq!(found.path, name, "{command}: {found:?}");
                assert!(
                    found.address <= address && address + size <= found.address + found.size,
                    "{found:?}"
                );
                assert!(found.path.starts_with(&found.object), "{found:?}");
            }
            ["function", name, address] => {
                let found = said.images.function(pointer(address));
                assert_eq!(found.as_deref(), Some(*name), "{command}");
            }
            _ => continue,
        }
        count += 1;
    }
    count
}

#[test]
fn c_variables_are_named_down_to_the_field() {
    for command in [
        "gcc -O0 -g -pthread",
        "gcc -O2 -g -pthread",
        "gcc -O2 -g -pthread -no-pie",
        "gcc -O0 -g -pthread -static",
        "gcc -O2 -gdwarf-4 -pthread -gz=zlib",
        "clang -O0 -g -pthread",
        "clang -O2 -g -pthread",
    ] {
        assert!(check(&ask(&build(command, "shapes.c")), command) >= 23, "{command}");
    }
}

#[test]
fn cpp_variables_are_named_with_their_scope() {
    for command in ["g++ -O0 -g -pthread", "g++ -O2 -g -pthread", "clang++ -O0 -g -pthread"] {
        assert_eq!(check(&ask(&build(command, "things.cc")), command), 6, "{command}");
    }
}

#[test]
fn rust_statics_are_named_with_their_module() {
    for command in ["rustc --edition 2024 -g", "rustc --edition 2024 -g -O"] {
        assert_eq!(check(&ask(&build(command, "crate_.rs")), command), 6, "{command}");
    }
}

#[test]
fn without_debug_information_symbols_and_offsets_remain() {
    let said = ask(&build("gcc -O1 -pthread", "shapes.c"));
    let table = said.images.symbol("table").unwrap();
    let found = said.images.variable(table.address + 24, 8).unwrap();
    assert_eq!((found.object.as_str(), found.path.as_str()), ("table", "table+24"));
    assert_eq!((found.address, found.size), (table.address, 128));
    let function = said.lines.iter().find_map(|line| line.strip_prefix("function worker ")).unwrap();
    assert_eq!(said.images.function(pointer(function)).as_deref(), Some("worker"));
}

#[test]
fn a_stripped_program_has_only_places_in_the_file() {
    let built = build("gcc -O1 -s -pthread", "shapes.c");
    let said = ask(&built);
    let line = said.lines.iter().find(|line| line.starts_with("variable hidden")).unwrap();
    let address = pointer(line.split(' ').nth(2).unwrap());
    let base = said.images.executable().unwrap().base();
    let found = said.images.variable(address, 4).unwrap();
    assert_eq!(found.path, format!("shapes+{:#x}", address - base));
    let worker = said.lines.iter().find_map(|line| line.strip_prefix("function worker ")).unwrap();
    assert_eq!(said.images.function(pointer(worker)), None);
    assert_eq!(said.images.source(pointer(worker)), None);
    // The C library has its dynamic symbols even so.
    let lock = said.lines.iter().find_map(|line| line.strip_prefix("function pthread_mutex_lock ")).unwrap();
    assert_eq!(said.images.function(pointer(lock)).as_deref(), Some("pthread_mutex_lock"));
}

#[test]
fn a_debug_file_beside_the_stripped_program_is_found() {
    let built = build("gcc -O0 -g -pthread -Wl,--build-id", "shapes.c");
    let debug = built.path.with_extension("debug");
    let tool = |arguments: &[&std::ffi::OsStr]| {
        let mut command = std::process::Command::new("objcopy");
        command.args(arguments);
        run(command, "objcopy");
    };
    tool(&["--only-keep-debug".as_ref(), built.path.as_ref(), debug.as_ref()]);
    let mut link = std::ffi::OsString::from("--add-gnu-debuglink=");
    link.push(&debug);
    tool(&["--strip-all".as_ref(), &link, built.path.as_ref()]);
    let said = ask(&built);
    assert!(!said.images.executable().unwrap().facts().has_debug_info);
    assert!(check(&said, "separate debug file") >= 23);
}

#[test]
fn nothing_is_outside_all_images() {
    let said = ask(&build("gcc -O1 -pthread", "shapes.c"));
    assert_eq!(said.images.variable(8, 4), None);
    assert_eq!(said.images.function(u64::MAX), None);
    assert!(said.images.image_at(said.images.executable().unwrap().range().end).is_none());
}
