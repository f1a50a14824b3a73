//! The largest trace of which a solver answers most questions in ten seconds each: can all threads run to their end, and
//! can a branch go the other way? With building the formula and starting the solver.
//!
//! `cargo bench -p warpath-analyzer --bench largest`; `WARPATH_BENCH_SOLVERS`, `WARPATH_BENCH_THREADS`, `WARPATH_BENCH_EVENTS`.

mod support;

use std::time::Duration;

use support::workload::{Lines, Workload};
use support::{Error, list, open, other_branches, solvers, timed, whole_path};
use warpath_analyzer::encode::Options;
use warpath_analyzer::model::Forest;
use warpath_analyzer::queries::{Question, Verdict};
use warpath_solvers::{Query, SolverChoice, Solvers};
use warpath_trace::header::Values;

const ALLOWED: Duration = Duration::from_secs(10);
/// Lengths that are tried, one after the other; each is about 1.4 times the one before.
const EVENTS: &str = "1000,1400,2000,2800,4000,5600,8000,11000,16000,22000,31000,44000,62000";
/// Between the longest that is answered and the next that is not, lengths are tried until they are so near, in percent.
const NEAR: u32 = 4;
/// A solver that fails at so many lengths in a row fails at longer ones.
const FAILURES: usize = 2;
/// Programs of each length: more than half of the questions about them must be answered.
const SEEDS: u64 = 3;
/// Branches of each program, spread over it.
const BRANCHES: usize = 4;

#[derive(Clone, Copy, Debug)]
enum Asked {
    Path,
    Branches,
}

/// How long does each answer take, if it comes in time?
fn answers(
    solvers: &Solvers,
    solver: &str,
    workload: &Workload,
    asked: Asked,
) -> Result<Vec<Option<Duration>>, Error> {
    let forest = Forest::of(&workload.trace()?)?;
    let options = Options::liked_by(&solvers.resolve(&SolverChoice::named(solver))?);
    let query = Query::within(ALLOWED);
    let within = |ask: &dyn Fn() -> Result<Verdict, Error>| -> Result<Option<Duration>, Error> {
        let (verdict, took) = timed(ask);
        let known = !matches!(verdict?, Verdict::Unknown(_));
        Ok((known && took <= ALLOWED).then_some(took))
    };
    match asked {
        Asked::Path => {
            let ask = || {
                let mut question = whole_path(&forest, options)?;
                Ok(question.solve(&mut *open(solvers, solver)?, &query)?)
            };
            Ok(vec![within(&ask)?])
        }
        Asked::Branches => {
            let ends = other_branches(&forest, BRANCHES);
            let ends = ends.iter();
            ends.map(|end| {
                within(&|| Ok(Question::reach(&forest, end, options, &mut *open(solvers, solver)?, &query)?))
            })
            .collect()
        }
    }
}

/// Are most programs of this length answered?
fn most(solvers: &Solvers, solver: &str, threads: u32, asked: Asked, events: u32) -> Result<bool, Error> {
    let mut took = Vec::new();
    for seed in 1..=SEEDS {
        let workload = Workload { events, threads, values: Values::Symbolic, lines: Lines::OfCode, seed };
        took.extend(answers(solvers, solver, &workload, asked)?);
    }
    let shown: Vec<String> = took
        .iter()
        .map(|took| took.map_or_else(|| "no".to_owned(), |took| format!("{:.1} s", took.as_secs_f64())))
        .collect();
    eprintln!("{solver}, {threads} threads, {asked:?}, {events} events: {}", shown.join(", "));
    Ok(2 * took.iter().flatten().count() > took.len())
}

fn largest(solvers: &Solvers, solver: &str, threads: u32, asked: Asked) -> Result<u32, Error> {
    let (mut best, mut failed) = (0, Vec::new());
    for events in list("WARPATH_BENCH_EVENTS", EVENTS) {
        let events: u32 = events.parse()?;
        if most(solvers, solver, threads, asked, events)? {
            best = events;
            failed.clear();
        } else {
            failed.push(events);
            if failed.len() == FAILURES {
                break;
            }
        }
    }
    let Some(&next) = failed.first().filter(|_| best > 0) else { return Ok(best) };
    let mut next = next;
    while (next - best) * 100 > NEAR * best {
        let middle = best.midpoint(next) / 100 * 100;
        if middle <= best {
            break;
        }
        match most(solvers, solver, threads, asked, middle)? {
            true => best = middle,
            false => next = middle,
        }
    }
    Ok(best)
}

fn main() -> Result<(), Error> {
    let solvers = solvers()?;
    println!("| threads | solver | all threads end, events | a branch the other way, events |");
    println!("|---|---|---|---|");
    for threads in list("WARPATH_BENCH_THREADS", "4,8") {
        for solver in list("WARPATH_BENCH_SOLVERS", "warpath,yices,z3") {
            let threads: u32 = threads.parse()?;
            let path = largest(&solvers, &solver, threads, Asked::Path)?;
            let branch = largest(&solvers, &solver, threads, Asked::Branches)?;
            println!("| {threads} | {solver} | {path} | {branch} |");
        }
    }
    Ok(())
}
