//! Windows: large traces, checked part by part.
//!
//! A window is a stretch of the observed order. Its forest shows the events of the window and nothing after it; what
//! went before is fixed to what was recorded. So everything found in a window can happen in the program: the recorded
//! run up to the window's start, then the schedule found ([`Recorded::complete`] puts the two together). What needs
//! events further apart than a window is not seen; windows that overlap see everything that needs events no further
//! apart than the overlap.
//!
//! One pass over the trace keeps the state of the run (`state`) and gives each window its start (`start`): what
//! storage held, and the few events that are still under way as **settled** nodes, which every execution of the
//! window's forest has already had (`forest`). All windows together cost time linear in what they contain.
//!
//! ```
//! use std::ops::ControlFlow;
//! use warpath_analyzer::findings::{CheckOptions, Property};
//! use warpath_analyzer::window::{Checks, Cut, Recorded, WindowOptions, check};
//! use warpath_solvers::{SolverChoice, Solvers};
//! use warpath_trace::trace::Trace;
//!
//! fn print_findings(trace: &Trace, solvers: &Solvers) -> Result<(), Box<dyn std::error::Error>> {
//!     let options = CheckOptions::default();
//!     let recorded = Recorded::of(trace, options.formula.model)?;
//!     let solver = solvers.resolve(&SolverChoice::named("yices"))?;
//!     let open = || Ok(solver.open(solvers));
//!     let windows = WindowOptions { cut: Cut::new(2000, 1000)?, jobs: 2 };
//!     let checks = Checks { how: &options, properties: &Property::ALL, open: &open, done: &|_| () };
//!     let summary = check(&recorded, &windows, &checks, &mut |window, finding| {
//!         println!("window {}: {}", window.number, finding.summary);
//!         ControlFlow::Continue(())
//!     })?;
//!     println!("{} of {} windows checked", summary.checked, summary.windows);
//!     Ok(())
//! }
//! ```

mod check;
mod cut;
mod error;
mod forest;
mod recorded;
mod replay;
mod start;
mod state;

pub use check::{Checks, OpenSolvers, Summary, Take, WindowOptions, check};
pub use cut::{Cut, Window};
pub use error::WindowError;
pub use recorded::Recorded;
