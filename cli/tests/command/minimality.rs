//! Causes of samples are causes, and minimal: another solver is asked of each, and of each without one ordering.

use std::path::Path;
use std::time::Duration;

use warpath_analyzer::diagnose::{DiagnoseOptions, Failure, Ordering, diagnose, passing_with};
use warpath_analyzer::model::Forest;
use warpath_solvers::config::Places;
use warpath_solvers::supervise::SupervisorCommand;
use warpath_solvers::{Query, SolverChoice, Solvers};
use warpath_trace::trace::Trace;

use crate::diagnose::bug_of;
use crate::run::{Folder, run, warpath};
use crate::samples::named;

fn read(path: &Path) -> Trace {
    let file = std::fs::File::open(path).expect("the trace is there");
    warpath_trace::binary::read(std::io::BufReader::new(file)).expect("a good trace").0
}

#[test]
fn a_fresh_solver_finds_a_passing_schedule_without_any_one_ordering() {
    let program = env!("CARGO_BIN_EXE_warpath").into();
    let supervisor = SupervisorCommand { program, lead: vec![SupervisorCommand::SUBCOMMAND.into()] };
    let solvers = Solvers::new(Places::from_environment(), supervisor).expect("a good configuration");
    let mut left_out = 0;
    for name in ["thesis-3-3", "lazy01", "mysql-169", "linux-iio", "reorder", "deadlock"] {
        let sample = named(name);
        let folder = Folder::new();
        let si = bug_of(sample, "sc", &folder);
        let [failing, passing] = ["failing.wpt", "passing.wpt"].map(|name| folder.path().join(name));
        run(warpath().arg("replay").arg(&si).arg("--trace").arg(&failing));
        run(warpath()
            .args(["record", "-o"])
            .arg(&passing)
            .arg("--")
            .arg(sample.program())
            .args(&sample.args));
        let failing = read(&failing);
        let failure = Failure::of(&failing).expect("the bug");
        let mut forest = Forest::new();
        forest.merge(&read(&passing)).expect("a run of the program");
        forest.merge(&failing).expect("a run of the program");
        let open = |solver: &'static str| {
            let solvers = &solvers;
            move || Ok(solvers.open(&SolverChoice::named(solver))?)
        };
        let options = DiagnoseOptions { repairs: false, ..DiagnoseOptions::default() };
        let diagnosis = diagnose(&forest, &failure, &options, &open("yices")).expect("an explanation");
        assert!(!diagnosis.causes.is_empty(), "{name} has no cause");
        let passing = |orderings: &[Ordering]| {
            let query = Query::within(Duration::from_secs(60));
            passing_with(&forest, &failure, &options.formula, orderings, query, &open("z3"))
                .unwrap_or_else(|error| panic!("{name}: {error}"))
        };
        for cause in &diagnosis.causes {
            assert_eq!(passing(&cause.orderings), None, "{name}: passes with all of {cause:?}");
            for without in 0..cause.orderings.len() {
                let mut rest = cause.orderings.clone();
                rest.remove(without);
                assert!(passing(&rest).is_some(), "{name}: {without} is not needed in {cause:?}");
                left_out += 1;
            }
        }
    }
    assert!(left_out > 10, "only {left_out} orderings were left out");
}
