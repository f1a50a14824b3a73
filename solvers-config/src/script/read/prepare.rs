//! The check in front of the parser: what passes is well-formed, bounded and known.

use super::ScriptLimits;
use super::syntax::{Number, Verb};
use crate::script::command::Soft;
use crate::script::error::{Location, ScriptError};
use crate::smtlib::sexpr::{Construct, Malformed, Token, TokenKind, Tokens};
use crate::smtlib::symbol;

/// A text that the parser can be trusted with, and where its commands are.
pub(super) struct Prepared {
    /// The script, byte for byte in place, with spaces where the parser must not look.
    pub(super) text: Vec<u8>,
    pub(super) pieces: Vec<Piece>,
}

/// One command.
pub(super) struct Piece {
    pub(super) at: Location,
    /// The command itself, if the parser does not get to see it.
    pub(super) direct: Option<Verb>,
    /// For `assert-soft`, which the parser sees as `assert`: the price.
    pub(super) soft: Option<Soft>,
    /// For `set-option` and `set-info`: the value as it stands, but for comments and spacing.
    pub(super) value: String,
}

/// What begins a line that only Warpath reads.
const DIRECTIVE: &[u8] = b";@";

/// Commands that are passed on as they are.
const KNOWN: &[&str] = &[
    "assert",
    "check-sat",
    "check-sat-assuming",
    "declare-const",
    "declare-fun",
    "define-fun",
    "echo",
    "exit",
    "get-info",
    "get-model",
    "get-unsat-assumptions",
    "get-unsat-core",
    "pop",
    "push",
    "reset",
    "reset-assertions",
    "set-info",
    "set-logic",
    "set-option",
];

pub(super) fn prepare(text: &str, limits: &ScriptLimits) -> Result<Prepared, ScriptError> {
    let directives = find_directives(text.as_bytes());
    let mut clean = text.as_bytes().to_vec();
    for &offset in &directives {
        clean[offset..offset + DIRECTIVE.len()].fill(b' ');
    }
    let mut scan = Scan {
        text: text.as_bytes(),
        limits,
        directives: &directives,
        lines: Lines::default(),
        elements: Vec::new(),
        pieces: Vec::new(),
        blanks: Vec::new(),
    };
    scan.all(&clean)?;
    let Scan { pieces, blanks, .. } = scan;
    for (range, keep) in blanks {
        for byte in &mut clean[range] {
            // Line feeds stay, so that the parser counts lines as the reader does.
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
        if let Some((at, word)) = keep {
            clean[at..at + word.len()].copy_from_slice(word);
        }
    }
    Ok(Prepared { text: clean, pieces })
}

/// Offsets of the directive marks: at the beginning of a line, outside everything.
fn find_directives(text: &[u8]) -> Vec<usize> {
    let mut depth = 0_usize;
    let mut found = Vec::new();
    for token in Tokens::new(text).map_while(Result::ok) {
        match token.kind {
            TokenKind::Open => depth += 1,
            TokenKind::Close => depth = depth.saturating_sub(1),
            TokenKind::Comment
                if depth == 0
                    && text[token.start..].starts_with(b";@(")
                    && (token.start == 0 || text[token.start - 1] == b'\n') =>
            {
                found.push(token.start);
            }
            _ => {}
        }
    }
    found
}

/// Bytes to blank out, and a word to write into the blank.
type Blank = (std::ops::Range<usize>, Option<(usize, &'static [u8])>);

struct Scan<'a> {
    /// The text as written, for places.
    text: &'a [u8],
    limits: &'a ScriptLimits,
    directives: &'a [usize],
    lines: Lines,
    /// Tokens that begin the elements of the current command: its name, then its arguments.
    elements: Vec<Token>,
    pieces: Vec<Piece>,
    blanks: Vec<Blank>,
}

impl Scan<'_> {
    fn all(&mut self, clean: &[u8]) -> Result<(), ScriptError> {
        let mut depth = 0_usize;
        let mut begin = 0;
        let mut inner_close = 0;
        for token in Tokens::new(clean) {
            let token = token.map_err(|reason| self.malformed(reason))?;
            if token.kind == TokenKind::Comment {
                continue;
            }
            self.check_length(token)?;
            match (token.kind, depth) {
                (TokenKind::Open, 0) => {
                    begin = token.start;
                    self.elements.clear();
                }
                (TokenKind::Close, 0) => {
                    return Err(self.malformed(Malformed::UnexpectedClose { offset: token.start as u64 }));
                }
                (TokenKind::Close, 1) => {}
                (TokenKind::Close, 2) => inner_close = token.start,
                (_, 0) => {
                    return Err(ScriptError::NotACommand { at: Location::of(self.text, token.start) });
                }
                (_, 1) => self.elements.push(token),
                _ => {}
            }
            match token.kind {
                TokenKind::Open if depth == self.limits.max_depth => {
                    return Err(self.malformed(Malformed::TooDeep {
                        limit: self.limits.max_depth,
                        offset: token.start as u64,
                    }));
                }
                TokenKind::Open => depth += 1,
                TokenKind::Close => {
                    depth -= 1;
                    if depth == 0 {
                        self.command(clean, begin, token.start, inner_close)?;
                    }
                }
                _ => {}
            }
        }
        if depth > 0 {
            return Err(
                self.malformed(Malformed::Unfinished { inside: Construct::List, offset: clean.len() as u64 })
            );
        }
        Ok(())
    }

    /// One complete command: `clean[begin..=end]`. `inner_close` is the last parenthesis closed
    /// directly inside it.
    fn command(
        &mut self,
        clean: &[u8],
        begin: usize,
        end: usize,
        inner_close: usize,
    ) -> Result<(), ScriptError> {
        let at = self.lines.location(self.text, begin);
        let (head, arguments) = match self.elements.split_first() {
            Some((head, arguments)) if head.kind == TokenKind::Symbol => (*head, arguments),
            _ => return Err(ScriptError::NotACommand { at }),
        };
        let name = &clean[head.start..head.end];
        let mut piece = Piece { at, direct: None, soft: None, value: String::new() };
        let is_directive = self.directives.binary_search(&begin.saturating_sub(DIRECTIVE.len())).is_ok();
        if is_directive && (name != b"assert-soft" || clean[begin..end].contains(&b'\n')) {
            return Err(ScriptError::UnsupportedCommand {
                at,
                command: format!(";@({}", String::from_utf8_lossy(name)),
                help: "a ;@ line holds exactly one (assert-soft …), whole",
            });
        }
        match (name, arguments) {
            (b"push" | b"pop", []) => {
                let one = Number::from(1);
                piece.direct = Some(if name == b"push" { Verb::Push(one) } else { Verb::Pop(one) });
                self.blanks.push((begin..end + 1, None));
            }
            (b"get-value", [list]) if list.kind == TokenKind::Open => {
                let empty = Tokens::new(&clean[list.end..inner_close])
                    .all(|token| token.is_ok_and(|token| token.kind == TokenKind::Comment));
                if empty {
                    return Err(unsupported(at, name, "name at least one term"));
                }
                self.blanks.push((list.start..list.end, None));
                self.blanks.push((inner_close..inner_close + 1, None));
            }
            (b"get-value", _) => {
                return Err(unsupported(at, name, "write (get-value (term …))"));
            }
            (b"assert-soft", [_, attributes @ ..]) => {
                piece.soft = Some(soft(clean, at, attributes)?);
                self.blanks.push((head.start..head.end, Some((head.start, b"assert"))));
                if let Some(first) = attributes.first() {
                    self.blanks.push((first.start..end, None));
                }
            }
            (b"set-option" | b"set-info", [_, value, ..]) => {
                piece.value = respaced(&clean[value.start..end]);
            }
            (b"assert-soft", []) => {
                return Err(unsupported(at, name, "say what is asserted"));
            }
            _ => {
                let known = std::str::from_utf8(name).is_ok_and(|name| KNOWN.contains(&name));
                if !known {
                    return Err(unsupported(
                        at,
                        name,
                        "remove it, or solve the file with the solver that knows it",
                    ));
                }
            }
        }
        self.pieces.push(piece);
        Ok(())
    }

    fn check_length(&self, token: Token) -> Result<(), ScriptError> {
        let limited = matches!(
            token.kind,
            TokenKind::Numeral | TokenKind::Decimal | TokenKind::Hexadecimal | TokenKind::Binary
        );
        let length = token.end - token.start;
        if limited && length > self.limits.max_literal {
            return Err(ScriptError::LiteralTooLong {
                at: Location::of(self.text, token.start),
                length,
                limit: self.limits.max_literal,
            });
        }
        Ok(())
    }

    fn malformed(&self, reason: Malformed) -> ScriptError {
        let offset = usize::try_from(reason.offset()).unwrap_or(usize::MAX);
        ScriptError::Malformed { at: Location::of(self.text, offset), reason }
    }
}

/// Tokens with single spaces between them, and none inside parentheses.
fn respaced(text: &[u8]) -> String {
    let mut result = String::new();
    for token in Tokens::new(text).map_while(Result::ok) {
        if token.kind == TokenKind::Comment {
            continue;
        }
        let apart = !result.is_empty() && !result.ends_with('(') && token.kind != TokenKind::Close;
        if apart {
            result.push(' ');
        }
        result.push_str(&String::from_utf8_lossy(&text[token.start..token.end]));
    }
    result
}

fn unsupported(at: Location, name: &[u8], help: &'static str) -> ScriptError {
    ScriptError::UnsupportedCommand { at, command: String::from_utf8_lossy(name).into_owned(), help }
}

/// `:weight n` and `:id symbol`, in any order.
fn soft(clean: &[u8], at: Location, attributes: &[Token]) -> Result<Soft, ScriptError> {
    let malformed = || unsupported(at, b"assert-soft", "write it with :weight NUMBER :id SYMBOL");
    let mut soft = Soft::default();
    for pair in attributes.chunks(2) {
        let [keyword, value] = pair else {
            return Err(malformed());
        };
        let text = |token: &Token| String::from_utf8_lossy(&clean[token.start..token.end]).into_owned();
        match (text(keyword).as_str(), value.kind) {
            (":weight", TokenKind::Numeral) => {
                soft.weight = text(value)
                    .parse()
                    .map_err(|_| ScriptError::NumberOutOfRange { at, text: text(value) })?;
            }
            (":id", TokenKind::Symbol) => soft.id = Some(symbol::decode(&text(value))),
            (":id", TokenKind::Quoted) => {
                soft.id = Some(symbol::decode(text(value).trim_matches('|')));
            }
            _ => return Err(malformed()),
        }
    }
    Ok(soft)
}

/// Finds the places of growing offsets without starting from the top each time.
#[derive(Default)]
struct Lines {
    offset: usize,
    line: usize,
    line_start: usize,
}

impl Lines {
    fn location(&mut self, text: &[u8], offset: usize) -> Location {
        for (index, &byte) in text[self.offset..offset].iter().enumerate() {
            if byte == b'\n' {
                self.line += 1;
                self.line_start = self.offset + index + 1;
            }
        }
        self.offset = offset;
        Location { line: self.line + 1, column: offset - self.line_start + 1 }
    }
}
