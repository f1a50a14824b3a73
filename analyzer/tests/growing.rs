//! One solver that keeps what it was told, as the forest grows run by run, against a solver that is told everything
//! anew for each question.

mod agree;
mod guard;
mod oracle;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use agree::campaign::{Campaign, Case, Verdict};
use agree::pool::Pool;
use agree::{Explored, Trouble, fixed_inputs};
use oracle::decision::View;
use oracle::generate::Knobs;
use oracle::program::Program;
use oracle::run::Policy;
use warpath_analyzer::queries::{self, GrowingSolver, OpenEnd, Want, open_ends, reach_several};
use warpath_solvers::{Query, SolverChoice};

/// Follows open ends until none is left or enough were asked about; both solvers must answer alike.
fn compare(program: &Program, case: &Case, pool: &Arc<Pool>, known: &AtomicU64) -> Verdict {
    let solvers = guard::solvers();
    let solver = solvers.resolve(&SolverChoice::named(&case.solver)).expect("run scripts/setup");
    let mut growing = GrowingSolver::new(solver.open(&solvers));
    let mut open = || pool.open(&case.solver);
    let inputs = fixed_inputs(program, case, View::Symbolic);
    let mut explored = Explored::new(program, case.options, View::Symbolic, &inputs);
    let mut asked = 0;
    let mut follow = || -> Result<(), Trouble> {
        explored.observe(Policy::RunToBlock { first: None })?;
        for _ in 0..6 {
            let mut reached = None;
            for end in open_ends(&explored.forest) {
                asked += 1;
                let fresh = explored.ask(&end, &mut open)?;
                let query = Query::within(Duration::from_secs(60));
                let kept = growing.reach(&explored.forest, &end, case.options, &query);
                match (fresh, kept.map_err(|error| Trouble::Ours(error.to_string()))?) {
                    (Some(_), queries::Verdict::Possible(found)) => {
                        reached = reached.or(Some((end, found.0)))
                    }
                    (None, queries::Verdict::Impossible) => {}
                    (_, queries::Verdict::Unknown(reason)) => {
                        return Err(Trouble::Solver(reason.to_string()));
                    }
                    (fresh, kept) => {
                        return Err(Trouble::Ours(format!("{end:?}: anew {fresh:?}, kept {kept:?}")));
                    }
                }
            }
            let Some((end, execution)) = reached else { return Ok(()) };
            explored.follow(&end, &execution)?;
        }
        Ok(())
    };
    let result = follow();
    known.fetch_add(growing.kept().known, Ordering::Relaxed);
    match result {
        Ok(()) => Verdict::Agrees { counted: asked },
        Err(Trouble::Ours(what)) => Verdict::Differs(what),
        Err(Trouble::Solver(what)) => panic!("{case:?}: {what}\n{program}"),
    }
}

/// Asks for several ends at once; what is said to be reached must be, and nothing only if nothing can be.
fn compare_several(program: &Program, case: &Case, pool: &Arc<Pool>, together: &AtomicU64) -> Verdict {
    let mut open = || pool.open(&case.solver);
    let inputs = fixed_inputs(program, case, View::Symbolic);
    let mut explored = Explored::new(program, case.options, View::Symbolic, &inputs);
    let mut compare = || -> Result<usize, Trouble> {
        explored.observe(Policy::RunToBlock { first: None })?;
        let branches = |end: &OpenEnd| matches!(end.want, Want::Held(_));
        let ends: Vec<OpenEnd> = open_ends(&explored.forest).into_iter().filter(branches).collect();
        let query = Query::within(Duration::from_secs(60));
        let several = reach_several(&explored.forest, &ends, case.options, &mut *open(), &query, usize::MAX);
        let (verdict, reached) = several.map_err(|error| Trouble::Ours(error.to_string()))?;
        let queries::Verdict::Possible(found) = verdict else {
            if !matches!(verdict, queries::Verdict::Impossible) {
                return Err(Trouble::Ours(format!("{verdict:?}")));
            }
            for end in &ends {
                if explored.ask(end, &mut open)?.is_some() {
                    return Err(Trouble::Ours(format!("{end:?} can be reached, but was not")));
                }
            }
            return Ok(ends.len());
        };
        let Some(&first) = reached.first() else {
            return Err(Trouble::Ours("an execution that reaches nothing".to_owned()));
        };
        together.fetch_add(reached.len() as u64 - 1, Ordering::Relaxed);
        explored.follow(&ends[first], &found.0)?;
        let left = open_ends(&explored.forest);
        match reached.iter().find(|&&n| left.contains(&ends[n])) {
            Some(&n) => Err(Trouble::Ours(format!("{:?} was to be reached, and was not", ends[n]))),
            None => Ok(ends.len()),
        }
    };
    match compare() {
        Ok(counted) => Verdict::Agrees { counted },
        Err(Trouble::Ours(what)) => Verdict::Differs(what),
        Err(Trouble::Solver(what)) => panic!("{case:?}: {what}\n{program}"),
    }
}

#[test]
fn several_ends_at_once_are_all_reached() {
    let together = AtomicU64::new(0);
    let knobs = Knobs { size: 150, ..Knobs::default() };
    let campaign = Campaign { name: "several", programs: 150, knobs, unit: "ends" };
    campaign.run(|program, case, pool| compare_several(program, case, pool, &together));
    assert!(together.into_inner() > 0, "some execution reaches two ends");
}

#[test]
fn a_solver_that_keeps_what_it_knows_answers_alike() {
    let known = AtomicU64::new(0);
    let knobs = Knobs { size: 150, ..Knobs::default() };
    let campaign = Campaign { name: "growing", programs: 90, knobs, unit: "questions" };
    campaign.run(|program, case, pool| compare(program, case, pool, &known));
    assert!(known.into_inner() > 0, "something was kept");
}
