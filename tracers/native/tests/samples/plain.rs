//! Plain runs: with its harmless inputs and the usual schedule each program ends well.

use std::io::Write;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crate::build::{Toolchain, Workshop};
use crate::manifest::{Language, Program, manifest};

/// How a program ended within a while; `None` if it did not, in which case it was killed.
fn run(path: &Path, program: &Program) -> Option<ExitStatus> {
    let mut child = Command::new(path)
        .args(&program.args)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("it was just built");
    let mut input = child.stdin.take().expect("it is piped");
    // A program that does not read may be gone before it could.
    let _ = input.write_all(program.stdin.as_bytes());
    drop(input);
    let deadline = Instant::now() + Duration::from_secs(20);
    while Instant::now() < deadline {
        if let Some(status) = child.try_wait().expect("it is our child") {
            return Some(status);
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().and_then(|()| child.wait()).expect("it is our child");
    None
}

/// Builds and runs the programs; those with a bug may be unlucky, on a busy machine several times in a row.
fn check(toolchain: Toolchain, wanted: impl Fn(&Program) -> bool, options: &[&str]) -> usize {
    let workshop = Workshop::open(toolchain);
    let manifest = manifest();
    let programs = manifest.program.iter().filter(|program| wanted(program));
    let mut count = 0;
    for program in programs {
        let path = workshop.build(program, options);
        let mut ended = Vec::new();
        let good = |status: Option<ExitStatus>| status.is_some_and(|status| status.success());
        let well = (0..20).any(|_| {
            ended.push(run(&path, program));
            ended.last().copied().is_some_and(good)
        });
        assert!(well, "{} with {toolchain:?} {options:?}: {ended:?}", program.name);
        count += 1;
    }
    count
}

#[test]
fn c_programs_with_gcc() {
    assert!(check(Toolchain::Gcc, |program| program.language == Language::C, &[]) >= 25);
}

#[test]
fn c_programs_with_clang() {
    assert!(check(Toolchain::Clang, |program| program.language == Language::C, &[]) >= 25);
}

#[test]
fn c_programs_without_and_with_much_optimisation() {
    for level in ["-O0", "-O3"] {
        check(
            Toolchain::Gcc,
            |program| program.language == Language::C && program.flags.is_empty(),
            &[level],
        );
    }
}

#[test]
fn cpp_programs() {
    for toolchain in [Toolchain::Gcc, Toolchain::Clang] {
        assert!(check(toolchain, |program| program.language == Language::Cpp, &[]) >= 5);
    }
}

#[test]
fn rust_programs() {
    assert!(check(Toolchain::Gcc, |program| program.language == Language::Rust, &[]) >= 3);
}

#[test]
fn static_programs() {
    check(
        Toolchain::Gcc,
        |program| ["m0", "semaphore", "c11"].contains(&program.name.as_str()),
        &["-static"],
    );
}
