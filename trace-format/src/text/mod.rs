//! Traces as text: one event a line, for tests, diffs and traces made by hand.
//!
//! `docs/trace-text.md` describes the form for people. [`print`](fn@print) and [`parse`](fn@parse) mirror
//! each other: what `print` writes, `parse` reads back as the same trace in canonical numbering.
//!
//! ```
//! use warpath_trace::text;
//!
//! let trace = text::parse("warpath-trace 1\nglobal x 4 = 0\nT0 w x 5 @m.c:3\noutcome exited 0\n")?;
//! assert_eq!(trace.len(), 1);
//! # Ok::<(), text::ParseError>(())
//! ```

mod error;
pub(crate) mod lex;
mod parse;
mod print;
pub(crate) mod words;

pub use error::{ParseError, PrintError, Problem};
pub use parse::parse;
pub use print::print;

/// The first word of every text trace.
const MAGIC: &str = "warpath-trace";
/// The version of the text form that this code reads and writes.
const VERSION: u128 = 1;
