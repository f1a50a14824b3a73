//! `warpath diagnose` and `warpath export-test` on Java programs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::diagnose::{causes, diagnose, json_of};
use crate::java_verdicts::{agent, classes};
use crate::run::{Folder, Ran, repository, run, warpath};

/// Explores a main class among these until its bug shows; the SI file.
fn bug_of(classes: &Path, main: &str, folder: &Folder) -> PathBuf {
    let out = folder.path().join("out");
    let mut command = warpath();
    command.args(["explore", "-q", "--first", "--solver", "yices", "--out"]).arg(&out);
    run(command.args(["--", "java", "-cp"]).arg(classes).arg(main)).expect_code(1);
    out.join("bug-1.si.toml")
}

fn explained(main: &str) -> Value {
    let folder = Folder::new();
    let json = json_of(&bug_of(&classes(), main, &folder), &["--max-causes", "3"]);
    assert_eq!(json["verdict"], "EXPLAINED", "{main}: {json}");
    let repairs = json["repairs"].as_array().expect("a list");
    assert!(!repairs.is_empty(), "{main} has no repair: {json}");
    let source = format!("{main}.java");
    for repair in repairs {
        // Nothing was run under it, and nobody is told so.
        assert!(repair["verified"].to_string().contains("formula alone"), "{main}: {repair}");
        let edits = repair["sketch"].as_array().expect("a list");
        for edit in edits {
            let line = edit["line"].as_u64().expect("a number");
            assert!(edit["file"] == source.as_str() && line > 0, "{main}: {edit}");
        }
    }
    assert_eq!(json["confirm"], Value::Null, "{main}: {json}");
    for ordering in json["causes"]
        .as_array()
        .into_iter()
        .flatten()
        .flat_map(|cause| cause["orderings"].as_array().cloned().unwrap_or_default())
    {
        for side in [&ordering["first"], &ordering["second"]] {
            assert!(side["where"].as_str().is_some_and(|place| place.starts_with(&source)), "{main}: {side}");
        }
    }
    json
}

#[test]
fn a_java_deadlock_is_two_monitors_in_both_orders() {
    let json = explained("LockOrder");
    assert_eq!(causes(&json), [["T0.0:19 -> T0.1:20", "T0.1:19 -> T0.0:20"]], "{json}");
    assert_eq!((&json["failure"]["kind"], &json["complete"]), (&"deadlock".into(), &true.into()), "{json}");
    assert!(json["sentence"].to_string().contains("locks `monitor(LockOrder@"), "{json}");
}

#[test]
fn a_notification_that_comes_too_early_is_explained() {
    let json = explained("MissedNotify");
    assert_eq!(json["failure"]["kind"], "deadlock", "{json}");
    let said = json["sentence"].to_string();
    assert!(said.contains("`MissedNotify.ready` (MissedNotify.java:20) before"), "{said}");
    assert!(said.contains("wakes a waiter") && said.contains("begins to wait"), "{said}");
}

#[test]
fn what_java_threads_share_is_called_by_its_name() {
    for (main, name) in [("Pool", "Pool@T0:0.idle"), ("Counter", "Counter@T0:0.count")] {
        let json = explained(main);
        assert!(json["sentence"].to_string().contains(&format!("`{name}`")), "{main}: {json}");
        assert_eq!(json["scope"]["kind"], "exhausted", "{main}: {json}");
    }
}

#[test]
fn a_java_failure_can_need_inputs() {
    let json = explained("M");
    assert_eq!(json["input_condition"], "i = 3 and j = 2", "{json}");
    assert_eq!(json["input_dependence"]["others_pass"], true, "{json}");
}

#[test]
fn a_repair_of_a_java_program_is_not_said_to_be_confirmed() {
    let folder = Folder::new();
    let si = bug_of(&classes(), "LockOrder", &folder);
    let told = run(&mut diagnose(&si, &[]));
    let said = &told.expect_code(1).stdout;
    assert!(said.contains("make the change in the source, and explore that"), "{said}");
    assert!(!said.contains("--assume-repair"), "it would be refused: {said}");
}

/// The sample, with its bug or in its fixed variant, compiled into a folder of its own.
fn account(into: &Path, is_fixed: bool) {
    let text =
        fs::read_to_string(repository().join("samples/java/Account.java")).expect("the sample is there");
    let choice = "Boolean.getBoolean(\"fixed\")";
    assert!(text.contains(choice), "{text}");
    fs::create_dir_all(into).expect("a folder");
    let source = into.join("Account.java");
    fs::write(&source, text.replace(choice, if is_fixed { "true" } else { "false" })).expect("a file");
    let mut javac = Command::new("javac");
    run(javac.args(["-g", "-cp"]).arg(agent()).arg("-d").arg(into).arg(&source)).expect_code(0);
}

/// A Maven project whose only test is the exported one: JUnit as our own tests have it.
fn project(folder: &Folder, test: &Path) -> PathBuf {
    let ours = fs::read_to_string(repository().join("tracers/jvm/junit/pom.xml")).expect("our own project");
    let version = |artifact: &str| {
        let after = ours.split(&format!("<artifactId>{artifact}</artifactId>")).nth(1).expect("it is used");
        let version = after.split("<version>").nth(1).and_then(|text| text.split("</version>").next());
        version.expect("a version").to_owned()
    };
    let dependency = |artifact: &str| {
        let version = version(artifact);
        format!(
            "<dependency><groupId>org.junit.jupiter</groupId><artifactId>{artifact}</artifactId>\
             <version>{version}</version><scope>test</scope></dependency>"
        )
    };
    let plugin = |artifact: &str| {
        let version = version(artifact);
        format!(
            "<plugin><groupId>org.apache.maven.plugins</groupId><artifactId>{artifact}</artifactId>\
             <version>{version}</version></plugin>"
        )
    };
    let pom = format!(
        "<project xmlns=\"http://maven.apache.org/POM/4.0.0\"><modelVersion>4.0.0</modelVersion>\
         <groupId>exported</groupId><artifactId>exported</artifactId><version>1</version>\
         <properties><maven.compiler.release>11</maven.compiler.release>\
         <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties>\
         <dependencies>{}{}</dependencies><build><plugins>{}{}</plugins></build></project>\n",
        dependency("junit-jupiter-api"),
        dependency("junit-jupiter-engine"),
        plugin("maven-compiler-plugin"),
        plugin("maven-surefire-plugin"),
    );
    let project = folder.path().join("project");
    for part in ["src/test/java", "src/test/resources"] {
        fs::create_dir_all(project.join(part)).expect("a folder");
    }
    fs::write(project.join("pom.xml"), pom).expect("a file");
    fs::copy(test.join("Bug1Test.java"), project.join("src/test/java/Bug1Test.java")).expect("the stub");
    for file in ["bug-1.sh", "bug-1.si.toml"] {
        fs::copy(test.join(file), project.join("src/test/resources").join(file)).expect("what the stub runs");
    }
    project
}

fn tested(project: &Path) -> Ran {
    let mut maven = Command::new("mvn");
    maven.args(["-B", "-q", "--no-transfer-progress", "test", "-f"]).arg(project);
    run(maven.env("WARPATH", env!("CARGO_BIN_EXE_warpath")).env("WARPATH_TEST_TIME", "30s"))
}

#[test]
fn an_exported_junit_test_fails_until_the_bug_is_gone() {
    let folder = Folder::new();
    let compiled = folder.path().join("classes");
    account(&compiled, false);
    let si = bug_of(&compiled, "Account", &folder);
    let test = folder.path().join("test");
    run(warpath().arg("export-test").arg(&si).arg("--out").arg(&test)).expect_code(0);
    let project = project(&folder, &test);
    let failed = tested(&project);
    assert!(failed.code.is_some_and(|code| code != 0), "the bug is there: {failed:?}");
    assert!(failed.stdout.contains("exit code of bug-1.sh ==> expected: <0> but was: <1>"), "{failed:?}");
    let told = || {
        let report = project.join("target/surefire-reports/TEST-Bug1Test.xml");
        fs::read_to_string(&report).unwrap_or_else(|error| panic!("{}: {error}", report.display()))
    };
    let report = told();
    assert!(report.contains("FAIL: the schedule still leads to a failure"), "{report}");
    account(&compiled, true);
    let passed = tested(&project);
    passed.expect_code(0);
    let report = told();
    assert!(report.contains("tests=\"1\"") && report.contains("failures=\"0\""), "{report}");
    assert!(report.contains("PASS: no schedule with these inputs fails"), "{report}");
}
