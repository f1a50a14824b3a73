//! Reading a solver's model, and not believing it.

use super::Process;
use super::speaker::normal;
use crate::answer::{Answer, Reason};
use crate::stack::Stack;
use crate::supervise::Failure;
use crate::term::{EvalError, Evaluator, MissingConstant, Model, Sort, TermId, Terms, Value, ValueError};

/// How many values one question asks for: solvers answer in one line, which should stay readable in a debugger.
const BATCH: usize = 1000;

/// Asks for the values of all constants in force. The inner error is a model that is beyond us.
pub(super) fn fetch(process: &mut Process, terms: &Terms) -> Result<Result<Model, Reason>, Failure> {
    let mut model = Model::new();
    for batch in process.mirror.constants().chunks(BATCH) {
        let known = &process.mirror.definitions;
        let symbols: Vec<String> = batch.iter().filter_map(|id| known.symbol(*id)).collect();
        let pairs = process.dialogue.values(&symbols)?;
        if pairs.len() != symbols.len() {
            let reason = format!("{} values were asked for and {} given", symbols.len(), pairs.len());
            return Err(Failure::Malformed { reason, excerpt: String::new() });
        }
        for ((id, symbol), (expression, text)) in batch.iter().zip(&symbols).zip(pairs) {
            if expression != *symbol && normal(&expression) != normal(symbol) {
                let reason = format!("the value of {symbol} was asked for");
                return Err(Failure::Malformed { reason, excerpt: expression });
            }
            match Value::parse(&text) {
                Ok(value) => {
                    model.set(*id, as_declared(value, terms.sort(*id)));
                }
                Err(error @ (ValueError::IntOutOfRange { .. } | ValueError::UnsupportedWidth { .. })) => {
                    return Ok(Err(Reason::Unsupported {
                        what: format!("the model cannot be used: {error}"),
                    }));
                }
                Err(error) => return Err(Failure::Malformed { reason: error.to_string(), excerpt: text }),
            }
        }
    }
    Ok(Ok(model))
}

/// Boolector makes no difference between a Boolean and a bit-vector of one bit.
fn as_declared(value: Value, sort: Sort) -> Value {
    match (value, sort) {
        (Value::Bool(value), Sort::Bits(1)) => Value::Bits { width: 1, value: u128::from(value) },
        (Value::Bits { width: 1, value }, Sort::Bool) => Value::Bool(value == 1),
        _ => value,
    }
}

/// `Sat` if the model satisfies everything that is asserted and assumed.
pub(super) fn verify(terms: &Terms, stack: &Stack, assumptions: &[TermId], model: Model) -> Answer {
    let mut evaluator = Evaluator::new(terms, &model).missing(MissingConstant::Error);
    let asserted = stack.assertions().map(|assertion| (assertion.term, assertion.name.as_deref()));
    for (term, name) in asserted.chain(assumptions.iter().map(|term| (*term, None))) {
        match evaluator.value(term) {
            Ok(Value::Bool(true)) => {}
            Ok(_) => {
                let which = name.map_or_else(|| format!("term {}", term.index()), |name| format!("`{name}`"));
                return Answer::Unknown(Reason::WrongModel { detail: format!("{which} is false in it") });
            }
            Err(error @ (EvalError::UnsupportedWidth { .. } | EvalError::IntOverflow { .. })) => {
                return Answer::Unknown(Reason::Unsupported {
                    what: format!("the model cannot be checked: {error}"),
                });
            }
            Err(error) => return Answer::Unknown(Reason::WrongModel { detail: error.to_string() }),
        }
    }
    Answer::Sat(model)
}
