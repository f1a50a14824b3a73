//! What terms mean: literals for Booleans, rows of literals for bit-vectors, differences for integers.
//!
//! Each term is translated once, however often and on whatever level it is asserted: the clauses this makes only
//! define new variables, so they hold for good. Nothing recurses.

mod build;
mod clauses;
mod equalities;
mod families;
mod integers;

use crate::bits::Circuit;
use crate::order::Node;
use crate::proof::Step;
use crate::sat::Lit;
use crate::{Unsupported, unsupported};
use integers::Difference;
use rustc_hash::{FxHashMap, FxHashSet};
use warpath_solvers::term::{Shape, Sort, TermId, Terms};

/// What a term is.
#[derive(Debug, Clone, Copy)]
enum Meaning {
    Unknown,
    Bool(Lit),
    /// A part of the pool of bits.
    Bits {
        start: u32,
        width: u32,
    },
    Int(Difference),
}

#[derive(Debug)]
pub(crate) struct Translation {
    pub(crate) circuit: Circuit,
    meanings: Vec<Meaning>,
    pool: Vec<Lit>,
    equalities: FxHashMap<(TermId, TermId), equalities::Equality>,
    /// Quotient and remainder by dividend and divisor.
    divisions: FxHashMap<(TermId, TermId), (Vec<Lit>, Vec<Lit>)>,
    /// Conjunctions, and disjunctions that do not hold, that were multiplied out once. Where one comes again it gets a
    /// variable.
    multiplied: FxHashSet<TermId>,
    /// Declared constants that have been met.
    constants: Vec<TermId>,
    stack: Vec<TermId>,
}

impl Translation {
    pub(crate) fn new(seed: u64) -> Translation {
        let mut circuit = Circuit::new(seed);
        let zero = circuit.sat.theory.orders.new_node();
        debug_assert_eq!(zero, integers::ZERO);
        Translation {
            circuit,
            meanings: Vec::new(),
            pool: Vec::new(),
            equalities: FxHashMap::default(),
            divisions: FxHashMap::default(),
            multiplied: FxHashSet::default(),
            constants: Vec::new(),
            stack: Vec::new(),
        }
    }

    /// All constants that have a meaning, in the order in which they were met.
    pub(crate) fn constants(&self) -> &[TermId] {
        &self.constants
    }

    /// The literal of a Boolean term.
    pub(crate) fn literal(&mut self, terms: &Terms, term: TermId) -> Result<Lit, Unsupported> {
        self.translate(terms, term)?;
        match self.meaning(term) {
            Meaning::Bool(literal) => Ok(literal),
            _ => Err(unsupported(format!("a term of sort {} is no formula", terms.sort(term)))),
        }
    }

    /// The literals of a constant's bits; of a Boolean, one. None if nothing speaks of it.
    pub(crate) fn bits_of(&self, constant: TermId) -> Option<&[Lit]> {
        match self.meanings.get(constant.index())? {
            Meaning::Bool(literal) => Some(std::slice::from_ref(literal)),
            Meaning::Bits { start, width } => Some(&self.pool[*start as usize..(*start + *width) as usize]),
            _ => None,
        }
    }

    /// The node of an integer constant.
    pub(crate) fn node_of(&self, constant: TermId) -> Option<Node> {
        match self.meanings.get(constant.index())? {
            Meaning::Int(difference) => difference.node(),
            _ => None,
        }
    }

    fn meaning(&self, term: TermId) -> Meaning {
        self.meanings.get(term.index()).copied().unwrap_or(Meaning::Unknown)
    }

    fn bool(&self, term: TermId) -> Lit {
        match self.meaning(term) {
            Meaning::Bool(literal) => literal,
            _ => unreachable!("arguments are translated before what they stand in, and sorts are checked"),
        }
    }

    fn bits(&self, term: TermId) -> Vec<Lit> {
        match self.bits_of(term) {
            Some(bits) => bits.to_vec(),
            None => unreachable!("arguments are translated before what they stand in, and sorts are checked"),
        }
    }

    /// Gives the term and all it is made of a meaning.
    fn translate(&mut self, terms: &Terms, root: TermId) -> Result<(), Unsupported> {
        if self.meanings.len() < terms.len() {
            self.meanings.resize(terms.len(), Meaning::Unknown);
        }
        let mut stack = std::mem::take(&mut self.stack);
        stack.clear();
        stack.push(root);
        let mut outcome = Ok(());
        while let Some(&term) = stack.last() {
            if !matches!(self.meaning(term), Meaning::Unknown) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            let missing = |&&arg: &&TermId| matches!(self.meaning(arg), Meaning::Unknown);
            stack.extend(terms.args(term).iter().filter(missing));
            if stack.len() > before {
                continue;
            }
            stack.pop();
            match self.mean(terms, term) {
                Ok(meaning) => self.meanings[term.index()] = meaning,
                Err(error) => {
                    outcome = Err(error);
                    break;
                }
            }
        }
        self.stack = stack;
        outcome
    }

    /// The meaning of a term whose arguments have theirs.
    fn mean(&mut self, terms: &Terms, term: TermId) -> Result<Meaning, Unsupported> {
        let sort = terms.sort(term);
        match terms.shape(term) {
            Shape::Literal(value) => self.value(value),
            Shape::Constant(_) => Ok(self.constant(term, sort)),
            Shape::App(op, args) => match sort {
                Sort::Bool => self.formula(terms, op, args).map(Meaning::Bool),
                Sort::Int => self.integer(op, args).map(Meaning::Int),
                Sort::Bits(width) => {
                    let bits = self.vector(op, args, width)?;
                    Ok(self.keep(&bits))
                }
            },
        }
    }

    fn constant(&mut self, term: TermId, sort: Sort) -> Meaning {
        self.constants.push(term);
        match sort {
            Sort::Bool => Meaning::Bool(self.input(term, 0)),
            Sort::Bits(width) => {
                let bits: Vec<Lit> = (0..width).map(|bit| self.input(term, bit)).collect();
                self.keep(&bits)
            }
            Sort::Int => {
                let node = self.circuit.sat.theory.orders.new_node();
                if let Some(proof) = &mut self.circuit.sat.proof {
                    proof.step(Step::Node { node: node.0, constant: term });
                }
                Meaning::Int(Difference::of(node))
            }
        }
    }

    fn input(&mut self, constant: TermId, bit: u32) -> Lit {
        let literal = self.circuit.input();
        if let Some(proof) = &mut self.circuit.sat.proof {
            proof.step(Step::Input { literal, constant, bit });
        }
        literal
    }

    fn keep(&mut self, bits: &[Lit]) -> Meaning {
        let start = self.pool.len() as u32;
        self.pool.extend_from_slice(bits);
        Meaning::Bits { start, width: bits.len() as u32 }
    }
}
