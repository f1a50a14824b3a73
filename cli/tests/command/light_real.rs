//! Programs that nobody wrote for this, at full speed: they do what they do without us, and nothing is reported that
//! cannot be.

use std::path::Path;
use std::process::{Command, Output};

use crate::real::lines;
use crate::run::{Folder, run, warpath};

fn here(command: &mut Command, folder: &Path) -> Output {
    command.current_dir(folder).env("LC_ALL", "C").output().unwrap_or_else(|error| {
        panic!("{} cannot be started ({error}): run scripts/setup", command.get_program().display())
    })
}

/// Compresses with and without the recorder: the same bytes. These programs have been used for years on more
/// processors than this; they have no deadlock, and none is predicted from the trace.
#[track_caller]
fn compresses(program: &str, arguments: &[&str], threads: u64) {
    let folder = Folder::new();
    folder.file("text", lines(150_000));
    let alone = here(Command::new(program).args(arguments), folder.path());
    assert!(alone.status.success() && !alone.stdout.is_empty(), "{}", String::from_utf8_lossy(&alone.stderr));
    let mut command = warpath();
    command
        .args(["record", "--light", "-q", "-o", "run.wpt", "--json", "run.json", "--", program])
        .args(arguments);
    let recorded = here(&mut command, folder.path());
    let said = String::from_utf8_lossy(&recorded.stderr);
    assert_eq!((recorded.status.code(), said.as_ref()), (Some(0), ""));
    assert!(recorded.stdout == alone.stdout, "the output is another");
    let json = std::fs::read(folder.path().join("run.json")).expect("the report is there");
    let json: serde_json::Value = serde_json::from_slice(&json).expect("JSON");
    assert!(json["threads"].as_u64() >= Some(threads), "{json}");
    let mut command = warpath();
    command
        .current_dir(folder.path())
        .args(["analyze", "run.wpt", "--check", "deadlock", "--solver", "yices"]);
    run(command.args(["--out", "found"])).expect_code(0);
}

#[test]
fn pigz_has_no_deadlock() {
    compresses("pigz", &["-p", "4", "-c", "text"], 4);
}

#[test]
fn pbzip2_has_no_deadlock() {
    compresses("pbzip2", &["-p4", "-1", "-k", "-c", "text"], 6);
}

#[test]
fn lbzip2_has_no_deadlock() {
    compresses("lbzip2", &["-n", "4", "-k", "-c", "text"], 6);
}

#[test]
fn zstd_has_no_deadlock() {
    compresses("zstd", &["-q", "-c", "-T4", "-B1M", "text"], 4);
}

#[test]
fn a_recorded_program_can_be_ended_by_signals() {
    let folder = Folder::new();
    let mut command = warpath();
    command.current_dir(folder.path()).args(["record", "--light", "-o", "run.wpt", "--", "sh", "-c"]);
    let ended = run(command.arg("kill -TERM $$; echo still here"));
    ended.expect_code(1);
    assert_eq!(ended.stdout, "");
    assert!(ended.stderr.contains("ended by signal 15"), "{ended:?}");
}
