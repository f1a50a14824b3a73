//! One line of the text while it is being read.

use std::borrow::Cow;

use nom::Parser;
use nom::bytes::complete::tag;

use crate::text::error::{ParseError, Problem};
use crate::text::lex::{self, Lex};
use crate::text::words::{NumberedWord, Word};

/// What reading a piece gives.
pub(super) type Parsed<T> = Result<T, ParseError>;

/// A place in a line, for errors found out later.
#[derive(Clone, Copy)]
pub(super) struct Mark(usize);

/// The rest of a line. Blanks after each piece are skipped, so `rest` always begins with the next piece.
pub(super) struct Cursor<'a> {
    number: usize,
    line: &'a str,
    rest: &'a str,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(number: usize, line: &'a str) -> Self {
        let mut cursor = Cursor { number, line, rest: line };
        cursor.skip_blanks();
        cursor
    }

    fn skip_blanks(&mut self) {
        if let Ok((rest, _)) = lex::blanks(self.rest) {
            self.rest = rest;
        }
    }

    /// Has the line nothing more to say? A `#` at the start of a piece begins a comment.
    pub(super) fn at_end(&self) -> bool {
        self.rest.is_empty() || self.rest.starts_with('#')
    }

    /// The line ends here, or something is left over.
    pub(super) fn end(&self) -> Parsed<()> {
        if self.at_end() { Ok(()) } else { Err(self.expected("the end of the line")) }
    }

    /// The line's number, from 1.
    pub(super) fn line_number(&self) -> usize {
        self.number
    }

    /// All of the line.
    pub(super) fn whole_line(&self) -> &'a str {
        self.line
    }

    /// The next character.
    pub(super) fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    /// This place.
    pub(super) fn mark(&self) -> Mark {
        Mark(self.line.len() - self.rest.len())
    }

    /// The text between a place and this one.
    pub(super) fn since(&self, mark: Mark) -> &'a str {
        self.line[mark.0..self.mark().0].trim_end()
    }

    /// An error at a place of this line.
    pub(super) fn error_at(&self, mark: Mark, problem: Problem) -> ParseError {
        let column = self.line[..mark.0].chars().count() + 1;
        ParseError { line: self.number, column, problem }
    }

    /// An error here: something else was expected.
    pub(super) fn expected(&self, expected: &str) -> ParseError {
        let found = if self.at_end() { lex::token("") } else { lex::token(self.rest) };
        self.error_at(self.mark(), Problem::Expected { expected: expected.to_owned(), found })
    }

    /// The next piece, if it is one that the parser knows.
    pub(super) fn maybe<O>(&mut self, parser: impl FnOnce(&'a str) -> Lex<'a, O>) -> Option<O> {
        let (rest, piece) = parser(self.rest).ok()?;
        self.rest = rest;
        self.skip_blanks();
        Some(piece)
    }

    /// The next piece, which must be one that the parser knows.
    pub(super) fn take<O>(
        &mut self,
        parser: impl FnOnce(&'a str) -> Lex<'a, O>,
        expected: &str,
    ) -> Parsed<O> {
        self.maybe(parser).ok_or_else(|| self.expected(expected))
    }

    /// Skips this punctuation, if it is here.
    pub(super) fn skip(&mut self, punctuation: &str) -> bool {
        self.maybe(|input| tag(punctuation).parse(input)).is_some()
    }

    /// Skips this punctuation, which must be here.
    pub(super) fn punctuation(&mut self, punctuation: &str) -> Parsed<()> {
        if self.skip(punctuation) { Ok(()) } else { Err(self.expected(&format!("`{punctuation}`"))) }
    }

    /// Skips this word, if it is here.
    pub(super) fn skip_word(&mut self, word: &str) -> bool {
        let here = self.rest;
        if self.maybe(lex::keyword) == Some(word) {
            return true;
        }
        self.rest = here;
        false
    }

    /// Skips this word, which must be here.
    pub(super) fn keyword(&mut self, word: &str) -> Parsed<()> {
        if self.skip_word(word) { Ok(()) } else { Err(self.expected(&format!("`{word}`"))) }
    }

    /// A word of this vocabulary, if it is here.
    pub(super) fn maybe_word<W: Word>(&mut self) -> Option<W> {
        let here = self.rest;
        let word = self.maybe(lex::keyword).and_then(W::from_word);
        if word.is_none() {
            self.rest = here;
        }
        word
    }

    /// A word of this vocabulary.
    pub(super) fn word<W: Word>(&mut self) -> Parsed<W> {
        self.maybe_word().ok_or_else(|| self.expected(&one_of(W::ALL.iter().map(|(word, _)| *word))))
    }

    /// A word of this vocabulary with its number, if it is here.
    pub(super) fn maybe_numbered<W: NumberedWord>(&mut self) -> Parsed<Option<W>> {
        let here = self.rest;
        let Some(word) = self.maybe(lex::keyword) else { return Ok(None) };
        if let Some((_, value)) = W::PLAIN.iter().find(|(known, _)| *known == word) {
            return Ok(Some(*value));
        }
        if let Some((_, make)) = W::NUMBERED.iter().find(|(known, _)| *known == word) {
            let mark = self.mark();
            let number = self.integer()?;
            return make(number).map(Some).ok_or_else(|| {
                self.error_at(mark, Problem::TooWide { value: number.to_string(), width: 32 })
            });
        }
        self.rest = here;
        Ok(None)
    }

    /// A word of this vocabulary with its number.
    pub(super) fn numbered<W: NumberedWord>(&mut self) -> Parsed<W> {
        let words =
            || W::PLAIN.iter().map(|(word, _)| *word).chain(W::NUMBERED.iter().map(|(word, _)| *word));
        match self.maybe_numbered()? {
            Some(word) => Ok(word),
            None => Err(self.expected(&one_of(words()))),
        }
    }

    /// A number that fits the type wanted.
    pub(super) fn number<N: TryFrom<u128>>(&mut self, expected: &str) -> Parsed<N> {
        let mark = self.mark();
        let number = self.take(lex::unsigned, expected)?;
        N::try_from(number).map_err(|_| self.too_wide(mark, 8 * size_of::<N>() as u32))
    }

    /// A number that may be negative.
    fn integer(&mut self) -> Parsed<i64> {
        let mark = self.mark();
        let (negative, amount) = self.take(lex::signed, "a number")?;
        let amount = i64::try_from(amount).map_err(|_| self.too_wide(mark, 64))?;
        Ok(if negative { -amount } else { amount })
    }

    /// A number that may be negative, of 32 bits.
    pub(super) fn integer_32(&mut self) -> Parsed<i32> {
        let mark = self.mark();
        i32::try_from(self.integer()?).map_err(|_| self.too_wide(mark, 32))
    }

    /// A value of so many bits; a negative one is taken as its two's complement.
    pub(super) fn value(&mut self, width: u32) -> Parsed<u128> {
        let mark = self.mark();
        let (negative, amount) = self.take(lex::signed, "a value")?;
        bits(negative, amount, width).ok_or_else(|| self.too_wide(mark, width))
    }

    /// A value that may have more than so many bits, which only say what a negative one is.
    pub(super) fn wide_value(&mut self, width: u32) -> Parsed<u128> {
        let width = if self.peek() == Some('-') { width } else { 128 };
        self.value(width)
    }

    pub(super) fn too_wide(&self, mark: Mark, width: u32) -> ParseError {
        self.error_at(mark, Problem::TooWide { value: self.since(mark).to_owned(), width })
    }

    /// Bytes between quotes.
    pub(super) fn quoted(&mut self) -> Parsed<Vec<u8>> {
        self.take(lex::quoted, "a string between quotes, closed on the same line")
    }

    /// Text between quotes.
    pub(super) fn quoted_text(&mut self) -> Parsed<String> {
        let mark = self.mark();
        let bytes = self.quoted()?;
        String::from_utf8(bytes).map_err(|_| {
            let found = lex::token(self.since(mark));
            self.error_at(mark, Problem::Expected { expected: "a string that is UTF-8".to_owned(), found })
        })
    }

    /// A name.
    pub(super) fn name(&mut self, expected: &str) -> Parsed<Cow<'a, [u8]>> {
        self.take(lex::name, expected)
    }
}

/// The bits of a number in a width of 0 to 128, if it fits.
pub(super) fn bits(negative: bool, amount: u128, width: u32) -> Option<u128> {
    let mask = if width >= 128 { u128::MAX } else { (1 << width) - 1 };
    match negative {
        false => (amount & !mask == 0).then_some(amount),
        // The most negative number is half the range.
        true => (width > 0 && amount <= mask / 2 + 1).then_some(amount.wrapping_neg() & mask),
    }
}

fn one_of(words: impl Iterator<Item = &'static str>) -> String {
    let words: Vec<String> = words.map(|word| format!("`{word}`")).collect();
    match &words[..] {
        [] => "nothing".to_owned(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}
