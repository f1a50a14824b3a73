//! How a program is run under the native tracer, for every command that runs one.

use clap::{Args, ValueEnum};
use serde::Serialize;
use warpath_native::run::{Output, RunOptions};
use warpath_trace::header;

use super::parse_bytes;

/// The options.
#[derive(Args, Debug)]
#[command(next_help_heading = "Run")]
pub(crate) struct RunArgs {
    /// What a trace knows of its values
    #[arg(long, value_enum, value_name = "HOW", default_value_t = Values::Auto)]
    values: Values,
    /// An exit code other than 0 is a failure too
    #[arg(long)]
    fail_on_exit: bool,
    /// Visible events of one thread at most; a thread that never ends is cut there [default: 1000000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    max_events: Option<u64>,
    /// Instructions of all threads at most [default: 20000000000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    max_instructions: Option<u64>,
    /// Output of the program at most; it is kept until the run is over [default: 256M]
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes)]
    max_output: Option<u64>,
    /// Check every interpreted instruction against the hardware (slow)
    #[arg(long)]
    verify: bool,
}

/// What a trace knows of its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Values {
    /// Path conditions; only values if there were too many
    Auto,
    /// Path conditions, whatever it takes
    Symbolic,
    /// Only values: every read is a decision
    Pinned,
}

/// What they ask for.
#[derive(Debug, Serialize)]
pub(crate) struct RunConfig {
    values: Values,
    fail_on_exit: bool,
    max_events: Option<u64>,
    max_instructions: Option<u64>,
    max_output: Option<u64>,
    verify: bool,
}

impl RunArgs {
    /// Lowers the options.
    pub(crate) fn lower(self) -> RunConfig {
        RunConfig {
            values: self.values,
            fail_on_exit: self.fail_on_exit,
            max_events: self.max_events,
            max_instructions: self.max_instructions,
            max_output: self.max_output,
            verify: self.verify,
        }
    }
}

impl RunConfig {
    /// As the tracer wants them. Output is kept: a program may be run several times until its trace is complete, and
    /// only one of these runs is to be seen.
    pub(crate) fn options(&self) -> RunOptions {
        let usual = RunOptions::default();
        RunOptions {
            values: match self.values {
                Values::Auto | Values::Symbolic => header::Values::Symbolic,
                Values::Pinned => header::Values::Pinned,
            },
            max_expressions: match self.values {
                Values::Symbolic => usize::MAX,
                Values::Auto | Values::Pinned => usual.max_expressions,
            },
            max_events: self.max_events.unwrap_or(usual.max_events),
            max_instructions: self.max_instructions.unwrap_or(usual.max_instructions),
            max_output: self.max_output.unwrap_or(usual.max_output),
            output: Output::Keep,
            fail_on_exit: self.fail_on_exit,
            verify: self.verify,
            ..usual
        }
    }
}
