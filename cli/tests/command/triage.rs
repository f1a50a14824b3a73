//! `warpath triage`: many traces, by cause.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;

use crate::browser::Browser;
use crate::json_doc;
use crate::native::eventually;
use crate::run::{Folder, Ran, ran, repository, run, warpath};
use crate::{sarif_rules, sarif_schema};

/// A run of `fig6.c` in which the assertion failed.
const FAILED: &str = "warpath-trace 1\nprogram \"./fig6\"\nthread T0\nthread T0.0\nthread T0.1\nglobal x 4 = 0\n\
    T0 begin\nT0 fork T0.0\nT0 fork T0.1\nT0.1 begin\nT0.1 w x 1 @fig6.c:3\nT0.1 end\nT0.0 begin\n\
    T0.0 r x $a=1 @fig6.c:1\nT0.0 r x $b=1 @fig6.c:2\n\
    T0.0 fail assertion \"r1+r2<2\" @fig6.c:2:7\noutcome failed assertion\n";

/// A run of `deadlock.c` that hung, with the waits at the end.
const HUNG: &str = "warpath-trace 1\nprogram \"./deadlock\"\nthread T0\nthread T0.0\nthread T0.1\nsync a\nsync b\n\
    T0 begin\nT0 init a mutex\nT0 init b mutex\nT0 fork T0.0 @deadlock.c:18\nT0 fork T0.1 @deadlock.c:19\n\
    T0.0 begin\nT0.1 begin\nT0.0 lock a @deadlock.c:4\nT0.1 lock b @deadlock.c:11\n\
    T0.0 lock b pending @deadlock.c:5\nT0.1 lock a pending @deadlock.c:12\nT0 join T0.0 pending @deadlock.c:20\n\
    outcome unknown\n";

pub(crate) fn sample(name: &str) -> PathBuf {
    repository().join("samples/traces").join(format!("{name}.wpt.txt"))
}

/// Puts a binary trace of a sample into a folder.
pub(crate) fn pack(folder: &Path, name: &str, from: &str) -> PathBuf {
    fs::create_dir_all(folder).expect("a folder");
    let path = folder.join(format!("{name}.wpt"));
    run(warpath().arg("pack").arg(sample(from)).arg("-o").arg(&path)).expect_code(0);
    path
}

/// Traces of several programs: some pass, two failed, and one is of no use.
fn traces(folder: &Folder) -> PathBuf {
    let monday = folder.path().join("monday");
    for (name, from) in [
        ("deadlock-1", "deadlock"),
        ("deadlock-2", "deadlock"),
        ("deadlock-3", "deadlock"),
        ("fig6-1", "fig6"),
        ("fig6-2", "fig6"),
        ("fig7", "fig7-second"),
        ("fig8", "fig8-a"),
        ("addall", "addall"),
    ] {
        pack(&monday, name, from);
    }
    let tuesday = monday.join("later/still");
    fs::create_dir_all(&tuesday).expect("a folder");
    fs::write(tuesday.join("failed.wpt.txt"), FAILED).expect("a trace");
    fs::write(tuesday.join("hung.wpt.txt"), HUNG).expect("a trace");
    fs::write(tuesday.join("notes.txt"), "no trace").expect("a file");
    fs::write(tuesday.join("<core>.wpt"), "no trace either").expect("a file");
    monday
}

/// The command, in a folder: results lie in `out` there.
pub(crate) fn triage(folder: &Folder, traces: &Path, options: &[&str]) -> Command {
    let mut command = warpath();
    command.current_dir(folder.path()).arg("triage").arg(traces).args(["--solver", "yices", "--json", "-"]);
    command.args(options);
    command
}

fn result(folder: &Folder, traces: &Path, options: &[&str]) -> Value {
    let ran = run(&mut triage(folder, traces, options));
    assert!(matches!(ran.code, Some(1 | 3)), "{ran:?}");
    ran.json()
}

fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value[name].as_array().unwrap_or_else(|| panic!("no list `{name}` in {value}"))
}

/// How a trace ended.
fn status<'a>(results: &'a Value, name: &str) -> &'a Value {
    let traces = list(results, "traces").iter();
    let named = |trace: &&Value| trace["trace"].as_str().is_some_and(|path| path.contains(name));
    traces.clone().find(named).unwrap_or_else(|| panic!("no trace {name}"))
}

fn lines(out: &Path) -> usize {
    let files = fs::read_dir(out.join("journal")).into_iter().flatten();
    let text = |path: PathBuf| fs::read_to_string(path).unwrap_or_default();
    files.map(|file| text(file.expect("an entry").path()).lines().count()).sum()
}

/// A file that is there whole or not at all: workers of an earlier command may still read it.
fn put(path: &Path, text: &str, mode: u32) {
    let new = path.with_extension("new");
    fs::write(&new, text).expect("a file");
    fs::set_permissions(&new, fs::Permissions::from_mode(mode)).expect("it can be run");
    fs::rename(new, path).expect("it takes its place");
}

/// A solver that takes its time: yices behind a script that waits first.
pub(crate) fn slow_solver(folder: &Folder, seconds: &str) -> (String, PathBuf) {
    let bin = folder.path().join("bin");
    fs::create_dir_all(&bin).expect("a folder");
    let config = fs::read_to_string(repository().join("solvers-config/yices.toml")).expect("it is there");
    let config = config
        .replace("name = \"yices\"", "name = \"slow\"")
        .replace("names = [\"yices-smt2\", \"yices_smt2\"]", "names = [\"slow-yices\"]");
    put(&bin.join("slow.toml"), config.split("[install]").next().expect("a part"), 0o644);
    let data = std::env::var_os("XDG_DATA_HOME").map(PathBuf::from);
    let home = || PathBuf::from(std::env::var_os("HOME").expect("there is a home")).join(".local/share");
    let yices = data.unwrap_or_else(home).join("warpath/solvers/yices/bin/yices-smt2");
    assert!(yices.exists(), "{} is missing: run scripts/setup", yices.display());
    let script =
        format!("#!/bin/sh\n[ \"$1\" = --version ] || sleep {seconds}\nexec '{}' \"$@\"\n", yices.display());
    put(&bin.join("slow-yices"), &script, 0o755);
    let path = std::env::var("PATH").expect("there is a path");
    (format!("{}:{path}", bin.display()), bin)
}

/// The command with that solver; its processes can be told by their environment.
fn slow(folder: &Folder, traces: &Path, seconds: &str, options: &[&str]) -> Command {
    let (path, config) = slow_solver(folder, seconds);
    let mut command = warpath();
    command.current_dir(folder.path()).arg("triage").arg(traces).args(["--solver", "slow", "--json", "-"]);
    command.args(options).env("PATH", path).env("WARPATH_SOLVERS_DIR", config);
    command.env("WARPATH_TEST_MARKER", folder.path());
    command
}

fn started(command: &mut Command) -> Child {
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the command starts")
}

fn signal(child: &Child, signal: Signal) {
    kill(Pid::from_raw(i32::try_from(child.id()).expect("a process id")), signal).expect("it runs");
}

/// Processes of a test: by the marker in their environment, and a word of their command line.
fn processes(folder: &Folder, word: &str) -> Vec<i32> {
    let marker = format!("WARPATH_TEST_MARKER={}", folder.path().display());
    let entries = fs::read_dir("/proc").expect("/proc is there");
    let pids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok());
    let has = |pid: &i32, file: &str, wanted: &str| {
        let text = fs::read(format!("/proc/{pid}/{file}")).unwrap_or_default();
        text.split(|byte| *byte == 0).any(|part| String::from_utf8_lossy(part).contains(wanted))
    };
    pids.filter(|pid| has(pid, "environ", &marker) && has(pid, "cmdline", word)).collect()
}

fn expect_nobody(folder: &Folder) {
    eventually("end of all workers and solvers", || processes(folder, "").is_empty().then_some(()));
}

#[test]
fn causes_are_grouped_ranked_and_counted() {
    let folder = Folder::new();
    let traces = traces(&folder);
    let results = result(&folder, &traces, &["--out", "out"]);
    assert_eq!(results["verdict"], "OBSERVED");
    let groups = list(&results, "groups");
    let told = |n: usize| {
        let group = &groups[n];
        (group["class"].clone(), group["kind"].clone(), group["count"].clone(), group["observed"].clone())
    };
    // A failure that was seen and one that is predicted at the same line are one cause.
    assert_eq!(told(0), ("crash".into(), "assertion-failure".into(), 3.into(), 1.into()));
    assert_eq!(groups[0]["positions"], serde_json::json!(["fig6.c:2"]));
    assert!(groups[0]["trace"].as_str().is_some_and(|trace| trace.ends_with("failed.wpt.txt")));
    assert_eq!(told(1), ("crash".into(), "assertion-failure".into(), 1.into(), 0.into()));
    // So are a deadlock that was seen, of which the trace says no more than who waits, and one that is predicted.
    assert_eq!(told(2), ("deadlock".into(), "deadlock".into(), 4.into(), 1.into()));
    assert_eq!(groups[2]["positions"], serde_json::json!(["deadlock.c:12", "deadlock.c:5"]));
    assert_eq!((&groups[2]["verdict"], &groups[1]["verdict"]), (&"OBSERVED".into(), &"PREDICTED".into()));
    let classes: Vec<&str> = groups.iter().map(|group| group["class"].as_str().expect("text")).collect();
    let order = ["crash", "deadlock", "race-that-changes-a-branch", "race"];
    let rank = |class: &&str| order.iter().position(|known| known == class).expect("a class");
    assert!(classes.is_sorted_by_key(rank), "{classes:?}");
    assert!(order.iter().all(|class| classes.contains(class)), "{classes:?}");
    for (n, group) in groups.iter().enumerate() {
        assert_eq!(group["rank"], n + 1);
        assert_eq!(group["count"], list(group, "traces").len());
        assert_eq!(group["effect"].is_null(), group["class"] != "race-that-changes-a-branch", "{group}");
        let si = folder.path().join(group["si"].as_str().expect("a file"));
        let text = fs::read_to_string(&si).expect("the SI file is there");
        warpath_trace::si::Si::parse(&text).expect("it is one");
        assert!(group["verdict"] == "OBSERVED" || group["script"].is_string(), "{group}");
    }
    assert_eq!(results["counts"]["traces"], 11);
    assert_eq!(results["counts"]["unreadable"], 1);
    assert_eq!(status(&results, "hung")["causes"], serde_json::json!([3]));
    let reason = status(&results, "<core>")["reason"].as_str().expect("a reason");
    assert!(reason.contains("this is not a Warpath trace"), "{reason}");
}

#[test]
fn the_json_is_documented() {
    let folder = Folder::new();
    let all = result(&folder, &traces(&folder), &["--out", "out"]);
    let undecided = folder.path().join("undecided");
    pack(&undecided, "one", "deadlock");
    let late = run(&mut slow(&folder, &undecided, "30", &["--out", "late", "--trace-time", "200ms"]));
    let late = late.expect_code(3).json();
    let open = &status(&late, "one")["unanswered"][0];
    assert_eq!(open["reason"], "the time for the trace was over (0.2 s)", "{late}");
    // In windows, and cut.
    let large = folder.path().join("large");
    let path = pack(&large, "cut", "deadlock");
    let bytes = fs::read(&path).expect("it is there");
    fs::write(&path, &bytes[..bytes.len() - 8]).expect("it can be cut");
    let windows = result(&folder, &large, &["--out", "large-out", "--window", "10"]);
    assert_eq!(status(&windows, "cut")["windows"]["size"], 10);
    assert!(!list(status(&windows, "cut"), "remarks").is_empty(), "{windows}");
    json_doc::check("warpath.triage/1", &[all, late, windows]);
}

#[test]
fn the_text_says_what_is_worst_and_how_to_reproduce_it() {
    let folder = Folder::new();
    let traces = traces(&folder);
    let mut command = warpath();
    command.current_dir(folder.path()).arg("triage").arg(&traces).args(["--solver", "yices", "--out", "out"]);
    let ran = run(&mut command);
    let text = &ran.expect_code(1).stdout;
    assert!(text.starts_with("OBSERVED assertion failure at fig6.c:2:7: r1+r2<2\n  1. crash, in 3 of 11 traces, observed in 1\n"), "{text}");
    assert!(
        text.contains("  reproduce it: warpath replay out/groups/1-assertion-failure.si.toml\n"),
        "{text}"
    );
    assert!(text.contains("  changes: the branch of "), "{text}");
    assert!(text.contains("SKIPPED "), "{text}");
    assert!(text.trim_end().ends_with("on one page: out/index.html"), "{text}");
}

#[test]
fn nothing_found_is_0_and_what_cannot_be_decided_is_3() {
    let folder = Folder::new();
    let clean = folder.path().join("clean");
    pack(&clean, "one", "fig8-neither");
    let ran = run(triage(&folder, &clean, &["--out", "a"]).args(["--check", "deadlock"]));
    assert_eq!(ran.expect_code(0).json()["verdict"], "NONE");
    fs::write(clean.join("core.wpt"), "no trace").expect("a file");
    let ran = run(triage(&folder, &clean, &["--out", "a"]).args(["--check", "deadlock"]));
    assert_eq!(ran.expect_code(3).json()["verdict"], "UNKNOWN");
    let empty = folder.path().join("empty");
    fs::create_dir(&empty).expect("a folder");
    run(&mut triage(&folder, &empty, &[]))
        .expect_code(2)
        .expect_complaint("there is no trace in these folders");
}

#[test]
fn the_number_of_workers_changes_nothing() {
    let folder = Folder::new();
    let traces = traces(&folder);
    let one = result(&folder, &traces, &["--out", "out", "--jobs", "1"]);
    let four = result(&folder, &traces, &["--out", "out", "--jobs", "4", "--fresh"]);
    assert_eq!(one, four);
}

#[test]
fn only_what_is_new_or_changed_is_analysed_again() {
    let folder = Folder::new();
    let traces = traces(&folder);
    let out = folder.path().join("out");
    let first = result(&folder, &traces, &["--out", "out"]);
    assert_eq!(lines(&out), 11);
    let again = run(&mut triage(&folder, &traces, &["--out", "out"]));
    again.expect_complaint("11 of 11 traces are known from an earlier run");
    assert_eq!((again.json(), lines(&out)), (first, 11));
    // Another time of the same content changes nothing, another content does.
    let touched = traces.join("fig7.wpt");
    let content = fs::read(&touched).expect("it is there");
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(3600);
    fs::File::options()
        .write(true)
        .open(&touched)
        .expect("it opens")
        .set_modified(later)
        .expect("a new time");
    fs::write(traces.join("addall.wpt"), content).expect("another content");
    fs::copy(sample("fig2"), traces.join("new.wpt.txt")).expect("a new one");
    let changed = run(&mut triage(&folder, &traces, &["--out", "out"]));
    changed.expect_complaint("10 of 12 traces are known from an earlier run");
    assert_eq!(lines(&out), 13);
    // What an option says about results makes them new; a bound does not.
    run(&mut triage(&folder, &traces, &["--out", "out", "--trace-time", "1h"]));
    assert_eq!(lines(&out), 13);
    run(&mut triage(&folder, &traces, &["--out", "out", "--check", "deadlock"]));
    assert_eq!(lines(&out), 25);
}

#[test]
fn a_damaged_journal_costs_only_what_is_damaged() {
    let folder = Folder::new();
    let traces = traces(&folder);
    let first = result(&folder, &traces, &["--out", "out"]);
    let journal = folder.path().join("out/journal/local.jsonl");
    let mut bytes = fs::read(&journal).expect("it is there");
    let second = bytes.iter().position(|byte| *byte == b'\n').expect("a line") + 1;
    // A block that never reached the disk, and a line that was cut by a power cut.
    bytes[second..second + 40].fill(0);
    bytes.truncate(bytes.len() - 10);
    fs::write(&journal, &bytes).expect("it can be damaged");
    let again = run(&mut triage(&folder, &traces, &["--out", "out"]));
    again.expect_complaint("2 lines of the journal were cut or damaged");
    again.expect_complaint("9 of 11 traces are known");
    assert_eq!(again.json(), first);
    let third = run(&mut triage(&folder, &traces, &["--out", "out"]));
    third.expect_complaint("11 of 11 traces are known");
}

/// Twelve traces, each with a question or more.
fn many(folder: &Folder) -> PathBuf {
    let traces = folder.path().join("many");
    for n in 0..12 {
        pack(&traces, &format!("run-{n:02}"), ["deadlock", "fig6", "addall"][n % 3]);
    }
    traces
}

#[test]
fn after_kill_9_the_same_command_goes_on() {
    let folder = Folder::new();
    let traces = many(&folder);
    let out = folder.path().join("out");
    let options = ["--out", "out", "--jobs", "2"];
    let whole =
        run(&mut slow(&folder, &traces, "0.1", &["--out", "out", "--jobs", "2"])).expect_code(1).json();
    fs::remove_dir_all(&out).expect("it goes");
    let mut child = started(&mut slow(&folder, &traces, "0.1", &options));
    eventually("a few finished traces", || (lines(&out) >= 3).then_some(()));
    signal(&child, Signal::SIGKILL);
    child.wait().expect("it ends");
    let before = lines(&out);
    assert!((3..12).contains(&before), "it was killed in the middle: {before}");
    expect_nobody(&folder);
    let resumed = run(&mut slow(&folder, &traces, "0.1", &options));
    resumed.expect_code(1).expect_complaint(&format!("{before} of 12 traces are known"));
    assert_eq!((resumed.json(), lines(&out)), (whole, 12));
}

#[test]
fn ctrl_c_leaves_the_results_so_far_and_nobody() {
    let folder = Folder::new();
    let traces = many(&folder);
    let out = folder.path().join("out");
    for asked in [Signal::SIGINT, Signal::SIGTERM] {
        let _ = fs::remove_dir_all(&out);
        let child = started(&mut slow(&folder, &traces, "0.3", &["--out", "out", "--jobs", "1"]));
        eventually("a finished trace", || (lines(&out) >= 1).then_some(()));
        signal(&child, asked);
        let ended = ran(child.wait_with_output().expect("it ends"));
        let results = ended.expect_code(1).expect_complaint("stopping").json();
        let counts = &results["counts"];
        assert_eq!(counts["analysed"], lines(&out));
        assert_eq!(counts["open"], 12 - lines(&out));
        assert!(counts["open"] != 0, "{results}");
        assert!(out.join("index.html").is_file());
        expect_nobody(&folder);
    }
}

#[test]
fn two_commands_do_not_work_in_one_folder() {
    let folder = Folder::new();
    let traces = many(&folder);
    let child = started(&mut slow(&folder, &traces, "0.5", &["--out", "out", "--jobs", "1"]));
    eventually("worker", || (!processes(&folder, "__triage").is_empty()).then_some(()));
    run(&mut triage(&folder, &traces, &["--out", "out"]))
        .expect_code(2)
        .expect_complaint("another `warpath triage` works in out");
    signal(&child, Signal::SIGTERM);
    child.wait_with_output().expect("it ends");
    expect_nobody(&folder);
}

#[test]
fn a_worker_that_dies_costs_one_trace() {
    let folder = Folder::new();
    let traces = folder.path().join("two");
    pack(&traces, "doomed", "deadlock");
    pack(&traces, "other", "deadlock");
    let child = started(&mut slow(&folder, &traces, "1", &["--out", "out", "--jobs", "2"]));
    let worker = eventually("worker", || processes(&folder, "doomed.wpt").first().copied());
    kill(Pid::from_raw(worker), Signal::SIGKILL).expect("it runs");
    let results = ran(child.wait_with_output().expect("it ends")).expect_code(1).json();
    let reason = status(&results, "doomed")["reason"].as_str().expect("a reason");
    assert!(reason.starts_with("the analysis was ended by signal 9"), "{reason}");
    assert_eq!(status(&results, "other")["status"], "analysed");
    // With the same bounds it would be the same; with others it is worth another try.
    let again = run(&mut slow(&folder, &traces, "0", &["--out", "out"])).expect_code(1).json();
    assert_eq!(again, results);
    let again = run(&mut slow(&folder, &traces, "0", &["--out", "out", "--trace-time", "1h"]));
    assert_eq!(status(&again.expect_code(1).json(), "doomed")["status"], "analysed");
}

#[test]
fn the_memory_of_a_worker_is_bounded() {
    let folder = Folder::new();
    let traces = folder.path().join("two");
    let small = pack(&traces, "small", "fig6");
    // Half a million events, far more than the bound lets a worker hold.
    let mut text = String::from("warpath-trace 1\nthread T0\nglobal x 4 = 0\nT0 begin\n");
    for n in 0..500_000 {
        text.push_str(&format!("T0 w x {n} @m.c:{}\n", n % 1000 + 1));
    }
    text.push_str("T0 end\noutcome exited 0\n");
    fs::write(traces.join("large.wpt.txt"), text).expect("a trace");
    let bounded = result(&folder, &traces, &["--out", "out", "--trace-memory", "48M"]);
    let reason = status(&bounded, "large")["reason"].as_str().expect("a reason");
    assert_eq!(reason, "the analysis needs more than 48 MiB (--trace-memory)");
    assert_eq!(status(&bounded, "large")["status"], "failed");
    assert_eq!(status(&bounded, small.to_str().expect("text"))["status"], "analysed");
    let free = result(&folder, &traces, &["--out", "out"]);
    assert_eq!(status(&free, "large")["status"], "analysed");
}

#[test]
fn sarif_has_each_cause() {
    let folder = Folder::new();
    let results = result(&folder, &traces(&folder), &["--out", "out", "--sarif", "causes.sarif"]);
    let path = folder.path().join("causes.sarif");
    assert_eq!(sarif_schema::objections(&path), Vec::<String>::new());
    let log: Value = serde_json::from_str(&fs::read_to_string(&path).expect("it is there")).expect("JSON");
    assert_eq!(sarif_rules::faults(&log), Vec::<String>::new());
    let logged = list(&log["runs"][0], "results");
    assert_eq!(logged.len(), list(&results, "groups").len());
    assert_eq!((&logged[0]["level"], &logged[1]["level"]), (&"error".into(), &"warning".into()));
    assert_eq!(logged[2]["properties"]["traces"], 4);
    assert!(logged.iter().all(|result| result["codeFlows"].is_array()), "{logged:?}");
}

#[test]
fn the_page_has_everything_and_loads_nothing() {
    let folder = Folder::new();
    let results = result(&folder, &traces(&folder), &["--out", "out"]);
    let browser = Browser::start();
    browser.open(&folder.path().join("out/index.html"));
    assert_eq!(browser.complaints(), Vec::<String>::new());
    let count =
        |selector: &str| browser.script(&format!("return document.querySelectorAll('{selector}').length"));
    assert_eq!(count("details.finding"), list(&results, "groups").len());
    assert_eq!(count("table.traces tbody tr"), 11);
    assert_eq!(count("details.finding[open]"), 1);
    assert_eq!(count("core"), 0, "a name is text");
    let title = browser.script("return document.title");
    assert_eq!(title, format!("{} causes in 11 traces – Warpath", list(&results, "groups").len()));
    // The worst cause can be read without a click; every number in the list of traces leads to a cause.
    let shown = browser.script("return document.querySelector('details.finding[open]').innerText");
    assert!(shown.as_str().is_some_and(|text| text.contains("warpath replay out/groups/1-")), "{shown}");
    let lost = browser.script(
        "return [...document.querySelectorAll('table.traces a')].filter(a => !document.querySelector(a.getAttribute('href'))).length",
    );
    assert_eq!(lost, 0);
    let wide =
        browser.script("return document.documentElement.scrollWidth - document.documentElement.clientWidth");
    assert_eq!(wide, 0, "nothing sticks out");
}

#[test]
fn an_exemplar_of_a_recorded_program_replays() {
    let folder = Folder::new();
    let deadlock = crate::samples::named("deadlock");
    let runs = folder.path().join("runs");
    fs::create_dir(&runs).expect("a folder");
    let record = |command: &mut Command, name: &str, options: &[&str]| {
        command.args(["record", "-o"]).arg(runs.join(name)).args(options);
        run(command.arg("--").arg(deadlock.program()))
    };
    record(&mut warpath(), "0.wpt", &[]).expect_code(0);
    // The light recorder leaves the schedule to chance, and now and then the threads do wait for each other.
    let ended = (0..20).any(|_| {
        let mut within = Command::new("timeout");
        within.args(["-s", "KILL", "10"]).arg(warpath().get_program());
        record(&mut within, "1.wpt", &["--light"]).code == Some(0)
    });
    assert!(ended, "the program waits for ever in each of 20 runs");
    let results = result(&folder, &runs, &["--out", "out", "--check", "deadlock"]);
    let groups = list(&results, "groups");
    // Both recorders name the same lines.
    assert_eq!((groups.len(), &groups[0]["count"]), (1, &2.into()), "{results}");
    let replayed: Ran =
        run(warpath().current_dir(folder.path()).args(["replay", groups[0]["si"].as_str().expect("a file")]));
    replayed.expect_code(1);
}
