//! The processor: registers, decoded code, and an interpreter of the integer and SSE2 instructions.
//!
//! It behaves as a plain x86-64 with SSE2. [`run`] interprets blocks of decoded instructions over a
//! [`Space`](crate::memory::Space) until something happens that is not its to decide; [`step`] executes one
//! instruction over any [`Memory`](crate::memory::Memory). Instructions that it does not know end in
//! [`Exit::Hardware`]; those that would bring chance into a run (`rdrand`, `rdseed`, `rdpid`) do not exist.

mod code;
mod dynamic;
mod effects;
mod exit;
mod flags;
mod lower;
mod ops;
mod register_set;
mod registers;
mod run;
mod state;
mod step;

pub use code::{Code, Decoded, instruction_at};
pub use effects::{Effects, effects, status_flags, undefined_flags};
pub use exit::{Exit, Limits, Stepped};
pub use lower::is_fence;
pub use register_set::RegisterSet;
pub use registers::{Flag, Gpr, Registers};
pub use run::run;
pub use step::step;
