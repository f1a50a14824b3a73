//! The formula against brute force: random small programs are explored with the forest alone, and what that has
//! seen must be what trying everything finds, under every memory model.
//!
//! `WARPATH_ORACLE_PROGRAMS` sets how many programs (`make nightly`: many more), `WARPATH_ORACLE_SEED` where to
//! begin, `WARPATH_ORACLE_SOLVER` who answers, `WARPATH_ORACLE_FEATURES` a mask of what programs may contain.

mod agree;
mod guard;
mod oracle;

use agree::{Trouble, explore, histories};
use oracle::brute::{Limits, enumerate};
use oracle::generate::{Features, Knobs, generate};
use oracle::program::Program;
use oracle::settings;
use warpath_analyzer::encode::Options;
use warpath_solvers::Solvers;
use warpath_trace::header::MemoryModel;

const MODELS: [MemoryModel; 3] = [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso];

/// How a program came out.
enum Verdict {
    Agrees { questions: usize },
    TooLarge,
    Differs(String),
}

fn compare(program: &Program, model: MemoryModel, solvers: &Solvers, solver: &str) -> Verdict {
    let Ok(truth) = enumerate(program, model, &Limits { states: 60_000, ..Limits::default() }) else {
        return Verdict::TooLarge;
    };
    let options = Options { model, ..Options::default() };
    let explored = match explore(program, options, solvers, solver) {
        Ok(explored) => explored,
        Err(Trouble::Ours(what)) => return Verdict::Differs(what),
        Err(Trouble::Solver(what)) => panic!("{solver}: {what}"),
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
    Verdict::Agrees { questions: explored.questions }
}

/// Compares many programs; a difference is shrunk and shown.
fn compare_all(default: u64, solver: &str) {
    let solvers = guard::solvers();
    let mask = std::env::var("WARPATH_ORACLE_FEATURES").ok().and_then(|mask| mask.parse().ok());
    let features = mask.map_or(Features::ALL, Features);
    let knobs = Knobs { size: 200, features, ..Knobs::default() };
    let (mut compared, mut questions, mut too_large) = (0, 0, 0);
    for n in 0..settings::programs(default) {
        let seed = settings::seed() + n;
        let program = generate(seed, &knobs);
        let model = MODELS[(seed % 3) as usize];
        match compare(&program, model, &solvers, solver) {
            Verdict::Agrees { questions: asked } => {
                compared += 1;
                questions += asked;
            }
            Verdict::TooLarge => too_large += 1,
            Verdict::Differs(_) => {
                let fails = |program: &Program| {
                    matches!(compare(program, model, &solvers, solver), Verdict::Differs(_))
                };
                let small = oracle::shrink::shrink(program, fails);
                let Verdict::Differs(what) = compare(&small, model, &solvers, solver) else {
                    unreachable!("shrinking keeps the failure")
                };
                panic!("seed {seed}, {model:?}, {solver}: {what}\n{small}");
            }
        }
    }
    println!("{solver}: {compared} programs agree ({questions} questions), {too_large} were too large");
    assert!(compared * 2 > too_large, "most programs are small enough to be compared");
}

fn solver(default: &'static str) -> String {
    std::env::var("WARPATH_ORACLE_SOLVER").unwrap_or_else(|_| default.to_owned())
}

#[test]
fn the_formula_finds_what_brute_force_finds() {
    compare_all(500, &solver("yices"));
}

#[test]
fn and_so_it_does_with_another_solver() {
    compare_all(100, &solver("z3"));
}
