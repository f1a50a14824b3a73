//! Framing of a byte stream into top-level s-expressions.

use super::{Construct, Malformed, SexprLimits, is_space, is_word_byte};

/// What one call of [`SexprScanner::feed`] achieved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// All bytes were taken; the expression (if one has begun) is not complete yet.
    NeedMore,
    /// One expression is complete, see [`SexprScanner::expression`]. Only `consumed` bytes were
    /// taken: feed the rest again.
    Complete {
        /// How many of the bytes were taken.
        consumed: usize,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Between tokens.
    Gap,
    /// In a comment, up to the end of the line.
    Comment,
    /// In an unquoted word.
    Word,
    /// In a string literal.
    Text,
    /// After a `"` inside a string: its end, or the first half of an escaped `""`.
    TextQuote,
    /// In a `|quoted symbol|`.
    Quoted,
}

/// Incremental scanner that finds the end of each top-level expression of a byte stream.
///
/// It keeps the bytes of the current expression and nothing else, and never recurses. After an
/// error it stays useless until [`SexprScanner::reset`].
///
/// ```
/// use warpath_solvers::smtlib::sexpr::{Progress, SexprLimits, SexprScanner};
/// let mut scanner = SexprScanner::new(SexprLimits::default());
/// assert_eq!(scanner.feed(b"((x ").unwrap(), Progress::NeedMore);
/// assert_eq!(scanner.feed(b"1))sat\n").unwrap(), Progress::Complete { consumed: 3 });
/// assert_eq!(scanner.expression(), b"((x 1))");
/// ```
#[derive(Debug, Clone)]
pub struct SexprScanner {
    limits: SexprLimits,
    state: State,
    depth: usize,
    /// Bytes of the expression being read, or of the one just completed.
    buffer: Vec<u8>,
    complete: bool,
    offset: u64,
    failed: Option<Malformed>,
}

impl SexprScanner {
    /// A scanner at the start of a stream.
    pub fn new(limits: SexprLimits) -> Self {
        SexprScanner {
            limits,
            state: State::Gap,
            depth: 0,
            buffer: Vec::new(),
            complete: false,
            offset: 0,
            failed: None,
        }
    }

    /// Takes bytes up to the end of the current expression.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<Progress, Malformed> {
        if let Some(failed) = self.failed {
            return Err(failed);
        }
        self.start_next();
        for (index, &byte) in bytes.iter().enumerate() {
            match self.step(byte) {
                Ok(Step::Taken) => self.offset += 1,
                Ok(Step::LastByte) => {
                    self.offset += 1;
                    self.complete = true;
                    return Ok(Progress::Complete { consumed: index + 1 });
                }
                Ok(Step::EndedBefore) => {
                    self.complete = true;
                    return Ok(Progress::Complete { consumed: index });
                }
                Err(error) => {
                    self.failed = Some(error);
                    return Err(error);
                }
            }
        }
        Ok(Progress::NeedMore)
    }

    /// Tells the scanner that the stream has ended. `true` if that completed an expression (a bare
    /// word or string needs something after it to be known complete).
    pub fn finish(&mut self) -> Result<bool, Malformed> {
        if let Some(failed) = self.failed {
            return Err(failed);
        }
        self.start_next();
        let offset = self.offset;
        let inside = match self.state {
            State::Text => Construct::String,
            State::Quoted => Construct::QuotedSymbol,
            _ if self.depth > 0 => Construct::List,
            State::Word | State::TextQuote => {
                self.state = State::Gap;
                self.complete = true;
                return Ok(true);
            }
            State::Gap | State::Comment => return Ok(false),
        };
        let error = Malformed::Unfinished { inside, offset };
        self.failed = Some(error);
        Err(error)
    }

    /// The bytes of the expression that was completed last (empty before that): no surrounding
    /// white space, no comments before it.
    pub fn expression(&self) -> &[u8] {
        if self.complete { &self.buffer } else { &[] }
    }

    /// `true` when no expression has been begun: only white space or comments since the last one.
    pub fn is_idle(&self) -> bool {
        self.complete || self.buffer.is_empty()
    }

    /// The bytes read so far of an expression that is not complete.
    pub fn partial(&self) -> &[u8] {
        if self.complete { &[] } else { &self.buffer }
    }

    /// Bytes taken since creation.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Forgets a half-read expression and any error; the next byte begins a new expression.
    pub fn reset(&mut self) {
        self.state = State::Gap;
        self.depth = 0;
        self.buffer.clear();
        self.complete = false;
        self.failed = None;
    }

    fn start_next(&mut self) {
        if self.complete {
            self.buffer.clear();
            self.complete = false;
        }
    }

    fn step(&mut self, byte: u8) -> Result<Step, Malformed> {
        match self.state {
            State::Gap => self.step_gap(byte),
            State::Comment => {
                if byte == b'\n' {
                    self.state = State::Gap;
                    if self.depth > 0 {
                        self.keep(byte)?;
                    }
                }
                Ok(Step::Taken)
            }
            State::Word if is_word_byte(byte) => self.keep(byte),
            State::Text => {
                if byte == b'"' {
                    self.state = State::TextQuote;
                }
                self.keep(byte)
            }
            State::TextQuote if byte == b'"' => {
                self.state = State::Text;
                self.keep(byte)
            }
            State::Word | State::TextQuote => {
                self.state = State::Gap;
                if self.depth == 0 { Ok(Step::EndedBefore) } else { self.step_gap(byte) }
            }
            State::Quoted => {
                self.keep(byte)?;
                if byte != b'|' {
                    return Ok(Step::Taken);
                }
                self.state = State::Gap;
                Ok(self.after_closing())
            }
        }
    }

    fn step_gap(&mut self, byte: u8) -> Result<Step, Malformed> {
        match byte {
            b';' => {
                // Comments inside an expression are dropped; the line feed that ends one is kept,
                // so that the words around it stay apart.
                self.state = State::Comment;
                Ok(Step::Taken)
            }
            b'(' => {
                if self.depth >= self.limits.max_depth {
                    return Err(Malformed::TooDeep { limit: self.limits.max_depth, offset: self.offset });
                }
                self.depth += 1;
                self.keep(byte)
            }
            b')' => {
                if self.depth == 0 {
                    return Err(Malformed::UnexpectedClose { offset: self.offset });
                }
                self.keep(byte)?;
                self.depth -= 1;
                Ok(self.after_closing())
            }
            b'"' => {
                self.state = State::Text;
                self.keep(byte)
            }
            b'|' => {
                self.state = State::Quoted;
                self.keep(byte)
            }
            _ if is_space(byte) => {
                if self.depth > 0 {
                    self.keep(byte)?;
                }
                Ok(Step::Taken)
            }
            _ if is_word_byte(byte) => {
                self.state = State::Word;
                self.keep(byte)
            }
            _ => Err(Malformed::InvalidByte { byte, offset: self.offset }),
        }
    }

    fn after_closing(&self) -> Step {
        if self.depth == 0 { Step::LastByte } else { Step::Taken }
    }

    fn keep(&mut self, byte: u8) -> Result<Step, Malformed> {
        if self.buffer.len() >= self.limits.max_bytes {
            return Err(Malformed::TooLong { limit: self.limits.max_bytes, offset: self.offset });
        }
        self.buffer.push(byte);
        Ok(Step::Taken)
    }
}

enum Step {
    Taken,
    /// The byte was taken and ends an expression.
    LastByte,
    /// The expression ended before this byte, which was not taken.
    EndedBefore,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &[u8], chunk: usize) -> Result<Vec<String>, Malformed> {
        let mut scanner = SexprScanner::new(SexprLimits { max_bytes: 64, max_depth: 4 });
        let mut found = Vec::new();
        for piece in text.chunks(chunk) {
            let mut rest = piece;
            while let Progress::Complete { consumed } = scanner.feed(rest)? {
                found.push(String::from_utf8_lossy(scanner.expression()).into_owned());
                rest = &rest[consumed..];
            }
        }
        if scanner.finish()? {
            found.push(String::from_utf8_lossy(scanner.expression()).into_owned());
        }
        Ok(found)
    }

    #[test]
    fn every_way_of_cutting_gives_the_same_expressions() {
        let text = b" ; a ( comment\nsat ((|a )(| \"x)\"\"(\") ; in (\n) \"say \"\"hi\"\"\" |q r|unsat";
        let expected = vec!["sat", "((|a )(| \"x)\"\"(\") \n)", "\"say \"\"hi\"\"\"", "|q r|", "unsat"];
        for chunk in 1..=text.len() {
            assert_eq!(split(text, chunk).unwrap(), expected, "chunks of {chunk}");
        }
    }

    #[test]
    fn errors_name_their_place() {
        assert_eq!(split(b"sat )", 2), Err(Malformed::UnexpectedClose { offset: 4 }));
        assert_eq!(split(b"(((((", 2), Err(Malformed::TooDeep { limit: 4, offset: 4 }));
        assert_eq!(split("é".as_bytes(), 9), Err(Malformed::InvalidByte { byte: 0xc3, offset: 0 }));
        assert_eq!(split(&[b'a'; 70], 9), Err(Malformed::TooLong { limit: 64, offset: 64 }));
        let unfinished = |inside, offset| Err(Malformed::Unfinished { inside, offset });
        assert_eq!(split(b"(a", 9), unfinished(Construct::List, 2));
        assert_eq!(split(b"(\"a", 9), unfinished(Construct::String, 3));
        assert_eq!(split(b"|a", 9), unfinished(Construct::QuotedSymbol, 2));
    }

    #[test]
    fn an_error_stays_until_reset() {
        let mut scanner = SexprScanner::new(SexprLimits::default());
        let error = scanner.feed(b")").unwrap_err();
        assert_eq!(scanner.feed(b"sat\n"), Err(error));
        assert_eq!(scanner.finish(), Err(error));
        scanner.reset();
        assert_eq!(scanner.feed(b"sat\n"), Ok(Progress::Complete { consumed: 3 }));
        assert_eq!(scanner.expression(), b"sat");
    }
}
