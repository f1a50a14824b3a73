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

pub(crate) fn diagnose(run: &PathBuf, options: &[&str]) -> Command {
    let mut command = warpath();
    command.arg("diagnose").arg(run).args(options);
    if !options.contains(&"--solver") {
        command.args(["--solver", "yices"]);
    }
    command
}

pub(crate) fn json_of(si: &PathBuf, options: &[&str]) -> Value {
    run(&mut diagnose(si, &[options, &["--json", "-"]].concat())).expect_code(1).json()
}

/// The lines of each cause: `first -> second`, sorted.
pub(crate) fn causes(json: &Value) -> Vec<Vec<String>> {
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
        let ways = [
            &["--solver", "yices", "--jobs", "1"][..],
            &["--solver", "yices", "--jobs", "2"],
            &["--solver", "z3", "--jobs", "2"],
            &["--solver", "z3", "--max-sat"],
            &["--solver", "cvc5", "--jobs", "1", "--max-sat"],
        ];
        let found = ways.map(|way| {
            let json = json_of(&si, way);
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

/// A program that fails after all threads have ended, under a condition on `i`.
fn after_all(name: &str, fails_when: &str, folder: &Folder) -> PathBuf {
    let source = format!(
        "#include <pthread.h>\n#include <warpath.h>\nstatic volatile int x;\n\
        static void *f(void *u) {{ x = 1; return u; }}\n\
        int main(void) {{ pthread_t t; int i; warpath_input(&i, sizeof i, \"i\");\n\
        pthread_create(&t, 0, f, 0); pthread_join(t, 0);\n\
        if ({fails_when}) warpath_assert(x == 2);\nreturn 0; }}\n"
    );
    let (source, program) = (folder.file(&format!("{name}.c"), &source), folder.path().join(name));
    run(warpath().args(["cc", "-g", "-O1", "-pthread"]).arg(source).arg("-o").arg(&program)).expect_code(0);
    run(&mut explore(&program, folder, &["--first", "-q"])).expect_code(1);
    folder.path().join("out/bug-1.si.toml")
}

#[test]
fn a_failure_under_every_schedule_can_need_an_input() {
    let folder = Folder::new();
    let si = after_all("needs-input", "i > 6 && i < 9", &folder);
    let json = json_of(&si, &[]);
    json_doc::check("warpath.diagnose/1", &[json.clone(), json_of(&bug_of(named("m0"), "sc", &folder), &[])]);
    assert_eq!(json["verdict"], "INPUT-DEPENDENT", "{json}");
    assert_eq!(json["input_condition"], "7 <= i <= 8", "{json}");
    let inputs = &json["input_dependence"];
    for proved in ["necessary", "sufficient", "always_fails", "others_pass"] {
        assert_eq!(inputs[proved], true, "{proved}: {json}");
    }
    assert_eq!(inputs["others"]["i"], 0, "{json}");
}

#[test]
fn a_condition_that_is_no_few_intervals_is_an_expression() {
    let folder = Folder::new();
    let json = json_of(&after_all("even", "(i & 1) == 0", &folder), &[]);
    let said = json["input_condition"].as_str().expect("a condition");
    assert!(said.contains("& 1") && said.ends_with("= 0"), "{said}");
    let proved = ["necessary", "sufficient"].map(|what| json["input_dependence"][what] == true);
    assert_eq!(proved, [true, true], "{json}");
}

#[test]
fn a_condition_that_is_too_long_is_the_interval_around_it() {
    let fails = |i: i32| {
        (i + 9) * i % 17 == 6
            || (i * 3 + 1) % 19 == 8
            || (i ^ 5) % 11 == 2
            || i * i % 13 == 4
            || i * 7 % 23 == 3
    };
    let failing: Vec<i32> = (20..90).filter(|&i| fails(i)).collect();
    let fails_when = "i >= 20 && i < 90 && ((i + 9) * i % 17 == 6 || (i * 3 + 1) % 19 == 8 || \
        (i ^ 5) % 11 == 2 || i * i % 13 == 4 || i * 7 % 23 == 3)";
    let folder = Folder::new();
    let json = json_of(&after_all("long", fails_when, &folder), &[]);
    let around = format!("{} <= i <= {}", failing[0], failing[failing.len() - 1]);
    assert_eq!(json["input_condition"], around.as_str(), "{json}");
    let proved =
        ["necessary", "sufficient", "always_fails"].map(|what| json["input_dependence"][what] == true);
    assert_eq!(proved, [true, false, false], "not each of these inputs fails: {json}");
}

#[test]
fn a_failure_can_need_no_input() {
    let folder = Folder::new();
    let json = json_of(&after_all("needs-none", "i != 4 || x == 1", &folder), &[]);
    assert_eq!(
        (&json["verdict"], &json["input_condition"]),
        (&"EVERY-SCHEDULE".into(), &Value::Null),
        "{json}"
    );
    let said = json["sentence"].as_str().expect("a sentence");
    assert!(said.ends_with("it fails under every schedule, whatever the inputs"), "{said}");
}

#[test]
fn samples_say_which_inputs_they_need() {
    let conditions = [
        ("m0", "i = 3 and j = 2"),
        ("m1", "i = 3 and j = 2 and k1 = 10"),
        ("addall", "4 <= count <= 8"),
        ("apachelog", "2 <= size <= 8"),
        ("bluetooth", "(stops1 != 1 and stops2 = 1) or (stops1 = 1 and stops2 != 1)"),
    ];
    for (name, condition) in conditions {
        let folder = Folder::new();
        let si = bug_of(named(name), "sc", &folder);
        let json = json_of(&si, &["--no-repairs", "--max-causes", "1"]);
        let inputs = &json["input_dependence"];
        assert_eq!(json["input_condition"], condition, "{name}: {inputs}");
        assert_eq!(inputs["scope"]["kind"], "exhausted", "{name}: {inputs}");
        let proved =
            ["necessary", "sufficient", "others_pass", "always_fails"].map(|what| inputs[what] == true);
        assert_eq!(proved, [true, true, true, false], "{name}: {inputs}");
    }
}

#[test]
fn of_a_bounded_search_no_more_is_said_than_is_known() {
    let folder = Folder::new();
    let si = bug_of(named("addall"), "sc", &folder);
    let json = json_of(&si, &["--max-executions", "4", "--no-repairs"]);
    let inputs = &json["input_dependence"];
    assert_eq!(
        (&inputs["scope"]["kind"], &inputs["necessary"]),
        (&"bounded".into(), &false.into()),
        "{json}"
    );
    assert_eq!(inputs["others_pass"], false, "{json}");
    let said = inputs["sentence"].as_str().expect("a sentence");
    assert!(!said.contains("only") && !said.contains("under every schedule"), "{said}");
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
fn colours_are_for_terminals() {
    let folder = Folder::new();
    let si = bug_of(named("mysql-169"), "sc", &folder);
    let line = format!(
        "'{}' diagnose '{}' --solver yices --no-repairs",
        env!("CARGO_BIN_EXE_warpath"),
        si.display()
    );
    let on_terminal = |no_color: &str, kind: &str| {
        let mut terminal = Command::new("script");
        terminal.args(["-qec", &line, "/dev/null"]).env("NO_COLOR", no_color).env("TERM", kind);
        let seen = run_with_input(&mut terminal, b"");
        seen.expect_code(1);
        seen.stdout
    };
    let shown = on_terminal("", "xterm");
    for what in ["\u{1b}[1;31mEXPLAINED\u{1b}[0m", "\u{1b}[36m@mysql169.c:33\u{1b}[0m", "◄─┘\u{1b}[0m"]
    {
        assert!(shown.contains(what), "no {what:?} in {shown:?}");
    }
    for plain in [on_terminal("1", "xterm"), on_terminal("", "dumb"), run(&mut diagnose(&si, &[])).stdout] {
        assert!(plain.contains("EXPLAINED") && !plain.contains('\u{1b}'), "{plain:?}");
    }
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
