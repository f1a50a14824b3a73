//! Errors as people see them: what, why, and a `help:` line where we know what to do about it.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::error::Error;
use std::fmt;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Mutex;

use crate::console::Closed;

/// An error that knows what the user can do about it.
#[derive(Debug)]
pub(crate) struct Advised {
    problem: String,
    help: String,
    source: Option<anyhow::Error>,
}

impl fmt::Display for Advised {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.problem)
    }
}

impl Error for Advised {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_ref().map(|source| source.as_ref() as &(dyn Error + 'static))
    }
}

/// A problem with advice and no deeper cause.
pub(crate) fn advised(problem: impl Into<String>, help: impl Into<String>) -> anyhow::Error {
    anyhow::Error::new(Advised { problem: problem.into(), help: help.into(), source: None })
}

/// Adds what was being done, and advice, to an error.
pub(crate) fn advise(
    source: impl Into<anyhow::Error>,
    problem: impl Into<String>,
    help: impl Into<String>,
) -> anyhow::Error {
    anyhow::Error::new(Advised { problem: problem.into(), help: help.into(), source: Some(source.into()) })
}

/// The advice that came with an error, if any did.
pub(crate) fn help_of(error: &anyhow::Error) -> Option<&str> {
    error.chain().find_map(|cause| cause.downcast_ref::<Advised>()).map(|advised| advised.help.as_str())
}

/// What and why, in one line. Errors of libraries often end with the words of their cause already; those are not
/// said twice.
pub(crate) fn sentence(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain() {
        let words = cause.to_string();
        if text.is_empty() {
            text = words;
        } else if !text.ends_with(&words) {
            text.push_str(": ");
            text.push_str(&words);
        }
    }
    text
}

/// True if whoever read our standard output has gone: no error, there is just nobody left to talk to.
pub(crate) fn reader_left(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| cause.is::<Closed>())
}

/// Where and with what words the latest panic happened. The hook only notes it, because libraries contain panics of
/// *their* dependencies: a panic is ours to report only if it arrives at the top.
static LATEST_PANIC: Mutex<Option<String>> = Mutex::new(None);

/// Runs `body`; a panic becomes the text to show for it.
pub(crate) fn contain<T>(body: impl FnOnce() -> T) -> Result<T, String> {
    panic::set_hook(Box::new(|info| {
        let backtrace = Backtrace::capture();
        let mut text = info.to_string();
        if backtrace.status() == BacktraceStatus::Captured {
            text.push_str(&format!("\n{backtrace}"));
        }
        if let Ok(mut latest) = LATEST_PANIC.lock() {
            *latest = Some(text);
        }
    }));
    panic::catch_unwind(AssertUnwindSafe(body)).map_err(|_| {
        let what = LATEST_PANIC.lock().ok().and_then(|mut latest| latest.take());
        format!(
            "error: a bug in warpath {}: {}\nhelp: please report it with the command line and, if you may share it, \
             the input file; RUST_BACKTRACE=1 adds where it came from",
            env!("CARGO_PKG_VERSION"),
            what.as_deref().unwrap_or("a panic without words"),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_survives_context() {
        let error = advised("no solver", "run scripts/setup").context("solving q.smt2");
        assert_eq!(format!("{error:#}"), "solving q.smt2: no solver");
        assert_eq!(help_of(&error), Some("run scripts/setup"));
    }

    #[test]
    fn causes_below_advice_are_kept() {
        let cause = std::io::Error::other("disk on fire");
        let error = advise(cause, "cannot write out", "free some space");
        assert_eq!(format!("{error:#}"), "cannot write out: disk on fire");
    }

    #[test]
    fn nothing_is_said_twice() {
        let error =
            anyhow::Error::new(std::io::Error::other("disk on fire")).context("writing failed: disk on fire");
        assert_eq!(sentence(&error.context("cannot pack")), "cannot pack: writing failed: disk on fire");
    }

    #[test]
    fn a_panic_becomes_a_report() {
        let report = contain(|| -> () { panic!("seven is not even") }).expect_err("it panicked");
        assert!(report.contains("seven is not even") && report.contains("please report it"), "{report}");
        assert_eq!(contain(|| 7), Ok(7));
    }
}
