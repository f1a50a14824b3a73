//! A solver that is asked about inputs alone.

use std::time::{Duration, Instant};

use warpath_solvers::term::{Op as TermOp, Sort, TermError, TermId, Terms};
use warpath_solvers::{Answer, Query, Smt};
use warpath_trace::expr::{ExprPool, Leaf, to_signed};
use warpath_trace::ids::ExprId;

use super::region::{Region, limits};
use crate::diagnose::DiagnoseError;
use crate::lower::{self, Lowered};
use crate::model::InputVar;

/// The term of an expression over inputs, which `input` knows by number.
pub(crate) fn lowered(
    terms: &mut Terms,
    pool: &ExprPool,
    root: ExprId,
    mut input: impl FnMut(&mut Terms, u32) -> Result<TermId, TermError>,
) -> Result<TermId, TermError> {
    let mut known = std::collections::HashMap::new();
    let mut order = Vec::new();
    pool.visit_once([root], |id, node| order.push((id, node)));
    for (id, node) in order {
        let term = match node.leaf() {
            Some(Leaf::Input(which)) => input(terms, which.0)?,
            Some(Leaf::Read(..)) => unreachable!("a path condition speaks of inputs alone"),
            None => {
                let operands: Vec<TermId> = node.operands().map(|operand| known[&operand]).collect();
                match lower::operation(pool, node) {
                    Lowered::Bool(value) => terms.bool(value),
                    Lowered::Bits(value, width) => terms.bits(value, width)?,
                    Lowered::Apply(op) => terms.apply(op, &operands)?,
                }
            }
        };
        known.insert(id, term);
    }
    Ok(known[&root])
}

/// All inputs, and who answers questions about them.
pub(super) struct Space<'i> {
    pub(super) inputs: &'i [InputVar],
    pub(super) terms: Terms,
    symbols: Vec<TermId>,
    smt: Box<dyn Smt>,
    query: Query,
    until: Option<Instant>,
    pub(super) questions: u64,
    pub(super) time: Duration,
}

impl<'i> Space<'i> {
    pub(super) fn new(
        inputs: &'i [InputVar],
        smt: Box<dyn Smt>,
        query: Query,
        until: Option<Instant>,
    ) -> Result<Self, DiagnoseError> {
        let mut terms = Terms::new();
        let mut symbols = Vec::new();
        for (n, input) in inputs.iter().enumerate() {
            symbols.push(terms.constant(&format!("input({n})"), Sort::Bits(input.width.into()))?);
        }
        Ok(Space { inputs, terms, symbols, smt, query, until, questions: 0, time: Duration::ZERO })
    }

    /// The term of a condition.
    pub(super) fn term(&mut self, pool: &ExprPool, expr: ExprId) -> Result<TermId, DiagnoseError> {
        let symbols = &self.symbols;
        Ok(lowered(&mut self.terms, pool, expr, |_, input| Ok(symbols[input as usize]))?)
    }

    /// All of these.
    pub(super) fn all(&mut self, pool: &ExprPool, exprs: &[ExprId]) -> Result<TermId, DiagnoseError> {
        let mut parts = Vec::new();
        for &expr in exprs {
            parts.push(self.term(pool, expr)?);
        }
        Ok(self.terms.and(&parts)?)
    }

    /// The inputs are in the region.
    pub(super) fn within(&mut self, region: &Region) -> Result<TermId, DiagnoseError> {
        let mut parts = Vec::new();
        for (n, interval) in region.intervals.iter().enumerate() {
            let Some((low, high)) = *interval else { continue };
            let (least, most) = limits(&self.inputs[n]);
            if low > least {
                parts.push(self.compare(low, n, true)?);
            }
            if high < most {
                parts.push(self.compare(high, n, false)?);
            }
        }
        Ok(self.terms.and(&parts)?)
    }

    /// `bound <= input`, or the other way round.
    fn compare(&mut self, bound: i128, input: usize, from_below: bool) -> Result<TermId, DiagnoseError> {
        let width = self.inputs[input].width;
        let mask = u128::MAX >> (128 - u32::from(width));
        let bound = self.terms.bits(bound as u128 & mask, width.into())?;
        let symbol = self.symbols[input];
        let sides = if from_below { [bound, symbol] } else { [symbol, bound] };
        Ok(self.terms.apply(TermOp::BvSle, &sides)?)
    }

    pub(super) fn not(&mut self, term: TermId) -> Result<TermId, DiagnoseError> {
        Ok(self.terms.not(term)?)
    }

    pub(super) fn any(&mut self, terms: &[TermId]) -> Result<TermId, DiagnoseError> {
        Ok(self.terms.or(terms)?)
    }

    /// Inputs for which all of these hold.
    pub(super) fn find(&mut self, all: &[TermId]) -> Result<Option<Vec<u128>>, DiagnoseError> {
        let begun = Instant::now();
        let mut query = self.query.clone();
        if let Some(until) = self.until {
            let left = until.saturating_duration_since(begun);
            if left.is_zero() {
                return Err(DiagnoseError::Late);
            }
            query.timeout = Some(query.timeout.map_or(left, |timeout| timeout.min(left)));
        }
        self.smt.push();
        for &term in all {
            self.smt.assert(&self.terms, term).map_err(|error| DiagnoseError::Solver(error.into()))?;
        }
        let answer = self.smt.check(&self.terms, &query);
        self.smt.pop().map_err(|error| DiagnoseError::Solver(error.into()))?;
        self.time += begun.elapsed();
        self.questions += 1;
        match answer {
            Answer::Sat(model) => {
                let value = |&symbol: &TermId| model.get(symbol).and_then(|value| value.as_bits());
                Ok(Some(self.symbols.iter().map(|symbol| value(symbol).unwrap_or(0)).collect()))
            }
            Answer::Unsat { .. } => Ok(None),
            Answer::Unknown(reason) => Err(DiagnoseError::Unanswered(reason)),
        }
    }

    /// Is this so of every input in the region? If not, one of which it is not.
    pub(super) fn counterexample(
        &mut self,
        region: &Region,
        not_so: TermId,
    ) -> Result<Option<Vec<u128>>, DiagnoseError> {
        let within = self.within(region)?;
        self.find(&[within, not_so])
    }

    /// The value of an input as a number.
    pub(super) fn number(&self, values: &[u128], input: usize) -> i128 {
        to_signed(values[input], self.inputs[input].width)
    }
}
