//! How long questions take as traces grow, by solver and by how orders are written.
//!
//! Of a random recorded run (see `support/workload.rs`): can all threads run to their end ("path"), and can some
//! branch go the other way, where it can ("sat") and where it cannot ("unsat")? The branches are spread evenly
//! over the trace; figures are seconds for one question, the mean over those of its kind, with starting the
//! solver and building the formula.
//!
//! `cargo bench -p warpath-analyzer --bench growth`; `WARPATH_BENCH_EVENTS`, `WARPATH_BENCH_THREADS`,
//! `WARPATH_BENCH_SOLVERS` and `WARPATH_BENCH_ORDERS` take lists.

mod support;

use std::time::Duration;

use support::workload::{Lines, Workload};
use support::{Error, list, open, order_sort, other_branches, solvers, timed, whole_path};
use warpath_analyzer::encode::Options;
use warpath_analyzer::model::Forest;
use warpath_analyzer::queries::{Question, Verdict};
use warpath_solvers::{Query, Solvers};
use warpath_trace::header::Values;

/// Branches asked about per trace.
const BRANCHES: usize = 6;

/// Time for one question.
const LIMIT: Duration = Duration::from_secs(20);

#[derive(Default)]
struct Kind {
    seconds: f64,
    count: u32,
    late: u32,
}

impl Kind {
    fn add(&mut self, took: Duration, late: bool) {
        self.seconds += took.as_secs_f64();
        self.count += 1;
        self.late += u32::from(late);
    }

    fn show(&self) -> String {
        match (self.count, self.late) {
            (0, _) => "-".to_owned(),
            (count, 0) => format!("{:.3}", self.seconds / f64::from(count)),
            (count, late) => format!("{late} of {count} > {}", LIMIT.as_secs()),
        }
    }
}

fn measure(solvers: &Solvers, solver: &str, forest: &Forest, options: Options) -> Result<String, Error> {
    let query = Query::within(LIMIT);
    let (mut ends, mut sat, mut unsat) = (Kind::default(), Kind::default(), Kind::default());
    let (verdict, took) = timed(|| -> Result<Verdict, Error> {
        Ok(whole_path(forest, options)?.solve(&mut *open(solvers, solver)?, &query)?)
    });
    ends.add(took, expect(verdict?)?.is_none());
    let mut late = 0;
    for end in &other_branches(forest, BRANCHES) {
        let (verdict, took) = timed(|| -> Result<Verdict, Error> {
            Ok(Question::reach(forest, end, options, &mut *open(solvers, solver)?, &query)?)
        });
        match expect(verdict?)? {
            Some(true) => sat.add(took, false),
            Some(false) => unsat.add(took, false),
            None => late += 1,
        }
    }
    let late =
        if late > 0 { format!("   {late} not answered in {} s", LIMIT.as_secs()) } else { String::new() };
    Ok(format!("{:>10} {:>12} {:>12}{late}", ends.show(), sat.show(), unsat.show()))
}

/// `None` if it was not answered.
fn expect(verdict: Verdict) -> Result<Option<bool>, Error> {
    match verdict {
        Verdict::Possible(_) => Ok(Some(true)),
        Verdict::Impossible => Ok(Some(false)),
        Verdict::Unknown(_) => Ok(None),
        Verdict::Bug(bug) => Err(format!("the answer cannot be executed: {}", bug.1).into()),
    }
}

fn main() -> Result<(), Error> {
    let solvers = solvers()?;
    let orders = list("WARPATH_BENCH_ORDERS", "int,bits,pairs");
    println!(
        "{:>7} {:>7} {:<9} {:<6} {:>10} {:>12} {:>12}",
        "events", "threads", "solver", "orders", "path", "sat", "unsat"
    );
    for threads in list("WARPATH_BENCH_THREADS", "4,8") {
        for events in list("WARPATH_BENCH_EVENTS", "50,200,1000,5000") {
            let workload = Workload {
                events: events.parse()?,
                threads: threads.parse()?,
                values: Values::Symbolic,
                lines: Lines::OfCode,
                seed: 1,
            };
            let forest = Forest::of(&workload.trace()?)?;
            for solver in list("WARPATH_BENCH_SOLVERS", "yices,z3,cvc5,bitwuzla") {
                for order in &orders {
                    let options = Options { orders: order_sort(order)?, ..Options::default() };
                    let row = measure(&solvers, &solver, &forest, options)?;
                    println!("{events:>7} {threads:>7} {solver:<9} {order:<6} {row}");
                }
            }
        }
    }
    Ok(())
}
