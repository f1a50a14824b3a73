//! The value of a term under a model, by SMT-LIB's semantics.

use super::model::Model;
use super::op::Op;
use super::paged::Paged;
use super::semantics::{self, Fault};
use super::sort::{MAX_VALUE_WIDTH, Sort};
use super::store::TermId;
use super::terms::{Shape, Terms};
use super::value::Value;
use thiserror::Error;

/// What a constant without a value means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MissingConstant {
    /// An error: the model is incomplete.
    #[default]
    Error,
    /// `false`, `0`, or zero bits, as a solver's model completion would choose.
    Default,
}

/// Why a term has no value under a model.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum EvalError {
    /// The model does not say.
    #[error("the model has no value for the constant `{name}`")]
    MissingValue {
        /// Its name.
        name: String,
    },
    /// The model gives a value of another sort.
    #[error("the model gives the constant `{name}` of sort {declared} the value {value}")]
    WrongSort {
        /// Its name.
        name: String,
        /// Its sort.
        declared: Sort,
        /// The value.
        value: Value,
    },
    /// A bit-vector is too wide to be evaluated.
    #[error("a bit-vector of width {width} cannot be evaluated (1 to {MAX_VALUE_WIDTH} bits can)")]
    UnsupportedWidth {
        /// The width.
        width: u32,
    },
    /// An integer left the range of 128 bits.
    #[error("the integer result of `{op}` does not fit into 128 bits")]
    IntOverflow {
        /// The operation.
        op: Op,
    },
    /// The term or its sorts are not of this arena.
    #[error("term {id:?} does not belong to this arena")]
    UnknownTerm {
        /// The identifier.
        id: TermId,
    },
}

/// Evaluates terms under one model and remembers the value of every sub-term.
#[derive(Debug)]
pub struct Evaluator<'a> {
    terms: &'a Terms,
    model: &'a Model,
    missing: MissingConstant,
    known: Paged<Value>,
    /// Work left over; empty between calls.
    stack: Vec<TermId>,
    scratch: Vec<Value>,
}

/// The value of `id` under `model`, which must have a value for every constant in it.
///
/// ```
/// use warpath_solvers::term::{Model, Op, Sort, Terms, Value, eval};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut terms = Terms::new();
/// let x = terms.constant("x", Sort::Bits(8))?;
/// let zero = terms.bits(0, 8)?;
/// let quotient = terms.apply(Op::BvUdiv, &[x, zero])?;
/// let mut model = Model::new();
/// model.set(x, Value::Bits { width: 8, value: 5 });
/// assert_eq!(eval(&terms, &model, quotient)?, Value::Bits { width: 8, value: 255 });
/// # Ok(()) }
/// ```
pub fn eval(terms: &Terms, model: &Model, id: TermId) -> Result<Value, EvalError> {
    Evaluator::new(terms, model).value(id)
}

impl<'a> Evaluator<'a> {
    /// An evaluator that knows nothing yet.
    pub fn new(terms: &'a Terms, model: &'a Model) -> Self {
        Evaluator {
            terms,
            model,
            missing: MissingConstant::default(),
            known: Paged::default(),
            stack: Vec::new(),
            scratch: Vec::new(),
        }
    }

    /// Sets what a constant without a value means.
    #[must_use]
    pub fn missing(mut self, missing: MissingConstant) -> Self {
        self.missing = missing;
        self.known = Paged::default();
        self
    }

    /// The value of a term.
    pub fn value(&mut self, id: TermId) -> Result<Value, EvalError> {
        if !self.terms.contains(id) {
            return Err(EvalError::UnknownTerm { id });
        }
        self.stack.clear();
        self.stack.push(id);
        while let Some(&next) = self.stack.last() {
            if self.known.get(next).is_some() {
                self.stack.pop();
            } else if let Some(value) = self.step(next)? {
                self.known.insert(next, value);
                self.stack.pop();
            }
        }
        self.known.get(id).ok_or(EvalError::UnknownTerm { id })
    }

    /// The value of one term if those of its arguments are known; else puts those on the stack.
    fn step(&mut self, id: TermId) -> Result<Option<Value>, EvalError> {
        let (op, args) = match self.terms.shape(id) {
            Shape::Literal(value) => return Ok(Some(value)),
            Shape::Constant(name) => return self.constant(id, name).map(Some),
            Shape::App(op, args) => (op, args),
        };
        self.scratch.clear();
        let before = self.stack.len();
        for arg in args {
            match self.known.get(*arg) {
                Some(value) => self.scratch.push(value),
                None => self.stack.push(*arg),
            }
        }
        if self.stack.len() > before {
            return Ok(None);
        }
        match semantics::apply(op, &self.scratch) {
            Ok(value) => Ok(Some(value)),
            Err(Fault::IntOverflow) => Err(EvalError::IntOverflow { op }),
            Err(Fault::Width(width)) => Err(EvalError::UnsupportedWidth { width }),
            Err(Fault::IllSorted) => Err(EvalError::UnknownTerm { id }),
        }
    }

    fn constant(&self, id: TermId, name: &str) -> Result<Value, EvalError> {
        let declared = self.terms.sort(id);
        if let Sort::Bits(width) = declared
            && !declared.has_values()
        {
            return Err(EvalError::UnsupportedWidth { width });
        }
        match self.model.get(id) {
            // Built anew, because a hand-made value may carry bits above its width.
            Some(Value::Bits { width, value }) if declared == Sort::Bits(width) => {
                Value::bits(value, width).ok_or(EvalError::UnsupportedWidth { width })
            }
            Some(value) if value.sort() == declared => Ok(value),
            Some(value) => Err(EvalError::WrongSort { name: name.to_owned(), declared, value }),
            None => match (self.missing, Value::default_of(declared)) {
                (MissingConstant::Default, Some(value)) => Ok(value),
                _ => Err(EvalError::MissingValue { name: name.to_owned() }),
            },
        }
    }
}
