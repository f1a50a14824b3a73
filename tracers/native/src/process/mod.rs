//! The native process behind the interpreter: stopped, and used for what only the hardware and the kernel can do.
//!
//! A [`Stopped`] process is the only thing that can be asked or changed; running it consumes it and gives it back
//! stopped, or says how it ended. So no request is ever sent to a process that runs.

mod error;
mod fpu;
mod spawn;
mod stopped;

pub use error::ProcessError;
pub use fpu::FpuImage;
pub use spawn::{Launch, spawn};
pub use stopped::{Ended, Stop, Stopped};
pub(crate) use stopped::{from_native, to_native};
