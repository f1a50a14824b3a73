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
use warpath_analyzer::encode::Options;
use warpath_analyzer::model::Forest;
use warpath_analyzer::queries::{
    self, GrowingSolver, OpenEnd, Several, Want, Wish, open_ends, reach_several,
};
use warpath_solvers::{Query, SolverChoice};
use warpath_trace::text;

/// Follows open ends until none is left or enough were asked about; both solvers must answer alike.
fn compare(program: &Program, case: &Case, pool: &Arc<Pool>, known: &AtomicU64) -> Verdict {
    let solvers = guard::solvers();
    let solver = solvers.resolve(&SolverChoice::named(&case.solver)).expect("run scripts/setup");
    let mut growing = GrowingSolver::new(solver.open(&solvers));
    let mut open = || pool.open(&case.solver);
    // Every third program as a tracer without symbolic conditions would have recorded it: there the order between
    // threads rests on values, and changes as more of them are seen.
    let view = if (case.seed / 3).is_multiple_of(3) { View::Pinned } else { View::Symbolic };
    let inputs = fixed_inputs(program, case, view);
    let mut explored = Explored::new(program, case.options, view, &inputs);
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
        let wish = |(n, end): (usize, &OpenEnd)| Wish { end: end.clone(), rank: (n % 2) as u8 };
        let wishes: Vec<Wish> = ends.iter().enumerate().map(wish).collect();
        let several = reach_several(&explored.forest, &wishes, case.options, &mut *open(), &query);
        let Several { verdict, reached, impossible, .. } =
            several.map_err(|error| Trouble::Ours(error.to_string()))?;
        for &n in &impossible {
            if explored.ask(&ends[n], &mut open)?.is_some() {
                return Err(Trouble::Ours(format!("{:?} can be reached, but was ruled out", ends[n])));
            }
        }
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

/// Merges traces one by one and asks one solver, each time, for the open end that is wanted.
fn as_it_grows(traces: &[String], wanted: impl Fn(&Forest, &OpenEnd) -> bool) -> Vec<queries::Verdict> {
    let solvers = guard::solvers();
    let solver = solvers.resolve(&SolverChoice::named("yices")).expect("run scripts/setup");
    let mut growing = GrowingSolver::new(solver.open(&solvers));
    let mut forest = Forest::new();
    let verdicts = traces.iter().map(|trace| {
        let trace = text::parse(trace).unwrap_or_else(|error| panic!("{error}\n{trace}"));
        forest.merge(&trace).expect("the runs fit");
        let end = open_ends(&forest).into_iter().find(|end| wanted(&forest, end)).expect("it is open");
        let query = Query::within(Duration::from_secs(60));
        growing.reach(&forest, &end, Options::default(), &query).expect("good terms")
    });
    verdicts.collect()
}

/// What was said about a cell as a whole is about something else when it has been cut in two.
#[test]
fn a_cell_may_be_cut_by_a_later_run() {
    let storage = "object global wide 2\nlocation wide %wide+0:2 = 0\nlocation low %wide+0:1 = 0";
    let begin = format!("warpath-trace 1\n{storage}\nT0 begin\nT0 fork T0.0\nT0.0 begin");
    let read = "T0.0 r wide $w=0\nT0.0 branch true (= $w 0:16)";
    let whole = format!("{begin}\n{read}\nT0 w wide 1\noutcome stopped\n");
    let cut = format!("{begin}\n{read}\nT0 w wide 1\nT0 w low 3\noutcome stopped\n");
    let verdicts = as_it_grows(&[whole, cut], |_, end| matches!(end.want, Want::Held(false)));
    assert!(
        matches!(verdicts[..], [queries::Verdict::Possible(_), queries::Verdict::Possible(_)]),
        "{verdicts:?}"
    );
}

/// Whoever has found 5 comes behind the only one who writes it, until a later run has another one: an order that
/// rested on that, and refuted circles, is no more.
#[test]
fn an_order_that_rests_on_values_may_not_last() {
    let globals: String =
        ["a", "b", "q", "x", "z"].iter().map(|name| format!("global {name} 4 = 0\n")).collect();
    let threads = ["T0.0", "T0.1", "T0.2", "T0.3", "T0.4", "T0.5"];
    let forks: String = threads.iter().map(|key| format!("T0 fork {key}\n")).collect();
    let begins: String = threads.iter().map(|key| format!("{key} begin\n")).collect();
    let run = |events: &str| {
        let begin = format!("warpath-trace 1\nvalues pinned\n{globals}T0 begin\n{forks}{begins}");
        format!("{begin}{events}\noutcome stopped\n")
    };
    // Two ways to `b = 1`, each of which writes `a` first.
    let one = "T0.0 w a 1\nT0.0 w x 5\nT0.1 r x 5\nT0.1 w b 1\n";
    let other = "T0.4 w a 2\nT0.4 w z 5\nT0.5 r z 5\nT0.5 w b 1\n";
    let as_one = run(&format!("{other}{one}T0.2 r b 1\nT0.2 r a 1 @a.c:1"));
    let as_other = run(&format!("{one}{other}T0.2 r b 1\nT0.2 r a 2 @a.c:1"));
    // And one that does not, as there is another 5.
    let neither =
        run("T0.3 w x 5\nT0.1 r x 5\nT0.1 w b 1\nT0.2 r b 1\nT0.2 r a 0 @a.c:1\nT0.0 w a 1\nT0.2 r a 1\n\
                       T0.3 w q 1\nT0.2 r q 1 @a.c:2");
    // Comparisons are written as last observed: the last run has them as they were when circles were refuted.
    let traces = [as_one, as_other.clone(), neither, as_other];
    let verdicts = as_it_grows(&traces, |forest, end| {
        let last = if forest.traces < 3 { "a.c:1" } else { "a.c:2" };
        matches!(end.want, Want::OtherThan(_)) && forest.node(end.node).at == last
    });
    use queries::Verdict::{Impossible, Possible};
    assert!(matches!(verdicts[..], [Possible(_), Impossible, Possible(_), Possible(_)]), "{verdicts:?}");
}
