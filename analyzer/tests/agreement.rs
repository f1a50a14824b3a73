//! The formula against brute force: random small programs are explored with the forest alone, and what that has
//! seen must be what trying everything finds, under every memory model. Settings: see `agree/campaign.rs`.

mod agree;
mod guard;
mod oracle;

use std::sync::Arc;

use agree::campaign::{Campaign, Case, ORDERS, SOLVERS, Verdict};
use agree::frontier::compare_ends;
use agree::pool::Pool;
use agree::read_off::histories;
use agree::{Explored, Trouble, explore, fixed_inputs};
use oracle::brute::{Limits, enumerate};
use oracle::build::*;
use oracle::decision::View;
use oracle::generate::Knobs;
use oracle::program::{Arith, Program, What};
use oracle::run::Policy;
use warpath_analyzer::encode::{Options, Reductions};
use warpath_trace::event::{Attempt, MutexKind, SyncKind};

/// Explores the program and compares what each thread has been seen to decide with what it can.
fn compare(program: &Program, case: &Case, pool: &Arc<Pool>) -> Verdict {
    compare_as(program, case, pool, View::Symbolic)
}

fn limits(inputs: &[(String, u8)], view: View) -> Limits {
    Limits { states: 60_000, inputs: inputs.to_vec(), view, ..Limits::default() }
}

fn compare_as(program: &Program, case: &Case, pool: &Arc<Pool>, view: View) -> Verdict {
    let inputs = fixed_inputs(program, case, view);
    let limits = limits(&inputs, view);
    let Ok(truth) = enumerate(program, case.options.model, &limits) else { return Verdict::TooLarge };
    let mut open = || pool.open(&case.solver);
    let explored = match explore(program, case.options, view, &inputs, &mut open) {
        Ok(explored) => explored,
        Err(Trouble::Ours(what)) => return Verdict::Differs(what),
        Err(Trouble::Solver(what)) => panic!("{case:?}: {what}\n{program}"),
    };
    let seen = histories(program, &explored.forest);
    for (thread, (seen, truth)) in seen.iter().zip(&truth.histories).enumerate() {
        if let Some(missed) = truth.difference(seen).next() {
            return Verdict::Differs(format!("thread {thread}: {missed:?} is possible but was not found"));
        }
        if let Some(wrong) = seen.difference(truth).next() {
            return Verdict::Differs(format!("thread {thread}: {wrong:?} was seen but is not possible"));
        }
    }
    Verdict::Agrees { counted: explored.questions }
}

/// Merges a few random runs and compares the answer to every open end with what is possible one step beyond them.
fn compare_steps(program: &Program, case: &Case, pool: &Arc<Pool>, view: View) -> Verdict {
    let inputs = fixed_inputs(program, case, view);
    let mut open = || pool.open(&case.solver);
    let mut explored = Explored::new(program, case.options, view, &inputs);
    let compared = (0..1 + case.seed % 3)
        .try_for_each(|n| explored.observe(Policy::Random { seed: case.seed * 7 + n }))
        .and_then(|()| compare_ends(&mut explored, &limits(&inputs, view), &mut open));
    match compared {
        Ok(Some(counted)) => Verdict::Agrees { counted },
        Ok(None) => Verdict::TooLarge,
        Err(Trouble::Ours(what)) => Verdict::Differs(what),
        Err(Trouble::Solver(what)) => panic!("{case:?}: {what}\n{program}"),
    }
}

#[test]
fn every_step_beyond_a_few_runs_is_right() {
    let knobs = Knobs { size: 150, ..Knobs::default() };
    let campaign = Campaign { name: "steps", programs: 200, knobs, unit: "ends" };
    campaign.run(|program, case, pool| compare_steps(program, case, pool, View::Symbolic));
}

#[test]
fn every_new_value_beyond_a_few_pinned_runs_is_right() {
    let knobs = Knobs { size: 150, ..Knobs::default() };
    let campaign = Campaign { name: "new values", programs: 200, knobs, unit: "ends" };
    campaign.run(|program, case, pool| compare_steps(program, case, pool, View::Pinned));
}

#[test]
fn the_formula_finds_what_brute_force_finds() {
    let knobs = Knobs { size: 200, ..Knobs::default() };
    Campaign { name: "formula", programs: 500, knobs, unit: "questions" }.run(compare);
}

#[test]
fn values_alone_lead_to_all_values() {
    let knobs = Knobs { size: 100, ..Knobs::default() };
    let campaign = Campaign { name: "values", programs: 150, knobs, unit: "questions" };
    campaign.run(|program, case, pool| compare_as(program, case, pool, View::Pinned));
}

#[test]
fn every_solver_and_every_encoding_finds_the_same() {
    let knobs = Knobs { size: 100, ..Knobs::default() };
    let campaign = Campaign { name: "encodings", programs: 12, knobs, unit: "questions" };
    campaign.run(|program, case, pool| {
        let mut counted = 0;
        for solver in SOLVERS {
            for orders in ORDERS {
                for reductions in [Reductions::ALL, Reductions::NONE] {
                    let options = Options { orders, reductions, ..case.options };
                    let case = Case { options, solver: solver.to_owned(), ..*case };
                    match compare(program, &case, pool) {
                        Verdict::Agrees { counted: asked } => counted += asked,
                        Verdict::Differs(what) => {
                            return Verdict::Differs(format!("{solver}, {options:?}: {what}"));
                        }
                        Verdict::TooLarge => return Verdict::TooLarge,
                    }
                }
            }
        }
        Verdict::Agrees { counted }
    });
}

/// Programs on which the formula was wrong once. Each is small enough to be compared under every memory model, with
/// conditions and with values alone.
fn never_again(program: Program) {
    let program = program.numbered();
    let pool = Pool::new(guard::solvers());
    // Nine seeds have every memory model with every way to write the order.
    for case in (0..9).map(Case::of) {
        for view in [View::Symbolic, View::Pinned] {
            if let Verdict::Differs(what) = compare_as(&program, &case, &pool, view) {
                panic!("{case:?}, {view:?}: {what}\n{program}");
            }
        }
    }
}

#[test]
fn an_update_that_is_pinned_can_find_another_value() {
    let mut program = Program::default();
    let y = program.cell("y", 0);
    program.thread(vec![store(y, 1)]);
    program.thread(vec![fetch_add(0, y, 1)]);
    never_again(program);
}

#[test]
fn a_write_stays_in_its_buffer_behind_a_region_that_does_not_end() {
    let mut program = Program::default();
    let (x, y) = (program.cell("x", 3), program.cell("y", 0));
    program.thread(vec![atomically(vec![load(1, y), load(5, x)])]);
    program.thread(vec![store(y, 1), store(x, 1)]);
    never_again(program);
}

#[test]
fn an_error_checking_mutex_does_not_let_its_owner_wait() {
    let mut program = Program::default();
    let mutex = program.sync("e", SyncKind::Mutex { kind: MutexKind::ErrorCheck, robust: false });
    let again = stmt(What::Lock { mutex, attempt: Attempt::Timed, to: Some(2) });
    program.thread(vec![lock(mutex), again, unlock(mutex)]);
    never_again(program);
}

#[test]
fn a_semaphore_holds_no_more_than_its_maximum() {
    let mut program = Program::default();
    let semaphore = program.sync("s", SyncKind::Semaphore { initial: 1, maximum: Some(2) });
    let try_wait = |to| stmt(What::SemWait { semaphore, attempt: Attempt::Try, to: Some(to) });
    program.thread(vec![sem_post(semaphore), sem_post(semaphore)]);
    program.thread(vec![try_wait(0), try_wait(1), try_wait(2)]);
    never_again(program);
}

#[test]
fn a_thread_reads_its_own_buffer_before_it_compares() {
    let mut program = Program::default();
    let x = program.cell("x", 0);
    let expected = arith(Arith::Mul, r(3), r(5));
    let timed = What::FutexWait { cell: x, expected, attempt: Attempt::Timed, to: Some(3) };
    let look = either(not(below(r(1), 2)), vec![], vec![]);
    program.thread(vec![store(x, 2), load(1, x), look, load(5, x), store(x, 1), load(3, x), stmt(timed)]);
    program.thread(vec![futex_wake(x, 1), load(2, x), store(x, r(2))]);
    never_again(program);
}

#[test]
fn a_requeue_moves_waiters_whether_that_helps_or_not() {
    let mut program = Program::default();
    let (first, second) = (program.cell("first", 0), program.cell("second", 0));
    program.thread(vec![futex_wait(first, 0)]);
    program.thread(vec![futex_wait(second, 0)]);
    program.thread(vec![store(first, 1), futex_requeue(first, second, 0, 1), futex_wake(first, 1)]);
    program.thread(vec![futex_wake(second, 1)]);
    never_again(program);
}
