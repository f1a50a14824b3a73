//! `warpath replay --in-process`: predictions confirmed by the program itself.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::run::{Folder, Ran, repository, run, warpath};

/// A program of the recorder's own tests, as it is.
fn program(name: &str, folder: &Folder) -> PathBuf {
    let program = folder.path().join(name);
    let source = repository().join("tracers/preload/tests/programs").join(format!("{name}.c"));
    let compiled =
        Command::new("cc").args(["-g", "-O1", "-pthread", "-o"]).arg(&program).arg(source).status();
    assert!(compiled.expect("a C compiler: run scripts/setup").success());
    program
}

/// Records a run that passes, and lets `analyze` look for one property: the first prediction.
fn predicted(program: &Path, check: &str, folder: &Folder) -> PathBuf {
    let trace = folder.path().join("run.wpt");
    run(warpath().args(["record", "--light", "-q", "-o"]).arg(&trace).arg("--").arg(program)).expect_code(0);
    let mut command = warpath();
    command
        .current_dir(folder.path())
        .args(["analyze", "--check", check, "--solver", "yices", "--out", "found"]);
    run(command.arg(&trace)).expect_code(1);
    folder.path().join("found").join(format!("{check}-1.si.toml"))
}

fn replay(si: &Path, more: &[&str]) -> Ran {
    run(warpath().arg("replay").arg(si).args(["--json", "-"]).args(more))
}

#[test]
fn a_deadlock_is_confirmed_by_the_program_itself() {
    let folder = Folder::new();
    let program = program("crossing", &folder);
    let si = predicted(&program, "deadlock", &folder);
    let replayed = replay(&si, &["--in-process", "--times", "5"]);
    replayed.expect_code(1);
    let json = replayed.json();
    assert_eq!((&json["verdict"], &json["agreed"]), (&"reproduced".into(), &5.into()), "{json}");
    assert_eq!(json["failure"]["kind"], "deadlock");
    let waits: Vec<&str> = json["failure"]["waits"]
        .as_array()
        .expect("an array")
        .iter()
        .filter_map(|wait| wait["waits_for"].as_str())
        .collect();
    assert_eq!(
        waits,
        ["waits for T0.0 to end", "waits for mutex `b`, held by T0.1", "waits for mutex `a`, held by T0.0"]
    );
    // The tracer finds the same.
    let traced = replay(&si, &["--in-process=never"]);
    traced.expect_code(1);
    assert_eq!(traced.json()["failure"], json["failure"]);
}

#[test]
fn what_does_not_fit_is_a_divergence() {
    let folder = Folder::new();
    let si = predicted(&program("crossing", &folder), "deadlock", &folder);
    let text = fs::read_to_string(&si).expect("the SI file");
    let changed = text.replace("\"T0.1 lock b", "\"T0.1 lock a");
    assert_ne!(text, changed);
    fs::write(&si, changed).expect("the SI file");
    let replayed = replay(&si, &["--in-process"]);
    replayed.expect_code(3);
    let json = replayed.json();
    assert_eq!((&json["verdict"], &json["divergence"]["step"]), (&"diverged".into(), &7.into()), "{json}");
    let found = json["divergence"]["found"].as_str().expect("text");
    assert!(
        found.starts_with("T0.1 comes to `lock` of something else at ") && found.contains("crossing.c:17")
    );
}

#[test]
fn another_build_is_warned_of_and_another_program_diverges() {
    let folder = Folder::new();
    let si = predicted(&program("crossing", &folder), "deadlock", &folder);
    let other = program("locks", &folder);
    let mut command = warpath();
    command.arg("replay").arg(&si).args(["--in-process", "--patience", "2s", "--"]).arg(other);
    let replayed = run(&mut command);
    replayed.expect_code(3).expect_complaint("the schedule was made with another build");
    // Whatever the other program printed until it was ended may come first.
    let diverged = |line: &str| line.starts_with("DIVERGED at step ");
    assert!(replayed.stdout.lines().any(diverged), "{}", replayed.stdout);
}

#[test]
fn who_never_comes_is_not_waited_for_for_ever() {
    let folder = Folder::new();
    let si = predicted(&program("crossing", &folder), "deadlock", &folder);
    let text = fs::read_to_string(&si).expect("the SI file");
    fs::write(&si, text.replace("\"T0.0 begin\"", "\"T0.5 begin\"")).expect("the SI file");
    let replayed = replay(&si, &["--in-process", "--patience", "1s"]);
    replayed.expect_code(3);
    let found = replayed.json()["divergence"]["found"].as_str().map(str::to_owned);
    assert_eq!(found.as_deref(), Some("T0.5 did not come to it in 1 s: it has not been started"));
}

#[test]
fn what_only_a_tracer_can_do_is_refused() {
    let folder = Folder::new();
    let si = predicted(&program("crossing", &folder), "deadlock", &folder);
    run(warpath().arg("replay").arg(&si).args(["--in-process", "--gdb"]))
        .expect_code(2)
        .expect_complaint("--gdb cannot stop a program that follows the schedule by itself")
        .expect_complaint("help: ");
    let text = fs::read_to_string(&si).expect("the SI file");
    fs::write(&si, text.replace("model = \"sc\"", "model = \"tso\"")).expect("the SI file");
    run(warpath().arg("replay").arg(&si).arg("--in-process"))
        .expect_code(2)
        .expect_complaint("only a tracer can reorder writes")
        .expect_complaint("help: leave out --in-process");
    // A statically linked program does not load the library.
    let still = folder.path().join("static");
    let source = repository().join("tracers/preload/tests/programs/crossing.c");
    let compiled = Command::new("cc").args(["-static", "-pthread", "-o"]).arg(&still).arg(source).status();
    assert!(compiled.expect("a C compiler: run scripts/setup").success());
    fs::write(&si, text).expect("the SI file");
    run(warpath().arg("replay").arg(&si).args(["--in-process", "--"]).arg(&still))
        .expect_code(2)
        .expect_complaint("the library was not loaded into it");
}

/// Builds a sample as users do, and records a run of it that passes.
fn instrumented(sample: &str, compiler: &str, folder: &Folder) -> PathBuf {
    let program = folder.path().join("program");
    let source = repository().join("tracers/preload/tests/programs/predicted").join(sample);
    let mut command = warpath();
    command.env(if compiler.ends_with("++") { "CXX" } else { "CC" }, compiler);
    command.args(["cc", "--instrument", "-g", "-O1", "-pthread", "-o"]);
    run(command.arg(&program).arg(source)).expect_code(0);
    program
}

/// What a run that passes lets `analyze` predict is confirmed by the program, every time.
#[track_caller]
fn confirmed(sample: &str, compiler: &str, check: &str, outcome: &str) {
    let folder = Folder::new();
    let program = instrumented(sample, compiler, &folder);
    let trace = folder.path().join("run.wpt");
    run(warpath().args(["record", "--light", "-q", "-o"]).arg(&trace).arg("--").arg(&program)).expect_code(0);
    let mut command = warpath();
    command
        .current_dir(folder.path())
        .args(["analyze", "--check", check, "--solver", "yices", "--out", "found"]);
    run(command.arg(&trace)).expect_code(1);
    let si = folder.path().join("found").join(format!("{outcome}-1.si.toml"));
    // Linked to the library, it follows by itself without being told to.
    let replayed = replay(&si, &["--times", "5"]);
    replayed.expect_code(1);
    let json = replayed.json();
    let found = (&json["verdict"], &json["expected"], &json["agreed"]);
    assert_eq!(found, (&"reproduced".into(), &outcome.into(), &5.into()), "{sample} {compiler}: {json}");
    match outcome {
        "data-race" => {
            let remark = "both threads stood before their accesses at the same time";
            assert_eq!(json["remarks"], serde_json::json!([remark]), "{sample}");
        }
        "atomicity-violation" => assert_eq!(json["taken"], json["steps"], "{sample}"),
        _ => assert_eq!(json["failure"]["kind"], outcome, "{sample}"),
    }
}

#[test]
fn races_are_confirmed() {
    confirmed("race.c", "gcc", "race", "data-race");
    confirmed("race.c", "clang", "race", "data-race");
    confirmed("race.cc", "g++", "race", "data-race");
}

#[test]
fn deadlocks_are_confirmed() {
    confirmed("deadlock.c", "gcc", "deadlock", "deadlock");
    confirmed("deadlock.cc", "clang++", "deadlock", "deadlock");
}

#[test]
fn atomicity_violations_are_confirmed() {
    confirmed("atomicity.c", "clang", "atomicity", "atomicity-violation");
    confirmed("atomicity.cc", "g++", "atomicity", "atomicity-violation");
}

#[test]
fn uses_of_freed_storage_are_confirmed() {
    confirmed("use-after-free.c", "gcc", "use-after-free", "use-after-free");
    confirmed("use-after-free.cc", "g++", "use-after-free", "use-after-free");
    confirmed("use-after-free.cc", "clang++", "use-after-free", "use-after-free");
}
