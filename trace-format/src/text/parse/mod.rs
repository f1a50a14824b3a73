//! Reads a trace from text, line by line.

mod cursor;
mod event;
mod expr;
mod header;
mod names;
mod operation;
mod tables;

use super::error::{ParseError, Problem};
use super::words::{Closing, Setting};
use super::{MAGIC, VERSION, lex};
use crate::check::Inconsistency;
use crate::header::{Footer, Header, Outcome};
use crate::ids::{StringId, ThreadIx};
use crate::tables::TableError;
use crate::thread::ThreadKey;
use crate::trace::Trace;
use cursor::{Cursor, Mark, Parsed};
use names::Names;

/// Reads a trace in canonical numbering, and checks it.
pub fn parse(text: &str) -> Result<Trace, ParseError> {
    let mut lines = text.split('\n').zip(1..).map(|(line, number)| Cursor::new(number, line));
    let mut parser = Parser::new();
    let mut last = 1;
    let first = lines.by_ref().find(|cursor| !cursor.at_end());
    magic(first.unwrap_or_else(|| Cursor::new(1, "")))?;
    for mut cursor in lines {
        last = cursor.line_number();
        if !cursor.at_end() {
            parser.line(&mut cursor)?;
            cursor.end()?;
        }
    }
    parser.finish(last)
}

fn magic(mut cursor: Cursor<'_>) -> Parsed<()> {
    let first_line = format!("`{MAGIC} {VERSION}`, with which every text trace begins");
    let word = cursor.maybe(lex::keyword);
    if word != Some(MAGIC) {
        return Err(Cursor::new(cursor.line_number(), cursor.whole_line()).expected(&first_line));
    }
    let mark = cursor.mark();
    let found = cursor.number("the version of the text form")?;
    if found != VERSION {
        return Err(cursor.error_at(mark, Problem::Version { found, known: VERSION }));
    }
    cursor.end()
}

/// How far the text has come: header, then tables and events, then the outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    Header,
    Body,
    End,
}

/// The trace under way.
struct Parser {
    trace: Trace,
    names: Names,
    stage: Stage,
    /// Header lines seen.
    settings: Vec<Setting>,
    /// Per thread, the line of each of its events, for errors found at the end.
    event_lines: Vec<Vec<usize>>,
    outcome: Option<Outcome>,
    approximations: Vec<(StringId, u64)>,
}

impl Parser {
    fn new() -> Self {
        Parser {
            trace: Trace::new(Header::default()),
            names: Names::default(),
            stage: Stage::Header,
            settings: Vec::new(),
            event_lines: Vec::new(),
            outcome: None,
            approximations: Vec::new(),
        }
    }

    fn line(&mut self, cursor: &mut Cursor<'_>) -> Parsed<()> {
        let mark = cursor.mark();
        if let Some(key) = cursor.maybe(lex::key) {
            self.enter(cursor, mark, Stage::Body)?;
            return self.event(cursor, mark, key);
        }
        if let Some(setting) = cursor.maybe_word() {
            self.enter(cursor, mark, Stage::Header)?;
            return self.setting(cursor, mark, setting);
        }
        if let Some(declaration) = cursor.maybe_word() {
            self.enter(cursor, mark, Stage::Body)?;
            return self.declaration(cursor, mark, declaration);
        }
        match cursor.maybe_word() {
            Some(closing) => self.closing(cursor, mark, closing),
            None => Err(cursor.expected("a thread key such as `T0.1`, or a word such as `global`")),
        }
    }

    fn closing(&mut self, cursor: &mut Cursor<'_>, mark: Mark, closing: Closing) -> Parsed<()> {
        match closing {
            Closing::Outcome if self.outcome.is_some() => {
                Err(misplaced(cursor, mark, "is there already; a run ends once"))
            }
            Closing::Outcome => {
                self.enter(cursor, mark, Stage::End)?;
                self.outcome = Some(outcome(cursor)?);
                Ok(())
            }
            Closing::Approximated if self.outcome.is_none() => {
                Err(misplaced(cursor, mark, "belongs behind the `outcome` line"))
            }
            Closing::Approximated => {
                let what = self.string(cursor)?;
                self.approximations.push((what, cursor.number("how often")?));
                Ok(())
            }
        }
    }

    /// Goes on to a stage, or refuses a line of an earlier one.
    fn enter(&mut self, cursor: &Cursor<'_>, mark: Mark, stage: Stage) -> Parsed<()> {
        if stage > Stage::Header && self.stage == Stage::Header {
            // The order is known only now, and an empty trace of that order is made of the header.
            self.trace = Trace::new(self.trace.header.clone());
        }
        if stage < self.stage {
            let rule = match stage {
                Stage::Header => "belongs to the header, before the first thread, object or event",
                Stage::Body | Stage::End => "comes too late: the `outcome` line ends the trace",
            };
            return Err(misplaced(cursor, mark, rule));
        }
        self.stage = stage;
        Ok(())
    }

    /// Does something to the tables, with an error at a place if that is not possible.
    fn table<T>(
        &mut self,
        cursor: &Cursor<'_>,
        mark: Mark,
        change: impl FnOnce(&mut Trace) -> Result<T, TableError>,
    ) -> Parsed<T> {
        change(&mut self.trace).map_err(|error| cursor.error_at(mark, Problem::Table(error)))
    }

    fn finish(mut self, last: usize) -> Parsed<Trace> {
        if self.stage == Stage::Header {
            self.trace = Trace::new(self.trace.header.clone());
        }
        if let Some(outcome) = self.outcome {
            let approximations = self.approximations;
            self.trace.footer = Some(Footer { outcome, events: self.trace.len(), approximations });
        }
        let at = |line, problem| ParseError { line, column: 1, problem };
        if let Err(inconsistency) = self.trace.check() {
            let line = place_of(&inconsistency).and_then(|(thread, index)| {
                let thread: ThreadIx = self.trace.tables.thread_by_key(&thread.parse::<ThreadKey>().ok()?)?;
                self.event_lines.get(thread.index())?.get(index as usize).copied()
            });
            return Err(at(line.unwrap_or(last), Problem::Inconsistent(inconsistency)));
        }
        self.trace.canonical().map_err(|error| at(last, Problem::Table(error)))
    }
}

/// The event that an inconsistency is about: its thread's key and its index.
fn place_of(inconsistency: &Inconsistency) -> Option<(&str, u32)> {
    match inconsistency {
        Inconsistency::Reference { thread, index, .. }
        | Inconsistency::Sort { thread, index, .. }
        | Inconsistency::Value { thread, index, .. }
        | Inconsistency::Leaf { thread, index, .. }
        | Inconsistency::InputLeaf { thread, index, .. } => Some((thread, *index)),
        _ => None,
    }
}

fn outcome(cursor: &mut Cursor<'_>) -> Parsed<Outcome> {
    if cursor.skip_word("exited") {
        cursor.integer_32().map(Outcome::Exited)
    } else if cursor.skip_word("failed") {
        cursor.numbered().map(Outcome::Failed)
    } else if cursor.skip_word("stopped") {
        Ok(Outcome::Stopped)
    } else if cursor.skip_word("unknown") {
        Ok(Outcome::Unknown)
    } else {
        Err(cursor.expected("`exited` and the status, `failed` and how, `stopped` or `unknown`"))
    }
}

fn misplaced(cursor: &Cursor<'_>, mark: Mark, rule: &'static str) -> ParseError {
    let what = lex::token(cursor.since(mark));
    cursor.error_at(mark, Problem::Misplaced { what, rule })
}
