//! **Read** `r` of cell `x`, with candidates `W`: `en(r) → ∨_w rf(w,r)`; `rf(w,r) → en(w) ∧ c(w) < o(r) ∧
//! R_r = val(w)`, and every other write comes before `w` or after `r`.
//!
//! It is said once for all reads that share a seat, and of the seats of writes: `rf` is between seats, and whoever takes
//! them reads and is read.
//!
//! Under TSO and PSO a thread sees its own youngest write before others do: while that has not been
//! committed, it is what the read finds.

use std::collections::BTreeMap;

use warpath_solvers::term::{Sort, TermError, TermId};

use super::{About, Encoding, Point};
use crate::model::{CellId, NodeId};

/// A write that a read may see.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source {
    /// The seat of the write; `None` is the initial value.
    pub(super) write: Option<NodeId>,
    /// What it leaves.
    pub(super) value: TermId,
    /// The read sees it.
    pub(super) rf: TermId,
}

/// The reads of a cell that share a seat.
pub(super) struct Reads {
    pub(super) seat: NodeId,
    pub(super) events: Vec<NodeId>,
    pub(super) cell: CellId,
}

/// Writes that share a seat, of those that can come before a read.
pub(super) struct Writes {
    pub(super) seat: NodeId,
    pub(super) events: Vec<NodeId>,
}

/// A read finds what a write left.
pub(crate) struct ReadFrom {
    pub(crate) read: NodeId,
    pub(crate) cell: CellId,
    pub(crate) write: NodeId,
    /// That it does, if the read is executed.
    pub(crate) holds: TermId,
}

impl Encoding<'_> {
    pub(super) fn read(&mut self, id: NodeId) -> Result<(), TermError> {
        if !self.value_matters[id.index()] {
            return Ok(());
        }
        let Some(location) = self.op(id).read_location() else { return Ok(()) };
        let seat = self.seat(id);
        let events = self.sharing(seat).into_iter().filter(|read| self.value_matters[read.index()]);
        let events: Vec<NodeId> = events.filter(|&read| !self.forest.is_settled(read)).collect();
        if events.first() != Some(&id) {
            return Ok(());
        }
        for cell in self.cells.row(location).to_vec() {
            self.read_cell(&Reads { seat, events: events.clone(), cell })?;
        }
        Ok(())
    }

    fn read_cell(&mut self, reads: &Reads) -> Result<(), TermError> {
        let (seat, cell) = (reads.seat, reads.cell);
        let writes = self.writes_before(reads);
        let candidates = self.candidates(reads, &writes);

        if let Some(value) = self.only_value(reads, &writes, &candidates)? {
            // Something encoded earlier may have named the value already.
            if let Some(named) = self.found.insert((seat, cell), value) {
                let equal = self.terms.eq(named, value)?;
                self.constrain(About::Read(seat), equal);
            }
            return Ok(());
        }

        let observed = self.observed_source(reads, &writes, &candidates);
        let is_latest = self.is_latest(reads, &writes);
        let mut sources = Vec::new();
        for &candidate in &candidates {
            let from = candidate.map(|n| writes[n].seat);
            let rf = self.read_from(seat, cell, from, from == observed)?;
            self.rf.insert((seat, cell, from), rf);
            if !is_latest {
                self.sight(reads, candidate, &writes)?;
            }
            match candidate {
                None => sources.push(Source { write: None, value: self.initial(cell)?, rf }),
                Some(n) => self.sources_of(&writes[n], cell, rf, &mut sources)?,
            }
        }
        if is_latest {
            self.latest(reads, &writes, &candidates)?;
        }
        let en = self.some_executed(&reads.events)?;
        let any: Vec<TermId> =
            candidates.iter().map(|n| self.rf[&(seat, cell, n.map(|n| writes[n].seat))]).collect();
        let any = self.terms.or(&any)?;
        self.require(About::Read(seat), en, any)?;
        self.sources.insert((seat, cell), sources);
        if let Some(&named) = self.found.get(&(seat, cell)) {
            self.tie(seat, cell, named)?;
        }
        Ok(())
    }

    /// `rf(w, r)` → the reads see this write.
    pub(super) fn sight(
        &mut self,
        reads: &Reads,
        candidate: Option<usize>,
        writes: &[Writes],
    ) -> Result<(), TermError> {
        let from = candidate.map(|n| writes[n].seat);
        let sees = self.sees(reads, candidate, writes)?;
        self.require(About::ReadFrom(reads.seat, from), self.rf[&(reads.seat, reads.cell, from)], sees)
    }

    /// Every write that can come before one of the reads, by seat: also one that is never seen hides others.
    pub(super) fn writes_before(&self, reads: &Reads) -> Vec<Writes> {
        let mut seats: BTreeMap<NodeId, Vec<NodeId>> = BTreeMap::new();
        for &write in self.accesses.writes(reads.cell) {
            if reads.events.iter().any(|&read| self.can_precede(write, read)) {
                seats.entry(self.seat(write)).or_default().push(write);
            }
        }
        // A write cannot come before a read to the left of it in its own row; an update does not see itself.
        let possible = seats.into_iter().filter(|&(write, _)| {
            write != reads.seat && !self.in_row(Point::Issue(reads.seat), Point::Issue(write))
        });
        possible.map(|(seat, events)| Writes { seat, events }).collect()
    }

    /// What a seat of writes leaves, by who takes it.
    fn sources_of(
        &mut self,
        writes: &Writes,
        cell: CellId,
        rf: TermId,
        sources: &mut Vec<Source>,
    ) -> Result<(), TermError> {
        let mut by_value: Vec<(TermId, Vec<NodeId>)> = Vec::new();
        for &write in &writes.events {
            let value = self.written(write, cell)?;
            match by_value.iter_mut().find(|(known, _)| *known == value) {
                Some((_, events)) => events.push(write),
                None => by_value.push((value, vec![write])),
            }
        }
        let several = by_value.len() > 1;
        for (value, events) in by_value {
            let rf = match several {
                true => {
                    let by_these = self.some_executed(&events)?;
                    self.terms.and(&[rf, by_these])?
                }
                false => rf,
            };
            sources.push(Source { write: Some(writes.seat), value, rf });
        }
        Ok(())
    }

    /// The value that the reads find in every execution, if it is always the same one's.
    fn only_value(
        &mut self,
        reads: &Reads,
        writes: &[Writes],
        candidates: &[Option<usize>],
    ) -> Result<Option<TermId>, TermError> {
        let &[only] = candidates else { return Ok(None) };
        if !self.options.reductions.substitute {
            return Ok(None);
        }
        let Some(only) = only else {
            return if writes.is_empty() { self.initial(reads.cell).map(Some) } else { Ok(None) };
        };
        let mut value = None;
        for &read in &reads.events {
            let seen = writes[only].events.iter().copied().find(|&write| self.must.before(write, read));
            let Some(seen) = seen else { return Ok(None) };
            let mut others = writes.iter().flat_map(|writes| &writes.events).copied();
            let is_seen = others.all(|other| {
                other == seen || !self.can_precede(other, read) || self.must.before(other, seen)
            });
            let left = self.written(seen, reads.cell)?;
            if !is_seen || value.is_some_and(|value| value != left) {
                return Ok(None);
            }
            value = Some(left);
        }
        Ok(value)
    }

    /// `rf(w, r)`. For the write that was seen it is the opposite of "sees something else", so that the solver's
    /// first guess is what was observed.
    fn read_from(
        &mut self,
        read: NodeId,
        cell: CellId,
        candidate: Option<NodeId>,
        observed: bool,
    ) -> Result<TermId, TermError> {
        let from = candidate.map_or_else(|| "initial".to_owned(), |write| self.forest.name(write));
        let to = self.forest.name(read);
        let offset = self.cells.cell(cell).offset;
        match observed && self.options.reductions.phase {
            true => {
                let other = self.terms.constant(&format!("other({from},{to},{offset})"), Sort::Bool)?;
                self.terms.not(other)
            }
            false => self.terms.constant(&format!("rf({from},{to},{offset})"), Sort::Bool),
        }
    }

    /// The seat of the write that came last before the latest of the reads, when both were first observed.
    fn observed_source(
        &self,
        reads: &Reads,
        writes: &[Writes],
        candidates: &[Option<usize>],
    ) -> Option<NodeId> {
        let moment = |id: NodeId| self.forest.node(id).observed;
        let seen = |read: &NodeId| moment(*read) != u32::MAX;
        let read = reads.events.iter().copied().filter(seen).max_by_key(|&read| moment(read));
        let read = read.unwrap_or(reads.events[0]);
        let candidates = candidates
            .iter()
            .flatten()
            .flat_map(|&n| writes[n].events.iter().map(move |&write| (moment(write), writes[n].seat)));
        candidates.filter(|&(at, _)| at < moment(read)).max().map(|(_, seat)| seat)
    }

    /// The conditions under which the reads see this write.
    fn sees(
        &mut self,
        reads: &Reads,
        candidate: Option<usize>,
        writes: &[Writes],
    ) -> Result<TermId, TermError> {
        let moment = Point::Issue(reads.seat);
        let mut from_memory = Vec::new();
        if let Some(n) = candidate {
            from_memory.push(self.some_executed(&writes[n].events)?);
            from_memory.push(self.seats_before(self.effect(writes[n].seat), moment)?);
        }
        for (n, other) in writes.iter().enumerate().filter(|&(n, _)| Some(n) != candidate) {
            // Two writes on different branches of one thread are never both executed.
            let both = candidate.is_none_or(|candidate| self.can_both(&writes[candidate], &writes[n]));
            if both {
                let candidate = candidate.map(|candidate| writes[candidate].seat);
                from_memory.push(self.hidden(other, candidate, reads.seat)?);
            }
        }
        let from_memory = self.terms.and(&from_memory)?;
        self.past_own_buffer(reads, candidate.map(|n| writes[n].seat), writes, from_memory)
    }

    /// While the own youngest write is still in the buffer, memory is not looked at.
    fn past_own_buffer(
        &mut self,
        reads: &Reads,
        candidate: Option<NodeId>,
        writes: &[Writes],
        from_memory: TermId,
    ) -> Result<TermId, TermError> {
        let moment = Point::Issue(reads.seat);
        let mut by_own: BTreeMap<Option<NodeId>, Vec<NodeId>> = BTreeMap::new();
        for &read in &reads.events {
            let own = self.own_youngest(read, writes).filter(|&own| self.is_buffered(own));
            by_own.entry(own.map(|own| self.seat(own))).or_default().push(read);
        }
        let several = by_own.len() > 1;
        let mut parts = Vec::new();
        for (own, events) in by_own {
            let sees = match own {
                None => from_memory,
                Some(own) if Some(own) == candidate => {
                    let buffered = self.seats_before(moment, Point::Commit(own))?;
                    self.terms.or(&[buffered, from_memory])?
                }
                Some(own) => {
                    let left = self.seats_before(Point::Commit(own), moment)?;
                    self.terms.and(&[left, from_memory])?
                }
            };
            parts.push(match several {
                true => {
                    let en = self.some_executed(&events)?;
                    self.terms.implies(en, sees)?
                }
                false => sees,
            });
        }
        self.terms.and(&parts)
    }

    /// `en(w') → c(w') < c(w) ∨ o(r) < c(w')`.
    fn hidden(
        &mut self,
        other: &Writes,
        candidate: Option<NodeId>,
        read: NodeId,
    ) -> Result<TermId, TermError> {
        let en = self.some_executed(&other.events)?;
        let mut ways = vec![self.terms.not(en)?];
        if let Some(write) = candidate {
            ways.push(self.seats_before(self.effect(other.seat), self.effect(write))?);
        }
        ways.push(self.seats_before(Point::Issue(read), self.effect(other.seat))?);
        self.terms.or(&ways)
    }

    /// Can the write take effect before the read happens?
    fn can_precede(&self, write: NodeId, read: NodeId) -> bool {
        write != read && self.must.compatible(write, read) && !self.must.before(read, write)
    }

    /// Can events of both seats be executed?
    fn can_both(&self, a: &Writes, b: &Writes) -> bool {
        a.events.iter().any(|&a| b.events.iter().any(|&b| self.must.compatible(a, b)))
    }

    /// What the reads may see, by position among the writes: those that can precede one of them and the initial
    /// value, without those that are always overwritten first.
    pub(super) fn candidates(&self, reads: &Reads, writes: &[Writes]) -> Vec<Option<usize>> {
        let prune = self.options.reductions.prune_writers;
        let mut is_initial = !prune;
        let mut is_seen = vec![!prune; writes.len()];
        for &read in reads.events.iter().filter(|_| prune) {
            let last = self.last_before(reads.cell, read);
            is_initial |= last.is_empty();
            for (n, writes) in writes.iter().enumerate() {
                is_seen[n] = is_seen[n]
                    || writes.events.iter().any(|&write| {
                        self.can_precede(write, read)
                            && !last.iter().any(|&last| last != write && self.must.before(write, last))
                    });
            }
        }
        let seen = (0..writes.len()).filter(|&n| is_seen[n]).map(Some);
        is_initial.then_some(None).into_iter().chain(seen).collect()
    }

    /// Of each thread, the last write to the cell that must come before the read.
    fn last_before(&self, cell: CellId, read: NodeId) -> Vec<NodeId> {
        let writes = |&id: &NodeId| {
            let written = self.op(id).written().map_or(&[][..], |(location, _)| self.cells.row(location));
            id != read && self.takes_part[id.index()] && written.contains(&cell)
        };
        let trees = self.forest.trees();
        let last = trees.filter_map(|tree| self.must.last_of(tree, read));
        last.filter_map(|last| self.forest.path_up(last).find(writes)).collect()
    }

    /// The last write to the cell by the reading thread itself, on the way to the read.
    fn own_youngest(&self, read: NodeId, writes: &[Writes]) -> Option<NodeId> {
        let writes = writes.iter().flat_map(|writes| &writes.events).copied();
        writes
            .filter(|&write| write != read && self.must.is_above(write, read))
            .max_by_key(|&write| self.forest.node(write).depth)
    }

    /// Every way for a read to find what a write left.
    pub(crate) fn reads_from(&mut self) -> Result<Vec<ReadFrom>, TermError> {
        let mut all = Vec::new();
        let seats: Vec<_> = self.rf.iter().map(|(&key, &rf)| (key, rf)).collect();
        for ((reads, cell, writes), rf) in seats {
            let Some(writes) = writes else { continue };
            let (reads, writes) = (self.sharing(reads), self.sharing(writes));
            for &write in &writes {
                let holds = match writes.len() {
                    1 => rf,
                    _ => {
                        let en = self.en(write)?;
                        self.terms.and(&[en, rf])?
                    }
                };
                let here = reads.iter().copied().filter(|&read| self.can_precede(write, read));
                all.extend(here.map(|read| ReadFrom { read, cell, write, holds }));
            }
        }
        Ok(all)
    }
}
