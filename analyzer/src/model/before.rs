//! What went before a window of a trace, as far as no event of the window's forest says it.

use std::collections::HashSet;

use warpath_trace::ids::LocationId;

use super::forest::NodeId;

/// Facts about the events that a window leaves out. Empty for a forest of whole traces.
#[derive(Clone, Debug, Default)]
pub(crate) struct Before {
    /// Locations that had been written when the window began: what was to be set up there has been.
    pub(crate) written: HashSet<LocationId>,
    /// Reads on which a branch depends that may lie beyond the window.
    pub(crate) guarded: HashSet<NodeId>,
}
