//! Runs under the native tracer, as the commands that make them see them.

mod ended;
mod leftovers;
mod program;
mod runner;

pub(crate) use ended::{Ended, FailureReport, WaitReport};
pub(crate) use leftovers::Leftovers;
pub(crate) use program::{explained, open, show_output, sources_of};
pub(crate) use runner::NativeRunners;
