//! How a supervised solver ended when it should not have, and the one line that carries it.
//!
//! The supervisor has a single channel to its client: the answers. A failure therefore travels as an ordinary
//! `(error "…")` answer whose text holds only characters that no answer parser can trip over; everything else is
//! percent-encoded, so nothing is lost on the way.

use std::fmt;

/// Text every failure report begins with inside its error string.
const PREFIX: &str = "warpath:";

/// How a process came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ending {
    /// It called exit with this status.
    Exit(i32),
    /// A signal ended it.
    Signal(i32),
    /// It closed its output while it should have answered, and lived on until it was killed.
    OutputClosed,
}

impl fmt::Display for Ending {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exit(code) => write!(out, "exited with status {code}"),
            Self::Signal(number) => match nix::sys::signal::Signal::try_from(*number) {
                Ok(signal) => write!(out, "was ended by {}", signal.as_str()),
                Err(_) => write!(out, "was ended by signal {number}"),
            },
            Self::OutputClosed => out.write_str("closed its output without answering"),
        }
    }
}

/// Why a solver process is gone. Exactly one is reported per process.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Failure {
    /// The answer was not there when the deadline came.
    Timeout {
        /// Milliseconds that were allowed.
        allowed_ms: u64,
    },
    /// The solver ran into its memory limit, as far as one can tell from outside.
    Memory {
        /// The limit in MiB; 0 when none was set.
        limit_mb: u64,
        /// What made us think so.
        evidence: String,
    },
    /// The solver ended by itself.
    Crash {
        /// How.
        ending: Ending,
        /// The last of what it wrote to its standard error.
        stderr_tail: String,
    },
    /// The solver wrote something that is no answer to what was asked.
    Malformed {
        /// What is wrong with it.
        reason: String,
        /// The beginning of what it wrote.
        excerpt: String,
    },
    /// The solver answered with an error of its own.
    SolverError {
        /// The solver's words.
        message: String,
    },
    /// The supervisor was told to stop.
    Interrupted,
    /// The solver's program could not be run at all.
    CannotStart {
        /// Why.
        reason: String,
    },
}

impl Failure {
    /// The report as one line of text that is a well-formed SMT-LIB error answer.
    pub fn to_line(&self) -> String {
        let mut text = String::from(PREFIX);
        let (kind, fields): (&str, Vec<(&str, String)>) = match self {
            Self::Timeout { allowed_ms } => ("timeout", vec![("allowed-ms", allowed_ms.to_string())]),
            Self::Memory { limit_mb, evidence } => {
                ("memory", vec![("limit-mb", limit_mb.to_string()), ("evidence", evidence.clone())])
            }
            Self::Crash { ending, stderr_tail } => {
                let ending = match ending {
                    Ending::Exit(code) => format!("exit {code}"),
                    Ending::Signal(number) => format!("signal {number}"),
                    Ending::OutputClosed => "closed".to_owned(),
                };
                ("crash", vec![("ending", ending), ("stderr", stderr_tail.clone())])
            }
            Self::Malformed { reason, excerpt } => {
                ("malformed", vec![("reason", reason.clone()), ("excerpt", excerpt.clone())])
            }
            Self::SolverError { message } => ("solver-error", vec![("message", message.clone())]),
            Self::Interrupted => ("interrupted", vec![]),
            Self::CannotStart { reason } => ("cannot-start", vec![("reason", reason.clone())]),
        };
        text.push_str(kind);
        for (key, value) in fields {
            text.push(':');
            text.push_str(key);
            text.push('=');
            encode(&value, &mut text);
        }
        format!("(error \"{text}\")")
    }

    /// Reads the text inside an error answer; `None` when it is not a report of ours.
    pub fn from_error_text(text: &str) -> Option<Self> {
        let mut parts = text.strip_prefix(PREFIX)?.split(':');
        let kind = parts.next()?;
        let fields: Vec<(&str, String)> =
            parts.filter_map(|part| part.split_once('=')).map(|(key, value)| (key, decode(value))).collect();
        let field = |key: &str| fields.iter().find(|(name, _)| *name == key).map(|(_, value)| value.clone());
        Some(match kind {
            "timeout" => Self::Timeout { allowed_ms: field("allowed-ms")?.parse().ok()? },
            "memory" => {
                Self::Memory { limit_mb: field("limit-mb")?.parse().ok()?, evidence: field("evidence")? }
            }
            "crash" => {
                let ending = field("ending")?;
                let ending = match ending.split_once(' ') {
                    Some(("exit", code)) => Ending::Exit(code.parse().ok()?),
                    Some(("signal", number)) => Ending::Signal(number.parse().ok()?),
                    _ => Ending::OutputClosed,
                };
                Self::Crash { ending, stderr_tail: field("stderr")? }
            }
            "malformed" => Self::Malformed { reason: field("reason")?, excerpt: field("excerpt")? },
            "solver-error" => Self::SolverError { message: field("message")? },
            "interrupted" => Self::Interrupted,
            "cannot-start" => Self::CannotStart { reason: field("reason")? },
            _ => return None,
        })
    }

    /// Reads a whole answer line; `None` when it is not a report of ours.
    pub fn from_line(line: &str) -> Option<Self> {
        Self::from_error_text(line.trim().strip_prefix("(error \"")?.strip_suffix("\")")?)
    }
}

fn encode(value: &str, into: &mut String) {
    for byte in value.bytes() {
        match byte {
            b'a'..=b'z'
            | b'A'..=b'Z'
            | b'0'..=b'9'
            | b' '
            | b'.'
            | b','
            | b'-'
            | b'_'
            | b'/'
            | b'+'
            | b'<'
            | b'>' => {
                into.push(char::from(byte));
            }
            _ => into.push_str(&format!("%{byte:02x}")),
        }
    }
}

fn decode(value: &str) -> String {
    let bytes = value.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let escaped = (bytes[at] == b'%')
            .then(|| value.get(at + 1..at + 3))
            .flatten()
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match escaped {
            Some(byte) => {
                out.push(byte);
                at += 3;
            }
            None => {
                out.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn failures() -> impl Strategy<Value = Failure> {
        let ending = prop_oneof![
            any::<i32>().prop_map(Ending::Exit),
            any::<i32>().prop_map(Ending::Signal),
            Just(Ending::OutputClosed)
        ];
        prop_oneof![
            any::<u64>().prop_map(|allowed_ms| Failure::Timeout { allowed_ms }),
            (any::<u64>(), any::<String>())
                .prop_map(|(limit_mb, evidence)| Failure::Memory { limit_mb, evidence }),
            (ending, any::<String>())
                .prop_map(|(ending, stderr_tail)| Failure::Crash { ending, stderr_tail }),
            (any::<String>(), any::<String>())
                .prop_map(|(reason, excerpt)| Failure::Malformed { reason, excerpt }),
            any::<String>().prop_map(|message| Failure::SolverError { message }),
            Just(Failure::Interrupted),
            any::<String>().prop_map(|reason| Failure::CannotStart { reason }),
        ]
    }

    proptest! {
        #[test]
        fn a_report_comes_back_as_it_was(failure in failures()) {
            let line = failure.to_line();
            prop_assert!(line.is_ascii());
            let inner = &line["(error \"".len()..line.len() - 2];
            prop_assert!(!inner.contains(['(', ')', '|', ';', '"', '\\', '\n']));
            prop_assert_eq!(Failure::from_line(&line), Some(failure));
        }

        #[test]
        fn other_text_is_never_mistaken(text in "[ -~]{0,60}") {
            prop_assume!(!text.starts_with(PREFIX));
            prop_assert_eq!(Failure::from_error_text(&text), None);
        }
    }
}
