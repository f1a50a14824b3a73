//! `warpath export-test`: the exported test fails while the bug is there, and passes when it is gone.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::explore::explore;
use crate::native::run_with_input;
use crate::run::{Folder, Ran, run, warpath};
use crate::samples::{Sample, named};

/// A lost update; `FIXED` makes the two accesses one, `MOVED` only changes what happens around them.
const LOST: &str = r#"
#include <pthread.h>
#include <warpath.h>
static int n;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *add(void *by) {
#ifdef FIXED
    pthread_mutex_lock(&m);
#endif
#ifdef MOVED
    static int other;
    __atomic_fetch_add(&other, 1, __ATOMIC_SEQ_CST);
#endif
    int old = n;
    n = old + *(int *)by;
#ifdef FIXED
    pthread_mutex_unlock(&m);
#endif
    return 0;
}
int main(void) {
    int by;
    warpath_input(&by, sizeof by, "by");
    if (by != 7) return 0;
    pthread_t one, two;
    pthread_create(&one, 0, add, &by);
    pthread_create(&two, 0, add, &by);
    pthread_join(one, 0);
    pthread_join(two, 0);
    warpath_assert(n == 14);
    return 0;
}
"#;

struct Workshop {
    folder: Folder,
    program: PathBuf,
}

impl Workshop {
    /// With the buggy program built, and its bug found.
    fn new() -> Workshop {
        let folder = Folder::new();
        let workshop = Workshop { program: folder.path().join("lost"), folder };
        workshop.folder.file("lost.c", LOST);
        workshop.build("-DBUGGY");
        let mut explore = warpath();
        explore.args(["explore", "-q", "--first", "--out"]).arg(workshop.path("out"));
        run(explore.arg("--").arg(&workshop.program)).expect_code(1);
        workshop
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Builds a variant at the same path.
    fn build(&self, variant: &str) {
        let mut cc = warpath();
        cc.args(["cc", "-g", "-O1", "-pthread", variant])
            .arg(self.path("lost.c"))
            .arg("-o")
            .arg(&self.program);
        run(&mut cc).expect_code(0);
    }

    fn export(&self, options: &[&str]) -> PathBuf {
        let test = self.path("tests/bug-1");
        let mut export = warpath();
        export.arg("export-test").arg(self.path("out/bug-1.si.toml")).arg("--out").arg(&test).args(options);
        run(&mut export).expect_code(0);
        test
    }
}

/// Runs a script or a stub with our own command.
fn test_with(test: &Path, arguments: &[&Path]) -> Ran {
    run(Command::new(test).args(arguments).env("WARPATH", env!("CARGO_BIN_EXE_warpath")))
}

#[test]
fn it_fails_until_the_bug_is_gone() {
    let workshop = Workshop::new();
    let script = workshop.export(&[]).join("bug-1.sh");
    test_with(&script, &[]).expect_code(1).expect_complaint("the schedule still leads to a failure");
    workshop.build("-DFIXED");
    let passed = test_with(&script, &[]);
    passed.expect_code(0);
    assert!(
        passed.stdout.contains("DIVERGED") && passed.stdout.contains("PASS: no schedule with these inputs"),
        "{passed:?}"
    );
    // The schedule does not fit any more, but the bug is there.
    workshop.build("-DMOVED");
    let moved = test_with(&script, &[]);
    moved.expect_code(1).expect_complaint("another schedule leads to a failure");
    assert!(moved.stdout.contains("DIVERGED"), "{moved:?}");
    let kept = moved.stderr.split("it is in ").nth(1).map(str::trim).expect("a folder");
    assert!(Path::new(kept).join("bug-1.si.toml").is_file(), "the new schedule is kept");
    fs::remove_dir_all(kept).expect("a folder");
    // Another build, named by hand; the folder can be anywhere.
    let elsewhere = workshop.path("elsewhere");
    fs::rename(workshop.path("tests"), &elsewhere).expect("it can be moved");
    let script = elsewhere.join("bug-1/bug-1.sh");
    test_with(&script, &[&workshop.program]).expect_code(1);
    let replay_only = run(Command::new(&script)
        .env("WARPATH", env!("CARGO_BIN_EXE_warpath"))
        .env("WARPATH_TEST_TIME", "0"));
    replay_only.expect_code(0);
}

#[test]
fn it_says_what_is_missing() {
    let workshop = Workshop::new();
    let test = workshop.export(&["--kind", "sh"]);
    let script = test.join("bug-1.sh");
    assert!(!test.join("bug-1-test.c").exists(), "only the script was asked for");
    run(Command::new(&script).env("WARPATH", "/no/warpath"))
        .expect_code(2)
        .expect_complaint("there is no '/no/warpath'");
    test_with(&script, &[Path::new("/no/program")]).expect_code(2).expect_complaint("no program /no/program");
    fs::remove_file(test.join("bug-1.si.toml")).expect("it is there");
    test_with(&script, &[]).expect_code(2).expect_complaint("bug-1.si.toml is missing");
}

#[test]
fn any_shell_runs_the_script() {
    let workshop = Workshop::new();
    let script = workshop.export(&[]).join("bug-1.sh");
    run(Command::new("shellcheck").arg("--shell=sh").arg(&script)).expect_code(0);
}

#[test]
fn the_c_stub_ends_as_the_script_does() {
    let workshop = Workshop::new();
    let test = workshop.export(&[]);
    let (source, stub) = (test.join("bug-1-test.c"), workshop.path("stub"));
    for standard in ["-std=c99", "-std=c11"] {
        let mut cc = Command::new("gcc");
        cc.args([standard, "-Wall", "-Wextra", "-Wpedantic", "-Werror"]).arg(&source).arg("-o").arg(&stub);
        run(&mut cc).expect_code(0);
    }
    test_with(&stub, &[]).expect_code(1);
    test_with(&stub, &[Path::new("/no/program")]).expect_code(2);
    workshop.build("-DFIXED");
    test_with(&stub, &[]).expect_code(0);
}

/// JUnit's part is played by two classes of a few lines: the stub must compile and do the right thing.
#[test]
fn the_junit_stub_ends_as_the_script_does() {
    let workshop = Workshop::new();
    let test = workshop.export(&["--kind", "junit"]);
    let api = workshop.path("org/junit/jupiter/api");
    fs::create_dir_all(&api).expect("a folder");
    let written = |path: PathBuf, text: &str| {
        fs::write(&path, text).expect("a file");
        path
    };
    let sources = [
        written(
            api.join("Test.java"),
            "package org.junit.jupiter.api;\n@java.lang.annotation.Retention(java.lang.annotation.RetentionPolicy.RUNTIME)\npublic @interface Test {}\n",
        ),
        written(
            api.join("Assertions.java"),
            "package org.junit.jupiter.api;\npublic class Assertions {\n  public static void assertEquals(int wanted, int found, String what) {\n    if (wanted != found) throw new AssertionError(what + \": \" + found);\n  }\n}\n",
        ),
        written(
            workshop.path("Runner.java"),
            "class Runner {\n  public static void main(String[] none) throws Exception {\n    for (java.lang.reflect.Method method : Bug1Test.class.getDeclaredMethods())\n      if (method.isAnnotationPresent(org.junit.jupiter.api.Test.class)) {\n        method.setAccessible(true);\n        try { method.invoke(new Bug1Test()); }\n        catch (java.lang.reflect.InvocationTargetException e) { System.out.println(e.getCause().getMessage()); System.exit(1); }\n      }\n  }\n}\n",
        ),
        test.join("Bug1Test.java"),
    ];
    let classes = workshop.path("classes");
    let mut javac = Command::new("javac");
    run(javac.arg("-Xlint:all").arg("-Werror").arg("-d").arg(&classes).args(&sources)).expect_code(0);
    let java = |property: &Path| {
        let property = format!("-Dwarpath.test.script={}", property.display());
        let mut java = Command::new("java");
        java.arg(property)
            .arg("-cp")
            .arg(&classes)
            .arg("Runner")
            .env("WARPATH", env!("CARGO_BIN_EXE_warpath"));
        run(&mut java)
    };
    let failed = java(&test.join("bug-1.sh"));
    assert!(failed.expect_code(1).stdout.contains("exit code of bug-1.sh: 1"), "{failed:?}");
    workshop.build("-DFIXED");
    java(&test.join("bug-1.sh")).expect_code(0);
}

/// Every kind of bug can be exported: the test of the program that has it fails.
#[test]
fn of_samples() {
    let cases: [(&str, &[&str]); 5] = [
        ("m0", &[]),
        ("deadlock", &[]),
        ("account", &["--check", "race"]),
        ("stdin", &["--symbolic", "stdin:4"]),
        ("sb", &["--model", "tso"]),
    ];
    for (name, options) in cases {
        let folder = Folder::new();
        let sample: &Sample = named(name);
        let mut command = explore(&sample.program(), &folder, &[options, &["--first"]].concat());
        run_with_input(command.args(&sample.args), b"0000").expect_code(1);
        let (si, test) = (folder.path().join("out/bug-1.si.toml"), folder.path().join("test"));
        run(warpath().arg("export-test").arg(si).arg("--out").arg(&test)).expect_code(0);
        test_with(&test.join("bug-1.sh"), &[]).expect_code(1);
    }
}

#[test]
fn a_run_that_does_not_fail_is_no_bug() {
    let workshop = Workshop::new();
    let si = workshop.path("out/bug-1.si.toml");
    let text = fs::read_to_string(&si).expect("text");
    let without = text.split("[expect]").next().expect("a part").to_owned();
    fs::write(&si, without).expect("a file");
    let mut export = warpath();
    export.arg("export-test").arg(&si).arg("--out").arg(workshop.path("none"));
    run(&mut export).expect_code(2).expect_complaint("does not say what fails");
    assert!(!workshop.path("none").exists());
}
