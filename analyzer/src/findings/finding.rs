//! A violation that is possible, with all that it takes to understand it and to make it happen.

use serde::Serialize;
use warpath_trace::event::Op;
use warpath_trace::si::Si;

use super::property::{Kind, Property};
use crate::model::{Forest, NodeId};
use crate::queries::Manifest;

/// An event that a finding is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Involved {
    /// The event.
    #[serde(skip)]
    pub node: NodeId,
    /// The part it plays: `writes x`, `waits for lock b`.
    pub role: String,
    /// The thread's key.
    pub thread: String,
    /// The event's name: thread key and position within the thread.
    pub event: String,
    /// Where in the program; the event's name where that is not known.
    pub place: String,
}

impl Involved {
    pub(super) fn new(forest: &Forest, id: NodeId, role: impl Into<String>) -> Involved {
        Involved {
            node: id,
            role: role.into(),
            thread: forest.key(forest.node(id).tree).to_string(),
            event: forest.name(id),
            place: forest.place(id),
        }
    }
}

/// What an access does to storage.
pub(super) fn verb(op: &Op) -> &'static str {
    match op {
        Op::Write { .. } | Op::AtomicWrite { .. } => "write",
        Op::Rmw { .. } => "update",
        _ => "read",
    }
}

impl Finding {
    /// What makes it the same as another: its kind and the places of its events, sorted.
    pub fn key(&self) -> (Kind, Vec<String>) {
        let mut places: Vec<String> = self.events.iter().map(|event| event.place.clone()).collect();
        places.sort_unstable();
        (self.kind, places)
    }
}

/// A violation that is possible. It is *predicted*: the reference interpreter has executed its schedule on the
/// forest, but no program has run it yet.
#[derive(Clone, Debug, Serialize)]
pub struct Finding {
    /// The property violated.
    pub property: Property,
    /// What was found.
    pub kind: Kind,
    /// The storage it is about, if it is about one.
    pub storage: Option<String>,
    /// One line: what and where.
    pub summary: String,
    /// One line: why it is possible.
    pub reason: String,
    /// The events it is about.
    pub events: Vec<Involved>,
    /// The schedule and the inputs that make it happen.
    pub si: Si,
    /// The question that it answers, as a script; empty without [`CheckOptions::scripts`](super::CheckOptions).
    #[serde(skip)]
    pub script: String,
    /// What the script asks and what its symbols mean.
    #[serde(skip)]
    pub manifest: Option<Manifest>,
}
