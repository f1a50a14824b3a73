//! Atomicity and order violations on programs whose answers are known.

use std::collections::BTreeSet;

use warpath_trace::header::MemoryModel::{self, Sc, Tso};

use crate::oracle::brute::{Limits, Truth, enumerate};
use crate::oracle::build::*;
use crate::oracle::decision::View;
use crate::oracle::program::{Arith, Program};

fn watched(program: Program, model: MemoryModel) -> Truth {
    let limits = Limits { watch: true, view: View::Nothing, ..Limits::default() };
    enumerate(&program.numbered(), model, &limits).expect("the program is small")
}

#[test]
fn a_store_of_a_sum_depends_on_the_load_and_one_of_a_constant_does_not() {
    let program = |value| {
        let mut program = Program::default();
        let x = program.cell("x", 0);
        program.thread(vec![load(0, x), store(x, value)]);
        program.thread(vec![store(x, 5)]);
        watched(program, Sc).interruptions
    };
    let sum = program(sum(r(0), 1));
    assert_eq!(sum.certain, BTreeSet::from([[1, 2, 3]]));
    assert_eq!(sum.in_sections, BTreeSet::new());
    let mentioned = program(arith(Arith::Mul, r(0), 0));
    assert_eq!((mentioned.certain.len(), mentioned.possible.len()), (0, 1));
    assert_eq!(program(7.into()).possible, BTreeSet::new());
}

#[test]
fn a_decision_on_a_read_joins_it_to_the_next_access() {
    let program = |first: u8| {
        let mut program = Program::default();
        let x = program.cell("x", 0);
        program.thread(vec![load(0, x), when(eq(r(first), 0), vec![load(1, x)])]);
        program.thread(vec![store(x, 5)]);
        watched(program, Sc).interruptions
    };
    assert_eq!(program(0).certain, BTreeSet::from([[1, 3, 4]]));
    assert_eq!(program(3).possible, BTreeSet::new());
}

#[test]
fn a_lock_given_back_in_between_joins_nothing() {
    let program = |between: bool| {
        let mut program = Program::default();
        let (x, m) = (program.cell("x", 0), program.mutex("m"));
        let pause = if between { vec![unlock(m), lock(m)] } else { Vec::new() };
        program.thread([vec![lock(m), store(x, 1)], pause, vec![store(x, 2), unlock(m)]].concat());
        program.thread(vec![load(0, x)]);
        watched(program, Sc).interruptions
    };
    assert_eq!(program(false).in_sections, BTreeSet::from([[2, 3, 5]]));
    assert_eq!(program(true).possible, BTreeSet::new());
}

#[test]
fn two_buffered_writes_are_interrupted_between_their_commits() {
    let mut program = Program::default();
    let (x, m) = (program.cell("x", 0), program.mutex("m"));
    program.thread(vec![lock(m), store(x, 1), store(x, 2), unlock(m)]);
    program.thread(vec![load(0, x)]);
    assert_eq!(watched(program, Tso).interruptions.in_sections, BTreeSet::from([[2, 3, 5]]));
}

#[test]
fn a_read_is_early_until_a_write_takes_effect() {
    let mut program = Program::default();
    let (x, m) = (program.cell("x", 0), program.mutex("m"));
    program.thread(vec![lock(m), store(x, 1), load(0, x), unlock(m)]);
    program.thread(vec![load(0, x)]);
    assert_eq!(watched(program.clone(), Sc).early, BTreeSet::from([(2, 5)]));
    // Under TSO a thread reads its own write before it takes effect.
    assert_eq!(watched(program, Tso).early, BTreeSet::from([(1, 3), (2, 5)]));
}
