//! `--input NAME=VALUE`: an input's value, chosen by hand.

use std::str::FromStr;

use serde::Serialize;
use warpath_trace::si::InputValue;

/// Widths that an input of a program can have.
const WIDTHS: [u8; 6] = [1, 8, 16, 32, 64, 128];

/// A value for an input of this name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct GivenInput {
    name: String,
    nth: u32,
    value: i128,
}

impl FromStr for GivenInput {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong =
            || format!("`{text}` is not NAME=VALUE or NAME#N=VALUE with a number, as in i=3 or stdin#0=0x41");
        let (name, value) = text.split_once('=').ok_or_else(wrong)?;
        let (name, nth) = match name.rsplit_once('#') {
            Some((name, nth)) => (name, nth.parse().map_err(|_| wrong())?),
            None => (name, 0),
        };
        let (sign, digits) = match value.strip_prefix('-') {
            Some(digits) => (-1, digits),
            None => (1, value),
        };
        let number = match digits.strip_prefix("0x") {
            Some(hex) => i128::from_str_radix(hex, 16),
            None => digits.parse(),
        };
        // A second sign would get through.
        let number =
            number.ok().filter(|number| *number >= 0 && !digits.starts_with('+')).ok_or_else(wrong)?;
        if name.is_empty() {
            return Err(wrong());
        }
        Ok(GivenInput { name: name.to_owned(), nth, value: sign * number })
    }
}

impl GivenInput {
    /// The value at every width that it fits: how wide the input is, the program decides.
    pub(crate) fn values(&self) -> impl Iterator<Item = InputValue> {
        WIDTHS.into_iter().filter_map(|width| {
            let mask = u128::MAX >> (128 - u32::from(width));
            let kept = self.value as u128 & mask;
            let fits = if self.value < 0 {
                width > 1 && self.value >= -(1 << (width - 1).min(126))
            } else {
                kept == self.value as u128
            };
            fits.then(|| InputValue { name: self.name.clone(), nth: self.nth, width, value: kept })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(text: &str, width: u8) -> Option<u128> {
        let given: GivenInput = text.parse().expect("it is one");
        given.values().find(|value| value.width == width).map(|value| value.value)
    }

    #[test]
    fn values_fit_or_are_left_out() {
        assert_eq!(at("i=3", 32), Some(3));
        assert_eq!(at("i=0x100", 8), None);
        assert_eq!(at("i=-1", 8), Some(0xff));
        assert_eq!(at("i=-129", 8), None);
        assert_eq!(at("i=1", 1), Some(1));
        assert_eq!(at("i=-1", 1), None);
        let given: GivenInput = "stdin#7=65".parse().expect("it is one");
        assert_eq!((given.name.as_str(), given.nth), ("stdin", 7));
    }

    proptest! {
        #[test]
        fn whatever_is_typed_there_is_an_answer(text in "\\PC*") {
            if let Ok(given) = text.parse::<GivenInput>() {
                let _ = given.values().count();
            }
        }
    }
}
