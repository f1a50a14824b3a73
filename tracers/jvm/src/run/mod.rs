//! Running a Java program: the plan for the agent, the JVM, and what comes of it.

mod accesses;
mod agent;
mod classes;
mod error;
mod kept;
mod killed;
mod launch;
mod options;
mod outcome;
mod plan;
mod program;
mod schedule;
mod sharing;

pub use accesses::Together;
pub use error::JvmError;
pub use kept::KeptRun;
pub use options::{Output, RunOptions, Source};
pub use outcome::{Divergence, End, Failure, Why};
pub use program::{JvmProgram, Knowledge, Plan, Run};
pub use schedule::{Follow, Policy, Strictness};
pub use sharing::Sharing;
