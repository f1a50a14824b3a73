//! What the benchmarks share.

#![allow(dead_code)] // Every benchmark uses a part of it.

pub mod workload;

use std::time::{Duration, Instant};

use warpath_analyzer::encode::OrderSort;
use warpath_solvers::config::Places;
use warpath_solvers::supervise::SupervisorCommand;
use warpath_solvers::{Smt, SolverChoice, Solvers};

pub type Error = Box<dyn std::error::Error + Send + Sync>;

/// The solvers of this machine, guarded by the supervisor that was built with the benchmark.
pub fn solvers() -> Result<Solvers, Error> {
    let supervisor = SupervisorCommand::at(env!("CARGO_BIN_EXE_analyzer-supervise"));
    Ok(Solvers::new(Places::from_environment(), supervisor)?)
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
