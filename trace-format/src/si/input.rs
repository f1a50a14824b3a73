//! The value of one input, as a number and as bytes.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

use super::bytes::{from_hex, to_hex};
use crate::expr::{Sort, Width, mask};

/// One input and its value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct InputValue {
    /// The input's name.
    pub name: String,
    /// Which of that name, from 0.
    pub nth: u32,
    /// Its width in bits.
    pub width: Width,
    /// Its value.
    pub value: u128,
}

/// How it stands in the file. Either `value` or `bytes` may be missing; if both are there they must agree,
/// so that an edit of one of them is not silently lost.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Form {
    name: String,
    #[serde(default, skip_serializing_if = "is_zero")]
    nth: u32,
    width: Width,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    value: Option<Number>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    bytes: Option<String>,
}

/// TOML's own integers have 64 bits; larger ones are written as text.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Number {
    Integer(i64),
    Text(String),
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl Serialize for InputValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let value = match i64::try_from(self.value) {
            Ok(value) => Number::Integer(value),
            Err(_) => Number::Text(format!("{:#x}", self.value)),
        };
        let bytes = &self.value.to_le_bytes()[..usize::from(self.width).div_ceil(8).min(16)];
        Form {
            name: self.name.clone(),
            nth: self.nth,
            width: self.width,
            value: Some(value),
            bytes: Some(to_hex(bytes)),
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for InputValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        InputValue::from_form(Form::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

impl InputValue {
    fn from_form(form: Form) -> Result<InputValue, String> {
        let Form { name, nth, width, value, bytes } = form;
        if !(1..=Sort::MAX_WIDTH).contains(&width) {
            return Err(format!("input `{name}` has {width} bits; 1 to 128 are possible"));
        }
        let number = value.map(|value| number(&name, width, value)).transpose()?;
        let row = bytes.map(|bytes| row(&name, width, &bytes)).transpose()?;
        let value = match (number, row) {
            (Some(number), Some(row)) if number != row => {
                return Err(format!(
                    "input `{name}`: value {number} and bytes {row:#x} (little endian) are different; delete one of the two lines"
                ));
            }
            (Some(value), _) | (None, Some(value)) => value,
            (None, None) => return Err(format!("input `{name}` has neither `value` nor `bytes`")),
        };
        Ok(InputValue { name, nth, width, value })
    }
}

fn number(name: &str, width: Width, number: Number) -> Result<u128, String> {
    let too_large =
        |shown: &dyn std::fmt::Display| format!("input `{name}`: {shown} does not fit {width} bits");
    match number {
        // A negative number is its two's complement, if its sign survives.
        Number::Integer(value) if value < 0 => {
            let fits = width >= 64 || value >= -(1i64 << (width - 1));
            if fits { Ok(i128::from(value) as u128 & mask(width)) } else { Err(too_large(&value)) }
        }
        Number::Integer(value) => fit(width, value as u128).ok_or_else(|| too_large(&value)),
        Number::Text(text) => {
            let digits = text.replace('_', "");
            let value = match digits.strip_prefix("0x") {
                Some(hex) => u128::from_str_radix(hex, 16),
                None => digits.parse(),
            };
            let value = value.map_err(|_| format!("input `{name}`: `{text}` is not a number"))?;
            fit(width, value).ok_or_else(|| too_large(&text))
        }
    }
}

fn row(name: &str, width: Width, bytes: &str) -> Result<u128, String> {
    let bytes = from_hex(bytes).map_err(|error| format!("input `{name}`: {error}"))?;
    let wanted = usize::from(width).div_ceil(8);
    if bytes.len() != wanted {
        return Err(format!("input `{name}` of {width} bits needs {wanted} bytes, not {}", bytes.len()));
    }
    let value = bytes.iter().rev().fold(0, |value, &byte| value << 8 | u128::from(byte));
    fit(width, value).ok_or_else(|| format!("input `{name}`: the bytes do not fit {width} bits"))
}

fn fit(width: Width, value: u128) -> Option<u128> {
    (value & !mask(width) == 0).then_some(value)
}
