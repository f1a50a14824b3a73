//! What the benchmarks share.

#![allow(dead_code)] // Every benchmark uses a part of it.

pub mod workload;

use std::time::{Duration, Instant};

use warpath_analyzer::encode::{Options, OrderSort};
use warpath_analyzer::model::{Forest, NodeId};
use warpath_analyzer::queries::{OpenEnd, Question, Want, open_ends};
use warpath_solvers::config::Places;
use warpath_solvers::supervise::SupervisorCommand;
use warpath_solvers::{OwnSolver, Smt, SolverChoice, Solvers};
use warpath_trace::event::Op;

pub type Error = Box<dyn std::error::Error + Send + Sync>;

/// The solvers of this machine, guarded by the supervisor that was built with the benchmark.
pub fn solvers() -> Result<Solvers, Error> {
    let supervisor = SupervisorCommand::at(env!("CARGO_BIN_EXE_analyzer-supervise"));
    let own = OwnSolver::within(env!("CARGO_BIN_EXE_analyzer-supervise"), env!("CARGO_PKG_VERSION"));
    Ok(Solvers::new(Places::from_environment(), supervisor)?.with_own(own))
}

/// Opens a solver by name.
pub fn open(solvers: &Solvers, name: &str) -> Result<Box<dyn Smt>, Error> {
    let solver = solvers.resolve(&SolverChoice::named(name))?;
    Ok(solver.open(solvers))
}

/// What `work` answers, and how long it took.
pub fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let begun = Instant::now();
    let result = work();
    (result, begun.elapsed())
}

/// A list from the environment, else the given one.
pub fn list(variable: &str, default: &str) -> Vec<String> {
    let text = std::env::var(variable).unwrap_or_else(|_| default.to_owned());
    text.split(',').map(str::trim).filter(|item| !item.is_empty()).map(str::to_owned).collect()
}

/// How orders are written, by name.
pub fn order_sort(name: &str) -> Result<OrderSort, Error> {
    match name {
        "int" => Ok(OrderSort::Int),
        "bits" => Ok(OrderSort::Bits),
        "pairs" => Ok(OrderSort::Pairs),
        other => Err(format!("orders are int, bits or pairs, not {other}").into()),
    }
}

/// Median seconds of `work`, and its last result.
pub fn median<T>(rounds: usize, mut work: impl FnMut() -> Result<T, Error>) -> Result<(f64, T), Error> {
    let mut times = Vec::new();
    loop {
        let (result, took) = timed(&mut work);
        times.push(took.as_secs_f64());
        if times.len() >= rounds {
            times.sort_by(f64::total_cmp);
            return Ok((times[rounds / 2], result?));
        }
        result?;
    }
}

/// Can all threads run to their end?
pub fn whole_path(forest: &Forest, options: Options) -> Result<Question<'_>, Error> {
    let ends: Vec<NodeId> = forest.trees().flat_map(|tree| forest.ends(tree).to_vec()).collect();
    Ok(Question::new(forest, options, &ends, "all threads end".to_owned(), |encoding| {
        ends.iter().map(|&end| encoding.en(end)).collect()
    })?)
}

/// Branches that could go the other way, spread evenly over the trace, the last one first.
pub fn other_branches(forest: &Forest, count: usize) -> Vec<OpenEnd> {
    let is_branch = |end: &OpenEnd| {
        matches!(end.want, Want::Held(_)) && matches!(forest.node(end.node).op, Op::Branch { .. })
    };
    let branches: Vec<OpenEnd> = open_ends(forest).into_iter().filter(is_branch).collect();
    let step = (branches.len() / count).max(1);
    branches.into_iter().rev().step_by(step).take(count).collect()
}
