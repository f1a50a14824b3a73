//! S-expressions, the only syntax that passes between Warpath and a solver.
//!
//! Three layers, none of them recursive, all of them bounded by [`SexprLimits`]:
//! - [`SexprScanner`] frames a byte stream: it says where one top-level expression ends, without
//!   looking at what it says;
//! - [`Tokens`] cuts a complete text into tokens and says where a byte or a literal is not SMT-LIB;
//! - [`Sexpr`] is the tree of one answer.

mod scanner;
mod token;
mod tree;

pub use scanner::{Progress, SexprScanner};
pub use token::{Token, TokenKind, Tokens};
pub use tree::Sexpr;

use thiserror::Error;

/// Bounds on one top-level expression; whoever sends more is cut off with [`Malformed`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SexprLimits {
    /// Longest expression, in bytes (comments and white space between expressions do not count).
    pub max_bytes: usize,
    /// Deepest nesting of parentheses.
    pub max_depth: usize,
}

impl SexprLimits {
    /// Nesting at which a [`Sexpr`] tree is refused whatever the limits say, because dropping a
    /// tree costs stack in proportion to its depth.
    pub const TREE_DEPTH: usize = 4096;
}

impl Default for SexprLimits {
    fn default() -> Self {
        SexprLimits { max_bytes: 256 << 20, max_depth: Self::TREE_DEPTH }
    }
}

/// Why a text is not a sequence of s-expressions. Offsets count bytes from the start of the text,
/// or from the creation of the scanner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Malformed {
    /// A closing parenthesis that nothing opened.
    #[error("closing parenthesis at byte {offset} has no opening one")]
    UnexpectedClose {
        /// Where it stands.
        offset: u64,
    },
    /// A byte that SMT-LIB allows only inside strings, quoted symbols and comments.
    #[error(
        "byte 0x{byte:02x} at byte {offset} is not allowed outside a string, a |quoted symbol| or a comment"
    )]
    InvalidByte {
        /// The byte.
        byte: u8,
        /// Where it stands.
        offset: u64,
    },
    /// A word that begins like a literal but is none, for example `12ab` or `#xyz`.
    #[error("word at byte {offset} is neither a symbol, a keyword nor a literal")]
    BadWord {
        /// Where it begins.
        offset: u64,
    },
    /// More parentheses open at once than allowed.
    #[error("more than {limit} parentheses are open at byte {offset}")]
    TooDeep {
        /// The limit that was passed.
        limit: usize,
        /// Where it was passed.
        offset: u64,
    },
    /// One expression is longer than allowed.
    #[error("the expression that ends beyond byte {offset} is longer than {limit} bytes")]
    TooLong {
        /// The limit that was passed.
        limit: usize,
        /// Where it was passed.
        offset: u64,
    },
    /// The text ends inside an expression.
    #[error("the text ends at byte {offset} inside {inside}")]
    Unfinished {
        /// What was open: a list, a string or a quoted symbol.
        inside: Construct,
        /// Where the text ends.
        offset: u64,
    },
    /// Something other than one expression stands where one was asked for.
    #[error("expected exactly one expression, found another at byte {offset}")]
    NotOne {
        /// Where the surplus begins (or where the missing one should begin).
        offset: u64,
    },
}

impl Malformed {
    /// The byte offset that the error points at.
    pub fn offset(&self) -> u64 {
        match *self {
            Malformed::UnexpectedClose { offset }
            | Malformed::InvalidByte { offset, .. }
            | Malformed::BadWord { offset }
            | Malformed::TooDeep { offset, .. }
            | Malformed::TooLong { offset, .. }
            | Malformed::Unfinished { offset, .. }
            | Malformed::NotOne { offset } => offset,
        }
    }
}

/// What was still open when a text ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Construct {
    /// A parenthesised list.
    List,
    /// A string literal.
    String,
    /// A `|quoted symbol|`.
    QuotedSymbol,
}

impl std::fmt::Display for Construct {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Construct::List => "a list",
            Construct::String => "a string",
            Construct::QuotedSymbol => "a quoted symbol",
        })
    }
}

/// White space of SMT-LIB: space, tab, line feed, carriage return.
pub(crate) const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// Bytes of simple symbols, digits included.
pub(crate) const fn is_symbol_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(
            byte,
            b'~' | b'!'
                | b'@'
                | b'$'
                | b'%'
                | b'^'
                | b'&'
                | b'*'
                | b'_'
                | b'-'
                | b'+'
                | b'='
                | b'<'
                | b'>'
                | b'.'
                | b'?'
                | b'/'
        )
}

/// Bytes of any unquoted word: symbols, `:keywords`, numbers, `#x…` and `#b…`.
pub(crate) const fn is_word_byte(byte: u8) -> bool {
    is_symbol_byte(byte) || matches!(byte, b'#' | b':')
}
