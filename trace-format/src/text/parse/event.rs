//! Event lines: thread, operation, position, ticket.

use super::Parser;
use super::cursor::{Cursor, Mark, Parsed};
use super::misplaced;
use super::tables::parsed_key;
use crate::event::Event;
use crate::header::OrderKind;
use crate::ids::SourceId;
use crate::place::Source;
use crate::text::lex;

impl Parser {
    pub(super) fn event(&mut self, cursor: &mut Cursor<'_>, mark: Mark, key: &str) -> Parsed<()> {
        let key = parsed_key(cursor, mark, key)?;
        let thread = self.known_thread(cursor, mark, &key)?;
        let op = self.operation(cursor, thread)?;
        let at = self.position(cursor)?;
        let event = Event { op, at };
        let ticket_mark = cursor.mark();
        if cursor.skip("^") {
            let number = cursor.number("a ticket")?;
            if self.trace.header.order != OrderKind::Tickets {
                return Err(misplaced(
                    cursor,
                    ticket_mark,
                    "is a ticket; it needs the header line `order tickets`",
                ));
            }
            self.table(cursor, mark, |trace| trace.push_with_ticket(thread, event, number))?;
        } else {
            self.table(cursor, mark, |trace| trace.push(thread, event))?;
        }
        self.event_lines[thread.index()].push(cursor.line_number());
        Ok(())
    }

    fn position(&mut self, cursor: &mut Cursor<'_>) -> Parsed<SourceId> {
        let mark = cursor.mark();
        if cursor.peek() != Some('@') {
            return Ok(SourceId::UNKNOWN);
        }
        let (file, line, column) = cursor.take(lex::position, "a position such as `@m0.c:14`")?;
        let mut source = Source { line, column, ..Source::default() };
        source.file = self.table(cursor, mark, |trace| trace.tables.string(file))?;
        if cursor.skip_word("in") {
            let function = cursor.name("a function's name; between quotes if it is not a plain word")?;
            source.function = self.table(cursor, mark, |trace| trace.tables.string(function))?;
        }
        if cursor.skip_word("pc") {
            source.address = cursor.number("an address")?;
        }
        self.table(cursor, mark, |trace| trace.tables.source(source))
    }
}
