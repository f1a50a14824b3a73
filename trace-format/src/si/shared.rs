//! Which bytes a schedule takes as shared: accesses to others are not its steps.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

use crate::ids::StringId;
use crate::trace::Trace;

/// Bytes of a piece of storage, by its name: `table 8..16` in the file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SharedBytes {
    /// The storage's name, which it has in every run.
    pub object: String,
    /// Which of its bytes.
    pub bytes: Range<u64>,
}

impl SharedBytes {
    /// What a recorded run took as shared, by name; storage without one is left out.
    pub fn of_run(trace: &Trace) -> Vec<SharedBytes> {
        let tables = &trace.tables;
        let named = trace.sharing.iter().filter_map(|range| {
            let object = tables.objects().get(range.object.index())?;
            let bytes = range.offset..range.offset.checked_add(range.size)?;
            (object.name != StringId::EMPTY)
                .then(|| SharedBytes { object: tables.text(object.name).into_owned(), bytes })
        });
        let mut shared: Vec<SharedBytes> = named.collect();
        // What is written should not depend on the order of a table.
        shared.sort_unstable_by(|a, b| {
            (&a.object, a.bytes.start, a.bytes.end).cmp(&(&b.object, b.bytes.start, b.bytes.end))
        });
        shared.dedup();
        shared
    }
}

impl fmt::Display for SharedBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}..{}", self.object, self.bytes.start, self.bytes.end)
    }
}

/// A line that does not name shared bytes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` does not name shared bytes; write storage and bytes, like `table 8..16`")]
pub struct SharedError(pub String);

impl FromStr for SharedBytes {
    type Err = SharedError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parts = || {
            let (object, bytes) = text.rsplit_once(' ')?;
            let (start, end) = bytes.split_once("..")?;
            let bytes: Range<u64> = start.parse().ok()?..end.parse().ok()?;
            (bytes.start < bytes.end).then(|| SharedBytes { object: object.to_owned(), bytes })
        };
        parts().ok_or_else(|| SharedError(text.to_owned()))
    }
}

impl Serialize for SharedBytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for SharedBytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}
