//! Findings: which properties can be violated, and how.
//!
//! [`check`] asks every question that a set of properties raises about a forest and reports what can happen,
//! each [`Finding`] with one line of reason, the events it is about, a schedule and inputs ([`Finding::si`])
//! and the question as a script. Its order is that of the properties and of the forest's events, and is the same
//! on every run.
//!
//! ```
//! use warpath_analyzer::findings::{CheckOptions, Property, check};
//! use warpath_analyzer::model::Forest;
//! use warpath_solvers::{SolverChoice, Solvers};
//! use warpath_trace::trace::Trace;
//!
//! fn print_findings(trace: &Trace, solvers: &Solvers) -> Result<(), Box<dyn std::error::Error>> {
//!     let forest = Forest::of(trace)?;
//!     let solver = solvers.resolve(&SolverChoice::named("yices"))?;
//!     let mut open = || Ok(solver.open(solvers));
//!     let report = check(&forest, &CheckOptions::default(), &Property::ALL, &mut open)?;
//!     for finding in &report.findings {
//!         println!("{}: {}", finding.summary, finding.reason);
//!     }
//!     Ok(())
//! }
//! ```

mod atomicity;
mod checker;
mod deadlock;
mod failure;
mod finding;
mod memory;
mod order;
mod property;
mod race;
mod report;
mod shown;

pub use checker::{CheckError, CheckOptions, Known, MainEnd, OpenSolver};
pub use finding::{Finding, Involved};
pub use property::{Kind, Property};
pub use report::{PropertyResult, Report, Standing, Statistics, Unanswered};

use crate::model::Forest;
use crate::queries::survey::Survey;
use checker::Checker;

/// Checks properties of all executions that the forest's paths have, under any schedule and any input.
pub fn check<'s>(
    forest: &Forest,
    options: &'s CheckOptions,
    properties: &[Property],
    open: &'s mut OpenSolver<'s>,
) -> Result<Report, CheckError> {
    let mut checker = Checker::new(Survey::of(forest, &options.formula), options, open);
    for &property in properties {
        checker.begin(property);
        match property {
            Property::Assertion | Property::Crash => failure::check(&mut checker, property)?,
            Property::Deadlock => deadlock::check(&mut checker)?,
            Property::Race => race::check(&mut checker)?,
            Property::Atomicity => atomicity::check(&mut checker)?,
            Property::Order => order::check(&mut checker)?,
            Property::UseAfterFree => {
                memory::check(&mut checker)?;
                failure::check(&mut checker, property)?;
            }
        }
        checker.end();
    }
    Ok(checker.into_report())
}
