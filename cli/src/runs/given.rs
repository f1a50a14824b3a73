//! What a trace says that came from outside, to be given to the program again.

use std::ffi::OsString;
use std::fs::File;
use std::io::BufReader;
use std::os::unix::ffi::OsStringExt;
use std::path::Path;
use std::sync::Arc;

use warpath_native::run::{GivenFile, World};
use warpath_trace::binary::{Item, TraceStream};
use warpath_trace::recorded::RecordedInput;
use warpath_trace::si::Si;

/// What was recorded of a program's inputs, sorted by where it goes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Given {
    /// The arguments, if they were recorded.
    pub(crate) arguments: Option<Vec<OsString>>,
    /// Everything else that can be given.
    pub(crate) world: World,
    /// Sockets that were read from, which nobody can answer for again.
    pub(crate) sockets: usize,
    /// Names of what was only kept in part.
    pub(crate) cut: Vec<String>,
}

impl Given {
    /// Sorts what was recorded.
    pub(crate) fn of(recorded: &[RecordedInput]) -> Given {
        let mut given = Given::default();
        let mut arguments = Vec::new();
        let mut environment = Vec::new();
        for input in recorded {
            let name = &input.name;
            if !input.whole {
                given.cut.push(String::from_utf8_lossy(name).into_owned());
            }
            if let Some(position) = name.strip_prefix(b"arg:") {
                let position =
                    std::str::from_utf8(position).ok().and_then(|digits| digits.parse::<usize>().ok());
                arguments.push((position.unwrap_or(usize::MAX), OsString::from_vec(input.bytes.clone())));
            } else if let Some(variable) = name.strip_prefix(b"env:") {
                environment.push(OsString::from_vec([variable, b"=", &input.bytes].concat()));
            } else if let Some(path) = name.strip_prefix(b"file:") {
                let bytes = Arc::new(input.bytes.clone());
                given.world.files.push(GivenFile { path: path.to_vec(), bytes });
            } else if name == b"stdin" {
                given.world.stdin = Some(input.bytes.clone());
            } else if name.starts_with(b"socket:") {
                given.sockets += 1;
            }
        }
        arguments.sort();
        given.arguments =
            (!arguments.is_empty()).then(|| arguments.into_iter().map(|(_, argument)| argument).collect());
        given.world.environment = (!environment.is_empty()).then_some(environment);
        given
    }

    /// What the trace has that a schedule was made from; none if it is not there any more, or has nothing.
    pub(crate) fn behind(si: &Si) -> Option<Given> {
        let path = Path::new(&si.origin.trace);
        if si.origin.trace.is_empty() || !path.is_file() {
            return None;
        }
        let recorded = recorded_in(path)?;
        (!recorded.is_empty()).then(|| Given::of(&recorded))
    }
}

/// What a binary trace has of it, which stands before its events.
fn recorded_in(path: &Path) -> Option<Vec<RecordedInput>> {
    let mut stream = TraceStream::open(BufReader::new(File::open(path).ok()?)).ok()?;
    let mut recorded = Vec::new();
    loop {
        match stream.next_item().ok()? {
            Some(Item::Recorded(pieces)) => {
                for piece in pieces {
                    RecordedInput::add(&mut recorded, piece).ok()?;
                }
            }
            Some(Item::Tables | Item::Unknown(_)) => {}
            _ => return Some(recorded),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_goes_where_it_belongs() {
        let input = |name: &str, bytes: &str, whole| RecordedInput {
            name: name.as_bytes().to_vec(),
            bytes: bytes.as_bytes().to_vec(),
            whole,
        };
        let recorded = [
            input("arg:2", "b", true),
            input("arg:1", "", true),
            input("env:A", "x=y", true),
            input("stdin", "in", false),
            input("file:/f:g", "of f", true),
            input("socket:0", "?", true),
        ];
        let given = Given::of(&recorded);
        assert_eq!(given.arguments, Some(vec![OsString::new(), OsString::from("b")]));
        assert_eq!(given.world.environment, Some(vec![OsString::from("A=x=y")]));
        assert_eq!(given.world.stdin.as_deref(), Some(&b"in"[..]));
        assert_eq!(given.world.files[0].path, b"/f:g");
        assert_eq!((given.sockets, given.cut), (1, vec!["stdin".to_owned()]));
    }
}
