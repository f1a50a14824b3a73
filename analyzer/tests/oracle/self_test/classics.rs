//! Well-known bugs with known answers.

use std::collections::BTreeSet;

use warpath_trace::event::{MemoryOrder, SyncKind};
use warpath_trace::header::MemoryModel::Sc;

use crate::compare;
use crate::oracle::brute::{Limits, Truth, enumerate};
use crate::oracle::build::*;
use crate::oracle::program::{Program, Statement, What};

fn truth(program: &Program) -> Truth {
    compare::truth(program, Sc)
}

/// Two threads that each add 1 to `x`, with something around it.
fn two_increments(around: impl Fn(usize, Vec<Statement>) -> Vec<Statement>) -> Program {
    let mut program = Program::default();
    let x = program.cell("x", 0);
    let m = program.mutex("m");
    for _ in 0..2 {
        program.thread(around(m, vec![load(0, x), store(x, sum(r(0), 1))]));
    }
    program.numbered()
}

#[test]
fn an_update_can_be_lost() {
    let found = truth(&two_increments(|_, body| body));
    assert_eq!(found.finals, BTreeSet::from([vec![1], vec![2]]));
    // Statements 1, 2 and 3, 4: load and store of each thread.
    let races = BTreeSet::from([((1, 1), (2, 4)), ((1, 2), (2, 3)), ((1, 2), (2, 4))]);
    assert_eq!(found.races, races);
}

#[test]
fn a_lock_saves_the_update() {
    let locked =
        |m, body: Vec<Statement>| std::iter::once(lock(m)).chain(body).chain([unlock(m)]).collect::<Vec<_>>();
    let found = truth(&two_increments(locked));
    assert_eq!(found.finals, BTreeSet::from([vec![2]]));
    assert_eq!((found.races, found.stuck), Default::default());
}

#[test]
fn an_atomic_region_saves_the_update() {
    let found = truth(&two_increments(|_, body| vec![atomically(body)]));
    assert_eq!(found.finals, BTreeSet::from([vec![2]]));
    assert_eq!((found.races, found.stuck), Default::default());
}

#[test]
fn an_atomic_update_is_not_lost() {
    let mut program = Program::default();
    let x = program.cell("x", 0);
    for _ in 0..3 {
        program.thread(vec![fetch_add(0, x, 1)]);
    }
    let found = truth(&program.numbered());
    assert_eq!(found.finals, BTreeSet::from([vec![3]]));
    assert_eq!(found.races, BTreeSet::new());
}

#[test]
fn a_race_needs_a_write_and_an_access_that_is_not_atomic() {
    let races = |first: fn(usize) -> Statement, second: fn(usize) -> Statement| {
        let mut program = Program::default();
        let x = program.cell("x", 0);
        program.thread(vec![first(x)]);
        program.thread(vec![second(x)]);
        !truth(&program.numbered()).races.is_empty()
    };
    let plain_load = |x| load(0, x);
    let plain_store = |x| store(x, 1);
    let relaxed_load = |x| atomic_load(0, x, MemoryOrder::Relaxed);
    let relaxed_store = |x| atomic_store(x, 1, MemoryOrder::Relaxed);
    let add = |x| fetch_add(0, x, 1);
    assert!(races(plain_load, plain_store));
    assert!(races(plain_store, plain_store));
    assert!(races(plain_load, relaxed_store));
    assert!(races(plain_store, relaxed_load));
    assert!(races(plain_load, add));
    assert!(!races(plain_load, plain_load));
    assert!(!races(plain_load, relaxed_load));
    assert!(!races(relaxed_store, relaxed_load));
    assert!(!races(relaxed_store, add));
    assert!(!races(add, add));
    assert!(races(|x| futex_wait(x, 0), plain_store));
    assert!(!races(|x| futex_wait(x, 0), plain_load));
}

#[test]
fn only_accesses_that_share_a_byte_race() {
    let mut program = Program::default();
    let (low, high, wide) = program.overlapping("low", "high", "wide");
    let store_wide = stmt(What::Store { cell: wide, value: vec![1.into(), 2.into()], order: None });
    program.thread(vec![store(low, 1), store_wide]);
    program.thread(vec![load(0, high)]);
    assert_eq!(truth(&program.numbered()).races, BTreeSet::from([((1, 2), (2, 3))]));
}

#[test]
fn locks_taken_in_opposite_order_deadlock() {
    let mut program = Program::default();
    let (a, b) = (program.mutex("a"), program.mutex("b"));
    program.thread(vec![lock(a), lock(b), unlock(b), unlock(a)]);
    program.thread(vec![lock(b), lock(a), unlock(a), unlock(b)]);
    let found = truth(&program.numbered());
    assert!(found.deadlocks());
    let stuck: Vec<_> = found.stuck.iter().collect();
    let [only] = stuck[..] else { panic!("one way to be stuck, not {stuck:?}") };
    assert_eq!(only.circles(), BTreeSet::from([BTreeSet::from([1, 2])]));
    assert_eq!(only.threads(), BTreeSet::from([0, 1, 2]));
}

#[test]
fn locks_taken_in_one_order_do_not() {
    let mut program = Program::default();
    let (a, b) = (program.mutex("a"), program.mutex("b"));
    for _ in 0..2 {
        program.thread(vec![lock(a), lock(b), unlock(b), unlock(a)]);
    }
    assert_eq!(truth(&program.numbered()).stuck, BTreeSet::new());
}

#[test]
fn a_signal_before_the_wait_is_missed() {
    let mut program = Program::default();
    let (m, c) = (program.mutex("m"), program.sync("c", SyncKind::Condition));
    program.thread(vec![lock(m), wait(c, m), unlock(m)]);
    program.thread(vec![signal(c)]);
    let found = truth(&program.numbered());
    let blocked: Vec<_> = found.stuck.iter().map(|stuck| stuck.threads()).collect();
    assert_eq!(blocked, [BTreeSet::from([0, 1])]);
    assert!(found.deadlocks());
    assert_eq!(found.finals.len(), 1, "it can also end well");
}

#[test]
fn a_flag_under_the_lock_saves_the_signal() {
    let mut program = Program::default();
    let flag = program.cell("flag", 0);
    let (m, c) = (program.mutex("m"), program.sync("c", SyncKind::Condition));
    program.thread(vec![lock(m), load(0, flag), when(eq(r(0), 0), vec![wait(c, m)]), unlock(m)]);
    program.thread(vec![lock(m), store(flag, 1), signal(c), unlock(m)]);
    let found = truth(&program.numbered());
    assert_eq!((found.stuck, found.races), Default::default());
}

/// Figure 2 of "Concurrency Verification with Maximal Path Causality", with `j` at most 2.
fn figure_2() -> Program {
    let mut program = Program::default();
    let (x, y) = (program.cell("x", 0), program.cell("y", 0));
    let l = program.mutex("l");
    let (i, j) = (program.input("i", 4), program.input("j", 3));
    program.thread(vec![
        take_input(0, i),
        store(x, 2),
        store(y, 5),
        when(
            eq(r(0), 3),
            vec![
                load(1, x),
                store(x, sum(r(1), 1)),
                lock(l),
                load(1, y),
                store(y, sum(r(1), 255)),
                unlock(l),
            ],
        ),
    ]);
    program.thread(vec![
        store(x, 5),
        store(y, 0),
        load(0, x),
        when(eq(r(0), 101), vec![load(1, y), check(not(eq(r(1), 2)))]),
    ]);
    let turn = |rest: Vec<Statement>, done: u8| {
        let mut body = vec![lock(l), load(1, y), store(y, sum(r(1), 1)), unlock(l)];
        body.extend(rest);
        when(below(done, r(0)), body)
    };
    program.thread(vec![store(x, 100), take_input(0, j), turn(vec![turn(Vec::new(), 1)], 0)]);
    program.numbered()
}

#[test]
fn the_crash_of_figure_2_needs_both_inputs() {
    let program = figure_2();
    assert!(!truth(&program).failures.is_empty());
    for (i, j) in (0..4).flat_map(|i| (0..3).map(move |j| (i, j))) {
        let inputs = vec![("i".to_owned(), i), ("j".to_owned(), j)];
        let found = enumerate(&program, Sc, &Limits { inputs, ..Limits::default() }).unwrap();
        assert_eq!(!found.failures.is_empty(), (i, j) == (3, 2), "i = {i}, j = {j}");
    }
}

#[test]
fn figure_2_has_the_branches_of_the_paper() {
    // b3; b11 and b12; b16 once, twice, and not a third time: j is at most 2.
    let histories = truth(&figure_2()).histories;
    let lengths: Vec<Vec<usize>> =
        histories.iter().map(|of_thread| of_thread.iter().map(Vec::len).collect()).collect();
    assert_eq!(lengths[0], [0]);
    assert_eq!(histories[1].len(), 3, "none yet, either way of b3");
    assert_eq!(histories[2].len(), 5, "none yet, either way of b11, behind it either way of the assertion");
    assert_eq!(histories[3].len(), 5, "none yet, b16 either way, once more either way");
}
