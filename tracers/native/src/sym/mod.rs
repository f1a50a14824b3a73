//! Symbolic values: shadow expressions of registers, flags and memory.
//!
//! The interpreter computes numbers. This module runs beside it, for those instructions only that touch data which
//! depends on inputs or on shared reads, and computes the same results as expressions. A [`Shadow`] belongs to one run
//! of the program (its memory, its table of expressions), a [`ThreadShadow`] to one thread (its registers and flags).
//!
//! For one instruction the order of calls is:
//! 1. [`Shadow::prepare`], before the concrete step: what it must decide to know which memory it touches;
//! 2. the concrete step, which notes its memory accesses as [`Access`]es;
//! 3. [`Shadow::execute`], with the registers before and after (or [`Shadow::divide_error`] if it ended in one).
//!
//! Both append to [`Effects`] what became a condition of the path. Everything is exact at bit level for the integer
//! instructions and for SSE2 without floating point; elsewhere a symbolic operand is replaced by its concrete value and
//! that, too, becomes a condition of the path. Flags that the processor's manual leaves undefined count as concrete.

mod access;
mod bits;
mod build;
mod bytes;
mod check;
mod compare;
mod effect;
mod execute;
mod flags;
mod fold;
mod memory;
mod operand;
mod operation;
mod path;
#[cfg(test)]
mod rules;
mod shadow;
mod thread;

pub use access::{Access, AccessKind, Source};
pub use check::{Check, CheckError, Place};
pub use effect::{Effect, Effects, Mark, Stored};
pub use shadow::{Shadow, ShadowOptions};
pub use thread::ThreadShadow;
