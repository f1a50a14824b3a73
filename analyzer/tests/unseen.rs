//! Traces of synchronisation alone: what is predicted from them, and what is not.

mod guard;

use warpath_analyzer::findings::{CheckOptions, Property, check};
use warpath_analyzer::model::Forest;
use warpath_solvers::SolverChoice;
use warpath_trace::text;

/// Events of T0.0 and T0.1 in the order observed, between forks and joins; `seen` if the program has no memory that
/// anything could depend on. Answers the places of each deadlock predicted.
fn deadlocks(events: &str, seen: bool) -> Vec<Vec<String>> {
    let declarations = "sync m\nsync c\nsync a\n";
    let events: String = events.lines().map(|line| format!("{}\n", line.trim())).collect();
    let end = if events.contains("T0.1 end") { "" } else { "T0.1 end\nT0 join T0.1\n" };
    let unseen = if seen { "" } else { "approximated \"memory-unseen\" 9\n" };
    let text = format!(
        "warpath-trace 1\nprogram \"p\"\ntracer \"hand\" \"1\"\nvalues pinned\n{declarations}T0 begin\nT0 fork T0.0\nT0 fork T0.1\n\
         T0.0 begin\nT0.1 begin\n{events}T0.0 end\nT0 join T0.0\n{end}T0 end\noutcome exited 0\n{unseen}"
    );
    let trace = text::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let forest = Forest::of(&trace).expect("one trace fits itself");
    let solvers = guard::solvers();
    let solver = solvers.resolve(&SolverChoice::named("yices"));
    let solver = solver.unwrap_or_else(|error| panic!("{error}; run scripts/setup"));
    let open = &mut || Ok(solver.open(&solvers));
    let report = check(&forest, &CheckOptions::default(), &[Property::Deadlock], open);
    let report = report.unwrap_or_else(|error| panic!("{error}"));
    assert!(report.unanswered.is_empty(), "{:?}", report.unanswered);
    let places = |events: &[warpath_analyzer::findings::Involved]| {
        events.iter().map(|event| event.place.clone()).collect()
    };
    report.findings.iter().map(|finding| places(&finding.events)).collect()
}

/// One thread waits until the other one has done something, as it should be done.
const MONITOR: &str = "T0.0 lock m @p.c:1
    T0.0 cond-wait c m @p.c:2
    T0.1 lock m @p.c:11
    T0.1 signal c 1 @p.c:12
    T0.1 unlock m @p.c:13
    T0.0 cond-wake c m @p.c:2
    T0.0 unlock m @p.c:3";

#[test]
fn whether_a_thread_waits_depends_on_what_the_mutex_protects() {
    assert_eq!(deadlocks(MONITOR, false), Vec::<Vec<String>>::new());
    // Without anything to depend on, the wait comes whether the signal is over or not.
    assert_eq!(deadlocks(MONITOR, true), [["p.c:2"]]);
}

#[test]
fn a_signal_that_is_given_without_the_mutex_can_be_lost() {
    let careless = "T0.0 lock m @p.c:1
        T0.0 cond-wait c m @p.c:2
        T0.1 signal c 1 @p.c:12
        T0.0 cond-wake c m @p.c:2
        T0.0 unlock m @p.c:3";
    assert_eq!(deadlocks(careless, false), [["p.c:2"]]);
}

#[test]
fn locks_taken_in_two_orders_are_found_whichever_came_first() {
    let first = "T0.0 lock m @p.c:1
        T0.0 lock a @p.c:2
        T0.0 unlock a @p.c:3
        T0.0 unlock m @p.c:4";
    let second = "T0.1 lock a @p.c:11
        T0.1 lock m @p.c:12
        T0.1 unlock m @p.c:13
        T0.1 unlock a @p.c:14";
    for (one, other) in [(first, second), (second, first)] {
        let found = deadlocks(&format!("{MONITOR}\n{one}\n{other}"), false);
        assert_eq!(found.len(), 1, "{found:?}");
        let mut places = found[0].clone();
        places.sort();
        assert_eq!(places, ["p.c:12", "p.c:2"]);
    }
}

#[test]
fn what_a_thread_does_behind_its_wait_is_decided_by_who_came_before() {
    // T0.0 waits for the end of T0.1 while it holds the mutex, but only once T0.1 is done with the mutex.
    let joins = MONITOR.replace("T0.0 unlock m", "T0.1 end\nT0.0 join T0.1 @p.c:4\nT0.0 unlock m");
    assert_eq!(deadlocks(&joins, false), Vec::<Vec<String>>::new());
    assert!(!deadlocks(&joins, true).is_empty());
    // The same if it finds T0.1 done without waiting.
    let joins = "T0.1 lock m @p.c:11
        T0.1 signal c 0 @p.c:12
        T0.1 unlock m @p.c:13
        T0.1 end
        T0.0 lock m @p.c:1
        T0.0 join T0.1 @p.c:4
        T0.0 unlock m @p.c:3";
    assert_eq!(deadlocks(joins, false), Vec::<Vec<String>>::new());
    assert!(!deadlocks(joins, true).is_empty());
}
