//! Running a program: threads, system calls, modelled functions, schedules, and the trace of it all.
//!
//! All threads stand at their next visible step (`action`) at all times: a scheduler chooses one, the step is
//! performed (`perform`), and the thread runs invisibly (`advance`) to its next one.

mod accesses;
mod action;
mod advance;
mod calls;
mod careful;
mod cpuid;
mod drive;
mod error;
mod flow;
mod guided;
mod heap;
mod kernel;
mod known;
mod layout;
mod machine;
mod memory;
mod obstacle;
mod options;
mod outcome;
mod perform;
mod place;
mod program;
mod queue;
mod record;
mod repair;
mod schedule;
mod sharing;
mod spin;
mod standing;
mod start;
mod steady;
mod sync;
mod template;
mod thread;
mod verify;
mod world;

pub use accesses::Together;
pub use error::RunError;
pub use options::{Output, RunOptions, Source};
pub use outcome::{End, Failure, Why};
pub use program::{Knowledge, Plan, Program, Run};
pub use schedule::{Divergence, Follow, Guide, Guided, Pace, Parting, Policy, Strictness};
pub use sharing::Sharing;
pub use standing::{Call, Standing};
pub use world::{GivenFile, World};
