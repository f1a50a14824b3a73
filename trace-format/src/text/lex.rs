//! The smallest pieces of the text form, parsed with `nom`, and how they are written.

use std::borrow::Cow;
use std::fmt::Write;

use nom::branch::alt;
use nom::bytes::complete::{tag, take_while, take_while_m_n, take_while1};
use nom::character::complete::{char, digit1, none_of, satisfy};
use nom::combinator::{map, map_opt, not, opt, recognize, value};
use nom::multi::fold_many0;
use nom::sequence::{delimited, pair, preceded, terminated};
use nom::{IResult, Parser};

use super::words::Word;
use crate::event::Attempt;

/// What a lexical parser gives.
pub(crate) type Lex<'a, O> = IResult<&'a str, O>;

/// Blanks within a line. A carriage return is one, so that files with either line ending can be read.
pub(crate) fn blanks(input: &str) -> Lex<'_, &str> {
    take_while(|c| matches!(c, ' ' | '\t' | '\r'))(input)
}

/// The place after a word or number: nothing that would have made it longer.
fn edge(input: &str) -> Lex<'_, ()> {
    not(satisfy(|c| c.is_alphanumeric() || c == '_')).parse(input)
}

/// A word of the form's own vocabulary.
pub(crate) fn keyword(input: &str) -> Lex<'_, &str> {
    let rest = take_while(|c: char| c.is_ascii_alphanumeric() || c == '-');
    terminated(recognize(pair(satisfy(|c| c.is_ascii_alphabetic()), rest)), edge).parse(input)
}

/// The operator of an expression: a word or `=`.
pub(crate) fn operator(input: &str) -> Lex<'_, &str> {
    alt((keyword, tag("="))).parse(input)
}

fn plain_first(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_'
}

fn plain_rest(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '[' | ']' | '<' | '>' | ':' | '-')
}

fn file_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '/' | '+' | '-')
}

/// A name that needs no quotes: `x`, `table[3].next`, `Queue::head`.
fn plain(input: &str) -> Lex<'_, &str> {
    recognize(pair(satisfy(plain_first), take_while(plain_rest))).parse(input)
}

/// A name: plain, or any bytes between quotes.
pub(crate) fn name(input: &str) -> Lex<'_, Cow<'_, [u8]>> {
    alt((map(plain, |word: &str| Cow::Borrowed(word.as_bytes())), map(quoted, Cow::Owned))).parse(input)
}

/// The name of an input, and whether `#` and a number follow.
pub(crate) fn input_name(input: &str) -> Lex<'_, (Cow<'_, [u8]>, bool)> {
    pair(name, map(opt(char('#')), |mark| mark.is_some())).parse(input)
}

/// A position: `@`, file, line and column, each of which may be missing. In one piece, because a blank ends it.
pub(crate) fn position(input: &str) -> Lex<'_, (Cow<'_, [u8]>, u32, u32)> {
    let number = || map_opt(preceded(char(':'), unsigned), |number| u32::try_from(number).ok());
    let place = (opt(file), opt(number()), opt(number()));
    let place = preceded(char('@'), place);
    map(place, |(file, line, column)| (file.unwrap_or_default(), line.unwrap_or(0), column.unwrap_or(0)))
        .parse(input)
}

/// A file name: without quotes if it has only letters, digits and `_./+-`.
fn file(input: &str) -> Lex<'_, Cow<'_, [u8]>> {
    let path = map(take_while1(file_part), |path: &str| Cow::Borrowed(path.as_bytes()));
    alt((path, map(quoted, Cow::Owned))).parse(input)
}

/// Any bytes between quotes, with `\"`, `\\`, `\n`, `\r`, `\t` and `\xNN`.
pub(crate) fn quoted(input: &str) -> Lex<'_, Vec<u8>> {
    enum Piece<'a> {
        Text(&'a str),
        Byte(u8),
    }
    let text = map(take_while1(|c| !matches!(c, '"' | '\\' | '\n')), Piece::Text);
    let byte = preceded(char('x'), take_while_m_n(2, 2, |c: char| c.is_ascii_hexdigit()));
    let escape = preceded(
        char('\\'),
        alt((
            map_opt(byte, |digits| u8::from_str_radix(digits, 16).ok()),
            value(b'"', char('"')),
            value(b'\\', char('\\')),
            value(b'\n', char('n')),
            value(b'\r', char('r')),
            value(b'\t', char('t')),
        )),
    );
    let piece = alt((text, map(escape, Piece::Byte)));
    let bytes = fold_many0(piece, Vec::new, |mut bytes, piece| {
        match piece {
            Piece::Text(text) => bytes.extend_from_slice(text.as_bytes()),
            Piece::Byte(byte) => bytes.push(byte),
        }
        bytes
    });
    delimited(char('"'), bytes, char('"')).parse(input)
}

/// A number, decimal or hexadecimal, below 2^128.
pub(crate) fn unsigned(input: &str) -> Lex<'_, u128> {
    let hex = map_opt(preceded(tag("0x"), take_while1(|c: char| c.is_ascii_hexdigit())), |digits: &str| {
        u128::from_str_radix(digits, 16).ok()
    });
    let decimal = map_opt(digit1, |digits: &str| digits.parse().ok());
    terminated(alt((hex, decimal)), edge).parse(input)
}

/// A number that may be negative: whether it is, and its amount.
pub(crate) fn signed(input: &str) -> Lex<'_, (bool, u128)> {
    alt((
        map(preceded(char('-'), unsigned), |amount| (true, amount)),
        map(unsigned, |amount| (false, amount)),
    ))
    .parse(input)
}

/// A thread key, as written; [`crate::thread::ThreadKey`] decides whether it is one.
pub(crate) fn key(input: &str) -> Lex<'_, &str> {
    let rest = take_while(|c: char| c.is_ascii_digit() || c == '.');
    terminated(recognize(pair(char('T'), rest)), edge).parse(input)
}

/// A `$` name, without the `$`.
pub(crate) fn dollar(input: &str) -> Lex<'_, &str> {
    preceded(char('$'), take_while1(|c: char| c.is_ascii_alphanumeric() || c == '_')).parse(input)
}

/// Bytes in pairs of hexadecimal digits.
pub(crate) fn hex_bytes(input: &str) -> Lex<'_, Vec<u8>> {
    let byte = map_opt(take_while_m_n(2, 2, |c: char| c.is_ascii_hexdigit()), |digits| {
        u8::from_str_radix(digits, 16).ok()
    });
    let all = fold_many0(byte, Vec::new, |mut bytes, byte| {
        bytes.push(byte);
        bytes
    });
    terminated(all, edge).parse(input)
}

/// What an error message shows of the text at hand: up to the next blank, and not much of it.
pub(crate) fn token(input: &str) -> String {
    const SHOWN: usize = 40;
    let found: Lex<'_, &str> =
        recognize(pair(none_of(" \t\r"), take_while(|c| !matches!(c, ' ' | '\t' | '\r')))).parse(input);
    match found {
        Ok((_, token)) if token.chars().nth(SHOWN).is_some() => {
            format!("`{}…`", token.chars().take(SHOWN).collect::<String>())
        }
        Ok((_, token)) => format!("`{token}`"),
        Err(_) => "the end of the line".to_owned(),
    }
}

/// Writes bytes between quotes so that [`quoted`] gives them back.
pub(crate) fn write_quoted(out: &mut String, bytes: &[u8]) {
    out.push('"');
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '"' => out.push_str("\\\""),
                '\\' => out.push_str("\\\\"),
                '\n' => out.push_str("\\n"),
                '\r' => out.push_str("\\r"),
                '\t' => out.push_str("\\t"),
                c if c.is_control() => {
                    let mut buffer = [0; 4];
                    write_bytes(out, c.encode_utf8(&mut buffer).as_bytes());
                }
                c => out.push(c),
            }
        }
        write_bytes(out, chunk.invalid());
    }
    out.push('"');
}

fn write_bytes(out: &mut String, bytes: &[u8]) {
    for byte in bytes {
        push(out, format_args!("\\x{byte:02x}"));
    }
}

/// Writes a name, with quotes only if it needs them.
pub(crate) fn write_name(out: &mut String, name: &[u8]) {
    match std::str::from_utf8(name) {
        Ok(text) if is_plain(text) => out.push_str(text),
        _ => write_quoted(out, name),
    }
}

/// Can the name stand without quotes? Words such as `try` cannot, because they can stand where a location does.
fn is_plain(name: &str) -> bool {
    matches!(plain(name), Ok(("", _))) && Attempt::from_word(name).is_none()
}

/// Writes a file name, with quotes only if it needs them.
pub(crate) fn write_file(out: &mut String, name: &[u8]) {
    match std::str::from_utf8(name) {
        Ok(text) if text.chars().all(file_part) => out.push_str(text),
        _ => write_quoted(out, name),
    }
}

/// Writes a number: small ones in decimal, large ones, which are mostly addresses and masks, in hexadecimal.
pub(crate) fn write_number(out: &mut String, number: u128) {
    if number < 0x1_0000 {
        push(out, format_args!("{number}"));
    } else {
        push(out, format_args!("{number:#x}"));
    }
}

/// Appends formatted text.
pub(crate) fn push(out: &mut String, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text).expect("writing to a string does not fail");
}
