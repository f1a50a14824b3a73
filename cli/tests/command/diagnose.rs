//! `warpath diagnose`: causes, repairs and scope, on real programs and on traces.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::AtomicUsize;

use serde_json::Value;

use crate::explore::explore;
use crate::json_doc;
use crate::native::{c_program, run_with_input};
use crate::run::{Folder, Ran, repository, run, warpath};
use crate::samples::{Sample, expect_of_each, is_nightly, named};

/// Explores a sample until its bug shows under a memory model; the SI file.
pub(crate) fn bug_of(sample: &Sample, model: &str, folder: &Folder) -> PathBuf {
    let mut options = vec!["--first".to_owned(), "-q".into(), "--model".into(), model.to_owned()];
    let (symbolic, input) = sample.symbolic();
    options.extend(symbolic);
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    let mut command = explore(&sample.program(), folder, &options);
    run_with_input(command.args(&sample.args), &input).expect_code(1);
    folder.path().join("out/bug-1.si.toml")
}

fn diagnose(run: &PathBuf, options: &[&str]) -> Command {
    let mut command = warpath();
    command.arg("diagnose").arg(run).args(options);
    if !options.contains(&"--solver") {
        command.args(["--solver", "yices"]);
    }
    command
}

fn json_of(si: &PathBuf, options: &[&str]) -> Value {
    run(&mut diagnose(si, &[options, &["--json", "-"]].concat())).expect_code(1).json()
}

/// The lines of each cause: `first -> second`, sorted.
fn causes(json: &Value) -> Vec<Vec<String>> {
    let side = |side: &Value| format!("{}:{}", side["thread"].as_str().unwrap_or("?"), side["line"]);
    let list = json["causes"].as_array().expect("a list");
    let one = |cause: &Value| {
        let orderings = cause["orderings"].as_array().expect("a list");
        let mut words: Vec<String> = orderings
            .iter()
            .map(|ordering| format!("{} -> {}", side(&ordering["first"]), side(&ordering["second"])))
            .collect();
        words.sort();
        words
    };
    list.iter().map(one).collect()
}

#[test]
fn the_running_example_of_the_thesis_has_one_cause() {
    let folder = Folder::new();
    let si = bug_of(named("thesis-3-3"), "sc", &folder);
    let json = json_of(&si, &[]);
    json_doc::check("warpath.diagnose/1", std::slice::from_ref(&json));
    assert_eq!(causes(&json), [["T0.0:12 -> T0:21", "T0:20 -> T0.0:12"]], "{json}");
    assert_eq!((&json["verdict"], &json["complete"]), (&"EXPLAINED".into(), &true.into()), "{json}");
    assert_eq!(json["scope"]["kind"], "exhausted", "{json}");
    assert!(json["passing"].is_array(), "{json}");
}

#[test]
fn the_mysql_example_of_the_thesis_has_two_causes() {
    let folder = Folder::new();
    let si = bug_of(named("mysql-169"), "sc", &folder);
    let mut found = causes(&json_of(&si, &[]));
    found.sort();
    let wanted = [["T0.0:23 -> T0.1:32", "T0.1:33 -> T0.0:24"], ["T0.0:24 -> T0.1:33", "T0.1:32 -> T0.0:23"]];
    assert_eq!(found, wanted);
    let text = run(&mut diagnose(&si, &[]));
    text.expect_code(1);
    for what in
        ["EXPLAINED assertion: ", "Cause 2 of 2: ", "of 2 orderings", "◄─┘", "Repair 1 of ", "lock(repair);"]
    {
        assert!(text.stdout.contains(what), "no `{what}` in:\n{}", text.stdout);
    }
    assert!(!text.stdout.contains('\u{1b}'), "colours are for terminals");
}

#[test]
fn a_deadlock_is_two_acquisitions_in_both_orders() {
    let folder = Folder::new();
    let si = bug_of(named("deadlock"), "sc", &folder);
    let json = json_of(&si, &[]);
    let wanted = [["T0.0:10 -> T0.1:24", "T0.1:23 -> T0.0:11"]];
    assert_eq!(causes(&json), wanted, "{json}");
    json_doc::check("warpath.diagnose/1", std::slice::from_ref(&json));
}

#[test]
fn causes_and_repairs_do_not_depend_on_solver_or_jobs() {
    for name in ["lazy01", "reorder", "useafterfree"] {
        let folder = Folder::new();
        let si = bug_of(named(name), "sc", &folder);
        let ways = [["yices", "1"], ["yices", "2"], ["z3", "2"], ["cvc5", "1"]];
        let found = ways.map(|[solver, jobs]| {
            let json = json_of(&si, &["--solver", solver, "--jobs", jobs]);
            (causes(&json), json["iterations"].clone(), json["repairs"].clone())
        });
        for (way, one) in ways.iter().zip(&found) {
            assert_eq!(one, &found[0], "{name}: {way:?} and {:?} differ", ways[0]);
        }
    }
}

#[test]
fn what_fails_under_every_schedule_is_no_concurrency_bug() {
    let folder = Folder::new();
    let source = "#include <assert.h>\n#include <pthread.h>\nstatic volatile int x;\n\
        static void *f(void *u) { x = 1; return u; }\n\
        int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0);\n\
        assert(x == 2); return 0; }\n";
    let program = c_program("every-schedule", source);
    run(&mut explore(&program, &folder, &["--first", "-q"])).expect_code(1);
    let json = json_of(&folder.path().join("out/bug-1.si.toml"), &[]);
    assert_eq!(json["verdict"], "EVERY-SCHEDULE", "{json}");
    assert!(
        json["sentence"].as_str().is_some_and(|text| text.contains("fails under every schedule")),
        "{json}"
    );
}

#[test]
fn a_trace_is_explained_by_itself() {
    let trace = repository().join("samples/golden/fig6-failing.wpt.txt");
    let json = json_of(&trace, &[]);
    assert_eq!(
        (&json["verdict"], &json["scope"]["kind"]),
        (&"EXPLAINED".into(), &"trace-only".into()),
        "{json}"
    );
    assert!(!causes(&json).is_empty(), "{json}");
}

#[test]
fn a_run_that_passed_needs_no_explanation() {
    let trace = repository().join("samples/golden/fig6.wpt.txt");
    let ran: Ran = run(&mut diagnose(&trace, &[]));
    assert!(ran.expect_code(0).stdout.starts_with("PASSED"), "{}", ran.stdout);
}

#[test]
fn the_best_repair_is_written() {
    let folder = Folder::new();
    let si = bug_of(named("counter-seq"), "sc", &folder);
    let file = folder.path().join("repair.toml");
    run(diagnose(&si, &[]).arg("--repair-out").arg(&file)).expect_code(1);
    let text = fs::read_to_string(&file).expect("a repair");
    assert!(text.contains("format = \"warpath.repair/1\""), "{text}");
    assert!(text.contains("critical-sections"), "{text}");
}

/// The next sample that nobody has taken.
static NEXT: AtomicUsize = AtomicUsize::new(0);

/// What is wrong with what is said of a sample with a bug: it has a cause, and a repair. The patterns of the thesis
/// every time, the others only at night.
fn explain(sample: &Sample) -> Vec<String> {
    let of_thesis = sample.notes.contains("ConcBugAssist");
    let bugs = sample.expect.iter().filter(|expected| expected.verdict == "bug");
    let mut wrong = Vec::new();
    for expected in bugs.filter(|expected| is_nightly() || (of_thesis && !expected.long)) {
        let folder = Folder::new();
        let si = bug_of(sample, &expected.model, &folder);
        let time = if is_nightly() { "90s" } else { "20s" };
        let json = json_of(&si, &["--time", time, "--jobs", "1"]);
        let some = |what: &str| json[what].as_array().is_some_and(|list| !list.is_empty());
        if json["verdict"] != "EXPLAINED" || !some("causes") || !some("repairs") {
            wrong.push(format!("{} under {}: {}", sample.name, expected.model, json["sentence"]));
        }
    }
    wrong
}

const RULE: &str = "a bug has a cause and a repair";

#[test]
fn samples_with_a_bug_have_causes_and_repairs() {
    expect_of_each(&NEXT, RULE, explain);
}

#[test]
fn samples_with_a_bug_have_causes_and_repairs_too() {
    expect_of_each(&NEXT, RULE, explain);
}
