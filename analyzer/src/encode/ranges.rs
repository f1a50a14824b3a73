//! What cells can hold: a range for each, by what is written to them. A search that asks for a value which no sum can
//! come to would otherwise follow every chain of reads and writes to its end.
//!
//! Written is a constant, an input, or what a cell held with a constant added: so cells are a graph. What goes round in
//! it grows with each write that it passes, but no write happens twice, and what a write leaves comes from what happened
//! before it. So what a component of the graph can hold is what comes into it, and all that its writes can add. That
//! nothing overflows on the way is part of the claim: where it could, anything is possible, as it is with any other
//! operation.

use std::collections::HashMap;

use warpath_solvers::term::Op as TermOp;
use warpath_trace::event::Datum;
use warpath_trace::expr::{BinaryOp, ExprPool, Node as Expr};
use warpath_trace::ids::ExprId;

use super::accesses::Accesses;
use super::components::components;
use super::cone::Cone;
use crate::model::{CellId, Cells, Forest, NodeId, part};

/// Numbers from `low` to `high`. A bit-vector is read as a signed number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Range {
    low: i128,
    high: i128,
}

impl Range {
    const ZERO: Range = Range { low: 0, high: 0 };

    fn only(value: u128, width: u32) -> Range {
        let unused = 128 - width.clamp(1, 128);
        let value = ((value << unused) as i128) >> unused;
        Range { low: value, high: value }
    }

    /// All numbers of a width.
    fn full(width: u32) -> Range {
        let high = i128::MAX >> (128 - width.clamp(1, 128));
        Range { low: -high - 1, high }
    }

    fn hull(self, other: Range) -> Range {
        Range { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// The sums; `None` if they are too large for us.
    fn plus(self, other: Range) -> Option<Range> {
        Some(Range { low: self.low.checked_add(other.low)?, high: self.high.checked_add(other.high)? })
    }

    fn negated(self) -> Option<Range> {
        Some(Range { low: self.high.checked_neg()?, high: self.low.checked_neg()? })
    }

    fn is_within(self, other: Range) -> bool {
        other.low <= self.low && self.high <= other.high
    }

    /// How many bits such a number needs, a sign among them if it can be negative.
    fn bits(self) -> u32 {
        let above = |value: i128| 128 - value.leading_zeros();
        match self.low < 0 {
            true => above(self.high.max(!self.low).max(0)) + 1,
            false => above(self.high),
        }
    }
}

/// What an expression can be: a number that comes from nowhere else, or what a cell held with something added.
#[derive(Clone, Debug, Default)]
struct Sum {
    fixed: Option<Range>,
    moved: Vec<(CellId, Range)>,
}

impl Sum {
    fn fixed(range: Range) -> Sum {
        Sum { fixed: Some(range), moved: Vec::new() }
    }

    /// Something is added to all of it.
    fn plus(&self, more: Range) -> Option<Sum> {
        let fixed = match self.fixed {
            Some(range) => Some(range.plus(more)?),
            None => None,
        };
        let moved = self.moved.iter().map(|&(cell, by)| Some((cell, by.plus(more)?)));
        Some(Sum { fixed, moved: moved.collect::<Option<_>>()? })
    }

    fn or(mut self, other: &Sum) -> Sum {
        self.fixed = match (self.fixed, other.fixed) {
            (Some(a), Some(b)) => Some(a.hull(b)),
            (a, b) => a.or(b),
        };
        for &(cell, by) in &other.moved {
            match self.moved.iter_mut().find(|(known, _)| *known == cell) {
                Some((_, known)) => *known = known.hull(by),
                None => self.moved.push((cell, by)),
            }
        }
        self
    }

    /// The range, if it comes from no cell.
    fn alone(&self) -> Option<Range> {
        self.fixed.filter(|_| self.moved.is_empty())
    }
}

/// What cells can hold.
#[derive(Clone, Debug, Default)]
pub(super) struct Ranges {
    /// By cell; nothing where nothing was looked at.
    of_cell: Vec<Range>,
}

impl Ranges {
    /// What is written to these cells in the part of the forest that takes part.
    pub(super) fn of(forest: &Forest, cells: &Cells, accesses: &Accesses, cone: &Cone) -> Ranges {
        let mut sums = Sums { forest, cells, cone, known: HashMap::new() };
        let written: Vec<Vec<Sum>> = (0..cells.all().len())
            .map(|at| {
                let cell = CellId(at as u32);
                accesses.writes(cell).iter().map(|&write| sums.written(write, cell)).collect()
            })
            .collect();
        let before = cells.all().iter().map(|cell| match cell.initial {
            Some(value) => Range::only(value, cell.width()),
            None => Range::full(cell.width()),
        });
        let widths: Vec<u32> = cells.all().iter().map(|cell| cell.width()).collect();
        Ranges { of_cell: hold(&widths, &before.collect::<Vec<_>>(), &written) }
    }
}

/// What each cell can hold, of some width and with something in it at first, if this is written to them.
fn hold(widths: &[u32], before: &[Range], written: &[Vec<Sum>]) -> Vec<Range> {
    let full = |at: usize| Range::full(widths[at]);
    let sources: Vec<Vec<usize>> = written
        .iter()
        .map(|writes| writes.iter().flat_map(|sum| &sum.moved).map(|(cell, _)| cell.0 as usize).collect())
        .collect();
    let component = components(written.len(), |at, nth| sources[at].get(nth).copied());
    let mut by_component: Vec<usize> = (0..written.len()).collect();
    by_component.sort_by_key(|&at| component[at]);
    let mut held: Vec<Range> = (0..written.len()).map(full).collect();
    for members in by_component.chunk_by(|&a, &b| component[a] == component[b]) {
        let narrowest =
            members.iter().map(|&at| full(at)).min_by_key(|range| range.high).unwrap_or(Range::ZERO);
        let inside = |cell: &CellId| component[cell.0 as usize] == component[members[0]];
        let mut comes: Option<Range> = None;
        let mut grows = Some(Range::ZERO);
        for &at in members {
            let mut enters = |range: Range| comes = Some(comes.map_or(range, |known| known.hull(range)));
            enters(before[at]);
            for sum in &written[at] {
                sum.fixed.into_iter().for_each(&mut enters);
                let mut added = Range::ZERO;
                for (cell, by) in &sum.moved {
                    match inside(cell) {
                        true => added = added.hull(*by),
                        false => enters(held[cell.0 as usize].plus(*by).unwrap_or(full(at))),
                    }
                }
                grows = grows.and_then(|known| known.plus(added));
            }
        }
        let sum = comes.zip(grows).and_then(|(comes, grows)| comes.plus(grows));
        if let Some(range) = sum.filter(|range| range.is_within(narrowest)) {
            members.iter().for_each(|&at| held[at] = range);
        }
    }
    held
}

/// What writes leave, in terms of what was read.
struct Sums<'a> {
    forest: &'a Forest,
    cells: &'a Cells,
    cone: &'a Cone,
    known: HashMap<ExprId, Sum>,
}

impl Sums<'_> {
    fn written(&mut self, write: NodeId, cell: CellId) -> Sum {
        let entry = self.cells.cell(cell);
        let Some((location, datum)) = self.forest.node(write).op.written() else { return Sum::default() };
        match datum {
            Datum { value, expr: None } => {
                let offset = entry.offset - self.forest.places.location(location).offset;
                Sum::fixed(Range::only(part(value, offset, entry.size.into()), entry.width()))
            }
            Datum { expr: Some(expr), .. } if self.cells.row(location) == [cell] => self.expr(expr),
            Datum { .. } => Sum::fixed(Range::full(entry.width())),
        }
    }

    fn expr(&mut self, root: ExprId) -> Sum {
        let mut stack = vec![root];
        while let Some(&id) = stack.last() {
            let node = self.forest.exprs.node(id);
            let waiting = stack.len();
            if !self.known.contains_key(&id) {
                stack.extend(node.operands().filter(|operand| !self.known.contains_key(operand)));
            }
            if stack.len() > waiting {
                continue;
            }
            if !self.known.contains_key(&id) {
                let sum = self.operation(node, &self.forest.exprs);
                let sum = sum.unwrap_or_else(|| Sum::fixed(Range::full(self.forest.exprs.width(id).into())));
                self.known.insert(id, sum);
            }
            stack.pop();
        }
        self.known[&root].clone()
    }

    /// What a node can be, its operands being known; `None` if that is anything.
    fn operation(&self, node: Expr, exprs: &ExprPool) -> Option<Sum> {
        let of = |id: ExprId| &self.known[&id];
        match node {
            Expr::Const { width, value } => Some(Sum::fixed(Range::only(value, width.into()))),
            Expr::Input { input, width } => {
                let fixed = self.forest.fixed_input(&self.forest.inputs()[input.index()])?;
                Some(Sum::fixed(Range::only(fixed, width.into())))
            }
            Expr::Read { event, .. } => {
                let read = NodeId(event);
                let location = self.forest.node(read).op.read_location()?;
                let Cone { takes_part, value_matters } = self.cone;
                let is_found = takes_part[read.index()] && value_matters[read.index()];
                match *self.cells.row(location) {
                    [cell] if is_found && !self.forest.is_settled(read) => {
                        Some(Sum { fixed: None, moved: vec![(cell, Range::ZERO)] })
                    }
                    _ => None,
                }
            }
            Expr::Binary(BinaryOp::Add, a, b) => match (of(a).alone(), of(b).alone()) {
                (_, Some(more)) => of(a).plus(more),
                (Some(more), None) => of(b).plus(more),
                (None, None) => None,
            },
            Expr::Binary(BinaryOp::Sub, a, b) => of(a).plus(of(b).alone()?.negated()?),
            Expr::Binary(BinaryOp::BvAnd, a, b) => {
                // No more than a mask has, if it has no sign.
                let masks = [a, b].into_iter().filter_map(|mask| of(mask).alone());
                let high = masks.filter(|mask| mask.low >= 0).map(|mask| mask.high).min()?;
                Some(Sum::fixed(Range { low: 0, high }))
            }
            Expr::ZeroExtend { of: narrow, .. } => {
                let range = of(narrow).alone().filter(|range| range.low >= 0);
                let width = u32::from(exprs.width(narrow));
                Some(Sum::fixed(range.unwrap_or(Range { low: 0, high: Range::full(width + 1).high })))
            }
            // What was added may have overflowed before it was widened.
            Expr::SignExtend { of: narrow, .. } => {
                let full = Range::full(exprs.width(narrow).into());
                let sum = of(narrow);
                let is_plain = sum.moved.iter().all(|(_, by)| *by == Range::ZERO)
                    && sum.fixed.is_none_or(|range| range.is_within(full));
                Some(if is_plain { sum.clone() } else { Sum::fixed(full) })
            }
            Expr::Ite { then, otherwise, .. } => Some(of(then).clone().or(of(otherwise))),
            _ => None,
        }
    }
}

/// How a value of a cell is written with fewer bits than it has.
#[derive(Clone, Copy, Debug)]
pub(super) struct Narrow {
    /// So many are enough.
    pub(super) bits: u32,
    /// The others are 0, or, where there is a sign, as the sign is.
    pub(super) widen: TermOp,
}

impl Ranges {
    /// How what is found in a cell of so many bits can be written, if they are not all needed.
    pub(super) fn narrow(&self, cell: CellId, width: u32) -> Option<Narrow> {
        let range = self.of_cell.get(cell.0 as usize)?;
        let bits = range.bits().max(1);
        let above = width.checked_sub(bits).filter(|&above| above > 0)? as u16;
        let widen = if range.low < 0 { TermOp::SignExtend(above) } else { TermOp::ZeroExtend(above) };
        Some(Narrow { bits, widen })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from(cell: u32, by: i128) -> Sum {
        Sum { fixed: None, moved: vec![(CellId(cell), Range { low: by, high: by })] }
    }

    fn value(value: i128) -> Sum {
        Sum::fixed(Range { low: value, high: value })
    }

    #[test]
    fn bits_that_a_range_needs() {
        let bits = |low, high| Range { low, high }.bits();
        assert_eq!([bits(0, 0), bits(0, 1), bits(0, 7), bits(0, 8), bits(2, 255)], [0, 1, 3, 4, 8]);
        assert_eq!(
            [bits(-1, 0), bits(-1, 1), bits(-2, 1), bits(-3, 1), bits(-128, 127), bits(-1, 200)],
            [1, 2, 2, 3, 8, 9]
        );
        assert_eq!(Range::full(8), Range { low: -128, high: 127 });
        assert_eq!(Range::full(128), Range { low: i128::MIN, high: i128::MAX });
        assert_eq!(Range::only(200, 8), Range { low: -56, high: -56 });
    }

    #[test]
    fn a_counter_grows_with_each_write_and_what_is_copied_does_not() {
        let zero = [Range::ZERO; 3];
        let written =
            [vec![from(0, 1), from(0, 1), from(0, -3)], vec![from(0, 0), value(9)], vec![from(1, 100)]];
        let held = hold(&[8; 3], &zero, &written);
        assert_eq!(held[0], Range { low: -3, high: 2 });
        assert_eq!(held[1], Range { low: -3, high: 9 });
        assert_eq!(held[2], Range { low: 0, high: 109 });
        // Where it could overflow, it can be anything.
        let written = [vec![from(0, 100), from(0, 100)], vec![from(0, 0)]];
        assert_eq!(hold(&[8; 2], &zero[..2], &written), [Range::full(8); 2]);
        assert_eq!(hold(&[16, 16], &zero[..2], &written)[1], Range { low: 0, high: 200 });
        // What overflows somewhere else does no harm.
        assert_eq!(
            hold(&[8; 2], &zero[..2], &[written[0].clone(), vec![value(3)]])[1],
            Range { low: 0, high: 3 }
        );
    }

    /// Random writes, each at most once, in random orders.
    #[test]
    fn nothing_else_is_ever_held() {
        let mut state = 0x2545_F491_4F6C_DD1D_u64;
        let mut below = |bound: u64| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) % bound
        };
        let (mut tight, mut narrowed) = (0, 0);
        for _ in 0..3000 {
            let cells = 1 + below(4) as usize;
            let widths: Vec<u32> = (0..cells).map(|_| [8, 8, 16][below(3) as usize]).collect();
            let before: Vec<Range> =
                widths.iter().map(|&width| Range::only(u128::from(below(6)), width)).collect();
            let small = [-70, -5, -1, 0, 0, 1, 2, 5, 60];
            // To which cell, from which or none, and what is added.
            let writes: Vec<(usize, Option<usize>, i128)> = (0..1 + below(7))
                .map(|_| {
                    let to = below(cells as u64) as usize;
                    let from = Some(below(cells as u64) as usize).filter(|&from| widths[from] == widths[to]);
                    (to, from.filter(|_| below(4) > 0), small[below(9) as usize])
                })
                .collect();
            let mut written = vec![Vec::new(); cells];
            for &(to, source, by) in &writes {
                written[to].push(source.map_or(value(by), |source| from(source as u32, by)));
            }
            let held = hold(&widths, &before, &written);
            let mut seen = before.clone();
            for _ in 0..40 {
                let mut memory: Vec<i128> = before.iter().map(|range| range.low).collect();
                let mut left = writes.clone();
                while !left.is_empty() {
                    let (to, source, by) = left.swap_remove(below(left.len() as u64) as usize);
                    let sum = source.map_or(0, |source| memory[source]) + by;
                    memory[to] = Range::only(sum as u128, widths[to]).low;
                    seen[to] = seen[to].hull(Range { low: memory[to], high: memory[to] });
                }
            }
            for at in 0..cells {
                assert!(seen[at].is_within(held[at]), "{writes:?} of {widths:?}: {seen:?}, but {held:?}");
                tight += u32::from(seen[at] == held[at]);
                narrowed += u32::from(held[at] != Range::full(widths[at]));
            }
        }
        assert!(tight > 1000 && narrowed > 2000, "{tight} are exact, {narrowed} are not everything");
    }
}
