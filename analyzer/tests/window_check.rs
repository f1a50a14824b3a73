//! Checking windows: the same whatever the number of workers, within bounds, and honest about what was left out.

mod guard;
mod windows;

use std::fmt::Write;
use std::ops::ControlFlow;

use warpath_analyzer::encode::Options;
use warpath_analyzer::findings::{CheckOptions, Finding, Kind, Property, Standing};
use warpath_analyzer::model::Forest;
use warpath_analyzer::window::{Checks, Cut, Recorded, Window, WindowError, WindowOptions, check};
use warpath_solvers::{CancelToken, SolverChoice};
use warpath_trace::header::MemoryModel;
use warpath_trace::trace::Trace;
use warpath_trace::{rapid, text};
use windows::{Solver, check_windows};

/// A run of four threads: each access of `v` and `w` under a lock of its own or, now and then, without.
fn run_of(events: usize, unlocked: u64) -> Trace {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = move |below: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % below
    };
    let mut lines: String = (1..5).map(|thread| format!("T0|fork(T{thread})|{thread}\n")).collect();
    let mut count = 4;
    while count < events {
        let (thread, variable) = (1 + random(4), random(8));
        let access = if random(3) == 0 { 'w' } else { 'r' };
        let at = 100 + 10 * variable + thread;
        let guarded = unlocked == 0 || random(unlocked) > 0;
        if guarded {
            let _ = writeln!(lines, "T{thread}|acq(l{variable})|50");
        }
        let _ = writeln!(lines, "T{thread}|{access}(v{variable})|{at}");
        if guarded {
            let _ = writeln!(lines, "T{thread}|rel(l{variable})|51");
        }
        count += if guarded { 3 } else { 1 };
    }
    rapid::import(lines.as_bytes()).expect("the lines are good")
}

fn printed(finding: &Finding) -> String {
    let si = finding.si.print().expect("a schedule can be printed");
    format!(
        "{:?} {} {} {:?}\n{si}\n{}",
        finding.kind, finding.summary, finding.reason, finding.events, finding.script
    )
}

#[test]
fn the_number_of_workers_changes_nothing() {
    let solvers = guard::solvers();
    let solver = Solver { solvers: &solvers, name: "yices" };
    let trace = run_of(900, 6);
    let cut = Cut::new(60, 20).expect("the overlap is smaller");
    let all = |jobs: usize| {
        let found =
            check_windows(&trace, cut, jobs, &CheckOptions::default(), &solver).expect("it can be checked");
        let findings: Vec<String> = found
            .findings
            .iter()
            .map(|(window, finding)| format!("{window:?} {}", printed(finding)))
            .collect();
        (findings, format!("{:?}", found.summary))
    };
    let one = all(1);
    assert!(one.0.len() > 4, "there is something to compare");
    for jobs in [2, 3] {
        assert_eq!(all(jobs), one);
    }
}

/// The most memory that this process has used, in bytes.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("a Linux process has a status");
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).expect("it says how much memory");
    let number = line.split_whitespace().nth(1).and_then(|number| number.parse::<u64>().ok());
    number.expect("memory is a number") << 10
}

#[test]
fn a_hundred_thousand_events_need_the_memory_of_a_few_windows() {
    let solvers = guard::solvers();
    let solver = Solver { solvers: &solvers, name: "yices" };
    let trace = run_of(100_000, 0);
    let before = peak_memory();
    let cut = Cut::new(2000, 1000).expect("the overlap is smaller");
    let found = check_windows(&trace, cut, 2, &CheckOptions::default(), &solver).expect("it can be checked");
    assert_eq!(found.summary.windows, 99);
    assert_eq!(found.summary.checked, 99);
    assert!(found.findings.is_empty(), "every access is under its lock");
    assert!(found.summary.unanswered.is_empty(), "{:?}", found.summary.unanswered);
    let race = found.summary.properties.iter().find(|result| result.property == Property::Race);
    let race = race.expect("races were looked for");
    assert_eq!(race.standing, Standing::None);
    assert!(race.statistics.candidates > 1_000_000, "{:?}", race.statistics);
    let used = peak_memory() - before;
    assert!(used < 256 << 20, "{} MB", used >> 20);
}

#[test]
fn windows_that_were_not_checked_are_unknown_and_findings_are_kept() {
    let solvers = guard::solvers();
    let resolved = solvers.resolve(&SolverChoice::named("yices"));
    let resolved = resolved.unwrap_or_else(|error| panic!("{error}; run scripts/setup"));
    let trace = run_of(600, 4);
    let recorded = Recorded::of(&trace, MemoryModel::Sc).expect("the trace has an order");
    let cancel = CancelToken::default();
    let how = CheckOptions { cancel: cancel.clone(), ..CheckOptions::default() };
    let open = || Ok(resolved.open(&solvers));
    let properties = [Property::Race, Property::Deadlock];
    let checks = Checks { how: &how, properties: &properties, open: &open, done: &|_| () };
    let windows = WindowOptions { cut: Cut::new(50, 10).expect("the overlap is smaller"), jobs: 1 };
    let mut kept = 0;
    let summary = check(&recorded, &windows, &checks, &mut |_, _| {
        kept += 1;
        cancel.cancel();
        ControlFlow::Continue(())
    });
    let summary = summary.expect("it can be checked");
    assert!(kept > 0);
    assert!(summary.checked > 0 && summary.checked < summary.windows, "{summary:?}");
    assert_eq!(summary.properties[0].standing, Standing::Predicted);
    assert_eq!(summary.properties[1].standing, Standing::Unknown);
    let missing = summary.windows - summary.checked;
    let said = |property| {
        let mut unanswered = summary.unanswered.iter().filter(|unanswered| unanswered.property == property);
        unanswered.any(|unanswered| unanswered.question.contains(&format!("{missing} windows")))
    };
    assert!(said(Property::Race) && said(Property::Deadlock), "{:?}", summary.unanswered);
}

#[test]
fn a_run_under_a_weaker_model_is_not_cut_for_a_stronger_one() {
    let mut trace = run_of(20, 0);
    trace.header.model = MemoryModel::Tso;
    let refused = Recorded::of(&trace, MemoryModel::Sc).err();
    assert_eq!(refused, Some(WindowError::Model { recorded: MemoryModel::Tso, asked: MemoryModel::Sc }));
    assert!(Recorded::of(&trace, MemoryModel::Pso).is_ok());
}

#[test]
fn an_input_whose_value_is_not_known_cannot_be_fixed() {
    let text =
        "warpath-trace 1\ninput i 32\nT0 begin\nT0 branch true (= ?i 7:32)\nT0 end\noutcome exited 0\n";
    let trace = text::parse(text).expect("the text is good");
    let refused = Recorded::of(&trace, MemoryModel::Sc).err();
    assert_eq!(refused, Some(WindowError::InputValue("i".to_owned())));
}

#[test]
fn a_trace_without_events_has_one_empty_window() {
    let solvers = guard::solvers();
    let solver = Solver { solvers: &solvers, name: "yices" };
    let trace = text::parse("warpath-trace 1\noutcome exited 0\n").expect("the text is good");
    let options = CheckOptions { formula: Options::default(), ..CheckOptions::default() };
    let cut = Cut::new(10, 5).expect("the overlap is smaller");
    let found = check_windows(&trace, cut, 1, &options, &solver).expect("it can be checked");
    assert_eq!((found.summary.windows, found.summary.checked, found.summary.nodes), (1, 1, 0));
    assert!(found.findings.is_empty() && found.summary.unanswered.is_empty());
}

/// Checks a text in windows; each finding is executed from the start of the trace.
fn checked(text: &str, cut: Cut, model: MemoryModel) -> Vec<(u32, Finding)> {
    let solvers = guard::solvers();
    let solver = Solver { solvers: &solvers, name: "yices" };
    let trace = text::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let formula = Options { model, ..Options::default() };
    let options = CheckOptions { formula, scripts: false, ..CheckOptions::default() };
    let found = check_windows(&trace, cut, 1, &options, &solver).expect("it can be checked");
    let forest = Forest::of(&trace).expect("one trace fits itself");
    let recorded = Recorded::of(&trace, model).expect("the trace has an order");
    let real = |(window, finding): (Window, Finding)| {
        let si = recorded.complete(&window, &finding.si);
        let (execution, end) =
            windows::replay::replayed(&forest, &si).unwrap_or_else(|error| panic!("{error}"));
        windows::replay::shows(&forest, &finding, &execution, &end).unwrap_or_else(|error| panic!("{error}"));
        (window.events.start, finding)
    };
    found.findings.into_iter().map(real).collect()
}

#[test]
fn a_window_does_not_flush_buffers_inside_a_region() {
    // The window would begin behind atomic-begin, with the write of x still in a buffer.
    let text = "warpath-trace 1\nmodel tso\nglobal x 4 = 0\nglobal y 4 = 0\nT0 begin\nT0 fork T0.0\nT0 fork T0.1
        T0.0 begin\nT0.1 begin\nT0.0 w x $1=1\nT0.1 atomic-begin\nT0.1 w y $2=1\nT0.1 commit $2\nT0.1 atomic-end
        T0.0 commit $1\nT0.0 w y $3=2\nT0.1 w y $4=3\nT0.0 commit $3\nT0.1 commit $4\noutcome stopped\n";
    let cut = Cut::new(7, 0).expect("the overlap is smaller");
    let found = checked(text, cut, MemoryModel::Tso);
    let races: Vec<u32> = found.iter().filter(|(_, f)| f.kind == Kind::DataRace).map(|(at, _)| *at).collect();
    assert!(races.contains(&6), "there is a race in the window that begins with the region: {races:?}");
}

#[test]
fn a_branch_behind_the_window_guards_a_read_in_it() {
    let padding = "T0 w padding 1\n".repeat(12);
    let text = |guard: &str| {
        format!(
            "warpath-trace 1\nglobal x 4 = 0\nglobal padding 4 = 0\nT0 begin\nT0 fork T0.0\nT0 fork T0.1\nT0.0 begin\nT0.1 begin\nT0.1 w x 1\nT0.0 r x $1=1\n{padding}{guard}\noutcome stopped\n"
        )
    };
    let early = |guard: &str| {
        let cut = Cut::new(9, 4).expect("the overlap is smaller");
        let found = checked(&text(guard), cut, MemoryModel::Sc);
        found.iter().any(|(_, finding)| finding.kind == Kind::OrderViolation)
    };
    assert!(early("T0.0 w padding 2"));
    assert!(!early("T0.0 branch true (= $1 1:32)"));
}
