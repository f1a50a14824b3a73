//! Every kind of synchronisation across the border of a window: what is under way when a window begins counts in it.
//!
//! In each trace something was begun before the cut that keeps one thing from happening behind it, and lets another
//! happen. Forgotten, it would make the assertion fail, or the race unreachable.

mod guard;
mod windows;

use std::collections::BTreeSet;

use warpath_analyzer::findings::{CheckOptions, Kind};
use warpath_analyzer::model::Forest;
use warpath_analyzer::window::{Cut, Recorded};
use warpath_trace::text;
use windows::{Solver, check_windows};

/// What is found in the window that begins between the two parts: kinds, and for races the storage. Each finding is
/// executed from the start of the trace.
fn behind(declarations: &str, before: &str, after: &str) -> BTreeSet<String> {
    let lines = |part: &str| part.lines().filter(|line| !line.trim().is_empty()).count();
    let threads = ["T0.0", "T0.1", "T0.2"];
    let forks: String = threads.iter().map(|key| format!("T0 fork {key}\n")).collect();
    let begins: String = threads.iter().map(|key| format!("{key} begin\n")).collect();
    // The part behind the cut must not fit into the first window.
    let padding = lines(after).saturating_sub(lines(before));
    let padding = "T0 w padding 0\n".repeat(padding);
    let made = declarations.lines().filter(|line| line.starts_with("T0 ")).count();
    let begin = made + lines(&forks) + lines(&begins) + lines(&padding) + lines(before) + 1;
    let text = format!(
        "warpath-trace 1\nglobal padding 4 = 0\n{declarations}\nT0 begin\n{forks}{padding}{begins}{before}\n{after}\noutcome stopped\n"
    );
    let trace = text::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let cut = Cut::new(begin as u32, 0).expect("the overlap is smaller");
    let solvers = guard::solvers();
    let solver = Solver { solvers: &solvers, name: "yices" };
    let options = CheckOptions { scripts: false, ..CheckOptions::default() };
    let found =
        check_windows(&trace, cut, 1, &options, &solver).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(found.summary.windows, 2);
    assert!(found.summary.unanswered.is_empty(), "{:?}", found.summary.unanswered);
    let forest = Forest::of(&trace).expect("one trace fits itself");
    let recorded = Recorded::of(&trace, options.formula.model).expect("the trace has an order");
    let mut kinds = BTreeSet::new();
    for (window, finding) in &found.findings {
        let si = recorded.complete(window, &finding.si);
        let (execution, end) = windows::replay::replayed(&forest, &si)
            .unwrap_or_else(|error| panic!("{error}\n{}", finding.summary));
        windows::replay::shows(&forest, finding, &execution, &end).unwrap_or_else(|error| panic!("{error}"));
        if window.number == 1 {
            kinds.extend(match finding.kind {
                Kind::DataRace => {
                    let storage = finding.summary.split([':', ' ']).nth(3).expect("the storage is named");
                    Some(format!("race {storage}"))
                }
                Kind::AtomicityViolation => None,
                kind => Some(kind.name().to_owned()),
            });
        }
    }
    kinds
}

fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

const DATA: &str = "global x 4 = 0\nglobal y 4 = 0\n";

fn data(more: &str) -> String {
    format!("{DATA}{more}")
}

#[test]
fn a_mutex_that_is_held() {
    let found = behind(
        &data("sync m"),
        "T0.0 lock m",
        "T0.0 w x 1\nT0.0 unlock m\nT0.0 w y 1\n
         T0.1 lock m\nT0.1 r x $1=1\nT0.1 assert true (= $1 1:32)\nT0.1 unlock m\nT0.1 w y 2",
    );
    assert_eq!(found, set(&["race y"]));
}

#[test]
fn a_mutex_that_is_not_given_back_keeps_others_out() {
    let found = behind(
        &data("sync m"),
        "T0.0 lock m",
        "T0.0 w x 1\nT0.1 lock try m busy\nT0.1 w y 1\nT0.2 w y 2\nT0.2 w x 2",
    );
    // The failed attempt needs the holder, and has it.
    assert_eq!(found, set(&["race x", "race y"]));
}

#[test]
fn a_recursive_mutex_that_is_held_twice() {
    let found = behind(
        &data("sync m\nT0 init m mutex recursive"),
        "T0.0 lock m\nT0.0 lock m",
        "T0.0 unlock m\nT0.0 w x 1\nT0.0 unlock m\nT0.0 w y 1\n
         T0.1 lock m\nT0.1 r x $1=1\nT0.1 assert true (= $1 1:32)\nT0.1 unlock m\nT0.1 w y 2",
    );
    assert_eq!(found, set(&["race y"]));
}

#[test]
fn a_read_write_lock_with_a_reader() {
    let found = behind(
        &data("sync w"),
        "T0.0 rdlock w",
        "T0.0 r x $1=0\nT0.0 assert true (= $1 0:32)\nT0.2 rdlock w\nT0.2 w y 2\nT0.2 rdunlock w\nT0.0 w y 1\n
         T0.0 rdunlock w\nT0.1 wrlock w\nT0.1 w x 1\nT0.1 wrunlock w",
    );
    assert_eq!(found, set(&["race y"]));
}

#[test]
fn a_wait_that_is_woken_in_the_window() {
    let found = behind(
        &data("sync m\nsync c"),
        "T0.0 lock m\nT0.0 cond-wait c m\nT0.1 lock m",
        "T0.1 w x 1\nT0.1 signal c 1\nT0.1 unlock m\nT0.1 w y 1\n
         T0.0 cond-wake c m\nT0.0 r x $1=1\nT0.0 assert true (= $1 1:32)\nT0.0 unlock m\nT0.0 w y 2",
    );
    assert_eq!(found, set(&["race y"]));
}

#[test]
fn a_signal_that_has_been_given_and_not_been_taken() {
    let found = behind(
        &data("sync m\nsync c"),
        "T0.0 lock m\nT0.0 cond-wait c m\nT0.1 lock m\nT0.1 signal c 1",
        "T0.1 w x 1\nT0.1 unlock m\nT0.1 w y 1\n
         T0.0 cond-wake c m\nT0.0 r x $1=1\nT0.0 assert true (= $1 1:32)\nT0.0 unlock m\nT0.0 w y 2",
    );
    assert_eq!(found, set(&["race y"]));
}

#[test]
fn a_signal_that_another_took() {
    // Both wait; the one signal of the prefix went to T0.0, so T0.2 waits for the one in the window.
    let found = behind(
        &data("sync m\nsync c"),
        "T0.0 lock m\nT0.0 cond-wait c m\nT0.2 lock m\nT0.2 cond-wait c m\nT0.1 lock m\nT0.1 signal c 1\nT0.1 unlock m
         T0.0 cond-wake c m\nT0.0 unlock m",
        "T0.1 lock m\nT0.1 w x 1\nT0.1 signal c 1\nT0.1 unlock m\nT0.1 w y 1\n
         T0.2 cond-wake c m\nT0.2 r x $1=1\nT0.2 assert true (= $1 1:32)\nT0.2 unlock m\nT0.2 w y 2",
    );
    assert_eq!(found, set(&["race y"]));
}

#[test]
fn a_mutex_that_was_acquired_again_after_a_wait() {
    // T0.2 waits with the mutex given up, and had it after T0.0 had it for the first time.
    let found = behind(
        &data("sync m\nsync c\nsync d"),
        "T0.0 lock m\nT0.0 cond-wait c m\nT0.2 lock m\nT0.2 signal c 1\nT0.2 cond-wait d m\nT0.0 cond-wake c m",
        "T0.0 w x 1\nT0.0 unlock m\nT0.0 w y 1\n
         T0.1 lock m\nT0.1 r x $1=1\nT0.1 assert true (= $1 1:32)\nT0.1 unlock m\nT0.1 w y 2",
    );
    assert_eq!(found, set(&["race y"]));
}

#[test]
fn a_semaphore_without_units() {
    let found = behind(
        &data("sync s\nT0 init s semaphore 1"),
        "T0.1 sem-wait s",
        "T0.1 w x 1\nT0.1 sem-post s\nT0.1 w y 1\nT0.0 sem-wait s\nT0.0 w x 2\nT0.0 w y 2",
    );
    assert_eq!(found, set(&["race y"]));
}

#[test]
fn a_semaphore_with_units() {
    let found = behind(
        &data("sync s\nT0 init s semaphore 0"),
        "T0.2 sem-post s\nT0.2 sem-post s\nT0.2 sem-wait s",
        "T0.0 sem-wait s\nT0.0 w y 1\nT0.1 sem-wait try s busy\nT0.1 w x 1\nT0.2 w y 2\nT0.2 w x 2",
    );
    assert_eq!(found, set(&["race x", "race y"]));
}

#[test]
fn a_barrier_at_which_one_has_arrived() {
    let found = behind(
        &data("sync b\nT0 init b barrier 2"),
        "T0.0 barrier-arrive b\nT0.2 barrier-arrive b\nT0.0 barrier-leave b\nT0.2 barrier-leave b serial
         T0.0 barrier-arrive b",
        "T0.1 w x 1\nT0.1 barrier-arrive b\nT0.1 barrier-leave b serial\nT0.0 barrier-leave b\nT0.0 r x $1=1
         T0.0 assert true (= $1 1:32)\nT0.0 w y 1\nT0.1 w y 2",
    );
    assert_eq!(found, set(&["race y"]));
}

#[test]
fn a_barrier_that_one_has_not_left_yet() {
    let found = behind(
        &data("sync b\nT0 init b barrier 2"),
        "T0.0 barrier-arrive b\nT0.2 barrier-arrive b\nT0.2 barrier-leave b serial\nT0.2 barrier-arrive b
         T0.1 barrier-arrive b\nT0.2 barrier-leave b serial\nT0.1 barrier-leave b\nT0.1 barrier-arrive b",
        "T0.0 barrier-leave b\nT0.0 w y 1\nT0.2 w y 2\nT0.2 w x 1\nT0.2 barrier-arrive b\nT0.1 barrier-leave b
         T0.1 r x $1=1\nT0.1 assert true (= $1 1:32)\nT0.2 barrier-leave b",
    );
    assert_eq!(found, set(&["race y"]));
}

#[test]
fn an_initialisation_that_is_over() {
    let found = behind(
        &data("sync o"),
        "T0.0 once o run\nT0.0 once o finish",
        "T0.1 once o seen\nT0.1 w y 1\nT0.2 w y 2",
    );
    assert_eq!(found, set(&["race y"]));
}

#[test]
fn an_initialisation_that_runs() {
    let found = behind(
        &data("sync o"),
        "T0.0 once o run",
        "T0.0 w x 1\nT0.0 once o finish\nT0.0 w y 1\n
         T0.1 once o seen\nT0.1 r x $1=1\nT0.1 assert true (= $1 1:32)\nT0.1 w y 2",
    );
    assert_eq!(found, set(&["race y"]));
}

#[test]
fn the_join_of_a_thread_that_has_ended() {
    let found = behind(&data(""), "T0.0 end", "T0 join T0.0\nT0 w y 1\nT0.1 w y 2");
    assert_eq!(found, set(&["race y"]));
}

#[test]
fn a_thread_that_was_started_and_has_done_nothing() {
    // T0.3 is forked before the cut and begins behind it.
    let found =
        behind(&data(""), "T0 fork T0.3", "T0.3 begin\nT0.3 w y 1\nT0.1 w y 2\nT0.3 end\nT0 join T0.3");
    assert_eq!(found, set(&["race y"]));
}

#[test]
fn a_futex_waiter() {
    let found = behind(
        &data("global f 4 = 0\nglobal g 4 = 0"),
        "T0.0 futex-wait f $w=0 expected 0 queued\nT0.1 w f seqcst 1",
        "T0.1 w x 1\nT0.1 futex-wake f 1 woke 1\nT0.1 w y 1\n
         T0.0 futex-resume f\nT0.0 r x $1=1\nT0.0 assert true (= $1 1:32)\nT0.0 w y 2",
    );
    assert_eq!(found, set(&["race y"]));
}

#[test]
fn a_futex_wake_that_reaches_one_of_two() {
    // The wake of the prefix can reach two, and T0.2 has taken one of them.
    let found = behind(
        &data("global f 4 = 0"),
        "T0.0 futex-wait f $w=0 expected 0 queued\nT0.2 futex-wait f $v=0 expected 0 queued
         T0.1 futex-wake f 2 woke 2\nT0.2 futex-resume f",
        "T0.0 futex-resume f\nT0.0 w y 1\nT0.2 w y 2",
    );
    assert_eq!(found, set(&["race y"]));
}

#[test]
fn a_futex_waiter_that_was_moved() {
    // Before the cut T0.0 was moved to g, and T0.2 was woken in its place: a wake of f reaches nobody any more.
    let found = behind(
        &data("global f 4 = 0\nglobal g 4 = 0"),
        "T0.2 futex-wait f $v=0 expected 0 queued\nT0.0 futex-wait f $w=0 expected 0 queued
         T0.1 futex-requeue f g wake 1 move 1 woke 1 moved 1\nT0.2 futex-resume f",
        "T0.1 futex-wake f 1 woke 0\nT0.1 w x 1\nT0.1 futex-wake g 1 woke 1\nT0.1 w y 1\n
         T0.0 futex-resume f\nT0.0 r x $1=1\nT0.0 assert true (= $1 1:32)\nT0.0 w y 2",
    );
    assert_eq!(found, set(&["race y"]));
}

#[test]
fn a_mutex_held_twice_that_was_acquired_again_after_a_wait() {
    let found = behind(
        &data("sync m\nsync c\nT0 init m mutex recursive"),
        "T0.0 lock m\nT0.0 lock m\nT0.0 cond-wait c m\nT0.1 lock m\nT0.1 signal c 1\nT0.1 unlock m
         T0.0 cond-wake c m",
        "T0.0 unlock m\nT0.0 w x 1\nT0.0 unlock m\nT0.0 w y 1\n
         T0.1 lock m\nT0.1 r x $1=1\nT0.1 assert true (= $1 1:32)\nT0.1 unlock m\nT0.1 w y 2",
    );
    assert_eq!(found, set(&["race y"]));
}

#[test]
fn a_mutex_held_twice_that_was_given_up_for_a_wait() {
    let found = behind(
        &data("sync m\nsync c\nT0 init m mutex recursive"),
        "T0.0 lock m\nT0.0 lock m\nT0.0 cond-wait c m\nT0.1 lock m\nT0.1 signal c 1\nT0.1 unlock m",
        "T0.0 cond-wake c m\nT0.0 unlock m\nT0.0 w x 1\nT0.0 unlock m\nT0.0 w y 1\n
         T0.1 lock m\nT0.1 w x 2\nT0.1 unlock m\nT0.1 w y 2",
    );
    assert_eq!(found, set(&["race y"]));
}

#[test]
fn a_futex_wake_that_another_took() {
    // Both waited, and the one wake of the prefix went to T0.2: T0.0 waits for the one in the window.
    let found = behind(
        &data("global f 4 = 0"),
        "T0.0 futex-wait f $w=0 expected 0 queued\nT0.2 futex-wait f $v=0 expected 0 queued
         T0.1 futex-wake f 1 woke 1\nT0.2 futex-resume f",
        "T0.1 w x 1\nT0.1 futex-wake f 1 woke 1\nT0.0 futex-resume f\nT0.0 r x $1=1
         T0.0 assert true (= $1 1:32)",
    );
    assert_eq!(found, set(&[]));
}

#[test]
fn an_atomic_region() {
    let found = behind(
        &data(""),
        "T0.0 atomic-begin\nT0.0 w x 5",
        "T0.0 r x $1=5\nT0.0 assert true (= $1 5:32)\nT0.0 atomic-end\nT0.0 w y 1\nT0.1 w x 2\nT0.1 w y 2",
    );
    assert_eq!(found, set(&["race y"]));
}

#[test]
fn what_storage_holds_and_what_was_read() {
    let found = behind(
        &data("global wide 4\nlocation low %wide+0:1"),
        "T0.0 w x 7\nT0.0 r x $1=7\nT0.2 w low 3",
        "T0.1 r x $2=7\nT0.1 assert true (= $2 7:32)\nT0.0 assert true (= $1 7:32)\nT0.0 w y 7 := $1
         T0.0 r y $3=7\nT0.0 assert true (= $3 7:32)\nT0.1 r low $4=3\nT0.1 assert true (= $4 3:8)",
    );
    assert_eq!(found, set(&[]));
}

#[test]
fn inputs_taken_before_are_what_they_were_and_later_ones_are_free() {
    let fixed =
        behind(&data("input i 32"), "T0.0 input i 7", "T0.0 assert true (= ?i 7:32)\nT0.0 w y 1\nT0.1 w y 2");
    assert_eq!(fixed, set(&["race y"]));
    let free = behind(&data("input i 32"), "T0.0 w x 1", "T0.0 input i 7\nT0.0 assert true (= ?i 7:32)");
    assert_eq!(free, set(&["assertion failure"]));
}

#[test]
fn a_deadlock_with_a_lock_taken_before() {
    let found = behind(
        &data("sync a\nsync b"),
        "T0.0 lock a",
        "T0.0 lock b\nT0.0 unlock b\nT0.0 unlock a\nT0.1 lock b\nT0.1 lock a\nT0.1 unlock a\nT0.1 unlock b",
    );
    assert_eq!(found, set(&["deadlock"]));
}

#[test]
fn a_deadlock_of_which_one_half_has_waited_since_before() {
    let found = behind(
        &data("sync a\nsync b"),
        "T0.0 lock a\nT0.1 lock b\nT0.0 lock b pending",
        "T0.1 w x 1\nT0.1 lock a pending",
    );
    assert_eq!(found, set(&["deadlock"]));
}

#[test]
fn what_was_set_up_before_is_not_read_too_early() {
    // Behind the cut only T0.1 writes x, and T0.0 sees it; but x had been set up before.
    let found = behind(&data(""), "T0.1 w x 1", "T0.1 w x 2\nT0.0 r x 2");
    assert_eq!(found, set(&["race x"]));
    let found = behind(&data(""), "T0.1 w y 1", "T0.1 w x 2\nT0.0 r x 2");
    assert_eq!(found, set(&["race x", "order violation"]));
}

#[test]
fn whoever_waits_for_a_lock_held_before_can_get_it() {
    // Nothing that the assertion depends on has to do with T0.0, but for the lock that it holds.
    let found = behind(
        &data("sync m\ninput i 32"),
        "T0.0 lock m",
        "T0.0 unlock m\nT0.1 lock m\nT0.1 input i 7\nT0.1 assert true (= ?i 7:32)\nT0.1 unlock m",
    );
    assert_eq!(found, set(&["assertion failure"]));
}

#[test]
fn whoever_waits_for_the_end_of_a_region_goes_on_behind_it() {
    let found = behind(
        &data("input i 32"),
        "T0.0 atomic-begin",
        "T0.0 w x 1\nT0.0 atomic-end\nT0.1 w y 1\nT0.1 input i 7\nT0.1 assert true (= ?i 7:32)",
    );
    assert_eq!(found, set(&["assertion failure"]));
}

#[test]
fn a_thread_that_has_ended_is_not_taken_for_the_main_thread() {
    // With the main thread the process would have ended, and nobody would wait.
    let found = behind(
        &data("sync a\nsync b"),
        "T0.2 end\nT0.0 lock a",
        "T0.0 lock b\nT0.0 unlock b\nT0.0 unlock a\nT0.1 lock b\nT0.1 lock a\nT0.1 unlock a\nT0.1 unlock b\nT0 join T0.2",
    );
    assert_eq!(found, set(&["deadlock"]));
}

#[test]
fn two_signals_that_have_been_given_wake_two() {
    let found = behind(
        &data("sync m\nsync c"),
        "T0.0 lock m\nT0.0 cond-wait c m\nT0.2 lock m\nT0.2 cond-wait c m\nT0.1 lock m\nT0.1 signal c 1\nT0.1 signal c 1
         T0.1 unlock m",
        "T0.0 cond-wake c m\nT0.0 unlock m\nT0.2 cond-wake c m\nT0.2 unlock m\nT0.0 w y 1\nT0.2 w y 2",
    );
    assert_eq!(found, set(&["race y"]));
}

#[test]
fn what_is_left_of_a_wake_wakes_no_more_than_that() {
    // Three wait, two are woken before the cut, and one of these is T0.3. When both others have resumed, one of them
    // was woken behind the cut, and x had been written.
    let found = behind(
        &data("global f 4 = 0\nglobal a 4 = 0"),
        "T0 fork T0.3\nT0.3 begin\nT0.0 futex-wait f $u=0 expected 0 queued\nT0.2 futex-wait f $v=0 expected 0 queued
         T0.3 futex-wait f $w=0 expected 0 queued\nT0.1 futex-wake f 2 woke 2\nT0.3 futex-resume f",
        "T0.1 w x seqcst 1\nT0.1 futex-wake f 1 woke 1\nT0.0 futex-resume f\nT0.0 w a seqcst 1
         T0.2 futex-resume f\nT0.2 r a seqcst $1=1\nT0.2 branch true (= $1 1:32)\nT0.2 r x seqcst $2=1
         T0.2 assert true (= $2 1:32)",
    );
    assert_eq!(found, set(&[]));
}
