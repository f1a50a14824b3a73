//! The clauses of locks and reads of a long formula, said as families: one term for a lock, one for a read
//! (`orders.apart` and `orders.latest` of `warpath_solvers::term`). A solver that knows them looks at those that it runs
//! into; for everybody else they are written out.

use warpath_solvers::term::{Op as TermOp, TermError, TermId};
use warpath_trace::event::RwMode;
use warpath_trace::header::MemoryModel;
use warpath_trace::ids::LocationId;

use super::lock::{Acquisition, Holdings};
use super::read::{Reads, Writes};
use super::{About, Constraint, Encoding, Options, OrderSort, Point};
use crate::model::{CellId, NodeId};

/// A constraint that stands for many.
#[derive(Clone, Copy, Debug)]
pub(super) struct Family {
    /// Which constraint it is.
    at: usize,
    of: Of,
}

#[derive(Clone, Copy, Debug)]
enum Of {
    /// No two hold it at once.
    Lock(LocationId),
    /// What is read is what was written last.
    Read { seat: NodeId, read: NodeId, cell: CellId },
}

impl Encoding<'_> {
    /// Is a formula of so many events long enough for families, and of the kind?
    pub(super) fn is_for_families(&self, size: usize) -> bool {
        let Options { families_from, model, orders, reductions, .. } = self.options;
        size >= families_from
            && model == MemoryModel::Sc
            && orders == OrderSort::Int
            && reductions.prune_writers
    }

    /// The sections of a lock as one term. `false` if some are shared, or end in several ways.
    pub(super) fn apart(&mut self, lock: LocationId, holdings: &Holdings) -> Result<bool, TermError> {
        let is_simple = |a: &Acquisition| {
            a.mode == RwMode::Write && a.releases.len() <= 1 && !self.forest.is_settled(a.node)
        };
        let [first, second, ..] = &holdings.acquisitions[..] else { return Ok(false) };
        if !self.has_families || !holdings.acquisitions.iter().all(is_simple) {
            return Ok(false);
        }
        let about = About::Lock(first.node, second.node);
        let mut args = Vec::with_capacity(4 * holdings.acquisitions.len());
        for a in &holdings.acquisitions {
            let from = self.moment_of(a.node)?;
            let release = a.releases.first().copied().filter(|release| self.takes_part[release.index()]);
            let (left, to) = match release {
                Some(release) => (self.en(release)?, self.moment_of(release)?),
                None => (self.terms.bool(false), from),
            };
            args.extend([self.en(a.node)?, from, left, to]);
        }
        let term = self.terms.apply(TermOp::Apart, &args)?;
        self.constrain_family(Of::Lock(lock), about, term);
        Ok(true)
    }

    /// Can what these reads see be said as one term?
    pub(super) fn is_latest(&self, reads: &Reads, writes: &[Writes]) -> bool {
        self.has_families
            && reads.events.len() == 1
            && writes
                .iter()
                .all(|writes| matches!(writes.events[..], [write] if !self.forest.is_settled(write)))
    }

    /// What a read sees is the latest write. Writes that are always overwritten before the read are not listed: what
    /// overwrites them is.
    pub(super) fn latest(
        &mut self,
        reads: &Reads,
        writes: &[Writes],
        candidates: &[Option<usize>],
    ) -> Result<(), TermError> {
        let (seat, cell) = (reads.seat, reads.cell);
        let first = self.rf.get(&(seat, cell, None)).copied();
        let mut args = vec![self.moment_of(seat)?, first.unwrap_or_else(|| self.terms.bool(false))];
        // A search that tries *false* first is left with the last: the nearest before the read, then.
        let moment = |seat: NodeId| self.observed(Point::Issue(seat));
        let read = moment(seat);
        let (mut earlier, mut later): (Vec<&Writes>, Vec<&Writes>) =
            candidates.iter().flatten().map(|&n| &writes[n]).partition(|writes| moment(writes.seat) < read);
        earlier.sort_unstable_by_key(|writes| moment(writes.seat));
        later.sort_unstable_by_key(|writes| std::cmp::Reverse(moment(writes.seat)));
        for &Writes { seat: write, ref events } in later.into_iter().chain(earlier) {
            let done = self.some_executed(events)?;
            args.extend([self.rf[&(seat, cell, Some(write))], done, self.moment_of(write)?]);
        }
        let term = self.terms.apply(TermOp::Latest, &args)?;
        let of = Of::Read { seat, read: reads.events[0], cell };
        self.constrain_family(of, About::Read(seat), term);
        Ok(())
    }

    fn constrain_family(&mut self, of: Of, about: About, term: TermId) {
        self.families.push(Family { at: self.constraints.len(), of });
        self.constraints.push(Constraint { about, term });
    }

    fn moment_of(&mut self, id: NodeId) -> Result<TermId, TermError> {
        self.o(self.seat_point(Point::Issue(id)))
    }

    /// The observed order, as a hint for who knows families.
    pub(super) fn usual(&mut self) -> Result<Option<Constraint>, TermError> {
        if self.families.is_empty() {
            return Ok(None);
        }
        let mut moments: Vec<_> =
            self.order_variables().map(|(point, term)| (self.observed(point), term)).collect();
        moments.sort_unstable();
        let Some(&((_, first), _)) = moments.first() else { return Ok(None) };
        let moments: Vec<TermId> = moments.into_iter().map(|(_, term)| term).collect();
        let term = self.terms.apply(TermOp::Usual, &moments)?;
        Ok(Some(Constraint { about: About::Order(first.node()), term }))
    }

    /// Writes all families out. Constraints that come from the order alone have to be asked for anew.
    pub(crate) fn write_out(&mut self) -> Result<(), TermError> {
        self.has_families = false;
        let mut families = std::mem::take(&mut self.families).into_iter().peekable();
        for (at, constraint) in std::mem::take(&mut self.constraints).into_iter().enumerate() {
            match families.next_if(|family| family.at == at) {
                None => self.constraints.push(constraint),
                Some(Family { of: Of::Lock(lock), .. }) => {
                    let holdings = self.holdings(lock);
                    self.exclusions(&holdings)?;
                }
                Some(Family { of: Of::Read { seat, read, cell }, .. }) => {
                    let reads = Reads { seat, events: vec![read], cell };
                    let writes = self.writes_before(&reads);
                    for candidate in self.candidates(&reads, &writes) {
                        self.sight(&reads, candidate, &writes)?;
                    }
                }
            }
        }
        Ok(())
    }
}
