//! Leaving off a search: Ctrl-C, and `--state` to take it up again.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;

use crate::explore::{explore, json};
use crate::native::{c_program, eventually, expect_no_process};
use crate::run::{Folder, Ran, ran, run};
use crate::samples::named;

fn started(command: &mut Command) -> Child {
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the command starts")
}

/// Sends Ctrl-C and waits for the end, which must come soon. Two signals at once are one wish.
fn interrupted(child: Child) -> Ran {
    let asked = Instant::now();
    for signal in [Signal::SIGINT, Signal::SIGTERM] {
        kill(Pid::from_raw(child.id() as i32), signal).expect("it can be interrupted");
    }
    let ended = ran(child.wait_with_output().expect("it ends"));
    assert!(asked.elapsed() < Duration::from_secs(20), "it took {:?}: {ended:?}", asked.elapsed());
    ended
}

/// Something of a search: its verdict and its bugs, not how it came there.
fn findings(json: &Value) -> (Value, Value, Vec<Value>) {
    let bug = |bug: &Value| {
        serde_json::json!([bug["kind"], bug["where"], bug["message"], bug["si"], bug["execution"]])
    };
    let bugs = json["bugs"].as_array().expect("a list").iter().map(bug).collect();
    (json["verdict"].clone(), json["exhausted"].clone(), bugs)
}

#[test]
fn a_long_run_is_ended() {
    let program = c_program("computes", "int main(void) { volatile unsigned long n = 0; for (;;) n++; }\n");
    let folder = Folder::new();
    let child = started(&mut explore(&program, &folder, &[]));
    eventually("process of the program", || {
        (!crate::native::processes_of(&program).is_empty()).then_some(())
    });
    let ended = interrupted(child);
    ended.expect_code(3).expect_complaint("stopping");
    assert!(ended.stdout.starts_with("UNKNOWN: "), "{}", ended.stdout);
    assert!(ended.stdout.contains("note: interrupted"), "{}", ended.stdout);
    expect_no_process(&program);
}

#[test]
fn a_long_question_is_ended() {
    // Two factors of a product of two primes.
    let program = crate::samples::once("factors", |path| {
        let source = path.with_extension("c");
        let text = "#include <stdint.h>\n#include <warpath.h>\n\
            int main(void) {\n    uint32_t p, q;\n    warpath_input(&p, sizeof p, \"p\");\n    warpath_input(&q, sizeof q, \"q\");\n    uint64_t a = p, b = q;\n\
            \x20   warpath_assert(a < 2 || b < 2 || a * b != 3267000013ull * 2654435761ull);\n    return 0;\n}\n";
        fs::write(&source, text).expect("the source can be written");
        run(crate::run::warpath().args(["cc", "-g", "-O1", "-pthread"]).arg(&source).arg("-o").arg(path))
            .expect_code(0);
    });
    let folder = Folder::new();
    let child = started(&mut explore(&program, &folder, &["--solver-timeout", "10m"]));
    // The solver runs below a process that guards it.
    eventually("solver at work", || {
        let below = below(child.id() as i32);
        below.iter().any(|pid| cpu_ticks(*pid) > 30).then_some(())
    });
    let ended = interrupted(child);
    ended.expect_code(3);
    assert!(ended.stdout.starts_with("UNKNOWN: "), "{}", ended.stdout);
    expect_no_process(&program);
}

/// All processes below one, over all its threads.
fn below(pid: i32) -> Vec<i32> {
    let mut found = Vec::new();
    let mut open = vec![pid];
    while let Some(pid) = open.pop() {
        let threads = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
        for thread in threads {
            let children = fs::read_to_string(thread.path().join("children")).unwrap_or_default();
            let children: Vec<i32> = children.split_whitespace().filter_map(|pid| pid.parse().ok()).collect();
            open.extend(&children);
            found.extend(children);
        }
    }
    found
}

/// Time that a process has computed, in clock ticks.
fn cpu_ticks(pid: i32) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let after = stat.rsplit_once(") ").map_or("", |(_, after)| after);
    after.split(' ').nth(11).and_then(|ticks| ticks.parse().ok()).unwrap_or(0)
}

fn state(folder: &Folder) -> PathBuf {
    folder.path().join("state")
}

fn with_state<'a>(folder: &'a Folder, state: &'a str, options: &[&'a str], code: i32) -> Value {
    json(named("m9"), folder, &[&["--state", state], options].concat(), code)
}

#[test]
fn a_search_that_was_cut_goes_on() {
    let folder = Folder::new();
    let whole = json(named("m9"), &folder, &[], 1);
    let state = state(&folder);
    let state = state.to_str().expect("UTF-8");
    let mut executions = 0;
    for most in ["1", "3", "4"] {
        let ran = explore_m9(&folder, &["--state", state, "--max-executions", most, "--json", "-"]);
        let part = ran.json();
        let now = part["executions"].as_u64().expect("a number");
        assert_eq!(part["exhausted"], false, "{part}");
        assert!(now > executions, "the count goes on: {executions}, then {now}");
        executions = now;
    }
    let resumed = with_state(&folder, state, &[], 1);
    assert!(resumed["resumed_executions"].as_u64().is_some_and(|count| count > 0), "{resumed}");
    assert_eq!(resumed["verdict"], whole["verdict"]);
    assert_eq!(resumed["exhausted"], whole["exhausted"]);
    let bugs = |json: &Value| findings(json).2.iter().map(|bug| bug[1].clone()).collect::<Vec<_>>();
    assert_eq!(bugs(&resumed), bugs(&whole));
    // Nothing is left to do, and the bugs keep their names and numbers.
    let again = with_state(&folder, state, &[], 1);
    assert_eq!(findings(&again), findings(&resumed));
    assert_eq!(again["executions"], resumed["executions"]);
}

fn explore_m9(folder: &Folder, options: &[&str]) -> Ran {
    run(&mut explore(&named("m9").program(), folder, options))
}

#[test]
fn a_search_that_was_interrupted_goes_on() {
    let folder = Folder::new();
    // Other tests run the sample, too: that nothing of it is left can only be said of a copy.
    let program = folder.path().join("m9");
    run(Command::new("cp").arg(named("m9").program()).arg(&program)).expect_code(0);
    let state = state(&folder);
    let shown = state.to_str().expect("UTF-8");
    let explored = |options: &[&str]| {
        run(&mut explore(&program, &folder, &[options, &["--json", "-"]].concat())).expect_code(1).json()
    };
    let whole = explored(&[]);
    let child = started(&mut explore(&program, &folder, &["--state", shown, "--json", "-"]));
    eventually("run in the state", || state.join("run-2.si.toml").exists().then_some(()));
    let part = interrupted(child);
    assert!(matches!(part.code, Some(1 | 3)), "{part:?}");
    expect_no_process(&program);
    let resumed = explored(&["--state", shown]);
    let (whole, resumed) = (findings(&whole), findings(&resumed));
    assert_eq!((&resumed.0, &resumed.1), (&whole.0, &whole.1));
    let places = |bugs: &[Value]| {
        bugs.iter().map(|bug| [bug[0].clone(), bug[1].clone(), bug[3].clone()]).collect::<Vec<_>>()
    };
    assert_eq!(places(&resumed.2), places(&whole.2));
}

#[test]
fn a_state_of_something_else_is_refused() {
    let folder = Folder::new();
    let state = state(&folder);
    let shown = state.to_str().expect("UTF-8");
    let refused = |program: &Path, options: &[&str], complaint: &str| {
        let ran = run(&mut explore(program, &folder, &[&["--state", shown], options].concat()));
        ran.expect_code(2).expect_complaint(complaint).expect_complaint("help: ");
    };
    let program = named("fig7").program();
    run(&mut explore(&program, &folder, &["--state", shown])).expect_code(0);
    refused(&named("m0").program(), &[], "is the state of another search: of ");
    refused(&program, &["--model", "tso"], "--model was `sc`, and is `tso` now");
    refused(&program, &["--symbolic", "stdin:4"], "--symbolic was ``, and is");
    let run_file = state.join("run-1.si.toml");
    let good = fs::read(&run_file).expect("a run");
    fs::write(&run_file, "schedule = [\"nonsense\"]").expect("it can be written");
    refused(&program, &[], "is damaged");
    fs::remove_file(&run_file).expect("it can be removed");
    refused(&program, &[], "is damaged");
    fs::write(&run_file, good).expect("it can be written");
    let index = state.join("state.json");
    let text = fs::read_to_string(&index).expect("an index");
    for broken in ["", "{}", "not JSON", &text[..text.len() / 2]] {
        fs::write(&index, broken).expect("it can be written");
        refused(&program, &[], "is not the state of a search");
    }
    fs::write(&index, text.replace("warpath.state/1", "warpath.state/9")).expect("it can be written");
    refused(&program, &[], "says it is `warpath.state/9`");
    fs::write(&index, text.replace("\"runs\": ", "\"runs\": 99")).expect("it can be written");
    refused(&program, &[], "is damaged");
    fs::remove_file(&index).expect("it can be removed");
    refused(&program, &[], "has files, but not the state of a search");
    let file = folder.file("plain", "");
    run(&mut explore(&program, &folder, &["--state", file.to_str().expect("UTF-8")])).expect_code(2);
}
