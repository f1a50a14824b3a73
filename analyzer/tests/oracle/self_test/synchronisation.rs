//! Each kind of synchronisation on its own.

use std::collections::BTreeSet;

use warpath_trace::event::{Attempt, MutexKind, SyncKind};
use warpath_trace::header::MemoryModel::{Pso, Sc, Tso};

use crate::compare;
use crate::oracle::brute::Truth;
use crate::oracle::build::*;
use crate::oracle::decision::Decision::{Acquired, Counted, Queued, RunsOnce, Woken};
use crate::oracle::program::{Program, Statement, What};

fn truth(program: &Program) -> Truth {
    let found = compare::truth(program, Sc);
    assert_eq!(found.misuses, BTreeSet::new());
    found
}

fn sync(program: &mut Program, kind: SyncKind) -> usize {
    program.sync(&format!("s{}", program.syncs.len()), kind)
}

#[test]
fn a_try_fails_only_while_somebody_holds_the_lock() {
    let mut program = Program::default();
    let m = program.mutex("m");
    program.thread(vec![lock(m), unlock(m)]);
    program.thread(vec![try_lock(m, 0), when(eq(r(0), 1), vec![unlock(m)])]);
    let found = truth(&program.clone().numbered());
    assert_eq!(found.histories[2], BTreeSet::from([vec![], vec![Acquired(false)], vec![Acquired(true)]]));
    program.threads.remove(0);
    let found = truth(&program.numbered());
    assert_eq!(found.histories[1], BTreeSet::from([vec![], vec![Acquired(true)]]));
}

#[test]
fn a_recursive_mutex_counts_and_a_normal_one_waits_for_itself() {
    for (kind, stuck) in [(MutexKind::Recursive, false), (MutexKind::Normal, true)] {
        let mut program = Program::default();
        let m = sync(&mut program, SyncKind::Mutex { kind, robust: false });
        program.thread(vec![lock(m), lock(m), unlock(m), unlock(m)]);
        program.thread(vec![lock(m), unlock(m)]);
        let found = truth(&program.numbered());
        assert_eq!(found.deadlocks(), stuck, "{kind:?}");
        let circles: BTreeSet<_> = found.stuck.iter().flat_map(|stuck| stuck.circles()).collect();
        let alone: BTreeSet<usize> = [1].into();
        assert_eq!(circles.contains(&alone), stuck);
    }
}

#[test]
fn readers_share_and_a_writer_does_not() {
    let increments = |body: fn(usize, usize) -> Vec<Statement>| {
        let mut program = Program::default();
        let x = program.cell("x", 0);
        let l = sync(&mut program, SyncKind::RwLock);
        program.thread(body(l, x));
        program.thread(body(l, x));
        truth(&program.numbered()).finals
    };
    let shared = |l, x| vec![read_lock(l), load(0, x), store(x, sum(r(0), 1)), rw_unlock(l)];
    let alone = |l, x| vec![write_lock(l), load(0, x), store(x, sum(r(0), 1)), rw_unlock(l)];
    assert_eq!(increments(shared), BTreeSet::from([vec![1], vec![2]]));
    assert_eq!(increments(alone), BTreeSet::from([vec![2]]));
}

#[test]
fn a_signal_wakes_either_of_two_and_only_one() {
    let mut program = Program::default();
    let (m, c) = (program.mutex("m"), sync(&mut program, SyncKind::Condition));
    for _ in 0..2 {
        program.thread(vec![lock(m), wait(c, m), unlock(m)]);
    }
    program.thread(vec![signal(c)]);
    let found = truth(&program.clone().numbered());
    let blocked: BTreeSet<_> = found.stuck.iter().map(|stuck| stuck.threads()).collect();
    assert_eq!(blocked, [[0, 1].into(), [0, 2].into(), [0, 1, 2].into()].into());
    assert_eq!(found.finals, BTreeSet::new());
    program.threads[2] = vec![broadcast(c)];
    let found = truth(&program.numbered());
    assert_eq!(found.finals.len(), 1, "a broadcast can wake both");
}

#[test]
fn a_timed_wait_times_out_even_if_the_signal_comes() {
    // Deadline first, then the signal under the mutex, then the mutex again: too late, but the flag is set.
    let mut program = Program::default();
    let flag = program.cell("flag", 0);
    let (m, c) = (program.mutex("m"), sync(&mut program, SyncKind::Condition));
    program.thread(vec![
        lock(m),
        load(1, flag),
        assume(eq(r(1), 0)),
        timed_wait(c, m, 0),
        load(1, flag),
        check(not(both(eq(r(0), 0), eq(r(1), 1)))),
        unlock(m),
    ]);
    program.thread(vec![lock(m), store(flag, 1), signal(c), unlock(m)]);
    let found = truth(&program.numbered());
    let outcomes: BTreeSet<_> =
        found.histories[1].iter().filter_map(|history| history.first().copied()).collect();
    assert_eq!(outcomes, [Woken(true), Woken(false)].into());
    assert_eq!(found.failures.len(), 1);
}

#[test]
fn a_semaphore_lets_in_as_many_as_it_counts() {
    let mut program = Program::default();
    let inside = program.cell("inside", 0);
    let s = sync(&mut program, SyncKind::Semaphore { initial: 2, maximum: None });
    for _ in 0..3 {
        program.thread(vec![
            sem_wait(s),
            fetch_add(0, inside, 1),
            check(below(r(0), 2)),
            fetch_add(0, inside, 255),
            sem_post(s),
        ]);
    }
    let found = truth(&program.clone().numbered());
    assert_eq!((found.failures, found.stuck), Default::default());
    program.syncs[0].kind = SyncKind::Semaphore { initial: 3, maximum: None };
    assert_eq!(truth(&program.numbered()).failures.len(), 3);
}

#[test]
fn a_barrier_separates_rounds() {
    let mut program = Program::default();
    let cells = [program.cell("x", 0), program.cell("y", 0)];
    let b = sync(&mut program, SyncKind::Barrier { parties: 2 });
    for own in 0..2 {
        program.thread(vec![
            store(cells[own], 1),
            barrier(b),
            load(0, cells[1 - own]),
            check(eq(r(0), 1)),
            barrier(b),
            store(cells[own], 2),
        ]);
    }
    for model in [Sc, Tso, Pso] {
        let found = compare::truth(&program.clone().numbered(), model);
        assert_eq!((found.failures, found.races, found.stuck), Default::default(), "{model:?}");
    }
    program.threads.pop();
    assert!(truth(&program.numbered()).deadlocks(), "one party waits for ever");
}

#[test]
fn an_initialiser_runs_once_and_is_waited_for() {
    let mut program = Program::default();
    let x = program.cell("x", 0);
    let o = sync(&mut program, SyncKind::Once);
    for _ in 0..2 {
        let body = vec![load(0, x), store(x, sum(r(0), 1))];
        program.thread(vec![once(o, body), load(1, x), check(eq(r(1), 1))]);
    }
    let found = truth(&program.numbered());
    assert_eq!((found.failures, found.races, found.stuck), Default::default());
    assert_eq!(found.finals, BTreeSet::from([vec![1]]));
    assert!(found.histories[1].contains(&vec![RunsOnce(true)]));
    assert!(found.histories[1].contains(&vec![RunsOnce(false)]));
}

#[test]
fn a_futex_compares_and_queues_in_one_step() {
    let mut program = Program::default();
    let word = program.cell("word", 0);
    program.thread(vec![futex_wait(word, 0)]);
    program.thread(vec![fetch_add(0, word, 1), futex_wake(word, 1)]);
    let found = truth(&program.clone().numbered());
    assert_eq!(found.stuck, BTreeSet::new());
    assert_eq!(
        found.histories[1],
        BTreeSet::from([vec![], vec![Queued(false)], vec![Queued(true)], vec![Queued(true), Woken(true)]])
    );
    // Woken before the word changes, it would sleep for ever.
    program.threads[1].reverse();
    assert!(truth(&program.numbered()).deadlocks());
}

#[test]
fn a_futex_wake_reaches_no_more_than_its_limit() {
    let mut program = Program::default();
    let word = program.cell("word", 0);
    program.thread(vec![futex_wait(word, 0)]);
    program.thread(vec![futex_wait(word, 0)]);
    program.thread(vec![futex_wake(word, 1)]);
    assert_eq!(truth(&program.clone().numbered()).finals.len(), 0);
    program.threads[2] = vec![futex_wake(word, 2)];
    assert_eq!(truth(&program.numbered()).finals.len(), 1);
}

#[test]
fn timed_locks_give_up_only_on_a_lock_that_is_held() {
    let mut program = Program::default();
    let m = program.mutex("m");
    let timed = stmt(What::Lock { mutex: m, attempt: Attempt::Timed, to: Some(0) });
    program.thread(vec![timed, when(eq(r(0), 1), vec![unlock(m)])]);
    let alone = truth(&program.clone().numbered());
    assert_eq!(alone.histories[1], BTreeSet::from([vec![], vec![Acquired(true)]]));
    program.thread(vec![lock(m), unlock(m)]);
    let both = truth(&program.numbered());
    assert_eq!(both.histories[1], BTreeSet::from([vec![], vec![Acquired(false)], vec![Acquired(true)]]));
}

#[test]
fn a_wait_gives_a_recursive_mutex_up_whole_and_takes_it_back_as_deep() {
    let mut program = Program::default();
    let x = program.cell("x", 0);
    let m = sync(&mut program, SyncKind::Mutex { kind: MutexKind::Recursive, robust: false });
    let c = sync(&mut program, SyncKind::Condition);
    // Behind the wait the mutex is held twice: one unlock does not let the other thread in.
    program.thread(vec![
        lock(m),
        lock(m),
        wait(c, m),
        unlock(m),
        load(0, x),
        load(1, x),
        check(eq(r(0), r(1))),
        unlock(m),
    ]);
    program.thread(vec![lock(m), signal(c), unlock(m), lock(m), store(x, 1), unlock(m)]);
    let found = truth(&program.numbered());
    assert_eq!((found.failures, found.races), Default::default());
    assert_eq!(found.finals, BTreeSet::from([vec![1]]));
}

#[test]
fn a_semaphore_with_a_maximum_forgets_what_it_cannot_hold() {
    let mut program = Program::default();
    let semaphore = program.sync("s", SyncKind::Semaphore { initial: 1, maximum: Some(2) });
    let value = |to| stmt(What::SemValue { semaphore, to });
    program.thread(vec![sem_post(semaphore), sem_post(semaphore), value(0), sem_wait(semaphore), value(1)]);
    let found = truth(&program.numbered());
    assert!(found.histories[1].contains(&vec![Counted(2), Counted(1)]));
    assert_eq!(found.histories[1].len(), 3);
}

#[test]
fn an_error_checking_mutex_refuses_its_owner() {
    let mut program = Program::default();
    let mutex = program.sync("e", SyncKind::Mutex { kind: MutexKind::ErrorCheck, robust: false });
    let again = stmt(What::Lock { mutex, attempt: Attempt::Block, to: Some(0) });
    program.thread(vec![lock(mutex), again, check(eq(r(0), 0)), unlock(mutex)]);
    program.thread(vec![try_lock(mutex, 1), when(eq(r(1), 1), vec![unlock(mutex)])]);
    let found = truth(&program.numbered());
    assert_eq!((found.failures, found.stuck), Default::default());
    assert!(found.histories[2].contains(&vec![Acquired(false)]));
}

#[test]
fn a_timed_futex_wait_ends_without_a_wake_or_with_one() {
    let mut program = Program::default();
    let word = program.cell("word", 0);
    let timed = What::FutexWait { cell: word, expected: 0.into(), attempt: Attempt::Timed, to: Some(0) };
    program.thread(vec![stmt(timed)]);
    program.thread(vec![futex_wake(word, 1)]);
    let found = truth(&program.numbered());
    assert_eq!(found.stuck, BTreeSet::new());
    assert!(found.histories[1].contains(&vec![Queued(true), Woken(true)]));
    assert!(found.histories[1].contains(&vec![Queued(true), Woken(false)]));
}

#[test]
fn a_waiter_that_was_moved_is_woken_where_it_is() {
    let woken = |on_second: bool| {
        let mut program = Program::default();
        let (first, second) = (program.cell("first", 0), program.cell("second", 0));
        program.thread(vec![futex_wait(first, 0)]);
        let wake = futex_wake(if on_second { second } else { first }, 1);
        program.thread(vec![store(first, 1), futex_requeue(first, second, 0, 1), wake]);
        truth(&program.numbered()).histories[1].contains(&vec![Queued(true), Woken(true)])
    };
    // A wait that begins after the store is not queued; one that began before it has been moved.
    assert!(woken(true) && !woken(false));
}

#[test]
fn a_requeue_moves_whom_it_does_not_wake() {
    let woken = |on_second: bool| {
        let mut program = Program::default();
        let (first, second) = (program.cell("first", 0), program.cell("second", 0));
        program.thread(vec![futex_wait(first, 0)]);
        let wake = futex_wake(if on_second { second } else { first }, 1);
        program.thread(vec![futex_requeue(first, second, 0, 1), wake]);
        truth(&program.numbered()).histories[1].contains(&vec![Queued(true), Woken(true)])
    };
    // If the waiter came late, it was not moved: either wake can find it in one order of events.
    assert!(woken(true) && woken(false));
}
