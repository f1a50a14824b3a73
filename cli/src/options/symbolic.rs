//! `--symbolic`: which data from outside becomes an input that the solver may choose.

use std::path::PathBuf;
use std::str::FromStr;

use serde::Serialize;
use warpath_native::run::Source;

/// A source of inputs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum SymbolicSource {
    /// The first bytes of standard input.
    Stdin(Option<u64>),
    /// An argument of the program, from 1.
    Argument(u32),
    /// An environment variable.
    Environment(String),
    /// The first bytes of a file.
    File(PathBuf, Option<u64>),
    /// Random numbers from the system.
    Random,
    /// The clock.
    Time,
}

impl FromStr for SymbolicSource {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (kind, rest) = match text.split_once(':') {
            Some((kind, rest)) => (kind, Some(rest)),
            None => (text, None),
        };
        let count = |digits: &str| match digits.parse::<u64>() {
            Ok(count) if count > 0 => Ok(count),
            _ => Err(format!("`{digits}` is not a number of bytes")),
        };
        match (kind, rest) {
            ("stdin", None) => Ok(SymbolicSource::Stdin(None)),
            ("stdin", Some(bytes)) => Ok(SymbolicSource::Stdin(Some(count(bytes)?))),
            ("arg", Some(position)) => match position.parse() {
                Ok(position @ 1..) => Ok(SymbolicSource::Argument(position)),
                _ => Err(format!("`{position}` is not a position of an argument: the first is arg:1")),
            },
            ("env", Some(name)) if !name.is_empty() && !name.contains('=') => {
                Ok(SymbolicSource::Environment(name.into()))
            }
            ("file", Some(rest)) if !rest.is_empty() => Ok(match rest.rsplit_once(':') {
                // Only digits after the last colon are a count: a path may have colons of its own.
                Some((path, bytes)) if !path.is_empty() && bytes.bytes().all(|b| b.is_ascii_digit()) => {
                    SymbolicSource::File(path.into(), Some(count(bytes)?))
                }
                _ => SymbolicSource::File(rest.into(), None),
            }),
            ("rand", None) => Ok(SymbolicSource::Random),
            ("time", None) => Ok(SymbolicSource::Time),
            _ => Err(format!(
                "`{text}` is no source of inputs: write stdin[:N], arg:K, env:NAME, file:PATH[:N], rand or time"
            )),
        }
    }
}

impl SymbolicSource {
    /// What inputs from it are called; the first is also the word for it.
    pub(crate) fn names(&self) -> Vec<String> {
        match self {
            SymbolicSource::Stdin(_) => vec!["stdin".to_owned()],
            SymbolicSource::Argument(position) => vec![format!("arg:{position}")],
            SymbolicSource::Environment(name) => vec![format!("env:{name}")],
            SymbolicSource::File(path, _) => vec![format!("file:{}", path.display())],
            // Numbers of the library, bytes of the system.
            SymbolicSource::Random => vec!["rand".to_owned(), "random".to_owned()],
            SymbolicSource::Time => vec!["time".to_owned()],
        }
    }
}

/// Bytes of standard input or a file that become inputs if nobody says how many: a solver chooses few bytes readily
/// and many hardly.
const USUAL_BYTES: u64 = 64;

impl From<&SymbolicSource> for Source {
    fn from(source: &SymbolicSource) -> Source {
        match source {
            SymbolicSource::Stdin(bytes) => Source::Stdin { bytes: bytes.unwrap_or(USUAL_BYTES) },
            SymbolicSource::Argument(position) => Source::Argument(*position as usize),
            SymbolicSource::Environment(name) => Source::Environment(name.clone()),
            SymbolicSource::File(path, bytes) => {
                Source::File { path: path.clone(), bytes: bytes.unwrap_or(USUAL_BYTES) }
            }
            SymbolicSource::Random => Source::Random,
            SymbolicSource::Time => Source::Time,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form() {
        let parsed = |text: &str| text.parse::<SymbolicSource>();
        assert_eq!(parsed("stdin"), Ok(SymbolicSource::Stdin(None)));
        assert_eq!(parsed("stdin:8"), Ok(SymbolicSource::Stdin(Some(8))));
        assert_eq!(parsed("arg:2"), Ok(SymbolicSource::Argument(2)));
        assert_eq!(parsed("env:HOME"), Ok(SymbolicSource::Environment("HOME".into())));
        assert_eq!(parsed("file:/a:b"), Ok(SymbolicSource::File("/a:b".into(), None)));
        assert_eq!(parsed("file:/a:b:12"), Ok(SymbolicSource::File("/a:b".into(), Some(12))));
        assert_eq!(parsed("rand"), Ok(SymbolicSource::Random));
        assert_eq!(parsed("time"), Ok(SymbolicSource::Time));
    }

    #[test]
    fn nonsense_is_refused() {
        for text in [
            "", "stdin:", "stdin:0", "stdin:x", "arg", "arg:0", "arg:-1", "env:", "env:A=B", "file:",
            "rand:1",
        ] {
            assert!(text.parse::<SymbolicSource>().is_err(), "{text}");
        }
    }
}
