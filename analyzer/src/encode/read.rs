//! **Read** `r` of cell `x`, with candidates `W`: `en(r) → ∨_w rf(w,r)`; `rf(w,r) → en(w) ∧ c(w) < o(r) ∧
//! R_r = val(w)`, and every other write comes before `w` or after `r`.
//!
//! Under TSO and PSO a thread sees its own youngest write before others do: while that has not been
//! committed, it is what the read finds.

use warpath_solvers::term::{Sort, TermError, TermId};

use super::{About, Encoding, Point};
use crate::model::{CellId, NodeId};

/// A write that a read may see.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source {
    /// The write; `None` is the initial value.
    pub(super) write: Option<NodeId>,
    /// What it leaves.
    pub(super) value: TermId,
    /// The read sees it.
    pub(super) rf: TermId,
}

impl Encoding<'_> {
    pub(super) fn read(&mut self, id: NodeId) -> Result<(), TermError> {
        if !self.value_matters[id.index()] {
            return Ok(());
        }
        let Some(location) = self.op(id).read_location() else { return Ok(()) };
        for cell in self.cells.row(location).to_vec() {
            self.read_cell(id, cell)?;
        }
        Ok(())
    }

    fn read_cell(&mut self, read: NodeId, cell: CellId) -> Result<(), TermError> {
        // Every write that can come before the read: also one that it can never see hides others.
        let writes: Vec<NodeId> = self
            .accesses
            .writes(cell)
            .iter()
            .copied()
            .filter(|&write| self.can_precede(write, read))
            .collect();
        let candidates = self.candidates(read, &writes);

        if self.options.reductions.substitute
            && let [only] = candidates[..]
            && writes.iter().all(|&write| Some(write) == only || self.is_hidden(write, only))
            && only.is_none_or(|write| self.must.before(write, read))
        {
            let value = match only {
                Some(write) => self.written(write, cell)?,
                None => self.initial(cell)?,
            };
            // Something encoded earlier may have named the value already.
            if let Some(named) = self.found.insert((read, cell), value) {
                let equal = self.terms.eq(named, value)?;
                self.constrain(About::Read(read), equal);
            }
            return Ok(());
        }

        let own = self.own_youngest(read, &writes);
        let observed = self.observed_source(read, &candidates);
        let mut sources = Vec::new();
        for &candidate in &candidates {
            let value = match candidate {
                Some(write) => self.written(write, cell)?,
                None => self.initial(cell)?,
            };
            let rf = self.read_from(read, cell, candidate, candidate == observed)?;
            let sees = self.sees(read, candidate, &writes, own)?;
            self.require(About::ReadFrom(read, candidate), rf, sees)?;
            self.rf.insert((read, cell, candidate), rf);
            sources.push(Source { write: candidate, value, rf });
        }
        let en = self.en(read)?;
        let any: Vec<TermId> = sources.iter().map(|source| source.rf).collect();
        let any = self.terms.or(&any)?;
        self.require(About::Read(read), en, any)?;
        self.sources.insert((read, cell), sources);
        if let Some(&named) = self.found.get(&(read, cell)) {
            self.tie(read, cell, named)?;
        }
        Ok(())
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

    /// The candidate that was written last before the read, when both were last observed.
    fn observed_source(&self, read: NodeId, candidates: &[Option<NodeId>]) -> Option<NodeId> {
        let moment = |id: NodeId| self.forest.node(id).observed;
        let before = candidates.iter().flatten().copied().filter(|&write| moment(write) < moment(read));
        before.max_by_key(|&write| moment(write))
    }

    /// The conditions under which the read sees this write.
    fn sees(
        &mut self,
        read: NodeId,
        candidate: Option<NodeId>,
        writes: &[NodeId],
        own: Option<NodeId>,
    ) -> Result<TermId, TermError> {
        let moment = Point::Issue(read);
        let mut from_memory = Vec::new();
        if let Some(write) = candidate {
            from_memory.push(self.en(write)?);
            from_memory.push(self.before(self.effect(write), moment)?);
        }
        // While the own youngest write is still in the buffer, memory is not looked at.
        if let Some(own) = own.filter(|&own| Some(own) != candidate) {
            from_memory.push(self.before(self.effect(own), moment)?);
        }
        for &other in writes.iter().filter(|&&other| Some(other) != candidate) {
            // Two writes on different branches of one thread are never both executed.
            if candidate.is_none_or(|write| self.must.compatible(other, write)) {
                from_memory.push(self.hidden(other, candidate, read)?);
            }
        }
        let from_memory = self.terms.and(&from_memory)?;
        match candidate {
            Some(write) if own == Some(write) && self.is_buffered(write) => {
                let buffered = self.before(moment, Point::Commit(write))?;
                self.terms.or(&[buffered, from_memory])
            }
            _ => Ok(from_memory),
        }
    }

    /// `en(w') → c(w') < c(w) ∨ o(r) < c(w')`.
    fn hidden(
        &mut self,
        other: NodeId,
        candidate: Option<NodeId>,
        read: NodeId,
    ) -> Result<TermId, TermError> {
        let en = self.en(other)?;
        let mut ways = vec![self.terms.not(en)?];
        if let Some(write) = candidate {
            ways.push(self.before(self.effect(other), self.effect(write))?);
        }
        ways.push(self.before(Point::Issue(read), self.effect(other))?);
        self.terms.or(&ways)
    }

    /// Can the write take effect before the read happens?
    fn can_precede(&self, write: NodeId, read: NodeId) -> bool {
        write != read && self.must.compatible(write, read) && !self.must.before(read, write)
    }

    /// What the read may see: the writes that can precede it and the initial value, without those that are
    /// always overwritten first.
    fn candidates(&self, read: NodeId, writes: &[NodeId]) -> Vec<Option<NodeId>> {
        let prune = self.options.reductions.prune_writers;
        let overwritten = |write: NodeId| {
            prune
                && writes.iter().any(|&other| {
                    other != write && self.must.before(write, other) && self.must.before(other, read)
                })
        };
        let never_initial = prune && writes.iter().any(|&write| self.must.before(write, read));
        let initial = (!never_initial).then_some(None);
        let seen = writes.iter().copied().filter(|&write| !overwritten(write)).map(Some);
        initial.into_iter().chain(seen).collect()
    }

    /// Is the other write certainly not between the candidate and the read?
    fn is_hidden(&self, other: NodeId, candidate: Option<NodeId>) -> bool {
        candidate.is_some_and(|candidate| self.must.before(other, candidate))
    }

    /// The last write to the cell by the reading thread itself, on the way to the read.
    fn own_youngest(&self, read: NodeId, writes: &[NodeId]) -> Option<NodeId> {
        writes
            .iter()
            .copied()
            .filter(|&write| self.must.is_above(write, read))
            .max_by_key(|&write| self.forest.node(write).depth)
    }
}
