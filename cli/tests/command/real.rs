//! Programs that nobody wrote for this: their output is what it is without us, their traces load and can be analysed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::run::{Folder, run, warpath};
use crate::samples::once;

/// Lines that compress and sort like text, the same every time.
pub(crate) fn lines(count: usize) -> String {
    let words = ["the", "quick", "brown", "fox", "jumps", "over", "a", "lazy", "dog"];
    let mut state: u32 = 1;
    let mut next = || {
        state = state.wrapping_mul(1_103_515_245).wrapping_add(12345);
        (state >> 16) as usize
    };
    (0..count).map(|_| format!("{} {}\n", next() % 1000, words[next() % words.len()])).collect()
}

/// Records, compares with a plain run, analyses; how many threads there were.
#[track_caller]
fn same_as_alone(folder: &Folder, program: &Path, arguments: &[&str], options: &[&str]) -> u64 {
    let (trace, report) = (folder.path().join("run.wpt"), folder.path().join("run.json"));
    let mut command = warpath();
    command.args(["record", "-q", "-o"]).arg(&trace).arg("--json").arg(&report).args(options);
    command.arg("--").arg(program).args(arguments);
    let here = |command: &mut Command| {
        command.current_dir(folder.path()).env("LC_ALL", "C").output().unwrap_or_else(|error| {
            panic!("{} cannot be started ({error}): run scripts/setup", command.get_program().display())
        })
    };
    let alone = here(Command::new(program).args(arguments));
    assert!(alone.status.success(), "{}", String::from_utf8_lossy(&alone.stderr));
    let traced = here(&mut command);
    let said = String::from_utf8_lossy(&traced.stderr);
    assert_eq!(traced.status.code(), Some(0), "{said}");
    assert!(!alone.stdout.is_empty() && traced.stdout == alone.stdout, "the output is another: {said}");
    let report: serde_json::Value =
        serde_json::from_slice(&fs::read(report).expect("the report is there")).expect("JSON");

    let mut analyze = warpath();
    analyze.arg("analyze").arg(&trace).args(["--solver", "yices", "--check", "race", "--json", "-", "--out"]);
    let analysed = run(analyze.arg(folder.path().join("out")));
    assert!(matches!(analysed.code, Some(0 | 1)), "{analysed:?}");
    assert!(analysed.json()["nodes"].as_u64() > Some(100), "{}", analysed.stdout);
    report["threads"].as_u64().expect("a number")
}

#[test]
fn pigz_compresses() {
    let folder = Folder::new();
    folder.file("text", lines(20_000));
    let threads =
        same_as_alone(&folder, Path::new("pigz"), &["-p", "3", "-c", "text"], &["--values", "pinned"]);
    assert!(threads >= 3, "{threads} threads");
}

#[test]
fn xz_compresses() {
    let folder = Folder::new();
    folder.file("text", lines(15_000));
    let arguments = ["-T2", "-1", "--block-size=64KiB", "-c", "text"];
    let threads = same_as_alone(&folder, Path::new("xz"), &arguments, &["--values", "pinned"]);
    assert!(threads >= 3, "{threads} threads");
}

/// From 131,072 lines on it uses threads.
#[test]
fn sort_sorts() {
    let folder = Folder::new();
    folder.file("text", lines(132_000));
    let options = ["--values", "pinned", "--max-events", "20000"];
    let threads = same_as_alone(&folder, Path::new("sort"), &["--parallel=3", "text"], &options);
    assert!(threads >= 2, "{threads} threads");
}

fn searcher() -> PathBuf {
    once("search", |path| {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/search.rs");
        run(Command::new("rustc").args(["--edition", "2024", "-O", "-g"]).arg(source).arg("-o").arg(path))
            .expect_code(0);
    })
}

#[test]
fn a_search_in_rust_finds() {
    let folder = Folder::new();
    let names = ["a", "b", "c", "d"];
    for (n, name) in names.iter().enumerate() {
        folder.file(name, lines(500 + 100 * n));
    }
    let arguments: Vec<&str> = ["fox"].into_iter().chain(names).collect();
    let threads = same_as_alone(&folder, &searcher(), &arguments, &[]);
    assert_eq!(threads, 4);
}
