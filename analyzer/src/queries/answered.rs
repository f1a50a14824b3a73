//! An answer that came from elsewhere: values for the symbols of a script.

use warpath_solvers::term::{Evaluator, MissingConstant, Model, TermError, Value};

use super::ask::Question;
use crate::answer::{Execution, Final, Mismatch, Reference};

/// Why an answer is not one to this question.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotAnAnswer {
    /// A constraint that the values violate.
    #[error("the values do not satisfy the script: `{0}` is violated")]
    Violated(String),
    /// A constraint that cannot be evaluated.
    #[error("`{name}` cannot be evaluated under the values: {reason}")]
    Unclear {
        /// The constraint.
        name: String,
        /// Why.
        reason: String,
    },
    /// The formula cannot be built.
    #[error("the question's formula cannot be built: {0}")]
    Formula(#[from] TermError),
    /// The schedule cannot be executed.
    #[error(transparent)]
    Mismatch(#[from] Mismatch),
}

impl Question<'_> {
    /// The execution that the values describe. They are checked against every constraint first, and the
    /// reference interpreter executes the schedule. Our scripts ask for every symbol; one without a value counts
    /// as false or 0.
    pub fn answered(&mut self, values: &[(String, Value)]) -> Result<(Execution, Final), NotAnAnswer> {
        // The whole script has constants of its own (orders as numbers): they must be there before values are given.
        let constraints = self.whole()?;
        let mut model = Model::new();
        for (name, value) in values {
            if let Some(constant) = self.encoding.terms.find_constant(name) {
                model.set(constant, *value);
            }
        }
        let forest = self.encoding.forest;
        let mut evaluator = Evaluator::new(&self.encoding.terms, &model).missing(MissingConstant::Default);
        for constraint in constraints {
            let name = || constraint.about.name(forest);
            match evaluator.value(constraint.term) {
                Ok(value) if value.as_bool() == Some(true) => {}
                Ok(_) => return Err(NotAnAnswer::Violated(name())),
                Err(error) => return Err(NotAnAnswer::Unclear { name: name(), reason: error.to_string() }),
            }
        }
        let execution = Execution::of(&mut self.encoding, &model);
        let end = Reference::run(forest, &self.encoding.options, &execution)?;
        Ok((execution, end))
    }
}
