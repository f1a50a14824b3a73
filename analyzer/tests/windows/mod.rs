//! What the tests of windows have in common.
#![allow(dead_code, reason = "each test binary uses some of these")]

pub mod brute;
pub mod replay;

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use warpath_analyzer::findings::{CheckOptions, Finding, Kind, Property};
use warpath_analyzer::window::{Checks, Cut, Recorded, Summary, Window, WindowOptions, check};
use warpath_solvers::{SolverChoice, Solvers};
use warpath_trace::trace::Trace;

/// What was found, with the window of each finding.
pub struct Found {
    pub summary: Summary,
    pub findings: Vec<(Window, Finding)>,
}

/// Who is asked.
pub struct Solver<'s> {
    pub solvers: &'s Solvers,
    pub name: &'s str,
}

/// Checks every property in every window.
pub fn check_windows(
    trace: &Trace,
    cut: Cut,
    jobs: usize,
    options: &CheckOptions,
    solver: &Solver<'_>,
) -> Result<Found, String> {
    let choice = SolverChoice::named(solver.name);
    let resolved =
        solver.solvers.resolve(&choice).unwrap_or_else(|error| panic!("{error}; run scripts/setup"));
    let recorded = Recorded::of(trace, options.formula.model).map_err(|error| error.to_string())?;
    let mut findings = Vec::new();
    let open = || Ok(resolved.open(solver.solvers));
    let windows = WindowOptions { cut, jobs };
    let checks = Checks { how: options, properties: &Property::ALL, open: &open, done: &|_| () };
    let summary = check(&recorded, &windows, &checks, &mut |window, finding| {
        findings.push((window.clone(), finding));
        ControlFlow::Continue(())
    });
    Ok(Found { summary: summary.map_err(|error| error.to_string())?, findings })
}

/// All findings, without what may differ between solvers.
pub fn keys<'f>(findings: impl IntoIterator<Item = &'f Finding>) -> BTreeSet<(Kind, Vec<String>)> {
    findings.into_iter().map(Finding::key).collect()
}
