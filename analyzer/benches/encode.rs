//! How fast formulas are built, and what each reduction buys.
//!
//! Of random recorded runs (see `support/workload.rs`): the question whether all threads can run to their end, built
//! without asking anybody. A clause is a constraint of the formula, counted as what it is a conjunction of. Then,
//! for one trace, each reduction switched off alone: the size of the formula, and how long a solver takes to answer,
//! beside the same with all reductions in the same run. And for a trace with values only, those that are about such
//! traces: how long a race check takes that asks about everything.
//!
//! `cargo bench -p warpath-analyzer --bench encode`; `WARPATH_BENCH_EVENTS` takes a list, `WARPATH_BENCH_ABLATION`
//! the number of events for the second and third table.

mod support;

use std::time::Duration;

use support::workload::{Lines, Workload};
use support::{Error, list, median, open, other_branches, solvers, whole_path};
use warpath_analyzer::encode::{Options, OrderSort, Reductions};
use warpath_analyzer::findings::{CheckOptions, Property, check};
use warpath_analyzer::model::Forest;
use warpath_analyzer::queries::{Question, Verdict};
use warpath_solvers::Query;
use warpath_trace::header::Values;

const ROUNDS: usize = 5;

/// Time for one question.
const LIMIT: Duration = Duration::from_secs(30);

/// Branches asked about for the second table.
const BRANCHES: usize = 6;

fn workload(events: u32) -> Workload {
    Workload { events, threads: 8, values: Values::Symbolic, lines: Lines::OfCode, seed: 1 }
}

fn main() -> Result<(), Error> {
    println!(
        "{:>7} {:<6} {:>10} {:>10} {:>14} {:>10}",
        "events", "orders", "clauses", "seconds", "clauses/s", "x before"
    );
    for sort in OrderSort::ALL {
        let mut before: Option<f64> = None;
        for events in list("WARPATH_BENCH_EVENTS", "500,1000,2000,4000") {
            let forest = Forest::of(&workload(events.parse()?).trace()?)?;
            let options = Options { orders: sort, ..Options::default() };
            let (seconds, clauses) = median(ROUNDS, || Ok(whole_path(&forest, options)?.clauses()))?;
            let speed = clauses as f64 / seconds;
            let ratio = before.map_or(String::new(), |before| format!("{:.2}", speed / before));
            println!("{events:>7} {sort:<6?} {clauses:>10} {seconds:>10.4} {speed:>14.0} {ratio:>10}");
            before = Some(speed);
        }
    }
    let events = list("WARPATH_BENCH_ABLATION", "400").first().ok_or("no events")?.parse()?;
    ablation(events)?;
    pinned_ablation(events)
}

/// Seconds to answer, and clauses of the formula for the whole path.
fn ablation(events: u32) -> Result<(), Error> {
    let all = Reductions::ALL;
    let variants = [
        ("all", all),
        ("no pruning of writers", Reductions { prune_writers: false, ..all }),
        ("no substitution", Reductions { substitute: false, ..all }),
        ("no cone", Reductions { cone: false, ..all }),
        ("no folding of must-order", Reductions { fold_must: false, ..all }),
        ("no phase", Reductions { phase: false, ..all }),
        ("no lemmas", Reductions { lemmas: false, ..all }),
        ("no filter of pinned reads", Reductions { filter_pinned: false, ..all }),
        ("no shared seats", Reductions { share_seats: false, ..all }),
        ("no ranges", Reductions { ranges: false, ..all }),
        ("none", Reductions::NONE),
    ];
    let solvers = solvers()?;
    let forest = Forest::of(&workload(events).trace()?)?;
    let branches = other_branches(&forest, BRANCHES);
    println!("\n{events} events, 8 threads, yices: {BRANCHES} branches the other way");
    println!(
        "{:<28} {:>10} {:>10} {:>8} {:>10} {:>8}",
        "", "clauses", "pairs: s", "x all", "bits: s", "x all"
    );
    let mut base: Option<[f64; 2]> = None;
    for (name, reductions) in variants {
        let mut seconds = [0.0; 2];
        let mut late = 0;
        let mut clauses = 0;
        for (n, orders) in [OrderSort::Pairs, OrderSort::Bits].into_iter().enumerate() {
            let options = Options { orders, reductions, ..Options::default() };
            clauses = whole_path(&forest, options)?.clauses();
            let (took, unknown) = median(1, || {
                let mut unknown = 0;
                for end in &branches {
                    let mut smt = open(&solvers, "yices")?;
                    let verdict = Question::reach(&forest, end, options, &mut *smt, &Query::within(LIMIT))?;
                    unknown += u32::from(matches!(verdict, Verdict::Unknown(_)));
                }
                Ok(unknown)
            })?;
            seconds[n] = took;
            late += unknown;
        }
        let base = *base.get_or_insert(seconds);
        let late = if late > 0 {
            format!("   {late} not answered in {} s each", LIMIT.as_secs())
        } else {
            String::new()
        };
        println!(
            "{name:<28} {clauses:>10} {:>10.3} {:>8.2} {:>10.3} {:>8.2}{late}",
            seconds[0],
            seconds[0] / base[0],
            seconds[1],
            seconds[1] / base[1]
        );
    }
    Ok(())
}

/// Seconds of a race check without witnesses, and how many questions it asks.
fn pinned_ablation(events: u32) -> Result<(), Error> {
    let all = Reductions::ALL;
    let variants = [
        ("all", all),
        ("no filter of pinned reads", Reductions { filter_pinned: false, ..all }),
        ("no saturation", Reductions { saturate: false, ..all }),
    ];
    let solvers = solvers()?;
    let forest = Forest::of(&Workload { values: Values::Pinned, ..workload(events) }.trace()?)?;
    println!("\n{events} events, 8 threads, values only, yices: a race check that asks about everything");
    println!(
        "{:<28} {:>10} {:>10} {:>10} {:>10} {:>8}",
        "", "clauses", "questions", "sat", "seconds", "x all"
    );
    let mut base: Option<f64> = None;
    for (name, reductions) in variants {
        let formula = Options { reductions, ..Options::default() };
        let options = CheckOptions { formula, witnesses: false, scripts: false, ..CheckOptions::default() };
        let clauses = whole_path(&forest, formula)?.clauses();
        let (seconds, report) = median(ROUNDS, || {
            let mut open = || open(&solvers, "yices");
            Ok(check(&forest, &options, &[Property::Race], &mut open)?)
        })?;
        let statistics = &report.properties[0].statistics;
        let ratio = seconds / *base.get_or_insert(seconds);
        println!(
            "{name:<28} {clauses:>10} {:>10} {:>10} {seconds:>10.3} {ratio:>8.2}",
            statistics.queries, statistics.sat
        );
    }
    Ok(())
}
