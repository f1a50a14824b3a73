//! A model is given out only if our own evaluator finds that it satisfies everything.

use super::Decider;
use warpath_solvers::term::{EvalError, Evaluator, MissingConstant, Model, TermId, Terms, Value};

/// What is known of a model.
#[derive(Debug)]
pub(crate) enum Checked {
    /// It satisfies everything.
    Right(Model),
    /// It does not: an error of the engine, with what it got wrong.
    Wrong(String),
    /// It has values that cannot be computed with here: integers or bit-vectors beyond 128 bits.
    Uncheckable,
}

/// The values of `constants`, if `required` is true under them.
pub(crate) fn checked_model<D: Decider>(
    engine: &D,
    terms: &Terms,
    constants: impl Iterator<Item = TermId>,
    required: impl Iterator<Item = TermId>,
) -> Checked {
    let model: Model = constants.filter_map(|id| Some((id, engine.value(terms, id)?))).collect();
    // The engine may leave out what nothing depends on.
    let mut evaluator = Evaluator::new(terms, &model).missing(MissingConstant::Default);
    for term in required {
        match evaluator.value(term) {
            Ok(Value::Bool(true)) => {}
            Ok(value) => return Checked::Wrong(format!("term {} is {value} in the model", term.index())),
            Err(EvalError::UnsupportedWidth { .. } | EvalError::IntOverflow { .. }) => {
                return Checked::Uncheckable;
            }
            Err(error) => return Checked::Wrong(error.to_string()),
        }
    }
    Checked::Right(model)
}
