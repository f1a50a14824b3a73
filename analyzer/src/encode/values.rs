//! Values of reads and writes as terms.

use warpath_solvers::term::{Op as TermOp, Sort, TermError, TermId};
use warpath_trace::event::Datum;
use warpath_trace::expr::{Leaf, Node as Expr};
use warpath_trace::ids::{ExprId, LocationId};

use super::{About, Encoding};
use crate::lower::{self, Lowered};
use crate::model::{CellId, NodeId, part};

impl Encoding<'_> {
    /// The term for an expression of the forest.
    pub(crate) fn expr(&mut self, root: ExprId) -> Result<TermId, TermError> {
        let forest = self.forest;
        let mut stack = vec![root];
        while let Some(&id) = stack.last() {
            if self.lowered.contains_key(&id) {
                stack.pop();
                continue;
            }
            let node = forest.exprs.node(id);
            let waiting = stack.len();
            stack.extend(node.operands().filter(|operand| !self.lowered.contains_key(operand)));
            if stack.len() > waiting {
                continue;
            }
            let term = match node.leaf() {
                Some(Leaf::Input(input)) => self.input(input.0)?,
                Some(Leaf::Read(_, event)) => {
                    let read = NodeId(event);
                    let location = self.op(read).read_location();
                    let location = location.expect("expressions refer to reads, as the trace's check says");
                    self.found_whole(read, location)?
                }
                None => self.operation(node)?,
            };
            self.lowered.insert(id, term);
            stack.pop();
        }
        Ok(self.lowered[&root])
    }

    fn operation(&mut self, node: Expr) -> Result<TermId, TermError> {
        let operands: Vec<TermId> = node.operands().map(|operand| self.lowered[&operand]).collect();
        match lower::operation(&self.forest.exprs, node) {
            Lowered::Bool(value) => Ok(self.terms.bool(value)),
            Lowered::Bits(value, width) => self.terms.bits(value, width),
            Lowered::Apply(op) => self.terms.apply(op, &operands),
        }
    }

    /// The value of an input.
    pub fn input(&mut self, input: u32) -> Result<TermId, TermError> {
        let var = &self.forest.inputs()[input as usize];
        if let Some(value) = self.forest.fixed_input(var) {
            return self.terms.bits(value, var.width.into());
        }
        let name = format!("input({}#{})", var.name, var.nth);
        self.terms.constant(&name, Sort::Bits(var.width.into()))
    }

    /// The value that a write leaves in one cell of its location.
    pub(super) fn written(&mut self, write: NodeId, cell: CellId) -> Result<TermId, TermError> {
        let (location, datum) = self.op(write).written().expect("a write writes");
        let offset = self.cells.cell(cell).offset - self.forest.places.location(location).offset;
        let size = self.cells.cell(cell).size;
        match datum {
            Datum { value, expr: None } => self.terms.bits(part(value, offset, size.into()), 8 * size),
            Datum { expr: Some(expr), .. } => {
                let whole = self.expr(expr)?;
                let (low, high) = (8 * offset as u16, (8 * (offset as u32 + size) - 1) as u16);
                match self.terms.sort(whole) {
                    Sort::Bits(width) if width == 8 * size => Ok(whole),
                    _ => self.terms.apply(TermOp::Extract { high, low }, &[whole]),
                }
            }
        }
    }

    /// The value before the first write.
    pub(super) fn initial(&mut self, cell: CellId) -> Result<TermId, TermError> {
        let entry = self.cells.cell(cell);
        match entry.initial {
            Some(value) => self.terms.bits(value, entry.width()),
            None => {
                let (name, width) = (self.initial_name(cell), entry.width());
                self.terms.constant(&name, Sort::Bits(width))
            }
        }
    }

    /// The name of an initial value that no trace knew.
    pub(crate) fn initial_name(&self, cell: CellId) -> String {
        let entry = self.cells.cell(cell);
        format!("initial({}:{}+{}:{})", entry.name, entry.object.0, entry.offset, entry.size)
    }

    /// `R_r` for one cell.
    pub(super) fn found(&mut self, read: NodeId, cell: CellId) -> Result<TermId, TermError> {
        let read = self.seat(read);
        if let Some(&term) = self.found.get(&(read, cell)) {
            return Ok(term);
        }
        let term = self.unknown(read, cell)?;
        self.found.insert((read, cell), term);
        self.tie(read, cell, term)?;
        Ok(term)
    }

    /// A value that is not known, written as the difference from what was observed: where all bits are 0, as
    /// solvers try first, it is that. Bits that it cannot have are none of its own.
    fn unknown(&mut self, read: NodeId, cell: CellId) -> Result<TermId, TermError> {
        let entry = self.cells.cell(cell);
        let (offset, size, width) = (entry.offset, entry.size, entry.width());
        let narrow = self.ranges.narrow(cell, width);
        let bits = narrow.map_or(width, |narrow| narrow.bits);
        let name = match narrow {
            Some(_) => format!("({},{offset}:{size},{bits})", self.forest.name(read)),
            None => format!("({},{offset}:{size})", self.forest.name(read)),
        };
        let seen = self.forest.node(read).found.filter(|_| self.options.reductions.phase);
        let location = self.op(read).read_location();
        let value = match seen.zip(location) {
            Some((seen, location)) => {
                let start = self.forest.places.location(location).offset;
                let difference = self.terms.constant(&format!("D{name}"), Sort::Bits(bits))?;
                let seen = part(seen, offset - start, size.into()) & (u128::MAX >> (128 - bits));
                let seen = self.terms.bits(seen, bits)?;
                self.terms.apply(TermOp::BvXor, &[difference, seen])?
            }
            None => self.terms.constant(&format!("R{name}"), Sort::Bits(bits))?,
        };
        match narrow {
            Some(narrow) => self.terms.apply(narrow.widen, &[value]),
            None => Ok(value),
        }
    }

    /// `rf(w,r) → R_r = val(w)`, as far as the sources are known; the read itself does it when they become so.
    pub(super) fn tie(&mut self, read: NodeId, cell: CellId, found: TermId) -> Result<(), TermError> {
        for source in self.sources.get(&(read, cell)).cloned().unwrap_or_default() {
            let equal = self.terms.eq(found, source.value)?;
            self.require(About::ReadFrom(read, source.write), source.rf, equal)?;
        }
        Ok(())
    }

    /// `R_r`: the cells put together, the first byte lowest.
    pub(crate) fn found_whole(&mut self, read: NodeId, location: LocationId) -> Result<TermId, TermError> {
        let mut whole: Option<TermId> = None;
        for cell in self.cells.row(location).to_vec() {
            let part = self.found(read, cell)?;
            whole = Some(match whole {
                Some(low) => self.terms.apply(TermOp::Concat, &[part, low])?,
                None => part,
            });
        }
        Ok(whole.expect("a location that is read has cells"))
    }

    /// `R_r = value`, by choosing among the writes of that value where that can be told.
    pub(super) fn found_is(
        &mut self,
        read: NodeId,
        location: LocationId,
        value: u128,
    ) -> Result<TermId, TermError> {
        let mut parts = Vec::new();
        let start = self.forest.places.location(location).offset;
        for cell in self.cells.row(location).to_vec() {
            let entry = self.cells.cell(cell);
            let (offset, size, width) = (entry.offset - start, entry.size, entry.width());
            let wanted = self.terms.bits(part(value, offset, size.into()), width)?;
            parts.push(match self.filtered(read, cell, wanted)? {
                Some(term) => term,
                None => {
                    let found = self.found(read, cell)?;
                    self.terms.eq(found, wanted)?
                }
            });
        }
        self.terms.and(&parts)
    }

    /// `∨ rf(w, r)` over the writes of that value; `None` if some value is not known.
    fn filtered(&mut self, read: NodeId, cell: CellId, wanted: TermId) -> Result<Option<TermId>, TermError> {
        let read = self.seat(read);
        if !self.options.reductions.filter_pinned || self.found.contains_key(&(read, cell)) {
            return Ok(None);
        }
        let Some(sources) = self.sources.get(&(read, cell)) else { return Ok(None) };
        if sources.iter().any(|source| self.terms.as_literal(source.value).is_none()) {
            return Ok(None);
        }
        let fitting: Vec<TermId> =
            sources.iter().filter(|source| source.value == wanted).map(|source| source.rf).collect();
        self.terms.or(&fitting).map(Some)
    }
}
