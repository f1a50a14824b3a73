//! `warpath analyze`: predictions from recorded runs.

use std::fs;

use crate::json_doc;
use crate::run::{Folder, repository, run, warpath};

/// Figure 6 of the MPC paper: `r1 = x; r2 = x; assert(r1 + r2 < 2)` against `x = 1`. The recorded run passes.
#[test]
fn a_violation_is_predicted_from_one_passing_run() {
    let folder = Folder::new();
    let out = folder.path().join("out");
    let trace = repository().join("samples/traces/fig6.wpt.txt");
    let analyze = |arguments: &[&str]| {
        run(warpath()
            .arg("analyze")
            .arg(&trace)
            .args(["--solver", "yices", "--out"])
            .arg(&out)
            .args(arguments))
    };
    let ran = analyze(&["--check", "assertion"]);
    ran.expect_code(1);
    assert!(ran.stdout.contains("PREDICTED assertion failure"), "{}", ran.stdout);
    assert!(ran.stdout.contains("w x @fig6.c:3"), "the interleaving is shown: {}", ran.stdout);
    let si = fs::read_to_string(out.join("assertion-failure-1.si.toml")).expect("the SI file is there");
    let schedule = warpath_trace::si::Si::parse(&si).expect("the SI file is good").schedule;
    let steps: Vec<String> = schedule.iter().map(ToString::to_string).collect();
    let at = |step: &str| {
        steps.iter().position(|known| known == step).unwrap_or_else(|| panic!("{step}: {steps:?}"))
    };
    assert!(at("T0.1 w x @fig6.c:3") < at("T0.0 r x @fig6.c:1"), "both reads see the write: {steps:?}");

    let json = analyze(&["--json", "-"]).expect_code(1).json();
    assert_eq!(json["verdict"], "PREDICTED");
    let kinds: Vec<&str> =
        json["findings"].as_array().expect("a list").iter().filter_map(|f| f["kind"].as_str()).collect();
    assert!(kinds.contains(&"data race"), "{kinds:?}");
    json_doc::check("warpath.analyze/1", &[json]);
}

#[test]
fn a_lock_order_deadlock_is_predicted_from_a_passing_run() {
    let folder = Folder::new();
    let trace = repository().join("samples/traces/deadlock.wpt.txt");
    let ran = run(warpath()
        .arg("analyze")
        .arg(&trace)
        .args(["--solver", "z3", "--check", "deadlock", "--out"])
        .arg(folder.path()));
    ran.expect_code(1);
    assert!(ran.stdout.contains("PREDICTED deadlock"), "{}", ran.stdout);
}

#[test]
fn no_finding_is_said_plainly() {
    let folder = Folder::new();
    let trace = repository().join("samples/traces/condition.wpt.txt");
    let ran = run(warpath()
        .arg("analyze")
        .arg(&trace)
        .args(["--solver", "yices", "--check", "assertion,race", "--out"])
        .arg(folder.path()));
    ran.expect_code(0);
    assert!(ran.stdout.contains("race            none"), "{}", ran.stdout);
}

#[test]
fn scripts_solved_elsewhere_become_schedules() {
    let folder = Folder::new();
    let (queries, out) = (folder.path().join("queries"), folder.path().join("out"));
    let trace = repository().join("samples/traces/fig2.wpt.txt");
    run(warpath().arg("analyze").arg(&trace).arg("--emit").arg(&queries)).expect_code(0);
    let apply = || run(warpath().arg("apply").arg(&queries).arg("--out").arg(&out).args(["--json", "-"]));
    let unanswered = apply();
    unanswered.expect_code(3);
    run(warpath().arg("solve").arg(&queries).args(["--solver", "cvc5"])).expect_code(0);
    let json = apply().expect_code(1).json();
    let made: Vec<&str> =
        json["scripts"].as_array().expect("a list").iter().filter_map(|s| s["si"].as_str()).collect();
    assert_eq!(made.len(), 2, "two of the three questions are sat: {json}");
    let si = fs::read_to_string(out.join("fig2-T0.0-4.si.toml")).expect("the SI file is there");
    let si = warpath_trace::si::Si::parse(&si).expect("the SI file is good");
    let i = si.inputs.iter().find(|input| input.name == "i").expect("the input is there");
    assert_eq!(i.value, 3);
    json_doc::check("warpath.apply/1", &[json]);

    // An answer that was tampered with is noticed.
    let answer = queries.join("fig2-T0.0-4.answer");
    let text = fs::read_to_string(&answer).expect("the answer is there");
    fs::write(&answer, text.replace("#x00000003", "#x00000004")).expect("it can be written");
    apply().expect_code(2).expect_complaint("do not satisfy the script");
}

#[test]
fn a_schedule_whose_order_matters_comes_back_from_a_script() {
    let folder = Folder::new();
    let (queries, out) = (folder.path().join("queries"), folder.path().join("out"));
    let trace = repository().join("samples/traces/fig6.wpt.txt");
    run(warpath().arg("analyze").arg(&trace).args(["--check", "all", "--emit"]).arg(&queries)).expect_code(0);
    for solver in ["yices", "z3"] {
        run(warpath().arg("solve").arg(&queries).args(["--solver", solver])).expect_code(0);
        run(warpath().arg("apply").arg(&queries).arg("--out").arg(&out)).expect_code(1);
    }
}

/// A run of two threads that increment `count` without a lock, and `safe` with one, so many times.
fn increments(rounds: usize) -> String {
    let mut trace = String::from(
        "warpath-trace 1\nglobal count 4 = 0\nglobal safe 4 = 0\nsync m\nT0 begin\nT0 fork T0.0\nT0 fork T0.1\nT0.0 begin\nT0.1 begin\n",
    );
    for value in 0..2 * rounds {
        let (thread, next) = (value % 2, value + 1);
        for (step, line) in [
            ("lock m".to_owned(), 5),
            (format!("r safe $s{value}={value}"), 6),
            (format!("w safe {next} := (add $s{value} 1:32)"), 7),
            ("unlock m".to_owned(), 8),
            (format!("r count $c{value}={value}"), 9),
            (format!("w count {next} := (add $c{value} 1:32)"), 10),
        ] {
            trace.push_str(&format!("T0.{thread} {step} @count.c:{line}\n"));
        }
    }
    trace.push_str("T0.0 end\nT0.1 end\nT0 join T0.0\nT0 join T0.1\nT0 end\noutcome exited 0\n");
    trace
}

#[test]
fn windows_are_stated_and_their_schedules_begin_with_the_program() {
    let folder = Folder::new();
    let (trace, out) = (folder.path().join("run.wpt.txt"), folder.path().join("out"));
    fs::write(&trace, increments(20)).expect("it can be written");
    let analyze = |arguments: &[&str]| {
        run(warpath()
            .arg("analyze")
            .arg(&trace)
            .args(["--solver", "yices", "--out"])
            .arg(&out)
            .args(arguments))
    };
    let ran = analyze(&["--check", "race,deadlock", "--window", "40"]);
    ran.expect_code(1);
    assert!(ran.stdout.contains("of 40 events, each sharing 20 with the next"), "{}", ran.stdout);
    assert!(ran.stdout.contains("\"none\" is none within any window"), "{}", ran.stdout);
    assert!(ran.stdout.contains("deadlock        none"), "{}", ran.stdout);
    assert!(ran.stdout.contains("PREDICTED data race on count"), "{}", ran.stdout);
    assert!(!ran.stdout.contains("on safe"), "{}", ran.stdout);
    // Two pairs of positions race; the second is a line.
    assert_eq!(ran.stdout.matches("--> ").count(), 2, "{}", ran.stdout);
    assert!(ran.stdout.contains("1 more of this kind on count"), "{}", ran.stdout);
    let all = analyze(&["--check", "race", "--window", "40", "--all"]);
    assert_eq!(all.expect_code(1).stdout.matches("--> ").count(), 4, "{}", all.stdout);

    // The same with everything in one window.
    let whole = analyze(&["--check", "race", "--window", "0", "--json", "-"]).expect_code(1).json();
    assert!(whole["windows"].is_null());
    let json = analyze(&["--window", "40", "--overlap", "30", "--json", "-"]).expect_code(1).json();
    assert_eq!(json["windows"]["overlap"], 30);
    assert_eq!(json["windows"]["count"], json["windows"]["checked"]);
    let races = |json: &serde_json::Value| -> Vec<String> {
        let findings = json["findings"].as_array().expect("a list").iter();
        let races = findings.filter(|finding| finding["kind"] == "data race");
        let mut races: Vec<String> = races.map(|race| race["message"].to_string()).collect();
        races.sort();
        races
    };
    assert_eq!(races(&json), races(&whole));
    assert!(json["findings"][0]["script"].is_null());
    json_doc::check("warpath.analyze/1", &[whole, json.clone()]);

    // A finding of a later window begins with the recorded run: fork, and begin of both threads.
    let si = json["findings"].as_array().expect("a list").iter().filter_map(|finding| finding["si"].as_str());
    for si in si {
        let si = fs::read_to_string(si).expect("the SI file is there");
        let si = warpath_trace::si::Si::parse(&si).expect("the SI file is good");
        let first = si.schedule[0].to_string();
        assert!(first.starts_with("T0 "), "{first}");
    }
    let scripts = analyze(&["--check", "race", "--window", "40", "--scripts"]);
    assert!(scripts.expect_code(1).stdout.contains("asked as: "), "{}", scripts.stdout);
}

#[test]
fn the_number_of_jobs_changes_no_byte() {
    let folder = Folder::new();
    let trace = folder.path().join("run.wpt.txt");
    fs::write(&trace, increments(60)).expect("it can be written");
    let analyze = |jobs: &str| {
        // The same folder, so that the names in the report are the same.
        let out = folder.path().join("out");
        let _ = fs::remove_dir_all(&out);
        let ran = run(warpath()
            .arg("analyze")
            .arg(&trace)
            .args(["--solver", "yices", "--window", "50", "--scripts", "--jobs", jobs, "--out"])
            .arg(&out));
        ran.expect_code(1);
        let mut files: Vec<(String, Vec<u8>)> = fs::read_dir(&out)
            .expect("the folder is there")
            .map(|entry| {
                let path = entry.expect("it can be listed").path();
                (path.display().to_string(), fs::read(&path).expect("it can be read"))
            })
            .collect();
        files.sort();
        (ran.stdout.clone(), files)
    };
    let one = analyze("1");
    assert!(one.1.len() > 2, "there is something to compare");
    assert_eq!(analyze("2"), one);
}

#[test]
fn a_large_trace_is_cut_without_being_asked() {
    let folder = Folder::new();
    let trace = folder.path().join("run.wpt.txt");
    fs::write(&trace, increments(450)).expect("it can be written");
    let analyze = |arguments: &[&str]| {
        let mut command = warpath();
        command.arg("analyze").arg(&trace).args(["--solver", "yices", "--check", "assertion", "--out"]);
        run(command.arg(folder.path().join("out")).args(arguments))
    };
    let ran = analyze(&[]);
    ran.expect_code(0);
    assert!(ran.stderr.contains("checked in windows of 2000"), "{}", ran.stderr);
    assert!(ran.stdout.contains("checked in 5 windows of 2000 events"), "{}", ran.stdout);
    let whole = analyze(&["--window", "0"]);
    whole.expect_code(0);
    assert!(!whole.stdout.contains("windows"), "{}", whole.stdout);
}

#[test]
fn windows_that_cannot_be_are_refused_with_advice() {
    let trace = repository().join("samples/traces/store-buffering.wpt.txt");
    let refused = |arguments: &[&str], complaint: &str| {
        run(warpath().arg("analyze").arg(&trace).args(arguments)).expect_code(2).expect_complaint(complaint);
    };
    refused(&["--window", "10", "--overlap", "10"], "do not get ahead");
    refused(&["--overlap", "10"], "--window");
    refused(&["--window", "0", "--overlap", "10"], "--overlap is for windows");
    refused(&["--window", "10", "--emit", "queries"], "--emit");
}
