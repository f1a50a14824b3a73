//! From a program on the command line to one that the tracer runs, and from its output to ours.

use std::collections::BTreeMap;
use std::io::{self, Write};

use warpath_native::run::{RunError, Source};
use warpath_trace::si::InputValue;

use crate::failure::advise;
use crate::json::JsonTarget;

/// An error of the tracer with what can be done about it.
pub(crate) fn explained(error: RunError) -> anyhow::Error {
    let help = match &error {
        RunError::Program { .. } => {
            "name an x86-64 Linux executable; a script needs its interpreter in front"
        }
        RunError::Process(_) => {
            "does the program run without Warpath? containers may forbid ptrace (SYS_PTRACE)"
        }
        RunError::NoLines { .. } => "build the program with -g",
        RunError::NoSuchLine { .. } => {
            "is it a repair of this build of the program? lines move when the source is changed"
        }
        RunError::Threads(_) => "let the program start fewer threads",
        _ => "please report it with the program, if you may share that",
    };
    let text = error.to_string();
    advise(error, text, help)
}

/// Puts what the program wrote where it would have gone; beside JSON on standard output, to standard error.
pub(crate) fn show_output(output: &[(i32, Vec<u8>)], json: Option<&JsonTarget>) {
    for (stream, bytes) in output {
        // A reader that left is the program's loss, not ours.
        let _ = match stream {
            1 if !JsonTarget::takes_stdout(json) => io::stdout().write_all(bytes),
            _ => io::stderr().write_all(bytes),
        };
    }
    let _ = io::stdout().flush();
}

/// Which data from outside the inputs of a schedule were: their names say so.
pub(crate) fn sources_of(inputs: &[InputValue]) -> Vec<Source> {
    let mut lengths: BTreeMap<&str, u64> = BTreeMap::new();
    for input in inputs {
        let length = lengths.entry(&input.name).or_default();
        *length = (*length).max(u64::from(input.nth) + 1);
    }
    let source = |(name, bytes): (&str, u64)| match name.split_once(':') {
        None if name == "stdin" => Some(Source::Stdin { bytes }),
        None if name == "rand" || name == "random" => Some(Source::Random),
        None if name == "time" => Some(Source::Time),
        Some(("arg", position)) => position.parse().ok().map(Source::Argument),
        Some(("env", variable)) => Some(Source::Environment(variable.to_owned())),
        Some(("file", path)) => Some(Source::File { path: path.into(), bytes }),
        _ => None,
    };
    lengths.into_iter().filter_map(source).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_inputs_say_where_they_came_from() {
        let input = |name: &str, nth| InputValue { name: name.into(), nth, width: 8, value: 0 };
        let inputs =
            [input("stdin", 0), input("stdin", 7), input("i", 0), input("arg:2", 1), input("file:a:b", 3)];
        let wanted =
            [Source::Argument(2), Source::File { path: "a:b".into(), bytes: 4 }, Source::Stdin { bytes: 8 }];
        assert_eq!(sources_of(&inputs), wanted);
    }
}
