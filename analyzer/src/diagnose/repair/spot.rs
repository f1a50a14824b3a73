//! Places in the source, which is where repairs are made: all executions of a line are meant.

use serde::{Deserialize, Serialize};

use crate::model::{Forest, NodeId};

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

impl Spot {
    /// Where an event is; `None` if its file and line are not known.
    pub fn of(forest: &Forest, id: NodeId) -> Option<Spot> {
        let node = forest.node(id);
        let (file, line) = file_and_line(&node.at)?;
        Some(Spot { file: file.to_owned(), line, function: node.function.clone() })
    }
}

/// `m.c:38:9` and `m.c:38` are line 38 of `m.c`.
fn file_and_line(place: &str) -> Option<(&str, u32)> {
    let (rest, last) = place.rsplit_once(':')?;
    let last: u32 = last.parse().ok()?;
    match rest.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse().ok()?))) {
        Some((file, line)) => Some((file, line)),
        None => Some((rest, last)),
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

impl Region {
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
        self.to - self.from + 1
    }
}
