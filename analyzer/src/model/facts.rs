//! What is worked out from a forest as it stands, once, and kept until the forest changes.

use std::sync::{Arc, OnceLock};

use super::cells::Cells;
use super::forest::Forest;
use super::must::MustOrder;
use super::seats::Seats;

/// What has been worked out so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Facts {
    cells: OnceLock<Arc<Cells>>,
    must: OnceLock<Arc<MustOrder>>,
    saturated: OnceLock<Arc<MustOrder>>,
    seats: OnceLock<Arc<Seats>>,
}

impl Forest {
    /// Its storage, cut where accesses are.
    pub fn cells(&self) -> &Arc<Cells> {
        self.facts.cells.get_or_init(|| Arc::new(Cells::of(self)))
    }

    /// What program order, forks and joins say must happen before what.
    pub fn must_order(&self) -> &Arc<MustOrder> {
        self.facts.must.get_or_init(|| Arc::new(MustOrder::of(self)))
    }

    /// The must-order with what else is known to follow; `None` from `work_out` says that nothing is.
    pub(crate) fn saturated_order(
        &self,
        work_out: impl FnOnce(MustOrder) -> Option<MustOrder>,
    ) -> &Arc<MustOrder> {
        self.facts.saturated.get_or_init(|| {
            let base = self.must_order();
            work_out(MustOrder::clone(base)).map_or_else(|| Arc::clone(base), Arc::new)
        })
    }

    /// Which events share a place in time: see [`Seats`].
    pub fn seats(&self) -> &Arc<Seats> {
        self.facts.seats.get_or_init(|| {
            let mut seats = Arc::clone(&self.seats);
            if seats.events() < self.nodes().len() {
                Arc::make_mut(&mut seats).grow(self);
            }
            seats
        })
    }

    /// Forgets what was worked out: something about the forest is about to change.
    pub(crate) fn changes(&mut self) {
        self.facts = Facts::default();
    }
}
