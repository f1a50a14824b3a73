//! What `findings::check` says about traces, property by property.

mod guard;

use std::path::Path;

use warpath_analyzer::encode::Options;
use warpath_analyzer::findings::{CheckOptions, Kind, MainEnd, Property, Report, Standing, check};
use warpath_analyzer::model::Forest;
use warpath_solvers::{CancelToken, SolverChoice};
use warpath_trace::header::MemoryModel;
use warpath_trace::text;

fn check_text(text: &str, options: &CheckOptions) -> Report {
    let trace = text::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let forest = Forest::of(&trace).expect("one trace fits itself");
    let solvers = guard::solvers();
    let solver = solvers.resolve(&SolverChoice::named("yices"));
    let solver = solver.unwrap_or_else(|error| panic!("{error}; run scripts/setup"));
    let report = check(&forest, options, &Property::ALL, &mut || Ok(solver.open(&solvers)));
    report.unwrap_or_else(|error| panic!("{error}"))
}

fn sample(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../samples/traces").join(name);
    std::fs::read_to_string(&path).expect("the sample is there")
}

/// A trace with two threads that the main thread starts and joins.
fn two_threads(declarations: &str, first: &str, second: &str) -> String {
    let thread = |key: &str, body: &str| -> String {
        let lines = body.lines().filter(|line| !line.trim().is_empty());
        lines.map(|line| format!("{key} {}\n", line.trim())).collect()
    };
    let body = |key, body| format!("{key} begin\n{}{key} end\n", thread(key, body));
    format!(
        "warpath-trace 1\nprogram \"p\"\ntracer \"hand\" \"1\"\n{declarations}\nT0 begin\nT0 fork T0.0\nT0 fork T0.1\n{}{}T0 join T0.0\nT0 join T0.1\nT0 end\noutcome exited 0\n",
        body("T0.0", first),
        body("T0.1", second)
    )
}

/// Kinds and positions found, everything having been answered.
fn found(report: &Report) -> Vec<(Kind, Vec<&str>)> {
    assert!(report.unanswered.is_empty(), "{:?}", report.unanswered);
    assert!(report.findings.iter().all(|finding| finding.script.contains("(check-sat)")));
    report
        .findings
        .iter()
        .map(|finding| (finding.kind, finding.events.iter().map(|event| event.place.as_str()).collect()))
        .collect()
}

fn without_races(report: &Report) -> Vec<(Kind, Vec<&str>)> {
    found(report).into_iter().filter(|(kind, _)| *kind != Kind::DataRace).collect()
}

fn plain(text: &str) -> Report {
    check_text(text, &CheckOptions::default())
}

#[test]
fn the_samples_have_what_their_comments_say() {
    let report = plain(&sample("deadlock.wpt.txt"));
    assert_eq!(found(&report), [(Kind::Deadlock, vec!["deadlock.c:5", "deadlock.c:12"])]);
    let roles: Vec<&str> = report.findings[0].events.iter().map(|event| event.role.as_str()).collect();
    assert_eq!(roles, ["waits for b, which T0.1 has", "waits for a, which T0.0 has"]);

    let report = plain(&sample("addall.wpt.txt"));
    assert_eq!(
        found(&report),
        [
            (Kind::AssertionFailure, vec!["addall.c:14"]),
            (Kind::DataRace, vec!["addall.c:16", "addall.c:8"]),
            (Kind::AtomicityViolation, vec!["addall.c:8", "addall.c:16", "addall.c:14"]),
        ]
    );
    assert!(found(&plain(&sample("condition.wpt.txt"))).is_empty());
    assert!(found(&plain(&sample("futex.wpt.txt"))).is_empty());
}

#[test]
fn every_property_has_a_result_in_the_order_asked_for() {
    let report = plain(&sample("addall.wpt.txt"));
    let results: Vec<(Property, Standing)> =
        report.properties.iter().map(|result| (result.property, result.standing)).collect();
    assert_eq!(
        results,
        [
            (Property::Assertion, Standing::Predicted),
            (Property::Crash, Standing::None),
            (Property::Deadlock, Standing::None),
            (Property::Race, Standing::Predicted),
            (Property::Atomicity, Standing::Predicted),
            (Property::Order, Standing::None),
            (Property::UseAfterFree, Standing::None),
        ]
    );
    for result in &report.properties {
        let statistics = &result.statistics;
        assert_eq!(statistics.queries, statistics.sat + statistics.unsat + statistics.unknown);
    }
    // The pair under the lock on both sides is not asked about.
    assert_eq!(report.properties[3].statistics.filtered["common lock"], 3);
}

#[test]
fn the_same_trace_gives_the_same_report() {
    for name in ["addall.wpt.txt", "deadlock.wpt.txt", "fig2.wpt.txt"] {
        let reports = [plain(&sample(name)), plain(&sample(name))];
        let [first, second] = reports.map(|report| {
            let scripts: Vec<String> = report.findings.iter().map(|finding| finding.script.clone()).collect();
            (serde_json::to_string(&report).expect("a report is JSON"), scripts)
        });
        assert_eq!(first, second, "{name}");
    }
}

#[test]
fn a_question_without_an_answer_is_unknown_and_keeps_its_script() {
    let cancel = CancelToken::default();
    cancel.cancel();
    let report = check_text(&sample("fig6.wpt.txt"), &CheckOptions { cancel, ..CheckOptions::default() });
    assert!(report.findings.is_empty());
    assert_eq!(report.properties[0].standing, Standing::Unknown);
    assert_eq!(report.properties[0].statistics.unknown, 1);
    assert!(report.unanswered[0].script.contains("(check-sat)"));
}

#[test]
fn a_volatile_access_races_and_an_atomic_one_does_not() {
    let text = |order: &str| {
        two_threads("global x 4 = 0", &format!("w x {order} 1 @a.c:1"), &format!("r x {order} 1 @a.c:2"))
    };
    let race = (Kind::DataRace, vec!["a.c:1", "a.c:2"]);
    assert!(found(&plain(&text("volatile"))).contains(&race));
    assert!(!found(&plain(&text("relaxed"))).contains(&race));
}

#[test]
fn readers_of_one_lock_race_only_with_a_write_under_a_read_lock() {
    let text = |mode: &str| {
        let body = |line: u32| format!("{mode}lock l\nw x 1 @a.c:{line}\n{mode}unlock l");
        two_threads("global x 4 = 0\nsync l", &body(1), &body(2))
    };
    assert_eq!(found(&plain(&text("rd"))), [(Kind::DataRace, vec!["a.c:1", "a.c:2"])]);
    assert!(found(&plain(&text("wr"))).is_empty());
}

#[test]
fn a_gate_lock_rules_a_deadlock_out() {
    let body = |gate: &str, first: &str, second: &str, line: u32| {
        let (open, close) = match gate {
            "" => (String::new(), String::new()),
            gate => (format!("lock {gate}"), format!("unlock {gate}")),
        };
        format!(
            "{open}\nlock {first} @a.c:{line}\nlock {second} @a.c:{}\nunlock {second}\nunlock {first}\n{close}",
            line + 1
        )
    };
    let text = |gate: &str| {
        two_threads("sync a\nsync b\nsync g", &body(gate, "a", "b", 1), &body(gate, "b", "a", 3))
    };
    assert_eq!(found(&plain(&text(""))), [(Kind::Deadlock, vec!["a.c:2", "a.c:4"])]);
    let gated = plain(&text("g"));
    assert!(found(&gated).is_empty());
    assert_eq!(gated.properties[2].statistics.queries, 0, "the gate is seen before any question");
}

#[test]
fn a_cycle_of_three_is_found() {
    let philosopher = |key: &str, left: &str, right: &str, line: u32| {
        format!(
            "{key} begin\n{key} lock {left}\n{key} lock {right} @a.c:{line}\n{key} unlock {right}\n{key} unlock {left}\n{key} end\n"
        )
    };
    let text = format!(
        "warpath-trace 1\nprogram \"p\"\ntracer \"hand\" \"1\"\nsync a\nsync b\nsync c\nT0 begin\nT0 fork T0.0\nT0 fork T0.1\nT0 fork T0.2\n{}{}{}T0 end\noutcome exited 0\n",
        philosopher("T0.0", "a", "b", 1),
        philosopher("T0.1", "b", "c", 2),
        philosopher("T0.2", "c", "a", 3)
    );
    let report = plain(&text);
    let [finding] = &report.findings[..] else { panic!("{:?}", found(&report)) };
    let mut places: Vec<&str> = finding.events.iter().map(|event| event.place.as_str()).collect();
    places.sort_unstable();
    assert_eq!(places, ["a.c:1", "a.c:2", "a.c:3"]);
}

#[test]
fn a_signal_that_comes_too_early_is_lost() {
    // Without a test of a flag under the mutex, the signal can come before the wait.
    let text = two_threads(
        "sync m\nsync c",
        "lock m\ncond-wait c m @a.c:1\ncond-wake c m @a.c:1\nunlock m",
        "signal c 1 @a.c:2",
    );
    // In the file the waiter must have begun to wait before the signal.
    let text = text.replace("T0.0 cond-wake c m @a.c:1\nT0.0 unlock m\nT0.0 end\n", "");
    let text =
        text.replace("T0 join T0.0", "T0.0 cond-wake c m @a.c:1\nT0.0 unlock m\nT0.0 end\nT0 join T0.0");
    let report = plain(&text);
    assert_eq!(found(&report), [(Kind::Deadlock, vec!["a.c:1"])]);
    assert_eq!(report.findings[0].events[0].role, "waits for a wake of c, and nobody is left to help");
}

#[test]
fn the_end_of_the_main_thread_ends_a_process_but_not_a_virtual_machine() {
    // The worker waits for a unit that never comes once the main thread is gone; nobody joins it.
    let text = "warpath-trace 1\nprogram \"p\"\ntracer \"hand\" \"1\"\nsync s\nT0 begin\nT0 init s semaphore 0\nT0 fork T0.0\nT0 end\nT0.0 begin\nT0.0 sem-wait s pending @a.c:1\noutcome stopped\n";
    assert!(found(&plain(text)).is_empty());
    let options = CheckOptions { main_end: MainEnd::LeavesThreads, ..CheckOptions::default() };
    assert_eq!(found(&check_text(text, &options)), [(Kind::Deadlock, vec!["a.c:1"])]);
}

#[test]
fn storage_is_used_after_free_unless_something_orders_it() {
    let declarations = "object heap node 4\nlocation node %node+0:4 = 0";
    let text = two_threads(declarations, "w node 1 @a.c:1", "free %node @a.c:2");
    assert_eq!(without_races(&plain(&text)), [(Kind::UseAfterFree, vec!["a.c:2", "a.c:1"])]);
    // The main thread frees after the join.
    let joined = two_threads(declarations, "w node 1 @a.c:1", "")
        .replace("T0 end\n", "T0 free %node @a.c:2\nT0 end\n");
    let report = plain(&joined);
    assert!(found(&report).is_empty());
    assert_eq!(report.properties[6].statistics.filtered["must-order"], 1);
    let twice = two_threads(declarations, "free %node @a.c:1", "free %node @a.c:2");
    let report = plain(&twice);
    let [(kind, places)] = &found(&report)[..] else { panic!("{:?}", found(&report)) };
    assert_eq!((*kind, places.len()), (Kind::DoubleFree, 2));
}

#[test]
fn a_search_for_deadlocks_that_stops_says_so() {
    // Nine places where one thread takes `a` then `b`, and nine where the other takes them the other way round.
    let body = |first: &str, second: &str, line: u32| -> String {
        let turn = |n: u32| {
            format!("lock {first}\nlock {second} @a.c:{}\nunlock {second}\nunlock {first}\n", line + n)
        };
        (0..9).map(turn).collect()
    };
    let report = plain(&two_threads("sync a\nsync b", &body("a", "b", 10), &body("b", "a", 30)));
    assert_eq!(report.findings.len(), 64);
    let [stopped] = &report.unanswered[..] else { panic!("{:?}", report.unanswered) };
    assert_eq!(stopped.property, Property::Deadlock);
    assert!(stopped.reason.contains("after 64"), "{}", stopped.reason);
}

#[test]
fn addresses_and_divisors_can_be_zero() {
    let text = |why: &str| {
        two_threads(
            "global p 8 = 0",
            "w p 4096 @a.c:1",
            &format!("r p $p=4096 @a.c:2\nconcretise 4096 $p {why} @a.c:3"),
        )
    };
    assert_eq!(without_races(&plain(&text("address")))[0], (Kind::NullDereference, vec!["a.c:3"]));
    assert_eq!(without_races(&plain(&text("divisor")))[0], (Kind::DivisionByZero, vec!["a.c:3"]));
    assert!(
        without_races(&plain(&text("jump"))).iter().all(|(kind, _)| *kind == Kind::OrderViolation),
        "a jump is no dereference"
    );
}

#[test]
fn an_early_read_is_an_order_violation_unless_it_is_guarded() {
    let text =
        |guard: &str| two_threads("global p 4 = 0", "w p 7 @a.c:1", &format!("r p $p=7 @a.c:2\n{guard}"));
    assert_eq!(without_races(&plain(&text(""))), [(Kind::OrderViolation, vec!["a.c:2", "a.c:1"])]);
    assert!(without_races(&plain(&text("branch false (= $p 0:32) @a.c:3"))).is_empty());
}

#[test]
fn an_increment_without_a_lock_can_be_interrupted() {
    let body = |open: &str, close: &str, line: u32| {
        format!(
            "{open}\nr x $v{line}={} @a.c:{line}\nw x {line} := (add $v{line} 1:32) @a.c:{line}\n{close}",
            line - 1
        )
    };
    let text = |open: &str, close: &str| {
        two_threads("global x 4 = 0\nsync l", &body(open, close, 1), &body(open, close, 2))
    };
    let found_bare = plain(&text("", ""));
    let bare: Vec<Vec<&str>> = without_races(&found_bare).into_iter().map(|(_, places)| places).collect();
    assert_eq!(bare, [["a.c:1", "a.c:2", "a.c:1"], ["a.c:2", "a.c:1", "a.c:2"]]);
    assert!(found(&plain(&text("lock l", "unlock l"))).is_empty());
    // A critical section that others do not respect is no protection.
    let half = two_threads("global x 4 = 0\nsync l", &body("lock l", "unlock l", 1), &body("", "", 2));
    assert_eq!(without_races(&plain(&half)).len(), 2);
}

#[test]
fn dekkers_entry_protects_under_sequential_consistency_alone() {
    let both_inside = sample("store-buffering.wpt.txt")
        .replace("global x 4 = 0", "global x 4 = 0\nglobal count 4 = 0")
        .replace("T0.0 end", "T0.0 w count 1 @sb.c:8\nT0.0 end")
        .replace("T0.1 end", "T0.1 w count 2 @sb.c:14\nT0.1 end");
    for (model, expected) in [(MemoryModel::Sc, false), (MemoryModel::Tso, true), (MemoryModel::Pso, true)] {
        let formula = Options { model, ..Options::default() };
        let report = check_text(&both_inside, &CheckOptions { formula, ..CheckOptions::default() });
        let race = (Kind::DataRace, vec!["sb.c:8", "sb.c:14"]);
        assert_eq!(found(&report).contains(&race), expected, "{model:?}");
    }
}
