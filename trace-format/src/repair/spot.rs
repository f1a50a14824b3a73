//! Places in the source, which is where repairs are made: all executions of a line are meant.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A line of the program.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spot {
    /// The file, as the debug information has it.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The function; empty if not known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub function: String,
}

impl fmt::Display for Spot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// Lines of one function that belong together.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Region {
    /// The file.
    pub file: String,
    /// The function; empty if not known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub function: String,
    /// The first line.
    pub from: u32,
    /// The last line.
    pub to: u32,
}

impl fmt::Display for Region {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.from == self.to {
            true => write!(f, "{}:{}", self.file, self.from),
            false => write!(f, "{}:{}-{}", self.file, self.from, self.to),
        }
    }
}

impl Region {
    /// The one line.
    pub fn of(spot: &Spot) -> Region {
        Region { file: spot.file.clone(), function: spot.function.clone(), from: spot.line, to: spot.line }
    }

    /// The lines from the first of these spots to the last; `None` if they are of different functions, or none.
    pub fn around(spots: &[Spot]) -> Option<Region> {
        let first = spots.first()?;
        let alike = |spot: &Spot| spot.file == first.file && spot.function == first.function;
        spots.iter().all(alike).then(|| Region {
            file: first.file.clone(),
            function: first.function.clone(),
            from: spots.iter().map(|spot| spot.line).min().unwrap_or(0),
            to: spots.iter().map(|spot| spot.line).max().unwrap_or(0),
        })
    }

    /// Is the spot one of its lines?
    pub fn has(&self, spot: &Spot) -> bool {
        self.is_beside(spot) && (self.from..=self.to).contains(&spot.line)
    }

    /// Is the spot in the same function?
    pub fn is_beside(&self, spot: &Spot) -> bool {
        self.file == spot.file && self.function == spot.function
    }

    /// Have the two a line in common?
    pub fn overlaps(&self, other: &Region) -> bool {
        self.file == other.file
            && self.function == other.function
            && self.from <= other.to
            && other.from <= self.to
    }

    /// How many lines.
    pub fn lines(&self) -> u32 {
        self.to.saturating_sub(self.from).saturating_add(1)
    }
}
