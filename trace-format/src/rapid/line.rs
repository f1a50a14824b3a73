//! One line of an STD file, parsed with `nom`.

use nom::branch::alt;
use nom::bytes::complete::{tag, take_while, take_while1};
use nom::character::complete::char;
use nom::combinator::{all_consuming, map, opt, recognize, rest, value, verify};
use nom::sequence::{preceded, terminated};
use nom::{IResult, Parser};

/// What an operation does to its operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verb {
    Read,
    Write,
    Acquire,
    Release,
    Fork,
    Join,
}

impl Verb {
    /// As it stands before the parenthesis.
    pub(super) fn word(self) -> &'static str {
        match self {
            Verb::Read => "r",
            Verb::Write => "w",
            Verb::Acquire => "acq",
            Verb::Release => "rel",
            Verb::Fork => "fork",
            Verb::Join => "join",
        }
    }
}

/// The second field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation<'a> {
    /// An operation on something.
    On(Verb, &'a [u8]),
    /// A `begin` or `end` mark, as written.
    Mark(&'a [u8]),
}

type Parsed<'a, T> = IResult<&'a [u8], T>;

/// The three fields of a line, each without its meaning.
pub(super) fn fields(line: &[u8]) -> Option<[&[u8]; 3]> {
    let field = || take_while::<_, &[u8], nom::error::Error<&[u8]>>(|byte| byte != b'|');
    let three = (terminated(field(), char('|')), terminated(field(), char('|')), field());
    let (_, (thread, operation, position)) = all_consuming(three).parse(line).ok()?;
    Some([thread, operation, position])
}

/// The meaning of the second field. As in RAPID, whatever begins with `begin` or `end` is a mark.
pub(super) fn operation(field: &[u8]) -> Option<Operation<'_>> {
    let mark = map(recognize((alt((tag("begin"), tag("end"))), rest)), Operation::Mark);
    alt((mark, on)).parse(field).ok().map(|(_, operation)| operation)
}

fn on(field: &[u8]) -> Parsed<'_, Operation<'_>> {
    let (operand, verb) = alt((
        value(Verb::Read, tag("r(")),
        value(Verb::Write, tag("w(")),
        value(Verb::Acquire, tag("acq(")),
        value(Verb::Release, tag("rel(")),
        value(Verb::Fork, tag("fork(")),
        value(Verb::Join, tag("join(")),
    ))
    .parse(field)?;
    // The operand may contain parentheses of its own: the last one closes.
    let (_, operand) = verify(rest, |text: &[u8]| text.ends_with(b")")).parse(operand)?;
    let operand = &operand[..operand.len() - 1];
    let (_, operand) = all_consuming(take_while1(|byte| !is_space(byte))).parse(operand)?;
    Ok((&[], Operation::On(verb, operand)))
}

/// White space as RAPID's patterns have it.
pub(super) fn is_space(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == 0x0b
}

/// Is the field a position: a number of 32 bits, perhaps with a sign?
pub(super) fn is_position(field: &[u8]) -> bool {
    let digits = || take_while1(|byte: u8| byte.is_ascii_digit());
    let number = preceded(opt(alt((char('-'), char('+')))), digits());
    let shape: Parsed<'_, &[u8]> = all_consuming(recognize(number)).parse(field);
    shape.is_ok() && std::str::from_utf8(field).is_ok_and(|text| text.parse::<i32>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_are_taken_whole() {
        assert_eq!(operation(b"w(V234.23[0])"), Some(Operation::On(Verb::Write, b"V234.23[0]")));
        assert_eq!(operation(b"acq(f(x))"), Some(Operation::On(Verb::Acquire, b"f(x)")));
        assert_eq!(operation(b"begin"), Some(Operation::Mark(b"begin")));
        assert_eq!(operation(b"end(block 3)"), Some(Operation::Mark(b"end(block 3)")));
    }

    #[test]
    fn what_is_no_operation_is_refused() {
        for field in ["", "r", "r()", "r(x", "r(x) ", "r(a b)", "read(x)", "x(r)", "req(L)"] {
            assert_eq!(operation(field.as_bytes()), None, "{field}");
        }
    }

    #[test]
    fn positions_are_32_bit_numbers() {
        for field in ["0", "7", "007", "-1", "+5", "2147483647", "-2147483648"] {
            assert!(is_position(field.as_bytes()), "{field}");
        }
        for field in ["", "-", "x", "1.5", "0x10", " 1", "2147483648"] {
            assert!(!is_position(field.as_bytes()), "{field}");
        }
    }
}
