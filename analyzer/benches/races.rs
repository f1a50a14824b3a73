//! How long the race check of a recorded run takes, on one core.
//!
//! Random runs (see `support/workload.rs`), all questions to one solver at a time; the median of `ROUNDS`. Beside
//! it, in the same run: what is left over for the solver once linear-time tests and the observed run's own order
//! have had their say.
//!
//! `cargo bench -p warpath-analyzer --bench races`; `WARPATH_BENCH_EVENTS`, `WARPATH_BENCH_THREADS`,
//! `WARPATH_BENCH_SOLVERS` and `WARPATH_BENCH_ORDERS` take lists.

mod support;

use support::workload::{Lines, Workload};
use support::{Error, list, median, open, order_sort, solvers};
use warpath_analyzer::encode::Options;
use warpath_analyzer::findings::{CheckOptions, Property, check};
use warpath_analyzer::model::Forest;
use warpath_trace::header::Values;

const ROUNDS: usize = 3;

const WORKLOADS: [(&str, Values, Lines); 4] = [
    ("symbolic", Values::Symbolic, Lines::OfCode),
    ("pinned", Values::Pinned, Lines::OfCode),
    ("symbolic, scattered", Values::Symbolic, Lines::Scattered),
    ("pinned, scattered", Values::Pinned, Lines::Scattered),
];

fn main() -> Result<(), Error> {
    let solvers = solvers()?;
    println!(
        "{:>7} {:>7} {:<20} {:<9} {:<6} {:>9} {:>8} {:>9} {:>8} {:>6} {:>6} {:>8}",
        "events",
        "threads",
        "values",
        "solver",
        "orders",
        "seconds",
        "pairs",
        "witnessed",
        "queries",
        "sat",
        "unsat",
        "unknown"
    );
    for threads in list("WARPATH_BENCH_THREADS", "8") {
        for events in list("WARPATH_BENCH_EVENTS", "200,500,1000") {
            for (name, values, lines) in WORKLOADS {
                let workload =
                    Workload { events: events.parse()?, threads: threads.parse()?, values, lines, seed: 1 };
                let trace = workload.trace()?;
                for solver in list("WARPATH_BENCH_SOLVERS", "yices,z3") {
                    for order in list("WARPATH_BENCH_ORDERS", "bits,pairs") {
                        let formula = Options { orders: order_sort(&order)?, ..Options::default() };
                        let options = CheckOptions { formula, scripts: false, ..CheckOptions::default() };
                        let (seconds, report) = median(ROUNDS, || {
                            let forest = Forest::of(&trace)?;
                            let mut open = || open(&solvers, &solver);
                            Ok(check(&forest, &options, &[Property::Race], &mut open)?)
                        })?;
                        let took = &report.properties[0].statistics;
                        println!(
                            "{events:>7} {threads:>7} {name:<20} {solver:<9} {order:<6} {seconds:>9.3} {:>8} {:>9} {:>8} {:>6} {:>6} {:>8}",
                            took.candidates, took.witnessed, took.queries, took.sat, took.unsat, took.unknown
                        );
                    }
                }
            }
        }
    }
    Ok(())
}
