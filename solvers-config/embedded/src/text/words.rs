//! What words are.

use super::classes::{CLASS, MARK, SYMBOL};
use super::lexer::Kind;

/// What a word is, if it is well-formed. `classes` are those of all its bytes.
pub(super) fn kind_of_word(word: &[u8], classes: u8) -> Option<Kind> {
    let is_digits = |digits: &[u8]| !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    // A numeral has no leading zero, except zero itself.
    let is_numeral = |digits: &[u8]| is_digits(digits) && (digits[0] != b'0' || digits.len() == 1);
    match word {
        [b'#', b'x', digits @ ..] => {
            (!digits.is_empty() && digits.iter().all(u8::is_ascii_hexdigit)).then_some(Kind::Hexadecimal)
        }
        [b'#', b'b', digits @ ..] => {
            let binary = |digit: &u8| matches!(digit, b'0' | b'1');
            (!digits.is_empty() && digits.iter().all(binary)).then_some(Kind::Binary)
        }
        [b':', name @ ..] => {
            let plain = name.iter().all(|&byte| CLASS[usize::from(byte)] == SYMBOL);
            (!name.is_empty() && plain).then_some(Kind::Keyword)
        }
        [b'0'..=b'9', ..] => match word.iter().position(|&byte| byte == b'.') {
            None => is_numeral(word).then_some(Kind::Numeral),
            Some(dot) => (is_numeral(&word[..dot]) && is_digits(&word[dot + 1..])).then_some(Kind::Decimal),
        },
        _ => (classes & MARK == 0).then_some(Kind::Symbol),
    }
}
