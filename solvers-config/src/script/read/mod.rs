//! Reading scripts, through `smt2parser`.
//!
//! The parser behind this is not made for hostile or merely unusual text, so it is kept between two
//! layers of ours:
//! - `prepare` stands in front: it checks every byte, word and parenthesis, bounds sizes, knows the
//!   commands, and takes out what the parser gets wrong. What that is:
//!   - a lexical error ends its token stream as if the file ended there, silently dropping the rest;
//!   - numerals run into the words behind them (`12ab` is two tokens), a bare `:` is a keyword;
//!   - numbers are converted in quadratic time;
//!   - `(get-value (x y))` is read as the application of `x` to `y`, and `(get-value (x))` refused;
//!   - `assert-soft` and `(push)` are unknown.
//! - `visitor` stands behind: it builds a flat tree. The parser's own tree type is dropped
//!   recursively, which overflows the stack on deep terms.
//!
//! Should the parser panic all the same, the panic is caught and reported as an error. `resolve`
//! then turns syntax into terms, without recursion and within a budget of work.

mod operators;
mod prepare;
mod resolve;
mod scope;
mod syntax;
mod visitor;

use super::Script;
use super::command::Command;
use super::error::ScriptError;
use crate::term::Terms;
use prepare::{Piece, prepare};
use resolve::Resolver;
use smt2parser::CommandStream;
use std::panic::{AssertUnwindSafe, catch_unwind};
use syntax::Syntax;
use visitor::Builder;

/// Bounds on a script that is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptLimits {
    /// Largest file, in bytes.
    pub max_bytes: usize,
    /// Deepest nesting of parentheses.
    pub max_depth: usize,
    /// Longest number or literal, in characters.
    pub max_literal: usize,
    /// Most levels of the assertion stack.
    pub max_levels: usize,
    /// Most steps to expand functions, beyond the four per byte that ordinary text needs at most:
    /// definitions that call each other twice double the work each time.
    pub max_steps: u64,
}

impl Default for ScriptLimits {
    fn default() -> Self {
        ScriptLimits {
            max_bytes: 512 << 20,
            max_depth: 10_000_000,
            // The widest bit-vector in binary, and its prefix.
            max_literal: crate::term::MAX_WIDTH as usize + 2,
            max_levels: 100_000,
            max_steps: 20_000_000,
        }
    }
}

pub(super) fn parse(text: &str, terms: &mut Terms, limits: &ScriptLimits) -> Result<Script, ScriptError> {
    if text.len() > limits.max_bytes {
        return Err(ScriptError::TooLarge { size: text.len(), limit: limits.max_bytes });
    }
    let prepared = prepare(text, limits)?;
    let mut commands = Vec::new();
    let mut resolver = Resolver::new(terms, limits, text.len());
    let mut stream = CommandStream::new(prepared.text.as_slice(), Builder::default(), None);
    for piece in &prepared.pieces {
        let command = read_command(&mut stream, &mut resolver, piece)?;
        let ends = command == Some(Command::Exit);
        commands.extend(command);
        if ends {
            break;
        }
    }
    Ok(Script { header: header(text), commands })
}

/// Reads one command; `None` for those that only give names to terms.
fn read_command(
    stream: &mut CommandStream<&[u8], Builder>,
    resolver: &mut Resolver<'_>,
    piece: &Piece,
) -> Result<Option<Command>, ScriptError> {
    let at = piece.at;
    if let Some(verb) = &piece.direct {
        let symbols = stream.visitor().symbols();
        return resolver.command(verb.clone(), Syntax::default(), piece, symbols);
    }
    stream.visitor_mut().begin(at);
    // After a panic nothing of the parser is used again, so nothing half-done is ever seen. A parser
    // that stops early would silently drop commands: that is a failure too.
    let verb = match catch_unwind(AssertUnwindSafe(|| stream.next())) {
        Ok(Some(verb)) => verb?,
        Ok(None) | Err(_) => return Err(ScriptError::ParserFailed { at }),
    };
    let syntax = stream.visitor_mut().take();
    resolver.command(verb, syntax, piece, stream.visitor().symbols())
}

/// The comment lines before the first command.
fn header(text: &str) -> Vec<String> {
    text.lines()
        .map_while(|line| line.strip_prefix(';'))
        .filter(|line| !line.starts_with('@'))
        .map(|line| line.strip_prefix(' ').unwrap_or(line).trim_end().to_owned())
        .collect()
}
