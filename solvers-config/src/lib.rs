//! SMT solvers as supervised outside processes: text in, text out.
//!
//! Whatever a solver does (hang, crash, flood its standard error, lie) costs one query and never the run. The layers,
//! from the solver up:
//!
//! - [`supervise`]: a process in front of each solver that guards and kills it;
//! - [`config`] and [`discover`]: what is known of solvers, and which are here;
//! - `engine`: one solver brought up to a stack of assertions, through `rsmt2`, every model checked;
//! - [`Smt`]: what [`Session`], [`Portfolio`] and [`CrossCheck`] have in common;
//! - [`optimise`]: soft constraints;
//! - [`term`], [`smtlib`], [`script`]: the language all of this is spoken in.

pub mod config;
pub mod discover;
pub mod install;
pub mod optimise;
pub mod script;
pub mod selftest;
pub mod smtlib;
pub mod solve;
pub mod supervise;
pub mod term;

mod answer;
mod cancel;
mod choice;
mod cross_check;
mod engine;
mod lock;
mod portfolio;
mod proofs;
mod session;
mod smt;
mod stack;

pub use answer::{Answer, Core, Reason};
pub use cancel::CancelToken;
pub use choice::{ResolvedChoice, SolverChoice};
pub use cross_check::CrossCheck;
pub use discover::{FindError, FoundSolver, OwnSolver, SetupError, Solvers};
pub use optimise::{Optimum, Preference};
pub use portfolio::Portfolio;
pub use proofs::{KeptProof, Proofs};
pub use session::Session;
pub use smt::{Query, Smt, Statistics};
pub use stack::{Assertion, Stack, StackError};
