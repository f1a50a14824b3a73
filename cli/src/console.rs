//! The terminal: results on standard output, everything else on standard error, as loud as `-q` and `-v` say.

use std::env;
use std::fmt;
use std::io::{self, IsTerminal, Write};

use serde::Serialize;

use crate::options::Loudness;
use crate::present::painted;

/// Where a command talks to people.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Console {
    loudness: Loudness,
}

/// Standard output was closed by its reader, as in `warpath show big.wpt | head`.
#[derive(Debug)]
pub(crate) struct Closed;

impl fmt::Display for Closed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("standard output was closed")
    }
}

impl std::error::Error for Closed {}

impl Console {
    /// A console of the given loudness.
    pub(crate) fn new(loudness: Loudness) -> Self {
        Console { loudness }
    }

    /// The same, without remarks.
    pub(crate) fn silent(&self) -> Console {
        Console { loudness: Loudness::Quiet }
    }

    /// How loud it is.
    pub(crate) fn loudness(&self) -> Loudness {
        self.loudness
    }

    /// A remark that helps now: shown unless `-q`.
    pub(crate) fn note(&self, text: impl fmt::Display) {
        if self.loudness >= Loudness::Normal {
            complain(&text);
        }
    }

    /// What is being done: shown with `-v`.
    pub(crate) fn detail(&self, text: impl fmt::Display) {
        if self.loudness >= Loudness::Verbose {
            complain(&format_args!("warpath: {text}"));
        }
    }

    /// What the command understood of its arguments: shown with `-vv`, one line of JSON, for bug reports.
    pub(crate) fn configuration<C: Serialize>(&self, command: &str, configuration: &C) {
        if self.loudness >= Loudness::Debug {
            match serde_json::to_string(configuration) {
                Ok(text) => complain(&format_args!("warpath: {command} {text}")),
                Err(error) => complain(&format_args!("warpath: {command}: configuration not shown: {error}")),
            }
        }
    }

    /// May a progress bar be drawn?
    pub(crate) fn is_live(&self) -> bool {
        self.loudness >= Loudness::Normal && io::stderr().is_terminal()
    }
}

/// A line on standard error. A closed standard error must not end the work, so failures are ignored.
pub(crate) fn complain(text: &dyn fmt::Display) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Writes results to standard output, buffered; [`Closed`] if the reader has gone.
pub(crate) fn print_with(write: impl FnOnce(&mut dyn Write) -> anyhow::Result<()>) -> anyhow::Result<()> {
    let mut stdout = io::BufWriter::with_capacity(1 << 16, io::stdout().lock());
    let written = write(&mut stdout).and_then(|()| Ok(stdout.flush()?));
    // What could not be written must not be tried again when the buffer is dropped.
    let _ = stdout.into_parts();
    written.map_err(|error| if is_broken_pipe(&error) { Closed.into() } else { error })
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let mut causes = error.chain().filter_map(|cause| cause.downcast_ref::<io::Error>());
    causes.any(|io| io.kind() == io::ErrorKind::BrokenPipe)
}

/// Writes one piece of text to standard output.
pub(crate) fn print(text: impl fmt::Display) -> anyhow::Result<()> {
    print_with(|out| Ok(write!(out, "{text}")?))
}

/// Writes a report to standard output, in colour on a terminal that shows them, unless `NO_COLOR` is set.
pub(crate) fn report(text: &str) -> anyhow::Result<()> {
    let is_set = |name: &str| env::var_os(name).is_some_and(|value| !value.is_empty());
    let is_dumb = env::var_os("TERM").is_none_or(|kind| kind == "dumb" || kind.is_empty());
    match io::stdout().is_terminal() && !is_set("NO_COLOR") && !is_dumb {
        true => print(painted(text)),
        false => print(text),
    }
}
