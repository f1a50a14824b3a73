//! Accesses that become events although the agent made no steps of them: when a run has shown that a location is shared,
//! its own stream has every access to it already, in the order in which they happened.

use rustc_hash::FxHashMap;

use super::Lifter;
use crate::interpret::Cell;
use crate::stream::Definitions;

/// Accesses of one thread that become events at most. Who makes more has probably waited in vain for a change that only
/// another thread can make; a run that knows the location lets that one go on much earlier.
const MOST_PROMOTED: u32 = 20_000;

/// What became an event.
#[derive(Clone, Debug, Default)]
pub(super) struct Promoted {
    known: FxHashMap<Cell, bool>,
    /// How many accesses, by thread.
    counts: Vec<u32>,
    /// Would the run have had other steps?
    disorder: bool,
}

impl Promoted {
    /// Could a run have this trace that knew from the start what is shared?
    pub(super) fn is_faithful(&self) -> bool {
        !self.disorder && self.counts.iter().all(|&count| count <= MOST_PROMOTED)
    }
}

impl Lifter {
    /// Is an access to the location an event? `is_step`: the agent says so.
    pub(super) fn is_event(
        &mut self,
        definitions: &Definitions,
        t: usize,
        cell: Cell,
        is_step: bool,
    ) -> bool {
        if is_step || self.options.shared.is_none() {
            return is_step;
        }
        let is_shared = match self.promoted.known.get(&cell) {
            Some(&known) => known,
            None => {
                let name = self.cell_name(definitions, cell);
                let found = self.options.shared.as_ref().is_some_and(|shared| shared.contains(&name));
                self.promoted.known.insert(cell, found);
                found
            }
        };
        if is_shared {
            let counts = &mut self.promoted.counts;
            if counts.len() <= t {
                counts.resize(t + 1, 0);
            }
            counts[t] = counts[t].saturating_add(1);
            // With store buffers the agent would have made other steps: writes wait, or others wait for them, and fences
            // are steps only behind writes that it knew of.
            self.promoted.disorder |= self.buffers_writes();
        }
        is_shared
    }
}
