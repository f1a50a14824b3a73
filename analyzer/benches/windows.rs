//! How long the race check of a long trace takes, window by window, and what a second core saves.
//!
//! 100,000 events of 8 threads (see `support/workload.rs`) in windows of 2,000 that overlap by half. The ratio is
//! one job against two, in the same run.
//!
//! `cargo bench -p warpath-analyzer --bench windows`; `WARPATH_BENCH_EVENTS`, `WARPATH_BENCH_WINDOW` and
//! `WARPATH_BENCH_SOLVERS` take lists.

mod support;

use std::ops::ControlFlow;

use support::workload::{Lines, Workload};
use support::{Error, list, open, solvers, timed};
use warpath_analyzer::findings::{CheckOptions, Property};
use warpath_analyzer::window::{Checks, Cut, Recorded, WindowOptions, check};
use warpath_trace::header::Values;

const WORKLOADS: [(&str, Values); 2] = [("symbolic", Values::Symbolic), ("pinned", Values::Pinned)];

fn main() -> Result<(), Error> {
    let solvers = solvers()?;
    println!(
        "{:>7} {:<9} {:>7} {:<8} {:>5} {:>9} {:>8} {:>10} {:>8} {:>8}",
        "events",
        "values",
        "window",
        "solver",
        "jobs",
        "seconds",
        "findings",
        "witnessed",
        "queries",
        "unknown"
    );
    for events in list("WARPATH_BENCH_EVENTS", "100000") {
        for (name, values) in WORKLOADS {
            let workload =
                Workload { events: events.parse()?, threads: 8, values, lines: Lines::OfCode, seed: 1 };
            let trace = workload.trace()?;
            for size in list("WARPATH_BENCH_WINDOW", "2000") {
                for solver in list("WARPATH_BENCH_SOLVERS", "yices") {
                    let size: u32 = size.parse()?;
                    let options = CheckOptions { scripts: false, ..CheckOptions::default() };
                    let open = || open(&solvers, &solver);
                    let mut seconds = Vec::new();
                    for jobs in [1, 2] {
                        let windows = WindowOptions { cut: Cut::new(size, size / 2)?, jobs };
                        let checks = Checks {
                            how: &options,
                            properties: &[Property::Race],
                            open: &open,
                            done: &|_| (),
                        };
                        let mut found = 0;
                        let (summary, took) = timed(|| -> Result<_, Error> {
                            let recorded = Recorded::of(&trace, options.formula.model)?;
                            Ok(check(&recorded, &windows, &checks, &mut |_, _| {
                                found += 1;
                                ControlFlow::Continue(())
                            })?)
                        });
                        let summary = summary?;
                        let statistics = &summary.properties[0].statistics;
                        let took = took.as_secs_f64();
                        println!(
                            "{events:>7} {name:<9} {size:>7} {solver:<8} {jobs:>5} {took:>9.2} {found:>8} {:>10} {:>8} {:>8}",
                            statistics.witnessed, statistics.queries, statistics.unknown
                        );
                        seconds.push(took);
                    }
                    println!("{:>32} two jobs: x{:.2}", "", seconds[0] / seconds[1]);
                }
            }
        }
    }
    Ok(())
}
