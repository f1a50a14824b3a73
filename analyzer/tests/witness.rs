//! Races that the observed run shows by itself: a trace for each rule that its part of the run must keep. Without
//! the rule the reference interpreter would refuse what was found, or nothing would be found.

mod guard;

use warpath_analyzer::encode::Options;
use warpath_analyzer::findings::{CheckOptions, Kind, Property, Report, Statistics, check};
use warpath_analyzer::model::{Forest, Moment};
use warpath_solvers::SolverChoice;
use warpath_trace::header::MemoryModel;
use warpath_trace::text;

/// The events in the order in which they are given; the other threads are forked and begin before that.
fn trace(declarations: &str, events: &str) -> String {
    let mut threads: Vec<&str> =
        events.lines().filter_map(|line| line.split_whitespace().next()).filter(|key| *key != "T0").collect();
    threads.sort_unstable();
    threads.dedup();
    let forks: String = threads.iter().map(|key| format!("T0 fork {key}\n")).collect();
    let begins: String = threads.iter().map(|key| format!("{key} begin\n")).collect();
    format!("warpath-trace 1\n{declarations}\nT0 begin\n{forks}{begins}{events}\noutcome exited 0\n")
}

fn forest(text: &str) -> Forest {
    let trace = text::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    Forest::of(&trace).expect("one trace fits itself")
}

fn races(forest: &Forest, options: &CheckOptions) -> Report {
    let solvers = guard::solvers();
    let solver = solvers.resolve(&SolverChoice::named("yices"));
    let solver = solver.unwrap_or_else(|error| panic!("{error}; run scripts/setup"));
    let report = check(forest, options, &[Property::Race], &mut || Ok(solver.open(&solvers)));
    report.unwrap_or_else(|error| panic!("{error}"))
}

/// The places of each race, and the books.
fn found(report: &Report) -> (Vec<[&str; 2]>, &Statistics) {
    assert!(report.unanswered.is_empty(), "{:?}", report.unanswered);
    let places = report.findings.iter().map(|finding| {
        assert_eq!(finding.kind, Kind::DataRace);
        [finding.events[0].place.as_str(), finding.events[1].place.as_str()]
    });
    (places.collect(), &report.properties[0].statistics)
}

/// Asserts that the trace's only race, of `a.c:1` and `a.c:2`, is shown by the run under every memory model, and
/// that a solver agrees.
fn assert_shown(declarations: &str, events: &str) {
    let text = trace(declarations, events);
    let forest = forest(&text);
    for model in [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso] {
        let formula = Options { model, ..Options::default() };
        let options = CheckOptions { formula, ..CheckOptions::default() };
        let report = races(&forest, &options);
        let (places, statistics) = found(&report);
        assert_eq!(places, [["a.c:1", "a.c:2"]], "{model:?}\n{text}");
        let (witnessed, refused, queries) = (statistics.witnessed, statistics.refused, statistics.queries);
        assert_eq!((witnessed, refused, queries), (1, 0, 0), "{model:?}\n{text}");
        let alone = races(&forest, &CheckOptions { witnesses: false, ..options });
        let (places, statistics) = found(&alone);
        assert_eq!((places.len(), statistics.witnessed), (1, 0), "{model:?}\n{text}");
    }
}

const RACE: &str = "T0.8 w x 1 @a.c:1";

#[test]
fn a_thread_needs_its_fork() {
    let text = "warpath-trace 1\nglobal x 4 = 0\nT0 begin\nT0 fork T0.0\nT0 w x 1 @a.c:1\nT0.0 w x 2 @a.c:2\noutcome stopped\n";
    let forest = forest(text);
    let report = races(&forest, &CheckOptions::default());
    let (places, statistics) = found(&report);
    assert_eq!((places, statistics.witnessed, statistics.refused), (vec![["a.c:1", "a.c:2"]], 1, 0));
    // The schedule is what leads there and no more.
    let steps: Vec<String> =
        report.findings[0].si.schedule.iter().map(|step| step.thread.to_string()).collect();
    assert_eq!(steps, ["T0", "T0"]);
}

#[test]
fn a_join_needs_the_whole_thread() {
    assert_shown(
        "global x 4 = 0\nglobal y 4 = 0",
        &format!("T0.0 w y 1\nT0.0 end\nT0 join T0.0\n{RACE}\nT0 w x 2 @a.c:2"),
    );
}

#[test]
fn a_decision_needs_what_it_depends_on() {
    // Directly, and through a value that another thread computed.
    assert_shown(
        "global x 4 = 0\nglobal f 4 = 0\nglobal g 4 = 0",
        &format!(
            "{RACE}\nT0.0 w f relaxed 1\nT0.1 r f relaxed $f=1\nT0.1 w g relaxed 2 := (add $f 1:32)\n\
             T0.2 r g relaxed $g=2\nT0.2 branch true (= $g 2:32)\nT0.2 w x 2 @a.c:2"
        ),
    );
    for decision in
        ["switch 1 $f", "concretise 1 $f address", "assert true (= $f 1:32)", "assume true (= $f 1:32)"]
    {
        assert_shown(
            "global x 4 = 0\nglobal f 4 = 0",
            &format!("{RACE}\nT0.0 w f relaxed 1\nT0.1 r f relaxed $f=1\nT0.1 {decision}\nT0.1 w x 2 @a.c:2"),
        );
    }
}

#[test]
fn a_decision_that_would_come_out_the_same_needs_nothing() {
    // The write that the read saw comes behind the race; any value but 7 will do.
    assert_shown(
        "global x 4 = 0\nglobal f 4 = 0",
        "T0.0 w x 1 @a.c:1\nT0.0 w f relaxed 1\nT0.1 r f relaxed $f=1\nT0.1 branch false (= $f 7:32)\nT0.1 w x 2 @a.c:2",
    );
}

#[test]
fn a_decision_that_cannot_come_out_so_is_no_race() {
    let text = trace(
        "global x 4 = 0\nglobal f 4 = 0",
        "T0.0 w x 1 @a.c:1\nT0.0 w f relaxed 1\nT0.1 r f relaxed $f=1\nT0.1 branch true (= $f 1:32)\nT0.1 w x 2 @a.c:2",
    );
    let report = races(&forest(&text), &CheckOptions::default());
    let (places, statistics) = found(&report);
    assert_eq!((places.len(), statistics.witnessed, statistics.refused, statistics.unsat), (0, 0, 0, 1));
}

#[test]
fn every_read_of_a_pinned_trace_decides() {
    assert_shown(
        "values pinned\nglobal x 4 = 0\nglobal f 4 = 0",
        &format!("{RACE}\nT0.0 w f relaxed 1\nT0.1 r f relaxed 1\nT0.1 w x 2 @a.c:2"),
    );
    assert_shown(
        "values pinned\nglobal x 4 = 0\nglobal f 4 = 0",
        &format!("{RACE}\nT0.0 w f relaxed 1\nT0.1 rmw f relaxed 1 -> 5\nT0.1 w x 2 @a.c:2"),
    );
}

#[test]
fn inputs_are_those_of_the_run() {
    let events = format!("{RACE}\nT0.0 input i 7\nT0.0 branch true (= ?i 7:32)\nT0.0 w x 2 @a.c:2");
    assert_shown("global x 4 = 0\ninput i 32", &events);
    let report = races(&forest(&trace("global x 4 = 0\ninput i 32", &events)), &CheckOptions::default());
    assert_eq!(report.findings[0].si.inputs[0].value, 7);
}

#[test]
fn storage_that_no_trace_knows_held_what_was_read() {
    assert_shown(
        "global x 4 = 0\nglobal u 4",
        &format!(
            "{RACE}\nT0.0 r u relaxed $u=9\nT0.0 branch true (= $u 9:32)\nT0.0 w u relaxed 3\nT0.0 w x 2 @a.c:2"
        ),
    );
}

#[test]
fn a_lock_that_another_takes_later_is_given_back() {
    let section = |lock: &str, unlock: &str| {
        format!(
            "{RACE}\nT0.0 {lock} l\nT0.0 w f relaxed 1\nT0.0 {unlock} l\nT0.1 {} l\nT0.1 r f relaxed $f=1\n\
             T0.1 branch true (= $f 1:32)\nT0.1 w x 2 @a.c:2\nT0.1 {} l",
            lock.replace("rd", "wr"),
            unlock.replace("rd", "wr")
        )
    };
    for (lock, unlock) in [("lock", "unlock"), ("wrlock", "wrunlock"), ("rdlock", "rdunlock")] {
        assert_shown("global x 4 = 0\nglobal f 4 = 0\nsync l", &section(lock, unlock));
    }
}

#[test]
fn a_recursive_lock_is_given_back_as_often_as_it_was_taken() {
    assert_shown(
        "global x 4 = 0\nglobal f 4 = 0\nsync l",
        &format!(
            "T0 init l mutex recursive\n{RACE}\nT0.0 lock l\nT0.0 lock l\nT0.0 w f relaxed 1\nT0.0 unlock l\n\
             T0.0 unlock l\nT0.1 lock l\nT0.1 r f relaxed $f=1\nT0.1 branch true (= $f 1:32)\nT0.1 w x 2 @a.c:2"
        ),
    );
}

#[test]
fn readers_keep_their_lock() {
    assert_shown(
        "global x 4 = 0\nglobal f 4 = 0\nsync l",
        "T0.0 rdlock l\nT0.0 w f relaxed 1\nT0.0 w x 1 @a.c:1\nT0.0 rdunlock l\n\
         T0.1 rdlock l\nT0.1 r f relaxed $f=1\nT0.1 branch true (= $f 1:32)\nT0.1 w x 2 @a.c:2\nT0.1 rdunlock l",
    );
}

#[test]
fn a_lock_that_is_held_in_the_end_is_taken_last() {
    // In the observed order the second thread would have to wait for a release that comes behind the race.
    assert_shown(
        "global x 4 = 0\nglobal y 4 = 0\nsync l",
        "T0.0 lock l\nT0.0 w x 1 @a.c:1\nT0.0 unlock l\nT0.1 lock l\nT0.1 w y 1\nT0.1 unlock l\nT0.1 w x 2 @a.c:2",
    );
}

#[test]
fn who_needs_a_value_waits_for_it_outside_of_the_lock_that_it_is_written_under() {
    // The value that was read is written behind the race; another write of it is observed later, under the lock.
    assert_shown(
        "global x 4 = 0\nglobal f 4 = 0\nglobal g 4 = 0\nsync l",
        "T0.0 lock l\nT0.0 w g relaxed 1\nT0.0 unlock l\nT0.0 w x 1 @a.c:1\nT0.0 lock l\nT0.0 w f relaxed 3\nT0.0 unlock l\n\
         T0.1 lock l\nT0.1 r f relaxed $f=3\nT0.1 branch true (= $f 3:32)\nT0.1 unlock l\nT0.1 w x 2 @a.c:2\n\
         T0.2 lock l\nT0.2 w f relaxed 3\nT0.2 unlock l",
    );
}

#[test]
fn a_read_that_mattered_later_is_read_again_with_more_care() {
    // The first read decides nothing; what is made of it does. The write that it saw comes behind the race.
    assert_shown(
        "global x 4 = 0\nglobal f 4 = 0\nglobal g 4 = 0",
        "T0.0 w x 1 @a.c:1\nT0.0 w f relaxed 3\nT0.1 r f relaxed $f=3\nT0.1 w g relaxed 3 := $f\n\
         T0.1 r g relaxed $g=3\nT0.1 branch true (= $g 3:32)\nT0.1 w x 2 @a.c:2\nT0.2 w f relaxed 3",
    );
}

#[test]
fn an_attempt_that_failed_needs_whoever_was_in_its_way() {
    assert_shown(
        "global x 4 = 0\nsync l",
        &format!("{RACE}\nT0.0 lock l\nT0.1 lock try l busy\nT0.0 unlock l\nT0.1 w x 2 @a.c:2"),
    );
}

#[test]
fn an_attempt_does_not_fail_when_nobody_is_in_its_way_any_more() {
    // Without the first thread's write, the value comes from the third, which has given the lock back by then.
    let text = trace(
        "global x 4 = 0\nglobal f 4 = 0\nsync k",
        "T0.2 lock k\nT0.0 w x 1 @a.c:1\nT0.0 w f relaxed 3\nT0.1 r f relaxed $f=3\nT0.1 branch true (= $f 3:32)\n\
         T0.1 lock try k busy\nT0.2 unlock k\nT0.2 w f relaxed 3\nT0.1 w x 2 @a.c:2",
    );
    let report = races(&forest(&text), &CheckOptions::default());
    let (places, statistics) = found(&report);
    assert_eq!((places.len(), statistics.witnessed, statistics.refused, statistics.unsat), (0, 0, 0, 1));
}

#[test]
fn a_wait_on_a_condition_needs_its_signal_and_its_mutex() {
    assert_shown(
        "global x 4 = 0\nsync m\nsync c",
        &format!(
            "{RACE}\nT0.0 lock m\nT0.0 cond-wait c m\nT0.1 lock m\nT0.1 signal c 1\nT0.1 unlock m\n\
             T0.0 cond-wake c m\nT0.0 w x 2 @a.c:2\nT0.0 unlock m"
        ),
    );
}

#[test]
fn a_wait_on_a_condition_gives_its_mutex_back() {
    assert_shown(
        "global x 4 = 0\nglobal f 4 = 0\nsync m\nsync c",
        &format!(
            "{RACE}\nT0.0 lock m\nT0.0 w f relaxed 1\nT0.0 cond-wait c m\nT0.1 lock m\nT0.1 r f relaxed $f=1\n\
             T0.1 branch true (= $f 1:32)\nT0.1 w x 2 @a.c:2\nT0.1 unlock m"
        ),
    );
}

#[test]
fn every_other_object_needs_what_was_done_to_it_before() {
    for (declaration, events) in [
        ("sync s", "T0 init s semaphore 0\nT0.0 sem-post s\nT0.1 sem-wait s"),
        ("sync s", "T0 init s semaphore 1\nT0.0 sem-wait s\nT0.1 sem-wait try s busy"),
        ("sync b", "T0 init b barrier 2\nT0.0 barrier-arrive b\nT0.1 barrier-arrive b\nT0.1 barrier-leave b"),
        ("sync o", "T0.0 once o run\nT0.0 once o finish\nT0.1 once o seen"),
        (
            "global w 4 = 0",
            "T0.1 futex-wait w 0 expected 0 queued\nT0.0 futex-wake w 1 woke 1\nT0.1 futex-resume w",
        ),
    ] {
        let declarations = format!("global x 4 = 0\n{declaration}");
        assert_shown(&declarations, &format!("{RACE}\n{events}\nT0.1 w x 2 @a.c:2"));
    }
}

#[test]
fn an_atomic_region_is_left_again() {
    assert_shown(
        "global x 4 = 0\nglobal f 4 = 0\nglobal g 4 = 0",
        &format!(
            "{RACE}\nT0.0 atomic-begin\nT0.0 w f relaxed 1\nT0.0 w g relaxed 1\nT0.0 atomic-end\n\
             T0.1 r f relaxed $f=1\nT0.1 branch true (= $f 1:32)\nT0.1 w x 2 @a.c:2"
        ),
    );
}

#[test]
fn a_run_with_store_buffers_is_one_of_its_model_alone() {
    // Both read 0 although both have written: each write was still in its buffer.
    let events = "T0.0 w p relaxed $p=1\nT0.1 w q relaxed $q=1\nT0.0 r q relaxed $0=0\nT0.1 r p relaxed $1=0\n\
                  T0.0 branch true (= $0 0:32)\nT0.1 branch true (= $1 0:32)\nT0.0 w x 1 @a.c:1\nT0.1 w x 2 @a.c:2\n\
                  T0.0 commit $p\nT0.1 commit $q";
    let text = trace("model tso\nglobal x 4 = 0\nglobal p 4 = 0\nglobal q 4 = 0", events);
    let forest = forest(&text);
    let commits = forest.run().expect("the order is total").steps.iter();
    assert_eq!(commits.filter(|step| matches!(step, Moment::Commit(_))).count(), 2);
    for (model, expected) in [(MemoryModel::Sc, 0), (MemoryModel::Tso, 1), (MemoryModel::Pso, 1)] {
        let formula = Options { model, ..Options::default() };
        let report = races(&forest, &CheckOptions { formula, ..CheckOptions::default() });
        let (places, statistics) = found(&report);
        assert_eq!((places.len(), statistics.witnessed, statistics.refused), (expected, expected as u64, 0));
    }
}

#[test]
fn a_thread_sees_its_own_write_before_others_do() {
    // What the last read finds is still in the buffer, and depends on what another thread wrote.
    let events = format!(
        "{RACE}\nT0.0 w f relaxed $w=1\nT0.0 commit $w\nT0.1 r f relaxed $f=1\nT0.1 w g relaxed $v=1 := $f\n\
         T0.1 r g relaxed $g=1\nT0.1 branch true (= $g 1:32)\nT0.1 w x 2 @a.c:2\nT0.1 commit $v"
    );
    let forest = forest(&trace("model tso\nglobal x 4 = 0\nglobal f 4 = 0\nglobal g 4 = 0", &events));
    for model in [MemoryModel::Tso, MemoryModel::Pso] {
        let formula = Options { model, ..Options::default() };
        let report = races(&forest, &CheckOptions { formula, ..CheckOptions::default() });
        let (places, statistics) = found(&report);
        assert_eq!((places.len(), statistics.witnessed, statistics.refused), (1, 1, 0), "{model:?}");
    }
}

#[test]
fn a_commit_before_the_race_does_not_hide_the_decision_before_it() {
    // The second read needs the only write of 1, and that is what it would race with.
    let events = "T0.1 w x relaxed $x=1\nT0.0 w y $y=1 @a.c:1\nT0.0 commit $y\nT0.1 r y relaxed $r=1 @a.c:3\n\
                  T0.1 branch false (= $r 0:32)\nT0.1 commit $x\nT0.1 r y 1 @a.c:2";
    let forest = forest(&trace("model pso\nglobal x 4 = 0\nglobal y 4 = 0", events));
    let formula = Options { model: MemoryModel::Pso, ..Options::default() };
    let report = races(&forest, &CheckOptions { formula, ..CheckOptions::default() });
    let (places, statistics) = found(&report);
    assert_eq!(places, [["a.c:1", "a.c:3"]]);
    assert_eq!((statistics.witnessed, statistics.refused, statistics.unsat), (1, 0, 1));
}

#[test]
fn a_trace_that_contradicts_itself_shows_what_comes_before_that() {
    // The second read cannot have found 5: nobody wrote it.
    let text = trace(
        "global x 4 = 0\nglobal z 4 = 0\nglobal f 4 = 0",
        "T0.0 w x 1 @a.c:1\nT0.1 w x 2 @a.c:2\nT0.0 r f relaxed $f=5\nT0.0 branch true (= $f 5:32)\nT0.0 w z 1 @a.c:3\nT0.1 w z 2 @a.c:4",
    );
    let report = races(&forest(&text), &CheckOptions::default());
    let (places, statistics) = found(&report);
    assert_eq!((places, statistics.witnessed, statistics.refused), (vec![["a.c:1", "a.c:2"]], 1, 0));
    assert_eq!(statistics.unsat, 1, "the solver was asked about the other pair");
}

#[test]
fn scripts_are_made_only_for_who_wants_them() {
    let text = trace("global x 4 = 0", &format!("{RACE}\nT0.0 w x 2 @a.c:2"));
    let forest = forest(&text);
    let with = races(&forest, &CheckOptions::default());
    assert!(with.findings[0].script.contains("(check-sat)"));
    let question = &with.findings[0].manifest.as_ref().expect("a script has one").question;
    assert!(question.contains("a.c:1") && question.contains("a.c:2"), "{question}");
    let without = races(&forest, &CheckOptions { scripts: false, ..CheckOptions::default() });
    assert!(without.findings[0].script.is_empty() && without.findings[0].manifest.is_none());
    assert_eq!(with.findings[0].si, without.findings[0].si);
}
