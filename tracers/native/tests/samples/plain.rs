//! Plain runs: with its harmless inputs and the usual schedule each program ends well.

use std::io::Write;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crate::build::{Toolchain, Workshop};
use crate::manifest::{Language, Program, manifest};

/// Which processors a program may run on.
#[derive(Clone, Copy)]
enum On {
    Any,
    /// One, on which threads mostly run in the order in which they were started, however busy the machine is.
    One,
}

fn command(path: &Path, on: On) -> Command {
    match on {
        On::Any => Command::new(path),
        On::One => {
            let mut command = Command::new("taskset");
            command.args(["--cpu-list", &first_processor()]).arg(path);
            command
        }
    }
}

/// The first processor that this test may use.
fn first_processor() -> String {
    let status = std::fs::read_to_string("/proc/thread-self/status").expect("Linux has it");
    let allowed =
        status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).expect("it is there");
    allowed.trim().split([',', '-']).next().expect("a part").to_owned()
}

/// How a program ended within a while; `None` if it did not, in which case it was killed.
fn run(path: &Path, program: &Program, on: On) -> Option<ExitStatus> {
    let mut child = command(path, on)
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

/// Builds and runs the programs; those with a bug may be unlucky, on a busy machine many times in a row.
fn check(toolchain: Toolchain, wanted: impl Fn(&Program) -> bool, options: &[&str]) -> usize {
    let workshop = Workshop::open(toolchain);
    let manifest = manifest();
    let programs = manifest.program.iter().filter(|program| wanted(program));
    let mut count = 0;
    for program in programs {
        let path = workshop.build(program, options);
        let mut ended = Vec::new();
        let good = |status: Option<ExitStatus>| status.is_some_and(|status| status.success());
        let well = [On::Any, On::One].into_iter().cycle().take(20).any(|on| {
            ended.push(run(&path, program, on));
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
