//! Strategy 2 of Maximal Path Causality against brute force: random small programs have as many whole-program paths
//! as it says, and fail if it says so. Settings: see `agree/campaign.rs`.

mod agree;
mod guard;
mod oracle;

use std::sync::Arc;
use std::time::Duration;

use agree::campaign::{Campaign, Case, Verdict};
use agree::pool::Pool;
use agree::runner::OracleRunners;
use oracle::brute::{Limits, enumerate};
use oracle::build::*;
use oracle::generate::{Features, Knobs};
use oracle::program::Program;
use warpath_analyzer::encode::Options;
use warpath_analyzer::explore::{Exploration, ExploreOptions, Judgement, Strategy, Unobserved, explore};
use warpath_analyzer::findings::Property;
use warpath_trace::event::SyncKind;

fn search(program: &Program, strategy: Strategy, case: &Case, pool: &Arc<Pool>, jobs: usize) -> Exploration {
    let options = ExploreOptions {
        strategy,
        formula: case.options,
        properties: vec![Property::Deadlock],
        timeout: Some(Duration::from_secs(60)),
        jobs,
        ..ExploreOptions::default()
    };
    let runners = OracleRunners { program: Arc::new(program.clone()), model: case.options.model };
    let open = || Ok(pool.open(&case.solver));
    explore(&options, &runners, &open, &mut Unobserved).unwrap_or_else(|error| panic!("{error}\n{program}"))
}

fn compare(program: &Program, case: &Case, pool: &Arc<Pool>) -> Verdict {
    let limits = Limits { states: 60_000, ..Limits::default() };
    let Ok(truth) = enumerate(program, case.options.model, &limits) else { return Verdict::TooLarge };
    let fails = !truth.failures.is_empty() || truth.deadlocks();
    let found = search(program, Strategy::MpcS2, case, pool, 1);
    let expected = if fails { Judgement::Bug } else { Judgement::Safe };
    if found.judgement != expected {
        return Verdict::Differs(format!(
            "{:?} instead of {expected:?}: {:?}",
            found.judgement, found.reasons
        ));
    }
    // A failure cuts paths short.
    if !fails && found.paths != truth.paths.len() {
        return Verdict::Differs(format!("{} paths instead of {}", found.paths, truth.paths.len()));
    }
    Verdict::Agrees { counted: found.paths }
}

/// What a schedule can say, and what an assumption does not end, without some more.
fn without(more: &[Features]) -> Features {
    let untold = [Features::ATTEMPT, Features::TIMED_WAIT, Features::ASSUME, Features::HEAP, Features::FUTEX];
    untold.iter().chain(more).fold(Features::ALL, |all, &one| all.without(one))
}

#[test]
fn strategy_2_is_right_about_random_programs() {
    let knobs = Knobs { threads: (2, 3), size: 300, features: without(&[]), ..Knobs::default() };
    let campaign = Campaign { name: "verdicts", programs: 300, knobs, unit: "paths" };
    campaign.run(compare);
}

#[test]
fn strategy_2_finds_every_path_of_random_programs() {
    // Programs that cannot fail, or hardly: a failure cuts paths short.
    let failing = [Features::ASSERT, Features::CONDITION, Features::SEMAPHORE, Features::SELF_DEADLOCK];
    let knobs = Knobs { threads: (2, 3), size: 3000, features: without(&failing), ..Knobs::default() };
    let campaign = Campaign { name: "paths", programs: 200, knobs, unit: "paths" };
    campaign.run(compare);
}

/// Figure 8 of the paper: the error needs a write that the first run does not make.
fn figure_8() -> Program {
    let mut program = Program::default();
    let (x, i, j) = (program.cell("x", 0), program.input("i", 2), program.input("j", 2));
    let inner = either(eq(r(1), 1), vec![store(x, 2)], vec![store(x, 3)]);
    program.thread(vec![
        take_input(0, i),
        take_input(1, j),
        either(eq(r(0), 1), vec![store(x, 1)], vec![inner]),
    ]);
    program.thread(vec![load(0, x), check(not(eq(r(0), 2)))]);
    program.numbered()
}

/// Figure 2 of the paper, with `more` threads: `j` at most 2, and small numbers.
fn figure_2(more: usize) -> Program {
    let mut program = Program::default();
    let (x, y, l) = (program.cell("x", 0), program.cell("y", 0), program.mutex("l"));
    let (i, j) = (program.input("i", 2), program.input("j", 3));
    let add = |cell: usize, value: u8| vec![load(2, cell), store(cell, sum(r(2), value))];
    let locked = |body: Vec<_>| [vec![lock(l)], body, vec![unlock(l)]].concat();
    let counts = [add(x, 1), locked(add(y, u8::MAX))].concat();
    program.thread(vec![take_input(0, i), store(x, 2), store(y, 5), when(eq(r(0), 1), counts)]);
    let crash = vec![load(1, y), check(not(eq(r(1), 2)))];
    program.thread(vec![store(x, 5), store(y, 0), load(0, x), when(eq(r(0), 101 + more as u8), crash)]);
    let twice = when(below(1, r(0)), locked(add(y, 1)));
    let once = when(below(0, r(0)), [locked(add(y, 1)), vec![twice]].concat());
    program.thread(vec![take_input(0, j), store(x, 100), once]);
    for n in 0..more {
        let k = program.input(&format!("k{n}"), 2);
        program.thread(vec![take_input(0, k), when(eq(r(0), 1), add(x, 1))]);
    }
    program.numbered()
}

fn plain(solver: &str) -> Case {
    Case { seed: 0, options: Options::default(), solver: solver.to_owned() }
}

#[test]
fn the_strategies_differ_as_in_the_paper() {
    let pool = Pool::new(guard::solvers());
    for solver in ["yices", "z3", "cvc5"] {
        // Strategy 1 misses the error, and does not say that there is none.
        for (program, paths) in [(figure_8(), (3, 4)), (figure_2(0), (6, 10)), (figure_2(2), (24, 28))] {
            let first = search(&program, Strategy::MpcS1, &plain(solver), &pool, 1);
            assert_eq!((first.paths, first.judgement), (paths.0, Judgement::Unknown), "{:?}", first.reasons);
            assert!(!first.exhausted && first.bugs.is_empty());
            let second = search(&program, Strategy::MpcS2, &plain(solver), &pool, 1);
            assert_eq!((second.paths, second.judgement), (paths.1, Judgement::Bug), "{:?}", second.reasons);
            assert!(second.exhausted, "{:?}", second.reasons);
            assert_eq!(second.bugs.len(), 1);
        }
    }
}

#[test]
fn the_number_of_workers_changes_nothing() {
    let figures = |jobs| {
        // Solvers of its own: what they have been asked before can change what they find.
        let pool = Pool::new(guard::solvers());
        let found = search(&figure_2(3), Strategy::MpcS2, &plain("yices"), &pool, jobs);
        let first_bug = found.bugs.first().map(|bug| (bug.execution, bug.si.clone()));
        (found.paths, found.statistics.executions, found.statistics.queries, first_bug)
    };
    assert_eq!(figures(1), figures(3));
}

#[test]
fn threads_that_never_come_to_a_decision_hide_nothing() {
    // Whatever happens, thread 2 fails, and it may do so before thread 1 has decided anything.
    let mut program = Program::default();
    let (x, y, i) = (program.cell("x", 0), program.cell("y", 0), program.input("i", 3));
    program.thread(vec![
        take_input(0, i),
        store(y, 1),
        when(eq(r(0), 2), vec![load(1, y), check(eq(r(1), 0))]),
    ]);
    program.thread(vec![load(0, x), check(not(eq(r(0), 0)))]);
    let pool = Pool::new(guard::solvers());
    let found = search(&program.numbered(), Strategy::MpcS2, &plain("yices"), &pool, 1);
    assert_eq!(found.bugs.len(), 2, "{:?} {:?}", found.bugs, found.reasons);
    // One thread waits for ever unless the other takes a path on which it does nothing else.
    let mut program = Program::default();
    let (s, i) =
        (program.sync("s", SyncKind::Semaphore { initial: 0, maximum: None }), program.input("i", 2));
    program.thread(vec![take_input(0, i), either(eq(r(0), 0), vec![sem_post(s)], vec![])]);
    program.thread(vec![sem_wait(s), take_input(0, i), when(eq(r(0), 1), vec![check(eq(r(0), 0))])]);
    let found = search(&program.numbered(), Strategy::MpcS2, &plain("yices"), &pool, 1);
    let kinds: Vec<&str> = found.bugs.iter().map(|bug| bug.kind.as_str()).collect();
    assert_eq!(kinds, ["deadlock"], "{:?}", found.reasons);
}
