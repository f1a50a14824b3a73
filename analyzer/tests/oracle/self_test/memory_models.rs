//! Litmus tests: what each memory model allows.

use std::collections::BTreeSet;

use warpath_trace::event::MemoryOrder::{self, Acquire, Relaxed, Release, SeqCst};
use warpath_trace::header::MemoryModel::{self, Pso, Sc, Tso};

use crate::compare::truth;
use crate::oracle::build::*;
use crate::oracle::program::{Program, Statement};

/// The models under which the program's assertion can fail.
fn broken_under(program: &Program) -> Vec<MemoryModel> {
    let fails = |&model: &MemoryModel| !truth(program, model).failures.is_empty();
    [Sc, Tso, Pso].into_iter().filter(fails).collect()
}

/// Two threads that leave what they read in `a` and `b`; the main thread would assert only after its joins, so
/// a third thread, which waits for both by a semaphore, does it here.
fn judged(mut program: Program, threads: Vec<Vec<Statement>>, allowed: impl Fn(u8, u8) -> bool) -> Program {
    let kind = warpath_trace::event::SyncKind::Semaphore { initial: 0, maximum: None };
    let done = program.sync("done", kind);
    let (a, b) = (program.cell("a", 0), program.cell("b", 0));
    let count = threads.len();
    for (mut body, result) in threads.into_iter().zip([a, b]) {
        body.extend([store(result, r(0)), sem_post(done)]);
        program.thread(body);
    }
    let mut judge: Vec<Statement> = (0..count).map(|_| sem_wait(done)).collect();
    judge.extend([load(0, a), load(1, b)]);
    for (x, y) in (0..4).flat_map(|x| (0..4).map(move |y| (x, y))).filter(|&(x, y)| !allowed(x, y)) {
        judge.push(check(not(both(eq(r(0), x), eq(r(1), y)))));
    }
    program.thread(judge);
    program.numbered()
}

/// `x = 1; fence; r = y` against `y = 1; fence; r = x`.
fn store_buffering(between: Option<MemoryOrder>) -> Program {
    let mut program = Program::default();
    let (x, y) = (program.cell("x", 0), program.cell("y", 0));
    let side = |own, other| {
        let mut body = vec![store(own, 1)];
        body.extend(between.map(fence));
        body.push(load(0, other));
        body
    };
    let threads = vec![side(x, y), side(y, x)];
    judged(program, threads, |a, b| (a, b) != (0, 0))
}

#[test]
fn store_buffering_needs_buffers() {
    assert_eq!(broken_under(&store_buffering(None)), [Tso, Pso]);
}

#[test]
fn only_a_full_fence_forbids_store_buffering() {
    assert_eq!(broken_under(&store_buffering(Some(SeqCst))), []);
    assert_eq!(broken_under(&store_buffering(Some(Release))), [Tso, Pso]);
    assert_eq!(broken_under(&store_buffering(Some(Acquire))), [Tso, Pso]);
}

#[test]
fn a_sequentially_consistent_store_takes_effect_at_once() {
    let mut program = Program::default();
    let (x, y) = (program.cell("x", 0), program.cell("y", 0));
    let side = |own, other| vec![atomic_store(own, 1, SeqCst), atomic_load(0, other, Relaxed)];
    let program = judged(program, vec![side(x, y), side(y, x)], |a, b| (a, b) != (0, 0));
    assert_eq!(broken_under(&program), []);
}

/// `x = 1; between; flag = 1` against `r = flag; r' = x`, bad if `r = 1` and `r' = 0`.
fn message_passing(between: Option<Statement>, publish: fn(usize) -> Statement) -> Program {
    let mut program = Program::default();
    let (x, flag) = (program.cell("x", 0), program.cell("flag", 0));
    let mut writer = vec![store(x, 1)];
    writer.extend(between);
    writer.push(publish(flag));
    program.thread(writer);
    program.thread(vec![load(0, flag), load(1, x), check(not(both(eq(r(0), 1), eq(r(1), 0))))]);
    program.numbered()
}

#[test]
fn message_passing_breaks_under_pso_only() {
    assert_eq!(broken_under(&message_passing(None, |flag| store(flag, 1))), [Pso]);
}

#[test]
fn release_repairs_message_passing() {
    assert_eq!(broken_under(&message_passing(None, |flag| atomic_store(flag, 1, Release))), []);
    assert_eq!(broken_under(&message_passing(None, |flag| atomic_store(flag, 1, Relaxed))), [Pso]);
    let fenced = |order| message_passing(Some(fence(order)), |flag| store(flag, 1));
    assert_eq!(broken_under(&fenced(Release)), []);
    assert_eq!(broken_under(&fenced(SeqCst)), []);
    assert_eq!(broken_under(&fenced(Acquire)), [Pso]);
}

#[test]
fn a_sequentially_consistent_store_comes_behind_all_earlier_ones() {
    assert_eq!(broken_under(&message_passing(None, |flag| atomic_store(flag, 1, SeqCst))), []);
}

#[test]
fn a_release_store_does_not_hold_back_later_stores() {
    // x = 1; store.release y, 1; z = 1: z may be seen before x under PSO.
    let mut program = Program::default();
    let (x, y, z) = (program.cell("x", 0), program.cell("y", 0), program.cell("z", 0));
    program.thread(vec![store(x, 1), atomic_store(y, 1, Release), store(z, 1)]);
    program.thread(vec![load(0, z), load(1, x), check(not(both(eq(r(0), 1), eq(r(1), 0))))]);
    assert_eq!(broken_under(&program.numbered()), [Pso]);
}

#[test]
fn a_thread_sees_its_own_writes() {
    let mut program = Program::default();
    let x = program.cell("x", 0);
    program.thread(vec![store(x, 1), load(0, x), check(eq(r(0), 1))]);
    program.thread(vec![load(0, x)]);
    assert_eq!(broken_under(&program.numbered()), []);
}

#[test]
fn one_cell_is_coherent_under_every_model() {
    // Two writes of one thread to one cell are never seen in the other order.
    let mut program = Program::default();
    let x = program.cell("x", 0);
    program.thread(vec![store(x, 1), store(x, 2)]);
    program.thread(vec![load(0, x), load(1, x), check(not(both(eq(r(0), 2), eq(r(1), 1))))]);
    assert_eq!(broken_under(&program.numbered()), []);
}

#[test]
fn overlapping_cells_are_coherent_under_every_model() {
    // The wide write is younger than the narrow one, so the narrow one cannot come through behind it.
    let mut program = Program::default();
    let (low, _, both_bytes) = program.overlapping("low", "high", "both");
    let wide = crate::oracle::program::What::Store {
        cell: both_bytes,
        value: vec![2.into(), 3.into()],
        order: None,
    };
    program.thread(vec![store(low, 1), stmt(wide)]);
    program.thread(vec![load(0, low), load(1, low), check(not(both(eq(r(0), 2), eq(r(1), 1))))]);
    let program = program.numbered();
    assert_eq!(broken_under(&program), []);
    for model in [Sc, Tso, Pso] {
        let finals = truth(&program, model).finals;
        assert_eq!(finals, BTreeSet::from([vec![2, 3]]), "{model:?}");
    }
}

#[test]
fn a_load_takes_each_byte_from_where_it_is() {
    // The own buffered write covers the low byte only; the high one is memory's.
    let mut program = Program::default();
    let (low, high, both_bytes) = program.overlapping("low", "high", "both");
    let wide = |to: [u8; 2]| {
        stmt(crate::oracle::program::What::Load { to: to.to_vec(), cell: both_bytes, order: None })
    };
    program.thread(vec![store(low, 1), wide([0, 1]), check(eq(r(0), 1)), check(eq(r(1), 0))]);
    program.thread(vec![store(high, 5)]);
    let program = program.numbered();
    for model in [Sc, Tso, Pso] {
        let failures = truth(&program, model).failures;
        assert_eq!(failures, BTreeSet::from([(1, 4)]), "{model:?}");
    }
}

/// Peterson's algorithm for one entry each, with a fence behind each of the two stores and a counter of who is
/// inside.
fn peterson(behind_wants: Option<MemoryOrder>, behind_turn: Option<MemoryOrder>) -> Program {
    let mut program = Program::default();
    let wants = [program.cell("wants0", 0), program.cell("wants1", 0)];
    let (turn, inside) = (program.cell("turn", 0), program.cell("inside", 0));
    for own in 0..2 {
        let other = 1 - own;
        let mut body = vec![store(wants[own], 1)];
        body.extend(behind_wants.map(fence));
        body.push(store(turn, other as u8));
        body.extend(behind_turn.map(fence));
        // A thread that would spin is stopped instead: what it would do after spinning, it does on another run.
        body.extend([load(0, wants[other]), load(1, turn)]);
        body.push(assume(not(both(eq(r(0), 1), eq(r(1), other as u8)))));
        body.extend([fetch_add(2, inside, 1), check(eq(r(2), 0)), fetch_add(2, inside, 255)]);
        body.push(store(wants[own], 0));
        program.thread(body);
    }
    program.numbered()
}

#[test]
fn peterson_is_broken_by_store_buffers() {
    assert_eq!(broken_under(&peterson(None, None)), [Tso, Pso]);
    // Under PSO the turn may overtake the wish unless a fence is between.
    assert_eq!(broken_under(&peterson(None, Some(SeqCst))), [Pso]);
    assert_eq!(broken_under(&peterson(Some(Release), Some(SeqCst))), []);
}

/// Dekker's entry: each raises its flag and enters if the other's is down.
#[test]
fn dekker_is_broken_by_store_buffers() {
    let mut program = Program::default();
    let flags = [program.cell("flag0", 0), program.cell("flag1", 0)];
    let inside = program.cell("inside", 0);
    for own in 0..2 {
        let enter = vec![fetch_add(1, inside, 1), check(eq(r(1), 0)), fetch_add(1, inside, 255)];
        program.thread(vec![store(flags[own], 1), load(0, flags[1 - own]), when(eq(r(0), 0), enter)]);
    }
    assert_eq!(broken_under(&program.numbered()), [Tso, Pso]);
}

#[test]
fn independent_reads_of_independent_writes_agree() {
    // All three models have one memory: two readers cannot see two writes in different orders.
    let mut program = Program::default();
    let (x, y, seen) = (program.cell("x", 0), program.cell("y", 0), program.cell("seen", 0));
    program.thread(vec![store(x, 1)]);
    program.thread(vec![store(y, 1)]);
    let reader = |first, second, then: Vec<Statement>| {
        vec![load(0, first), load(1, second), when(both(eq(r(0), 1), eq(r(1), 0)), then)]
    };
    program.thread(reader(x, y, vec![fetch_add(2, seen, 1), check(eq(r(2), 0))]));
    program.thread(reader(y, x, vec![fetch_add(2, seen, 1), check(eq(r(2), 0))]));
    assert_eq!(broken_under(&program.numbered()), []);
}
