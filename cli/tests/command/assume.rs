//! `warpath explore --assume-repair`: a program as if it had been repaired.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicUsize;

use serde_json::Value;
use warpath_trace::repair::{How, Region, RepairFile, Rule, Spot};

use crate::diagnose::{bug_of, diagnose, json_of};
use crate::explore::explore;
use crate::native::{c_program, run_with_input};
use crate::run::{Folder, Ran, run, warpath};
use crate::samples::{Sample, expect_of_each, is_nightly, named, once};

/// Writes a repair.
fn written(folder: &Folder, rules: &[Rule]) -> PathBuf {
    let file = folder.path().join("repair.toml");
    let repair = RepairFile::new(String::new(), String::new(), rules.to_vec());
    fs::write(&file, repair.print().expect("a repair")).expect("a file");
    file
}

/// Explores a sample under a repair.
fn under(sample: &Sample, repair: &Path, folder: &Folder, options: &[&str]) -> Ran {
    let repair = repair.display().to_string();
    let options = [options, &["--assume-repair", &repair]].concat();
    let mut command = explore(&sample.program(), folder, &options);
    run_with_input(command.args(&sample.args), &sample.symbolic().1)
}

fn json_under(sample: &Sample, rules: &[Rule], folder: &Folder, options: &[&str]) -> Value {
    let file = written(folder, rules);
    let ran = under(sample, &file, folder, &[options, &["-q", "--json", "-"]].concat());
    assert!(matches!(ran.code, Some(0 | 1 | 3)), "{}: {}", sample.name, ran.stderr);
    ran.json()
}

fn rules_of(repair: &Value) -> Vec<Rule> {
    serde_json::from_value(repair["rules"].clone()).expect("rules")
}

fn spot(file: &str, function: &str, line: u32) -> Spot {
    Spot { file: file.into(), line, function: function.into() }
}

#[test]
fn a_program_is_safe_under_its_best_repair() {
    for name in ["mysql-169", "deadlock", "transmission-1.42", "thesis-3-3", "airline"] {
        let folder = Folder::new();
        let si = bug_of(named(name), "sc", &folder);
        let file = folder.path().join("repair.toml");
        run(diagnose(&si, &[]).arg("--repair-out").arg(&file)).expect_code(1);
        let ran = under(named(name), &file, &folder, &[]);
        let said = format!("SAFE: everything reachable under the repair of {} was explored", file.display());
        assert!(ran.expect_code(0).stdout.starts_with(&said), "{name}: {}", ran.stdout);
    }
}

#[test]
fn fences_are_confirmed_under_tso() {
    let folder = Folder::new();
    let sample = named("sb");
    let si = bug_of(sample, "tso", &folder);
    let json = json_of(&si, &[]);
    let repairs = json["repairs"].as_array().expect("a list");
    let fences = repairs.iter().find(|repair| repair["kind"] == "fences").expect("a fence repairs it");
    let found = json_under(sample, &rules_of(fences), &folder, &["--model", "tso"]);
    assert_eq!(found["verdict"], "SAFE", "{found}");
    // A fence in one thread is not enough.
    let half = [Rule::Fences { before: vec![spot("sb.c", "write_x", 11)] }];
    let found = json_under(sample, &half, &folder, &["--model", "tso"]);
    assert_eq!(found["verdict"], "BUG", "{found}");
}

#[test]
fn the_command_that_diagnosis_names_confirms_the_repair() {
    let folder = Folder::new();
    let si = bug_of(named("m0"), "sc", &folder);
    let file = folder.path().join("repair.toml");
    let ran = run(diagnose(&si, &["--json", "-"]).arg("--repair-out").arg(&file));
    let confirm = ran.expect_code(1).json()["confirm"].as_str().expect("a command").to_owned();
    let words: Vec<&str> = confirm.split(' ').collect();
    assert_eq!(words[..3], ["warpath", "explore", "--assume-repair"], "{confirm}");
    assert!(confirm.contains(" --inputs-of "), "{confirm}");
    let ran = run(warpath().args(&words[1..]));
    assert!(ran.expect_code(0).stdout.starts_with("SAFE"), "{}", ran.stdout);
    let told = run(&mut diagnose(&si, &[]));
    assert!(
        told.stdout.contains("confirm the first: add --repair-out repair.toml, then "),
        "{}",
        told.stdout
    );
}

#[test]
fn a_lock_elsewhere_is_no_repair_and_what_it_leaves_replays_under_it() {
    let folder = Folder::new();
    let sample = named("mysql-169");
    let si = bug_of(sample, "sc", &folder);
    let mut rules = rules_of(&json_of(&si, &[])["repairs"][0]);
    let Some(Rule::CriticalSections { regions }) = rules.first_mut() else { panic!("{rules:?}") };
    // Only the second statement of each.
    regions.iter_mut().for_each(|region| region.from = region.to);
    let json = json_under(sample, &rules, &folder, &[]);
    assert_eq!((&json["verdict"], &json["bugs"][0]["kind"]), (&"BUG".into(), &"assertion".into()), "{json}");
    assert!(json["reason"].as_str().is_some_and(|reason| reason.contains("under the repair of")), "{json}");
    assert_eq!(json["assumed_repair"], folder.path().join("repair.toml").display().to_string());
    let si = json["bugs"][0]["si"].as_str().expect("a file");
    let replayed = run(warpath().args(["replay", "--times", "3", si]));
    assert!(replayed.expect_code(1).stdout.starts_with("REPRODUCED"), "{}", replayed.stdout);
    let text = fs::read_to_string(si).expect("a file");
    assert!(text.contains("[[repair]]") && text.contains("lock repair"), "{text}");
    // It is explained under the repair, too: what is added to it makes a whole.
    let json = json_of(&PathBuf::from(si), &[]);
    assert_eq!(json["verdict"], "EXPLAINED", "{json}");
    let both = rules_of(&json["repairs"][0]);
    assert_eq!(both[..1], rules[..], "{json}");
    assert_eq!(json_under(sample, &both, &folder, &[])["verdict"], "SAFE");
    // Without it the schedule is of another program.
    let without: String =
        text.split("\n[").filter(|part| !part.starts_with("[repair")).collect::<Vec<_>>().join("\n[");
    fs::write(si, without).expect("a file");
    let replayed = run(warpath().args(["replay", si]));
    assert!(replayed.expect_code(3).stdout.contains("lock repair"), "{}", replayed.stdout);
}

#[test]
fn a_repair_that_makes_threads_wait_for_ever_is_a_deadlock() {
    let folder = Folder::new();
    let wait = |before, until| Rule::Wait { before, until, how: How::Once, threads: Vec::new() };
    let (delete, insert) =
        (|line| spot("mysql169.c", "delete_all", line), |line| spot("mysql169.c", "insert", line));
    let rules = [wait(delete(23), insert(33)), wait(insert(32), delete(24))];
    let json = json_under(named("mysql-169"), &rules, &folder, &[]);
    assert_eq!((&json["verdict"], &json["bugs"][0]["kind"]), (&"BUG".into(), &"deadlock".into()), "{json}");
    let waits = json["bugs"][0]["waits"].to_string();
    assert!(waits.contains("`repair`") && waits.contains("`repair_2`"), "{json}");
}

#[test]
fn a_lock_inside_out_is_a_deadlock() {
    let folder = Folder::new();
    // The one thread comes to the new lock with the mutex, the other to the mutex with the new lock.
    let region =
        |function: &str, from, to| Region { file: "deadlock.c".into(), function: function.into(), from, to };
    let rules =
        [Rule::CriticalSections { regions: vec![region("to_right", 11, 11), region("to_left", 23, 24)] }];
    let json = json_under(named("deadlock"), &rules, &folder, &[]);
    assert_eq!(json["verdict"], "BUG", "{json}");
    let kinds: Vec<&Value> =
        json["bugs"].as_array().expect("a list").iter().map(|bug| &bug["kind"]).collect();
    assert!(kinds.iter().all(|kind| **kind == "deadlock") && !kinds.is_empty(), "{json}");
    assert!(json["bugs"].to_string().contains("`repair`"), "{json}");
}

/// Threads that go through the same lines: in a loop, recursively, by early returns.
const WAYS: &str = "#include <assert.h>\n#include <pthread.h>\n\
static volatile int x, inside;\n\
static void step(void) { inside++; assert(inside == 1); inside--; }\n\
static int way(int n)\n\
{\n\
    step();\n\
    if (n == 0)\n\
        return 1;\n\
    return way(n - 1) + x;\n\
}\n\
static void *run(void *u)\n\
{\n\
    for (int n = 0; n < 2; n++)\n\
        way(n);\n\
    x++;\n\
    return u;\n\
}\n\
int main(void)\n\
{\n\
    pthread_t t;\n\
    pthread_create(&t, 0, run, 0);\n\
    way(0);\n\
    pthread_join(t, 0);\n\
    return 0;\n\
}\n";

#[test]
fn a_section_ends_however_control_leaves_it() {
    let folder = Folder::new();
    let program = c_program("ways", WAYS);
    let region = |from, to| Region { file: "ways.c".into(), function: "way".into(), from, to };
    for (regions, verdict) in [
        (vec![region(7, 7)], "SAFE"),
        (vec![region(7, 9)], "SAFE"),
        (vec![region(6, 11)], "SAFE"),
        (vec![region(10, 10)], "BUG"),
    ] {
        let file = written(&folder, &[Rule::CriticalSections { regions: regions.clone() }]);
        let mut options: Vec<&str> = vec!["-q", "--json", "-", "--assume-repair"];
        let file = file.display().to_string();
        options.push(&file);
        let json = run(&mut explore(&program, &folder, &options)).json();
        assert_eq!(json["verdict"], verdict, "{regions:?}: {json}");
    }
}

#[test]
fn who_is_waited_for_may_do_nothing_there_that_others_notice() {
    let source = "#include <assert.h>\n#include <pthread.h>\n\
        static volatile int x, own;\n\
        static void *f(void *u)\n{\n    x = 1;\n    own = 2;\n    return u;\n}\n\
        int main(void)\n{\n    pthread_t t;\n    pthread_create(&t, 0, f, 0);\n    assert(x == 1);\n\
        \x20   pthread_join(t, 0);\n    return 0;\n}\n";
    let folder = Folder::new();
    let program = c_program("unnoticed", source);
    for (until, verdict) in [(6, "SAFE"), (7, "SAFE")] {
        let rule = Rule::Wait {
            before: spot("unnoticed.c", "main", 14),
            until: spot("unnoticed.c", "f", until),
            how: How::Once,
            threads: Vec::new(),
        };
        let file = written(&folder, &[rule]).display().to_string();
        let options = ["-q", "--json", "-", "--assume-repair", &file];
        let json = run(&mut explore(&program, &folder, &options)).json();
        assert_eq!(json["verdict"], verdict, "after line {until}: {json}");
    }
}

#[test]
fn to_join_at_once_who_needs_the_parent_is_a_deadlock() {
    let source = "#include <pthread.h>\n#include <semaphore.h>\n\
        static sem_t go;\n\
        static void *f(void *u)\n{\n    sem_wait(&go);\n    return u;\n}\n\
        static void *g(void *u)\n{\n    sem_post(&go);\n    return u;\n}\n\
        int main(void)\n{\n    pthread_t s, t;\n    sem_init(&go, 0, 0);\n    pthread_create(&s, 0, f, 0);\n\
        \x20   pthread_create(&t, 0, g, 0);\n    pthread_join(s, 0);\n    pthread_join(t, 0);\n    return 0;\n}\n";
    let folder = Folder::new();
    let program = c_program("join-at-once", source);
    for (after, verdict) in [(18, "BUG"), (19, "SAFE")] {
        let file = written(&folder, &[Rule::JoinAtOnce { after: spot("join-at-once.c", "main", after) }]);
        let file = file.display().to_string();
        let options = ["-q", "--json", "-", "--assume-repair", &file];
        let json = run(&mut explore(&program, &folder, &options)).json();
        assert_eq!(json["verdict"], verdict, "after line {after}: {json}");
        if verdict == "BUG" {
            assert_eq!(json["bugs"][0]["kind"], "deadlock", "{json}");
            assert!(json["bugs"][0]["waits"].to_string().contains("T0.0"), "{json}");
        }
    }
}

#[track_caller]
fn refused(program: &Path, text: &str, folder: &Folder) -> String {
    let file = folder.path().join("repair.toml");
    fs::write(&file, text).expect("a file");
    let file = file.display().to_string();
    let ran = run(&mut explore(program, folder, &["--assume-repair", &file]));
    ran.expect_code(2);
    assert!(ran.stdout.is_empty() && ran.stderr.starts_with("error: "), "{ran:?}");
    ran.stderr
}

#[test]
fn what_is_no_repair_of_the_program_is_refused_in_a_sentence() {
    let folder = Folder::new();
    let program = named("mysql-169").program();
    let region = Region { file: "mysql169.c".into(), function: "delete_all".into(), from: 23, to: 24 };
    let good = |region: &Region| {
        let rules = vec![Rule::CriticalSections { regions: vec![region.clone()] }];
        RepairFile::new(String::new(), String::new(), rules).print().expect("a repair")
    };
    let text = good(&region);
    let refuse = |text: &str| refused(&program, text, &folder);
    assert!(refuse("\u{1}\u{2}rubbish").contains("not a repair file"));
    assert!(refuse("").contains("not a repair file"));
    let cut = &text[..text.find("from").expect("a field")];
    assert!(refuse(cut).contains("not a repair file"), "{cut}");
    assert!(refuse(&text.replace("repair/1", "repair/9")).contains("`warpath.repair/9`"));
    let elsewhere = refuse(&good(&Region { to: 5000, from: 5000, ..region.clone() }));
    assert!(
        elsewhere.contains("mysql169.c:5000 in `delete_all` does not occur in the line table"),
        "{elsewhere}"
    );
    let other = refuse(&good(&Region { function: "insert".into(), ..region.clone() }));
    assert!(other.contains("mysql169.c:23-24 in `insert` does not occur"), "{other}");
    assert!(refused(&named("deadlock").program(), &text, &folder).contains("does not occur"));
    let plain = once("without-lines", |path| {
        let source = path.with_extension("c");
        fs::write(&source, "int main(void) { return 0; }\n").expect("a file");
        run(Command::new("gcc").arg(&source).arg("-o").arg(path)).expect_code(0);
    });
    assert!(refused(&plain, &text, &folder).contains("has no debug information"));
    let missing = folder.path().join("missing.toml").display().to_string();
    run(&mut explore(&program, &folder, &["--assume-repair", &missing]))
        .expect_code(2)
        .expect_complaint("missing.toml");
}

#[test]
fn a_search_is_not_taken_up_under_another_repair() {
    let folder = Folder::new();
    let sample = named("mysql-169");
    let state = folder.path().join("state").display().to_string();
    let region = Region { file: "mysql169.c".into(), function: "insert".into(), from: 32, to: 33 };
    let file = written(&folder, &[Rule::CriticalSections { regions: vec![region] }]);
    let options = ["-q", "--state", state.as_str()];
    under(sample, &file, &folder, &options).expect_code(1);
    under(sample, &file, &folder, &options).expect_code(1);
    run(&mut explore(&sample.program(), &folder, &options))
        .expect_code(2)
        .expect_complaint("--assume-repair");
}

/// The next sample that nobody has taken.
static NEXT: AtomicUsize = AtomicUsize::new(0);

/// What diagnosis promises of repairs and running under them refutes. By day the best repair of the thesis' patterns,
/// at night all of all.
fn promises(sample: &Sample) -> Vec<String> {
    let of_thesis = sample.notes.contains("ConcBugAssist");
    let bugs = sample.expect.iter().filter(|expected| expected.verdict == "bug");
    let mut wrong = Vec::new();
    for expected in bugs.filter(|expected| is_nightly() || (of_thesis && !expected.long)) {
        let folder = Folder::new();
        let si = bug_of(sample, &expected.model, &folder);
        let time = if is_nightly() { "60s" } else { "8s" };
        let json = json_of(&si, &["--time", time, "--jobs", "1"]);
        let repairs = json["repairs"].as_array().expect("a list");
        for repair in repairs.iter().take(if is_nightly() { usize::MAX } else { 1 }) {
            let si = si.display().to_string();
            let options = ["--model", &expected.model, "--inputs-of", &si, "--time", time, "--jobs", "1"];
            let found = json_under(sample, &rules_of(repair), &Folder::new(), &options);
            let other = json["other_failures"].as_array().is_some_and(|others| !others.is_empty());
            if found["verdict"] == "BUG" && !other {
                let (name, model) = (&sample.name, &expected.model);
                wrong.push(format!(
                    "{name} under {model}: {}: {}",
                    repair["sentence"], found["bugs"][0]["message"]
                ));
            }
        }
    }
    wrong
}

const RULE: &str = "a program does not fail under a repair that diagnosis offers";

#[test]
fn repairs_hold_when_programs_run_under_them() {
    expect_of_each(&NEXT, RULE, promises);
}

#[test]
fn repairs_hold_when_programs_run_under_them_too() {
    expect_of_each(&NEXT, RULE, promises);
}
