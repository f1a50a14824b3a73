//! Threads and the keys that name them alike in every run.

use std::fmt;
use std::str::FromStr;

use bincode::{Decode, Encode};
use nom::Parser;
use nom::character::complete::{char, u32 as number};
use nom::combinator::all_consuming;
use nom::multi::many0;
use nom::sequence::preceded;

use crate::ids::{StringId, ThreadIx};

/// Names a thread by its ancestry: `T0` is the initial thread, `T0.2` the third thread it forked.
///
/// The key depends only on what the ancestors did, never on who ran first, so it means the same
/// thread in every run that takes the same path.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ThreadKey(Vec<u32>);

impl ThreadKey {
    /// The initial thread, `T0`.
    pub fn main() -> Self {
        ThreadKey(Vec::new())
    }

    /// The key of the thread that this one forks after `nth` earlier forks.
    pub fn child(&self, nth: u32) -> Self {
        let mut path = self.0.clone();
        path.push(nth);
        ThreadKey(path)
    }

    /// Parent key and how many threads the parent had forked before; `None` for the initial thread.
    pub fn parent(&self) -> Option<(ThreadKey, u32)> {
        let (&nth, rest) = self.0.split_last()?;
        Some((ThreadKey(rest.to_vec()), nth))
    }

    /// How many forks lie between the initial thread and this one.
    pub fn depth(&self) -> usize {
        self.0.len()
    }
}

impl fmt::Display for ThreadKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("T0")?;
        self.0.iter().try_for_each(|nth| write!(f, ".{nth}"))
    }
}

/// A text that is not a thread key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a thread key; write `T0` for the initial thread, `T0.1` for the second thread it forked"
)]
pub struct NotAThreadKey(pub String);

impl FromStr for ThreadKey {
    type Err = NotAThreadKey;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let step = preceded(char('.'), number::<&str, nom::error::Error<&str>>);
        let rest = text.strip_prefix("T0").ok_or_else(|| NotAThreadKey(text.to_owned()))?;
        match all_consuming(many0(step)).parse(rest) {
            Ok((_, path)) => Ok(ThreadKey(path)),
            Err(_) => Err(NotAThreadKey(text.to_owned())),
        }
    }
}

/// An entry of the thread table.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Encode, Decode)]
pub struct Thread {
    /// Who forked it, and how many threads that one had forked before; `None` for the initial thread.
    pub parent: Option<(ThreadIx, u32)>,
    /// Start routine, empty if not known.
    pub start: StringId,
    /// Argument of the start routine where it is concrete.
    pub argument: Option<u64>,
    /// The name the program gave it, empty if none.
    pub name: StringId,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_read_back_as_written() {
        for text in ["T0", "T0.0", "T0.1.4294967295"] {
            assert_eq!(text.parse::<ThreadKey>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn what_is_no_key_is_refused() {
        for text in ["", "T", "T1", "T0.", "T0..1", "T0.x", "T0.4294967296", "T0 "] {
            assert_eq!(text.parse::<ThreadKey>(), Err(NotAThreadKey(text.to_owned())));
        }
    }
}
