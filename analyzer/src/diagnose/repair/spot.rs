//! Where events are in the source.

use warpath_trace::repair::Spot;

use crate::model::{Forest, NodeId};

/// Where an event is; `None` if its file and line are not known.
pub fn spot_of(forest: &Forest, id: NodeId) -> Option<Spot> {
    let node = forest.node(id);
    let (file, line) = file_and_line(&node.at)?;
    Some(Spot { file: file.to_owned(), line, function: node.function.clone() })
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
