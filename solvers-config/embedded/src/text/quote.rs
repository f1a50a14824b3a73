//! How symbols, messages and terms of the user are written in answers.

use super::classes::is_simple_symbol;
use std::fmt::{self, Write};
use warpath_solvers::smtlib::sexpr::{TokenKind, Tokens};

/// Words that SMT-LIB's grammar takes for itself: as symbols they need bars.
const RESERVED: [&str; 12] = [
    "!",
    "_",
    "as",
    "let",
    "exists",
    "forall",
    "match",
    "par",
    "BINARY",
    "DECIMAL",
    "HEXADECIMAL",
    "NUMERAL",
];

/// Writes a symbol so that it reads back as itself.
pub(crate) fn write_symbol(out: &mut impl Write, symbol: &str) -> fmt::Result {
    if is_simple_symbol(symbol) && !RESERVED.contains(&symbol) {
        out.write_str(symbol)
    } else {
        write!(out, "|{symbol}|")
    }
}

/// A message as the content of a string literal.
pub(crate) fn error_text(message: &str) -> String {
    message.chars().map(|c| if c.is_control() { ' ' } else { c }).collect::<String>().replace('"', "\"\"")
}

/// Displays a text of the user with single spaces and without comments.
pub(crate) struct Respaced<'a>(pub(crate) &'a [u8]);

impl fmt::Display for Respaced<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut apart = false;
        for token in Tokens::new(self.0).map_while(Result::ok) {
            if token.kind == TokenKind::Comment {
                continue;
            }
            if apart && token.kind != TokenKind::Close {
                f.write_char(' ')?;
            }
            f.write_str(&String::from_utf8_lossy(&self.0[token.start..token.end]))?;
            apart = token.kind != TokenKind::Open;
        }
        Ok(())
    }
}
