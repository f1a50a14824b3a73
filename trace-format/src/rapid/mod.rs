//! The "STD" text format of the RAPID race detectors: one event a line, `thread|operation(operand)|position`.
//!
//! STD has reads, writes, lock acquisitions and releases, forks and joins, and `begin`/`end` marks around
//! blocks that are meant to be atomic. It has no values and no conditions, so that an imported trace says
//! less than a recorded one, and an export leaves out what STD has no word for. `docs/trace-text.md`
//! describes both directions.
//!
//! ```
//! use warpath_trace::rapid;
//!
//! let std = "T0|w(V1)|10\nT0|fork(T1)|11\nT1|r(V1)|20\n";
//! let trace = rapid::import(std.as_bytes())?;
//! let mut out = Vec::new();
//! rapid::export(&trace, &mut out)?;
//! assert_eq!(out, std.as_bytes());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod export;
mod import;
mod line;

pub use error::{ExportError, ImportError};
pub use export::{ExportReport, Positions, export};
pub use import::import;

/// What the header of an imported trace names as its tracer: the values of such a trace are made up.
pub const TRACER: &str = "rapid";

/// The stream of the output events that stand for `begin` and `end` marks.
///
/// A mark says what the programmer meant to be atomic, not what is: [`Op::AtomicBegin`] would claim that no
/// other thread can come between, which an STD trace may well show to be wrong. It is a note to whoever
/// watches the program, and so it is kept as output to a stream that no program has.
///
/// [`Op::AtomicBegin`]: crate::event::Op::AtomicBegin
pub const MARKS: u32 = u32::MAX;
