//! Who has arrived at barriers and not left.

use std::collections::BTreeMap;

use warpath_trace::ids::{LocationId, ThreadIx};

use super::Settled;

#[derive(Clone, Copy, Debug)]
struct Arrival {
    event: Settled,
    left: bool,
}

/// Rounds that are not over, by barrier; only the last one of each may be incomplete. A round that all have left
/// can be forgotten wherever it stands: what counts are arrivals modulo the size of a round.
#[derive(Debug, Default)]
pub(in crate::window) struct Barriers {
    rounds: BTreeMap<LocationId, Vec<Vec<Arrival>>>,
    parties: BTreeMap<LocationId, usize>,
}

impl Barriers {
    pub(super) fn arrive(&mut self, barrier: LocationId, parties: usize, event: Settled) {
        self.parties.insert(barrier, parties);
        let rounds = self.rounds.entry(barrier).or_default();
        let arrival = Arrival { event, left: false };
        match rounds.last_mut().filter(|round| round.len() < parties) {
            Some(round) => round.push(arrival),
            None => rounds.push(vec![arrival]),
        }
    }

    pub(super) fn leave(&mut self, barrier: LocationId, thread: ThreadIx) {
        let Some(rounds) = self.rounds.get_mut(&barrier) else { return };
        let parties = self.parties.get(&barrier).copied().unwrap_or(1);
        let mut arrivals = rounds.iter_mut().flatten().rev();
        if let Some(own) = arrivals.find(|arrival| arrival.event.thread == thread && !arrival.left) {
            own.left = true;
        }
        rounds.retain(|round| round.len() < parties || round.iter().any(|arrival| !arrival.left));
    }

    /// The arrivals of rounds that are not over.
    pub(in crate::window) fn at(&self, barrier: LocationId) -> impl Iterator<Item = Settled> + '_ {
        let rounds = self.rounds.get(&barrier).map_or(&[][..], |rounds| rounds);
        rounds.iter().flatten().map(|arrival| arrival.event)
    }
}
