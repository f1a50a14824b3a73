//! `warpath replay --gdb`: what a debugger sees of a run.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::native::{c_program, eventually, expect_no_process, record, run_with_input};
use crate::run::{Folder, Ran, run, warpath};
use crate::samples::named;

/// Fails whatever happens.
const FAILS: &str = "#include <assert.h>
__attribute__((noinline)) static void check(int found) { assert(found == 8); }
int main(void) { volatile int n = 7; check(n); return n; }
";

/// A replay that has left its process for a debugger.
struct Left {
    child: Child,
    pid: i32,
    /// The commands for gdb.
    script: PathBuf,
    errors: PathBuf,
}

impl Left {
    fn behind(si: &Path, folder: &Folder) -> Left {
        let errors = folder.path().join("errors");
        let mut command = warpath();
        command.arg("replay").arg(si).arg("--gdb").stdout(Stdio::null());
        command.stderr(fs::File::create(&errors).expect("a file"));
        let child = command.spawn().expect("the command starts");
        let (script, pid) = eventually("process for gdb", || {
            let text = fs::read_to_string(&errors).expect("text");
            let (script, rest) = text.split_once("gdb -x ")?.1.split_once(" -p ")?;
            Some((PathBuf::from(script), rest.split_once('\n')?.0.parse().ok()?))
        });
        Left { child, pid, script, errors }
    }

    /// gdb with these commands; `scripts/setup` installs it.
    fn gdb(&self, commands: &[&str]) -> String {
        let mut gdb = Command::new("gdb");
        gdb.args(["-nx", "-x"]).arg(&self.script).args(["-p", &self.pid.to_string(), "-batch"]);
        for command in commands {
            gdb.args(["-ex", command]);
        }
        let output = gdb.env("DEBUGINFOD_URLS", "").output().expect("gdb starts: run scripts/setup");
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
    }

    fn said(&self) -> String {
        fs::read_to_string(&self.errors).expect("text")
    }

    /// Ends it as Ctrl-C does.
    fn interrupt(mut self) {
        kill(Pid::from_raw(self.child.id() as i32), Signal::SIGINT).expect("it can be interrupted");
        assert_eq!(self.child.wait().expect("it ends").code(), Some(1));
        assert!(!self.script.exists(), "nothing is left behind");
    }
}

#[test]
fn a_debugger_sees_the_failure() {
    let folder = Folder::new();
    let recorded = record(named("fig6"), &folder, "run", &["--schedule", "random", "--seed", "1"]);
    recorded.ran.expect_code(1);
    let left = Left::behind(&recorded.si, &folder);
    let seen = left.gdb(&["info registers rip", "bt", "print x", "frame 1", "info symbol $pc"]);
    assert!(seen.contains("warpath_assert_at"), "where it failed: {seen}");
    assert!(seen.contains("thread1"), "who called it: {seen}");
    assert!(seen.contains("fig6.c:11"), "the line: {seen}");
    assert!(seen.contains("$1 = 1"), "memory as at the failure: {seen}");
    left.interrupt();
    expect_no_process(&named("fig6").program());
}

#[test]
fn a_debugger_goes_to_any_thread_and_back() {
    let folder = Folder::new();
    let recorded = record(named("deadlock"), &folder, "run", &["--schedule", "random", "--seed", "1"]);
    recorded.ran.expect_code(1);
    let left = Left::behind(&recorded.si, &folder);
    let said = left.said();
    let functions = ["main", "to_right", "to_left"];
    for function in functions {
        assert!(said.contains(&format!(" {function} at deadlock.c:")), "{function} in {said}");
    }
    // The list names each thread with its number and its function.
    let list = left.gdb(&["warpath-threads"]);
    for function in functions {
        let line = list.lines().find(|line| line.contains(&format!(" {function} at "))).map(str::to_owned);
        let line = line.unwrap_or_else(|| panic!("{function} in {list}"));
        let number = line.split(' ').next().expect("a number");
        let seen = left.gdb(&[&format!("warpath-thread {number}"), "bt"]);
        assert!(
            seen.contains(&format!(" in {function} (")) || seen.contains(&format!("  {function} (")),
            "{seen}"
        );
        assert!(seen.contains("deadlock.c:"), "{seen}");
    }
    left.interrupt();
    expect_no_process(&named("deadlock").program());
}

#[test]
fn killing_the_process_in_the_debugger_ends_the_command() {
    let folder = Folder::new();
    let sample = named("account");
    let recorded = record(sample, &folder, "run", &["--schedule", "random", "--seed", "1"]);
    let mut left = Left::behind(&recorded.si, &folder);
    left.gdb(&["kill"]);
    assert_eq!(left.child.wait().expect("it ends").code(), Some(1));
    expect_no_process(&sample.program());
}

/// On a terminal gdb is started by the command itself, and gets what is typed.
#[test]
fn on_a_terminal_the_debugger_starts_by_itself() {
    let folder = Folder::new();
    let (si, program) = (folder.path().join("run.si.toml"), c_program("gdb-terminal", FAILS));
    let mut record = warpath();
    record.args(["record", "-o"]).arg(folder.path().join("run.wpt")).arg("--si").arg(&si);
    run(record.arg("--").arg(&program)).expect_code(1);
    let line = format!("'{}' replay '{}' --gdb", env!("CARGO_BIN_EXE_warpath"), si.display());
    let mut terminal = Command::new("script");
    terminal.args(["-qec", &line, "/dev/null"]).env("DEBUGINFOD_URLS", "").env("TERM", "dumb");
    let seen: Ran = run_with_input(&mut terminal, b"bt\nwarpath-threads\nkill\nquit\n");
    assert!(seen.stdout.contains("in check (found="), "{seen:?}");
    assert!(seen.stdout.contains("1 T0 in check at gdb-terminal.c:"), "{seen:?}");
    assert_eq!(seen.code, Some(1), "{seen:?}");
    expect_no_process(&program);
}

#[test]
fn a_run_that_ends_well_leaves_nothing_for_a_debugger_to_do() {
    let folder = Folder::new();
    let sample = named("rwlock");
    let recorded = record(sample, &folder, "run", &[]);
    recorded.ran.expect_code(0);
    let replayed = run(warpath().arg("replay").arg(&recorded.si).arg("--gdb"));
    replayed
        .expect_code(0)
        .expect_complaint("the program did not fail: there is nothing for a debugger to stop at");
    expect_no_process(&sample.program());
}
