//! `warpath cc`: real compilers, real programs, run plainly.

use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use proptest::prelude::*;

use crate::run::{Folder, Ran, run, warpath};

/// `$CC` and `$CXX` of the compilers that must work.
const COMPILERS: [(&str, &str); 2] = [("gcc", "g++"), ("clang", "clang++")];

/// `warpath cc` with this compiler and a cache of its own, so that tests see neither the user's cache nor each other.
fn cc(folder: &Folder, (c, cxx): (&str, &str)) -> Command {
    for compiler in [c, cxx] {
        assert!(
            Command::new(compiler).arg("--version").output().is_ok_and(|output| output.status.success()),
            "{compiler} is missing: run scripts/setup"
        );
    }
    let mut command = warpath();
    command.arg("cc").env("CC", c).env("CXX", cxx);
    command.env("XDG_CACHE_HOME", folder.path().join("cache")).current_dir(folder.path());
    command
}

/// Compiles `source` and gives the path of the program.
#[track_caller]
fn build(folder: &Folder, compilers: (&str, &str), name: &str, source: &str, options: &[&str]) -> PathBuf {
    folder.file(name, source);
    run(cc(folder, compilers).args(options).args([name, "-o", "prog"])).expect_code(0);
    folder.path().join("prog")
}

fn with_inputs(program: &Path, inputs: &[(&str, &str)]) -> Command {
    let mut command = Command::new(program);
    for (name, value) in inputs {
        command.env(format!("WARPATH_INPUT_{name}"), value);
    }
    command
}

const C_PROGRAM: &str = r#"
#include <pthread.h>
#include <stdio.h>
#include <warpath.h>

static int total;

static void *add(void *argument)
{
    const int *step = argument;
    for (int i = 0; i < 20000; i++) {
        warpath_atomic_begin();
        warpath_atomic_begin();
        total += *step;
        warpath_atomic_end();
        warpath_atomic_end();
    }
    return NULL;
}

int main(void)
{
    int step;
    pthread_t threads[4];
    warpath_input(&step, sizeof step, "step");
    printf("before\n");
    warpath_assume(step < 100);
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, add, &step);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    printf("%d\n", total);
    warpath_assert(total >= 0);
    return 0;
}
"#;

#[test]
fn c_with_threads_and_inputs() {
    for compilers in COMPILERS {
        for optimisation in ["-O0", "-O2"] {
            let folder = Folder::new();
            let strict = ["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-g", optimisation];
            let program = build(&folder, compilers, "prog.c", C_PROGRAM, &strict);

            assert_eq!(run(&mut Command::new(&program)).expect_code(0).stdout, "before\n0\n");
            let three = run(&mut with_inputs(&program, &[("step", "3")]));
            assert_eq!(three.expect_code(0).stdout, "before\n240000\n");
        }
    }
}

#[test]
fn an_assumption_that_fails_ends_the_run_cleanly() {
    let folder = Folder::new();
    let program = build(&folder, COMPILERS[0], "prog.c", C_PROGRAM, &[]);
    let ended = run(&mut with_inputs(&program, &[("step", "100")]));
    ended.expect_code(0).expect_complaint("an assumption does not hold");
    assert_eq!(ended.stdout, "before\n", "what was printed before must not be lost");
}

#[test]
fn an_assertion_that_fails_names_its_place_and_aborts() {
    let folder = Folder::new();
    let program = build(&folder, COMPILERS[0], "prog.c", C_PROGRAM, &["-DNDEBUG"]);
    let output = with_inputs(&program, &[("step", "-1")]).output().expect("it runs");
    assert_eq!(output.status.signal(), Some(6), "SIGABRT");
    let line = 1 + C_PROGRAM.lines().position(|line| line.contains("warpath_assert(")).expect("it is there");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains(&format!("prog.c:{line}: warpath_assert(total >= 0) does not hold")), "{said}");
}

#[test]
fn cxx_with_threads_and_inputs() {
    let source = r#"
        #include <iostream>
        #include <thread>
        #include <warpath.h>
        int main() {
            long wide[2];
            warpath_input(wide, sizeof wide, "wide");
            warpath_assume(wide[0] < 100);
            long seen = 0;
            std::thread([&] { seen = wide[0] + wide[1]; }).join();
            warpath_assert((seen == wide[0] + wide[1]));
            std::cout << seen << std::endl;
        }"#;
    for compilers in COMPILERS {
        for (name, options) in [("prog.cpp", &[][..]), ("prog.txt", &["-x", "c++"][..])] {
            let folder = Folder::new();
            let strict =
                [&["-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-pthread"], options].concat();
            let program = build(&folder, compilers, name, source, &strict);
            let ran = run(&mut with_inputs(&program, &[("wide", "hex:05000000000000000700000000000000")]));
            assert_eq!(ran.expect_code(0).stdout, "12\n");
        }
    }
}

#[test]
fn programs_of_the_verification_competition_and_of_klee_link() {
    let source = r#"
        #include <stdio.h>
        extern int __VERIFIER_nondet_int(void);
        extern unsigned char __VERIFIER_nondet_uchar(void);
        extern _Bool __VERIFIER_nondet_bool(void);
        extern double __VERIFIER_nondet_double(void);
        extern void __VERIFIER_assume(int), __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void);
        extern void reach_error(void);
        extern void klee_make_symbolic(void *, unsigned long, const char *), klee_assume(unsigned long);
        int main(void) {
            short k = 7;
            __VERIFIER_atomic_begin();
            int i = __VERIFIER_nondet_int();
            __VERIFIER_atomic_end();
            klee_make_symbolic(&k, sizeof k, "k");
            klee_assume(1);
            __VERIFIER_assume(1);
            printf("%d %d %d %d %g\n", i, k, __VERIFIER_nondet_uchar(), __VERIFIER_nondet_bool(),
                   __VERIFIER_nondet_double());
            if (i == 42)
                reach_error();
            return 0;
        }"#;
    let own =
        format!("int __VERIFIER_nondet_int(void) {{ return 23; }}\n{}", source.replace("extern int", "int"));
    let folder = Folder::new();

    let program = build(&folder, COMPILERS[0], "prog.c", source, &[]);
    assert_eq!(run(&mut Command::new(&program)).expect_code(0).stdout, "0 0 0 0 0\n");
    let inputs = [
        ("nondet_int", "-4"),
        ("k", "0x10"),
        ("nondet_uchar", "255"),
        ("nondet_bool", "2"),
        ("nondet_double", "-2.5"),
    ];
    assert_eq!(run(&mut with_inputs(&program, &inputs)).expect_code(0).stdout, "-4 16 255 1 -2.5\n");
    let reached = run(&mut with_inputs(&program, &[("nondet_int", "42")]));
    assert_eq!(reached.code, None, "it aborts");
    reached.expect_complaint("reach_error() was reached");

    let program = build(&folder, COMPILERS[0], "own.c", &own, &[]);
    let ran = run(&mut with_inputs(&program, &[("nondet_int", "1")]));
    assert_eq!(ran.expect_code(0).stdout, "23 0 0 0 0\n", "the program's own definition wins");
}

/// Prints the bytes of an input of the size given as argument.
const BYTES_PROGRAM: &str = r#"
    #include <stdio.h>
    #include <stdlib.h>
    #include <warpath.h>
    int main(int argc, char **argv) {
        size_t size = strtoul(argv[argc - 1], NULL, 10);
        unsigned char bytes[64];
        warpath_input(bytes, size, "v");
        for (size_t i = 0; i < size; i++) printf("%02x", bytes[i]);
    }"#;

fn bytes_of(program: &Path, size: usize, value: &str) -> Ran {
    run(with_inputs(program, &[("v", value)]).arg(size.to_string()))
}

#[test]
fn every_number_arrives_as_its_bytes() {
    let folder = Folder::new();
    let program = build(&folder, COMPILERS[0], "prog.c", BYTES_PROGRAM, &[]);
    let mut runner =
        proptest::test_runner::TestRunner::new(ProptestConfig { cases: 200, ..Default::default() });
    let numbers = (any::<i64>(), 0u32..64, 1usize..=16, any::<bool>());
    runner
        .run(&numbers, |(number, shift, size, hexadecimal)| {
            let number = i128::from(number >> shift);
            let text = match (hexadecimal, number < 0) {
                (true, true) => format!("-{:#x}", -number),
                (true, false) => format!("{number:#x}"),
                (false, _) => number.to_string(),
            };
            let ran = bytes_of(&program, size, &text);
            // Either reading of the bits will do: signed or unsigned.
            let bits = 8 * size as u32;
            let fits = bits >= 128 || (number >= -(1 << (bits - 1)) && number < 1 << bits);
            if fits {
                let expected: String =
                    number.to_le_bytes()[..size].iter().map(|byte| format!("{byte:02x}")).collect();
                prop_assert_eq!(ran.code, Some(0));
                prop_assert_eq!(ran.stdout, expected);
            } else {
                prop_assert_eq!(ran.code, Some(2), "{} in {} bytes", text, size);
                prop_assert!(ran.stderr.contains("does not fit"), "{}", ran.stderr);
            }
            Ok(())
        })
        .unwrap_or_else(|failure| panic!("{failure}"));
}

#[test]
fn inputs_that_are_no_values_are_refused_with_a_sentence() {
    let folder = Folder::new();
    let program = build(&folder, COMPILERS[0], "prog.c", BYTES_PROGRAM, &[]);
    for value in
        ["", "-", "0x", "abc", "1 ", "12e3", "--1", "hex:", "hex:0", "hex:0g112233", "hex:0011223344"]
    {
        bytes_of(&program, 4, value).expect_code(2).expect_complaint("the value of $WARPATH_INPUT_v");
    }
    for value in ["18446744073709551616", "-9223372036854775809", "0x10000000000000000"] {
        bytes_of(&program, 16, value).expect_code(2).expect_complaint("needs more than 64 bits");
    }
    assert_eq!(bytes_of(&program, 4, "010").stdout, "0a000000", "a leading zero does not mean octal");
    assert_eq!(bytes_of(&program, 4, "hex:DEadBEef").stdout, "deadbeef");
}

#[test]
fn compiling_and_linking_apart_works() {
    let folder = Folder::new();
    folder.file("prog.c", C_PROGRAM);
    run(cc(&folder, COMPILERS[0]).args(["-c", "prog.c"])).expect_code(0);
    run(cc(&folder, COMPILERS[0]).args(["-r", "prog.o", "-o", "both.o"])).expect_code(0);
    run(cc(&folder, COMPILERS[0]).args(["both.o", "-o", "prog"])).expect_code(0);
    run(&mut Command::new(folder.path().join("prog"))).expect_code(0);
    let preprocessed = run(cc(&folder, COMPILERS[0]).args(["-E", "prog.c"]));
    assert!(preprocessed.expect_code(0).stdout.contains("warpath_assert_at"));
}

#[test]
fn a_shared_library_and_its_program_may_both_use_it() {
    let folder = Folder::new();
    folder.file(
        "lib.c",
        "#include <warpath.h>\nint f(void) { int v; warpath_input(&v, sizeof v, \"a\"); return v; }",
    );
    folder.file(
        "prog.c",
        "#include <warpath.h>\nint f(void);\nint main(void) { int v; warpath_input(&v, sizeof v, \"b\"); return f() + v; }",
    );
    run(cc(&folder, COMPILERS[0]).args(["-shared", "-fPIC", "lib.c", "-o", "libf.so"])).expect_code(0);
    run(cc(&folder, COMPILERS[0]).args(["prog.c", "./libf.so", "-o", "prog"])).expect_code(0);
    let mut program = with_inputs(&folder.path().join("prog"), &[("a", "40"), ("b", "2")]);
    run(program.current_dir(folder.path())).expect_code(42);
}

#[test]
fn many_at_once_share_one_cache() {
    let folder = Folder::new();
    folder.file("prog.c", C_PROGRAM);
    thread::scope(|scope| {
        for i in 0..8 {
            let folder = &folder;
            scope.spawn(move || {
                run(cc(folder, COMPILERS[0]).args(["prog.c", "-o", &format!("prog{i}")])).expect_code(0);
            });
        }
    });
    let left: Vec<_> = walk(&folder.path().join("cache"));
    assert_eq!(left.len(), 3, "header, source and one object, no temporary files: {left:?}");
}

fn walk(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the folder is there");
    entries
        .flat_map(|entry| {
            let path = entry.expect("an entry").path();
            if path.is_dir() { walk(&path) } else { vec![path] }
        })
        .collect()
}

#[test]
fn a_cache_that_cannot_be_written_is_done_without() {
    let folder = Folder::new();
    folder.file("prog.c", C_PROGRAM);
    let mut command = cc(&folder, COMPILERS[0]);
    command.env("XDG_CACHE_HOME", "/dev/null/no").args(["prog.c", "-o", "prog"]);
    run(&mut command).expect_code(0);
    run(&mut Command::new(folder.path().join("prog"))).expect_code(0);
}

#[test]
fn the_way_the_compiler_ended_is_told() {
    let folder = Folder::new();
    folder.file("broken.c", "int main(void) { return }");
    run(cc(&folder, COMPILERS[0]).arg("broken.c"))
        .expect_code(2)
        .expect_complaint("gcc ended with exit code 1");
    run(cc(&folder, COMPILERS[0]).env("CC", "no-such-compiler").args(["-c", "x.c"]))
        .expect_code(2)
        .expect_complaint("cannot run the compiler `no-such-compiler`")
        .expect_complaint("help: install one");

    let killed = folder.file("killed", "#!/bin/sh\nkill -9 $$\n");
    run(Command::new("chmod").arg("+x").arg(&killed)).expect_code(0);
    run(cc(&folder, COMPILERS[0]).env("CC", &killed).args(["-c", "x.c"]))
        .expect_code(2)
        .expect_complaint("was ended by signal 9");
}

#[test]
fn what_asks_the_compiler_about_itself_is_passed_through() {
    let folder = Folder::new();
    let version = run(cc(&folder, COMPILERS[0]).arg("--version"));
    assert!(version.expect_code(0).stdout.contains("Free Software Foundation"), "{}", version.stdout);
    let machine = run(cc(&folder, COMPILERS[1]).arg("-dumpmachine"));
    assert!(machine.expect_code(0).stdout.contains("linux"), "{}", machine.stdout);
    let help = run(cc(&folder, COMPILERS[0]).args(["--", "--help"]));
    assert!(help.expect_code(0).stdout.contains("-fsyntax-only") || help.stdout.contains("Usage: gcc"));
}

#[test]
fn a_compiler_variable_that_names_us_does_not_call_us_for_ever() {
    let folder = Folder::new();
    folder.file("prog.c", C_PROGRAM);
    let us = format!("{} cc", env!("CARGO_BIN_EXE_warpath"));
    run(cc(&folder, COMPILERS[0]).env("CC", us).args(["prog.c", "-o", "prog"])).expect_code(0);
}
