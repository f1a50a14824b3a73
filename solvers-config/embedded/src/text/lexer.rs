//! Tokens of a stream, one after the other, with their places.
//!
//! Hand-written over bytes, because formulas have megabytes: a word is found by one pass with a table. Nothing is
//! read ahead of the token asked for, so that a command is carried out before the next one arrives.

use super::classes::{CLASS, SPACE, WORD};
use super::source::{MAX_HELD, More, Source};
use super::words::kind_of_word;
use crate::error::{Complaint, Fault, Place, shorten};
use std::io::Read;

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Open,
    Close,
    Symbol,
    /// Its text is what stands between the bars.
    Quoted,
    /// Its text has the colon.
    Keyword,
    Numeral,
    Decimal,
    /// Its text has the `#x`.
    Hexadecimal,
    /// Its text has the `#b`.
    Binary,
    /// Its text is what stands between the quotes, with inner quotes still doubled.
    String,
    /// Of the stream.
    End,
}

/// One token. Its text is held until the next one is asked for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) at: Place,
    start: usize,
    end: usize,
}

/// Bounds on one command.
const MAX_DEPTH: usize = 10_000_000;
const MAX_COMMAND: usize = 1 << 30;

pub(crate) struct Lexer<R> {
    source: Source<R>,
    position: usize,
    line: u32,
    line_start: usize,
    depth: usize,
    command_start: usize,
}

impl<R: Read> Lexer<R> {
    pub(crate) fn new(input: R) -> Self {
        Lexer { source: Source::new(input), position: 0, line: 1, line_start: 0, depth: 0, command_start: 0 }
    }

    /// How many parentheses are open.
    pub(crate) fn depth(&self) -> usize {
        self.depth
    }

    /// Where the next token will be looked for.
    pub(crate) fn place(&self) -> Place {
        self.place_of(self.position)
    }

    /// Bytes read since the command began.
    pub(crate) fn command_length(&self) -> usize {
        self.position - self.command_start
    }

    /// The text of the token that was given last.
    pub(crate) fn text(&self, token: Token) -> &[u8] {
        self.source.slice(token.start, token.end)
    }

    /// The same, for people.
    pub(crate) fn shown(&self, token: Token) -> String {
        match token.kind {
            Kind::Open => "(".to_owned(),
            Kind::Close => ")".to_owned(),
            Kind::End => "the end of the input".to_owned(),
            _ => shorten(&String::from_utf8_lossy(self.text(token))),
        }
    }

    /// Holds the text from this token on, until [`Lexer::captured`].
    pub(crate) fn capture(&mut self, token: Token) {
        // The text of a quoted symbol or string stands inside its marks.
        let marks = usize::from(matches!(token.kind, Kind::Quoted | Kind::String));
        self.source.capture(token.start - marks);
    }

    /// Holds no text any more.
    pub(crate) fn release(&mut self) {
        self.source.release();
    }

    /// The text from the token given to [`Lexer::capture`] up to the last token.
    pub(crate) fn captured(&mut self) -> Result<&[u8], Complaint> {
        self.source.captured(self.position).ok_or(Complaint::TooLong { limit: MAX_HELD })
    }

    fn place_of(&self, position: usize) -> Place {
        let column = u32::try_from(position - self.line_start + 1).unwrap_or(u32::MAX);
        Place { line: self.line, column }
    }

    /// More bytes behind a token that begins at `keep`; `false` at the end of the stream.
    fn more(&mut self, keep: usize, too_long: &mut bool) -> Result<bool, Fault> {
        match self.source.more(keep) {
            Ok(More::Here) => Ok(true),
            Ok(More::Overflow) => {
                *too_long = true;
                Ok(true)
            }
            Ok(More::End) => Ok(false),
            Err(error) => Err(Fault::new(self.place(), Complaint::Unreadable { reason: error.to_string() })),
        }
    }

    /// The next token; [`Kind::End`] for ever at the end.
    pub(crate) fn next(&mut self) -> Result<Token, Fault> {
        let first = loop {
            let (skipped, found) = self.skip_space();
            self.position += skipped;
            match found {
                Some(b';') => self.skip_comment()?,
                Some(first) => break Some(first),
                None => {
                    if !self.more(self.position, &mut false)? {
                        break None;
                    }
                }
            }
        };
        let (start, at) = (self.position, self.place());
        let token = |kind, start, end| Token { kind, at, start, end };
        let Some(first) = first else {
            return Ok(token(Kind::End, start, start));
        };
        match first {
            b'(' => {
                self.position += 1;
                if self.depth == 0 {
                    self.command_start = start;
                }
                self.depth += 1;
                if self.depth > MAX_DEPTH {
                    return Err(Fault::new(at, Complaint::TooDeep { limit: MAX_DEPTH }));
                }
                Ok(token(Kind::Open, start, start + 1))
            }
            b')' => {
                self.position += 1;
                match self.depth.checked_sub(1) {
                    Some(depth) => self.depth = depth,
                    None => return Err(Fault::new(at, Complaint::UnexpectedClose)),
                }
                Ok(token(Kind::Close, start, start + 1))
            }
            b'"' => self.enclosed(at, Kind::String),
            b'|' => self.enclosed(at, Kind::Quoted),
            _ if CLASS[usize::from(first)] & WORD != 0 => self.word(at),
            byte => {
                self.position += 1;
                Err(Fault::new(at, Complaint::InvalidByte { byte }))
            }
        }
        .and_then(|token| self.check_length(token))
    }

    fn check_length(&self, token: Token) -> Result<Token, Fault> {
        if self.depth > 0 && self.command_length() > MAX_COMMAND {
            return Err(Fault::new(token.at, Complaint::TooLong { limit: MAX_COMMAND }));
        }
        Ok(token)
    }

    /// How much white space comes next, and the byte behind it if that is known.
    fn skip_space(&mut self) -> (usize, Option<u8>) {
        let bytes = self.source.from(self.position);
        for (index, &byte) in bytes.iter().enumerate() {
            if CLASS[usize::from(byte)] != SPACE {
                return (index, Some(byte));
            }
            if byte == b'\n' {
                self.line = self.line.saturating_add(1);
                self.line_start = self.position + index + 1;
            }
        }
        (bytes.len(), None)
    }

    fn skip_comment(&mut self) -> Result<(), Fault> {
        let mut unheld = true;
        self.find(self.position, &mut unheld, |byte| byte == b'\n').map(|_| ())
    }

    fn word(&mut self, at: Place) -> Result<Token, Fault> {
        let start = self.position;
        let mut classes = 0;
        let mut too_long = false;
        loop {
            let bytes = self.source.from(self.position);
            let length = bytes
                .iter()
                .position(|&byte| {
                    let class = CLASS[usize::from(byte)];
                    classes |= class & WORD;
                    class & WORD == 0
                })
                .unwrap_or(bytes.len());
            let whole = length < bytes.len();
            self.position += length;
            if whole || !self.more(if too_long { self.position } else { start }, &mut too_long)? {
                break;
            }
        }
        if too_long {
            return Err(Fault::new(at, Complaint::TooLong { limit: MAX_HELD }));
        }
        let text = self.source.slice(start, self.position);
        match kind_of_word(text, classes) {
            Some(kind) => Ok(Token { kind, at, start, end: self.position }),
            None => {
                let word = shorten(&String::from_utf8_lossy(text));
                Err(Fault::new(at, Complaint::NotAWord { word }))
            }
        }
    }

    /// A string or quoted symbol.
    fn enclosed(&mut self, at: Place, kind: Kind) -> Result<Token, Fault> {
        let mark = if kind == Kind::String { b'"' } else { b'|' };
        let start = self.position;
        self.position += 1;
        let mut too_long = false;
        while let Some(byte) = self.find(start, &mut too_long, |byte| byte == mark || byte == b'\n')? {
            self.position += 1;
            if byte == b'\n' {
                self.line = self.line.saturating_add(1);
                self.line_start = self.position;
                continue;
            }
            // Two quotes in a string are one of its characters. Behind the end of a string there is always something
            // to be read without waiting: at least the parenthesis that ends the command.
            if kind == Kind::String && self.find(start, &mut too_long, |_| true)? == Some(mark) {
                self.position += 1;
                continue;
            }
            if too_long {
                return Err(Fault::new(at, Complaint::TooLong { limit: MAX_HELD }));
            }
            return Ok(Token { kind, at, start: start + 1, end: self.position - 1 });
        }
        Err(Fault::new(at, Complaint::Unfinished { kind: "string or quoted symbol" }))
    }

    /// Goes to the next byte that is wanted; `None` if the stream ends before.
    fn find(
        &mut self,
        keep: usize,
        too_long: &mut bool,
        wanted: impl Fn(u8) -> bool,
    ) -> Result<Option<u8>, Fault> {
        loop {
            let bytes = self.source.from(self.position);
            if let Some(index) = bytes.iter().position(|&byte| wanted(byte)) {
                let found = bytes[index];
                self.position += index;
                return Ok(Some(found));
            }
            self.position += bytes.len();
            if !self.more(if *too_long { self.position } else { keep }, too_long)? {
                return Ok(None);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives a few bytes at a time.
    struct Drip<'a>(&'a [u8], usize);

    impl Read for Drip<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let count = self.1.min(self.0.len()).min(buffer.len());
            buffer[..count].copy_from_slice(&self.0[..count]);
            self.0 = &self.0[count..];
            Ok(count)
        }
    }

    fn tokens(text: &str, chunk: usize) -> Vec<String> {
        let mut lexer = Lexer::new(Drip(text.as_bytes(), chunk));
        let mut found = Vec::new();
        loop {
            match lexer.next() {
                Ok(token) if token.kind == Kind::End => return found,
                Ok(token) => {
                    let place = token.at;
                    let text = String::from_utf8_lossy(lexer.text(token)).into_owned();
                    found.push(format!("{}:{} {:?} {text}", place.line, place.column, token.kind));
                }
                Err(fault) => found.push(fault.to_string()),
            }
        }
    }

    #[test]
    fn tokens_do_not_depend_on_how_the_bytes_arrive() {
        let text = "(a |b\nc| \"x\"\"y\" ; note\n :k 12 1.5 #xaF #b01)) 01 a:b \u{e9} \"\" \"open";
        let whole = tokens(text, 1000);
        for chunk in 1..20 {
            assert_eq!(tokens(text, chunk), whole);
        }
        let expected = [
            "1:1 Open (",
            "1:2 Symbol a",
            "1:4 Quoted b\nc",
            "2:4 String x\"\"y",
            "3:2 Keyword :k",
            "3:5 Numeral 12",
            "3:8 Decimal 1.5",
            "3:12 Hexadecimal #xaF",
            "3:17 Binary #b01",
            "3:21 Close )",
        ];
        assert_eq!(&whole[..10], expected);
        assert_eq!(whole.len(), 17, "{whole:?}");
    }
}
