//! What solvers answer to `get-value`, `get-unsat-core` and `get-unsat-assumptions`.

use super::sexpr::{Malformed, Sexpr, SexprLimits};
use super::symbol;
use crate::term::{Value, ValueError};
use thiserror::Error;

/// Why an answer could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum AnswerError {
    /// Not one s-expression.
    #[error("the solver's answer is malformed: {0}")]
    Malformed(#[from] Malformed),
    /// The solver answered `(error "…")`.
    #[error("the solver answered with an error: {message}")]
    Refused {
        /// Its message.
        message: String,
    },
    /// Another shape than the command's answer has.
    #[error("expected {expected}, but the solver answered `{found}`")]
    Unexpected {
        /// What was expected.
        expected: &'static str,
        /// What came, shortened.
        found: String,
    },
    /// A value of a sort or size that Warpath does not have.
    #[error("the solver's value of `{of}` cannot be used: {source}")]
    Value {
        /// The term that has the value.
        of: String,
        /// Why not.
        source: ValueError,
    },
}

/// Reads the answer to `get-value`: each term with its value, in the order of the answer.
pub fn values(text: &[u8]) -> Result<Vec<(Sexpr, Value)>, AnswerError> {
    const EXPECTED: &str = "a list of terms with their values";
    let answer = parse(text)?;
    let items = match answer {
        Sexpr::List(items) => items,
        other => return Err(unexpected(EXPECTED, &other)),
    };
    items
        .into_iter()
        .map(|item| match item {
            Sexpr::List(mut pair) if pair.len() == 2 => {
                let value = pair.pop().map(|value| Value::from_sexpr(&value));
                match (pair.pop(), value) {
                    (Some(term), Some(Ok(value))) => Ok((term, value)),
                    (Some(term), Some(Err(source))) => Err(AnswerError::Value { of: shorten(&term), source }),
                    (_, _) => Err(unexpected(EXPECTED, &Sexpr::List(pair))),
                }
            }
            other => Err(unexpected(EXPECTED, &other)),
        })
        .collect()
}

/// Reads the answer to `get-value` with names instead of terms: the decoded name of a symbol, the
/// text of any other term.
///
/// ```
/// use warpath_solvers::smtlib::answer::named_values;
/// use warpath_solvers::term::Value;
/// let values = named_values(b"((o%28a%29 5) ((+ x 1) (- 3)))").unwrap();
/// assert_eq!(values[0], ("o(a)".to_owned(), Value::Int(5)));
/// assert_eq!(values[1], ("(+ x 1)".to_owned(), Value::Int(-3)));
/// ```
pub fn named_values(text: &[u8]) -> Result<Vec<(String, Value)>, AnswerError> {
    let pairs = values(text)?;
    Ok(pairs
        .into_iter()
        .map(|(term, value)| match term.as_symbol() {
            Some(content) => (symbol::decode(content), value),
            None => (term.to_string(), value),
        })
        .collect())
}

/// Reads the answer to `get-unsat-core`: the decoded names of assertions.
pub fn unsat_core(text: &[u8]) -> Result<Vec<String>, AnswerError> {
    const EXPECTED: &str = "a list of assertion names";
    match parse(text)? {
        Sexpr::List(items) => items
            .iter()
            .map(|item| match item.as_symbol() {
                Some(content) => Ok(symbol::decode(content)),
                None => Err(unexpected(EXPECTED, item)),
            })
            .collect(),
        other => Err(unexpected(EXPECTED, &other)),
    }
}

/// An assumption of `check-sat-assuming`, as an answer names it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NamedLiteral {
    /// The decoded name of the constant.
    pub name: String,
    /// Whether the constant itself or its negation was assumed.
    pub positive: bool,
}

/// Reads the answer to `get-unsat-assumptions`.
pub fn unsat_assumptions(text: &[u8]) -> Result<Vec<NamedLiteral>, AnswerError> {
    const EXPECTED: &str = "a list of Boolean constants and their negations";
    let literal = |item: &Sexpr| match item {
        Sexpr::Symbol(content) => Ok(NamedLiteral { name: symbol::decode(content), positive: true }),
        Sexpr::List(parts) => match parts.as_slice() {
            [Sexpr::Symbol(not), Sexpr::Symbol(content)] if not == "not" => {
                Ok(NamedLiteral { name: symbol::decode(content), positive: false })
            }
            _ => Err(unexpected(EXPECTED, item)),
        },
        _ => Err(unexpected(EXPECTED, item)),
    };
    match parse(text)? {
        Sexpr::List(items) => items.iter().map(literal).collect(),
        other => Err(unexpected(EXPECTED, &other)),
    }
}

fn parse(text: &[u8]) -> Result<Sexpr, AnswerError> {
    let answer = Sexpr::parse(text, SexprLimits::default())?;
    if let Sexpr::List(items) = &answer
        && let [Sexpr::Symbol(error), Sexpr::Text(message)] = items.as_slice()
        && error == "error"
    {
        return Err(AnswerError::Refused { message: message.clone() });
    }
    Ok(answer)
}

fn unexpected(expected: &'static str, found: &Sexpr) -> AnswerError {
    AnswerError::Unexpected { expected, found: shorten(found) }
}

fn shorten(expression: &Sexpr) -> String {
    const KEEP: usize = 80;
    let text = expression.to_string();
    if text.chars().count() <= KEEP { text } else { text.chars().take(KEEP).chain("…".chars()).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_in_the_layouts_of_the_solvers() {
        let expected = vec![
            ("a".to_owned(), Value::Bits { width: 8, value: 5 }),
            ("p q".to_owned(), Value::Bool(true)),
            ("(+ x 1)".to_owned(), Value::Int(3)),
        ];
        for text in [
            "((a #x05)\n (|p q| true)\n ((+ x 1) 3))",
            "((|a| #b00000101) (|p q| true) ((+ x 1) 3))",
            "(\n  (a (_ bv5 8))\n  (|p q| true)\n  ((+ x 1) 3)\n)",
        ] {
            assert_eq!(named_values(text.as_bytes()), Ok(expected.clone()));
        }
        assert_eq!(named_values(b"()"), Ok(vec![]));
    }

    #[test]
    fn cores_and_assumptions() {
        assert_eq!(unsat_core(b"(\nh3\n|rf 1|\n%6Cet)"), Ok(vec!["h3".into(), "rf 1".into(), "let".into()]));
        let literal = |name: &str, positive| NamedLiteral { name: name.into(), positive };
        assert_eq!(
            unsat_assumptions(b"(y (not |a b|))"),
            Ok(vec![literal("y", true), literal("a b", false)])
        );
    }

    #[test]
    fn refusals_and_nonsense_are_told_apart() {
        assert_eq!(values(b"(error \"no model\")"), Err(AnswerError::Refused { message: "no model".into() }));
        for text in ["sat", "(x)", "((x))", "((x 1 2))", "(x 1)"] {
            assert!(matches!(values(text.as_bytes()), Err(AnswerError::Unexpected { .. })), "{text}");
        }
        assert!(matches!(values(b"((x"), Err(AnswerError::Malformed(_))));
        assert!(matches!(values(b"((x (as const 1)))"), Err(AnswerError::Value { .. })));
        assert!(matches!(unsat_core(b"((a b))"), Err(AnswerError::Unexpected { .. })));
        assert!(matches!(unsat_assumptions(b"((and x y))"), Err(AnswerError::Unexpected { .. })));
    }
}
