//! Option groups that several commands share, each in the form the user types it and with the one meaning it has
//! everywhere.

mod assume;
mod bounds;
mod given;
mod loudness;
mod output;
mod program;
mod property;
mod quantity;
mod run;
mod solver;
mod symbolic;

pub(crate) use assume::{AssumeOption, Assumed};
pub(crate) use bounds::{BoundOptions, Bounds, MemoryModel};
pub(crate) use given::GivenInput;
pub(crate) use loudness::{Loudness, LoudnessOptions};
pub(crate) use output::{EmitOption, JsonOption, OutOption, SarifOption};
pub(crate) use program::{Program, ProgramArgs};
pub(crate) use property::{CheckOption, MoreChecksOption, Property};
pub(crate) use quantity::{from_millis, parse_bytes, parse_duration, parse_jobs, whole_millis};
pub(crate) use run::{RunArgs, RunConfig};
pub(crate) use solver::{SolverConfig, SolverOptions};
pub(crate) use symbolic::SymbolicSource;
