//! Source lines: the program says from which line it calls, the images say it from the return address.

use crate::build::{Said, ask, build, pointer};

/// Compares every `line` the program printed; how many there were.
fn check(said: &Said, file: &str, command: &str) -> usize {
    let mut count = 0;
    for line in &said.lines {
        let words: Vec<&str> = line.split(' ').collect();
        let ["line", function, number, address] = words.as_slice() else { continue };
        let call = pointer(address) - 1;
        let found = said.images.source(call).unwrap_or_else(|| panic!("{command}: no line for {line}"));
        assert_eq!((&*found.file, found.line), (file, number.parse().unwrap()), "{command}: {line}");
        let name = found.function.as_deref().unwrap_or_default();
        let last = name.rsplit("::").next().unwrap().split('<').next().unwrap();
        assert_eq!(last, *function, "{command}: {name}");
        count += 1;
    }
    count
}

#[test]
fn c_lines_are_right_in_inlined_functions_too() {
    for command in
        ["gcc -O0 -g -pthread", "gcc -O2 -g -pthread", "clang -O0 -g -pthread", "clang -O2 -g -pthread"]
    {
        let said = ask(&build(command, "shapes.c"));
        assert_eq!(check(&said, "shapes.c", command), 5, "{command}");
    }
}

#[test]
fn an_inlined_call_has_all_its_frames() {
    let said = ask(&build("gcc -O2 -g -pthread", "shapes.c"));
    let line = said.lines.iter().find(|line| line.starts_with("line inlined ")).unwrap();
    let frames = said.images.frames(pointer(line.rsplit(' ').next().unwrap()) - 1);
    let functions: Vec<_> = frames.iter().map(|frame| frame.function.as_deref().unwrap()).collect();
    assert_eq!(functions, ["inlined", "worker"]);
    assert_ne!(frames[0].line, frames[1].line);
}

#[test]
fn cpp_functions_have_their_scope_and_no_parameters() {
    for command in ["g++ -O0 -g -pthread", "g++ -O2 -g -pthread", "clang++ -O2 -g -pthread"] {
        let said = ask(&build(command, "things.cc"));
        assert_eq!(check(&said, "things.cc", command), 4, "{command}");
        let add = said.lines.iter().find(|line| line.starts_with("line add ")).unwrap();
        let found = said.images.source(pointer(add.rsplit(' ').next().unwrap()) - 1).unwrap();
        assert_eq!(found.function.as_deref(), Some("store::Shelf::add"), "{command}");
    }
}

#[test]
fn what_a_standard_library_inlines_is_the_program_s_line() {
    for (command, program, function) in [
        ("g++ -O2 -g -pthread", "things.cc", "_ZN5store5Shelf3addEi"),
        ("rustc --edition 2024 -g -O", "crate_.rs", "main"),
    ] {
        let said = ask(&build(command, program));
        let symbol = said.images.symbol(function).unwrap();
        let inlined = (symbol.address..symbol.address + symbol.size)
            .filter(|address| said.images.frames(*address).first().is_some_and(|frame| frame.is_standard));
        let mut seen = 0;
        for address in inlined {
            let shown = said.images.source(address).unwrap();
            if said.images.frames(address).iter().any(|frame| !frame.is_standard && frame.line != 0) {
                assert_eq!(&*shown.file, program, "{command}: {shown:?}");
                seen += 1;
            }
        }
        assert!(seen > 0 || program == "crate_.rs", "{command}: nothing was inlined");
    }
}

#[test]
fn a_file_below_the_compiler_s_folder_keeps_its_way() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("lib/core")).unwrap();
    std::fs::write(
        folder.path().join("lib/core/a.c"),
        "int work(void) { return 1; }\nint main(void) { return work(); }\n",
    )
    .unwrap();
    let path = folder.path().join("a");
    let mut compile = std::process::Command::new("gcc");
    compile.args(["-g", "-O0", "./lib/core/a.c", "-o", "a"]).current_dir(folder.path());
    crate::build::run(compile, "gcc");
    let mut images = warpath_native::names::Images::new();
    images.add(&path, 0x5555_5555_4000).unwrap();
    let work = images.symbol("work").unwrap();
    let found = images.source(work.address).unwrap();
    assert_eq!((&*found.file, found.line), ("lib/core/a.c", 1));
    assert_eq!(found.function.as_deref(), Some("work"));
}
