//! Inputs as people write them.

use serde_json::{Map, Value};
use warpath_trace::expr::to_signed;
use warpath_trace::si::InputValue;

/// Inputs by name, as reports write them.
pub(crate) fn values(inputs: &[InputValue]) -> Map<String, Value> {
    inputs.iter().map(|input| (name(input), number(input))).collect()
}

/// `stdin#3` for the fourth of a name.
fn name(input: &InputValue) -> String {
    match input.nth {
        0 => input.name.clone(),
        nth => format!("{}#{nth}", input.name),
    }
}

/// The number that the bits are in two's complement, as people write inputs.
fn signed(input: &InputValue) -> i128 {
    to_signed(input.value, input.width)
}

/// A number where JSON's readers agree what it is, else text.
fn number(input: &InputValue) -> Value {
    let signed = signed(input);
    match i64::try_from(signed).ok().filter(|small| small.unsigned_abs() < 1 << 53) {
        Some(small) => small.into(),
        None => signed.to_string().into(),
    }
}

/// `i = 3, stdin#1 = 65`.
pub(crate) fn listing(inputs: &[InputValue]) -> String {
    let texts: Vec<String> =
        inputs.iter().map(|input| format!("{} = {}", name(input), signed(input))).collect();
    texts.join(", ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_of_inputs_are_exact() {
        let input = |width, value| InputValue { name: "i".into(), nth: 0, width, value };
        assert_eq!(number(&input(32, 0xffff_ffff)), json!(-1));
        assert_eq!(number(&input(64, 1 << 60)), json!((1u64 << 60).to_string()));
        assert_eq!(number(&input(128, 1 << 127)), json!(i128::MIN.to_string()));
    }

    #[test]
    fn the_first_of_a_name_needs_no_number() {
        let input = |nth, value| InputValue { name: "stdin".into(), nth, width: 8, value };
        assert_eq!(listing(&[input(0, 65), input(1, 255)]), "stdin = 65, stdin#1 = -1");
    }
}
