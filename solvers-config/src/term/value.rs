//! Values of terms, and the ways solvers write them.

use super::sort::{MAX_VALUE_WIDTH, Sort};
use crate::smtlib::sexpr::{Malformed, Sexpr, SexprLimits};
use thiserror::Error;

/// A value of a [`Sort`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Value {
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(i128),
    /// A bit-vector. Bits of `value` above `width` are zero (see [`Value::bits`]).
    Bits {
        /// Number of bits, `1..=128`.
        width: u32,
        /// The bits, as an unsigned number.
        value: u128,
    },
}

/// Why a text is not a value that Warpath can hold.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ValueError {
    /// The text is not one s-expression.
    #[error("a value was expected: {0}")]
    Malformed(#[from] Malformed),
    /// The expression is not a literal of sort Bool, Int or BitVec.
    #[error("`{text}` is not a Boolean, integer or bit-vector value")]
    NotAValue {
        /// The expression, shortened.
        text: String,
    },
    /// An integer beyond 128 bits.
    #[error("the integer {text} does not fit into 128 bits")]
    IntOutOfRange {
        /// The numeral, shortened.
        text: String,
    },
    /// A bit-vector wider than values can be.
    #[error("a bit-vector of width {width} has no value here (1 to {MAX_VALUE_WIDTH} bits do)")]
    UnsupportedWidth {
        /// The width.
        width: u64,
    },
    /// `(_ bvN w)` with N too large for w bits.
    #[error("the number {text} does not fit into {width} bits")]
    DoesNotFit {
        /// The number, shortened.
        text: String,
        /// The width.
        width: u32,
    },
}

impl Value {
    /// A bit-vector of the low `width` bits of `value`; `None` if the width has no values.
    pub fn bits(value: u128, width: u32) -> Option<Value> {
        (1..=MAX_VALUE_WIDTH).contains(&width).then(|| Value::Bits { width, value: value & mask(width) })
    }

    /// The value that a model may leave out: `false`, `0`, or zero bits.
    pub fn default_of(sort: Sort) -> Option<Value> {
        match sort {
            Sort::Bool => Some(Value::Bool(false)),
            Sort::Int => Some(Value::Int(0)),
            Sort::Bits(width) => Value::bits(0, width),
        }
    }

    /// The sort of the value.
    pub fn sort(&self) -> Sort {
        match *self {
            Value::Bool(_) => Sort::Bool,
            Value::Int(_) => Sort::Int,
            Value::Bits { width, .. } => Sort::Bits(width),
        }
    }

    /// The truth value, if it is one.
    pub fn as_bool(&self) -> Option<bool> {
        match *self {
            Value::Bool(value) => Some(value),
            _ => None,
        }
    }

    /// The integer, if it is one.
    pub fn as_int(&self) -> Option<i128> {
        match *self {
            Value::Int(value) => Some(value),
            _ => None,
        }
    }

    /// The bits as an unsigned number, if it is a bit-vector.
    pub fn as_bits(&self) -> Option<u128> {
        match *self {
            Value::Bits { value, .. } => Some(value),
            _ => None,
        }
    }

    /// Reads a value in any of the forms that solvers print: `true`, `5`, `(- 5)`, `-5`, `#b0101`,
    /// `#x0f`, `(_ bv5 8)`.
    ///
    /// ```
    /// use warpath_solvers::term::Value;
    /// assert_eq!(Value::parse("(- 5)"), Ok(Value::Int(-5)));
    /// assert_eq!(Value::parse("(_ bv5 8)"), Value::parse("#x05"));
    /// ```
    pub fn parse(text: &str) -> Result<Value, ValueError> {
        Self::from_sexpr(&Sexpr::parse(text.as_bytes(), SexprLimits::default())?)
    }

    /// Reads a value from an expression of an answer.
    pub fn from_sexpr(expression: &Sexpr) -> Result<Value, ValueError> {
        let not_a_value = || ValueError::NotAValue { text: shorten(&expression.to_string()) };
        match expression {
            Sexpr::Symbol(word) => match word.as_str() {
                "true" => Ok(Value::Bool(true)),
                "false" => Ok(Value::Bool(false)),
                _ => match word.strip_prefix('-') {
                    Some(digits) if is_numeral(digits) => int(true, digits),
                    _ => Err(not_a_value()),
                },
            },
            Sexpr::Literal(text) => {
                if let Some(digits) = text.strip_prefix("#b") {
                    radix(digits, 1)
                } else if let Some(digits) = text.strip_prefix("#x") {
                    radix(digits, 4)
                } else if is_numeral(text) {
                    int(false, text)
                } else {
                    Err(not_a_value())
                }
            }
            Sexpr::List(items) => match items.as_slice() {
                [Sexpr::Symbol(minus), Sexpr::Literal(digits)] if minus == "-" && is_numeral(digits) => {
                    int(true, digits)
                }
                [Sexpr::Symbol(underscore), Sexpr::Symbol(number), Sexpr::Literal(width)]
                    if underscore == "_" && is_numeral(width) =>
                {
                    match number.strip_prefix("bv") {
                        Some(digits) if is_numeral(digits) => decimal_bits(digits, width),
                        _ => Err(not_a_value()),
                    }
                }
                _ => Err(not_a_value()),
            },
            Sexpr::Keyword(_) | Sexpr::Text(_) => Err(not_a_value()),
        }
    }
}

impl std::fmt::Display for Value {
    /// The value as SMT-LIB writes it: hexadecimal where the width allows, else binary.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match *self {
            Value::Bool(value) => write!(f, "{value}"),
            Value::Int(value) if value < 0 => write!(f, "(- {})", value.unsigned_abs()),
            Value::Int(value) => write!(f, "{value}"),
            Value::Bits { width, value } => {
                let value = value & mask(width);
                if width.is_multiple_of(4) {
                    write!(f, "#x{value:0digits$x}", digits = (width / 4) as usize)
                } else {
                    write!(f, "#b{value:0digits$b}", digits = width as usize)
                }
            }
        }
    }
}

/// Ones in the low `width` bits, `width <= 128`.
pub(super) fn mask(width: u32) -> u128 {
    match width {
        0 => 0,
        width => u128::MAX >> (128 - width.min(128)),
    }
}

fn is_numeral(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn int(negative: bool, digits: &str) -> Result<Value, ValueError> {
    let signed = if negative { format!("-{digits}") } else { digits.to_owned() };
    signed.parse().map(Value::Int).map_err(|_| ValueError::IntOutOfRange { text: shorten(&signed) })
}

fn radix(digits: &str, bits_per_digit: u32) -> Result<Value, ValueError> {
    let width = digits.len() as u64 * u64::from(bits_per_digit);
    let unsupported = ValueError::UnsupportedWidth { width };
    if width > u64::from(MAX_VALUE_WIDTH) {
        return Err(unsupported);
    }
    u128::from_str_radix(digits, 1 << bits_per_digit)
        .ok()
        .and_then(|value| Value::bits(value, width as u32))
        .ok_or(unsupported)
}

fn decimal_bits(digits: &str, width: &str) -> Result<Value, ValueError> {
    let width: u64 = width.parse().unwrap_or(u64::MAX);
    if !(1..=u64::from(MAX_VALUE_WIDTH)).contains(&width) {
        return Err(ValueError::UnsupportedWidth { width });
    }
    let width = width as u32;
    match digits.parse() {
        Ok(value) if value <= mask(width) => Ok(Value::Bits { width, value }),
        _ => Err(ValueError::DoesNotFit { text: shorten(digits), width }),
    }
}

/// Keeps error messages short whatever a solver printed.
fn shorten(text: &str) -> String {
    const KEEP: usize = 60;
    if text.chars().count() <= KEEP {
        text.to_owned()
    } else {
        text.chars().take(KEEP).chain("…".chars()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_printed_form_is_read() {
        let bits = |width, value| Ok(Value::Bits { width, value });
        for (text, expected) in [
            ("true", Ok(Value::Bool(true))),
            ("|false|", Ok(Value::Bool(false))),
            ("0", Ok(Value::Int(0))),
            ("(- 5)", Ok(Value::Int(-5))),
            ("-5", Ok(Value::Int(-5))),
            ("170141183460469231731687303715884105727", Ok(Value::Int(i128::MAX))),
            ("(- 170141183460469231731687303715884105728)", Ok(Value::Int(i128::MIN))),
            ("#b0101", bits(4, 5)),
            ("#x0F", bits(8, 15)),
            ("(_ bv5 7)", bits(7, 5)),
            ("#xffffffffffffffffffffffffffffffff", bits(128, u128::MAX)),
            ("(_ bv340282366920938463463374607431768211455 128)", bits(128, u128::MAX)),
        ] {
            assert_eq!(Value::parse(text), expected, "{text}");
        }
    }

    #[test]
    fn what_is_no_value_is_refused() {
        for text in ["maybe", "(- 5 3)", "(_ bv5)", "(_ bvx 8)", "1.5", "\"5\"", "()", "(/ 1 2)", ":k"] {
            assert!(matches!(Value::parse(text), Err(ValueError::NotAValue { .. })), "{text}");
        }
        assert!(matches!(
            Value::parse("170141183460469231731687303715884105728"),
            Err(ValueError::IntOutOfRange { .. })
        ));
        assert_eq!(Value::parse("(_ bv256 8)"), Err(ValueError::DoesNotFit { text: "256".into(), width: 8 }));
        assert_eq!(
            Value::parse(&format!("#x{}", "0".repeat(33))),
            Err(ValueError::UnsupportedWidth { width: 132 })
        );
        assert_eq!(Value::parse("(_ bv1 0)"), Err(ValueError::UnsupportedWidth { width: 0 }));
    }
}
