//! What does not depend on other threads: inputs, assumptions, control, storage; and the schedule of a run.

use std::collections::BTreeSet;

use warpath_trace::event::{FailureKind, Op, SyncKind, WaitResult};
use warpath_trace::header::MemoryModel::{Sc, Tso};
use warpath_trace::header::Outcome;

use crate::compare::truth;
use crate::oracle::build::*;
use crate::oracle::decision::Decision::{Branch, Switch};
use crate::oracle::program::{Program, What, key};
use crate::oracle::run::{Act, Choice, Failure, Policy, run};

const TO_BLOCK: Policy = Policy::RunToBlock { first: None };

#[test]
fn only_symbolic_conditions_are_decisions() {
    let mut program = Program::default();
    let i = program.input("i", 3);
    program.thread(vec![
        assign(1, 7),
        when(eq(r(1), 7), vec![assign(2, 1)]),
        take_input(0, i),
        stmt(What::Switch { on: r(0), cases: vec![(1, vec![assign(2, 5)])], default: vec![] }),
        when(eq(r(2), 5), vec![]),
        when(eq(r(0), r(0)), vec![]),
    ]);
    let program = program.numbered();
    let histories = &truth(&program, Sc).histories[1];
    let whole: BTreeSet<_> = (0..3).map(|value| vec![Switch(value), Branch(true)]).collect();
    assert_eq!(histories.iter().filter(|h| h.len() == 2).cloned().collect::<BTreeSet<_>>(), whole);
    let recorded = run(&program, &[("i".to_owned(), 1)], &[], Sc, TO_BLOCK).histories();
    assert_eq!(recorded[1], [Switch(1), Branch(true)]);
}

#[test]
fn an_assumption_stops_its_thread_and_nobody_else() {
    let mut program = Program::default();
    let x = program.cell("x", 0);
    program.thread(vec![store(x, 1), assume(eq(1, 0)), store(x, 2)]);
    program.thread(vec![load(0, x), when(eq(r(0), 1), vec![])]);
    let program = program.numbered();
    let found = truth(&program, Sc);
    assert!(!found.deadlocks(), "the main thread waits for a thread that was stopped");
    assert_eq!(found.histories[2].len(), 3);
    let run = run(&program, &[], &[], Sc, TO_BLOCK);
    assert_eq!(run.failure, None);
    assert_eq!(run.trace.footer.as_ref().map(|footer| footer.outcome), Some(Outcome::Stopped));
    assert_eq!(run.histories()[2], [Branch(true)]);
    let last = run.trace.threads[1].last().map(|event| event.op);
    assert_eq!(last, Some(Op::Assume { condition: None, holds: false }));
}

#[test]
fn the_others_go_on_while_a_thread_is_about_to_fail() {
    let mut program = Program::default();
    let x = program.cell("x", 0);
    program.thread(vec![store(x, 1), load(0, x), check(eq(r(0), 0))]);
    program.thread(vec![load(0, x), when(eq(r(0), 1), vec![])]);
    let program = program.numbered();
    let found = truth(&program, Sc);
    assert_eq!(found.failures, BTreeSet::from([(1, 3)]));
    assert!(found.histories[2].contains(&vec![Branch(true)]));
    let step = |nr| Choice { thread: key(nr), act: Act::Step };
    // Forks, then the failing thread to its end, then the other one's read.
    let schedule: Vec<Choice> = [0, 0, 0, 1, 1, 1, 2, 2].map(step).to_vec();
    let run = run(&program, &[], &schedule, Sc, TO_BLOCK);
    assert_eq!(run.followed, schedule.len());
    assert_eq!(run.failure, Some(Failure::Assertion { thread: 1, statement: 3 }));
    assert_eq!(run.histories()[2], [Branch(true)]);
    run.trace.check().unwrap();
}

#[test]
fn storage_can_be_used_after_it_was_given_back() {
    let mut program = Program::default();
    let h = program.heap_cell("h", 0);
    program.thread(vec![load(0, h)]);
    program.thread(vec![free(0)]);
    let program = program.numbered();
    let found = truth(&program, Sc);
    assert_eq!(found.uses_after_free, BTreeSet::from([(1, 1)]));
    let first = Policy::RunToBlock { first: Some(key(2)) };
    let step = |nr| Choice { thread: key(nr), act: Act::Step };
    let run = run(&program, &[], &[0, 0, 0].map(step), Sc, first);
    assert_eq!(run.uses_after_free, found.uses_after_free);
    assert!(run.trace.threads[0].iter().any(|event| matches!(event.op, Op::Alloc { .. })));
}

#[test]
fn a_schedule_is_followed_as_far_as_it_goes() {
    let mut program = Program::default();
    let m = program.mutex("m");
    program.thread(vec![lock(m), unlock(m)]);
    program.thread(vec![lock(m), unlock(m)]);
    let program = program.numbered();
    let step = |nr| Choice { thread: key(nr), act: Act::Step };
    // Begin, init, two forks; then both threads ask for the lock, which is one too many.
    let schedule = [0, 0, 0, 0, 1, 2, 1, 2, 1].map(step);
    let run = run(&program, &[], &schedule, Sc, TO_BLOCK);
    assert_eq!(run.followed, 7);
    assert_eq!(run.choices[..7], schedule[..7]);
    assert_eq!(run.failure, None);
    assert_eq!(run.trace.footer.as_ref().map(|footer| footer.outcome), Some(Outcome::Exited(0)));
}

#[test]
fn pending_operations_of_a_deadlock_are_recorded() {
    let mut program = Program::default();
    let (a, b) = (program.mutex("a"), program.mutex("b"));
    program.thread(vec![lock(a), lock(b), unlock(b), unlock(a)]);
    program.thread(vec![lock(b), lock(a), unlock(a), unlock(b)]);
    let program = program.numbered();
    let step = |nr| Choice { thread: key(nr), act: Act::Step };
    let run = run(&program, &[], &[0, 0, 0, 0, 0, 1, 1, 2, 2].map(step), Sc, TO_BLOCK);
    assert_eq!(run.failure, Some(Failure::Deadlock { blocked: [0, 1, 2].into() }));
    for thread in 1..3 {
        let last = run.trace.threads[thread].last().map(|event| event.op);
        assert!(matches!(last, Some(Op::Lock { result: WaitResult::Pending, .. })), "{last:?}");
    }
    assert_eq!(
        run.trace.footer.as_ref().map(|footer| footer.outcome),
        Some(Outcome::Failed(FailureKind::Deadlock))
    );
    run.trace.check().unwrap();
}

#[test]
fn commits_are_choices_of_their_own() {
    let mut program = Program::default();
    let (x, y) = (program.cell("x", 0), program.cell("y", 0));
    program.thread(vec![store(x, 1), store(y, 1), load(0, x), when(eq(r(0), 1), vec![])]);
    program.thread(vec![load(0, x), when(eq(r(0), 1), vec![])]);
    let program = program.numbered();
    let step = |nr| Choice { thread: key(nr), act: Act::Step };
    let commit = |name: &str| Choice { thread: key(1), act: Act::Commit(name.to_owned()) };
    let mut schedule = [0, 0, 0, 1, 1, 1, 1, 2, 2].map(step).to_vec();
    let before = run(&program, &[], &schedule, Tso, Policy::Stop);
    assert_eq!(before.followed, schedule.len());
    assert_eq!(before.histories()[1..], [vec![Branch(true)], vec![Branch(false)]]);
    schedule.insert(7, commit("x"));
    let after = run(&program, &[], &schedule, Tso, Policy::Stop);
    assert_eq!(after.followed, schedule.len());
    assert_eq!(after.histories()[1..], [vec![Branch(true)], vec![Branch(true)]]);
    // Total store order: y cannot overtake x.
    schedule[7] = commit("y");
    assert_eq!(run(&program, &[], &schedule, Tso, Policy::Stop).followed, 7);
}

#[test]
fn a_schedule_says_which_waiter_goes_on() {
    let mut program = Program::default();
    let (m, c) = (program.mutex("m"), program.sync("c", SyncKind::Condition));
    for _ in 0..2 {
        program.thread(vec![lock(m), wait(c, m), unlock(m)]);
    }
    program.thread(vec![signal(c)]);
    let program = program.numbered();
    let step = |nr| Choice { thread: key(nr), act: Act::Step };
    let begin = [0, 0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3].map(step);
    for (woken, other) in [(1, 2), (2, 1)] {
        let schedule: Vec<Choice> =
            begin.iter().cloned().chain([step(woken), step(woken), step(other)]).collect();
        let run = run(&program, &[], &schedule, Sc, TO_BLOCK);
        assert_eq!(run.followed, schedule.len() - 1, "one signal wakes one");
        assert_eq!(run.failure, Some(Failure::Deadlock { blocked: [0, other].into() }));
        let signals =
            run.trace.threads[3].iter().filter(|event| matches!(event.op, Op::Signal { woken: 1, .. }));
        assert_eq!(signals.count(), 1);
    }
}

#[test]
fn a_loop_goes_round_as_often_as_it_says() {
    for times in 0..4 {
        let mut program = Program::default();
        let x = program.cell("x", 0);
        let turn = vec![load(0, x), store(x, sum(r(0), 1))];
        program.thread(vec![stmt(What::Repeat { times, body: turn })]);
        assert_eq!(truth(&program.numbered(), Sc).finals, BTreeSet::from([vec![times]]));
    }
}
