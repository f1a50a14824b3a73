//! Keys of the file `meta`. Values are one line each; in them `\n` and `\\` are written with a backslash.

/// Version of these files; this is `3`.
pub const FORMAT: &str = "format";
/// The executable.
pub const PROGRAM: &str = "program";
/// An argument, from the program's own name on; several lines.
pub const ARGUMENT: &str = "argument";
/// The process.
pub const PID: &str = "pid";
/// The process that it was forked from, if its recorder was inherited.
pub const FORKED_FROM: &str = "forked-from";
/// Nanoseconds after the Unix epoch at which the recording began.
pub const BEGAN: &str = "began";
/// Whether the oldest segments are overwritten (`1`).
pub const RING: &str = "ring";
