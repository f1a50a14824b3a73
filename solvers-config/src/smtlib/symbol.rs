//! Names of programs as SMT-LIB symbols, and back.
//!
//! A name is any text; a symbol must survive every solver's lexer and printer. So a name is first
//! *encoded* as printable ASCII without `| \ " ( ) ;`, then written plain if it is a simple symbol,
//! else between bars. The encoding, in full:
//! - `%XX` (two upper-case hexadecimal digits) is one byte of the name's UTF-8 form. Every byte that
//!   may not stand for itself is written so: control characters, non-ASCII, and `| \ " ( ) ;`.
//! - A `%` that stands before two upper-case hexadecimal digits is itself written `%25`.
//! - The first byte is also written so where the plain name would mean something else: reserved
//!   words and theory symbols of any of the solvers (`let`, `select`), names that look like numbers
//!   or begin with `.` or `@` (which SMT-LIB keeps for solvers), and names like `def.7`, which
//!   Warpath gives to shared sub-terms.
//! - The empty name is `%FF`, a byte that no UTF-8 text holds.
//!
//! A simple symbol that is none of these stays as it is. The encoding is injective, and
//! [`decode`] inverts it.

use super::reserved::is_reserved;
use super::sexpr::is_symbol_byte;
use std::fmt;

/// The empty name.
const EMPTY: &str = "%FF";

/// How the names of shared sub-terms begin.
const DEFINITION: &str = "def.";

/// The name of the `number`th shared sub-term: a symbol that no encoded name equals.
pub(super) fn definition(number: u64) -> String {
    format!("{DEFINITION}{number}")
}

/// The symbol of a name, ready to be written: encoded, and between bars if it must be.
///
/// ```
/// use warpath_solvers::smtlib::symbol::quote;
/// assert_eq!(quote("x"), "x");
/// assert_eq!(quote("main.c:31 x[3]"), "|main.c:31 x[3]|");
/// assert_eq!(quote("o(a)"), "o%28a%29");
/// assert_eq!(quote("let"), "%6Cet");
/// ```
pub fn quote(name: &str) -> String {
    let content = encode(name);
    if is_simple(&content) { content } else { format!("|{content}|") }
}

/// The content of a name's symbol: what stands between the bars.
pub fn encode(name: &str) -> String {
    if name.is_empty() {
        return EMPTY.to_owned();
    }
    let bytes = name.as_bytes();
    let mut content = String::with_capacity(name.len());
    for (index, &byte) in bytes.iter().enumerate() {
        let escaped = match byte {
            b'%' => is_escape(&bytes[index..]),
            b'|' | b'\\' | b'"' | b'(' | b')' | b';' => true,
            b' '..=b'~' => index == 0 && means_something_else(name),
            _ => true,
        };
        if escaped {
            content.push_str(&format!("%{byte:02X}"));
        } else {
            content.push(char::from(byte));
        }
    }
    content
}

/// The name whose symbol has this content. Content that [`encode`] never gives, as in scripts that
/// others wrote, is its own name.
pub fn decode(content: &str) -> String {
    if content == EMPTY {
        return String::new();
    }
    let mut bytes = Vec::with_capacity(content.len());
    let mut rest = content.as_bytes();
    while let [first, tail @ ..] = rest {
        if is_escape(rest) {
            bytes.push(hex_digit(rest[1]) << 4 | hex_digit(rest[2]));
            rest = &rest[3..];
        } else {
            bytes.push(*first);
            rest = tail;
        }
    }
    match String::from_utf8(bytes) {
        Ok(name) if encode(&name) == content => name,
        _ => content.to_owned(),
    }
}

/// Writes a symbol given by its content: plain if SMT-LIB can read it so, else between bars.
pub(crate) fn write_content(f: &mut impl fmt::Write, content: &str) -> fmt::Result {
    if is_simple(content) { f.write_str(content) } else { write!(f, "|{content}|") }
}

fn is_simple(content: &str) -> bool {
    !content.is_empty()
        && content.bytes().all(is_symbol_byte)
        && !content.starts_with(|first: char| first.is_ascii_digit())
}

fn is_escape(bytes: &[u8]) -> bool {
    let is_hex = |byte: &u8| matches!(byte, b'0'..=b'9' | b'A'..=b'F');
    matches!(bytes, [b'%', high, low, ..] if is_hex(high) && is_hex(low))
}

fn hex_digit(byte: u8) -> u8 {
    match byte {
        b'0'..=b'9' => byte - b'0',
        _ => byte - b'A' + 10,
    }
}

/// Whether the name, written as it is, would be taken for something else than a symbol of ours.
fn means_something_else(name: &str) -> bool {
    let numbered = |prefix: &str| {
        name.strip_prefix(prefix)
            .is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()))
    };
    let after_sign = name.trim_start_matches(['-', '+']);
    name.starts_with(['.', '@'])
        || after_sign.starts_with(|first: char| first.is_ascii_digit())
        || numbered(DEFINITION)
        || numbered("bv")
        || is_reserved(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documented_cases() {
        for (name, symbol) in [
            ("x", "x"),
            ("a%b", "a%b"),
            ("a%4g", "a%4g"),
            ("a%41", "a%2541"),
            ("%", "%"),
            ("%|", "%%7C"),
            ("", "%FF"),
            ("\u{fffd}", "%EF%BF%BD"),
            ("é", "%C3%A9"),
            ("a b", "|a b|"),
            ("true", "%74rue"),
            ("bv5", "%62v5"),
            ("bvx", "bvx"),
            ("def.12", "%64ef.12"),
            ("def.x", "def.x"),
            (".x", "%2Ex"),
            ("12", "%312"),
            ("-5", "%2D5"),
            ("-", "%2D"),
            ("\n", "%0A"),
            (":k", "|:k|"),
        ] {
            assert_eq!(quote(name), symbol, "{name:?}");
            assert_eq!(decode(symbol.trim_matches('|')), name);
        }
    }

    #[test]
    fn content_of_others_is_its_own_name() {
        for content in ["a%41", "%FE", "let", "def.3", "é", "%FF%FF", "a(b"] {
            assert_eq!(decode(content), content);
        }
    }
}
