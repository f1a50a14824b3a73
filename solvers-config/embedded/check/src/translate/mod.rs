//! What the terms of the script mean: literals, rows of literals, differences.
//!
//! This is the checker's own reading of a formula, and what everything else is measured by. Each term is translated
//! once, without recursion. Variables that the proof has introduced for constants, gates and comparisons are used; what
//! it has not introduced gets variables of the checker's own.

mod formulas;
mod operations;
#[cfg(test)]
mod tests;

use crate::differences::Difference;
use crate::gates::Circuit;
use crate::literal::Lit;
use crate::orders::{Comparison, Node, Orders};
use crate::vectors::constant;
use rustc_hash::FxHashMap;
use std::rc::Rc;
use warpath_solvers::term::{Shape, Sort, TermId, Terms, Value};

/// What a term is.
#[derive(Debug, Clone)]
pub(crate) enum Meaning {
    Bool(Lit),
    Bits(Rc<[Lit]>),
    Int(Difference),
}

/// Why a term has no meaning here; no proof can be about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Untranslatable(pub(crate) &'static str);

const TOO_LARGE: Untranslatable = Untranslatable("its translation is much larger than the proof");
const NO_DIFFERENCE: Untranslatable = Untranslatable("its integers are not differences of two, or too large");
const FOREIGN: Untranslatable = Untranslatable("it has an operation that is not supported");

#[derive(Debug)]
pub(crate) struct Translation {
    pub(crate) circuit: Circuit,
    pub(crate) orders: Orders,
    meanings: FxHashMap<TermId, Meaning>,
    /// The variables of constants' bits, and the nodes of integer constants.
    inputs: FxHashMap<(TermId, u32), Lit>,
    nodes: FxHashMap<TermId, Node>,
    /// Scratch memory.
    stack: Vec<TermId>,
}

impl Translation {
    pub(crate) fn new() -> Self {
        Translation {
            circuit: Circuit::new(),
            orders: Orders::new(),
            meanings: FxHashMap::default(),
            inputs: FxHashMap::default(),
            nodes: FxHashMap::default(),
            stack: Vec::new(),
        }
    }

    /// Gives the bit of a constant a variable; false if it has one.
    pub(crate) fn set_input(&mut self, constant: TermId, bit: u32, literal: Lit) -> bool {
        self.inputs.insert((constant, bit), literal).is_none()
    }

    /// Gives an integer constant a new node; `None` if it has one.
    pub(crate) fn new_node(&mut self, constant: TermId) -> Option<Node> {
        if self.nodes.contains_key(&constant) {
            return None;
        }
        Some(self.node(constant))
    }

    fn input(&mut self, constant: TermId, bit: u32) -> Lit {
        let circuit = &mut self.circuit;
        *self.inputs.entry((constant, bit)).or_insert_with(|| circuit.own_var())
    }

    fn node(&mut self, constant: TermId) -> Node {
        let orders = &mut self.orders;
        *self.nodes.entry(constant).or_insert_with(|| orders.new_node())
    }

    /// The literal of a Boolean term.
    pub(crate) fn literal(&mut self, terms: &Terms, term: TermId) -> Result<Lit, Untranslatable> {
        self.translate(terms, term)?;
        self.bool(term)
    }

    fn bool(&self, term: TermId) -> Result<Lit, Untranslatable> {
        match self.meanings.get(&term) {
            Some(&Meaning::Bool(literal)) => Ok(literal),
            _ => Err(FOREIGN),
        }
    }

    fn bits(&self, term: TermId) -> Result<Rc<[Lit]>, Untranslatable> {
        match self.meanings.get(&term) {
            Some(Meaning::Bits(bits)) => Ok(Rc::clone(bits)),
            _ => Err(FOREIGN),
        }
    }

    fn difference(&self, term: TermId) -> Result<Difference, Untranslatable> {
        match self.meanings.get(&term) {
            Some(&Meaning::Int(difference)) => Ok(difference),
            _ => Err(FOREIGN),
        }
    }

    /// Gives the term and all it is made of a meaning.
    pub(crate) fn translate(&mut self, terms: &Terms, root: TermId) -> Result<(), Untranslatable> {
        let mut stack = std::mem::take(&mut self.stack);
        stack.clear();
        stack.push(root);
        while let Some(&term) = stack.last() {
            if self.meanings.contains_key(&term) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            stack.extend(terms.args(term).iter().filter(|arg| !self.meanings.contains_key(arg)));
            if stack.len() > before {
                continue;
            }
            stack.pop();
            let meaning = self.mean(terms, term)?;
            if self.circuit.is_exhausted() {
                return Err(TOO_LARGE);
            }
            self.meanings.insert(term, meaning);
        }
        self.stack = stack;
        Ok(())
    }

    /// The meaning of a term whose arguments have theirs.
    fn mean(&mut self, terms: &Terms, term: TermId) -> Result<Meaning, Untranslatable> {
        let sort = terms.sort(term);
        match (terms.shape(term), sort) {
            (Shape::Literal(Value::Bool(value)), _) => Ok(Meaning::Bool(Lit::FALSE.flipped(value))),
            (Shape::Literal(Value::Bits { width, value }), _) => {
                Ok(Meaning::Bits(constant(value, width).into()))
            }
            (Shape::Literal(Value::Int(value)), _) => {
                Difference::constant(value).map(Meaning::Int).ok_or(NO_DIFFERENCE)
            }
            (Shape::Constant(_), Sort::Bool) => Ok(Meaning::Bool(self.input(term, 0))),
            (Shape::Constant(_), Sort::Bits(width)) => {
                Ok(Meaning::Bits((0..width).map(|bit| self.input(term, bit)).collect()))
            }
            (Shape::Constant(_), Sort::Int) => Ok(Meaning::Int(Difference::of(self.node(term)))),
            (Shape::App(op, args), Sort::Bool) => self.formula(terms, op, args).map(Meaning::Bool),
            (Shape::App(op, args), Sort::Bits(_)) => {
                self.vector(op, args).map(|bits| Meaning::Bits(bits.into()))
            }
            (Shape::App(op, args), Sort::Int) => self.integer(op, args).map(Meaning::Int),
        }
    }

    /// The literal of `to - from >= least`.
    fn at_least(&mut self, from: Difference, to: Difference, least: i64) -> Result<Lit, Untranslatable> {
        let Difference { plus: to, minus: from, offset } = to.plus(from.negated()).ok_or(NO_DIFFERENCE)?;
        let least = least - offset;
        if from == to {
            return Ok(Lit::TRUE.flipped(least > 0));
        }
        let comparison = Comparison { from, to, least };
        if let Some(known) = self.orders.literal(comparison) {
            return Ok(known);
        }
        let literal = self.circuit.own_var();
        self.orders.define(literal, comparison, &mut self.circuit.clauses);
        Ok(literal)
    }
}
