//! Tokens of a complete text.

use super::{Construct, Malformed, is_space, is_symbol_byte, is_word_byte};

/// What a [`Token`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenKind {
    /// `(`
    Open,
    /// `)`
    Close,
    /// A string literal, quotes included.
    String,
    /// A `|quoted symbol|`, bars included.
    Quoted,
    /// A simple symbol or a reserved word.
    Symbol,
    /// `:keyword`
    Keyword,
    /// `0`, `42`
    Numeral,
    /// `1.5`
    Decimal,
    /// `#xff`
    Hexadecimal,
    /// `#b01`
    Binary,
    /// A comment, from `;` up to but without the line feed.
    Comment,
}

/// One token: `text[start..end]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// First byte.
    pub start: usize,
    /// Behind the last byte.
    pub end: usize,
}

/// Iterator over the tokens of a text, comments included; it stops at the first error.
///
/// Stricter than the framing scanner: words must be well-formed, so that a parser with a laxer
/// or a buggier lexer behind it sees only what it was made for.
#[derive(Debug, Clone)]
pub struct Tokens<'a> {
    text: &'a [u8],
    position: usize,
}

impl<'a> Tokens<'a> {
    /// Tokens of `text`, from its start.
    pub fn new(text: &'a [u8]) -> Self {
        Tokens { text, position: 0 }
    }

    fn run(&self, from: usize, accept: impl Fn(u8) -> bool) -> usize {
        self.text[from..]
            .iter()
            .position(|&byte| !accept(byte))
            .map_or(self.text.len(), |length| from + length)
    }

    fn token(&mut self) -> Result<Option<Token>, Malformed> {
        let start = self.run(self.position, is_space);
        let Some(&first) = self.text.get(start) else {
            self.position = start;
            return Ok(None);
        };
        let (kind, end) = match first {
            b'(' => (TokenKind::Open, start + 1),
            b')' => (TokenKind::Close, start + 1),
            b';' => (TokenKind::Comment, self.run(start, |byte| byte != b'\n')),
            b'"' => (TokenKind::String, self.string_end(start)?),
            b'|' => {
                let bar = self.run(start + 1, |byte| byte != b'|');
                if bar == self.text.len() {
                    return Err(self.unfinished(Construct::QuotedSymbol));
                }
                (TokenKind::Quoted, bar + 1)
            }
            _ if is_word_byte(first) => {
                let end = self.run(start, is_word_byte);
                match word_kind(&self.text[start..end]) {
                    Some(kind) => (kind, end),
                    None => {
                        return Err(Malformed::BadWord { offset: start as u64 });
                    }
                }
            }
            _ => {
                return Err(Malformed::InvalidByte { byte: first, offset: start as u64 });
            }
        };
        self.position = end;
        Ok(Some(Token { kind, start, end }))
    }

    fn string_end(&self, start: usize) -> Result<usize, Malformed> {
        let mut from = start + 1;
        loop {
            let quote = self.run(from, |byte| byte != b'"');
            if quote == self.text.len() {
                return Err(self.unfinished(Construct::String));
            }
            if self.text.get(quote + 1) != Some(&b'"') {
                return Ok(quote + 1);
            }
            from = quote + 2;
        }
    }

    fn unfinished(&self, inside: Construct) -> Malformed {
        Malformed::Unfinished { inside, offset: self.text.len() as u64 }
    }
}

impl Iterator for Tokens<'_> {
    type Item = Result<Token, Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        let token = self.token();
        if token.is_err() {
            self.position = self.text.len();
        }
        token.transpose()
    }
}

fn word_kind(word: &[u8]) -> Option<TokenKind> {
    let is_digits = |digits: &[u8]| !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    // A numeral has no leading zero, except zero itself.
    let is_numeral = |digits: &[u8]| is_digits(digits) && (digits[0] != b'0' || digits.len() == 1);
    match word {
        [b'#', b'x', digits @ ..] => {
            (!digits.is_empty() && digits.iter().all(u8::is_ascii_hexdigit)).then_some(TokenKind::Hexadecimal)
        }
        [b'#', b'b', digits @ ..] => (!digits.is_empty()
            && digits.iter().all(|digit| matches!(digit, b'0' | b'1')))
        .then_some(TokenKind::Binary),
        [b':', name @ ..] => {
            (!name.is_empty() && name.iter().all(|&byte| is_symbol_byte(byte))).then_some(TokenKind::Keyword)
        }
        [b'0'..=b'9', ..] => match word.iter().position(|&byte| byte == b'.') {
            None => is_numeral(word).then_some(TokenKind::Numeral),
            Some(dot) => {
                (is_numeral(&word[..dot]) && is_digits(&word[dot + 1..])).then_some(TokenKind::Decimal)
            }
        },
        _ => word.iter().all(|&byte| is_symbol_byte(byte)).then_some(TokenKind::Symbol),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use TokenKind::*;

    fn kinds(text: &str) -> Result<Vec<TokenKind>, Malformed> {
        Tokens::new(text.as_bytes()).map(|token| token.map(|token| token.kind)).collect()
    }

    #[test]
    fn each_kind_is_known() {
        assert_eq!(
            kinds("( ) \"a\"\"b\" |a b| x- :k 0 10 1.05 #xaF #b01 ; end"),
            Ok(vec![
                Open,
                Close,
                String,
                Quoted,
                Symbol,
                Keyword,
                Numeral,
                Numeral,
                Decimal,
                Hexadecimal,
                Binary,
                Comment
            ])
        );
    }

    #[test]
    fn words_that_are_no_words_are_refused() {
        for bad in ["12ab", "01", "#", "#x", "#b2", "#q1", ":", "a:b", "1.", "a#"] {
            assert_eq!(kinds(bad), Err(Malformed::BadWord { offset: 0 }), "{bad} should be refused");
        }
        assert_eq!(kinds("a \u{e9}"), Err(Malformed::InvalidByte { byte: 0xc3, offset: 2 }));
    }
}
