//! The command line: `[--seed N] [--timeout MS] [FILE.smt2]…`.
//!
//! Parsed by hand, because a solver is started often and must be ready at once.

use crate::Settings;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write};

/// What `--help` prints.
pub const HELP: &str = "\
Answers SMT-LIB commands: an SMT solver for orders of events and bit-vectors

Usage: warpath smt [--seed N] [--timeout MS] [FILE.smt2]...

Arguments:
  [FILE.smt2]...  Scripts to answer, one after the other, each by itself; none or - for standard input

Options:
      --seed N      Start value of what is chosen by chance; changes how long an answer takes [default: 0]
      --timeout MS  Answer `unknown` to a check that takes longer, in milliseconds; 0 for no limit [default: 0]
  -h, --help        Print help
";

/// Runs a whole process: answers go to standard output, complaints about the command line to standard error. Gives
/// the exit code: 0, or 2 if something could not be read or written.
pub fn main(arguments: impl Iterator<Item = OsString>) -> u8 {
    match run(arguments) {
        Ok(()) => 0,
        // Whoever asked has gone.
        Err(Trouble::Write(error)) if error.kind() == io::ErrorKind::BrokenPipe => 0,
        Err(trouble) => {
            let _ = writeln!(io::stderr(), "error: {trouble}");
            2
        }
    }
}

#[derive(Debug, thiserror::Error)]
enum Trouble {
    #[error("`{word}` is not an option (see --help)")]
    UnknownOption { word: String },
    #[error("{option} needs a number, not `{value}`")]
    NotANumber { option: &'static str, value: String },
    #[error("{path} cannot be read: {source}")]
    Read { path: String, source: io::Error },
    #[error("answers cannot be written: {0}")]
    Write(#[from] io::Error),
}

fn run(arguments: impl Iterator<Item = OsString>) -> Result<(), Trouble> {
    let mut settings = Settings::default();
    let mut files = Vec::new();
    let mut words = arguments;
    while let Some(word) = words.next() {
        let text = word.to_string_lossy().into_owned();
        let (option, inline) = match text.split_once('=') {
            Some((option, value)) if option.starts_with("--") => (option, Some(value.to_owned())),
            _ => (text.as_str(), None),
        };
        match option {
            "--seed" => settings.seed = number("--seed", inline, &mut words)?,
            "--timeout" => settings.timeout_ms = Some(number("--timeout", inline, &mut words)?),
            "-h" | "--help" => return Ok(io::stdout().write_all(HELP.as_bytes())?),
            "--" => files.extend(words.by_ref()),
            "-" => files.push(word),
            _ if option.starts_with('-') => return Err(Trouble::UnknownOption { word: text }),
            _ => files.push(word),
        }
    }
    if files.is_empty() {
        files.push("-".into());
    }
    for path in files {
        if path == "-" {
            crate::serve(io::stdin().lock(), io::stdout().lock(), &settings)?;
            continue;
        }
        let shown = || path.to_string_lossy().into_owned();
        let file = File::open(&path).map_err(|source| Trouble::Read { path: shown(), source })?;
        crate::serve(file, io::stdout().lock(), &settings)?;
    }
    Ok(())
}

fn number(
    option: &'static str,
    inline: Option<String>,
    words: &mut impl Iterator<Item = OsString>,
) -> Result<u64, Trouble> {
    let value = match inline {
        Some(value) => value,
        None => words.next().map(|word| word.to_string_lossy().into_owned()).unwrap_or_default(),
    };
    value.parse().map_err(|_| Trouble::NotANumber { option, value })
}
