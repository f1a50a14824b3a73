//! Runs under the tracers, as the commands that make them see them.

mod ended;
mod given;
mod leftovers;
mod program;
mod runner;
mod schedule;
mod subject;

pub(crate) use ended::{Ended, FailureReport, WaitReport};
pub(crate) use given::Given;
pub(crate) use leftovers::Leftovers;
pub(crate) use program::{explained, show_output, sources_of};
pub(crate) use runner::TracedRunners;
pub(crate) use schedule::write_si;
pub(crate) use subject::{Subject, expect_java, is_java};
